//! Spectra compared with plain arithmetic in f64.

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
        assert!((f64::from(y) - exact).abs() <= 2.0 * place, "t {t}: {y} for {exact}");
    }
}

#[test]
fn tables_have_unit_power_and_rising_ratios() {
    let tables = tables();
    for table in Table::ALL {
        let ratios = F32x16::flat(tables.row(table.first_row()));
        assert!(ratios.is_sorted_by(|a, b| a < b), "{table:?}");
        for frame in 0..=FRAMES as u16 {
            let levels = F32x16::flat(tables.row(table.first_row() + 2 + frame));
            let power: f32 = levels.iter().map(|level| level * level).sum();
            assert!((power - 1.0).abs() < 1e-3, "{table:?} frame {frame}: {power}");
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
        ..Cloud::default()
    }
}

fn levels(cloud: &Cloud, group: usize) -> [f32; LANES] {
    let tables = tables();
    let rows = tables.rows_of(cloud);
    let frequency = frequency(Portable, cloud, &rows, group);
    evaluate(Portable, cloud, &rows, group, frequency).level
}

#[test]
fn a_filter_at_its_cutoff_has_the_gain_of_its_resonance() {
    let plain = levels(&cloud(), 0);
    for kind in [FilterKind::Low12, FilterKind::Low24, FilterKind::High24] {
        let filtered = Cloud {
            filters: [Filter::poles(kind, 1.0 / (4.0 * cloud().increment), 3.0), Filter::default()],
            ..cloud()
        };
        let gain = levels(&filtered, 0)[3] / plain[3];
        assert!((gain - 3.0).abs() < 1e-4, "{kind:?}: {gain}");
    }
}

#[test]
fn tilt_and_stretch_follow_their_formulas() {
    let tilted = Cloud { tilt: -1.0, ..cloud() };
    let (plain, tilted) = (levels(&cloud(), 1), levels(&tilted, 1));
    assert!((tilted[0] / plain[0] * 17.0 - 1.0).abs() < 1e-5);
    let stretched = Cloud { stretch: 0.05, inharmonicity: 0.001, ..cloud() };
    let f = frequency(Portable, &stretched, &tables().rows_of(&stretched), 0);
    let ratio = 10f64.powf(1.05);
    let exact = ratio * (1.0 + 0.001 * ratio * ratio).sqrt() * stretched.increment as f64;
    assert!((f[9] as f64 / exact - 1.0).abs() < 1e-6);
}

#[test]
fn a_formant_scale_of_two_reads_twice_as_far() {
    let cloud = Cloud { formant: 2.0, increment: 1e5, ..cloud() };
    let plain = Cloud { formant: 1.0, ..cloud };
    let (scaled, plain) = (levels(&cloud, 0), levels(&plain, 0));
    assert!((scaled[2] / plain[5] - 1.0).abs() < 1e-5);
}

#[test]
fn nothing_sounds_above_the_fade() {
    let high = Cloud { increment: 9_000.0 / 48_000.0 * TURN, ..cloud() };
    let frequency = frequency(Portable, &high, &tables().rows_of(&high), 0);
    let partials = evaluate(Portable, &high, &tables().rows_of(&high), 0, frequency);
    assert!(partials.level[1] > 0.0);
    assert!(partials.level[2..].iter().all(|&level| level == 0.0));
    assert!(partials.increment[2..].iter().all(|&step| step == 0));
}

#[test]
fn one_phase_is_that_of_sixteen() {
    let scattered = Cloud { seed: 1_234_567, scatter: 40_000, ..cloud() };
    let phases = first_phase(Portable, &scattered, &tables().rows_of(&scattered), 2);
    for (lane, phase) in phases.into_iter().enumerate() {
        assert_eq!(first_phase_of(1_234_567, 33 + lane as u32, 40_000), phase);
    }
}

fn with_filter(filter: Filter) -> Cloud {
    Cloud { filters: [filter, Filter::default()], ..cloud() }
}

/// What a filter does to partials 1 to 16, in decibels.
fn gains_db(filter: Filter) -> [f32; LANES] {
    let (plain, filtered) = (levels(&cloud(), 0), levels(&with_filter(filter), 0));
    std::array::from_fn(|i| 20.0 * (filtered[i] / plain[i]).log10())
}

#[test]
fn combs_have_their_peaks_at_multiples_or_between() {
    let inverse_cutoff = 1.0 / (4.0 * cloud().increment);
    let even = gains_db(Filter::comb(FilterKind::Comb, inverse_cutoff, 0.8, 0.0));
    let odd = gains_db(Filter::comb(FilterKind::OddComb, inverse_cutoff, 0.8, 0.0));
    // (1 + g) / (1 - g) from minimum to peak, with the same power on average.
    for n in [4, 8, 12] {
        assert!((even[n - 1] - 9.54).abs() < 0.05, "{n}: {}", even[n - 1]);
        assert!((even[n - 3] + 9.54).abs() < 0.05, "{n}: {}", even[n - 3]);
        assert!((odd[n - 3] - 9.54).abs() < 0.05, "{n}: {}", odd[n - 3]);
    }
    let blunt = gains_db(Filter::comb(FilterKind::Comb, inverse_cutoff, 0.8, 0.3));
    assert!(blunt[3] > blunt[7] && blunt[7] > blunt[11] && blunt[11] > 0.0);
}

#[test]
fn a_phaser_has_notches_at_equal_intervals() {
    let gains = gains_db(Filter::phaser(1.0 / (4.0 * cloud().increment), 0.0, 1.0));
    assert!(gains[3].abs() < 0.01 && gains[7].abs() < 0.01 && gains[1].abs() < 0.01);
    // The middle of each octave is a tritone above the cutoff, and the 11th partial close to one.
    assert!(gains[2] < -11.0 && gains[5] < -11.0 && gains[10] < -17.0, "{gains:?}");
}

#[test]
fn shelves_raise_or_lower_one_side() {
    let inverse_cutoff = 1.0 / (4.0 * cloud().increment);
    let low = gains_db(Filter::poles(FilterKind::LowShelf, inverse_cutoff, 4.0));
    assert!(low[0] > 11.0 && low[15] < 1.7, "{low:?}");
    let high = gains_db(Filter::poles(FilterKind::HighShelf, inverse_cutoff, 0.25));
    assert!(high[0] > -1.0 && high[15] < -10.0, "{high:?}");
}

#[test]
fn a_drawn_curve_goes_through_its_points() {
    let points = [-48.0, -12.0, 6.0, -3.0, 12.0, -20.0, -30.25];
    let gains = gains_db(Filter::drawn(1.0 / (2.0 * cloud().increment), points));
    for (n, point) in [(1, 2), (2, 3), (4, 4), (8, 5), (16, 6)] {
        let off = gains[n - 1] - points[point];
        assert!(off.abs() < 0.02, "partial {n}: {off} dB");
    }
}

#[test]
fn parallel_filters_pass_what_either_passes() {
    let [low, high] = [(FilterKind::Low24, 2.0), (FilterKind::High24, 10.0)]
        .map(|(kind, at)| Filter::poles(kind, 1.0 / (at * cloud().increment), 1.0));
    let both = |flags| Cloud { flags, filters: [low, high], ..cloud() };
    let plain = levels(&cloud(), 0);
    let (series, parallel) = (levels(&both(0), 0), levels(&both(PARALLEL), 0));
    for n in [0, 15] {
        assert!(series[n] < 0.1 * plain[n], "{n}");
        assert!(parallel[n] > 0.4 * plain[n], "{n}");
    }
}

#[test]
fn every_vowel_has_its_first_formant_where_singers_have_it() {
    let at = |vowel: f32, hertz: f32| {
        let cloud = with_filter(Filter::formant(48_000.0 / (1_000.0 * TURN), 1.0, vowel));
        let frequency = Portable.splat(hertz / 48_000.0 * TURN);
        let tables = tables();
        let rows = tables.rows_of(&cloud);
        Portable.first(filter_gain(Portable, &cloud, &rows, frequency).unwrap())
    };
    for (vowel, first) in [(0.0, 350.0), (0.5, 650.0), (1.0, 290.0)] {
        assert!((at(vowel, first) - 2.0).abs() < 0.1, "{vowel}");
        assert!(at(vowel, 1.4 * first) < at(vowel, first), "{vowel}");
    }
}

#[test]
fn snapped_partials_are_notes_of_the_scale() {
    for (scale, notes) in SCALES.iter().enumerate() {
        for above_root in [0, 5, -3] {
            let snapped = Cloud { snap: u16::MAX, scale: scale_map(scale, above_root), ..cloud() };
            let tables = tables();
            let rows = tables.rows_of(&snapped);
            for ratio in frequency(Portable, &snapped, &rows, 0).map(|f| f / snapped.increment) {
                let semitones = 12.0 * ratio.log2() + above_root as f32;
                let whole = semitones.round();
                assert!((semitones - whole).abs() < 0.01, "{scale}: {semitones}");
                let note = (whole as i32).rem_euclid(12) as u8;
                assert!(notes.contains(&note), "{scale}: {note}");
            }
        }
    }
}

#[test]
fn detuned_partials_stay_within_reach_and_the_first_where_it_is() {
    let detuned = Cloud {
        // 100 cents.
        detune: 43_690,
        seed: 5,
        ..cloud()
    };
    let tables = tables();
    let rows = tables.rows_of(&detuned);
    let cents = |group: usize| {
        let [plain, moved] = [cloud(), detuned].map(|c| frequency(Portable, &c, &rows, group));
        std::array::from_fn::<f32, LANES, _>(|i| 1200.0 * (moved[i] / plain[i]).log2())
    };
    assert_eq!(cents(0)[0], 0.0);
    let all: Vec<f32> = (0..MAX_GROUPS).flat_map(cents).collect();
    let most = all.iter().fold(0.0f32, |most, c| most.max(c.abs()));
    assert!((90.0..=100.1).contains(&most), "{most}");
    assert!((all.iter().sum::<f32>() / all.len() as f32).abs() < 8.0);
}

#[test]
fn contrast_is_a_power_and_the_gate_a_threshold() {
    let plain = levels(&cloud(), 0);
    let strong = Cloud { contrast: 8_192, flags: dynamics::loudest_flags(0.25), ..cloud() };
    for (level, plain) in levels(&strong, 0).iter().zip(plain) {
        assert!((level / (plain * plain / 0.25) - 1.0).abs() < 1e-5);
    }
    let threshold = plain[7];
    let gated = Cloud { gate: dynamics::steps_of(threshold), ..cloud() };
    let gated = levels(&gated, 0);
    assert_eq!(gated[0], plain[0]);
    assert!(gated[5] < plain[5] && gated[5] > 0.0);
    assert!(gated[8..].iter().all(|&level| level == 0.0));
}
