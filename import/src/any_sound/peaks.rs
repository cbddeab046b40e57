//! The peaks of the spectrum around a moment: frequency, level and phase of what sounds there.

use super::super::sound::Sound;
use myriad_measure::Complex;
use std::f64::consts::TAU;
use std::ops::Range;

/// What sounds at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    pub(super) hertz: f64,
    pub(super) level: f64,
    /// At the moment, in turns of a cosine.
    pub(super) phase: f64,
}

/// Peaks below this share of the loudest of a moment are left out.
const LEAST: f64 = 1e-5;

/// The side lobes of a Hann window: none is above this curve, in decibels, at so many zeros from the peak.
fn side_lobe_db(zeros: f64) -> f64 {
    -28.0 - 60.0 * (zeros / 2.36).max(1.0).log10()
}

/// The peaks within `hertz` around sample `moment`, found in the samples of `window`.
pub(super) fn find(
    sound: &Sound,
    moment: f64,
    window: Range<usize>,
    rise: usize,
    size: usize,
    hertz: Range<f64>,
) -> Vec<Peak> {
    let length = window.len();
    let rise = rise.clamp(1, length - 1);
    let is_sharp = rise < length / 3;
    let weight = |n: usize| {
        let way = match n < rise {
            true => (n as f64 + 0.5) / rise as f64,
            false => (length as f64 - n as f64 - 0.5) / (length - rise) as f64,
        };
        0.5 - 0.5 * (0.5 * TAU * way).cos()
    };
    let (mut sum, mut moments) = (0.0, 0.0);
    for n in 0..length {
        sum += weight(n);
        moments += weight(n) * n as f64;
    }
    let middle = ((moments / sum) as usize).min(length - 1);
    let mut input = vec![0.0; size];
    let mut weights = 0.0;
    for (n, &sample) in sound.samples[window.clone()].iter().enumerate() {
        let weight = weight(n);
        weights += weight * weight;
        // The middle of the window is sample 0, so that phases are those of the middle.
        input[(n + size - middle) % size] = weight * f64::from(sample);
    }
    let spectrum = myriad_measure::forward(&mut input);
    let powers: Vec<f64> = spectrum.iter().map(Complex::norm_sqr).collect();
    let bin = sound.rate / size as f64;
    let inside = ((hertz.start / bin) as usize).max(1)..((hertz.end / bin) as usize + 2).min(powers.len() - 1);
    if inside.is_empty() {
        return Vec::new();
    }
    let tops: Vec<usize> = inside
        .clone()
        .filter(|&k| powers[k] > powers[k - 1] && powers[k] >= powers[k + 1])
        .collect();
    let loudest = tops.iter().map(|&k| powers[k]).fold(0.0, f64::max);
    // Zeros of the window are this many bins apart.
    let zero = size as f64 / length as f64;
    let is_own = |&top: &usize| {
        if powers[top] < LEAST * LEAST * loudest || powers[top] < 1e-18 {
            return false;
        }
        let reach = (40.0 * zero) as usize;
        let first = tops.partition_point(|&k| k + reach < top);
        let others = tops[first..].iter().take_while(|&&k| k < top + reach);
        !others.into_iter().any(|&other| {
            let zeros = other.abs_diff(top) as f64 / zero;
            let above = 10.0 * (powers[top] / powers[other]).log10();
            zeros > 1.5 && above < if is_sharp { -16.0 - 20.0 * zeros.log10() } else { side_lobe_db(zeros) }
        })
    };
    let own: Vec<usize> = tops.iter().copied().filter(is_own).collect();
    let scale = 4.0 / (size as f64 * weights);
    let late = moment - (window.start + middle) as f64;
    let mut peaks = Vec::with_capacity(own.len());
    for (index, &top) in own.iter().enumerate() {
        // All power from the valley before it to the one after it is this peak's.
        let valley = |a: usize, b: usize| {
            (a..=b).min_by(|&a, &b| powers[a].total_cmp(&powers[b])).unwrap_or(a)
        };
        let reach = (2.0 * zero) as usize + 1;
        let low = match index {
            0 => top.saturating_sub(reach),
            _ => valley(own[index - 1], top).max(top.saturating_sub(reach)),
        };
        let high = match own.get(index + 1) {
            None => (top + reach).min(powers.len() - 1),
            Some(&next) => valley(top, next).min(top + reach),
        };
        let power: f64 = powers[low..=high].iter().sum();
        let [a, b, c] = [top - 1, top, top + 1].map(|k| powers[k].max(1e-30).ln());
        let bend = a - 2.0 * b + c;
        let offset = if bend < 0.0 { (0.5 * (a - c) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        let frequency = bin * (top as f64 + offset);
        if hertz.contains(&frequency) {
            let phase = spectrum[top].arg() / TAU + frequency * late / sound.rate;
            peaks.push(Peak { hertz: frequency, level: (scale * power).sqrt(), phase });
        }
    }
    peaks
}
