//! The kinds of scenes.

use super::score::{Act, Score};
use super::sharpness::Sharpness;
use super::{DRONE, HANDS, LOAD, Rng, longest_release};
use myriad_engine::params::{Param, TABLE};
use myriad_engine::{EventKind, Patch, factory};

/// A patch is there this long after it was changed.
const SETTLED: f64 = 0.08;

fn any_patch(rng: &mut Rng) -> &'static Patch {
    rng.pick(factory::patches())
}

fn any_key(rng: &mut Rng) -> u8 {
    36 + rng.below(56) as u8
}

/// Chords in quick succession, soft and loud, short and long, with pedals and wheels.
pub(super) fn storm(score: &mut Score, rng: &mut Rng) {
    score.name("chord storm");
    score.patch(0.0, HANDS, any_patch(rng));
    play_chords(score, rng);
}

fn play_chords(score: &mut Score, rng: &mut Rng) {
    let end = SETTLED + rng.between(3.0, 10.0);
    let pace = rng.between(0.04, 0.5);
    let pedal = rng.chance(0.2);
    let mut now = SETTLED;
    while now < end {
        for _ in 0..1 + rng.below(4) {
            let (key, velocity) = (any_key(rng), rng.between(0.1, 1.0));
            let length = rng.between(0.02, 0.6);
            score.note(now, length, HANDS, key, velocity);
            if pedal {
                score.hold(now, end - now, HANDS);
            }
        }
        if pedal && rng.chance(0.2) {
            score.control(now, HANDS, 64, f64::from(u8::from(rng.chance(0.4))));
            score.bend(now, Sharpness::CHANGE);
        }
        if rng.chance(0.1) {
            score.control(now, HANDS, 1, rng.unit());
            score.bend(now, Sharpness::CHANGE);
        }
        if rng.chance(0.05) {
            let bend = rng.between(-1.0, 1.0) as f32;
            score.play(now, HANDS, EventKind::PitchBend(bend));
            score.bend(now, Sharpness::CHANGE);
        }
        now += rng.between(0.3 * pace, 1.7 * pace);
    }
}

/// A few low notes for a long time, on which a macro and the wheel move slowly.
pub(super) fn drone(score: &mut Score, rng: &mut Rng) {
    score.name("drone");
    score.patch(0.0, DRONE, any_patch(rng));
    let length = rng.between(6.0, 20.0);
    for _ in 0..1 + rng.below(3) {
        let key = 30 + rng.below(30) as u8;
        let start = SETTLED + rng.between(0.0, 1.0);
        score.note(start, length, DRONE, key, rng.between(0.3, 0.9));
    }
    let param = *rng.pick(&myriad_player::MACRO_PARAMS);
    let phase = rng.unit();
    let steps = (length * 20.0) as usize;
    for step in 0..steps {
        let way = step as f64 / steps as f64;
        let value = 0.5 + 0.5 * (std::f64::consts::TAU * (way + phase)).sin();
        let seconds = SETTLED + way * length;
        let value32 = value as f32;
        let kind = EventKind::Param {
            param,
            value: value32,
        };
        score.play(seconds, DRONE, kind);
        score.control(seconds, DRONE, 1, 1.0 - value);
    }
}

/// Notes go on while the patch changes under them, again and again.
pub(super) fn patches(score: &mut Score, rng: &mut Rng) {
    score.name("patch changes");
    // One of them is a kit, and any note may turn out to be a drum.
    score.expect_drums(HANDS);
    play_chords(score, rng);
    let end = score.end();
    let mut now = 0.0;
    while now < end {
        let patch = any_patch(rng);
        score.patch(now, HANDS, patch);
        let length = rng.between(0.2, 1.5);
        score.bend_throughout(now, length, patch);
        now += length;
    }
}

/// A chord is held while parameters glide and jump.
pub(super) fn sweep(score: &mut Score, rng: &mut Rng) {
    score.name("sweep");
    let patch = any_patch(rng);
    score.patch(0.0, HANDS, patch);
    let length = rng.between(3.0, 8.0);
    for _ in 0..1 + rng.below(3) {
        score.note(
            SETTLED,
            length,
            HANDS,
            48 + rng.below(36) as u8,
            rng.between(0.3, 0.9),
        );
    }
    for _ in 0..1 + rng.below(3) {
        let param = *rng.pick(&sweepable());
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
            score.play(now, HANDS, EventKind::Param { param, value });
            if jumps || now == SETTLED {
                score.bend(now, Sharpness::JUMP);
            }
            now += step;
        }
    }
    // Back to what the patch says.
    score.patch(SETTLED + length + 0.3, HANDS, patch);
}

/// What is swept: all that routes may move, but not pitch, which could leave the range of hearing,
/// and not the level, which could leave nothing to hear.
fn sweepable() -> Vec<Param> {
    let moves = |param: &&Param| {
        let info = &TABLE[**param as usize];
        info.modulated && info.group() != "pitch" && **param != Param::AmpLevel
    };
    Param::ALL.iter().filter(moves).copied().collect()
}

/// Everything is stopped in the middle of a storm; silence must follow, and a note out of it be on
/// time.
pub(super) fn panic(score: &mut Score, rng: &mut Rng) {
    storm(score, rng);
    score.name("panic");
    let end = score.end();
    score.add(end, Act::Panic);
    score.bend(end, Sharpness::CHANGE);
    quiet_and_probe(score, end + 0.1, rng);
}

/// All keys are up: when the longest release is over, no voice may sound. Rooms may ring on, until
/// they are cut off; and a note out of that silence must be on time.
pub(super) fn silence(score: &mut Score, rng: &mut Rng) {
    score.name("silence");
    let released = longest_release() + 0.5;
    score.add(released, Act::ExpectNoVoices);
    let cut = released + 0.2;
    score.add(cut, Act::Panic);
    score.bend(cut, Sharpness::CHANGE);
    quiet_and_probe(score, cut + 0.1, rng);
}

fn quiet_and_probe(score: &mut Score, quiet: f64, rng: &mut Rng) {
    score.add(quiet, Act::ExpectQuiet);
    let probe = quiet + 0.2 + rng.between(0.0, 0.1);
    score.add(probe, Act::Probe);
    score.bend(probe, Sharpness::SHARP);
    score.bend(probe + Act::PROBE_SECONDS, Sharpness::SHARP);
    // It rings for a moment, and ends before the next scene begins.
    score.control(probe + 0.5, HANDS, 1, 0.0);
}

/// Voices are added one by one up to the load that was asked for, held, and let go.
pub(super) fn ramp(score: &mut Score, rng: &mut Rng) {
    score.name("load ramp");
    let rise = rng.between(1.0, 4.0);
    let hold = rng.between(1.0, 4.0);
    let voices = score.load.voices;
    let keys = (12..36).cycle();
    for (index, key) in (0..voices).zip(keys) {
        score.press(rise * index as f64 / voices as f64, LOAD, key, 0.8);
    }
    score.bend(rise + hold, Sharpness::CHANGE);
    for key in 12..36 {
        let velocity = 0.5;
        score.play(rise + hold, LOAD, EventKind::NoteOff { key, velocity });
    }
}
