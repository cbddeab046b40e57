//! Converts ticks to seconds and beats, through all tempo changes.

use midly::Timing;

/// The default tempo in microseconds for a quarter note: 120 beats a minute.
const DEFAULT_TEMPO: u32 = 500_000;

/// Tempo-synced modulation stays within this range; files with other tempos are played as they are.
const BPM_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// Seconds and beats at the current tick.
pub(crate) struct Clock {
    timing: Timing,
    tempo: u32,
    tick: u64,
    seconds: f64,
    beat: f64,
}

impl Clock {
    pub(crate) fn new(timing: Timing) -> Self {
        Self { timing, tempo: DEFAULT_TEMPO, tick: 0, seconds: 0.0, beat: 0.0 }
    }

    /// Advances to `tick`, which must not be earlier, and returns its time in seconds.
    pub(crate) fn advance(&mut self, tick: u64) -> f64 {
        let ticks = tick.saturating_sub(self.tick) as f64;
        let seconds = ticks * self.seconds_per_tick();
        self.tick = tick;
        self.seconds += seconds;
        self.beat += seconds / self.seconds_per_beat();
        self.seconds
    }

    pub(crate) fn set_tempo(&mut self, micros_per_beat: u32) {
        self.tempo = micros_per_beat;
    }

    /// The position in quarter notes.
    pub(crate) fn beat(&self) -> f64 {
        self.beat
    }

    pub(crate) fn bpm(&self) -> f32 {
        let bpm = 60.0 / self.seconds_per_beat();
        bpm.clamp(*BPM_RANGE.start(), *BPM_RANGE.end()) as f32
    }

    fn seconds_per_beat(&self) -> f64 {
        f64::from(self.tempo) * 1e-6
    }

    /// Ticks follow the tempo, except in files with SMPTE timing.
    fn seconds_per_tick(&self) -> f64 {
        match self.timing {
            Timing::Metrical(per_beat) => self.seconds_per_beat() / f64::from(per_beat.as_int()),
            Timing::Timecode(fps, per_frame) => {
                1.0 / (f64::from(fps.as_f32()) * f64::from(per_frame))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midly::Fps;

    #[test]
    fn tempo_changes_add_up() {
        let mut clock = Clock::new(Timing::Metrical(480.into()));
        assert_eq!(clock.advance(960), 1.0);
        clock.set_tempo(1_000_000);
        assert_eq!(clock.advance(1440), 2.0);
        assert_eq!(clock.beat(), 3.0);
        assert_eq!(clock.bpm(), 60.0);
    }

    #[test]
    fn smpte_timing_ignores_the_tempo() {
        let mut clock = Clock::new(Timing::Timecode(Fps::Fps25, 40));
        clock.set_tempo(1);
        assert!((clock.advance(1000) - 1.0).abs() < 1e-9);
    }
}
