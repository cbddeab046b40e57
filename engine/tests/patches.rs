//! Every embedded patch sounds, decays to silence and stays inside full scale.

mod common;

use common::*;
use myriad_engine::{EventKind, Patch, factory};

/// A chord over four octaves at full velocity; nothing may clip.
fn chord(patch: &Patch) -> (Vec<f32>, Vec<f32>, bool) {
    let keys = [36, 48, 55, 60, 64, 67, 72, 84];
    let mut events: Vec<(usize, EventKind)> = keys
        .iter()
        .map(|&key| (0, EventKind::NoteOn { key, velocity: 1.0 }))
        .collect();
    events.extend(keys.iter().map(|&key| (RATE, off(key))));
    let mut engine = engine(patch);
    let [mut left, mut right] = play(&mut engine, &events, 2 * RATE);
    for _ in 0..30 {
        if engine.is_silent() {
            break;
        }
        let [l, r] = play(&mut engine, &[], RATE);
        left.extend(l);
        right.extend(r);
    }
    (left, right, engine.is_silent())
}

#[test]
fn every_patch_sounds_ends_and_never_clips() {
    for patch in factory::patches() {
        let (left, right, silent) = chord(patch);
        let name = &patch.name;
        let loudest = peak(&left).max(peak(&right));
        println!(
            "{name:>16}: peak {:5.1} dBFS, level {:5.1} dB, {:4.1} s",
            db(loudest),
            db(rms(&left[..RATE])),
            left.len() as f32 / RATE as f32
        );
        assert!(left.iter().chain(&right).all(|x| x.is_finite()), "{name}");
        assert!(rms(&left[..RATE]) > 0.01, "{name} sounds");
        assert!(rms(&right[..RATE]) > 0.01, "{name} sounds on both sides");
        assert!(loudest <= 0.97, "{name}: {loudest}");
        assert!(silent, "{name} ends");
        let mean = left.iter().map(|&x| f64::from(x)).sum::<f64>() / left.len() as f64;
        assert!(mean.abs() < 1e-3, "{name} has a constant part: {mean}");
    }
}

#[test]
fn every_patch_sounds_on_every_key() {
    for patch in factory::patches() {
        for key in (21..=108).step_by(12) {
            let out = play(&mut engine(patch), &[(0, on(key))], RATE / 2);
            assert!(
                peak(&out[0]).max(peak(&out[1])) > 0.002,
                "{} at key {key}",
                patch.name
            );
        }
    }
}

#[test]
fn every_patch_has_what_people_look_for() {
    for patch in factory::patches() {
        assert!(
            !patch.description.is_empty() && !patch.category.is_empty(),
            "{}",
            patch.name
        );
        assert!(
            !patch.tags.is_empty() && !patch.author.is_empty(),
            "{}",
            patch.name
        );
    }
}
