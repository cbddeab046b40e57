//! The kinds of scenes.

use super::builder::{Action, SceneBuilder};
use super::sharpness::{NOISY, Sharpness};
use super::{DRONE, LEAD, LOAD, Rng, longest_release};
use myriad_engine::params::{Param, TABLE};
use myriad_engine::{EventKind, Patch, factory};

/// Seconds after which a changed patch is in use.
const SETTLED: f64 = 0.08;

fn any_patch(rng: &mut Rng) -> &'static Patch {
    rng.pick(factory::patches())
}

fn any_key(rng: &mut Rng) -> u8 {
    36 + rng.below(56) as u8
}

/// Chords in quick succession, soft and loud, short and long, with pedals and wheels.
pub(super) fn storm(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("chord storm");
    scene.patch(0.0, LEAD, any_patch(rng));
    play_chords(scene, rng);
}

fn play_chords(scene: &mut SceneBuilder, rng: &mut Rng) {
    let end = SETTLED + rng.between(3.0, 10.0);
    let pace = rng.between(0.04, 0.5);
    let pedal = rng.chance(0.2);
    let mut now = SETTLED;
    while now < end {
        for _ in 0..1 + rng.below(4) {
            let (key, velocity) = (any_key(rng), rng.between(0.1, 1.0));
            let length = rng.between(0.02, 0.6);
            scene.note(now, length, LEAD, key, velocity);
            if pedal {
                scene.hold(now, end - now, LEAD);
            }
        }
        if pedal && rng.chance(0.2) {
            scene.control(now, LEAD, 64, f64::from(u8::from(rng.chance(0.4))));
            scene.bend(now, Sharpness::CHANGE);
        }
        if rng.chance(0.1) {
            scene.control(now, LEAD, 1, rng.unit());
            scene.bend(now, Sharpness::CHANGE);
        }
        if rng.chance(0.05) {
            let bend = rng.between(-1.0, 1.0) as f32;
            scene.play(now, LEAD, EventKind::PitchBend(bend));
            scene.bend(now, Sharpness::CHANGE);
        }
        now += rng.between(0.3 * pace, 1.7 * pace);
    }
}

/// A few long, low notes, while a macro and the modulation wheel move slowly.
pub(super) fn drone(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("drone");
    scene.patch(0.0, DRONE, any_patch(rng));
    let length = rng.between(6.0, 20.0);
    for _ in 0..1 + rng.below(3) {
        let key = 30 + rng.below(30) as u8;
        let start = SETTLED + rng.between(0.0, 1.0);
        scene.note(start, length, DRONE, key, rng.between(0.3, 0.9));
    }
    let param = *rng.pick(&myriad_player::MACRO_PARAMS);
    let phase = rng.unit();
    let steps = (length * 20.0) as usize;
    for step in 0..steps {
        let way = step as f64 / steps as f64;
        let value = 0.5 + 0.5 * (std::f64::consts::TAU * (way + phase)).sin();
        let seconds = SETTLED + way * length;
        let value32 = value as f32;
        let kind = EventKind::Param { param, value: value32 };
        scene.play(seconds, DRONE, kind);
        scene.control(seconds, DRONE, 1, 1.0 - value);
    }
}

/// Notes that sound while the patch changes again and again.
pub(super) fn patches(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("patch changes");
    // A patch may be a drum kit, so any note may be a drum.
    scene.expect_drums(LEAD);
    play_chords(scene, rng);
    let end = scene.end();
    let mut now = 0.0;
    while now < end {
        let patch = any_patch(rng);
        scene.patch(now, LEAD, patch);
        let length = rng.between(0.2, 1.5);
        // The next patch is in use some time after it was chosen.
        scene.bend_throughout(now, length + 2.0 * SETTLED, patch);
        now += length;
    }
}

/// A held chord while parameters glide and jump.
pub(super) fn sweep(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("sweep");
    let patch = any_patch(rng);
    scene.patch(0.0, LEAD, patch);
    let length = rng.between(3.0, 8.0);
    for _ in 0..1 + rng.below(3) {
        scene.note(SETTLED, length, LEAD, 48 + rng.below(36) as u8, rng.between(0.3, 0.9));
    }
    for _ in 0..1 + rng.below(3) {
        let param = *rng.pick(&sweepable());
        if NOISY.contains(&param) {
            scene.bend(SETTLED, Sharpness::noise(patch, length + 0.5));
        }
        let jumps = rng.chance(0.3);
        let (from, to) = (rng.unit(), rng.unit());
        let step = if jumps { rng.between(0.1, 0.5) } else { 0.02 };
        let mut now = SETTLED;
        while now < SETTLED + length {
            let way = match jumps {
                true => rng.unit(),
                false => from + (to - from) * (now / length).min(1.0),
            };
            let value = param.info().kind.from_scale(way as f32);
            scene.play(now, LEAD, EventKind::Param { param, value });
            if jumps || now == SETTLED {
                scene.bend(now, Sharpness::JUMP);
            }
            now += step;
        }
    }
    // Restores the values of the patch.
    scene.patch(SETTLED + length + 0.3, LEAD, patch);
}

/// The parameters to sweep: all that can be modulated, but not pitch, which could become inaudible, and
/// not the level, which could become silent.
fn sweepable() -> Vec<Param> {
    let moves = |param: &&Param| {
        let info = &TABLE[**param as usize];
        info.modulated && info.group() != "pitch" && **param != Param::AmpLevel
    };
    Param::ALL.iter().filter(moves).copied().collect()
}

/// All sound off during a chord storm. Silence must follow, and a note after it must be on time.
pub(super) fn panic(scene: &mut SceneBuilder, rng: &mut Rng) {
    storm(scene, rng);
    scene.name("panic");
    let end = scene.end();
    scene.add(end, Action::Panic);
    scene.bend(end, Sharpness::CHANGE);
    quiet_and_probe(scene, end + 0.1, rng);
}

/// No keys are pressed: after the longest release no voice may sound. Reverb may sound on until it is
/// cut; a note after that silence must be on time.
pub(super) fn silence(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("silence");
    let released = longest_release() + 0.5;
    scene.add(released, Action::ExpectNoVoices);
    let cut = released + 0.2;
    scene.add(cut, Action::Panic);
    scene.bend(cut, Sharpness::CHANGE);
    quiet_and_probe(scene, cut + 0.1, rng);
}

fn quiet_and_probe(scene: &mut SceneBuilder, quiet: f64, rng: &mut Rng) {
    scene.add(quiet, Action::ExpectQuiet);
    let probe = quiet + 0.2 + rng.between(0.0, 0.1);
    scene.add(probe, Action::Probe);
    scene.bend(probe, Sharpness::SHARP);
    scene.bend(probe + Action::PROBE_SECONDS, Sharpness::SHARP);
    // The scene lasts until the probe is silent.
    scene.control(probe + 0.5, LEAD, 1, 0.0);
}

/// Voices are added one by one up to the load of `--load`, held, and released.
pub(super) fn ramp(scene: &mut SceneBuilder, rng: &mut Rng) {
    scene.name("load ramp");
    let rise = rng.between(1.0, 4.0);
    let hold = rng.between(1.0, 4.0);
    let voices = scene.load.voices;
    let keys = (12..36).cycle();
    for (index, key) in (0..voices).zip(keys) {
        scene.press(rise * index as f64 / voices as f64, LOAD, key, 0.8);
    }
    scene.bend(rise + hold, Sharpness::CHANGE);
    for key in 12..36 {
        let velocity = 0.5;
        scene.play(rise + hold, LOAD, EventKind::NoteOff { key, velocity });
    }
}
