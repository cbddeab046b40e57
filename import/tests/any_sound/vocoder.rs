//! A phase vocoder to compare with (Flanagan and Golden, "Phase vocoder", 1966, in the form of Dolson, "The
//! phase vocoder: a tutorial", 1986): the usual way to change the time of any sound.

use myriad_measure::{Complex, forward, inverse};
use std::f64::consts::TAU;

const WINDOW: usize = 2_048;
const HOP: usize = 512;

/// The sound, `slower` times as long, at the same pitch.
pub(crate) fn stretched(samples: &[f32], slower: f64) -> Vec<f32> {
    let weight = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / WINDOW as f64).cos();
    // Moments of the source are `step` apart, those of the result `HOP`.
    let step = HOP as f64 / slower;
    let padded: Vec<f32> = std::iter::repeat_n(0.0, WINDOW / 2)
        .chain(samples.iter().copied())
        .chain(std::iter::repeat_n(0.0, WINDOW))
        .collect();
    let spectrum = |start: f64| {
        let start = (start.max(0.0) as usize).min(padded.len() - WINDOW);
        let part = padded[start..start + WINDOW].iter().enumerate();
        forward(&mut part.map(|(n, &x)| weight(n) * f64::from(x)).collect::<Vec<f64>>())
    };
    let moments = (samples.len() as f64 / step) as usize;
    let mut out = vec![0.0_f32; moments * HOP + WINDOW];
    let mut phases: Vec<f64> = spectrum(0.0).iter().map(|x| x.arg()).collect();
    for moment in 0..moments {
        let at = moment as f64 * step;
        let now = spectrum(at);
        if moment > 0 {
            // The phase moves on by what it moves in the source within one hop of the result.
            let before = spectrum(at - HOP as f64);
            for ((phase, now), before) in phases.iter_mut().zip(&now).zip(&before) {
                *phase += (now * before.conj()).arg();
            }
        }
        let mut turned: Vec<Complex<f64>> = now
            .iter()
            .zip(&phases)
            .map(|(x, &phase)| Complex::from_polar(x.norm(), phase))
            .collect();
        if let [first, .., last] = &mut turned[..] {
            (*first, *last) = (first.re.into(), last.re.into());
        }
        let block = inverse(&mut turned, WINDOW);
        for (n, x) in block.iter().enumerate() {
            // The squares of Hann windows, a quarter apart, add up to 1.5.
            out[moment * HOP + n] += (weight(n) * x / WINDOW as f64 / 1.5) as f32;
        }
    }
    out[WINDOW / 2..].to_vec()
}

/// The sound, read `faster` times as fast, which moves its pitch too.
pub(crate) fn resampled(samples: &[f32], faster: f64) -> Vec<f32> {
    const HALF: i64 = 16;
    let cutoff = (1.0 / faster).min(1.0);
    let at = |n: usize| {
        let place = n as f64 * faster;
        let middle = place.floor() as i64;
        let tap = |index: i64| {
            let x = place - index as f64;
            let sinc = match x.abs() < 1e-9 {
                true => cutoff,
                false => (std::f64::consts::PI * cutoff * x).sin() / (std::f64::consts::PI * x),
            };
            let window = 0.5 + 0.5 * (std::f64::consts::PI * x / (HALF + 1) as f64).cos();
            let sample = usize::try_from(index).ok().and_then(|index| samples.get(index));
            sinc * window * f64::from(sample.copied().unwrap_or(0.0))
        };
        (middle - HALF + 1..=middle + HALF).map(tap).sum::<f64>() as f32
    };
    (0..(samples.len() as f64 / faster) as usize).map(at).collect()
}
