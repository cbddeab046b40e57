//! Partials as bands of noise: their width, their loudness, and that they repeat.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::{EventKind, Patch};

/// Partials of the same level, held, as bands.
fn bands(partials: f32, cents: f32, growth: f32) -> Patch {
    patch(&[
        (Param::SourceTable, 2.0),
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, partials),
        (Param::ShapeBandwidth, cents),
        (Param::ShapeBandGrowth, growth),
        (Param::Env1Sustain, 1.0),
    ])
}

/// Power by frequency, averaged over windows of `length`, of the sound around `hertz`.
fn powers(samples: &[f32], length: usize) -> Vec<f64> {
    let mut sum = vec![0.0; length / 2 + 1];
    for start in (0..samples.len() - length).step_by(length / 2) {
        let window = |i: usize| (std::f64::consts::PI * i as f64 / length as f64).sin().powi(2);
        let at = |i: usize| f64::from(samples[start + i]) * window(i);
        let mut input: Vec<f64> = (0..length).map(at).collect();
        for (sum, x) in sum.iter_mut().zip(myriad_measure::forward(&mut input)) {
            *sum += x.norm_sqr();
        }
    }
    sum
}

/// The middle of the band around `hertz` and its width at half its power, for a Gaussian shape.
fn middle_and_width(patch: &Patch, key: u8, hertz: f32, room: f32) -> (f32, f32) {
    let seconds = 20;
    let [out, _] = play(&mut engine(patch), &[(0, on(key))], seconds * RATE);
    let length = 1 << 15;
    let sums = powers(&out[RATE / 2..], length);
    let bin = RATE as f32 / length as f32;
    let range = ((hertz - room) / bin) as usize..((hertz + room) / bin) as usize;
    let (mut all, mut first, mut second) = (0.0, 0.0, 0.0);
    for (index, power) in sums[range.clone()].iter().enumerate() {
        let at = f64::from((range.start + index) as f32 * bin - hertz);
        (all, first, second) = (all + power, first + power * at, second + power * at * at);
    }
    let mean = first / all;
    let deviation = (second / all - mean * mean).sqrt();
    (hertz + mean as f32, 2.355 * deviation as f32)
}

#[test]
fn bands_are_as_wide_as_the_knob_says() {
    for (key, cents) in [(69, 10.0), (69, 50.0), (69, 150.0), (93, 25.0), (93, 100.0)] {
        let asked = hertz(f32::from(key)) * ((cents / 1200.0_f32).exp2() - 1.0);
        let at = hertz(f32::from(key));
        let (middle, width) = middle_and_width(&bands(1.0, cents, 1.0), key, at, 4.0 * asked);
        println!(
            "{cents} cents at {at:.0} Hz: {width:.2} Hz wide for {asked:.2}, around {middle:.1}"
        );
        assert!((0.8..1.25).contains(&(width / asked)), "{width} for {asked}");
        assert!((middle - at).abs() < 0.15 * asked, "{middle} for {at}");
    }
}

#[test]
fn bands_grow_with_the_power_of_their_ratio() {
    let (key, cents, number) = (69, 10.0, 8.0_f32);
    let first = hertz(f32::from(key)) * ((cents / 1200.0_f32).exp2() - 1.0);
    for growth in [0.0, 0.6, 1.0, 1.5] {
        let asked = first * number.powf(growth);
        let at = number * hertz(f32::from(key));
        let room = (4.0 * asked).min(200.0);
        let (_, width) = middle_and_width(&bands(8.0, cents, growth), key, at, room);
        println!("growth {growth}: {width:.2} Hz wide for {asked:.2}");
        assert!((0.7..1.4).contains(&(width / asked)), "{width} for {asked}");
    }
}

#[test]
fn bands_are_as_loud_as_lines() {
    let loudness = |cents: f32| {
        let [out, _] = play(&mut engine(&bands(64.0, cents, 1.0)), &[(0, on(45))], 4 * RATE);
        db(rms(&out[RATE / 2..]))
    };
    let line = loudness(0.0);
    for cents in [1.0, 5.0, 40.0, 400.0] {
        let off = loudness(cents) - line;
        println!("{cents} cents: {off:+.2} dB");
        assert!(off.abs() < 1.2, "{off} dB at {cents} cents");
    }
}

/// With any block sizes, and again after a reset, while the width changes.
#[test]
fn bands_repeat() {
    let patch = bands(100.0, 30.0, 1.3);
    let wider = |value| EventKind::Param { param: Param::ShapeBandwidth, value };
    let events = [(0, on(50)), (40, on(57)), (9_000, wider(0.0)), (20_000, wider(120.0))];
    let mut engine = engine(&patch);
    let whole = play(&mut engine, &events, RATE);
    engine.reset();
    let mut sizes = [1, 77, 32, 1_000].into_iter().cycle();
    assert!(whole == play_in_blocks(&mut engine, &events, RATE, &mut sizes));
}
