//! Every embedded patch sounds, decays to silence and stays inside full scale.

use myriad_conformance::testing::*;
use myriad_engine::{EventKind, Patch, factory};

/// A chord over four octaves at full velocity, held for a second, until it is silent.
struct Chord {
    left: Vec<f32>,
    right: Vec<f32>,
    /// The tail in frames that the engine reported when the keys were released.
    tail: usize,
    silent: bool,
}

fn chord(patch: &Patch) -> Chord {
    let keys = [36, 48, 55, 60, 64, 67, 72, 84];
    let press = |&key: &u8| (0, EventKind::NoteOn { key, velocity: 1.0 });
    let lift = |&key: &u8| (0, off(key));
    let press: Vec<(usize, EventKind)> = keys.iter().map(press).collect();
    let lift: Vec<(usize, EventKind)> = keys.iter().map(lift).collect();
    let mut engine = engine(patch);
    let [mut left, mut right] = play(&mut engine, &press, RATE);
    let tail = engine.tail().unwrap();
    let mut events = &lift[..];
    for _ in 0..31 {
        let [l, r] = play(&mut engine, events, RATE);
        left.extend(l);
        right.extend(r);
        events = &[];
        if engine.is_silent() {
            break;
        }
    }
    let silent = engine.is_silent();
    Chord { left, right, tail, silent }
}

#[test]
fn every_patch_sounds_ends_and_never_clips() {
    for patch in factory::patches() {
        let Chord { left, right, tail, silent } = chord(patch);
        let sounds = |(l, r): (&f32, &f32)| l.abs().max(r.abs()) > 2e-6;
        let last = left.iter().zip(&right).rposition(sounds).unwrap();
        let name = &patch.name;
        let loudest = peak(&left).max(peak(&right));
        println!(
            "{name:>16}: peak {:5.1} dBFS, level {:5.1} dB, {:4.1} s of {:5.1} s",
            db(loudest),
            db(rms(&left[..RATE])),
            last as f32 / RATE as f32 - 1.0,
            tail as f32 / RATE as f32,
        );
        assert!(left.iter().chain(&right).all(|x| x.is_finite()), "{name}");
        assert!(rms(&left[..RATE]) > 0.01, "{name} sounds");
        assert!(rms(&right[..RATE]) > 0.01, "{name} sounds on both sides");
        assert!(loudest <= 0.97, "{name}: {loudest}");
        assert!(silent, "{name} ends");
        // Hosts stop rendering then.
        assert!(last < RATE + tail, "{name} is longer than its tail");
        let mean = left.iter().map(|&x| f64::from(x)).sum::<f64>() / left.len() as f64;
        assert!(mean.abs() < 1e-3, "{name} has a DC offset: {mean}");
    }
}

#[test]
fn every_patch_sounds_on_every_key() {
    for patch in factory::patches() {
        // Of a kit, the keys that have a drum.
        let is_key = |key: &u8| {
            patch.key_zones.is_empty() || patch.key_zones.iter().any(|zone| zone.contains(*key))
        };
        for key in (21..=108).step_by(12).filter(is_key) {
            let out = play(&mut engine(patch), &[(0, on(key))], RATE / 2);
            assert!(peak(&out[0]).max(peak(&out[1])) > 0.002, "{} at key {key}", patch.name);
        }
    }
}

#[test]
fn every_patch_has_description_category_tags_and_author() {
    for patch in factory::patches() {
        assert!(!patch.description.is_empty() && !patch.category.is_empty(), "{}", patch.name);
        assert!(!patch.tags.is_empty() && !patch.author.is_empty(), "{}", patch.name);
    }
}
