//! Says in words how a sound differs from what was expected.

/// What was heard explains a difference when what remains of it has at most this share of its power.
const EXPLAINED: f64 = 0.01;

/// The longest shift that is looked for, in frames.
const LONGEST_SHIFT: usize = 512;

/// Frames in which a shift is looked for.
const SHIFTED: usize = 2_048;

/// Describes frames, each as heard and as expected; the first and the last one differ.
pub(super) fn describe(frames: &[[[f32; 2]; 2]]) -> String {
    if frames.iter().flatten().flatten().any(|sample| !sample.is_finite()) {
        return "samples are not numbers".to_owned();
    }
    if frames.len() == 1 {
        return "a single frame is off".to_owned();
    }
    let off = power(frames, |[heard, expected]| difference(heard, expected));
    let remains = |other: f64| other <= EXPLAINED * off;
    if remains(power(frames, |[heard, _]| heard)) {
        return "silence".to_owned();
    }
    if remains(power(frames, |[_, expected]| expected)) {
        return "sound where there is silence in the reference".to_owned();
    }
    if remains(power(frames, |[heard, [left, right]]| difference(heard, [right, left]))) {
        return "left and right are swapped".to_owned();
    }
    let product: f64 = sum(frames, |[heard, expected]| {
        (0..2).map(|side| f64::from(heard[side]) * f64::from(expected[side])).sum()
    });
    let gain = product / power(frames, |[_, expected]| expected);
    let scaled = |frame: [f32; 2]| frame.map(|sample| (f64::from(sample) * gain) as f32);
    if remains(power(frames, |[heard, expected]| difference(heard, scaled(expected)))) {
        return format!("louder by {:.2} dB", 20.0 * gain.abs().log10());
    }
    if let Some(shift) = shift(frames) {
        let side = if shift > 0 { "late" } else { "early" };
        return format!("{} frames too {side}", shift.abs());
    }
    "another sound".to_owned()
}

/// By how many frames the sound is late, if that explains the difference.
fn shift(frames: &[[[f32; 2]; 2]]) -> Option<i64> {
    let heard = frames.get(LONGEST_SHIFT..frames.len().checked_sub(LONGEST_SHIFT)?)?;
    let heard = &heard[..heard.len().min(SHIFTED)];
    let off = |shift: i64| {
        let first = (LONGEST_SHIFT as i64 - shift) as usize;
        let expected = &frames[first..first + heard.len()];
        let pairs = heard.iter().zip(expected);
        pairs
            .flat_map(|([heard, _], [_, expected])| difference(*heard, *expected))
            .map(|sample| f64::from(sample).powi(2))
            .sum::<f64>()
    };
    let most = LONGEST_SHIFT as i64;
    let (shift, least) =
        (-most..=most).map(|shift| (shift, off(shift))).min_by(|a, b| a.1.total_cmp(&b.1))?;
    (least <= EXPLAINED * off(0)).then_some(shift)
}

fn difference(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn sum(frames: &[[[f32; 2]; 2]], value: impl Fn([[f32; 2]; 2]) -> f64) -> f64 {
    frames.iter().map(|frame| value(*frame)).sum()
}

fn power(frames: &[[[f32; 2]; 2]], value: impl Fn([[f32; 2]; 2]) -> [f32; 2]) -> f64 {
    sum(frames, |frame| value(frame).iter().map(|sample| f64::from(*sample).powi(2)).sum())
}
