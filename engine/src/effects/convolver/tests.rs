//! The convolver equals direct convolution, has no latency, spreads its work and never clicks.

use super::convolution::Convolution;
use super::*;
use crate::dsp::hash;
use crate::impulse::{Kernel, Responses};
use crate::render::TICK;
use std::sync::Arc;

const RATE: f32 = 48_000.0;
const CONTEXT: EffectContext = EffectContext { bpm: 120.0, beat: None };

fn noise(seed: u32, n: usize) -> f32 {
    hash(hash(seed) ^ n as u32) as f32 / (1u64 << 31) as f32 - 1.0
}

/// Decaying noise of this length, for one side.
fn response(seed: u32, frames: usize) -> Vec<f32> {
    let level = |n: usize| 0.1 * (-5.0 * n as f32 / frames as f32).exp();
    (0..frames).map(|n| level(n) * noise(seed, n)).collect()
}

fn convolution(responses: &[&[Vec<f32>]]) -> Convolution {
    let kernels = responses.iter().map(|channels| Arc::new(Kernel::new(channels)));
    Convolution::with(Responses::of(kernels.collect()), RATE)
}

const WHOLE: Setting = Setting { response: 0, length: 1.0 };

/// Plays `ticks` of both sides of an input through a setting of each tick.
fn play(
    convolution: &mut Convolution,
    ticks: usize,
    input: impl Fn(usize, usize) -> f32,
    setting: impl Fn(usize) -> Setting,
) -> [Vec<f32>; 2] {
    let mut heard = [Vec::new(), Vec::new()];
    for tick in 0..ticks {
        let at = |side: usize, frame: usize| input(side, tick * TICK + frame);
        let mut sound: Stereo =
            std::array::from_fn(|side| std::array::from_fn(|frame| at(side, frame)));
        convolution.convolve(&mut sound, setting(tick));
        heard.iter_mut().zip(sound).for_each(|(heard, sound)| heard.extend(sound));
    }
    heard
}

/// The power of the difference of `samples` to direct convolution in double precision, in decibels below the sound. Only
/// every `step`th frame is computed.
fn error(samples: &[f32], input: impl Fn(usize) -> f32, response: &[f32], step: usize) -> f64 {
    let (mut wrong, mut power) = (0.0, 1e-30);
    for frame in (0..samples.len()).step_by(step) {
        let taps = (0..response.len().min(frame + 1))
            .map(|tap| f64::from(response[tap]) * f64::from(input(frame - tap)));
        let exact: f64 = taps.sum();
        wrong += (f64::from(samples[frame]) - exact).powi(2);
        power += exact.powi(2);
    }
    10.0 * (wrong / power).log10()
}

/// Lengths around the borders of partitions, in mono and stereo, sound other than direct convolution would.
#[test]
fn equals_direct_convolution() {
    for frames in [1, 31, 32, 33, 511, 512, 513, 800, 4_095, 4_097, 6_200, 20_001] {
        let stereo = [response(1, frames), response(2, frames)];
        for channels in [&stereo[..1], &stereo[..]] {
            let mut convolution = convolution(&[channels]);
            let input = |side: usize, n: usize| noise(3 + side as u32, n);
            let heard = play(&mut convolution, 900, input, |_| WHOLE);
            for (side, heard) in heard.iter().enumerate() {
                let response = &channels[side.min(channels.len() - 1)];
                let error = error(heard, |n| input(side, n), response, 97);
                assert!(error < -120.0, "{frames} frames, side {side}: {error} dB");
            }
        }
    }
}

/// A click comes back as the response, from the first frame on, wherever in a block it is; also after a reset.
#[test]
fn has_no_latency() {
    let channels = [response(1, 9_000), response(2, 9_000)];
    let mut convolution = convolution(&[&channels]);
    for click in [0, 1, 31, 32, 300, 2_047, 2_048, 5_000] {
        convolution.reset();
        let input = |_: usize, n: usize| f32::from(u8::from(n == click));
        let heard = play(&mut convolution, 450, input, |_| WHOLE);
        for (heard, channel) in heard.iter().zip(&channels) {
            let (before, after) = heard.split_at(click);
            assert!(before.iter().all(|x| x.abs() < 1e-7), "click at {click}");
            let wrong = after.iter().zip(channel).map(|(x, y)| (x - y).abs());
            assert!(wrong.fold(0.0, f32::max) < 1e-7, "click at {click}");
        }
    }
}

/// Every tick has about as many products as any other: a spike would be a dropout.
#[test]
fn work_is_spread_over_ticks() {
    let channels = [response(1, 140_000), response(2, 140_000)];
    let mut convolution = convolution(&[&channels]);
    let mut bins = Vec::new();
    for tick in 0..5_000 {
        let mut sound = [[0.1; TICK]; 2];
        convolution.convolve(&mut sound, WHOLE);
        let products = convolution.bins();
        // When the history is full, after the response's length.
        if tick >= 4_500 {
            bins.push(products);
        }
    }
    let mean = bins.iter().sum::<usize>() as f32 / bins.len() as f32;
    let most = *bins.iter().max().unwrap() as f32;
    assert!(most < 1.8 * mean, "{most} products in a tick, {mean} on average");
}

/// The largest bend of a waveform: a click stands out.
fn kink(samples: &[f32]) -> f32 {
    samples.windows(3).map(|x| (x[2] - 2.0 * x[1] + x[0]).abs()).fold(0.0, f32::max)
}

fn sine(_: usize, n: usize) -> f32 {
    (std::f32::consts::TAU * 220.0 * n as f32 / RATE).sin()
}

/// Another response or length is crossfaded, again and again, and then sounds as if it had always been there.
#[test]
fn changes_are_crossfaded() {
    let [first, second] = [[response(1, 12_000)], [response(7, 9_000)]];
    let mut it = convolution(&[&first, &second]);
    let changing = |tick: usize| match tick {
        0..600 => WHOLE,
        600..900 => Setting { response: 1, length: 1.0 },
        // A knob that is turned.
        900..1_000 => Setting { response: 1, length: 1.0 - 0.008 * (tick - 900) as f32 },
        _ => Setting { response: 1, length: 0.2 },
    };
    let [heard, _] = play(&mut it, 2_000, sine, changing);
    let steady = kink(&heard[500 * TICK..600 * TICK]);
    let moving = kink(&heard[600 * TICK..]);
    assert!(moving < 3.0 * steady.max(1e-4), "{moving} against {steady}");
    let mut fresh = convolution(&[&second]);
    let settled = |_| Setting { response: 0, length: 0.2 };
    let [expected, _] = play(&mut fresh, 2_000, sine, settled);
    let last = 1_600 * TICK;
    let wrong = heard[last..].iter().zip(&expected[last..]).map(|(x, y)| (x - y).abs());
    assert!(wrong.fold(0.0, f32::max) < 1e-6);
}

/// A shorter length decays sooner, by as much as it says.
#[test]
fn length_shortens_the_decay() {
    // Falls by 60 dB to its end.
    let decaying = |n: usize| noise(5, n) * 10f32.powf(-3.0 * n as f32 / 48_000.0);
    let channels = [(0..48_000).map(decaying).collect::<Vec<f32>>()];
    let mut convolution = convolution(&[&channels]);
    let click = |_: usize, n: usize| f32::from(u8::from(n == 0));
    let [heard, _] = play(&mut convolution, 1_500, click, |_| Setting { response: 0, length: 0.5 });
    let level = |from: usize| {
        let power: f32 = heard[from..from + 2_048].iter().map(|x| x * x).sum();
        10.0 * power.log10()
    };
    let fallen = level(2_048) - level(2_048 + 12_000);
    assert!((fallen - 30.0).abs() < 2.0, "{fallen} dB in a quarter of a second");
}

fn values(settings: &[(Param, f32)]) -> EffectValues {
    let mut values = EffectValues::off();
    values.set(Param::ConvolverOn, 1.0);
    settings.iter().for_each(|&(param, value)| values.set(param, value));
    values
}

/// Responses that come while the effect plays are faded in; without any the sound passes.
#[test]
fn responses_may_come_later() {
    let mut effect = Convolver::new(RATE);
    let values = values(&[(Param::ConvolverMix, 1.0)]);
    let mut heard = Vec::new();
    let mut arriving = Some(Box::new(Convolution::new(None, RATE)));
    for tick in 0..1_200 {
        if tick == 300 {
            effect.exchange_convolution(&mut arriving);
        }
        let mut sound: Stereo = [std::array::from_fn(|frame| sine(0, tick * TICK + frame)); 2];
        let dry = sound;
        effect.render(&mut sound, &values, CONTEXT);
        assert!(tick >= 300 || sound == dry);
        if tick >= 300 {
            heard.extend(sound[0]);
        }
    }
    assert!(arriving.is_none());
    // A sine of this pitch bends by its frequency squared.
    let bend = (std::f32::consts::TAU * 220.0 / RATE).powi(2);
    assert!(kink(&heard) < 6.0 * bend, "{} against {bend}", kink(&heard));
    assert!(heard[20_000..].iter().any(|x| x.abs() > 0.05));
}

/// Pre-delay, tone, width and mix move without a click, and a pre-delay delays.
#[test]
fn knobs_move_without_clicks() {
    let mut effect = Convolver::new(RATE);
    effect.exchange_convolution(&mut Some(Box::new(Convolution::new(None, RATE))));
    let mut heard = Vec::new();
    for tick in 0..3_000 {
        let x = (tick as f32 * 0.01).sin() * 0.5 + 0.5;
        let values = values(&[
            (Param::ConvolverResponse, (tick / 400 % 6) as f32),
            (Param::ConvolverWait, 0.1 * x),
            (Param::ConvolverTone, 2_000.0 + 18_000.0 * x),
            (Param::ConvolverLowCut, 20.0 + 400.0 * x),
            (Param::ConvolverWidth, x),
            (Param::ConvolverLength, 0.1 + 0.9 * x),
            (Param::ConvolverMix, 0.3 + 0.7 * x),
        ]);
        let mut sound: Stereo = [std::array::from_fn(|frame| sine(0, tick * TICK + frame)); 2];
        effect.render(&mut sound, &values, CONTEXT);
        heard.extend(sound[0]);
    }
    let bend = (std::f32::consts::TAU * 220.0 / RATE).powi(2);
    assert!(kink(&heard[9_600..]) < 8.0 * bend, "{} against {bend}", kink(&heard[9_600..]));
}
