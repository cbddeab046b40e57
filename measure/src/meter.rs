//! Peak and loudness of a stereo stream, in memory of fixed size.

use ebur128::{EbuR128, Mode};

/// Peak and loudness of what was added.
pub struct Meter {
    /// None at sample rates that the standard does not support.
    loudness: Option<EbuR128>,
    peak: f32,
}

impl Meter {
    /// A meter that has heard nothing.
    pub fn new(sample_rate: u32) -> Self {
        // The histogram has a fixed size; the default is a list of all blocks.
        let mode = Mode::I | Mode::HISTOGRAM;
        Self { loudness: EbuR128::new(2, sample_rate, mode).ok(), peak: 0.0 }
    }

    /// Takes the next samples of both channels.
    pub fn add(&mut self, block: [&[f32]; 2]) {
        for channel in block {
            self.peak = channel.iter().fold(self.peak, |peak, x| peak.max(x.abs()));
        }
        if let Some(loudness) = &mut self.loudness {
            // Fails only when the channels do not match in number or length.
            let _ = loudness.add_frames_planar_f32(&block);
        }
    }

    /// The largest sample in dBFS; none for silence.
    pub fn peak_dbfs(&self) -> Option<f64> {
        (self.peak > 0.0).then(|| 20.0 * f64::from(self.peak).log10())
    }

    /// Integrated loudness after EBU R 128; none for silence and for less than 0.4 seconds.
    pub fn loudness_lufs(&self) -> Option<f64> {
        let loudness = self.loudness.as_ref()?.loudness_global().ok()?;
        loudness.is_finite().then_some(loudness)
    }
}

/// The loudness of the loudest half second of stereo sound, after EBU R 128; -70 LUFS where it is silent.
/// A rest shorter than half a second does not count.
pub fn loudest_half_second(sound: [&[f32]; 2], sample_rate: u32) -> f64 {
    let half = sample_rate as usize / 2;
    let [left, right] = sound.map(|side| side.chunks_exact(half));
    let loudness = left.zip(right).map(|(left, right)| {
        let mut meter = Meter::new(sample_rate);
        meter.add([left, right]);
        meter.loudness_lufs().unwrap_or(-70.0)
    });
    loudness.fold(-70.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EBU Tech 3341, case 1: a stereo sine of 1 kHz at -23 dBFS reads -23 LUFS.
    #[test]
    fn ebu_tech_3341_case_1() {
        let level = 10f32.powf(-23.0 / 20.0);
        let tone: Vec<f32> = (0..48_000 * 5)
            .map(|n| level * (std::f32::consts::TAU * (n % 48) as f32 / 48.0).sin())
            .collect();
        let mut meter = Meter::new(48_000);
        for block in tone.chunks(1000) {
            meter.add([block, block]);
        }
        assert!((meter.loudness_lufs().unwrap() + 23.0).abs() < 0.1);
        assert!((meter.peak_dbfs().unwrap() + 23.0).abs() < 0.01);
    }

    #[test]
    fn silence_has_no_level() {
        let mut meter = Meter::new(8000);
        meter.add([&[0.0; 8000], &[0.0; 8000]]);
        assert_eq!((meter.peak_dbfs(), meter.loudness_lufs()), (None, None));
    }
}
