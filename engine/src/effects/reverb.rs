//! The reverb: a feedback delay network of sixteen delay lines.
//!
//! Sound is first spread by three diffusers, each of which sends sixteen channels through short
//! delays and mixes them (Geraint Luff, "Let's Write a Reverb", 2021), so that a click becomes
//! thousands of echoes after a tenth of a second. Then it enters a feedback delay network (Jot and
//! Chaigne, AES 1991): each line attenuates by its length, highs more than lows, and a lossless
//! Hadamard matrix mixes the lines. The lengths are modulated, slowly and independently, so that no
//! mode rings.

use super::crossfaded_tap::CrossfadedTap;
use super::line::{between, touched};
use super::ramp::{Glide, balance};
use super::sweep::Sweep;
use super::{Effect, EffectContext, EffectValues, GONE, Stereo};
use crate::dsp::{FADE, fade_in, hash};
use crate::params::Param;
use crate::render::TICK;
use crate::simd::{Level, Simd, Work};
use std::f32::consts::{PI, TAU};

const LINES: usize = 16;
type Frame = [f32; LINES];
type Taps = [[usize; LINES]; 3];

/// The longest delay of each diffuser at full size.
const DIFFUSER_SECONDS: [f32; 3] = [0.017, 0.041, 0.083];
/// The shortest and the longest line of the network at size 1.
const LINE_SECONDS: [f32; 2] = [0.031, 0.097];
/// Size factors at the knob's ends.
const SIZES: [f32; 2] = [0.25, 1.6];
/// Modulation of the lengths at the knob's end.
const DRIFT_SECONDS: f32 = 0.000_6;
/// The longest pre-delay.
const LONGEST_WAIT_SECONDS: f32 = 0.25;
/// Highs decay this many times faster, above the damping frequency.
const FASTER: f32 = 6.0;
/// How fast lines change their length with the size: samples per sample, so a fifth at most.
const FASTEST_CHANGE: f32 = 0.2;

#[derive(Debug)]
pub(super) struct Reverb {
    // Signal state.
    wait: Ring<2>,
    pre_delay: CrossfadedTap,
    diffusers: [Ring<LINES>; 3],
    network: Ring<LINES>,
    /// State of the low cut, left and right.
    lows: [f32; 2],
    /// State of the shelf in each line: last input and output.
    shelf: [Frame; 2],
    sweeps: [Sweep; LINES],
    /// Lengths of the lines in samples, at the end of the last tick.
    lengths: Option<Frame>,
    /// The diffusers' delays, the former ones, and the progress of the crossfade between them.
    taps: Option<Taps>,
    taps_before: Taps,
    faded: usize,
    // Parameters.
    level: Glide,
    width: Glide,
    mix: Glide,
    sample_rate: f32,
    instructions: Level,
}

impl Reverb {
    pub(super) fn new(sample_rate: f32) -> Self {
        let frames = |seconds: f32| (seconds * sample_rate) as usize + TICK;
        Self {
            wait: Ring::new(frames(LONGEST_WAIT_SECONDS)),
            pre_delay: CrossfadedTap::new(),
            diffusers: DIFFUSER_SECONDS.map(|seconds| Ring::new(frames(seconds))),
            network: Ring::new(frames(LINE_SECONDS[1] * SIZES[1] + DRIFT_SECONDS)),
            lows: [0.0; 2],
            shelf: [[0.0; LINES]; 2],
            sweeps: [Sweep::default(); LINES],
            lengths: None,
            taps: None,
            taps_before: [[0; LINES]; 3],
            faded: FADE,
            level: Glide::default(),
            width: Glide::default(),
            mix: Glide::default(),
            sample_rate,
            instructions: Level::best(),
        }
    }

    /// The target length of each line, and the ramp to it in this tick.
    fn stretch(&mut self, values: &EffectValues) -> [Frame; 2] {
        let size = size(values);
        let drift = values[Param::ReverbDrift] * DRIFT_SECONDS * self.sample_rate;
        let target: Frame = std::array::from_fn(|line| {
            let fraction = (line as f32 + 0.6 * random(line, 7)) / LINES as f32;
            let seconds = LINE_SECONDS[0] * (LINE_SECONDS[1] / LINE_SECONDS[0]).powf(fraction);
            // Between a third and one cycle a second, none a multiple of another.
            self.sweeps[line].tick(0.31 + 0.67 * random(line, 11), self.sample_rate);
            let away = drift * (1.0 + self.sweeps[line].at(random(line, 13)));
            size * seconds * self.sample_rate + away
        });
        let from = self.lengths.unwrap_or(target);
        let most = FASTEST_CHANGE * TICK as f32;
        let to =
            std::array::from_fn(|line| from[line] + (target[line] - from[line]).clamp(-most, most));
        self.lengths = Some(to);
        [from, to]
    }

    /// The diffusers' delays; a new size is crossfaded.
    fn spread(&mut self, values: &EffectValues) -> Taps {
        let longest = size(values) / SIZES[1];
        let wanted = DIFFUSER_SECONDS.map(|seconds| seconds * longest.sqrt() * self.sample_rate);
        let wanted: Taps = std::array::from_fn(|stage| {
            std::array::from_fn(|line| {
                let fraction = (line as f32 + random(line, stage as u32)) / LINES as f32;
                1 + (fraction * wanted[stage]) as usize
            })
        });
        let now = *self.taps.get_or_insert(wanted);
        if now != wanted && self.faded == FADE {
            (self.taps_before, self.taps, self.faded) = (now, Some(wanted), 0);
            return wanted;
        }
        now
    }

    /// Coefficients of each line's shelf: for this input, the last input and the last output. And
    /// the power that a line of middle length leaves.
    fn losses(&self, values: &EffectValues, lengths: &Frame) -> ([Frame; 3], f32) {
        let decay = values[Param::ReverbDecay];
        let kept =
            |length: f32, seconds: f32| 10f32.powf(-3.0 * length / (seconds * self.sample_rate));
        let turn = (PI * (values[Param::ReverbDamp] / self.sample_rate).min(0.45)).tan();
        let mut shelf = [[0.0; LINES]; 3];
        for (line, &length) in lengths.iter().enumerate() {
            let (low, high) = (kept(length, decay), kept(length, decay / FASTER));
            // A first-order shelf by the bilinear transform.
            let scale = 1.0 / (1.0 + turn);
            shelf[0][line] = (high + low * turn) * scale;
            shelf[1][line] = (low * turn - high) * scale;
            shelf[2][line] = (1.0 - turn) * scale;
        }
        let middle = kept(lengths[LINES / 2], decay);
        (shelf, middle * middle)
    }
}

impl Effect for Reverb {
    fn reset(&mut self) {
        self.wait.reset();
        self.pre_delay.reset();
        self.diffusers.iter_mut().for_each(Ring::reset);
        self.network.reset();
        self.lows = [0.0; 2];
        self.shelf = [[0.0; LINES]; 2];
        self.sweeps = [Sweep::default(); LINES];
        (self.lengths, self.taps, self.faded) = (None, None, FADE);
        let glides = [&mut self.level, &mut self.width, &mut self.mix];
        glides.into_iter().for_each(Glide::reset);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        self.instructions.dispatch(Tick { reverb: self, sound, values });
    }

    fn memory(&self, _: &EffectValues) -> usize {
        let longest = LONGEST_WAIT_SECONDS + DIFFUSER_SECONDS.iter().sum::<f32>();
        ((longest + LINE_SECONDS[1] * SIZES[1]) * self.sample_rate) as usize
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        // The parameter is the time for 60 dB.
        values[Param::ReverbDecay] * GONE.log10() / -3.0
    }
}

/// Processes one tick, with the best SIMD level.
struct Tick<'a> {
    reverb: &'a mut Reverb,
    sound: &'a mut Stereo,
    values: &'a EffectValues,
}

impl Work for Tick<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.reverb.tick(self.sound, self.values);
    }
}

impl Reverb {
    #[inline(always)]
    fn tick(&mut self, sound: &mut Stereo, values: &EffectValues) {
        let [from, to] = self.stretch(values);
        let (shelf, kept) = self.losses(values, &to);
        let cut = 1.0 - (-TAU * values[Param::ReverbLowCut] / self.sample_rate).exp();
        let taps = self.spread(values);
        // A long decay accumulates more; half of that is compensated.
        let mut level = self.level.ramp((1.0 - kept).powf(0.3));
        let mut width = self.width.ramp(values[Param::ReverbWidth]);
        let mut mix = self.mix.ramp(values[Param::ReverbMix]);
        self.pre_delay.set_delay((values[Param::ReverbWait] * self.sample_rate) as usize);
        let step: Frame = std::array::from_fn(|line| (to[line] - from[line]) / TICK as f32);
        let mut lengths = from;
        let [left, right] = sound;
        for (left, right) in left.iter_mut().zip(right) {
            let mut dry = [*left, *right];
            for (dry, low) in dry.iter_mut().zip(&mut self.lows) {
                *low += (*dry - *low) * cut;
                *dry -= *low;
            }
            self.wait.push(dry);
            let wait = &self.wait;
            let late = [0, 1].map(|side| self.pre_delay.read(|ago| wait.frame(ago)[side]));
            self.pre_delay.step();
            let mut spread: Frame = std::array::from_fn(|line| 0.25 * late[line % 2]);
            for (stage, diffuser) in self.diffusers.iter_mut().enumerate() {
                diffuser.push(spread);
                spread = diffuser.taps(&taps[stage]);
                if self.faded < FADE {
                    let before = diffuser.taps(&self.taps_before[stage]);
                    let share = fade_in(self.faded);
                    for (now, before) in spread.iter_mut().zip(before) {
                        *now = before + (*now - before) * share;
                    }
                }
                flip(&mut spread, stage);
                hadamard(&mut spread);
            }
            self.faded = (self.faded + 1).min(FADE);
            let mut back = [0.0; LINES];
            for line in 0..LINES {
                lengths[line] += step[line];
                back[line] = self.network.line_between(line, lengths[line] - 1.0);
            }
            let [before, after] = &mut self.shelf;
            for line in 0..LINES {
                let damped = shelf[0][line] * back[line]
                    + shelf[1][line] * before[line]
                    + shelf[2][line] * after[line];
                (before[line], after[line]) = (back[line], damped);
            }
            let mut round = *after;
            hadamard(&mut round);
            self.network.push(std::array::from_fn(|line| spread[line] + round[line]));
            // Early echoes from the diffusers, the late reverb from the lines; the signs for left
            // and right make the two uncorrelated.
            let mut wet = [0.0; 2];
            for line in 0..LINES {
                let heard = back[line] + 0.7 * spread[line];
                wet[0] += if line / 2 % 2 == 0 { heard } else { -heard };
                wet[1] += if line / 4 % 2 == 0 { heard } else { -heard };
            }
            let (level, width, mix) = (0.5 * level.next(), width.next(), mix.next());
            let (middle, side) = (level * (wet[0] + wet[1]), level * width * (wet[0] - wet[1]));
            *left = balance(*left, middle + side, mix);
            *right = balance(*right, middle - side, mix);
        }
    }
}

/// Size factor of the room.
fn size(values: &EffectValues) -> f32 {
    SIZES[0] * (SIZES[1] / SIZES[0]).powf(values[Param::ReverbSize])
}

/// A fixed number of each line, 0 to 1.
fn random(line: usize, salt: u32) -> f32 {
    hash(line as u32 * 31 + salt * 1_013 + 5) as f32 / u32::MAX as f32
}

/// Inverts half of the channels, different ones in each stage.
#[inline(always)]
fn flip(frame: &mut Frame, stage: usize) {
    const SIGNS: [u16; 3] = [0b0110_1001_1100_0011, 0b0101_1010_0011_1100, 0b1001_0110_1010_0101];
    for (line, x) in frame.iter_mut().enumerate() {
        if SIGNS[stage] >> line & 1 == 1 {
            *x = -*x;
        }
    }
}

/// Hadamard matrix: mixes all channels and keeps their power.
#[inline(always)]
fn hadamard(frame: &mut Frame) {
    for half in [8, 4, 2, 1] {
        for pair in frame.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (*low + *high, *low - *high);
            }
        }
    }
    frame.iter_mut().for_each(|x| *x *= 0.25);
}

/// A delay line of several channels.
#[derive(Debug)]
struct Ring<const N: usize> {
    frames: Vec<[f32; N]>,
    written: usize,
}

impl<const N: usize> Ring<N> {
    fn new(frames: usize) -> Self {
        Self { frames: touched((frames + 4).next_power_of_two(), [0.0; N]), written: 0 }
    }

    fn reset(&mut self) {
        let dirty = self.written.min(self.frames.len());
        self.frames[..dirty].fill([0.0; N]);
        self.written = 0;
    }

    #[inline(always)]
    fn push(&mut self, frame: [f32; N]) {
        let mask = self.frames.len() - 1;
        self.frames[self.written & mask] = frame;
        self.written += 1;
    }

    /// The frame pushed `delay` frames before the last one.
    #[inline(always)]
    fn frame(&self, delay: usize) -> &[f32; N] {
        let mask = self.frames.len() - 1;
        &self.frames[self.written.wrapping_sub(1 + delay) & mask]
    }

    /// Each channel with its own delay.
    #[inline(always)]
    fn taps(&self, delays: &[usize; N]) -> [f32; N] {
        std::array::from_fn(|channel| self.frame(delays[channel])[channel])
    }

    /// One channel, with interpolation; the shortest delay is one.
    #[inline(always)]
    fn line_between(&self, channel: usize, delay: f32) -> f32 {
        let delay = delay.max(1.0);
        let whole = delay as usize;
        let tap = |near: usize| self.frame(whole + near - 1)[channel];
        between([tap(0), tap(1), tap(2), tap(3)], delay - whole as f32)
    }
}
