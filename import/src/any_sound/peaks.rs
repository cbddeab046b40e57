//! The peaks of the spectrum around a moment: frequency, level and phase of what sounds there.

use super::super::sound::Sound;
use myriad_measure::Complex;
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// What sounds at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) hertz: f64,
    pub(super) level: f64,
    /// At the moment, in turns of a cosine.
    pub(super) phase: f64,
}

/// A window: it rises and falls like one of Hann, but not always in the same time.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) samples: Range<usize>,
    /// In how many samples it rises.
    pub(super) rise: usize,
    /// The length of the Fourier transform.
    pub(super) size: usize,
}

/// Peaks below this share of the power of the loudest of a moment are left out.
const LEAST: f64 = 1e-10;

/// Peaks of a lower power are rounding errors of silence.
const SILENCE: f64 = 1e-18;

/// Further away than this there are no side lobes worth a look, in zeros of the window.
const REACH: f64 = 40.0;

impl Window {
    /// Whether it begins abruptly, at an onset.
    fn is_sharp(&self) -> bool {
        3 * self.rise < self.samples.len()
    }

    /// The weights of its samples.
    fn weights(&self) -> Vec<f64> {
        let length = self.samples.len();
        let rise = self.rise.clamp(1, length - 1);
        let weight = |n: usize| {
            let way = match n < rise {
                true => (n as f64 + 0.5) / rise as f64,
                false => (length as f64 - n as f64 - 0.5) / (length - rise) as f64,
            };
            0.5 - 0.5 * (PI * way).cos()
        };
        (0..length).map(weight).collect()
    }

    /// The highest side lobe at so many zeros from a peak, in decibels: that of a Hann window, or of one that
    /// begins abruptly.
    fn side_lobe_db(&self, zeros: f64) -> f64 {
        match self.is_sharp() {
            true => -16.0 - 20.0 * zeros.log10(),
            false => -28.0 - 60.0 * (zeros / 2.36).max(1.0).log10(),
        }
    }
}

/// The peaks within `hertz` around sample `moment`, lowest first.
pub(super) fn find(sound: &Sound, moment: f64, window: &Window, hertz: Range<f64>) -> Vec<Peak> {
    let Window { samples, size, .. } = window.clone();
    let weights = window.weights();
    // The phase of a peak is that at the centre of gravity of its window, which is sample 0 of the transform.
    let sum: f64 = weights.iter().sum();
    let moments: f64 = weights.iter().enumerate().map(|(n, weight)| n as f64 * weight).sum();
    let middle = ((moments / sum) as usize).min(weights.len() - 1);
    let part = &sound.samples[samples.clone()];
    // Without its mean, whose side lobes would be peaks.
    let mean =
        part.iter().zip(&weights).map(|(&x, weight)| weight * f64::from(x)).sum::<f64>() / sum;
    let mut input = vec![0.0; size];
    for (n, (&sample, weight)) in part.iter().zip(&weights).enumerate() {
        input[(n + size - middle) % size] = weight * (f64::from(sample) - mean);
    }
    let spectrum = myriad_measure::forward(&mut input);
    let powers: Vec<f64> = spectrum.iter().map(Complex::norm_sqr).collect();
    let bin = sound.rate / size as f64;
    // Bins from each zero of the window to the next.
    let zero = size as f64 / weights.len() as f64;
    let first = ((hertz.start / bin) as usize).max(1);
    let last = ((hertz.end / bin) as usize + 1).min(powers.len().saturating_sub(2));
    let own = own_tops(&powers, first..last + 1, zero, window);
    let scale = 4.0 / (size as f64 * weights.iter().map(|weight| weight * weight).sum::<f64>());
    let late = (moment - (samples.start + middle) as f64) / sound.rate;
    let mut peaks = Vec::with_capacity(own.len());
    for (index, &top) in own.iter().enumerate() {
        let offset = vertex([top - 1, top, top + 1].map(|k| powers[k].max(1e-30).ln()));
        let frequency = bin * (top as f64 + offset);
        if hertz.contains(&frequency) {
            let neighbours =
                [index.checked_sub(1).map(|before| own[before]), own.get(index + 1).copied()];
            let power: f64 = powers[around(&powers, top, neighbours, zero)].iter().sum();
            let phase = spectrum[top].arg() / TAU + frequency * late;
            peaks.push(Peak { hertz: frequency, level: (scale * power).sqrt(), phase });
        }
    }
    peaks
}

/// The bins at which the power is highest, without the side lobes of others. The spectrum of a click has no
/// peaks: where there are none for long at an onset, bins at equal distances take their place.
fn own_tops(powers: &[f64], bins: Range<usize>, zero: f64, window: &Window) -> Vec<usize> {
    let is_top = |&k: &usize| powers[k] > powers[k - 1] && powers[k] >= powers[k + 1];
    let tops: Vec<usize> = bins.clone().filter(is_top).collect();
    let loudest = powers[bins.clone()].iter().copied().fold(0.0, f64::max);
    let reach = (REACH * zero) as usize;
    let is_own = |&top: &usize| {
        let first = tops.partition_point(|&k| k + reach < top);
        let near = tops[first..].iter().take_while(|&&k| k < top + reach);
        let is_lobe_of = |&other: &usize| {
            let zeros = other.abs_diff(top) as f64 / zero;
            zeros > 1.5 && 10.0 * (powers[top] / powers[other]).log10() < window.side_lobe_db(zeros)
        };
        powers[top] > SILENCE.max(LEAST * loudest) && !near.into_iter().any(is_lobe_of)
    };
    if !window.is_sharp() {
        return tops.iter().copied().filter(is_own).collect();
    }
    let mut own: Vec<usize> = Vec::with_capacity(tops.len());
    let step = (2.0 * zero) as usize + 1;
    let mut last = bins.start;
    for top in tops.iter().copied().filter(is_own).chain([bins.end]) {
        if top > last + 3 * step {
            own.extend((last + step..top - step).step_by(step).filter(is_own));
        }
        own.extend((top < bins.end).then_some(top));
        last = top;
    }
    own
}

/// The bins whose power is that of a peak: from the valley before it to the one after it, but no further than
/// a sine reaches.
fn around(
    powers: &[f64],
    top: usize,
    [before, after]: [Option<usize>; 2],
    zero: f64,
) -> Range<usize> {
    let reach = (2.0 * zero) as usize + 1;
    let valley =
        |a: usize, b: usize| (a..=b).min_by(|&a, &b| powers[a].total_cmp(&powers[b])).unwrap_or(a);
    let low = before.map_or(0, |before| valley(before, top));
    let high = after.map_or(powers.len() - 1, |after| valley(top, after));
    low.max(top.saturating_sub(reach))..high.min(top + reach) + 1
}

/// How far the vertex of the parabola through three points is from the middle one, which is the highest.
fn vertex([a, b, c]: [f64; 3]) -> f64 {
    let bend = a - 2.0 * b + c;
    if bend < 0.0 { (0.5 * (a - c) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frequency, level and phase of two sines, in windows that rise slowly and at once.
    #[test]
    fn sines_are_measured() {
        let rate = 48_000.0;
        let sines = [(1_000.3, 0.5, 0.1), (1_407.0, 0.02, 0.7)];
        let wave = |n: usize| {
            let sine = |(hertz, level, phase): (f64, f64, f64)| {
                level * (TAU * (hertz * n as f64 / rate + phase)).cos()
            };
            sines.map(sine).iter().sum::<f64>() as f32
        };
        let sound = Sound::new(rate, (0..9_600).map(wave).collect()).unwrap();
        for (rise, late) in [(960, 0.0), (960, 300.0), (200, -100.0)] {
            let window = Window { samples: 2_000..3_920, rise, size: 4_096 };
            let moment = 2_960.0 + late;
            let found = find(&sound, moment, &window, 400.0..2_000.0);
            for (hertz, level, phase) in sines {
                let off = |peak: &&Peak| (peak.hertz - hertz).abs();
                let peak = found.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
                assert!(off(&peak) < 2.0, "{peak:?}");
                assert!((peak.level / level - 1.0).abs() < 0.1, "{peak:?}");
                let turns = peak.phase - phase - hertz * moment / rate;
                assert!((turns - turns.round()).abs() < 0.03, "{peak:?}: {turns}");
            }
            if rise == 960 {
                assert_eq!(found.len(), 2, "{found:?}");
            }
        }
    }
}
