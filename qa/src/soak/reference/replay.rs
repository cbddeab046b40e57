//! Renders a render log again, on a thread of its own.

use super::takeover::{TakeoverRenderer, Takeovers};
use myriad_engine::dsp::{FADE, FlushDenormals, fade_in};
use myriad_engine::{Engine, EngineConfig, EngineError, Event, Playable, TICK};
use myriad_live::stream::LogEntry;
use myriad_live::supervised::Takeover;
use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Frames of a block: a prime, so that blocks have other edges than those of any device.
const BLOCK: usize = 509;

/// Entries are sent to the thread when so many wait.
const BATCH: usize = 64;

/// How long the thread may take for what it was sent.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What the thread makes of the log.
pub(super) enum Replayed {
    /// Frames to be heard from this time on.
    Frames { time: u64, frames: Vec<[f32; 2]> },
    /// Another audio side's first frame.
    Connected { time: u64 },
}

/// The thread, as seen from outside.
pub(super) struct Replay {
    entries: Option<Sender<Vec<LogEntry>>>,
    replayed: Receiver<Replayed>,
    waiting: Vec<LogEntry>,
    takeovers: Takeovers,
}

impl Replay {
    pub(super) fn start(config: EngineConfig) -> std::io::Result<Self> {
        let takeovers = Takeovers::default();
        let mut replayer = Replayer::new(&config, &takeovers).map_err(std::io::Error::other)?;
        let (entries, received) = channel();
        let (sender, replayed) = channel();
        let work = move || {
            let _flush = FlushDenormals::new();
            while let Ok(entries) = received.recv() {
                for entry in entries {
                    replayer.take(entry, |replayed| {
                        // The other end is gone when the soak has ended.
                        let _ = sender.send(replayed);
                    });
                }
            }
            replayer.finish(|replayed| {
                let _ = sender.send(replayed);
            });
        };
        std::thread::Builder::new().name("myriad-reference".into()).spawn(work)?;
        Ok(Self { entries: Some(entries), replayed, waiting: Vec::new(), takeovers })
    }

    /// Another renderer took over, in frames whose entries are not sent yet.
    pub(super) fn take_over(&mut self, takeover: Takeover) {
        self.takeovers.lock().unwrap_or_else(PoisonError::into_inner).push_back(takeover);
    }

    /// Sends entries to the thread.
    pub(super) fn send(&mut self, entries: Vec<LogEntry>) {
        self.waiting.extend(entries);
        if self.waiting.len() >= BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(entries) = &self.entries {
            // A thread that has ended sends nothing, which is noticed.
            let _ = entries.send(std::mem::take(&mut self.waiting));
        }
    }

    /// Ends the thread once it has rendered everything.
    pub(super) fn finish(&mut self) {
        self.flush();
        self.entries = None;
    }

    /// What was replayed, in its order; with `waits` the thread is waited for.
    pub(super) fn receive(&mut self, waits: bool) -> Option<Replayed> {
        if !waits {
            return self.replayed.try_recv().ok();
        }
        self.flush();
        self.replayed.recv_timeout(TIMEOUT).ok()
    }
}

/// Renders entry after entry.
pub(super) struct Replayer {
    engine: Engine,
    /// Frames that it has rendered.
    rendered: u64,
    takeovers: Takeovers,
    /// Events that wait, their frames counted from the first frame that waits.
    events: Vec<Event>,
    /// Where the frames that wait will be heard: times and lengths.
    spans: VecDeque<(u64, usize)>,
    frames: usize,
    /// How far the fade-in after a change of the device is, from 0 to [`FADE`].
    faded_in: usize,
    sound: [Vec<f32>; 2],
}

impl Replayer {
    pub(super) fn new(config: &EngineConfig, takeovers: &Takeovers) -> Result<Self, EngineError> {
        let renderer = Box::new(TakeoverRenderer::new(takeovers));
        Ok(Self {
            engine: Engine::with_renderer(config, renderer)?,
            rendered: 0,
            takeovers: takeovers.clone(),
            events: Vec::new(),
            spans: VecDeque::new(),
            frames: 0,
            faded_in: FADE,
            sound: [vec![0.0; BLOCK], vec![0.0; BLOCK]],
        })
    }

    pub(super) fn take(&mut self, entry: LogEntry, mut send: impl FnMut(Replayed)) {
        match entry {
            LogEntry::Event(event) => {
                self.events.push(Event { frame: event.frame + self.frames as u32, ..event });
            }
            LogEntry::Batch { time, frames, .. } => {
                self.spans.push_back((time, frames));
                self.frames += frames;
                while self.frames >= BLOCK {
                    self.render(BLOCK, &mut send);
                }
            }
            LogEntry::Patch { part, patch } => {
                self.render(self.frames, &mut send);
                self.engine.set_patch(part, &patch);
            }
            LogEntry::Routes { part, mut routes } => {
                self.render(self.frames, &mut send);
                self.engine.swap_routes(part, &mut routes);
            }
            LogEntry::Drawn { part, patch } => {
                self.render(self.frames, &mut send);
                self.engine.exchange_drawn(part, &mut Playable::drawn(&patch));
            }
            LogEntry::Room { slots } => {
                self.render(self.frames, &mut send);
                self.engine.set_room(slots);
            }
            LogEntry::Connected { time } => {
                self.render(self.frames, &mut send);
                self.faded_in = 0;
                send(Replayed::Connected { time });
            }
        }
    }

    /// Renders what waits.
    pub(super) fn finish(&mut self, mut send: impl FnMut(Replayed)) {
        self.render(self.frames, &mut send);
    }

    /// Renders the first `frames` frames that wait, at most a block.
    fn render(&mut self, mut frames: usize, send: &mut impl FnMut(Replayed)) {
        while let Some(before) = self.before_takeover().filter(|&before| before < frames) {
            self.render_block(before, send);
            frames -= before;
        }
        self.render_block(frames, send);
    }

    /// Frames before the next takeover, where a block has to end.
    fn before_takeover(&self) -> Option<usize> {
        let takeovers = self.takeovers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut times = takeovers.iter().map(|takeover| takeover.tick * TICK as u64);
        times
            .find_map(|time| time.checked_sub(self.rendered).filter(|&frames| frames > 0))
            .map(|frames| frames as usize)
    }

    fn render_block(&mut self, frames: usize, send: &mut impl FnMut(Replayed)) {
        // Events of later frames wait on. Those of this block are in order, as they came.
        let due = self.events.partition_point(|event| (event.frame as usize) < frames);
        let [left, right] = self.sound.each_mut().map(|side| &mut side[..frames]);
        self.engine.render(&self.events[..due], left, right);
        self.events.drain(..due);
        self.events.iter_mut().for_each(|event| event.frame -= frames as u32);
        self.frames -= frames;
        self.rendered += frames as u64;
        self.fade_in(frames);
        let mut at = 0;
        while at < frames
            && let Some((time, length)) = self.spans.pop_front()
        {
            let now = length.min(frames - at);
            let sound = |i: usize| self.sound.each_ref().map(|side| side[i]);
            send(Replayed::Frames { time, frames: (at..at + now).map(sound).collect() });
            if now < length {
                self.spans.push_front((time + now as u64, length - now));
            }
            at += now;
        }
    }

    /// The stream fades in when another audio side has replaced the last one, from one silent frame.
    fn fade_in(&mut self, frames: usize) {
        for i in 0..frames {
            if self.faded_in == FADE {
                break;
            }
            let gain = self.faded_in.checked_sub(1).map_or(0.0, fade_in);
            self.sound.iter_mut().for_each(|side| side[i] *= gain);
            self.faded_in += 1;
        }
    }
}
