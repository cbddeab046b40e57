//! The sounding clouds: their slots in the renderer, their last states, and the clouds that fade out.

use crate::disjoint::Disjoint;
use crate::render::block::BlockWriter;
use crate::render::{TICK, VoiceBlock};
use crate::spectrum::{Cloud, STARTS};

/// The fade-out of a cloud that is stolen, silenced or replaced.
const FADE_SECONDS: f32 = 0.005;

/// Extra bits of the phases here, because rounding errors accumulate.
const FINER: u32 = 16;

/// Slots, and the block that is being written.
#[derive(Debug)]
pub(crate) struct CloudPool {
    states: Vec<SlotState>,
    free: Vec<u32>,
    /// Slots from this one on have never been used since the last reset.
    high: usize,
    fading_clouds: Vec<FadingCloud>,
    fade_ticks: u32,
    block: VoiceBlock,
}

/// What is kept of a slot from tick to tick.
#[derive(Clone, Debug, Default)]
struct SlotState {
    /// The last cloud: ramps start there.
    last: Cloud,
    /// The phase of ratio 1, with extra bits.
    phase: u64,
    /// The position of the noise in its lattice, in `2^-32` points.
    band_clock: u64,
}

/// A cloud without a voice: it keeps its last values, and fades out.
#[derive(Clone, Copy, Debug)]
struct FadingCloud {
    slot: u32,
    ticks_left: u32,
}

impl CloudPool {
    pub(crate) fn new(slots: usize, sample_rate: f32) -> Self {
        let mut pool = Self {
            states: vec![SlotState::default(); slots],
            free: Vec::with_capacity(slots),
            high: 0,
            fading_clouds: Vec::with_capacity(slots),
            fade_ticks: (FADE_SECONDS * sample_rate / TICK as f32).ceil().max(1.0) as u32,
            block: VoiceBlock::new(slots),
        };
        pool.reset();
        pool
    }

    pub(crate) fn reset(&mut self) {
        self.free.clear();
        // Lowest first, so that sounding slots stay close together.
        self.free.extend((0..self.states.len() as u32).rev());
        self.block.list_slots(self.high);
        self.block.clear();
        self.high = 0;
        self.fading_clouds.clear();
    }

    /// How many slots are free.
    pub(crate) fn left(&self) -> usize {
        self.free.len()
    }

    /// A slot, if one is free.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let slot = self.free.pop()?;
        self.high = self.high.max(slot as usize + 1);
        Some(slot)
    }

    /// Frees the slot of a silent cloud.
    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Fades out the cloud in `slot` and then frees the slot.
    pub(crate) fn fade(&mut self, slot: u32) {
        self.fading_clouds.push(FadingCloud { slot, ticks_left: self.fade_ticks });
    }

    /// Ticks of a fade-out.
    pub(crate) fn fade_ticks(&self) -> u32 {
        self.fade_ticks
    }

    /// The last cloud of `slot`.
    pub(crate) fn last(&self, slot: u32) -> &Cloud {
        &self.states[slot as usize].last
    }

    /// Opens the next tick of the block.
    pub(crate) fn start_tick(&mut self) {
        self.block.start_tick();
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

    /// For writing the clouds of the current tick.
    pub(crate) fn clouds(&mut self) -> TickClouds<'_> {
        TickClouds {
            states: Disjoint::new(&mut self.states),
            block: self.block.writer(),
            fade_step: 1.0 / self.fade_ticks as f32,
        }
    }

    /// Adds the fading clouds to the current tick.
    pub(crate) fn tick(&mut self) {
        let fading_clouds = std::mem::take(&mut self.fading_clouds);
        let clouds = self.clouds();
        // SAFETY: it is the only writer.
        let mut writer = unsafe { clouds.writer() };
        for &FadingCloud { slot, ticks_left } in &fading_clouds {
            let last = *writer.last(slot);
            let left = (ticks_left - 1) as f32 / ticks_left as f32;
            writer.push(
                slot,
                &mut Cloud {
                    flags: last.flags & !STARTS,
                    first_frame: 0,
                    gain_from: last.gain_to,
                    gain_to: last.gain_to.map(|gain| gain * left),
                    width_from: last.width_to,
                    ..last
                },
            );
        }
        drop(writer);
        self.fading_clouds = fading_clouds;
        let free = &mut self.free;
        self.fading_clouds.retain_mut(|fading_cloud| {
            fading_cloud.ticks_left -= 1;
            if fading_cloud.ticks_left == 0 {
                free.push(fading_cloud.slot);
            }
            fading_cloud.ticks_left > 0
        });
    }

    /// Clouds that sound, including fading ones.
    pub(crate) fn sounding(&self) -> usize {
        self.states.len() - self.free.len()
    }
}

/// The clouds of one tick, which several threads write at once.
pub(crate) struct TickClouds<'a> {
    states: Disjoint<'a, SlotState>,
    block: BlockWriter<'a>,
    /// The fraction of a fade in one tick.
    fade_step: f32,
}

impl TickClouds<'_> {
    /// A writer for some of the slots.
    ///
    /// # Safety
    /// No two writers are used for the same slot. Slots that were taken belong to one voice, so it
    /// is enough that each voice is computed by one thread.
    pub(crate) unsafe fn writer(&self) -> CloudWriter<'_> {
        CloudWriter(self)
    }
}

/// Writes clouds to the current tick of a block.
pub(crate) struct CloudWriter<'a>(&'a TickClouds<'a>);

impl CloudWriter<'_> {
    /// The fraction of a fade in one tick.
    pub(crate) fn fade_step(&self) -> f32 {
        self.0.fade_step
    }

    /// The last cloud of `slot`.
    #[inline(always)]
    pub(crate) fn last(&self, slot: u32) -> &Cloud {
        // SAFETY: this writer alone uses the slot; see `TickClouds::writer`.
        unsafe { &self.0.states.get(slot as usize).last }
    }

    /// Adds a cloud, and sets its phase and noise position.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, cloud: &mut Cloud) {
        // SAFETY: as above.
        let state = unsafe { self.0.states.get(slot as usize) };
        if cloud.flags & STARTS != 0 {
            (state.phase, state.band_clock) = (0, 0);
        }
        cloud.phase = (state.phase >> FINER) as u32;
        let increment = cloud.increment * (1 << FINER) as f32;
        let frames = u64::from(TICK as u8 - cloud.first_frame);
        state.phase = state.phase.wrapping_add(increment as u64 * frames);
        if cloud.bandwidth != 0.0 {
            // One point of the lattice per cycle of the bandwidth.
            let width = cloud.bandwidth * cloud.increment;
            state.band_clock = state.band_clock.wrapping_add(width as u64 * frames);
            cloud.band_clock = (state.band_clock >> 18) as u32;
        }
        state.last = *cloud;
        // SAFETY: as above.
        unsafe { self.0.block.push(slot, cloud) };
    }
}

impl Drop for CloudWriter<'_> {
    fn drop(&mut self) {
        self.0.block.settle();
    }
}
