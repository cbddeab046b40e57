//! Level meters and spectrum of the output.

mod spectrum;

pub use spectrum::{BANDS, HIGHEST, LOWEST};

use myriad_measure::{Output, OutputTap};
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use spectrum::Spectrum;
use std::time::Instant;

/// The lowest level that is shown, in dBFS.
pub const FLOOR_DB: f32 = -72.0;

/// Release of the meters in decibels a second, and the time of peak hold.
const FALL: f32 = 26.0;
const HOLD_SECONDS: f32 = 1.6;

/// Analyses the frames of the callback.
pub struct Monitor {
    tap: HeapCons<[f32; 2]>,
    meters: [Level; 2],
    spectrum: Spectrum,
    last: Instant,
    /// The largest sample since [`take_peak`](Self::take_peak).
    peak: f32,
    /// The largest samples of left and right since [`take_peaks`](Self::take_peaks).
    peaks: [f32; 2],
    /// The latest frames, for a window.
    output: OutputTap,
    rate: f32,
}

/// One channel's meter, in dBFS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub now: f32,
    /// Peak hold.
    pub held: f32,
    /// Seconds since the peak.
    age: f32,
}

impl Level {
    pub const SILENT: Level = Level { now: FLOOR_DB, held: FLOOR_DB, age: 0.0 };

    fn advance(&mut self, peak: f32, seconds: f32) {
        let level = decibels(peak);
        self.now = level.max(self.now - FALL * seconds).max(FLOOR_DB);
        self.age += seconds;
        if level >= self.held {
            (self.held, self.age) = (level, 0.0);
        } else if self.age > HOLD_SECONDS {
            self.held = (self.held - FALL * seconds).max(self.now);
        }
    }
}

/// An amplitude in decibels, not below the floor.
pub fn decibels(amplitude: f32) -> f32 {
    (20.0 * amplitude.max(1e-9).log10()).max(FLOOR_DB)
}

impl Monitor {
    pub fn new(tap: HeapCons<[f32; 2]>, rate: u32) -> Self {
        Self {
            tap,
            meters: [Level::SILENT; 2],
            spectrum: Spectrum::new(rate as f32),
            last: Instant::now(),
            peak: 0.0,
            peaks: [0.0; 2],
            output: OutputTap::new(),
            rate: rate as f32,
        }
    }

    /// Reads the frames since the last update.
    pub fn update(&mut self) {
        let seconds = self.last.elapsed().as_secs_f32();
        self.last = Instant::now();
        let mut peaks = [0.0f32; 2];
        for frame in self.tap.pop_iter() {
            for (peak, sample) in peaks.iter_mut().zip(frame) {
                *peak = peak.max(sample.abs());
            }
            self.spectrum.push(0.5 * (frame[0] + frame[1]));
            self.output.write(&frame[..1], &frame[1..]);
        }
        for (meter, peak) in self.meters.iter_mut().zip(peaks) {
            meter.advance(peak, seconds);
        }
        self.peak = self.peak.max(peaks[0]).max(peaks[1]);
        self.peaks = [0, 1].map(|side| self.peaks[side].max(peaks[side]));
        self.spectrum.update(seconds);
    }

    pub fn meters(&self) -> [Level; 2] {
        self.meters
    }

    /// Copies the latest frames.
    pub fn output(&self, into: &mut Output) {
        self.output.read(into);
        into.sample_rate = self.rate;
    }

    /// Levels of bands in decibels, evenly spaced by octaves.
    pub fn bands(&self) -> &[f32; BANDS] {
        self.spectrum.bands()
    }

    /// The largest samples of left and right since the last call.
    pub fn take_peaks(&mut self) -> [f32; 2] {
        std::mem::take(&mut self.peaks)
    }

    /// The largest sample since the last call, in dBFS.
    pub fn take_peak(&mut self) -> f32 {
        decibels(std::mem::take(&mut self.peak))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_held_and_then_falls() {
        let mut level = Level::SILENT;
        level.advance(1.0, 0.02);
        assert_eq!((level.now, level.held), (0.0, 0.0));
        level.advance(0.0, 0.5);
        assert_eq!((level.now, level.held), (-13.0, 0.0));
        for _ in 0..200 {
            level.advance(0.0, 0.1);
        }
        assert_eq!((level.now, level.held), (FLOOR_DB, FLOOR_DB));
    }
}
