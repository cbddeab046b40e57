//! Checks samples: not a number, above full scale, DC offset.

/// A device clips what is above this. The engine's output stays below -0.3 dBFS.
const FULL_SCALE: f32 = 1.0;

/// A mean of this, -40 dBFS, is a fault. Music has less than -60 dBFS below 1 Hz.
pub(super) const MOST_DC: f64 = 0.01;

/// The time constant of each of two one-pole low-pass filters in series, in seconds.
const DC_SECONDS: f64 = 0.3;

/// What is wrong with a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Flaw {
    NotANumber,
    /// Above full scale: its level.
    Clipped(f32),
    /// The mean.
    Dc(f64),
}

/// Checks single samples and their mean.
pub(in crate::soak) struct Levels {
    smoothing: f64,
    means: [[f64; 2]; 2],
    /// Whether the mean is too large now; this is reported once.
    off_centre: bool,
    /// The loudest sample since [`Self::take_peak`].
    peak: f32,
}

impl Levels {
    pub(super) fn new(rate: f64) -> Self {
        Self {
            smoothing: 1.0 - (-1.0 / (DC_SECONDS * rate)).exp(),
            means: [[0.0; 2]; 2],
            off_centre: false,
            peak: 0.0,
        }
    }

    /// Checks a frame. Samples that are not numbers are set to 0, so that they disturb no other check.
    pub(super) fn hear(&mut self, frame: &mut [f32; 2]) -> Option<Flaw> {
        let mut flaw = None;
        let mut furthest = 0.0f64;
        for (sample, [first, second]) in frame.iter_mut().zip(&mut self.means) {
            if !sample.is_finite() {
                *sample = 0.0;
                flaw = Some(Flaw::NotANumber);
            }
            let level = sample.abs();
            self.peak = self.peak.max(level);
            if level > FULL_SCALE && flaw.is_none() {
                flaw = Some(Flaw::Clipped(level));
            }
            *first += self.smoothing * (f64::from(*sample) - *first);
            *second += self.smoothing * (*first - *second);
            furthest = furthest.max(second.abs());
        }
        let off_centre = furthest > MOST_DC;
        if off_centre && !self.off_centre && flaw.is_none() {
            flaw = Some(Flaw::Dc(furthest));
        }
        // Hysteresis: it is reported again only after the mean was below half of the limit.
        let limit = if self.off_centre { 0.5 } else { 1.0 } * MOST_DC;
        self.off_centre = furthest > limit;
        flaw
    }

    /// The loudest sample since this was last asked.
    pub(in crate::soak) fn take_peak(&mut self) -> f32 {
        std::mem::take(&mut self.peak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    fn flaws(sound: impl Iterator<Item = f32>) -> Vec<Flaw> {
        let mut levels = Levels::new(RATE);
        sound
            .filter_map(|sample| levels.hear(&mut [sample, -0.1]))
            .filter(|flaw| !matches!(flaw, Flaw::Dc(_)))
            .collect()
    }

    #[test]
    fn single_samples_are_judged() {
        assert_eq!(flaws([0.0, 1.0, -1.0].into_iter()), []);
        assert_eq!(flaws([0.0, f32::NAN].into_iter()), [Flaw::NotANumber]);
        assert_eq!(flaws([f32::INFINITY].into_iter()), [Flaw::NotANumber]);
        assert_eq!(flaws([-1.5].into_iter()), [Flaw::Clipped(1.5)]);
    }

    #[test]
    fn an_offset_is_reported_once_and_a_low_note_is_none() {
        let said = |offset: f32, hertz: f64| {
            let mut levels = Levels::new(RATE);
            let tone = |i: usize| (i as f64 / RATE * hertz * std::f64::consts::TAU).sin() as f32;
            let sound = (0..480_000).map(|i| offset + 0.7 * tone(i));
            sound.filter_map(|sample| levels.hear(&mut [sample; 2])).count()
        };
        assert_eq!(said(0.02, 30.0), 1);
        assert_eq!(said(0.005, 30.0), 0);
        // The lowest note that the generator plays.
        assert_eq!(said(0.0, 16.35), 0);
    }
}
