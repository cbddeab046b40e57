//! A JACK client that sends MIDI messages on exact frames.

use crate::server::{Server, accepted};
use jack::{Frames, MidiOut, Port, ProcessScope, RawMidi};
use myriad_player::device::jack_client::{ActiveClient, Cycle};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

pub(crate) struct MidiSender {
    active: ActiveClient,
    messages: SyncSender<Timed>,
    scores: Sender<Vec<Timed>>,
    begun: Receiver<Frames>,
}

/// A frame of the server's time, and a message.
pub(crate) type Timed = (Frames, [u8; 3]);

struct Process {
    port: Port<MidiOut>,
    incoming: Receiver<Timed>,
    waiting: Vec<Timed>,
    scores: Receiver<Vec<Timed>>,
    begun: Sender<Frames>,
}

impl Cycle for Process {
    fn run(&mut self, scope: &ProcessScope) {
        self.waiting.extend(self.incoming.try_iter());
        let mut writer = self.port.writer(scope);
        let start = scope.last_frame_time();
        let length = scope.n_frames();
        for score in self.scores.try_iter() {
            self.waiting.extend(score.iter().map(|&(frame, bytes)| (start + frame, bytes)));
            let _ = self.begun.send(start);
        }
        self.waiting.sort_by_key(|(frame, _)| frame.wrapping_sub(start) as i32);
        self.waiting.retain(|(frame, bytes)| {
            // Late messages are sent at once, because a lost note would hang a test.
            let offset = (frame.wrapping_sub(start) as i32).max(0) as u32;
            if offset >= length {
                return true;
            }
            // Program change and channel pressure have two bytes.
            let length = if matches!(bytes[0] >> 4, 0xC | 0xD) { 2 } else { 3 };
            let message = RawMidi { time: offset, bytes: &bytes[..length] };
            writer.write(&message).is_err()
        });
    }
}

impl MidiSender {
    /// Connects to the player's MIDI input.
    pub(crate) fn connect() -> Self {
        accepted(Self::try_connect)
    }

    fn try_connect() -> Result<Self, jack::Error> {
        let client = Server::client("midi-sender");
        let port = client.register_port("out", MidiOut::default())?;
        let name = port.name()?;
        let (messages, incoming) = sync_channel(4_096);
        let (scores, new_scores) = channel();
        let (begin, begun) = channel();
        let process = Process {
            port,
            incoming,
            waiting: Vec::with_capacity(4_096),
            scores: new_scores,
            begun: begin,
        };
        let active = ActiveClient::activate(client, process, Arc::default())?;
        active.client().connect_ports_by_name(&name, "myriad:midi")?;
        Ok(Self { active, messages, scores, begun })
    }

    /// Has the server run as fast as its clients answer, and wait for them, or not. However busy
    /// the machine is, no cycle is late then.
    pub(crate) fn freewheel(&self, on: bool) {
        let client = self.active.client().raw();
        // SAFETY: the client is open as long as `self` is.
        let answer = unsafe { ::jack::jack_sys::jack_set_freewheel(client, i32::from(on)) };
        assert_eq!(answer, 0, "the server does not freewheel");
    }

    /// Sends messages whose frames count from the beginning of the next cycle, and gives the
    /// server's time of that.
    pub(crate) fn play(&self, score: Vec<Timed>) -> Frames {
        self.scores.send(score).unwrap();
        self.begun.recv().unwrap()
    }

    /// The server's time now.
    pub(crate) fn now(&self) -> Frames {
        self.active.client().frame_time()
    }

    /// Sends a message at that frame.
    pub(crate) fn send(&self, frame: Frames, bytes: [u8; 3]) {
        self.messages.send((frame, bytes)).unwrap();
    }
}
