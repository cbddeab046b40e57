//! Sounds that nobody means to import: each gives a patch or one clear error, and the same every time.

use crate::{RATE, imported, played, sounds};
use myriad_engine::Patch;
use myriad_engine::params::Param;
use myriad_import::{ImportError, Material, Options, Progress, Sound, import_sound};

fn message(samples: &[f32]) -> String {
    imported(samples, Material::AnySound).err().map(|error| error.to_string()).unwrap_or_default()
}

/// The root mean square.
fn loudness(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|&x| f64::from(x).powi(2)).sum();
    (sum / samples.len().max(1) as f64).sqrt()
}

#[test]
fn what_is_no_sound_is_an_error() {
    assert_eq!(message(&[0.0; 48_000]), "nothing but silence");
    assert_eq!(message(&[0.3; 48_000]), "nothing but silence");
    assert!(message(&[0.5, -0.5, 0.5]).starts_with("too short"));
    assert!(message(&[0.1, f32::NAN]).contains("not numbers"));
    assert!(message(&[f32::INFINITY]).contains("not numbers"));
    assert!(!message(&[]).is_empty());
    for rate in [0.0, -1.0, 10.0, 1e9, f64::NAN] {
        assert!(Sound::new(rate, vec![0.1; 100]).is_err(), "{rate}");
    }
}

/// A click, noise, a square wave, a sound of 25 ms: they are played, as loud as
/// they were.
#[test]
fn odd_sounds_are_played() {
    let mut hiss = sounds::noise();
    let mut click = vec![0.0; RATE / 2];
    click[0..20].fill(0.2);
    click[20..40].fill(-0.2);
    let cases: [(&str, Vec<f32>); 4] = [
        ("click", click),
        ("noise", (0..RATE).map(|_| 0.3 * hiss() as f32).collect()),
        (
            "square",
            (0..RATE).map(|n| if (n / 50_usize).is_multiple_of(2) { 0.3 } else { -0.3 }).collect(),
        ),
        ("short", (0..1_200).map(|n| (0.3 * n as f32).sin()).collect()),
    ];
    for (name, samples) in cases {
        let patch = imported(&samples, Material::AnySound).unwrap().patch;
        let heard = played(&patch, 0, samples.len() as f64 / RATE as f64);
        assert!(heard.iter().all(|x| x.is_finite()), "{name}");
        let off = 20.0 * (loudness(&heard) / loudness(&samples)).log10();
        println!("{name}: {off:+.1} dB");
        assert!(off.abs() < 3.0, "{name}: {off:+.1} dB");
    }
}

/// Silence between sounds stays silent, and so does what comes after the end.
#[test]
fn silence_stays_silent() {
    let mut hiss = sounds::noise();
    let bursts: Vec<f32> = (0..2 * RATE)
        .map(|n| if (n / (RATE / 4)).is_multiple_of(2) { 0.3 * hiss() as f32 } else { 0.0 })
        .collect();
    let patch = imported(&bursts, Material::AnySound).unwrap().patch;
    let heard = played(&patch, 0, 3.0);
    let part = |from: f64, to: f64| {
        let [from, to] = [from, to].map(|time| (time * RATE as f64) as usize);
        loudness(&heard[from..to])
    };
    let loud = part(0.05, 0.2);
    for (from, to) in [(0.3, 0.45), (0.8, 0.95), (1.8, 1.95), (2.1, 3.0)] {
        assert!(part(from, to) < 1e-3 * loud, "{from} s: {}", part(from, to));
    }
}

/// Frozen in the middle, a sound goes on for as long as the key is held, and noise stays noise.
#[test]
fn a_frozen_sound_goes_on() {
    let mut hiss = sounds::noise();
    let samples: Vec<f32> = (0..RATE).map(|_| 0.3 * hiss() as f32).collect();
    let mut patch = imported(&samples, Material::AnySound).unwrap().patch;
    patch.values.set(Param::SourcePosition, 0.5);
    patch.values.set(Param::Macro1, 1.0);
    let heard = played(&patch, 0, 4.0);
    let [early, late] = [0, 3].map(|second| &heard[second * RATE..(second + 1) * RATE]);
    let off = 20.0 * (loudness(late) / loudness(early)).log10();
    assert!(off.abs() < 3.0, "{off:+.1} dB");
    let product: f64 = early.iter().zip(late).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    let alike = product / (loudness(early) * loudness(late) * RATE as f64);
    assert!(alike.abs() < 0.3, "{alike}");
}

/// The same sound gives the same bytes; a patch is read back, and no larger than others of its kind.
#[test]
fn results_repeat_and_fit() {
    for samples in [sounds::speech(1.0), sounds::song(4.0)] {
        let [first, second] =
            [(); 2].map(|()| imported(&samples, Material::AnySound).unwrap().patch.to_toml());
        assert!(first == second);
        assert!(first.len() < 460_000, "{} bytes", first.len());
        assert!(Patch::parse(&first, "any.toml").is_ok());
    }
}

#[test]
fn it_can_be_cancelled() {
    let sound = Sound::new(RATE as f64, sounds::speech(1.0)).unwrap();
    let options = Options { material: Material::AnySound, ..Options::default() };
    let progress = Progress::default();
    progress.cancel();
    let outcome = import_sound(&sound, &options, "", &progress);
    assert!(matches!(outcome, Err(ImportError::Cancelled)));
}

/// Random lengths, rates, levels, regions and shapes: a patch or an error, never a panic.
#[test]
fn anything_is_survived() {
    let mut random = sounds::noise();
    let mut below = |most: f64| 0.5 * (random() + 1.0) * most;
    let (mut imported, mut refused) = (0, 0);
    for round in 0..60 {
        let length = below([50.0, 3_000.0, 60_000.0][round % 3]) as usize + 1;
        let rate = 1_000.0 + below([3_000.0, 191_000.0][round % 2]);
        let level = 10.0_f64.powf(-below(8.0));
        let shape = below(4.0) as usize;
        let sample = |n: usize, x: f64| match shape {
            0 => x,
            1 => (0.001 * n as f64 * x).sin(),
            2 => f64::from(u8::from(x > 0.999)),
            _ => (0.01 * n as f64).sin().signum(),
        };
        let samples: Vec<f32> =
            (0..length).map(|n| (level * sample(n, below(2.0) - 1.0)) as f32).collect();
        let region = [below(2.0) - 0.5, below(2.0)];
        let options = Options {
            material: if round % 2 == 0 { Material::AnySound } else { Material::Detect },
            region: (round % 5 == 0).then_some(region),
            ..Options::default()
        };
        let sound = Sound::new(rate, samples).unwrap();
        match import_sound(&sound, &options, "random", &Progress::default()) {
            Ok(_) => imported += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
    println!("{imported} imported, {refused} refused");
    assert!(imported > 15 && refused > 5, "{imported} imported, {refused} refused");
}
