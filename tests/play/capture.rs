//! Captures the player's output, with the server's time of every frame.

use crate::server::{Server, accepted};
use jack::{AudioIn, Frames, Port, ProcessScope};
use myriad_player::device::jack_client::{ActiveClient, Cycle};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Ten seconds; a larger gap is an error.
const LONGEST_GAP: i64 = 480_000;

pub(crate) struct Capture {
    _active: ActiveClient,
    blocks: Receiver<Block>,
    /// The captured frames, and the server's time of the first.
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
    start: Option<Frames>,
    /// Cycles that the server skipped.
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

impl Cycle for Process {
    fn run(&mut self, scope: &ProcessScope) {
        let [left, right] = self.ports.each_ref().map(|port| port.as_slice(scope).to_vec());
        let time = scope.last_frame_time();
        let _ = self.blocks.send(Block { time, left, right });
    }
}

impl Capture {
    /// Connects to the player.
    pub(crate) fn connect() -> Self {
        accepted(Self::try_connect)
    }

    fn try_connect() -> Result<Self, jack::Error> {
        let client = Server::client("capture");
        let port = |name| client.register_port(name, AudioIn::default());
        let ports = [port("left")?, port("right")?];
        let names = [ports[0].name()?, ports[1].name()?];
        let (sender, blocks) = channel();
        let process = Process { ports, blocks: sender };
        let active = ActiveClient::activate(client, process, Arc::default())?;
        for (ours, theirs) in names.iter().zip(["myriad:left", "myriad:right"]) {
            active.client().connect_ports_by_name(theirs, ours)?;
        }
        let [left, right] = [Vec::new(), Vec::new()];
        Ok(Self { _active: active, blocks, left, right, start: None, gaps: 0 })
    }

    /// Collects the captured blocks. Frames that the server skipped become silence.
    pub(crate) fn collect(&mut self) {
        while let Ok(block) = self.blocks.try_recv() {
            let start = *self.start.get_or_insert(block.time);
            let offset = block.time.wrapping_sub(start) as i32;
            let missing = i64::from(offset) - self.left.len() as i64;
            if missing != 0 {
                self.gaps += 1;
                assert!(missing < LONGEST_GAP, "the server lost {missing} frames");
                // After a gap the server's time may go back a little.
                let length = offset.max(0) as usize;
                self.left.resize(length, 0.0);
                self.right.resize(length, 0.0);
            }
            self.left.extend(block.left);
            self.right.extend(block.right);
        }
    }

    /// Drops the frames captured so far.
    pub(crate) fn forget(&mut self) {
        if let Some(start) = &mut self.start {
            *start = start.wrapping_add(self.left.len() as Frames);
            self.left.clear();
            self.right.clear();
        }
    }

    /// Waits until frame `end` is captured, and returns the left channel from `begin` to there.
    pub(crate) fn range(&mut self, begin: Frames, end: Frames) -> &[f32] {
        let deadline = Instant::now() + Duration::from_mins(5);
        loop {
            self.collect();
            if let Some(start) = self.start
                && self.left.len() as i64 >= i64::from(end.wrapping_sub(start) as i32)
            {
                let offset = |frame: Frames| (frame.wrapping_sub(start) as i32).max(0) as usize;
                return &self.left[offset(begin)..offset(end)];
            }
            assert!(Instant::now() < deadline, "no frames are captured");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
