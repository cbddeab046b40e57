//! A JACK server as a device, and its MIDI with exact frames.
//!
//! Sound and MIDI are ports of one client, so both belong to one cycle: a note at frame 17 of a cycle
//! is an event at frame 17 of its block. With cpal and a second client for MIDI, the two would run in
//! no fixed order, and a period of latency would have to be added.

use super::jack_client::{ActiveClient, Cycle, Notifications};
use super::{Device, DeviceContext, DeviceError, DeviceInfo, DeviceRequest, Host, find};
use jack::{AudioOut, ClientOptions, MidiIn, MidiOut, Port, PortFlags, PortSpec, ProcessScope};
use myriad_engine::Event;
use myriad_engine::mpe::Channels;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// How often new MIDI ports are looked for.
const POLL: Duration = Duration::from_secs(1);

/// How often joining the server is tried, and the delay in between.
const ATTEMPTS: usize = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(200);

/// A client of a JACK server.
pub(super) struct Client {
    active: ActiveClient,
    /// The name is that of the client that the outputs are connected to.
    info: DeviceInfo,
    notifications: Arc<Notifications>,
    midi_wanted: Option<String>,
    midi_port: String,
    /// MIDI ports that were connected once, so that those that the user disconnects stay disconnected.
    seen: Vec<String>,
    next_poll: Instant,
}

/// Connects to a running server, and starts none.
pub(super) fn connect(name: &str) -> Result<jack::Client, DeviceError> {
    let refused = |reason: String| DeviceError::Refused { host: Host::Jack.name(), reason };
    // Without the library, `set_logger` would panic.
    if let Err(error) = jack::jack_sys::library() {
        return Err(DeviceError::NoLibrary { host: Host::Jack.name(), error: error.to_string() });
    }
    jack::set_logger(jack::LoggerType::None);
    match jack::Client::new(name, ClientOptions::NO_START_SERVER) {
        Ok((client, _)) => Ok(client),
        Err(_) => Err(refused("no server is running".to_owned())),
    }
}

/// Names of the clients that sound can be sent to.
pub(super) fn outputs(client: &jack::Client) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for port in audio_inputs(client) {
        let name = port.split(':').next().unwrap_or(&port).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The server's MIDI outputs.
pub(super) fn midi_sources(client: &jack::Client) -> Vec<String> {
    ports(client, &MidiOut::default(), PortFlags::IS_OUTPUT)
}

/// The server's ports of the type of `like`.
fn ports(client: &jack::Client, like: &impl PortSpec, flags: PortFlags) -> Vec<String> {
    client.ports(None, Some(like.jack_port_type()), flags)
}

fn audio_inputs(client: &jack::Client) -> Vec<String> {
    let inputs = ports(client, &AudioOut::default(), PortFlags::IS_INPUT);
    let own = format!("{}:", client.name());
    inputs.into_iter().filter(|port| !port.starts_with(&own)).collect()
}

impl Client {
    /// Joins the running server. A busy one may drop a new client, so this is tried several times.
    ///
    /// # Errors
    /// When there is no server, or it refuses.
    pub(super) fn open(
        device_request: &DeviceRequest,
        context: &DeviceContext,
    ) -> Result<Self, DeviceError> {
        let mut attempts = 1..ATTEMPTS;
        loop {
            match Self::join(connect("myriad")?, device_request, context) {
                Err(DeviceError::Refused { .. }) if attempts.next().is_some() => {
                    std::thread::sleep(BETWEEN_ATTEMPTS);
                }
                joined => return joined,
            }
        }
    }

    fn join(
        client: jack::Client,
        device_request: &DeviceRequest,
        context: &DeviceContext,
    ) -> Result<Self, DeviceError> {
        let refused = |error: jack::Error| DeviceError::Refused {
            host: Host::Jack.name(),
            reason: error.to_string(),
        };
        let targets = targets(&client, device_request)?;
        let [left, right] =
            ["left", "right"].map(|name| client.register_port(name, AudioOut::default()));
        let outputs = [left.map_err(refused)?, right.map_err(refused)?];
        let midi = client.register_port("midi", MidiIn::default()).map_err(refused)?;
        let ours = outputs.each_ref().map(|port| port.name().unwrap_or_default());
        let midi_port = midi.name().unwrap_or_default();
        let notifications = Arc::<Notifications>::default();
        let rate = client.sample_rate();
        let process = Process {
            context: context.clone(),
            outputs,
            midi,
            channels: Channels::new(),
            notifications: Arc::clone(&notifications),
        };
        let active = ActiveClient::activate(client, process, Arc::clone(&notifications));
        let active = active.map_err(refused)?;
        for (our, target) in ours.iter().zip(&targets) {
            // When a port refuses, the client runs without output until the user connects it.
            let _ = active.client().connect_ports_by_name(our, target);
        }
        let name = targets
            .first()
            .map_or("not connected", |target| target.split(':').next().unwrap_or(target));
        Ok(Self {
            active,
            info: DeviceInfo { name: name.to_owned(), host: Host::Jack, rate },
            notifications,
            midi_wanted: device_request.midi.as_ref().map(|name| name.to_lowercase()),
            midi_port,
            seen: Vec::new(),
            next_poll: Instant::now(),
        })
    }

    fn connect_midi(&mut self) -> Vec<String> {
        let client = self.active.client();
        let sources = midi_sources(client);
        let mut news = Vec::new();
        self.seen.retain(|name| {
            let stays = sources.contains(name);
            if !stays {
                news.push(format!("MIDI input gone: {name}"));
            }
            stays
        });
        for source in sources {
            let wanted = match &self.midi_wanted {
                Some(wanted) => source.to_lowercase().contains(wanted),
                // Only hardware; the user connects programs.
                None => client
                    .port_by_name(&source)
                    .is_some_and(|port| port.flags().contains(PortFlags::IS_PHYSICAL)),
            };
            if !wanted || self.seen.contains(&source) {
                continue;
            }
            if client.connect_ports_by_name(&source, &self.midi_port).is_ok() {
                news.push(format!("MIDI input: {source}"));
            }
            self.seen.push(source);
        }
        news
    }
}

/// The ports that left and right are connected to; none when the server has no outputs.
fn targets(
    client: &jack::Client,
    device_request: &DeviceRequest,
) -> Result<Vec<String>, DeviceError> {
    let inputs = audio_inputs(client);
    let Some(wanted) = &device_request.name else {
        let hardware = PortFlags::IS_INPUT | PortFlags::IS_PHYSICAL;
        let mut ports = ports(client, &AudioOut::default(), hardware);
        ports.truncate(2);
        return Ok(ports);
    };
    let first = find(&inputs, wanted).ok_or_else(|| DeviceError::Unknown {
        host: Host::Jack.name(),
        name: wanted.clone(),
        known: outputs(client),
    })?;
    let owner = |port: &str| port.split(':').next().map(str::to_owned);
    let same_owner = |port: &&String| owner(port) == owner(&inputs[first]);
    Ok(inputs[first..].iter().filter(same_owner).take(2).cloned().collect())
}

impl Device for Client {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn block(&self) -> usize {
        self.notifications.block.load(Relaxed) as usize
    }

    fn failure(&self) -> Option<String> {
        let gone = self.notifications.gone.load(Relaxed);
        gone.then(|| "the JACK server has gone".to_owned())
    }

    fn xruns(&self) -> u64 {
        self.notifications.xruns.load(Relaxed)
    }

    fn poll(&mut self) -> Vec<String> {
        if Instant::now() < self.next_poll || self.failure().is_some() {
            return Vec::new();
        }
        self.next_poll = Instant::now() + POLL;
        self.connect_midi()
    }
}

/// MIDI in, sound out.
struct Process {
    context: DeviceContext,
    outputs: [Port<AudioOut>; 2],
    midi: Port<MidiIn>,
    channels: Channels,
    notifications: Arc<Notifications>,
}

impl Cycle for Process {
    fn run(&mut self, scope: &ProcessScope) {
        let [left, right] = self.outputs.each_mut().map(|port| port.as_mut_slice(scope));
        let router = &self.context.router;
        let (midi, channels) = (&self.midi, &mut self.channels);
        let device_id = self.context.device_id;
        let freewheels = self.notifications.freewheels.load(Relaxed);
        let playing = self.context.handoff.with_callback(device_id, |callback| {
            for message in midi.iter(scope) {
                let frame = message.time;
                router.hear(channels, message.bytes, |part, kind| {
                    callback.push(Event { frame, part, kind });
                });
            }
            callback.set_waits(freewheels);
            callback.fill(left, right);
        });
        if !playing {
            for port in &mut self.outputs {
                port.as_mut_slice(scope).fill(0.0);
            }
        }
    }
}
