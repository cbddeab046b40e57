//! The audio callback that all devices share: events in, frames out, at the device's own rate.
//!
//! It runs on audio threads, so it never allocates, locks or logs, and waits only for devices that do
//! not run in real time.

use super::resampler::Resampler;
use crate::midi::gesture::Gesture;
use myriad_engine::{BoundedEvents, Event};
use myriad_live::stream::AudioSide;
use ringbuf::traits::{Consumer, Producer};
use ringbuf::{HeapCons, HeapProd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The most events of one block; further gestures wait for the next block.
const MAX_EVENTS: usize = 4_096;

/// How long a device that does not run in real time waits for frames.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Counters that the callback writes and other threads read.
#[derive(Default)]
pub struct CallbackCounters {
    /// Frames that the engine was asked for.
    pub frames: AtomicU64,
    /// The largest block that a device has asked for.
    pub largest_block: AtomicUsize,
    /// Frames that did not fit into the recorder's ring buffer.
    pub unrecorded: AtomicU64,
    /// Events of a device's own MIDI input that were dropped because the block was full of events.
    pub events_refused: AtomicU64,
}

/// Takes frames from the engine to the device, the meters and the recorder.
pub struct AudioCallback {
    audio: AudioSide,
    gestures: HeapCons<Gesture>,
    counters: Arc<CallbackCounters>,
    /// Frames for the meters; those that do not fit are dropped.
    tap: HeapProd<[f32; 2]>,
    /// Frames for the recorder.
    record_ring: Option<HeapProd<[f32; 2]>>,
    resampler: Option<Resampler>,
    /// The engine's frames a second.
    rate: u32,
    /// The device's frames a second.
    device_rate: u32,
    /// Whether [`fill`](Self::fill) waits for frames that are not ready.
    waits: bool,
    /// Events of the coming block, sorted by frame.
    events: BoundedEvents<Vec<Event>>,
    /// When the last block began; the times of gestures are relative to it.
    last_block: Option<Instant>,
}

impl AudioCallback {
    pub fn new(
        audio: AudioSide,
        rate: u32,
        gestures: HeapCons<Gesture>,
        tap: HeapProd<[f32; 2]>,
        record_ring: Option<HeapProd<[f32; 2]>>,
    ) -> Self {
        Self {
            audio,
            gestures,
            counters: Arc::default(),
            tap,
            record_ring,
            resampler: None,
            rate,
            device_rate: rate,
            waits: false,
            events: BoundedEvents::with_capacity(MAX_EVENTS),
            last_block: None,
        }
    }

    pub fn counters(&self) -> Arc<CallbackCounters> {
        Arc::clone(&self.counters)
    }

    /// Prepares for another device, with a stream connected for its block size. Allocates, so it must
    /// not run in a callback.
    pub fn move_to(&mut self, audio: AudioSide, device_rate: u32) {
        self.audio = audio;
        self.set_device_rate(device_rate);
        self.counters.largest_block.store(0, Ordering::Relaxed);
    }

    /// Sets the device's sample rate. Allocates, so it must not run in a callback.
    pub fn set_device_rate(&mut self, device_rate: u32) {
        self.device_rate = device_rate;
        self.waits = false;
        self.last_block = None;
        self.resampler = (device_rate != self.rate).then(|| Resampler::new(self.rate, device_rate));
    }

    /// Sets whether blocks wait for their frames instead of skipping them, for devices that do not run in
    /// real time, such as a freewheeling JACK server.
    pub fn set_waits(&mut self, waits: bool) {
        self.waits = waits;
    }

    /// Frames of the device from an event to its sound.
    pub fn latency(&self) -> usize {
        match &self.resampler {
            None => self.audio.latency(),
            Some(resampler) => {
                let frames = self.audio.latency() as f64 * f64::from(self.device_rate);
                (frames / f64::from(self.rate)) as usize + resampler.delay()
            }
        }
    }

    /// Adds an event at a frame of the coming block; it is dropped when the block is full of events.
    pub fn push(&mut self, event: Event) {
        if !self.events.push(event) {
            self.counters.events_refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        // Insertion sort: stable, and fast because most events come in order.
        let events = self.events.store_mut();
        let mut at = events.len() - 1;
        while at > 0 && events[at - 1].frame > event.frame {
            events.swap(at - 1, at);
            at -= 1;
        }
    }

    /// Fills a block of the device.
    pub fn fill(&mut self, left: &mut [f32], right: &mut [f32]) {
        let frames = left.len();
        if frames == 0 {
            return;
        }
        self.counters.largest_block.fetch_max(frames, Ordering::Relaxed);
        self.pick_up_gestures(frames);
        if self.resampler.is_none() {
            self.render(self.events.store().len(), left, right);
        } else {
            self.resample(left, right);
        }
    }

    /// Moves gestures made since the last block began into this block, at the same offset. Their latency
    /// is then always one period, instead of jittering by up to a block.
    fn pick_up_gestures(&mut self, frames: usize) {
        let now = Instant::now();
        let began = self.last_block.replace(now).unwrap_or(now);
        while self.events.has_room()
            && let Some(Gesture { time, event }) = self.gestures.try_pop()
        {
            let after = time.saturating_duration_since(began).as_secs_f64();
            let frame = (after * f64::from(self.device_rate)) as usize;
            let frame = frame.min(frames - 1) as u32;
            self.push(Event { frame, ..event });
        }
    }

    fn resample(&mut self, left: &mut [f32], right: &mut [f32]) {
        // Taken out, so that `self` can be borrowed in the loop.
        let Some(mut resampler) = self.resampler.take() else {
            return;
        };
        let mut done = 0;
        loop {
            done += resampler.take(&mut left[done..], &mut right[done..]);
            if done == left.len() {
                break;
            }
            let [input_left, input_right] = resampler.input();
            let count = self.convert_events(done, Resampler::CHUNK, input_left.len());
            self.render(count, input_left, input_right);
            resampler.run();
        }
        // Events within frames that are already rendered go to the first frame of the next block.
        for event in self.events.store_mut() {
            event.frame = 0;
        }
        self.resampler = Some(resampler);
    }

    /// Converts the frames of events before device frame `from + length` to the engine's next `frames`
    /// frames; returns how many there are.
    fn convert_events(&mut self, from: usize, length: usize, frames: usize) -> usize {
        let mut count = 0;
        for event in self.events.store_mut() {
            let frame = event.frame as usize;
            if frame >= from + length {
                break;
            }
            event.frame = (frame.saturating_sub(from) * frames / length) as u32;
            count += 1;
        }
        count
    }

    /// Renders with the first `count` events.
    fn render(&mut self, count: usize, left: &mut [f32], right: &mut [f32]) {
        let events = self.events.store_mut();
        match self.waits {
            false => self.audio.process(&events[..count], left, right),
            true => {
                self.audio.process_waiting(&events[..count], left, right, TIMEOUT);
            }
        }
        events.drain(..count);
        let frames = || left.iter().zip(right.iter()).map(|(&l, &r)| [l, r]);
        self.tap.push_iter(frames());
        if let Some(record_ring) = &mut self.record_ring {
            let missed = left.len() - record_ring.push_iter(frames());
            self.counters.unrecorded.fetch_add(missed as u64, Ordering::Relaxed);
        }
        self.counters.frames.fetch_add(left.len() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
