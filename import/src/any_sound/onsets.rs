//! Onsets: moments at which something new begins, which no window of the analysis may reach across.

use super::super::sound::Sound;
use std::f64::consts::TAU;

/// Seconds from each moment that is looked at to the next, and the length of what is compared.
const STEP: f64 = 0.001;
const WINDOW: f64 = 0.006;

/// Two onsets are at least this far apart, in seconds.
const APART: f64 = 0.03;

/// The least rise of an onset, in decibels averaged over the bands that sound.
const LEAST_DB: f64 = 6.0;

/// Bands further below the loudest moment than this do not count, in decibels.
const FLOOR_DB: f64 = -65.0;

/// Bands of the comparison: edges in Hertz.
const EDGES: [f64; 9] = [0.0, 250.0, 500.0, 1_000.0, 2_000.0, 4_000.0, 7_000.0, 11_000.0, 16_000.0];

/// The times of onsets in samples, in order. The start of the sound is none.
pub(super) fn find(sound: &Sound) -> Vec<usize> {
    let length = ((WINDOW * sound.rate) as usize).max(16);
    let step = ((STEP * sound.rate) as usize).max(1);
    if sound.samples.len() < 2 * length {
        return Vec::new();
    }
    let starts: Vec<usize> = (0..=sound.samples.len() - length).step_by(step).collect();
    let powers = powers(sound, &starts, length);
    let loudest = powers.iter().flatten().copied().fold(1e-20, f64::max);
    let floor = loudest * 10.0_f64.powf(FLOOR_DB / 10.0);
    // From what ends at a moment to what begins there.
    let apart = length.div_ceil(step);
    let rises: Vec<f64> = (0..powers.len())
        .map(|at| match at.checked_sub(apart) {
            Some(before) => rise(&powers[before], &powers[at], floor),
            None => 0.0,
        })
        .collect();
    let near = (APART / STEP) as usize;
    let is_onset = |&at: &usize| {
        let around = &rises[at.saturating_sub(near)..(at + near + 1).min(rises.len())];
        rises[at] > LEAST_DB && around.iter().all(|&other| other <= rises[at])
    };
    let mut found: Vec<usize> = (1..rises.len()).filter(is_onset).map(|at| starts[at]).collect();
    found.dedup_by(|later, earlier| *later < *earlier + (APART * sound.rate) as usize);
    found
}

/// The power of each band in the `length` samples from each start on.
fn powers(sound: &Sound, starts: &[usize], length: usize) -> Vec<Vec<f64>> {
    let weights: Vec<f64> =
        (0..length).map(|n| 0.5 - 0.5 * (TAU * (n as f64 + 0.5) / length as f64).cos()).collect();
    let size = length.next_power_of_two();
    let bin = sound.rate / size as f64;
    let bands = |&start: &usize| {
        let mut input = vec![0.0; size];
        let part = sound.samples[start..start + length].iter().zip(&weights);
        input.iter_mut().zip(part).for_each(|(input, (&x, weight))| *input = weight * f64::from(x));
        let spectrum = myriad_measure::forward(&mut input);
        let power = |edges: &[f64]| {
            let [low, high] = [edges[0], edges[1]].map(|edge| (edge / bin).ceil() as usize);
            let [low, high] = [low, high.max(low + 1)].map(|end| end.min(spectrum.len()));
            spectrum[low..high].iter().map(|x| x.norm_sqr()).sum()
        };
        EDGES.windows(2).map(power).collect()
    };
    starts.iter().map(bands).collect()
}

/// By how many decibels bands rise, on average by their loudness afterwards.
fn rise(before: &[f64], after: &[f64], floor: f64) -> f64 {
    let (mut sum, mut weights) = (0.0, 1e-30);
    for (before, after) in before.iter().zip(after) {
        let weight = (after / floor).max(1.0).ln();
        sum += weight * (10.0 * ((after + floor) / (before + floor)).log10()).max(0.0);
        weights += weight;
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tones that begin are found when they begin; a steady tone, and one that swells, have no onset.
    #[test]
    fn beginnings_are_found() {
        let rate = 48_000.0;
        let sound = |level: &dyn Fn(f64) -> f64| {
            let wave = |n: usize| {
                let t = n as f64 / rate;
                (level(t) * ((TAU * 440.0 * t).sin() + (TAU * 3_100.0 * t).sin())) as f32
            };
            Sound::new(rate, (0..48_000).map(wave).collect()).unwrap()
        };
        let struck = sound(&|t| 0.3 * (-20.0 * (t - 0.1).rem_euclid(0.3)).exp());
        let found = find(&struck);
        assert_eq!(found.len(), 3, "{found:?}");
        for (onset, time) in found.iter().zip([0.1, 0.4, 0.7]) {
            let off = *onset as f64 / rate - time;
            assert!(off.abs() < 0.004, "{found:?}");
        }
        assert!(find(&sound(&|_| 0.3)).is_empty());
        assert!(find(&sound(&|t| 0.03 + 0.3 * t)).is_empty());
    }
}
