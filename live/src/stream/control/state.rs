//! The state of the control side: its ends of the queues, and commands that wait.

use crate::stream::command_queue::CommandSender;
use crate::stream::deadline::StealMonitor;
use crate::stream::event_scheduler::Sender;
use crate::stream::frame_ring::FrameRing;
use crate::stream::render_log::LogReader;
use crate::stream::render_side::{Command, RenderSide};
use crate::stream::underrun::{Report, Underrun};
use crate::stream::{StreamConfig, StreamError};
use myriad_engine::{EngineConfig, PitchSettings, SnapshotReceiver};
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The most underruns that are kept until they are read.
const MAX_UNDERRUNS: usize = 1_000;

/// Behind the control side's lock. The render side and the audio side never take it.
pub(in crate::stream) struct State {
    pub(super) engine: EngineConfig,
    pub(super) engine_latency: usize,
    pub(super) frame_ring: Arc<FrameRing>,
    commands: CommandSender<Command>,
    /// Patches, routes and drawings for which `commands` had no room, at most one of each for a part, and pitch
    /// settings.
    waiting: VecDeque<Command>,
    pub(super) sender: Sender,
    reports: HeapCons<Report>,
    pub(super) underruns: VecDeque<Underrun>,
    steal: StealMonitor,
    /// The receiver of snapshots, until it is taken.
    pub(super) snapshots: Option<SnapshotReceiver>,
    /// The render thread, until it is stopped.
    pub(super) thread: Option<JoinHandle<RenderSide>>,
    /// The render log, where there is one.
    pub(in crate::stream) log: Option<LogReader>,
}

impl State {
    pub(in crate::stream) fn new(
        config: &StreamConfig,
        engine_latency: usize,
        frame_ring: Arc<FrameRing>,
        commands: CommandSender<Command>,
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
            steal: StealMonitor::new(),
            snapshots: Some(snapshots),
            thread: None,
            log: None,
        }
    }

    pub(super) fn send_command(&mut self, command: Command) -> Result<(), StreamError> {
        self.commands.send(command).map_err(|_| StreamError::Busy)
    }

    /// Sends another patch, other routes or other drawings for a part. When the queue is full, they wait until there
    /// is room, unless a newer command for the part replaces them.
    pub(super) fn change_part(&mut self, mut command: Command) {
        if let Some(log) = &mut self.log {
            let kept = log.keep(&command);
            if let Command::Patch { number, .. }
            | Command::Routes { number, .. }
            | Command::Drawn { number, .. } = &mut command
            {
                *number = kept;
            }
        }
        let part = command.part();
        // Routes and drawings belong to the patch before them; a patch contains its own.
        let replaces_all = matches!(command, Command::Patch { .. });
        let is_same_kind = |old: &Command| discriminant(old) == discriminant(&command);
        self.waiting.retain(|old| old.part() != part || !(replaces_all || is_same_kind(old)));
        self.waiting.push_back(command);
        self.send_waiting();
    }

    /// Sends other pitch settings; they wait like the changes of a part.
    pub(super) fn change_pitch(&mut self, settings: PitchSettings) {
        self.engine.pitch = settings;
        self.waiting.retain(|old| !matches!(old, Command::Pitch { .. }));
        self.waiting.push_back(Command::Pitch { settings: Box::new(settings) });
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

    /// Whether the render thread has ended by itself: its renderer has panicked.
    pub(super) fn has_crashed(&self) -> bool {
        self.thread.as_ref().is_some_and(JoinHandle::is_finished)
    }

    /// Frees returned memory, sends commands that wait, and finds the causes of underruns.
    pub(super) fn maintain(&mut self) {
        self.commands.drop_returned();
        self.send_waiting();
        self.steal.read();
        for report in self.reports.pop_iter() {
            if self.underruns.len() == MAX_UNDERRUNS {
                self.underruns.pop_front();
            }
            self.underruns.push_back(report.conclude(&self.steal));
        }
    }
}
