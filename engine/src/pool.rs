//! The sounding clouds: their slots in the renderer, their last states, and the clouds that fade out.

use crate::render::{TICK, VoiceBlock};
use crate::spectrum::{Cloud, STARTS};

/// The fade-out of a cloud that is stolen, silenced or replaced.
const FADE_SECONDS: f32 = 0.005;

/// Extra bits of the phases here, because rounding errors accumulate.
const FINER: u32 = 16;

/// Slots, and the block that is being written.
#[derive(Debug)]
pub(crate) struct CloudPool {
    /// The last cloud of every slot: ramps start there.
    last: Vec<Cloud>,
    /// The phase of ratio 1 of every slot, with extra bits.
    phases: Vec<u64>,
    /// The position of the noise of every slot in its lattice, in `2^-32` points.
    band_clocks: Vec<u64>,
    free: Vec<u32>,
    fading_clouds: Vec<FadingCloud>,
    fade_ticks: u32,
    pub(crate) block: VoiceBlock,
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
            last: vec![Cloud::default(); slots],
            phases: vec![0; slots],
            band_clocks: vec![0; slots],
            free: Vec::with_capacity(slots),
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
        self.free.extend((0..self.last.len() as u32).rev());
        self.fading_clouds.clear();
        self.block.clear();
    }

    /// How many slots are free.
    pub(crate) fn left(&self) -> usize {
        self.free.len()
    }

    /// A slot, if one is free.
    pub(crate) fn take(&mut self) -> Option<u32> {
        self.free.pop()
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

    /// The fraction of a fade in one tick.
    pub(crate) fn fade_step(&self) -> f32 {
        1.0 / self.fade_ticks as f32
    }

    /// The last cloud of `slot`.
    pub(crate) fn last(&self, slot: u32) -> &Cloud {
        &self.last[slot as usize]
    }

    /// Adds a cloud to the current tick, and sets its phase and noise position.
    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, cloud: &mut Cloud) {
        let phase = &mut self.phases[slot as usize];
        let band_clock = &mut self.band_clocks[slot as usize];
        if cloud.flags & STARTS != 0 {
            (*phase, *band_clock) = (0, 0);
        }
        cloud.phase = (*phase >> FINER) as u32;
        let increment = cloud.increment * (1 << FINER) as f32;
        let frames = u64::from(TICK as u8 - cloud.first_frame);
        *phase = phase.wrapping_add(increment as u64 * frames);
        if cloud.bandwidth != 0.0 {
            // One point of the lattice per cycle of the bandwidth.
            let width = cloud.bandwidth * cloud.increment;
            *band_clock = band_clock.wrapping_add(width as u64 * frames);
            cloud.band_clock = (*band_clock >> 18) as u32;
        }
        self.last[slot as usize] = *cloud;
        self.block.push(slot, *cloud);
    }

    /// Adds the fading clouds to the current tick.
    pub(crate) fn tick(&mut self) {
        for index in 0..self.fading_clouds.len() {
            let FadingCloud { slot, ticks_left } = self.fading_clouds[index];
            let last = self.last[slot as usize];
            let left = (ticks_left - 1) as f32 / ticks_left as f32;
            self.push(
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
            self.fading_clouds[index].ticks_left -= 1;
        }
        let free = &mut self.free;
        self.fading_clouds.retain(|fading_cloud| {
            if fading_cloud.ticks_left == 0 {
                free.push(fading_cloud.slot);
            }
            fading_cloud.ticks_left > 0
        });
    }

    /// Clouds that sound, including fading ones.
    pub(crate) fn sounding(&self) -> usize {
        self.last.len() - self.free.len()
    }
}
