//! The sounding clouds: their slots in the renderer, their last states, and the clouds that fade out.

mod free_slots;

use crate::disjoint::Disjoint;
use crate::render::block::{BlockWriter, Extent};
use crate::render::{TICK, VoiceBlock};
use crate::spectrum::{Cloud, Description, STARTS, UnisonCopy};
use free_slots::FreeSlots;

/// The fade-out of a cloud that is stolen, silenced or replaced.
const FADE_SECONDS: f32 = 0.005;

/// Extra bits of the phases here, because rounding errors accumulate.
const FINER: u32 = 16;

/// Slots, and the block that is being written.
#[derive(Debug)]
pub(crate) struct CloudPool {
    states: Vec<SlotState>,
    /// The last cloud of each slot that describes a voice, for all its copies: see [`SlotState::describer`].
    last: Vec<Cloud>,
    free: FreeSlots,
    /// Slots from this one on have never been used since the last reset.
    high: usize,
    fading_clouds: Vec<FadingCloud>,
    fade_ticks: u32,
    block: VoiceBlock,
}

/// What is kept of a slot from tick to tick.
#[derive(Clone, Debug, Default)]
struct SlotState {
    /// The phase of ratio 1, with extra bits.
    phase: u64,
    /// The position of the noise in its lattice, in `2^-32` points.
    band_clock: u64,
    /// The last gains: ramps start there.
    gain: [f32; 2],
    increment: f32,
    seed: u32,
    /// The slot of the voice's copy that describes it.
    describer: u32,
    is_mirrored: bool,
}

/// A cloud without a voice: it keeps its last values, which its slot describes, and fades out.
#[derive(Clone, Copy, Debug)]
struct FadingCloud {
    slot: u32,
    ticks_left: u32,
}

impl CloudPool {
    pub(crate) fn new(slots: usize, parts: usize, sample_rate: f32) -> Self {
        Self {
            states: vec![SlotState::default(); slots],
            last: vec![Cloud::default(); slots],
            free: FreeSlots::new(slots, parts),
            high: 0,
            fading_clouds: Vec::with_capacity(slots),
            fade_ticks: (FADE_SECONDS * sample_rate / TICK as f32).ceil().max(1.0) as u32,
            block: VoiceBlock::new(slots),
        }
    }

    pub(crate) fn reset(&mut self) {
        self.free.reset();
        self.block.list_slots(self.high);
        self.block.clear();
        self.high = 0;
        self.fading_clouds.clear();
    }

    /// How many slots are free.
    pub(crate) fn left(&self) -> usize {
        self.free.count()
    }

    /// A slot for `part`, if one is free.
    pub(crate) fn take(&mut self, part: usize) -> Option<u32> {
        let slot = self.free.take(part)?;
        self.high = self.high.max(slot as usize + 1);
        Some(slot)
    }

    /// Frees the slot of a silent cloud.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.give_back(slot);
    }

    /// Fades out the cloud in `slot` and then frees the slot.
    pub(crate) fn fade(&mut self, slot: u32) {
        // The copy that described it may be gone before the fade ends.
        self.last[slot as usize] = self.last(slot);
        let state = &mut self.states[slot as usize];
        (state.describer, state.is_mirrored) = (slot, false);
        self.fading_clouds.push(FadingCloud { slot, ticks_left: self.fade_ticks });
    }

    /// Ticks of a fade-out.
    pub(crate) fn fade_ticks(&self) -> u32 {
        self.fade_ticks
    }

    /// The last cloud of `slot`, at its end.
    pub(crate) fn last(&self, slot: u32) -> Cloud {
        let state = &self.states[slot as usize];
        let mut cloud = self.last[state.describer as usize];
        if state.is_mirrored {
            cloud.width_to = -cloud.width_to;
        }
        Cloud {
            seed: state.seed,
            increment: state.increment,
            gain_from: state.gain,
            gain_to: state.gain,
            width_from: cloud.width_to,
            phase: (state.phase >> FINER) as u32,
            ..cloud
        }
    }

    /// Opens the next `ticks` ticks of the block.
    pub(crate) fn start_ticks(&mut self, ticks: usize) {
        (0..ticks).for_each(|_| self.block.start_tick());
    }

    /// Ticks of the block.
    pub(crate) fn ticks(&self) -> usize {
        self.block.ticks()
    }

    /// Exchanges the block, which is complete, for an empty one.
    pub(crate) fn swap_block(&mut self, empty: &mut VoiceBlock) {
        self.block.list_slots(self.high);
        std::mem::swap(&mut self.block, empty);
    }

    /// For writing the clouds of the block's ticks.
    pub(crate) fn clouds(&mut self) -> Clouds<'_> {
        Clouds {
            states: Disjoint::new(&mut self.states),
            last: Disjoint::new(&mut self.last),
            block: self.block.writer(),
            fade_step: 1.0 / self.fade_ticks as f32,
        }
    }

    /// Adds the fading clouds to `tick`, and frees the slots of those that are silent after it.
    pub(crate) fn fade_in_tick(&mut self, tick: usize) {
        let fading_clouds = std::mem::take(&mut self.fading_clouds);
        let clouds = self.clouds();
        // SAFETY: it is the only writer.
        let mut writer = unsafe { clouds.writer(tick) };
        writer.reserve(fading_clouds.len());
        for &FadingCloud { slot, ticks_left } in &fading_clouds {
            let last = writer.described_by(slot);
            let left = (ticks_left - 1) as f32 / ticks_left as f32;
            let cloud = Cloud {
                flags: last.flags & !STARTS,
                first_frame: 0,
                gain_to: last.gain_to.map(|gain| gain * left),
                width_from: last.width_to,
                ..last
            };
            writer.push(slot, &cloud);
        }
        drop(writer);
        self.fading_clouds = fading_clouds;
        let free = &mut self.free;
        self.fading_clouds.retain_mut(|fading_cloud| {
            fading_cloud.ticks_left -= 1;
            if fading_cloud.ticks_left == 0 {
                free.give_back(fading_cloud.slot);
            }
            fading_cloud.ticks_left > 0
        });
    }

    /// Clouds that sound, including fading ones.
    pub(crate) fn sounding(&self) -> usize {
        self.states.len() - self.free.count()
    }
}

/// The clouds of a block, which several threads write at once.
pub(crate) struct Clouds<'a> {
    states: Disjoint<'a, SlotState>,
    last: Disjoint<'a, Cloud>,
    block: BlockWriter<'a>,
    /// The fraction of a fade in one tick.
    fade_step: f32,
}

impl Clouds<'_> {
    /// A writer for some of the slots in `tick`.
    ///
    /// # Safety
    /// No two threads write to the same slot. Slots that were taken belong to one voice, so it is
    /// enough that each voice is computed by one thread.
    pub(crate) unsafe fn writer(&self, tick: usize) -> CloudWriter<'_> {
        CloudWriter { clouds: self, tick, next_description: 0 }
    }
}

/// A description in the block.
#[derive(Clone, Copy)]
pub(crate) struct Described {
    index: u32,
    /// The slot that keeps it for the next tick.
    slot: u32,
    extent: Extent,
    starts: bool,
    first_frame: u8,
    bandwidth: f32,
}

/// The values of a unison copy that its voice determines.
pub(crate) struct OwnValues {
    pub(crate) seed: u32,
    pub(crate) increment: f32,
    /// The gains of left and right at the tick's end.
    pub(crate) gain: [f32; 2],
    /// Whether the partials have left and right exchanged.
    pub(crate) is_mirrored: bool,
}

/// Writes clouds to one tick of a block.
pub(crate) struct CloudWriter<'a> {
    clouds: &'a Clouds<'a>,
    tick: usize,
    /// The next index of those that were reserved.
    next_description: u32,
}

impl CloudWriter<'_> {
    /// The tick.
    pub(crate) fn tick(&self) -> usize {
        self.tick
    }

    /// The fraction of a fade in one tick.
    pub(crate) fn fade_step(&self) -> f32 {
        self.clouds.fade_step
    }

    /// Reserves room for so many descriptions, at least as many as will be added.
    pub(crate) fn reserve(&mut self, descriptions: usize) {
        self.next_description = self.clouds.block.reserve(self.tick, descriptions as u32);
    }

    /// The last cloud that `slot` described.
    fn described_by(&self, slot: u32) -> Cloud {
        // SAFETY: this writer alone uses the slot; see `Clouds::writer`.
        unsafe { *self.clouds.last.get(slot as usize) }
    }

    /// The stereo width of `slot` at the end of the last tick.
    #[inline(always)]
    pub(crate) fn last_width(&self, slot: u32) -> i16 {
        // SAFETY: this writer alone uses the slot, and its describer; see `Clouds::writer`.
        let state = unsafe { self.clouds.states.get(slot as usize) };
        // SAFETY: as above.
        let width = unsafe { self.clouds.last.get(state.describer as usize).width_to };
        if state.is_mirrored { -width } else { width }
    }

    /// Describes a voice, or one copy that differs from others, whose first slot is `slot`.
    #[inline(always)]
    pub(crate) fn describe(&mut self, slot: u32, cloud: &Cloud) -> Described {
        let index = self.next_description;
        self.next_description += 1;
        // SAFETY: as above, and the index is reserved.
        unsafe {
            *self.clouds.last.get(slot as usize) = *cloud;
            self.clouds.block.describe(self.tick, index, &Description::of(cloud));
        }
        Described {
            index,
            slot,
            extent: Extent::of(cloud),
            starts: cloud.flags & STARTS != 0,
            first_frame: cloud.first_frame,
            bandwidth: cloud.bandwidth,
        }
    }

    /// Adds a copy of what was described, with its phase and noise position. Its gain ramps from that
    /// of the last tick, or from silence.
    #[inline(always)]
    pub(crate) fn push_copy(&mut self, slot: u32, described: &Described, own: &OwnValues) {
        // SAFETY: as above.
        let state = unsafe { self.clouds.states.get(slot as usize) };
        if described.starts {
            (state.phase, state.band_clock, state.gain) = (0, 0, [0.0; 2]);
        }
        (state.seed, state.increment) = (own.seed, own.increment);
        (state.describer, state.is_mirrored) = (described.slot, own.is_mirrored);
        let phase = (state.phase >> FINER) as u32;
        let increment = own.increment * (1 << FINER) as f32;
        let frames = u64::from(TICK as u8 - described.first_frame);
        state.phase = state.phase.wrapping_add(increment as u64 * frames);
        let mut band_clock = 0;
        if described.bandwidth != 0.0 {
            // One point of the lattice per cycle of the bandwidth.
            let width = described.bandwidth * own.increment;
            state.band_clock = state.band_clock.wrapping_add(width as u64 * frames);
            band_clock = (state.band_clock >> 18) as u32;
        }
        let gain_from = std::mem::replace(&mut state.gain, own.gain);
        let mirrored = if own.is_mirrored { UnisonCopy::MIRRORED } else { 0 };
        let copy = UnisonCopy {
            description: described.index | mirrored,
            seed: own.seed,
            increment: own.increment,
            gain_from,
            gain_to: own.gain,
            phase,
            band_clock,
        };
        // SAFETY: as above.
        unsafe { self.clouds.block.push(self.tick, slot, described.extent, &copy) };
    }

    /// Adds a cloud that has a description of its own.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, cloud: &Cloud) {
        let described = self.describe(slot, cloud);
        let &Cloud { seed, increment, gain_to: gain, .. } = cloud;
        self.push_copy(slot, &described, &OwnValues { seed, increment, gain, is_mirrored: false });
    }
}

impl Drop for CloudWriter<'_> {
    fn drop(&mut self) {
        self.clouds.block.settle();
    }
}
