//! Linear prediction: continues a sound for the few milliseconds in which it must be concealed.

use crate::simd::{LANES, Level, Simd, Work};

/// Frames that a sound is continued from; more are ignored.
pub const HISTORY: usize = 512;

/// The order of the predictor. What it cannot predict is missing from one frame to the next, which is a click. Chords
/// of many partials need many coefficients: with 32 some clicked like a step of -27 dBFS
/// (docs/design/supervised-renderer.md).
const ORDER: usize = 192;

/// Continues `past` into `future`, by a predictor fitted with Burg's method (Burg 1975), which is
/// stable and accurate for tones, even from few samples. Silence stays silent.
pub fn continue_sound(past: &[f32], future: &mut [f32]) {
    let past = &past[past.len().saturating_sub(HISTORY)..];
    if past.iter().all(|&sample| sample == 0.0) {
        return future.fill(0.0);
    }
    Level::best().dispatch(Continue { past, future });
}

struct Continue<'a> {
    past: &'a [f32],
    future: &'a mut [f32],
}

impl Work for Continue<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let coefficients = burg(self.past);
        // The newest sample comes last.
        let mut window = [0.0; ORDER];
        for (slot, &sample) in window.iter_mut().rev().zip(self.past.iter().rev()) {
            *slot = f64::from(sample);
        }
        for sample in self.future {
            let next = dot_product(&coefficients, &window);
            window.copy_within(1.., 0);
            window[ORDER - 1] = next;
            *sample = next as f32;
        }
    }
}

/// Coefficients of the predictor, that of the newest sample last.
#[inline(always)]
fn burg(past: &[f32]) -> [f64; ORDER] {
    let count = past.len();
    // The errors of the predictor and of its mirror image, which predicts backwards. At every order, errors that
    // belong together are at the same place of what is left of them.
    let (mut forward, mut backward) = ([0.0; HISTORY], [0.0; HISTORY]);
    forward[..count].copy_from_slice(past);
    backward[..count].copy_from_slice(past);
    // That of the newest sample first, as long as there are not all of them.
    let mut coefficients = [0.0; ORDER];
    for order in 0..ORDER.min(count.saturating_sub(1)) {
        let forward = &mut forward[order + 1..count];
        let backward = &mut backward[..count - order - 1];
        let (product, power) = product_and_power(forward, backward);
        if power < 1e-20 {
            break;
        }
        let reflection = 2.0 * product / power;
        let single = reflection as f32;
        for (forward, backward) in forward.iter_mut().zip(backward) {
            (*forward, *backward) = (*forward - single * *backward, *backward - single * *forward);
        }
        let before = coefficients;
        for (new, mirrored) in coefficients[..order].iter_mut().zip(before[..order].iter().rev()) {
            *new -= reflection * mirrored;
        }
        coefficients[order] = reflection;
    }
    coefficients.reverse();
    coefficients
}

/// The sum of the products of all pairs, and that of all squares. Sixteen sums each, which the compiler vectorises.
#[inline(always)]
fn product_and_power(a: &[f32], b: &[f32]) -> (f64, f64) {
    let (mut products, mut powers) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |lane: usize, a: f32, b: f32| {
        products[lane] += a * b;
        powers[lane] += a * a + b * b;
    };
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        (0..LANES).for_each(|lane| add(lane, a[lane], b[lane]));
    }
    (0..last_a.len()).for_each(|lane| add(lane, last_a[lane], last_b[lane]));
    let sum = |lanes: [f32; LANES]| lanes.into_iter().map(f64::from).sum();
    (sum(products), sum(powers))
}

/// The sum of the products, in eight sums for the same reason.
#[inline(always)]
fn dot_product(a: &[f64; ORDER], b: &[f64; ORDER]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        (0..8).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::{FADE, fade_in};
    use std::f64::consts::TAU;

    /// A frame of a chord of three sawtooths, up to where partials begin to fade.
    fn chord(frame: usize) -> f32 {
        let note = |hertz: f64| {
            let numbers = (1..).map(f64::from).take_while(|number| number * hertz < 22_000.0);
            let partial = |n: f64| (TAU * n * hertz * frame as f64 / 48_000.0).sin() / n;
            numbers.map(partial).sum::<f64>()
        };
        0.1 * [220.0, 311.1, 523.3].into_iter().map(note).sum::<f64>() as f32
    }

    /// A chord whose renderer is lost does not click: at Nyquist, where it has no partials, the difference between
    /// what is predicted and what was lost is nothing. With 32 coefficients it looks like steps of up to 0.004.
    #[test]
    fn a_bright_chord_goes_on_without_a_click() {
        for start in (1..12).map(|n| 700 * n + 13 * n * n) {
            let past: Vec<f32> = (start..start + HISTORY).map(chord).collect();
            let mut future = [0.0; FADE];
            continue_sound(&past, &mut future);
            let difference = |i: usize| future[i] - chord(start + HISTORY + i);
            let faded = |i: usize| difference(i) * (1.0 - fade_in(i));
            let sums = [0, 1].map(|first| (first..FADE).step_by(2).map(faded).sum::<f32>());
            // A step is half as strong there as an impulse of its size.
            let step = 2.0 * (sums[0] - sums[1]).abs();
            assert!(step < 1e-4, "from {start} on: a step of {step}");
        }
    }

    #[test]
    fn silence_stays_silent_and_nothing_explodes() {
        let mut future = [1.0; 256];
        continue_sound(&[0.0; 256], &mut future);
        assert!(future.iter().all(|&x| x == 0.0));
        let noise = |i: usize| crate::dsp::hash(i as u32) as f32 / u32::MAX as f32 - 0.5;
        let sine = |i: usize| (0.01 * i as f32).sin();
        let square = |i: usize| if (i / 50).is_multiple_of(2) { 1.0 } else { -1.0 };
        let impulse = |i: usize| if i == 500 { 1.0 } else { 0.0 };
        let sounds: [fn(usize) -> f32; 5] = [noise, sine, square, impulse, |_| 1.0];
        for (number, sound) in sounds.into_iter().enumerate() {
            for length in [1, 2, 100, 256, HISTORY, 600] {
                let past: Vec<f32> = (0..length).map(sound).collect();
                continue_sound(&past, &mut future);
                assert!(future.iter().all(|x| x.abs() < 2.0), "sound {number} of {length} frames");
            }
        }
    }
}
