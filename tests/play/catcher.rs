//! Hears what the player sends out, frame by frame of the server's time.

use crate::server::Server;
use jack::{AsyncClient, AudioIn, Client, Control, Frames, Port, ProcessHandler, ProcessScope};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// No server loses more frames than this and lives: ten seconds.
const LONGEST_GAP: i64 = 480_000;

/// A recorder for both channels.
pub(crate) struct Catcher {
    _client: AsyncClient<(), Process>,
    blocks: Receiver<Block>,
    /// What was heard so far, and the server's time of its first frame.
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
    start: Option<Frames>,
    /// Cycles that the server left out.
    pub(crate) gaps: usize,
}

struct Block {
    time: Frames,
    left: Vec<f32>,
    right: Vec<f32>,
}

struct Process {
    ports: [Port<AudioIn>; 2],
    blocks: Sender<Block>,
}

impl ProcessHandler for Process {
    fn process(&mut self, _: &Client, scope: &ProcessScope) -> Control {
        let [left, right] = self
            .ports
            .each_ref()
            .map(|port| port.as_slice(scope).to_vec());
        let time = scope.last_frame_time();
        let _ = self.blocks.send(Block { time, left, right });
        Control::Continue
    }
}

impl Catcher {
    /// Listens to the player.
    pub(crate) fn plug_in() -> Self {
        let client = Server::client("catcher");
        let port = |name| client.register_port(name, AudioIn::default()).unwrap();
        let ports = [port("left"), port("right")];
        let names = ports.each_ref().map(|port| port.name().unwrap());
        let (sender, blocks) = channel();
        let process = Process {
            ports,
            blocks: sender,
        };
        let client = client.activate_async((), process).unwrap();
        for (ours, theirs) in names.iter().zip(["myriad:left", "myriad:right"]) {
            client
                .as_client()
                .connect_ports_by_name(theirs, ours)
                .unwrap();
        }
        Self {
            _client: client,
            blocks,
            left: Vec::new(),
            right: Vec::new(),
            start: None,
            gaps: 0,
        }
    }

    /// Collects what has been heard. Frames that the server left out become silence.
    pub(crate) fn collect(&mut self) {
        while let Ok(block) = self.blocks.try_recv() {
            let start = *self.start.get_or_insert(block.time);
            let place = block.time.wrapping_sub(start) as i32;
            let missing = i64::from(place) - self.left.len() as i64;
            if missing != 0 {
                self.gaps += 1;
                assert!(missing < LONGEST_GAP, "the server lost {missing} frames");
                // After a gap the server's time may even go back a little.
                let length = place.max(0) as usize;
                self.left.resize(length, 0.0);
                self.right.resize(length, 0.0);
            }
            self.left.extend(block.left);
            self.right.extend(block.right);
        }
    }

    /// Forgets what was heard so far.
    pub(crate) fn forget(&mut self) {
        if let Some(start) = &mut self.start {
            *start = start.wrapping_add(self.left.len() as Frames);
            self.left.clear();
            self.right.clear();
        }
    }

    /// Waits until frame `end` has been heard, and gives the left channel from `begin` to there.
    pub(crate) fn hear(&mut self, begin: Frames, end: Frames) -> &[f32] {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            self.collect();
            if let Some(start) = self.start
                && self.left.len() as i64 >= i64::from(end.wrapping_sub(start) as i32)
            {
                let place = |frame: Frames| (frame.wrapping_sub(start) as i32).max(0) as usize;
                return &self.left[place(begin)..place(end)];
            }
            assert!(Instant::now() < deadline, "nothing is heard");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
