//! Unison: a voice is described once a tick, and renderers make the clouds of its copies from that. Plain data and
//! plain arithmetic, shared with CUDA: see `kernels/cuda/unison.cuh`.

mod places;

use super::cloud::{Cloud, STARTS};
use crate::simd::U32x16;
pub(crate) use places::place_of;
pub use places::{Mix, pan_gains, pitch_factors};

/// The most copies that unison makes of a voice.
pub const MAX_COPIES: usize = 16;

/// The seeds of a voice's copies are this far apart, one cloud of partials.
const SEEDS_APART: u32 = 1_024;

/// A voice during one tick: the clouds of its unison copies, which are in slots one after the other.
///
/// It fills whole cache lines: what is written past the caches in parts of lines takes several times as long.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct UnisonVoice {
    /// What the copies share.
    pub description: Description,
    /// How they differ.
    pub unison: Unison,
    unused: [u32; 6],
}

/// The values of a [`Cloud`] up to its widths, which all copies share; odd copies have left and right exchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Description([u32; Description::WORDS]);

/// How the copies of a voice differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Unison {
    /// How many copies there are, 1 to [`MAX_COPIES`], and [`Unison::LEFT`] or [`Unison::RIGHT`].
    pub shape: u32,
    /// The seed of the first copy.
    pub seed: u32,
    /// The seeds of all copies relative to that, see [`Unison::seed_of`].
    pub seed_steps: SeedSteps,
    /// Phase per sample of ratio 1 in the middle of the copies, in `2^-32` turns.
    pub increment: f32,
    /// Octaves from there to the outermost copies.
    pub detune: f32,
    /// Levels and places at the tick's start.
    pub from: Mix,
    /// The same at the tick's end.
    pub to: Mix,
    /// The position of the noise of the middle of the copies at the tick's end, in `2^-32` points; lower half first.
    /// That of a copy is as far ahead as its pitch is higher.
    pub band_clock: [u32; 2],
    /// See [`Cloud::phase`]. All copies have it, so a renderer takes over copies one by one.
    pub phase: u32,
}

/// Five bits for each copy.
pub type SeedSteps = [u32; 3];

const _: () = assert!(size_of::<UnisonVoice>() == 192);
const _: () = assert!(size_of::<Unison>() == 72);
const _: () = assert!(size_of::<Description>() == std::mem::offset_of!(Cloud, seed));

impl Description {
    pub(super) const WORDS: usize = 24;

    /// That of `cloud`.
    #[inline(always)]
    pub fn of(cloud: &Cloud) -> Self {
        let words = cloud.to_words();
        let mut description = Self::default();
        description.0.copy_from_slice(&words[..Self::WORDS]);
        description
    }

    /// The cloud of a voice, without what its copies have of their own.
    #[inline(always)]
    pub fn cloud(&self) -> Cloud {
        let mut words = [0; Cloud::WORDS];
        words[..Self::WORDS].copy_from_slice(&self.0);
        Cloud::from_words(words)
    }

    /// Changes its cloud.
    #[inline(always)]
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Cloud)) {
        let mut cloud = self.cloud();
        change(&mut cloud);
        *self = Self::of(&cloud);
    }

    /// See [`Cloud::partials`].
    #[inline(always)]
    pub(crate) fn partials(&self) -> f32 {
        const AT: usize = std::mem::offset_of!(Cloud, partials) / size_of::<u32>();
        f32::from_bits(self.0[AT])
    }

    /// See [`Cloud::bandwidth`].
    #[inline(always)]
    pub(crate) fn bandwidth(&self) -> f32 {
        const AT: usize = std::mem::offset_of!(Cloud, bandwidth) / size_of::<u32>();
        f32::from_bits(self.0[AT])
    }

    /// See [`Cloud::first_frame`].
    #[inline(always)]
    pub(crate) fn first_frame(&self) -> u8 {
        (self.0[0] >> 8) as u8
    }

    /// The same for a cloud that has started before.
    pub(crate) fn sounding_on(mut self) -> Self {
        self.0[0] &= !(u32::from(STARTS) | 0xFF00);
        self
    }

    /// See [`Cloud::width_to`].
    #[inline(always)]
    pub(crate) fn width_to(&self) -> u16 {
        (self.0[Self::WORDS - 1] >> 16) as u16
    }

    /// Sets [`Cloud::width_from`].
    #[inline(always)]
    pub(crate) fn set_width_from(&mut self, width: u16) {
        let widths = &mut self.0[Self::WORDS - 1];
        *widths = *widths & 0xFFFF_0000 | u32::from(width);
    }
}

impl Unison {
    /// A bit of the shape: there is no right channel.
    pub const LEFT: u32 = 1 << 8;
    /// A bit of the shape: there is no left channel.
    pub const RIGHT: u32 = 1 << 9;
    /// The bits of the shape that count copies.
    const COPIES: u32 = 0xFF;

    /// How many copies there are.
    #[inline(always)]
    pub fn copies(&self) -> usize {
        (self.shape & Self::COPIES) as usize
    }

    /// Whether it has so many copies as there can be.
    pub fn is_valid(&self) -> bool {
        (1..=MAX_COPIES).contains(&self.copies())
    }

    /// The seed of a copy: the step of the copy is the number of the attempt in which it was found.
    #[inline(always)]
    pub fn seed_of(&self, copy: usize) -> u32 {
        let [low, middle, high] = self.seed_steps.map(u128::from);
        let steps = low | middle << 32 | high << 64;
        stepped_seed(self.seed, copy, (steps >> (copy * STEP_BITS)) as u32 % MAX_STEPS)
    }

    /// Packs the step of each copy.
    pub(crate) fn pack_steps(steps: &[u32; MAX_COPIES]) -> SeedSteps {
        let pack = |packed: u128, &step: &u32| packed << STEP_BITS | u128::from(step % MAX_STEPS);
        let packed = steps.iter().rev().fold(0, pack);
        [packed as u32, (packed >> 32) as u32, (packed >> 64) as u32]
    }

    /// The factors of the channels.
    #[inline(always)]
    fn channels(&self) -> [f32; 2] {
        let without = |side: u32| if self.shape & side != 0 { 0.0 } else { 1.0 };
        [without(Self::RIGHT), without(Self::LEFT)]
    }

    /// The factors of the copies' pitches.
    #[inline(always)]
    pub(crate) fn pitch_factors(&self) -> [f32; MAX_COPIES] {
        pitch_factors(self.copies(), self.detune)
    }

    /// The position of the noise in `2^-32` points.
    fn band_clock(&self) -> u64 {
        let [low, high] = self.band_clock.map(u64::from);
        low | high << 32
    }

    /// Sets that position.
    pub(crate) fn set_band_clock(&mut self, clock: u64) {
        self.band_clock = [clock as u32, (clock >> 32) as u32];
    }

    /// No less than any gain of a copy in this tick.
    #[inline(always)]
    pub(crate) fn loudest(&self) -> f32 {
        /// For rounding errors of gains by pan.
        const MARGIN: f32 = 1.001;
        MARGIN * self.from.gain.max(self.to.gain)
    }

    /// The gains at both ends of the tick relative to the larger ones, if all copies get louder or quieter by the same
    /// factor and none is panned.
    #[inline(always)]
    pub(crate) fn swell(&self) -> Option<[f32; 2]> {
        let Self { from, to, .. } = self;
        let stays = from.pan == to.pan
            && from.spread == to.spread
            && from.entry.min(Mix::ALL_IN) == to.entry.min(Mix::ALL_IN);
        let loudest = from.gain.max(to.gain);
        (stays && loudest > 0.0).then(|| [from.gain / loudest, to.gain / loudest])
    }

    /// What all copies have of their own, in lanes.
    #[inline(always)]
    pub fn expand(&self) -> Copies {
        let (copies, channels) = (self.copies(), self.channels());
        let factors = self.pitch_factors();
        let clock = self.band_clock();
        Copies {
            increments: factors.map(|factor| self.increment * factor),
            from: self.from.gains(copies, channels),
            to: self.to.gains(copies, channels),
            band_clocks: match clock {
                0 => [0; MAX_COPIES],
                _ => factors.map(|factor| (copy_clock(clock, factor) >> CLOCK_SHIFT) as u32),
            },
        }
    }
}

/// Bits of a band clock below those of [`Cloud::band_clock`].
const CLOCK_SHIFT: u32 = 18;

/// The band clock of the copy whose pitch has this factor.
#[inline(always)]
pub(crate) fn copy_clock(clock: u64, factor: f32) -> u64 {
    (clock as f64 * f64::from(factor)) as u64
}

/// Attempts to find a seed, and the bits of their numbers.
pub(crate) const MAX_STEPS: u32 = 1 << STEP_BITS;
const STEP_BITS: usize = 5;

/// The seed of a copy in one of the attempts.
#[inline(always)]
pub(crate) fn stepped_seed(seed: u32, copy: usize, step: u32) -> u32 {
    let number = copy as u32 + MAX_COPIES as u32 * step;
    seed.wrapping_add(number.wrapping_mul(SEEDS_APART))
}

/// What the copies of a voice have of their own in a tick, in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    increments: [f32; MAX_COPIES],
    /// Gains of left and right, at both ends of the tick.
    from: [[f32; MAX_COPIES]; 2],
    to: [[f32; MAX_COPIES]; 2],
    band_clocks: [u32; MAX_COPIES],
}

impl Copies {
    /// The lowest pitch of the first `count` copies, which are in order: see [`Cloud::increment`].
    #[inline(always)]
    pub(crate) fn lowest(&self, count: usize) -> f32 {
        self.increments[0].min(self.increments[count - 1])
    }
}

impl UnisonVoice {
    /// A voice without copies.
    pub(crate) const EMPTY: Self = {
        let unison = Unison {
            shape: 0,
            seed: 0,
            seed_steps: [0; 3],
            increment: 0.0,
            detune: 0.0,
            from: Mix::SILENT,
            to: Mix::SILENT,
            band_clock: [0; 2],
            phase: 0,
        };
        Self { description: Description([0; Description::WORDS]), unison, unused: [0; 6] }
    };

    /// The voice with this description whose copies differ so.
    #[inline(always)]
    pub fn new(description: Description, unison: Unison) -> Self {
        Self { description, unison, unused: [0; 6] }
    }

    /// A voice of one copy, which is `cloud`.
    pub fn single(cloud: &Cloud) -> Self {
        let mut unison = Unison {
            shape: 1,
            seed: cloud.seed,
            increment: cloud.increment,
            from: Mix::of_channels(cloud.gain_from),
            to: Mix::of_channels(cloud.gain_to),
            phase: cloud.phase,
            ..Unison::default()
        };
        unison.set_band_clock(u64::from(cloud.band_clock) << CLOCK_SHIFT);
        Self::new(Description::of(cloud), unison)
    }

    /// One of its copies, as a voice of its own that starts with this phase: for a renderer that takes over.
    pub(crate) fn taken_over(&self, copy: usize, phase: u32) -> Self {
        let Self { description, unison, .. } = self;
        let copies = unison.copies();
        let factor = unison.pitch_factors()[copy];
        let cloud = description.cloud();
        let (width_from, width_to) = widths(&cloud, copy);
        let flags = cloud.flags | STARTS;
        let mut own = Unison {
            shape: 1 | unison.shape & !Unison::COPIES,
            seed: unison.seed_of(copy),
            increment: unison.increment * factor,
            from: unison.from.of_copy(copy, copies),
            to: unison.to.of_copy(copy, copies),
            phase,
            ..Unison::default()
        };
        own.set_band_clock(copy_clock(unison.band_clock(), factor));
        Self::new(Description::of(&Cloud { flags, width_from, width_to, ..cloud }), own)
    }

    /// Its numbers, as vectors.
    #[inline(always)]
    pub(crate) fn lines(&self) -> &[U32x16; size_of::<Self>() / size_of::<U32x16>()] {
        // SAFETY: numbers without padding, of that size and alignment, and any bits are valid.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The same, to write to.
    #[inline(always)]
    pub(crate) fn lines_mut(&mut self) -> &mut [U32x16; size_of::<Self>() / size_of::<U32x16>()] {
        // SAFETY: numbers without padding, of that size and alignment, and any bits are valid.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// Its numbers, as pairs of words.
    #[inline(always)]
    pub fn pairs(&self) -> &[u64; Self::PAIRS] {
        // SAFETY: numbers without padding, at least so many, and aligned.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The voice of these numbers, whatever they are.
    #[inline(always)]
    pub fn from_pairs(pairs: [u64; Self::PAIRS]) -> Self {
        let mut voice = Self::default();
        // SAFETY: as above, and any bits are valid numbers.
        unsafe { *std::ptr::from_mut(&mut voice).cast() = pairs };
        voice
    }

    /// Pairs of words, without the unused ones at the end.
    pub const PAIRS: usize = (size_of::<Description>() + size_of::<Unison>()) / size_of::<u64>();

    /// Whether its clouds start in this tick.
    #[inline(always)]
    pub fn starts(&self) -> bool {
        self.description.0[0] & u32::from(STARTS) != 0
    }

    /// The same, with clouds that start.
    #[must_use]
    pub fn starting(mut self) -> Self {
        self.description.0[0] |= u32::from(STARTS);
        self
    }

    /// The cloud of a copy.
    pub fn cloud(&self, copy: usize) -> Cloud {
        let mut cloud = self.description.cloud();
        let widths = [cloud.width_from, cloud.width_to];
        self.complete(&self.unison.expand(), copy, widths, &mut cloud);
        cloud
    }

    /// Adds to the cloud of a voice of one copy without noise what that copy has of its own.
    #[inline(always)]
    pub(crate) fn complete_single(&self, cloud: &mut Cloud) {
        let Self { unison, .. } = self;
        let channels = unison.channels();
        cloud.seed = unison.seed_of(0);
        cloud.increment = unison.increment;
        cloud.gain_from = unison.from.gains_of_single(channels);
        cloud.gain_to = unison.to.gains_of_single(channels);
        cloud.phase = unison.phase;
    }

    /// Replaces the values of another copy in the cloud of the voice, whose widths are given.
    #[inline(always)]
    pub(crate) fn complete(
        &self,
        copies: &Copies,
        copy: usize,
        widths: [i16; 2],
        cloud: &mut Cloud,
    ) {
        let gains = |side: &[[f32; MAX_COPIES]; 2]| [side[0][copy], side[1][copy]];
        cloud.seed = self.unison.seed_of(copy);
        cloud.increment = copies.increments[copy];
        (cloud.gain_from, cloud.gain_to) = (gains(&copies.from), gains(&copies.to));
        (cloud.phase, cloud.band_clock) = (self.unison.phase, copies.band_clocks[copy]);
        [cloud.width_from, cloud.width_to] = widths;
        (cloud.width_from, cloud.width_to) = self::widths(cloud, copy);
    }
}

/// Whether a copy has left and right of its partials exchanged.
#[inline(always)]
pub(crate) fn is_mirrored(copy: usize) -> bool {
    copy % 2 == 1
}

/// The widths of a copy of the voice that `cloud` describes.
#[inline(always)]
fn widths(cloud: &Cloud, copy: usize) -> (i16, i16) {
    let Cloud { width_from, width_to, .. } = *cloud;
    match is_mirrored(copy) {
        true => (width_from.wrapping_neg(), width_to.wrapping_neg()),
        false => (width_from, width_to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_cloud_survives() {
        let cloud = Cloud {
            flags: STARTS,
            table: 7,
            partials: 20.0,
            width_from: -3,
            width_to: 5,
            seed: 9,
            increment: 1e6,
            gain_from: [0.0, 0.25],
            gain_to: [0.5, 0.125],
            phase: 11,
            band_clock: 13,
            ..Cloud::default()
        };
        let again = UnisonVoice::single(&cloud).cloud(0);
        for (gains, expected) in
            [(again.gain_from, cloud.gain_from), (again.gain_to, cloud.gain_to)]
        {
            for (gain, expected) in gains.iter().zip(expected) {
                assert!((gain - expected).abs() < 1e-6, "{gain} for {expected}");
            }
        }
        let (gain_from, gain_to) = (cloud.gain_from, cloud.gain_to);
        assert_eq!(Cloud { gain_from, gain_to, ..again }, cloud);
    }

    /// A renderer that takes over copies one by one renders what another one would have.
    #[test]
    fn copies_that_are_taken_over_are_the_same() {
        let steps = std::array::from_fn(|copy| 31 - copy as u32);
        let mix = |gain, entry| Mix { gain, pan: 0.2, spread: 0.6, entry };
        let description = Cloud { width_from: 100, width_to: 200, ..Cloud::default() };
        for copies in 1..=MAX_COPIES {
            let unison = Unison {
                shape: copies as u32 | Unison::LEFT,
                seed: 77,
                seed_steps: Unison::pack_steps(&steps),
                increment: 1e7,
                detune: 0.01,
                from: mix(0.1, 0.4),
                to: mix(0.2, 0.7),
                band_clock: [1 << 30, 7],
                ..Unison::default()
            };
            let voice = UnisonVoice::new(Description::of(&description), unison);
            for copy in 0..copies {
                let taken_over = voice.taken_over(copy, 123).cloud(0);
                let expected = Cloud { flags: STARTS, phase: 123, ..voice.cloud(copy) };
                assert_eq!(taken_over, expected, "copy {copy} of {copies}");
                assert_eq!(expected.seed, stepped_seed(77, copy, 31 - copy as u32));
                assert_eq!(expected.gain_to[1], 0.0);
            }
        }
    }
}
