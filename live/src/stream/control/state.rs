//! What the control side holds: its ends of the queues, and what the stream was told.

use crate::stream::cause::Processor;
use crate::stream::command_queue::ControlEnd;
use crate::stream::events::Sender;
use crate::stream::frame_ring::FrameRing;
use crate::stream::render_side::{Command, RenderSide};
use crate::stream::underrun::{Report, Underrun};
use crate::stream::{StreamConfig, StreamError};
use myriad_engine::{EngineConfig, SnapshotReceiver};
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Underruns that are kept until they are asked for.
const KEPT: usize = 1_000;

/// Behind the control side's lock. The render side and the audio side never take it.
pub(in crate::stream) struct State {
    pub(super) engine: EngineConfig,
    pub(super) engine_latency: usize,
    pub(super) frame_ring: Arc<FrameRing>,
    commands: ControlEnd<Command>,
    /// Patches and routes for which `commands` had no room, at most one of each for a part.
    waiting: VecDeque<Command>,
    pub(super) sender: Sender,
    reports: HeapCons<Report>,
    pub(super) underruns: VecDeque<Underrun>,
    processor: Processor,
    /// Shows what sounds, until somebody takes it to look.
    pub(super) snapshots: Option<SnapshotReceiver>,
    /// The render thread, until it is stopped.
    pub(super) thread: Option<JoinHandle<RenderSide>>,
}

impl State {
    pub(in crate::stream) fn new(
        config: &StreamConfig,
        engine_latency: usize,
        frame_ring: Arc<FrameRing>,
        commands: ControlEnd<Command>,
        sender: Sender,
        reports: HeapCons<Report>,
        snapshots: SnapshotReceiver,
    ) -> Self {
        Self {
            engine: config.engine,
            engine_latency,
            frame_ring,
            commands,
            waiting: VecDeque::new(),
            sender,
            reports,
            underruns: VecDeque::new(),
            processor: Processor::new(),
            snapshots: Some(snapshots),
            thread: None,
        }
    }

    pub(super) fn command(&mut self, command: Command) -> Result<(), StreamError> {
        self.commands.send(command).map_err(|_| StreamError::Busy)
    }

    /// Sends another patch or other routes for a part. What finds no room waits until there is
    /// some, unless something newer for the part replaces it.
    pub(super) fn change_part(&mut self, command: Command) {
        let part = command.part();
        // Routes belong to the patch before them; a patch brings its own.
        let is_patch = |command: &Command| matches!(command, Command::Patch { .. });
        let keeps_patch = !is_patch(&command);
        self.waiting
            .retain(|old| old.part() != part || (keeps_patch && is_patch(old)));
        self.waiting.push_back(command);
        self.send_waiting();
    }

    fn send_waiting(&mut self) {
        while let Some(command) = self.waiting.pop_front() {
            if let Err(command) = self.commands.send(command) {
                self.waiting.push_front(command);
                return;
            }
        }
    }

    pub(super) fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether the render thread has ended without being asked to: its renderer has panicked.
    pub(super) fn has_crashed(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Drops what has come back, and explains underruns.
    pub(super) fn tend(&mut self) {
        self.commands.tidy();
        self.send_waiting();
        self.processor.read();
        for report in self.reports.pop_iter() {
            if self.underruns.len() == KEPT {
                self.underruns.pop_front();
            }
            self.underruns.push_back(report.conclude(&self.processor));
        }
    }
}
