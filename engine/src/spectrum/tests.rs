//! Spectra against plain arithmetic in f64.

use super::*;
use crate::simd::{LANES, Portable};

#[test]
fn exp2_is_accurate() {
    for i in -2000..2000 {
        let x = i as f32 * 0.0631;
        let y = math::exp2(Portable, [x; LANES])[0];
        let exact = (x.max(-126.0) as f64).exp2();
        assert!((y as f64 / exact - 1.0).abs() < 2.5e-7, "2^{x} = {y}");
    }
}

#[test]
fn sine_is_accurate_over_the_whole_turn() {
    for i in 0..100_000u32 {
        let phase = i.wrapping_mul(42_949_673);
        let y = math::sine(Portable, [phase; LANES])[0] as f64;
        let exact = (phase as f64 / TURN as f64 * std::f64::consts::TAU).sin();
        assert!((y - exact).abs() < 3e-7, "phase {phase}: {y} for {exact}");
    }
}

#[test]
fn the_recurrence_factor_is_accurate_to_two_last_places() {
    for i in 0..100_000 {
        let t = i as f32 / 100_000.0;
        let y = math::four_sine_squared(Portable, [t; LANES])[0];
        let exact = 4.0 * (f64::from(t) * std::f64::consts::FRAC_PI_2).sin().powi(2);
        let place = f64::from(y.next_up() - y);
        assert!(
            (f64::from(y) - exact).abs() <= 2.0 * place,
            "t {t}: {y} for {exact}"
        );
    }
}

#[test]
fn tables_have_unit_power_and_rising_ratios() {
    for table in Table::ALL {
        let ratios = F32x16::flat(tables().row(table.first_row()));
        assert!(ratios.is_sorted_by(|a, b| a < b), "{table:?}");
        for frame in 0..=FRAMES as u32 {
            let levels = F32x16::flat(tables().row(table.first_row() + 2 + frame));
            let power: f32 = levels.iter().map(|level| level * level).sum();
            assert!(
                (power - 1.0).abs() < 1e-3,
                "{table:?} frame {frame}: {power}"
            );
        }
    }
}

fn cloud() -> Cloud {
    let (frame, morph) = Table::Saw.frame_at(1.0);
    Cloud {
        table: Table::Saw.first_row(),
        frame,
        morph,
        partials: 1024.0,
        increment: 55.0 / 48_000.0 * TURN,
        formant: 1.0,
        odd: 1.0,
        even: 1.0,
        ..Cloud::default()
    }
}

fn levels(cloud: &Cloud, group: usize) -> [f32; LANES] {
    let frequency = frequency(Portable, cloud, tables().rows_of(cloud), group);
    evaluate(Portable, cloud, tables().rows_of(cloud), group, frequency).level
}

#[test]
fn a_filter_at_its_cutoff_has_the_gain_of_its_resonance() {
    let plain = levels(&cloud(), 0);
    for poles in [2, 4] {
        let filtered = Cloud {
            filter: Filter {
                poles,
                inverse_cutoff: 1.0 / (4.0 * cloud().increment),
                inverse_q2: 0.25,
                pass: [1.0, 0.0, 0.0],
            },
            ..cloud()
        };
        let gain = levels(&filtered, 0)[3] / plain[3];
        let expected = if poles == 2 { 2.0 } else { 4.0 };
        assert!((gain - expected).abs() < 1e-4, "{poles} poles: {gain}");
    }
}

#[test]
fn tilt_and_stretch_follow_their_formulas() {
    let tilted = Cloud {
        tilt: -1.0,
        ..cloud()
    };
    let (plain, tilted) = (levels(&cloud(), 1), levels(&tilted, 1));
    assert!((tilted[0] / plain[0] * 17.0 - 1.0).abs() < 1e-5);
    let stretched = Cloud {
        stretch: 0.05,
        inharmonicity: 0.001,
        ..cloud()
    };
    let f = frequency(Portable, &stretched, tables().rows_of(&stretched), 0);
    let ratio = 10f64.powf(1.05);
    let exact = ratio * (1.0 + 0.001 * ratio * ratio).sqrt() * stretched.increment as f64;
    assert!((f[9] as f64 / exact - 1.0).abs() < 1e-6);
}

#[test]
fn a_formant_scale_of_two_reads_twice_as_far() {
    let cloud = Cloud {
        formant: 2.0,
        increment: 1e5,
        ..cloud()
    };
    let plain = Cloud {
        formant: 1.0,
        ..cloud
    };
    let (scaled, plain) = (levels(&cloud, 0), levels(&plain, 0));
    assert!((scaled[2] / plain[5] - 1.0).abs() < 1e-5);
}

#[test]
fn nothing_sounds_above_the_fade() {
    let high = Cloud {
        increment: 9_000.0 / 48_000.0 * TURN,
        ..cloud()
    };
    let frequency = frequency(Portable, &high, tables().rows_of(&high), 0);
    let partials = evaluate(Portable, &high, tables().rows_of(&high), 0, frequency);
    assert!(partials.level[1] > 0.0);
    assert!(partials.level[2..].iter().all(|&level| level == 0.0));
    assert!(partials.increment[2..].iter().all(|&step| step == 0));
}

#[test]
fn one_phase_is_that_of_sixteen() {
    let scattered = Cloud {
        seed: 1_234_567,
        scatter: 40_000,
        ..cloud()
    };
    let phases = first_phase(Portable, &scattered, tables().rows_of(&scattered), 2);
    for (lane, phase) in phases.into_iter().enumerate() {
        assert_eq!(first_phase_of(1_234_567, 33 + lane as u32, 40_000), phase);
    }
}
