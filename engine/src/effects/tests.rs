//! Racks: effects that are off change nothing, and a silent rack starts again like a new one.

use super::convolver::Convolution;
use super::rack::Rack;
use super::*;
use crate::params::Param;

const CONTEXT: EffectContext = EffectContext { bpm: 120.0, beat: None };

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
        rack.render(&mut sound, &EffectValues::off(), CONTEXT);
        assert_eq!(sound, noise(tick));
    }
}

/// A rack that was silent plays like a new one: no earlier sound is heard again.
#[test]
fn a_silent_effect_restarts_like_a_new_one() {
    for switch in EffectValues::SWITCHES {
        let mut values = EffectValues::off();
        values.set(switch, 1.0);
        // Effects that do nothing at their defaults.
        values.set(Param::EqLowGain, 6.0);
        values.set(Param::LimiterCeiling, -20.0);
        values.set(Param::DelayTime, 0.02);
        let play = |rack: &mut Rack| -> Vec<Stereo> {
            let tick = |tick| {
                let mut sound = noise(tick);
                rack.render(&mut sound, &values, CONTEXT);
                sound
            };
            (0..100).map(tick).collect()
        };
        let mut rack = Rack::new(48_000.0);
        rack.exchange_convolution(&mut Some(Box::new(Convolution::new(None, 48_000.0))));
        rack.start(&values);
        let first = play(&mut rack);
        assert!(first[50] != noise(50), "{switch:?} does something");
        assert!(!rack.is_silent());
        let mut ticks = 0;
        while !rack.is_silent() {
            rack.render(&mut [[0.0; TICK]; 2], &values, CONTEXT);
            ticks += 1;
            assert!(ticks < 60 * 1_500, "{switch:?} ends");
        }
        rack.render(&mut [[0.0; TICK]; 2], &values, CONTEXT);
        assert!(play(&mut rack) == first, "{switch:?}");
    }
}

/// The order is audible: drive before reverb differs from reverb before drive.
#[test]
fn effects_run_in_the_order_of_their_parameters() {
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
            rack.render(&mut sound, &values, CONTEXT);
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

/// A reverb rings on after its input ends, but not when sound is cut off; and the next note starts
/// with an empty reverb.
#[test]
fn a_cut_silences_reverb_tails() {
    const SILENCE: Stereo = [[0.0; TICK]; 2];
    let effect_params = reverberant();
    let cut = EffectParams { cut: true, ..effect_params };
    let mut effects = PartEffects::new(48_000.0);
    for tick in 0..400 {
        play(&mut effects, noise(tick), &effect_params);
    }
    assert!(loudest(&play(&mut effects, SILENCE, &effect_params)) > 1e-3);
    for _ in 0..FADE / TICK {
        play(&mut effects, SILENCE, &cut);
    }
    assert_eq!(play(&mut effects, SILENCE, &cut), SILENCE);
    assert!(effects.is_silent());
    for _ in 0..400 {
        assert_eq!(play(&mut effects, SILENCE, &effect_params), SILENCE);
    }
}

/// A note that starts during the fade-out of a cut is heard, without a jump.
#[test]
fn a_note_during_a_cut_is_heard() {
    let effect_params = reverberant();
    let cut = EffectParams { cut: true, ..effect_params };
    let mut effects = PartEffects::new(48_000.0);
    let tone = |tick: usize| -> Stereo {
        let sample = |frame| (0.01 * (tick * TICK + frame) as f32).sin();
        [std::array::from_fn(sample); 2]
    };
    let mut heard = Vec::new();
    for tick in 0..400 {
        let effect_params = if (200..203).contains(&tick) { cut } else { effect_params };
        heard.extend(play(&mut effects, tone(tick), &effect_params)[0]);
    }
    let kink = |at: usize| (heard[at + 1] - 2.0 * heard[at] + heard[at - 1]).abs();
    let largest = |range: std::ops::Range<usize>| range.map(kink).fold(0.0, f32::max);
    let usual = largest(180 * TICK..200 * TICK);
    let nearby = largest(199 * TICK..230 * TICK);
    assert!(nearby < 4.0 * usual, "{nearby} against {usual}");
    assert!(heard[399 * TICK] != 0.0);
}
