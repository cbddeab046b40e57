//! Racks: what is off is not there, and what is asleep wakes as it was.

use super::rack::Rack;
use super::*;
use crate::params::Param;

const AROUND: Surroundings = Surroundings { bpm: 120.0 };

fn noise(tick: usize) -> Stereo {
    let sample = |side: usize, frame: usize| {
        let hash = crate::dsp::hash((tick * 64 + side * 32 + frame) as u32);
        0.2 * (hash as f32 / (1u64 << 31) as f32 - 1.0)
    };
    std::array::from_fn(|side| std::array::from_fn(|frame| sample(side, frame)))
}

#[test]
fn without_effects_sound_passes_bit_for_bit() {
    let mut rack = Rack::new(48_000.0);
    for tick in 0..50 {
        let mut sound = noise(tick);
        rack.render(&mut sound, &EffectValues::off(), AROUND);
        assert_eq!(sound, noise(tick));
    }
}

/// A rack that has slept plays like a new one: nothing of before is heard again.
#[test]
fn every_effect_forgets_in_its_sleep() {
    for switch in EffectValues::SWITCHES {
        let mut values = EffectValues::off();
        values.set(switch, 1.0);
        // Those that do nothing at their defaults.
        values.set(Param::EqLowGain, 6.0);
        values.set(Param::LimiterCeiling, -20.0);
        values.set(Param::DelayTime, 0.02);
        let play = |rack: &mut Rack| -> Vec<Stereo> {
            let tick = |tick| {
                let mut sound = noise(tick);
                rack.render(&mut sound, &values, AROUND);
                sound
            };
            (0..100).map(tick).collect()
        };
        let mut rack = Rack::new(48_000.0);
        rack.start(&values);
        let first = play(&mut rack);
        assert!(first[50] != noise(50), "{switch:?} does something");
        assert!(!rack.is_resting());
        let mut ticks = 0;
        while !rack.is_resting() {
            rack.render(&mut [[0.0; TICK]; 2], &values, AROUND);
            ticks += 1;
            assert!(ticks < 60 * 1_500, "{switch:?} ends");
        }
        rack.render(&mut [[0.0; TICK]; 2], &values, AROUND);
        assert!(play(&mut rack) == first, "{switch:?}");
    }
}

/// The order is what is heard: drive before a room is not a room before drive.
#[test]
fn places_are_the_order() {
    let heard = |drive: f32, reverb: f32| {
        let mut values = EffectValues::off();
        for (param, value) in [
            (Param::DriveOn, 1.0),
            (Param::ReverbOn, 1.0),
            (Param::DriveAmount, 36.0),
            (Param::DrivePlace, drive),
            (Param::ReverbPlace, reverb),
        ] {
            values.set(param, value);
        }
        let mut rack = Rack::new(48_000.0);
        rack.start(&values);
        let mut sound = noise(0);
        for tick in 0..40 {
            sound = noise(tick);
            rack.render(&mut sound, &values, AROUND);
        }
        sound
    };
    assert!(heard(1.0, 2.0) == heard(3.0, 7.0));
    assert!(heard(1.0, 2.0) != heard(2.0, 1.0));
}

fn reverberant() -> EffectParams {
    let mut effect_params = EffectParams::none();
    effect_params.used = true;
    effect_params.values.set(Param::ReverbOn, 1.0);
    effect_params.values.set(Param::ReverbMix, 1.0);
    effect_params
}

fn play(effects: &mut PartEffects, mut sound: Stereo, effect_params: &EffectParams) -> Stereo {
    let [left, right] = &mut sound;
    effects.render(left, right, effect_params);
    sound
}

fn loudest(sound: &Stereo) -> f32 {
    let samples = sound.iter().flatten();
    samples.fold(0.0, |a, b| a.max(b.abs()))
}

/// A room rings on when its sound ends, but not when it is cut off; and the next note finds it
/// empty.
#[test]
fn what_is_cut_off_does_not_ring() {
    const SILENCE: Stereo = [[0.0; TICK]; 2];
    let effect_params = reverberant();
    let cut = EffectParams {
        cut: true,
        ..effect_params
    };
    let mut effects = PartEffects::new(48_000.0);
    for tick in 0..400 {
        play(&mut effects, noise(tick), &effect_params);
    }
    assert!(loudest(&play(&mut effects, SILENCE, &effect_params)) > 1e-3);
    for _ in 0..FADE / TICK {
        play(&mut effects, SILENCE, &cut);
    }
    assert_eq!(play(&mut effects, SILENCE, &cut), SILENCE);
    assert!(effects.is_resting());
    for _ in 0..400 {
        assert_eq!(play(&mut effects, SILENCE, &effect_params), SILENCE);
    }
}

/// A note that begins while the rest fades is heard, and nothing jumps.
#[test]
fn a_note_takes_a_cut_back() {
    let effect_params = reverberant();
    let cut = EffectParams {
        cut: true,
        ..effect_params
    };
    let mut effects = PartEffects::new(48_000.0);
    let tone = |tick: usize| -> Stereo {
        let sample = |frame| (0.01 * (tick * TICK + frame) as f32).sin();
        [std::array::from_fn(sample); 2]
    };
    let mut heard = Vec::new();
    for tick in 0..400 {
        let effect_params = if (200..203).contains(&tick) {
            cut
        } else {
            effect_params
        };
        heard.extend(play(&mut effects, tone(tick), &effect_params)[0]);
    }
    let kink = |at: usize| (heard[at + 1] - 2.0 * heard[at] + heard[at - 1]).abs();
    let largest = |range: std::ops::Range<usize>| range.map(kink).fold(0.0, f32::max);
    let usual = largest(180 * TICK..200 * TICK);
    let around = largest(199 * TICK..230 * TICK);
    assert!(around < 4.0 * usual, "{around} against {usual}");
    assert!(heard[399 * TICK] != 0.0);
}
