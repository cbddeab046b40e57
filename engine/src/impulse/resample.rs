//! Brings an impulse response to another sample rate: a windowed sinc.

use std::f64::consts::PI;

/// Zero crossings of the sinc on each side.
const HALF: usize = 32;
/// Positions between two samples that weights are computed for; between them they are interpolated.
const PHASES: usize = 512;

/// The response at rate `to`. Its frequency response stays the same: so its samples become smaller when there are more.
pub(super) fn resample(samples: &[f32], from: f32, to: f32) -> Vec<f32> {
    if from == to {
        return samples.to_vec();
    }
    let (from, to) = (f64::from(from), f64::from(to));
    // Relative to the input's rate: below the lower of the two Nyquist frequencies.
    let band = (to / from).min(1.0) * 0.97;
    let reach = (HALF as f64 / band).ceil() as usize;
    let window = |x: f64| 0.42 + 0.5 * (PI * x).cos() + 0.08 * (2.0 * PI * x).cos();
    let weight = |tap: usize, phase: usize| {
        let x = band * (tap as f64 - (reach - 1) as f64 - phase as f64 / PHASES as f64);
        let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        (band * from / to * sinc * window((x.abs() / HALF as f64).min(1.0))) as f32
    };
    let row = |phase: usize| (0..2 * reach).map(|tap| weight(tap, phase)).collect::<Vec<f32>>();
    let rows: Vec<Vec<f32>> = (0..=PHASES).map(row).collect();
    let mut padded = vec![0.0; reach - 1];
    padded.extend(samples);
    padded.resize(padded.len() + 2 * reach, 0.0);
    let at = |frame: usize| {
        let centre = frame as f64 * from / to;
        let phase = centre.fract() * PHASES as f64;
        let [low, high] = [&rows[phase as usize], &rows[phase as usize + 1]];
        let share = phase.fract() as f32;
        let taps = padded[centre as usize..].iter().zip(low).zip(high);
        taps.map(|((sample, low), high)| sample * (low + (high - low) * share)).sum()
    };
    (0..(samples.len() as f64 * to / from).ceil() as usize).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tones keep their level and their time at every rate; the sum of the samples times their distance stays.
    #[test]
    fn a_response_keeps_its_frequency_response() {
        let from = 48_000.0;
        let tone = |hertz: f64, rate: f32, frame: usize| {
            let seconds = frame as f64 / f64::from(rate);
            // A burst with soft ends.
            let envelope = (PI * (seconds / 0.1).clamp(0.0, 1.0)).sin().powi(2);
            (envelope * (2.0 * PI * hertz * seconds).sin()) as f32
        };
        for to in [44_100.0, 32_000.0, 96_000.0, 88_200.0] {
            for hertz in [100.0, 3_000.0, 13_000.0] {
                let samples: Vec<f32> = (0..4_800).map(|frame| tone(hertz, from, frame)).collect();
                let resampled = resample(&samples, from, to);
                let scale = from / to;
                let error = |frame: usize| resampled[frame] - scale * tone(hertz, to, frame);
                let worst = (0..resampled.len()).map(error).fold(0.0_f32, |a, b| a.max(b.abs()));
                assert!(worst < 1e-3 * scale, "{hertz} Hz at {to}: {worst}");
            }
        }
    }
}
