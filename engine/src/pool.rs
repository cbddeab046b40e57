//! The sounding clouds: their slots in the renderer, what they did last, and the voices that fade out.

mod free_slots;

use crate::disjoint::Disjoint;
use crate::render::block::{BlockWriter, Listing};
use crate::render::lazy_slice::{LazySlice, Zeroable, with_memory_ahead};
use crate::render::{TICK, VoiceBlock};
use crate::simd::{F32x16, LANES, Portable, Simd};
use crate::spectrum::unison::{MAX_COPIES, Mix, copy_clock};
use crate::spectrum::{Cloud, UnisonVoice};
use free_slots::FreeSlots;

/// The fade-out of a voice that is stolen, silenced or replaced.
const FADE_SECONDS: f32 = 0.005;

// A vector holds the copies of a voice.
const _: () = assert!(MAX_COPIES == LANES);

/// Extra bits of the phases, because rounding errors accumulate.
const FINER: u32 = 16;

// SAFETY: numbers without a drop; zeros are a voice without copies.
unsafe impl Zeroable for UnisonVoice {}

/// Slots, and what the clouds in them did last. Memory is taken when a slot is first used.
#[derive(Debug)]
pub(crate) struct CloudPool {
    /// What each voice did in the last tick, by its first slot; it has no copies before its first tick.
    last: LazySlice<UnisonVoice>,
    /// The position of each voice's noise in its lattice, in `2^-32` points, by its first slot.
    band_clocks: LazySlice<u64>,
    /// The phase of ratio 1 of each slot's cloud, with extra bits, for a renderer that takes over.
    phases: LazySlice<u64>,
    free: FreeSlots,
    fading_voices: Vec<FadingVoice>,
    fade_ticks: u32,
}

/// A voice without a note: it keeps its last values and fades out.
#[derive(Clone, Copy, Debug)]
struct FadingVoice {
    slot: u32,
    ticks_left: u32,
}

impl CloudPool {
    pub(crate) fn new(slots: usize, sample_rate: f32) -> Self {
        let mut last = LazySlice::new_or_abort(slots);
        last.take_now(with_memory_ahead(0));
        Self {
            last,
            band_clocks: LazySlice::new_or_abort(slots),
            phases: LazySlice::new_or_abort(slots),
            free: FreeSlots::new(slots),
            fading_voices: Vec::with_capacity(slots),
            fade_ticks: (FADE_SECONDS * sample_rate / TICK as f32).ceil().max(1.0) as u32,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.free.reset();
        self.fading_voices.clear();
    }

    /// The first of `count` slots in a row for `part`, if so many are free.
    pub(crate) fn take(&mut self, part: usize, count: usize) -> Option<u32> {
        let slot = self.free.take(part, count)?;
        let slots = slot as usize..slot as usize + count;
        self.last.take_soon(with_memory_ahead(slots.end));
        self.last[slots].iter_mut().for_each(|last| last.unison.shape = 0);
        Some(slot)
    }

    /// From now on only the first so many slots are taken.
    pub(crate) fn set_room(&mut self, slots: usize) {
        self.free.set_room(slots);
    }

    /// Frees the slots of a silent voice.
    pub(crate) fn give_back(&mut self, slot: u32, count: usize) {
        self.free.give_back(slot, count);
    }

    /// Fades out the clouds in `count` slots, which are a voice's, and then frees the slots.
    pub(crate) fn fade(&mut self, slot: u32, count: usize) {
        // All copies at once, or each that was a voice of its own.
        let together = self.last[slot as usize].unison.copies();
        if together == 0 {
            return self.give_back(slot, count);
        }
        let slots = (slot..slot + count as u32).step_by(together);
        let ticks_left = self.fade_ticks;
        self.fading_voices.extend(slots.map(|slot| FadingVoice { slot, ticks_left }));
    }

    /// Ticks of a fade-out.
    pub(crate) fn fade_ticks(&self) -> u32 {
        self.fade_ticks
    }

    /// The last clouds of a voice, at their ends.
    pub(crate) fn last(&self, slot: u32, copies: usize) -> impl Iterator<Item = Cloud> {
        let slots = slot as usize..slot as usize + copies;
        // All copies are in the first voice, or each is one of its own; before the first tick there is none.
        let together = self.last[slots.start].unison.copies();
        let voices = self.last[slots].chunks(together.max(1)).take(copies * together);
        voices.flat_map(move |voice| {
            (0..together).map(|copy| {
                let cloud = voice[0].cloud(copy);
                Cloud { gain_from: cloud.gain_to, width_from: cloud.width_to, ..cloud }
            })
        })
    }

    /// Whether any voice fades out.
    pub(crate) fn is_fading(&self) -> bool {
        !self.fading_voices.is_empty()
    }

    /// For writing voices from several threads.
    pub(crate) fn writer(&mut self) -> PoolWriter<'_> {
        PoolWriter {
            last: Disjoint::new(&mut self.last),
            band_clocks: Disjoint::new(&mut self.band_clocks),
            phases: Disjoint::new(&mut self.phases),
            indices: self.free.indices(),
            fade_step: 1.0 / self.fade_ticks as f32,
        }
    }

    /// Adds the fading voices to `tick` of a block, and frees the slots of those that are silent after it.
    pub(crate) fn fade_in_tick(&mut self, block: &mut VoiceBlock, tick: usize) {
        if !self.is_fading() {
            return;
        }
        let fading_voices = std::mem::take(&mut self.fading_voices);
        let pool = self.writer();
        let voices = Voices::new(&pool, block.writer());
        // SAFETY: it is the only writer.
        let mut writer = unsafe { voices.writer(tick) };
        for &FadingVoice { slot, ticks_left } in &fading_voices {
            let mut voice = *writer.last(slot);
            voice.description = voice.description.sounding_on();
            voice.unison.to.gain *= (ticks_left - 1) as f32 / ticks_left as f32;
            writer.push(Portable, slot, &voice, &voice.unison.pitch_factors());
        }
        drop(writer);
        voices.settle();
        self.fading_voices = fading_voices;
        let (free, last) = (&mut self.free, &self.last);
        self.fading_voices.retain_mut(|FadingVoice { slot, ticks_left }| {
            *ticks_left -= 1;
            if *ticks_left == 0 {
                free.give_back(*slot, last[*slot as usize].unison.copies());
            }
            *ticks_left > 0
        });
    }

    /// Clouds that sound, including fading ones.
    pub(crate) fn sounding(&self) -> usize {
        self.last.len() - self.free.count()
    }
}

/// What clouds did last, which several threads write at once.
pub(crate) struct PoolWriter<'a> {
    last: Disjoint<'a, UnisonVoice>,
    band_clocks: Disjoint<'a, u64>,
    phases: Disjoint<'a, u64>,
    indices: &'a [u32],
    /// The fraction of a fade in one tick.
    fade_step: f32,
}

/// The voices of a block, which several threads write at once.
pub(crate) struct Voices<'a> {
    pool: &'a PoolWriter<'a>,
    block: BlockWriter<'a>,
}

impl<'a> Voices<'a> {
    pub(crate) fn new(pool: &'a PoolWriter<'a>, block: BlockWriter<'a>) -> Self {
        Self { pool, block }
    }

    /// Makes what this thread wrote visible to other threads and devices. Whoever writes does it, after its last tick.
    pub(crate) fn settle(&self) {
        self.block.settle();
    }

    /// A writer for some of the slots in `tick`.
    ///
    /// # Safety
    /// No two threads write to the same slot. Slots that were taken belong to one voice, so it is
    /// enough that each voice is computed by one thread.
    pub(crate) unsafe fn writer(&self, tick: usize) -> VoiceWriter<'_> {
        VoiceWriter {
            voices: self,
            tick,
            written: [0; WRITTEN],
            count: 0,
            listing: Listing::default(),
        }
    }
}

/// Advances the phases of a voice's copies by `frames` frames; their increments are `increment` times `factors`.
#[inline(always)]
fn advance<S: Simd>(
    simd: S,
    phases: &mut [u64],
    increment: f32,
    factors: &[f32; MAX_COPIES],
    frames: f32,
) {
    let ways = simd.mul(simd.splat(increment), simd.load(&F32x16(*factors)));
    let ways = simd.mul(ways, simd.splat(frames));
    let finer = simd.mul(ways, simd.splat((1 << FINER) as f32));
    let finer = simd.min(simd.max(finer, simd.splat(0.0)), simd.splat((1_u64 << 62) as f32));
    simd.accumulate(finer, phases);
}

/// Voices that a writer has written and not yet copied to the block. A processor that copies numbers in large pieces
/// waits when it has just written them in small ones; when it has written those of other voices since, it does not.
const WRITTEN: usize = 8;

/// Writes voices to one tick of a block.
pub(crate) struct VoiceWriter<'a> {
    voices: &'a Voices<'a>,
    tick: usize,
    /// The first slots of voices that are not in the block yet.
    written: [u32; WRITTEN],
    count: usize,
    listing: Listing,
}

impl VoiceWriter<'_> {
    /// The tick.
    pub(crate) fn tick(&self) -> usize {
        self.tick
    }

    /// The fraction of a fade in one tick.
    pub(crate) fn fade_step(&self) -> f32 {
        self.voices.pool.fade_step
    }

    /// What the voice whose first slot is `slot` did in the last tick.
    #[inline(always)]
    fn last(&self, slot: u32) -> &UnisonVoice {
        // SAFETY: this writer alone uses the slot; see `Voices::writer`.
        unsafe { self.voices.pool.last.get(slot as usize) }
    }

    /// Sets what the next tick takes for that.
    fn set_last(&mut self, slot: u32, voice: &UnisonVoice) {
        self.flush();
        // SAFETY: as above.
        unsafe { *self.voices.pool.last.get(slot as usize) = *voice };
    }

    /// Adds a voice to the tick; `factors` are those of its copies' pitches. Its gains and its width ramp from those of
    /// the last tick, or from silence.
    #[inline(always)]
    pub(crate) fn push<S: Simd>(
        &mut self,
        simd: S,
        slot: u32,
        voice: &UnisonVoice,
        factors: &[f32; MAX_COPIES],
    ) {
        let UnisonVoice { description, unison, .. } = voice;
        let (first, copies) = (slot as usize, unison.copies());
        // SAFETY: this writer alone uses the slots; see `Voices::writer`.
        let (last, band_clock, phases) = unsafe {
            (
                self.voices.pool.last.get(first),
                self.voices.pool.band_clocks.get(first),
                self.voices.pool.phases.range(first..first + copies),
            )
        };
        let mut from = Mix { gain: 0.0, ..unison.to };
        let mut width_from = description.width_to();
        if voice.starts() || last.unison.shape == 0 {
            *band_clock = 0;
            phases.fill(0);
        } else {
            from = last.unison.to;
            width_from = last.description.width_to();
        }
        if self.tick == 0 {
            // SAFETY: as above.
            unsafe { self.voices.block.remember(first, phases, FINER) };
        }
        let frames = f32::from(TICK as u8 - description.first_frame());
        advance(simd, phases, unison.increment, factors, frames);
        // In whole lines, as it was written: the processor would wait for pieces that are in two of them.
        for (line, from) in last.lines_mut().iter_mut().zip(voice.lines()) {
            simd.store_u(simd.load_u(from), line);
        }
        last.unison.from = from;
        last.description.set_width_from(width_from);
        if description.bandwidth() != 0.0 {
            // One point of the lattice per cycle of the bandwidth.
            let width = description.bandwidth() * unison.increment;
            *band_clock = band_clock.wrapping_add(width as u64 * frames as u64);
            last.unison.set_band_clock(*band_clock);
        }
        self.written[self.count] = slot;
        self.count += 1;
        if self.count == WRITTEN {
            self.flush();
        }
    }

    /// Copies what was written to the block.
    #[inline(always)]
    fn flush(&mut self) {
        for &slot in &self.written[..self.count] {
            let index = self.voices.pool.indices[slot as usize];
            // SAFETY: this writer alone uses the slots; see `Voices::writer`. Slots have different indices.
            unsafe {
                let last = self.voices.pool.last.get(slot as usize);
                let (tick, slot) = (self.tick, slot as usize);
                self.voices.block.push(&mut self.listing, tick, slot, index, last);
            }
        }
        self.count = 0;
    }

    /// Whether each copy of a voice was a voice of its own in the last tick.
    #[inline(always)]
    pub(crate) fn is_divided(&self, slot: u32, copies: usize) -> bool {
        copies > 1 && self.last(slot).unison.copies() == 1
    }

    /// Divides a voice that had all its copies in the last tick into one for each copy.
    pub(crate) fn divide(&mut self, slot: u32, copies: usize) {
        let whole = *self.last(slot);
        if copies == 1 || whole.unison.copies() != copies {
            return;
        }
        // SAFETY: as above.
        let band_clocks =
            unsafe { self.voices.pool.band_clocks.range(slot as usize..slot as usize + copies) };
        let band_clock = band_clocks[0];
        let factors = whole.unison.pitch_factors();
        for (copy, (clock, factor)) in band_clocks.iter_mut().zip(factors).enumerate() {
            *clock = copy_clock(band_clock, factor);
            self.set_last(slot + copy as u32, &whole.taken_over(copy, 0));
        }
    }

    /// The copies of a voice, which are in the tick already, are one voice in the next one.
    pub(crate) fn join(&mut self, slot: u32, voice: &UnisonVoice) {
        self.set_last(slot, voice);
        // SAFETY: as above.
        let band_clock = unsafe { self.voices.pool.band_clocks.get(slot as usize) };
        *band_clock = copy_clock(*band_clock, 1.0 / voice.unison.pitch_factors()[0]);
    }
}

impl Drop for VoiceWriter<'_> {
    fn drop(&mut self) {
        self.flush();
        self.voices.block.list(&self.listing);
    }
}
