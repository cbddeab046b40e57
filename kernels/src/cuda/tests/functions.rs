//! Every device function against its Rust counterpart.

use super::kernels;
use libloading::{Library, Symbol};
use myriad_engine::dsp::hash;
use myriad_engine::render::TICK;
use myriad_engine::simd::{LANES, Portable};
use myriad_engine::spectrum::unison::Mix;
use myriad_engine::spectrum::{
    self, Cloud, Description, Filter, FilterKind, MAX_COPIES, MAX_GROUPS, PARALLEL, STARTS, Second,
    TURN, Table, Unison, UnisonVoice, fraction, math, tables,
};

/// The tolerance of a partial's level.
const LEVEL: f32 = 1e-6;

fn function<'a, F>(library: &'a Library, name: &str) -> Symbol<'a, F> {
    // SAFETY: callers name the type that emulate.cpp declares.
    unsafe { library.get(name.as_bytes()) }.expect("emulate.cpp has it")
}

/// Thousands of rows of sixteen numbers from `low` to `high`.
fn numbers(low: f32, high: f32) -> impl Iterator<Item = [f32; LANES]> {
    let unit = |i: u32| hash(i) as f32 / u32::MAX as f32;
    (0..4_000u32).map(move |row| {
        std::array::from_fn(|lane| low + (high - low) * unit(row * LANES as u32 + lane as u32))
    })
}

fn compare(name: &str, low: f32, high: f32, tolerance: f32, rust: fn([f32; 16]) -> [f32; 16]) {
    let library = kernels(4);
    let device = function::<extern "C" fn(f32) -> f32>(&library, name);
    for x in numbers(low, high) {
        for (x, rust) in x.into_iter().zip(rust(x)) {
            let device = device(x);
            let error = (device - rust).abs();
            assert!(error <= tolerance, "{name}({x}): {device} and {rust}");
        }
    }
}

#[test]
fn functions_of_numbers_agree() {
    compare("host_exp2_exact", -130.0, 20.0, 0.0, |x| math::exp2_exact(Portable, x));
    compare("host_log2_exact", 0.0, 4_000.0, 0.0, |x| math::log2_exact(Portable, x));
    compare("host_exp2", -20.0, 2.0, 2e-6, |x| math::exp2(Portable, x));
    compare("host_quarter_sine", -1.0, 1.0, 3e-7, |x| math::quarter_sine(Portable, x));
    compare("host_four_sine_squared", 0.0, 0.5, 5e-7, |x| math::four_sine_squared(Portable, x));
}

#[test]
fn functions_of_phases_agree() {
    let library = kernels(4);
    let device_hash = function::<extern "C" fn(u32) -> u32>(&library, "host_hash");
    let sine = function::<extern "C" fn(u32) -> f32>(&library, "host_sine");
    let cosine = function::<extern "C" fn(u32) -> f32>(&library, "host_cosine");
    for x in (0..100_000u32).map(hash).chain([0, 1, 1 << 30, 1 << 31, 3 << 30, u32::MAX]) {
        assert_eq!(device_hash(x), math::hash(Portable, [x; LANES])[0]);
        assert!((sine(x) - math::sine(Portable, [x; LANES])[0]).abs() < 3e-7, "{x}");
        assert!((cosine(x) - math::cosine(Portable, [x; LANES])[0]).abs() < 3e-7, "{x}");
    }
}

/// A filter, every kind in turn.
fn filter(number: u32) -> Filter {
    let unit =
        |salt: u32| hash(number.wrapping_mul(77).wrapping_add(salt)) as f32 / u32::MAX as f32;
    let kind = FilterKind::ALL[number as usize % FilterKind::ALL.len()];
    let inverse_cutoff = 1.0 / (TURN * (0.001 + 0.45 * unit(1)));
    match kind {
        FilterKind::Comb | FilterKind::OddComb => {
            Filter::comb(kind, inverse_cutoff, 0.97 * unit(2), 0.3 * unit(3))
        }
        FilterKind::Phaser => Filter::phaser(inverse_cutoff, 0.97 * unit(2), 0.5 + 3.5 * unit(3)),
        FilterKind::Formant => Filter::formant(inverse_cutoff, 0.7 + unit(2), unit(3)),
        FilterKind::Drawn => {
            let point = |i: usize| 60.0 * unit(4 + i as u32) - 48.0;
            Filter::drawn(inverse_cutoff, std::array::from_fn(point))
        }
        _ => Filter::poles(kind, inverse_cutoff, 0.5 + 1.5 * unit(2)),
    }
}

/// A second table at a random position.
fn second(number: u32, share: f32) -> Second {
    let table = Table::ALL[hash(number + 5) as usize % Table::ALL.len()];
    let position = hash(number + 6) as f32 / u32::MAX as f32;
    Second::at(table.place(), position, share)
}

/// A cloud with random parameters, of which about four in ten have their usual value.
fn cloud(number: u32) -> Cloud {
    let mut draws = 0;
    let mut unit = move || {
        draws += 1;
        hash(number.wrapping_mul(101).wrapping_add(draws)) as f32 / u32::MAX as f32
    };
    let mut between = |low: f32, high: f32| low + (high - low) * unit();
    let table = Table::ALL[number as usize % Table::ALL.len()];
    let (frame, morph) = table.frame_at(between(0.0, 1.0));
    let mut perhaps = |usual: f32, low: f32, high: f32| match between(0.0, 1.0) < 0.4 {
        true => usual,
        false => between(low, high),
    };
    Cloud {
        // The higher bits are levels of the loudest partial.
        flags: ((number % 2) as u8 * STARTS) | ((number / 2 % 6) as u8 * PARALLEL),
        phase: hash(number + 1),
        seed: hash(number),
        scatter: perhaps(0.0, 0.0, 65_535.0) as u16,
        table: table.first_row(),
        frame,
        morph,
        partials: perhaps(1_024.0, 0.0, 1_024.0),
        increment: perhaps(1e6, 1e5, 5e8),
        formant: perhaps(1.0, 0.2, 4.0),
        stretch: perhaps(0.0, -0.5, 0.5),
        inharmonicity: perhaps(0.0, 0.0, 1e-2),
        parity: fraction(perhaps(0.0, -1.0, 1.0)),
        tilt: perhaps(0.0, -3.0, 0.0),
        damping: perhaps(0.0, 0.0, 10.0),
        damping_slope: perhaps(0.0, 0.0, 2.0),
        bandwidth: perhaps(0.0, 0.0, 0.26),
        band_growth: fraction(perhaps(1.0, 0.0, 1.99)),
        second: second(number, perhaps(0.0, -1.0, 1.0)),
        band_clock: hash(number + 2),
        scale: (hash(number + 3) % 192) as u8,
        snap: perhaps(0.0, 0.0, 65_535.0) as u16,
        detune: perhaps(0.0, 0.0, 65_535.0) as u16,
        contrast: perhaps(0.0, -6_000.0, 20_000.0) as i16,
        gate: perhaps(0.0, 1.0, 65_535.0) as u16,
        filters: [filter(number), filter(hash(number + 4))],
        ..Cloud::default()
    }
}

#[repr(C)]
struct Partial {
    increment: u32,
    level: f32,
}

type Frequency = extern "C" fn(&Cloud, *const f32, u32) -> f32;
type Evaluate = extern "C" fn(&Cloud, *const f32, u32, f32) -> Partial;
type FirstPhase = extern "C" fn(&Cloud, *const f32, u32) -> u32;

/// A copy as `fetch` makes it.
#[repr(C)]
struct UnisonCopy {
    description: u32,
    seed: u32,
    increment: f32,
    gain_from: [f32; 2],
    gain_to: [f32; 2],
    phase: u32,
    band_clock: u32,
}

#[test]
fn unison_copies_agree() {
    let library = kernels(4);
    let device = function::<extern "C" fn(&Unison, u32) -> UnisonCopy>(&library, "host_copy");
    for number in 0..2_000_u32 {
        let bits = |salt: u32| hash(number * 32 + salt);
        let unit = |salt: u32| bits(salt) as f32 / u32::MAX as f32;
        let mix = |salt: u32| Mix {
            gain: unit(salt),
            pan: 3.0 * unit(salt + 1) - 1.5,
            spread: unit(salt + 2),
            entry: 2.0 * unit(salt + 3),
        };
        let side = [0, 0, Unison::LEFT, Unison::RIGHT][number as usize % 4];
        let unison = Unison {
            shape: (1 + bits(0) % MAX_COPIES as u32) | side,
            seed: bits(1),
            seed_steps: [bits(2), bits(3), bits(4) >> 16],
            increment: 1e9 * unit(5),
            detune: 0.1 * unit(6),
            from: mix(7),
            to: mix(11),
            band_clock: [bits(15), bits(16) >> 8],
            phase: bits(17),
        };
        let voice = UnisonVoice::new(Description::default(), unison);
        for copy in 0..unison.copies() {
            let (rust, device) = (voice.cloud(copy), device(&unison, copy as u32));
            // Pitches and noise have the same bits.
            assert_eq!(device.description, 7 | (copy as u32 % 2) << 31);
            assert_eq!(device.increment, rust.increment);
            assert_eq!(
                [device.seed, device.phase, device.band_clock],
                [rust.seed, rust.phase, rust.band_clock]
            );
            let gains = device.gain_from.into_iter().chain(device.gain_to);
            for (device, rust) in gains.zip(rust.gain_from.into_iter().chain(rust.gain_to)) {
                assert!((device - rust).abs() <= LEVEL, "{device} and {rust}");
            }
        }
    }
}

#[test]
fn spectra_agree() {
    let library = kernels(4);
    let frequency = function::<Frequency>(&library, "host_frequency");
    let evaluate = function::<Evaluate>(&library, "host_evaluate");
    let first_phase = function::<FirstPhase>(&library, "host_first_phase");
    let (s, tables) = (Portable, tables());
    let rows = tables.rows().as_ptr();
    for number in 0..600 {
        let cloud = cloud(number);
        for group in 0..MAX_GROUPS {
            let pitches = spectrum::frequency(s, &cloud, &tables.rows_of(&cloud), group);
            let partials = spectrum::evaluate(s, &cloud, &tables.rows_of(&cloud), group, pitches);
            let phases = spectrum::first_phase(s, &cloud, &tables.rows_of(&cloud), group);
            for lane in 0..LANES {
                let index = (group * LANES + lane) as u32;
                let pitch = frequency(&cloud, rows, index);
                assert_eq!(pitch.to_bits(), pitches[lane].to_bits(), "{index}: {cloud:?}");
                let partial = evaluate(&cloud, rows, index, pitch);
                assert_eq!(partial.increment, partials.increment[lane], "{index}: {cloud:?}");
                assert_eq!(first_phase(&cloud, rows, index), phases[lane], "{index}: {cloud:?}");
                let (got, expected) = (partial.level, partials.level[lane]);
                let error = (got - expected).abs();
                assert!(error <= LEVEL, "{index}: {got} and {expected}: {cloud:?}");
            }
        }
    }
}

type Advance = extern "C" fn(u32, u32, f32, f32, f32, *mut f32);

#[test]
fn the_bank_is_clean() {
    let library = kernels(4);
    let advance = function::<Advance>(&library, "host_advance");
    let mut worst = (f64::NEG_INFINITY, 0.0);
    for step in 0..=400 {
        let hertz = 20.0 * 1000.0_f64.powf(f64::from(step) / 400.0);
        // As the spectrum gives it: a whole number that a float can hold.
        let increment = (hertz / 44_100.0 * f64::from(TURN)) as f32 as u32;
        let (mut error, mut power, mut phase) = (0.0, 0.0, hash(step));
        for _ in 0..64 {
            let mut got = [0.0_f32; TICK];
            advance(phase, increment, 0.25, 1.0, 1.0 / 32.0, got.as_mut_ptr());
            for (frame, got) in (0..).zip(got) {
                let at = f64::from(phase.wrapping_add(increment.wrapping_mul(frame)));
                let level = 0.25 + 0.75 / 32.0 * f64::from(frame);
                let exact = level * (at / f64::from(TURN) * std::f64::consts::TAU).sin();
                error += (f64::from(got) - exact).powi(2);
                power += exact.powi(2);
            }
            phase = phase.wrapping_add(increment.wrapping_mul(TICK as u32));
        }
        let db = 10.0 * (error / power).log10();
        if db > worst.0 {
            worst = (db, hertz);
        }
    }
    println!("{:.1} dB at worst, at {:.0} Hz", worst.0, worst.1);
    assert!(worst.0 < -115.0, "{:.1} dB at {:.0} Hz", worst.0, worst.1);
}
