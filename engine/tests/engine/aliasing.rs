//! No energy at frequencies without a partial.

use myriad_conformance::parameters::{ends_of, everything_in_use, modes_of, of_partials};
use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::{EventKind, Patch};

/// A saw with all partials, at a constant level.
fn full_saw() -> Patch {
    patch(&[
        (Param::SourcePosition, 1.0),
        (Param::SourcePartials, 1024.0),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Attack, 0.001),
    ])
}

/// The strongest level between the partials of `key`, in decibels of full scale.
fn between_partials(patch: &Patch, key: u8) -> f32 {
    let (start, length) = (9_600, 1 << 15);
    let [out, _] = play(&mut engine(patch), &[(0, on(key))], start + length);
    let (levels, lobe) = spectrum(&out[start..]);
    let step = hertz(f32::from(key)) * length as f32 / RATE as f32;
    (0..levels.len())
        .filter(|&bin| {
            let nearest = (bin as f32 / step).round() * step;
            // Nor at zero: there is no DC offset.
            (bin as f32 - nearest).abs() > lobe as f32 || (nearest == 0.0 && bin < 4)
        })
        .map(|bin| levels[bin])
        .fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn a_sweep_to_the_top_of_the_keyboard_has_no_energy_between_partials() {
    let mut worst = (f32::NEG_INFINITY, 0);
    for key in (24..=127).step_by(3).chain([126, 127]) {
        let level = between_partials(&full_saw(), key);
        if level > worst.0 {
            worst = (level, key);
        }
    }
    println!("between partials at most {:.1} dBFS (key {})", worst.0, worst.1);
    assert!(worst.0 < -100.0, "{} dBFS at key {}", worst.0, worst.1);
}

/// Partials that are bent above Nyquist must fade before they alias: nothing may appear below the
/// lowest partial.
#[test]
fn bending_above_nyquist_does_not_alias() {
    let mut patch = full_saw();
    patch.values.set(Param::PitchBend, 24.0);
    let key = 115; // 6.3 kHz; two octaves up is beyond hearing.
    let bends: Vec<(usize, EventKind)> = (0..200)
        .map(|i| (4_800 + i * 160, EventKind::PitchBend((i as f32 / 15.0).sin().abs())))
        .chain([(0, on(key))])
        .collect();
    let [out, _] = play(&mut engine(&patch), &bends, 9_600 + (1 << 15));
    let (levels, _) = spectrum(&out[9_600..]);
    let lowest = (0.7 * hertz(f32::from(key)) / RATE as f32 * (1 << 15) as f32) as usize;
    let below = highest(&levels[..lowest]);
    assert!(below < -70.0, "{below} dBFS below the lowest partial");
}

#[test]
fn inharmonic_spectra_stay_below_nyquist_too() {
    let mut patch = full_saw();
    patch.values.set(Param::ShapeStretch, 0.5);
    patch.values.set(Param::ShapeStiffness, 0.05);
    let [out, _] = play(&mut engine(&patch), &[(0, on(100))], 9_600 + (1 << 14));
    let (levels, lobe) = spectrum(&out[9_600..]);
    let first = (hertz(100.0) / RATE as f32 * (1 << 14) as f32) as usize;
    let below = highest(&levels[..first - lobe]);
    assert!(below < -100.0, "{below} dBFS below the first partial");
}

/// No parameter makes partials alias: far below the lowest partial there is no energy. Covers the whole
/// table of parameters, except those that play other notes, make noise on purpose or shape the level
/// over time.
#[test]
fn no_parameter_causes_aliasing() {
    let left_out = ["env1", "arp", "voice", "chord", "zone"];
    let makes_noise = [Param::ShapeBandwidth, Param::LayerBandwidth];
    let mut worst = (f32::NEG_INFINITY, String::new());
    for param in of_partials() {
        if left_out.contains(&param.info().group()) || makes_noise.contains(&param) {
            continue;
        }
        for &mode in modes_of(param) {
            let mut patch = everything_in_use(mode);
            patch.values.set(Param::SourcePartials, 1_024.0);
            patch.values.set(Param::LayerPartials, 1_024.0);
            for value in ends_of(param) {
                patch.values.set(param, value);
                let (start, length) = (9_600, 1 << 13);
                let [out, _] = play(&mut engine(&patch), &[(0, on(108))], start + length);
                let (levels, _) = spectrum(&out[start..]);
                // From 60 to 200 Hz; the lowest partial of all is three octaves below 4.2 kHz.
                let low = highest(&levels[10..35]);
                if low > worst.0 {
                    worst = (low, format!("{} at {value}", param.info().id));
                }
            }
        }
    }
    println!("far below the lowest at most {:.1} dBFS ({})", worst.0, worst.1);
    assert!(worst.0 < -90.0, "{} dBFS: {}", worst.0, worst.1);
}
