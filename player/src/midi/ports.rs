//! MIDI inputs of the system, which may be plugged in and out while playing.

use super::Router;
use super::gesture::GestureQueue;
use midir::{Ignore, MidiInput, MidiInputConnection};
use myriad_engine::mpe::Channels;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often ports are looked for.
const POLL: Duration = Duration::from_secs(1);

/// This program's name in MIDI patch bays.
const CLIENT: &str = "Myriad";

/// ALSA's loopback port, which would repeat what other programs play.
const LOOP: &str = "Midi Through";

/// Names of the inputs that can be connected.
pub fn names() -> Vec<String> {
    let Ok(input) = MidiInput::new(CLIENT) else {
        return Vec::new();
    };
    let ports = input.ports();
    ports
        .iter()
        .filter_map(|port| input.port_name(port).ok())
        .filter(|name| !name.contains(LOOP) && !name.contains(CLIENT))
        .collect()
}

/// All connected MIDI inputs.
pub struct Ports {
    /// Only ports with this in their name; all without it.
    wanted: Option<String>,
    connected: Vec<(String, MidiInputConnection<Channels>)>,
    router: Arc<Router>,
    gestures: Arc<GestureQueue>,
    next_poll: Instant,
}

impl Ports {
    pub fn new(wanted: Option<String>, router: Arc<Router>, gestures: Arc<GestureQueue>) -> Self {
        Self {
            wanted: wanted.map(|name| name.to_lowercase()),
            connected: Vec::new(),
            router,
            gestures,
            next_poll: Instant::now(),
        }
    }

    /// Connects new ports and drops lost ones, once a second; returns notices for the user.
    pub fn poll(&mut self) -> Vec<String> {
        if Instant::now() < self.next_poll {
            return Vec::new();
        }
        self.next_poll = Instant::now() + POLL;
        let mut news = Vec::new();
        let present = names();
        self.connected.retain(|(name, _)| {
            let stays = present.contains(name);
            if !stays {
                news.push(format!("MIDI input gone: {name}"));
            }
            stays
        });
        for name in present {
            let known = self.connected.iter().any(|(other, _)| *other == name);
            if known || !self.is_wanted(&name) {
                continue;
            }
            if let Some(connection) = self.connect(&name) {
                news.push(format!("MIDI input: {name}"));
                self.connected.push((name, connection));
            }
        }
        news
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| name.to_lowercase().contains(wanted))
    }

    fn connect(&self, name: &str) -> Option<MidiInputConnection<Channels>> {
        let mut input = MidiInput::new(CLIENT).ok()?;
        input.ignore(Ignore::All);
        let ports = input.ports();
        let port =
            ports.iter().find(|port| input.port_name(port).is_ok_and(|other| other == name))?;
        let (router, gestures) = (Arc::clone(&self.router), Arc::clone(&self.gestures));
        let hear = move |_, bytes: &[u8], channels: &mut Channels| {
            router.hear(channels, bytes, |part, kind| gestures.play(part, kind));
        };
        input.connect(port, "in", hear, Channels::new()).ok()
    }
}
