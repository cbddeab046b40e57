//! Linear prediction: continues a sound for the few milliseconds in which it must be concealed.

/// The order of the predictor.
const ORDER: usize = 32;

/// Continues `past` into `future`, by a predictor fitted with Burg's method (Burg 1975), which is
/// stable and accurate for tones, even from few samples. Silence stays silent.
pub fn continue_sound(past: &[f32], future: &mut [f32]) {
    let coefficients = burg(past);
    let mut window = [0.0; ORDER];
    for (slot, &sample) in window.iter_mut().zip(past.iter().rev()) {
        *slot = f64::from(sample);
    }
    for sample in future {
        let next: f64 = coefficients.iter().zip(&window).map(|(c, x)| c * x).sum();
        window.rotate_right(1);
        window[0] = next;
        *sample = next as f32;
    }
}

/// Coefficients of the predictor, that of the newest sample first.
fn burg(past: &[f32]) -> [f64; ORDER] {
    const MOST: usize = 512;
    let past = &past[past.len().saturating_sub(MOST)..];
    let count = past.len();
    let (mut forward, mut backward) = ([0.0f64; MOST], [0.0f64; MOST]);
    for (i, &sample) in past.iter().enumerate() {
        forward[i] = f64::from(sample);
        backward[i] = forward[i];
    }
    let mut a = [0.0; ORDER];
    for order in 0..ORDER.min(count.saturating_sub(1)) {
        let (mut product, mut power) = (0.0, 0.0);
        for i in order + 1..count {
            product += forward[i] * backward[i - 1];
            power += forward[i] * forward[i] + backward[i - 1] * backward[i - 1];
        }
        if power < 1e-20 {
            break;
        }
        let reflection = 2.0 * product / power;
        let before = a;
        a[order] = reflection;
        for i in 0..order {
            a[i] = before[i] - reflection * before[order - 1 - i];
        }
        for i in (order + 1..count).rev() {
            let (f, b) = (forward[i], backward[i - 1]);
            forward[i] = f - reflection * b;
            backward[i] = b - reflection * f;
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_goes_on_as_it_was() {
        let chord = |i: usize| {
            let t = i as f32 / 48_000.0;
            [220.0, 277.2, 329.6, 1_760.0]
                .iter()
                .map(|hertz| 0.2 * (std::f32::consts::TAU * hertz * t).sin())
                .sum::<f32>()
        };
        let past: Vec<f32> = (0..512).map(chord).collect();
        let mut future = [0.0; 64];
        continue_sound(&past, &mut future);
        for (i, got) in future.iter().enumerate() {
            assert!((got - chord(512 + i)).abs() < 0.15, "frame {i}: {got} for {}", chord(512 + i));
        }
    }

    #[test]
    fn silence_stays_silent_and_nothing_explodes() {
        let mut future = [1.0; 256];
        continue_sound(&[0.0; 256], &mut future);
        assert!(future.iter().all(|&x| x == 0.0));
        let noise: Vec<f32> =
            (0..256).map(|i| crate::dsp::hash(i) as f32 / u32::MAX as f32 - 0.5).collect();
        continue_sound(&noise, &mut future);
        assert!(future.iter().all(|x| x.abs() < 2.0));
    }
}
