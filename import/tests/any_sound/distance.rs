//! How far a sound is from another: in its spectrum, and in the times of its onsets.

use crate::RATE;
use std::f64::consts::TAU;

/// The windows of the spectral distance, in samples: both short and long ones, because each alone is blind to
/// what smears in the other direction.
const WINDOWS: [usize; 2] = [512, 2_048];

/// Levels below this, in decibels of the loudest of the source, count as this one.
const FLOOR_DB: f64 = -80.0;

/// Levels in decibels of each moment and bin, of a sound that is `slower` times as long as the source.
fn spectrogram(samples: &[f32], window: usize, slower: f64) -> Vec<Vec<f64>> {
    let step = slower * (window / 4) as f64;
    let middles = (2..).map(|n| (n as f64 * step) as usize);
    let starts = middles.map(|middle| middle.saturating_sub(window / 2));
    let starts = starts.take_while(|start| start + window <= samples.len());
    let weight = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / window as f64).cos();
    let moment = |start: usize| {
        let mut input: Vec<f64> = samples[start..start + window]
            .iter()
            .enumerate()
            .map(|(n, &x)| weight(n) * f64::from(x))
            .collect();
        let spectrum = myriad_measure::forward(&mut input);
        // Up to 16 kHz.
        let end = window * 16_000 / RATE;
        spectrum[1..end].iter().map(|x| 10.0 * x.norm_sqr().max(1e-20).log10()).collect()
    };
    starts.map(moment).collect()
}

/// The log-spectral distance in decibels of a sound that is `slower` times as long as the source: the root
/// mean square over bins, averaged over moments in which either sounds, and over the windows.
pub(crate) fn spectral(source: &[f32], heard: &[f32], slower: f64) -> f64 {
    let with = |window: usize| {
        let source = spectrogram(source, window, 1.0);
        let heard = spectrogram(heard, window, slower);
        let loudest = source.iter().flatten().fold(-200.0, |top: f64, &x| top.max(x));
        let floor = loudest + FLOOR_DB;
        let (mut sum, mut count) = (0.0, 0);
        for (a, b) in source.iter().zip(&heard) {
            let sounds = |levels: &[f64]| levels.iter().any(|&x| x > floor);
            if sounds(a) || sounds(b) {
                let square = |(a, b): (&f64, &f64)| (a.max(floor) - b.max(floor)).powi(2);
                let squares: f64 = a.iter().zip(b).map(square).sum();
                sum += (squares / a.len() as f64).sqrt();
                count += 1;
            }
        }
        sum / f64::from(count.max(1))
    };
    WINDOWS.map(with).iter().sum::<f64>() / WINDOWS.len() as f64
}

/// The times of onsets in seconds: where the levels of bands rise most, measured each millisecond.
pub(crate) fn onsets(samples: &[f32]) -> Vec<f64> {
    const APART: usize = 50;
    const LEAST_DB: f64 = 8.0;
    let rises = rises(samples);
    let is_onset = |&at: &usize| {
        let around = &rises[at.saturating_sub(APART)..(at + APART + 1).min(rises.len())];
        rises[at] > LEAST_DB && around.iter().all(|&x| x <= rises[at])
    };
    (0..rises.len()).filter(is_onset).map(|at| at as f64 / 1_000.0).collect()
}

/// How many decibels the bands of a moment are above those of the one before it, on average over those that
/// are within 50 dB of the loudest; each millisecond.
fn rises(samples: &[f32]) -> Vec<f64> {
    /// More than two periods of a voice.
    const WINDOW: usize = 960;
    const EDGES: [usize; 9] = [1, 4, 8, 16, 32, 64, 128, 200, 320];
    let step = RATE / 1_000;
    let silence = vec![0.0; WINDOW];
    let padded: Vec<f32> = silence.iter().chain(samples).chain(&silence).copied().collect();
    let bands = |start: usize| -> Vec<f64> {
        let weight = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / WINDOW as f64).cos();
        let part = padded[start..start + WINDOW].iter().enumerate();
        let mut input: Vec<f64> = part.map(|(n, &x)| weight(n) * f64::from(x)).collect();
        let spectrum = myriad_measure::forward(&mut input);
        let band =
            |edges: &[usize]| spectrum[edges[0]..edges[1]].iter().map(|x| x.norm_sqr()).sum();
        EDGES.windows(2).map(band).collect()
    };
    let moments = samples.len() / step;
    let powers: Vec<Vec<f64>> = (0..moments + WINDOW / step).map(|at| bands(at * step)).collect();
    let floor = 1e-5 * powers.iter().flatten().copied().fold(1e-20, f64::max);
    // A moment is at the middle between a window that ends there and one that begins there.
    let rise = |at: usize| -> f64 {
        let rise = |(a, b): (&f64, &f64)| (10.0 * ((b + floor) / (a + floor)).log10()).max(0.0);
        let counted = |(a, b): &(&f64, &f64)| **a > floor || **b > floor;
        let pairs = powers[at].iter().zip(&powers[at + WINDOW / step]).filter(counted);
        let (sum, count) = pairs.map(rise).fold((0.0, 0), |(sum, count), x| (sum + x, count + 1));
        sum / f64::from(count.max(1))
    };
    (0..moments).map(rise).collect()
}

/// The timing of the onsets of `heard`, which is `slower` times as long as the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) found: usize,
    pub(crate) of: usize,
    /// The mean distance in milliseconds of those that are found.
    pub(crate) off_ms: f64,
}

/// Onsets of the source that have one within 50 ms in what is heard.
pub(crate) fn timing(source: &[f32], heard: &[f32], slower: f64) -> Timing {
    let [wanted, got] = [source, heard].map(onsets);
    let nearest = |time: &f64| {
        let off = |other: &f64| 1_000.0 * (other - slower * time).abs();
        got.iter().map(off).fold(f64::INFINITY, f64::min)
    };
    let offs: Vec<f64> = wanted.iter().map(nearest).filter(|&off| off < 50.0).collect();
    let off_ms = offs.iter().sum::<f64>() / offs.len().max(1) as f64;
    Timing { found: offs.len(), of: wanted.len(), off_ms }
}

/// The distance in decibels of the envelopes of two spectra, which is that of vowels: of bands of a third of
/// an octave from 250 Hz to 5 kHz, in moments in which the source sounds.
pub(crate) fn envelope(source: &[f32], heard: &[f32]) -> f64 {
    const WINDOW: usize = 2_048;
    let bands = |samples: &[f32]| -> Vec<Vec<f64>> {
        let moments = spectrogram(samples, WINDOW, 1.0);
        let edge = |n: usize| {
            let hertz = 250.0 * 2.0_f64.powf(n as f64 / 3.0);
            (hertz * WINDOW as f64 / RATE as f64) as usize
        };
        let band = |moment: &[f64], n: usize| {
            let power = |db: &f64| 10.0_f64.powf(db / 10.0);
            let sum: f64 = moment[edge(n)..edge(n + 1)].iter().map(power).sum();
            10.0 * sum.max(1e-20).log10()
        };
        moments.iter().map(|moment| (0..13).map(|n| band(moment, n)).collect()).collect()
    };
    let [source, heard] = [source, heard].map(bands);
    let loudest = source.iter().flatten().fold(-200.0, |top: f64, &x| top.max(x));
    let (mut sum, mut count) = (0.0, 0);
    for (a, b) in source.iter().zip(&heard) {
        let top = a.iter().copied().fold(-200.0, f64::max);
        if top > loudest - 20.0 {
            let square = |(a, b): (&f64, &f64)| (a.max(top - 40.0) - b.max(top - 40.0)).powi(2);
            sum += (a.iter().zip(b).map(square).sum::<f64>() / a.len() as f64).sqrt();
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}
