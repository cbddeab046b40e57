//! A JACK client that sends MIDI messages on exact frames.

use crate::server::Server;
use jack::{
    AsyncClient, Client, Control, Frames, MidiOut, Port, ProcessHandler, ProcessScope, RawMidi,
};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

pub(crate) struct MidiSender {
    client: AsyncClient<(), Process>,
    messages: SyncSender<Timed>,
}

/// A frame of the server's time, and a message.
type Timed = (Frames, [u8; 3]);

struct Process {
    port: Port<MidiOut>,
    incoming: Receiver<Timed>,
    waiting: Vec<Timed>,
}

impl ProcessHandler for Process {
    fn process(&mut self, _: &Client, scope: &ProcessScope) -> Control {
        self.waiting.extend(self.incoming.try_iter());
        let mut writer = self.port.writer(scope);
        let start = scope.last_frame_time();
        let length = scope.n_frames();
        self.waiting
            .sort_by_key(|(frame, _)| frame.wrapping_sub(start) as i32);
        self.waiting.retain(|(frame, bytes)| {
            // Late messages are sent at once, because a lost note would hang a test.
            let offset = (frame.wrapping_sub(start) as i32).max(0) as u32;
            if offset >= length {
                return true;
            }
            // Program change and channel pressure have two bytes.
            let length = if matches!(bytes[0] >> 4, 0xC | 0xD) {
                2
            } else {
                3
            };
            let message = RawMidi {
                time: offset,
                bytes: &bytes[..length],
            };
            writer.write(&message).is_err()
        });
        Control::Continue
    }
}

impl MidiSender {
    /// Connects to the player's MIDI input.
    pub(crate) fn connect() -> Self {
        let client = Server::client("midi-sender");
        let port = client.register_port("out", MidiOut::default()).unwrap();
        let name = port.name().unwrap();
        let (messages, incoming) = sync_channel(4_096);
        let process = Process {
            port,
            incoming,
            waiting: Vec::with_capacity(4_096),
        };
        let client = client.activate_async((), process).unwrap();
        client
            .as_client()
            .connect_ports_by_name(&name, "myriad:midi")
            .unwrap();
        Self { client, messages }
    }

    /// The server's time now.
    pub(crate) fn now(&self) -> Frames {
        self.client.as_client().frame_time()
    }

    /// Sends a message at that frame.
    pub(crate) fn send(&self, frame: Frames, bytes: [u8; 3]) {
        self.messages.send((frame, bytes)).unwrap();
    }
}
