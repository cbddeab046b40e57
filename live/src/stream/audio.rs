//! The audio side: runs in the audio callback.

use super::event_scheduler::TimedEvent;
use super::frame_ring::{AudioEnd, Restart};
use super::status::Shared;
use super::stereo::{Read, StereoOutput};
use super::underrun::UnderrunSpan;
use myriad_engine::Counters;
use myriad_engine::Engine;
use myriad_engine::Event;
use myriad_engine::Values;
use myriad_engine::dsp::FADE;
use ringbuf::traits::Producer;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Who waits for so long does not render in real time.
const OFFLINE: Duration = Duration::from_secs(1);

/// Reads frames and queues events. Owns no lock, and frees nothing until it is dropped.
pub struct AudioSide {
    end: AudioEnd,
    shared: Arc<Shared>,
    latency: usize,
    /// Frames asked for so far: the stream's time.
    time: u64,
    main: StereoOutput,
    /// The outputs besides the main one, with what the last block sent to them; empty unless the engine
    /// has any.
    others: Vec<(StereoOutput, [Vec<f32>; 2])>,
    /// How far the sound has faded in after an underrun, 0 to [`FADE`].
    faded_in: usize,
    /// Frames before this time belong to the sound before a restart, and are silent.
    silent_until: u64,
    /// The underrun that lasts now.
    underrun: Option<UnderrunSpan>,
    /// The clock of timeouts; tests inject their own.
    now: fn() -> Instant,
}

impl AudioSide {
    pub(super) fn new(end: AudioEnd, time: u64, latency: usize, shared: Arc<Shared>) -> Self {
        let sound = || std::array::from_fn(|_| Vec::with_capacity(Engine::MAX_OUTPUT_FRAMES));
        let others = 1..end.frame_ring.outputs();
        Self {
            others: others.map(|_| (StereoOutput::new(), sound())).collect(),
            end,
            shared,
            latency,
            time,
            main: StereoOutput::new(),
            faded_in: FADE,
            silent_until: time,
            underrun: None,
            now: Instant::now,
        }
    }

    /// Uses another clock, for tests that must not depend on how busy a machine is.
    pub fn set_clock(&mut self, now: fn() -> Instant) {
        self.now = now;
    }

    /// Frames from an event to its sound: constant, also after underruns.
    pub const fn latency(&self) -> usize {
        self.latency
    }

    /// The time of the next frame: frames asked for so far.
    pub const fn time(&self) -> u64 {
        self.time
    }

    /// What the engine is doing.
    pub fn counters(&self) -> Counters {
        self.shared.engine.load()
    }

    /// The time from which on the output is silent; none while the engine sounds.
    pub fn sounds_until(&self) -> Option<u64> {
        match self.shared.activity.until()? {
            // Nothing has ever sounded.
            0 => Some(0),
            // A rendered frame is heard one depth later.
            time => Some(time + self.end.frame_ring.depth as u64),
        }
    }

    /// Frames until silence if every key and pedal is released now; none if the sound never ends.
    pub fn tail(&self) -> Option<usize> {
        // A key that is released now is rendered one depth later.
        Some(self.shared.activity.tail()? + self.end.frame_ring.depth)
    }

    /// The keys that sound in a part, a bit each, of what has been rendered so far.
    pub fn keys(&self, part: usize) -> u128 {
        self.shared.activity.keys(part)
    }

    /// What the last block sent to an output besides the main one, from 0; empty if the engine has none.
    /// At most the first [`Engine::MAX_OUTPUT_FRAMES`] frames of the block.
    pub fn output(&self, output: usize) -> [&[f32]; 2] {
        let found = self.others.get(output);
        found.map_or([&[]; 2], |(_, sound)| sound.each_ref().map(Vec::as_slice))
    }

    /// The share of its time that the last batch took to render.
    pub fn load(&self) -> f32 {
        self.shared.load()
    }

    /// Underruns since the start.
    pub fn underruns(&self) -> u64 {
        self.shared.underruns.load(Relaxed)
    }

    /// Restarts: the sound is cut off, and the next frame is the first one of an engine whose part
    /// `part` has these values. Never allocates, locks or waits.
    pub fn restart(&mut self, part: usize, values: &Values) {
        let restart = Restart { time: self.time, part, values: values.clone() };
        // A restart owns no memory, so replacing an earlier one frees nothing.
        self.end.restarts.force_push(restart);
        self.silent_until = self.time + self.end.frame_ring.depth as u64;
        self.main = StereoOutput::new();
        self.others.iter_mut().for_each(|(output, _)| *output = StereoOutput::new());
        self.faded_in = FADE;
        self.underrun = None;
        self.shared.in_underrun.store(false, Relaxed);
    }

    /// Fills `left` and `right` with the next frames. Events are in the order of their frames,
    /// which lie within this block; later ones count as its last frame. Blocks may have any
    /// length; those longer than the stream's depth end in a fade-out, because their last frames
    /// cannot have been rendered.
    ///
    /// Never allocates, locks, waits or fails: missing frames are concealed and counted.
    ///
    /// # Panics
    /// When `left` and `right` differ in length.
    pub fn process(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        assert_eq!(left.len(), right.len(), "left and right are of one length");
        if left.is_empty() {
            return;
        }
        self.shared.waits.store(false, Relaxed);
        self.begin_block();
        self.queue_events(events, 0, left.len());
        self.take(left, right);
    }

    /// Like [`AudioSide::process`], for offline rendering such as a bounce: waits for frames that are
    /// not ready, so that the result equals that of real time, sample for sample. Not for an audio
    /// thread with a deadline.
    ///
    /// After waiting for `timeout`, goes on like `process`. With one of at least a second nothing is left out of the sound
    /// because rendering takes too long, and the engine has all of its room.
    ///
    /// # Panics
    /// When `left` and `right` differ in length.
    pub fn process_waiting(
        &mut self,
        events: &[Event],
        left: &mut [f32],
        right: &mut [f32],
        timeout: Duration,
    ) {
        assert_eq!(left.len(), right.len(), "left and right are of one length");
        self.shared.waits.store(timeout >= OFFLINE, Relaxed);
        self.begin_block();
        let (mut events, mut at, frames) = (events, 0, left.len());
        // At most one depth can be ready at once.
        let depth = self.end.frame_ring.depth;
        for (left, right) in left.chunks_mut(depth).zip(right.chunks_mut(depth)) {
            let end = at + left.len();
            let due = events.partition_point(|event| (event.frame as usize) < end || end == frames);
            let (now, later) = events.split_at(due);
            self.queue_events(now, at, left.len());
            self.wait_for(left.len(), timeout);
            self.take(left, right);
            (events, at) = (later, end);
        }
    }

    /// Waits until a block of `frames` frames can be taken.
    fn wait_for(&self, frames: usize, timeout: Duration) {
        let wanted = match self.underrun {
            Some(_) => self.time + self.enough(frames) as u64,
            None => self.time + frames as u64,
        };
        let give_up = (self.now)() + timeout;
        while self.end.frame_ring.written() < wanted && !self.is_over() && (self.now)() < give_up {
            self.shared.wake();
            std::thread::sleep(Duration::from_micros(20));
        }
    }

    /// Queues the events of a block of `frames` frames that begins at the event frame `start`.
    fn queue_events(&mut self, events: &[Event], start: usize, frames: usize) {
        for &event in events {
            let frame = (event.frame as usize).saturating_sub(start).min(frames - 1);
            let timed = TimedEvent { time: self.time + frame as u64, event };
            if !self.end.events.push(timed) {
                self.shared.events_refused.fetch_add(1, Relaxed);
            }
        }
    }

    /// Reads the block's frames, and conceals those that are missing.
    fn take(&mut self, left: &mut [f32], right: &mut [f32]) {
        let block = left.len();
        // Frames before a restart are silent and count as ready.
        let written = self.end.frame_ring.written().max(self.silent_until);
        let ready = written.saturating_sub(self.time) as usize;
        if self.underrun.is_some() && ready >= self.enough(block) {
            self.end_underrun();
        }
        let taken = match self.underrun {
            Some(_) => 0,
            None => ready.min(block),
        };
        let read = Read {
            frames: taken,
            cut: self.silent_until.saturating_sub(self.time) as usize,
            faded_in: self.faded_in,
            begins_underrun: taken < block && self.underrun.is_none(),
        };
        self.take_others(read, block);
        self.end.frame_ring.read(0, self.time, &mut left[..taken], &mut right[..taken]);
        self.main.finish(read, left, right);
        self.faded_in = FADE.min(self.faded_in + taken);
        if read.begins_underrun {
            self.begin_underrun(taken, ready, block);
        }
        self.end.frame_ring.ask(self.time, block);
        self.time += block as u64;
    }

    /// Forgets what the last block sent to the other outputs.
    fn begin_block(&mut self) {
        self.others.iter_mut().flat_map(|(_, sound)| sound).for_each(Vec::clear);
    }

    /// The same for the outputs besides the main one.
    fn take_others(&mut self, read: Read, block: usize) {
        for (number, (output, [left, right])) in (1..).zip(&mut self.others) {
            let (start, room) = (left.len(), left.capacity().min(right.capacity()));
            // There is room for the whole block unless it is longer than any host asks for.
            let end = room.min(start + block);
            left.resize(end, 0.0);
            right.resize(end, 0.0);
            let (left, right) = (&mut left[start..], &mut right[start..]);
            let frames = read.frames.min(left.len());
            self.end.frame_ring.read(number, self.time, &mut left[..frames], &mut right[..frames]);
            output.finish(read, left, right);
        }
    }

    /// Frames that must be ready to end an underrun: the block, and half of what may be ready beyond
    /// it, so that the next underrun does not follow at once.
    fn enough(&self, block: usize) -> usize {
        block + self.end.frame_ring.depth.saturating_sub(block) / 2
    }

    fn end_underrun(&mut self) {
        if let Some(mut span) = self.underrun.take() {
            span.frames = self.time - span.at_frame;
            // When the queue is full, the underrun is only counted.
            let _ = self.end.underrun_spans.try_push(span);
        }
        self.shared.in_underrun.store(false, Relaxed);
        self.faded_in = 0;
    }

    fn begin_underrun(&mut self, taken: usize, ready: usize, block: usize) {
        self.underrun = Some(UnderrunSpan {
            at_frame: self.time + taken as u64,
            frames: 0,
            ring_depth: ready,
            block,
        });
        if !self.is_over() {
            self.shared.underruns.fetch_add(1, Relaxed);
            self.shared.in_underrun.store(true, Relaxed);
        }
    }

    /// Whether the stream has ended, so that missing frames are no underrun.
    fn is_over(&self) -> bool {
        self.shared.ended.load(Relaxed) || self.end.frame_ring.is_closed()
    }
}
