//! The audio side: what lives in the audio callback.

use super::events::TimedEvent;
use super::frame_ring::{AudioEnd, Restart};
use super::status::Shared;
use super::underrun::Starvation;
use myriad_engine::Counters;
use myriad_engine::Event;
use myriad_engine::Values;
use myriad_engine::dsp::{FADE, continue_sound, fade_in};
use ringbuf::traits::Producer;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Takes frames and hands in events. Owns no lock, and frees nothing until it is dropped.
pub struct AudioSide {
    end: AudioEnd,
    shared: Arc<Shared>,
    latency: usize,
    /// Frames asked for so far: the stream's time.
    time: u64,
    /// The end of what was last heard, left and right: a sound that breaks off is continued from
    /// it.
    heard: [[f32; FADE]; 2],
    /// How the sound would have gone on after it broke off, and how much of that was played.
    tail: [[f32; FADE]; 2],
    tail_at: usize,
    /// How far the sound has come back, 0 to [`FADE`].
    back: usize,
    /// Frames before this time are of a sound that was cut off.
    silent_until: u64,
    /// The underrun that is going on.
    starving: Option<Starvation>,
    /// The clock by which waiting ends.
    now: fn() -> Instant,
}

impl AudioSide {
    pub(super) fn new(end: AudioEnd, time: u64, latency: usize, shared: Arc<Shared>) -> Self {
        Self {
            end,
            shared,
            latency,
            time,
            heard: [[0.0; FADE]; 2],
            tail: [[0.0; FADE]; 2],
            tail_at: FADE,
            back: FADE,
            silent_until: time,
            starving: None,
            now: Instant::now,
        }
    }

    /// Waits by another clock, for tests that must not depend on how busy a machine is.
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
        self.shared.counters()
    }

    /// The time from which on nothing is heard; none as long as what is rendered sounds.
    pub fn sounds_until(&self) -> Option<u64> {
        match self.shared.sounding.until()? {
            // There has never been any.
            0 => Some(0),
            // What has been rendered is heard a depth later.
            time => Some(time + self.end.frame_ring.depth as u64),
        }
    }

    /// Frames until all would be silent, when every key and pedal is let go now; none when that
    /// would never be.
    pub fn tail(&self) -> Option<usize> {
        // Keys that are let go now are rendered a depth later.
        Some(self.shared.sounding.tail()? + self.end.frame_ring.depth)
    }

    /// The keys that sound in a part, a bit each, of what has been rendered so far.
    pub fn keys(&self, part: usize) -> u128 {
        self.shared.sounding.keys(part)
    }

    /// The share of its time that the last batch took to render.
    pub fn load(&self) -> f32 {
        self.shared.load()
    }

    /// Underruns since the start.
    pub fn underruns(&self) -> u64 {
        self.shared.underruns.load(Relaxed)
    }

    /// Begins anew: the sound is cut off, and the next frame is that of an engine whose part
    /// `part` has these values and has never played. Never allocates, locks or waits.
    pub fn restart(&mut self, part: usize, values: &Values) {
        let restart = Restart {
            time: self.time,
            part,
            values: values.clone(),
        };
        // It owns no memory, so nothing is freed when it replaces an earlier one.
        self.end.restarts.force_push(restart);
        self.silent_until = self.time + self.end.frame_ring.depth as u64;
        self.heard = [[0.0; FADE]; 2];
        (self.tail_at, self.back) = (FADE, FADE);
        self.starving = None;
        self.shared.starving.store(false, Relaxed);
    }

    /// Fills `left` and `right` with the next frames. Events are in the order of their frames,
    /// which lie within this block; later ones count as its last frame. Blocks may have any
    /// length; those longer than the stream's depth end in a fade, since their frames cannot have
    /// been rendered.
    ///
    /// Never allocates, locks, waits or fails: what is missing is faded over and counted.
    ///
    /// # Panics
    /// When `left` and `right` differ in length.
    pub fn process(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        assert_eq!(left.len(), right.len(), "left and right are of one length");
        if left.is_empty() {
            return;
        }
        self.hand_in(events, 0, left.len());
        self.take(left, right);
    }

    /// The same for callers that nobody listens to, such as a bounce: waits for frames that are
    /// not ready, so that the result is that of real time, sample for sample. Not for an audio
    /// thread that must be on time.
    ///
    /// When the render thread gives no frame for as long as `patience`, goes on like `process`.
    ///
    /// # Panics
    /// When `left` and `right` differ in length.
    pub fn process_waiting(
        &mut self,
        events: &[Event],
        left: &mut [f32],
        right: &mut [f32],
        patience: Duration,
    ) {
        assert_eq!(left.len(), right.len(), "left and right are of one length");
        let (mut events, mut at, frames) = (events, 0, left.len());
        // No more at once than can be ready.
        let depth = self.end.frame_ring.depth;
        for (left, right) in left.chunks_mut(depth).zip(right.chunks_mut(depth)) {
            let end = at + left.len();
            let due = events.partition_point(|event| (event.frame as usize) < end || end == frames);
            let (now, later) = events.split_at(due);
            self.hand_in(now, at, left.len());
            self.wait_for(left.len(), patience);
            self.take(left, right);
            (events, at) = (later, end);
        }
    }

    /// Waits until a block of `frames` frames can be taken.
    fn wait_for(&self, frames: usize, patience: Duration) {
        let wanted = match self.starving {
            Some(_) => self.time + self.enough(frames) as u64,
            None => self.time + frames as u64,
        };
        let give_up = (self.now)() + patience;
        while self.end.frame_ring.written() < wanted && !self.is_over() && (self.now)() < give_up {
            self.shared.wake();
            std::thread::sleep(Duration::from_micros(20));
        }
    }

    /// Queues the events of a block that begins `start` frames after the events' zero.
    fn hand_in(&mut self, events: &[Event], start: usize, frames: usize) {
        for &event in events {
            let frame = (event.frame as usize).saturating_sub(start).min(frames - 1);
            let timed = TimedEvent {
                time: self.time + frame as u64,
                event,
            };
            if !self.end.events.push(timed) {
                self.shared.events_refused.fetch_add(1, Relaxed);
            }
        }
    }

    /// Takes the block's frames, or fades over what is missing.
    fn take(&mut self, left: &mut [f32], right: &mut [f32]) {
        let block = left.len();
        // What was cut off is silence, and need not be waited for.
        let written = self.end.frame_ring.written().max(self.silent_until);
        let ready = written.saturating_sub(self.time) as usize;
        if self.starving.is_some() && ready >= self.enough(block) {
            self.recover();
        }
        let taken = match self.starving {
            Some(_) => 0,
            None => ready.min(block),
        };
        self.end
            .frame_ring
            .read(self.time, &mut left[..taken], &mut right[..taken]);
        let cut = self.silent_until.saturating_sub(self.time) as usize;
        left[..cut.min(taken)].fill(0.0);
        right[..cut.min(taken)].fill(0.0);
        self.come_back(&mut left[..taken], &mut right[..taken]);
        self.remember(&left[..taken], &right[..taken]);
        if taken < block {
            if self.starving.is_none() {
                self.break_off(taken, ready, block);
            }
            let (left, right) = (&mut left[taken..], &mut right[taken..]);
            left.fill(0.0);
            right.fill(0.0);
            self.add_tail(left, right);
            self.remember(left, right);
        }
        self.end.frame_ring.ask(self.time, block);
        self.time += block as u64;
    }

    /// Frames that must be ready before sound comes back: all of the block, and half of what may
    /// be ready beyond it, so that it does not break off again at once.
    fn enough(&self, block: usize) -> usize {
        block + self.end.frame_ring.depth.saturating_sub(block) / 2
    }

    fn recover(&mut self) {
        if let Some(mut starvation) = self.starving.take() {
            starvation.frames = self.time - starvation.at_frame;
            // When nobody looks at them, they are only counted.
            let _ = self.end.starvations.try_push(starvation);
        }
        self.shared.starving.store(false, Relaxed);
        self.back = 0;
    }

    fn break_off(&mut self, taken: usize, ready: usize, block: usize) {
        for (heard, tail) in self.heard.iter().zip(&mut self.tail) {
            continue_sound(heard, tail);
        }
        self.tail_at = 0;
        self.starving = Some(Starvation {
            at_frame: self.time + taken as u64,
            frames: 0,
            ring_depth: ready,
            block,
        });
        if !self.is_over() {
            self.shared.underruns.fetch_add(1, Relaxed);
            self.shared.starving.store(true, Relaxed);
        }
    }

    /// Whether no more frames will come: that is no underrun.
    fn is_over(&self) -> bool {
        self.shared.ended.load(Relaxed) || self.end.frame_ring.is_closed()
    }

    /// Fades in what was taken, over the tail of what broke off.
    fn come_back(&mut self, left: &mut [f32], right: &mut [f32]) {
        if self.back < FADE {
            for (left, right) in left.iter_mut().zip(right.iter_mut()).take(FADE - self.back) {
                let gain = fade_in(self.back);
                *left *= gain;
                *right *= gain;
                self.back += 1;
            }
        }
        self.add_tail(left, right);
    }

    fn add_tail(&mut self, left: &mut [f32], right: &mut [f32]) {
        let frames = left.len().min(FADE - self.tail_at);
        for (left, right) in left.iter_mut().zip(right).take(frames) {
            let gain = 1.0 - fade_in(self.tail_at);
            *left += self.tail[0][self.tail_at] * gain;
            *right += self.tail[1][self.tail_at] * gain;
            self.tail_at += 1;
        }
    }

    fn remember(&mut self, left: &[f32], right: &[f32]) {
        for (heard, samples) in self.heard.iter_mut().zip([left, right]) {
            let new = &samples[samples.len().saturating_sub(FADE)..];
            heard.copy_within(new.len().., 0);
            heard[FADE - new.len()..].copy_from_slice(new);
        }
    }
}
