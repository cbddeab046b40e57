//! The CPU renderer, which is the reference for all others.

pub mod bank;
pub mod benchmark;
mod cloud;
mod play;
mod quiet;
mod spectra;
mod state;
mod stereo;

use super::buses::EachTick;
use super::lazy_slice::{LazySlice, with_memory_ahead};
use super::{Buses, Capacity, MAX_TICKS, PrepareError, RenderError, Renderer, TICK, VoiceBlock};
use crate::disjoint::Disjoint;
use crate::dsp::FlushDenormals;
use crate::simd::{F32x16, LANES, Level, Simd, Work};
use crate::spectrum::unison::is_mirrored;
use crate::spectrum::{Tables, UnisonVoice, tables};
use crate::workers::Workers;
use cloud::{Features, VoiceTick};
use play::Player;
use quiet::QuietPhases;
use spectra::Spectra;
use state::CloudState;
use std::ops::Range;
use std::sync::Arc;
pub(crate) use stereo::PAN_POSITIONS;
use stereo::{CopySums, StereoTick, Swell, to_stereo};

/// Voices for each of several threads that are rendered before they are mixed. A single thread mixes a batch at a time, which is in
/// its caches then.
const WAVE: usize = 64;

/// Voices that a thread renders one after the other, at most: the next one is fetched meanwhile.
const BATCH: usize = 8;

/// Batches for each thread, so that all of them end at nearly the same time.
const BATCHES_PER_THREAD: usize = 4;

/// Work per thread, as partials times ticks: a small fraction of a millisecond. Waking a worker for
/// less takes longer than it saves.
pub const GRAIN: usize = 8_192;

/// Groups of a cloud whose state is fetched before it is needed, at most.
const GROUPS_AHEAD: usize = 8;

/// Rows for each thread that mixes.
const ROWS_PER_MIX: usize = 16;

/// Renders on the CPU, with the widest instructions that it has.
pub struct CpuRenderer {
    level: Level,
    threads: usize,
    workers: Option<Arc<Workers>>,
    /// A state for every slot, and how many of them have been used.
    states: LazySlice<CloudState>,
    used: usize,
    /// The audio of the voices of one wave, one row per voice until they are mixed in order.
    wave: Vec<Row>,
    /// One for each thread.
    scratches: Vec<Scratch>,
    /// The first slots of the block's voices, in order.
    slots: Vec<usize>,
    /// The submitted block.
    submitted: Option<Arc<VoiceBlock>>,
    /// The level below which partials are left out, at the end of each tick; zero for none.
    floor: [f32; MAX_TICKS],
    /// Ticks rendered; groups that are left out are evaluated again in turn.
    clock: u32,
    /// Partials left out in the last tick.
    thinned: usize,
}

/// The audio of one voice in a block.
#[derive(Clone)]
struct Row {
    ticks: [StereoTick; MAX_TICKS],
    /// The bus of each tick; none where it is silent.
    buses: [Option<u16>; MAX_TICKS],
    /// Partials sounded and left out in the last tick.
    partials: usize,
    thinned: usize,
}

/// What a thread needs while it renders a voice.
#[derive(Clone)]
struct Scratch {
    /// Sums of the groups of a cloud per lane, before the lanes are summed.
    sum: [F32x16; TICK],
    /// Sums of the copies of a voice.
    copies: CopySums,
    spectra: Spectra,
    quiet: QuietPhases,
}

impl Scratch {
    const NEW: Self = Self {
        sum: [F32x16([0.0; LANES]); TICK],
        copies: CopySums::SILENCE,
        spectra: Spectra::SILENCE,
        quiet: QuietPhases::NONE,
    };
}

impl Row {
    const SILENCE: Self = Self {
        ticks: [StereoTick::SILENCE; MAX_TICKS],
        buses: [None; MAX_TICKS],
        partials: 0,
        thinned: 0,
    };
}

impl CpuRenderer {
    /// A renderer that uses the calling thread and `threads - 1` workers, which raise their
    /// priorities when that of the calling thread is.
    pub fn new(threads: usize) -> Self {
        Self::with_level(threads, Level::best())
    }

    /// The same with chosen instructions, for tests and comparisons.
    ///
    /// # Panics
    /// When this machine does not have them.
    pub fn with_level(threads: usize, level: Level) -> Self {
        assert!(Level::available().contains(&level), "no {}", level.name());
        Self {
            level,
            threads: threads.max(1),
            workers: None,
            states: LazySlice::default(),
            used: 0,
            wave: Vec::new(),
            scratches: Vec::new(),
            slots: Vec::new(),
            submitted: None,
            floor: [0.0; MAX_TICKS],
            clock: 0,
            thinned: 0,
        }
    }

    /// Threads that render, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Sets the level × gain below which partials fade out, at each tick's end in the blocks from now
    /// on. At zero nothing is left out.
    pub fn set_floor(&mut self, floor: [f32; MAX_TICKS]) {
        self.floor = floor;
    }

    /// Lets clouds that may start after this block have memory, also while another renderer renders: so neither a large chord
    /// nor the loss of a GPU has to wait for it.
    pub fn prepare_ahead(&mut self, block: &VoiceBlock) {
        self.states.take_soon(with_memory_ahead(block.slots_in_use()));
    }

    /// Partials that the floor left out in the last tick, counted in whole groups.
    pub fn thinned(&self) -> usize {
        self.thinned
    }
}

impl Renderer for CpuRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        // A block that was submitted before may be larger than what is prepared now.
        self.submitted = None;
        // The tables are generated now, not in the first block.
        drop(tables());
        // Frees what there was before it takes more.
        self.states = LazySlice::default();
        self.states = LazySlice::new(capacity.slots).ok_or(PrepareError::OutOfMemory {
            slots: capacity.slots,
            mebibytes: capacity.slots.saturating_mul(size_of::<CloudState>()) >> 20,
        })?;
        self.states.take_now(with_memory_ahead(0));
        self.used = 0;
        let wave = if self.threads == 1 { BATCH } else { WAVE * self.threads };
        self.wave = vec![Row::SILENCE; wave];
        self.scratches = vec![Scratch::NEW; self.threads];
        self.slots = Vec::with_capacity(capacity.slots);
        let workers = Workers::start(self.threads - 1)
            .map_err(|(index, source)| PrepareError::Thread { index, source })?;
        self.workers = Some(Arc::new(workers));
        Ok(())
    }

    fn workers(&self) -> Option<Arc<Workers>> {
        self.workers.clone()
    }

    fn reset(&mut self) {
        (self.submitted, self.clock, self.thinned) = (None, 0, 0);
        self.states[..self.used].iter_mut().for_each(CloudState::reset);
        self.used = 0;
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        match self.submitted {
            Some(_) => Err(RenderError::OutOfTurn),
            None if self.workers.is_none() => Err(RenderError::NotPrepared),
            None => {
                block.check_fits(self.states.len())?;
                self.submitted = Some(Arc::clone(block));
                Ok(())
            }
        }
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.submitted.take().ok_or(RenderError::OutOfTurn)?;
        self.play(&block, buses)
    }
}

impl CpuRenderer {
    /// Renders the block.
    fn play(&mut self, block: &VoiceBlock, buses: &mut Buses) -> Result<usize, RenderError> {
        let _flush = FlushDenormals::new();
        buses.clear();
        self.slots.clear();
        self.slots.extend(block.first_slots());
        self.used = self.used.max(block.slots_in_use());
        self.prepare_ahead(block);
        let Some(workers) = &self.workers else {
            return Err(RenderError::NotPrepared);
        };
        let (floor, clock) = (self.floor, self.clock);
        self.clock = clock.wrapping_add(block.ticks() as u32);
        let work = |&slot: &usize| {
            block.summary(slot).most_partials() * usize::from(block.spans()[slot].most_copies)
        };
        let work: usize = self.slots.iter().map(work).sum();
        let helpers = work * block.ticks() / GRAIN;
        let tables = tables();
        let level = self.level;
        // Where a slot belongs to different voices in different ticks, these are rendered tick by tick.
        let ticks_at_once = if overlap(block, &self.slots) { 1 } else { MAX_TICKS };
        let mut partials = 0;
        for from in (0..block.ticks()).step_by(ticks_at_once) {
            let range = from..block.ticks().min(from + ticks_at_once);
            (partials, self.thinned) = (0, 0);
            let slots = &self.slots;
            for first in (0..slots.len()).step_by(self.wave.len()) {
                let states = Disjoint::new(&mut self.states);
                let count = (slots.len() - first).min(self.wave.len());
                let rows = Disjoint::new(&mut self.wave);
                let scratches = Disjoint::new(&mut self.scratches);
                let threads = 1 + helpers.min(self.threads - 1);
                let batch = match threads {
                    1 => BATCH,
                    _ => (count / (threads * BATCHES_PER_THREAD)).clamp(1, BATCH),
                };
                workers.run_on_threads(helpers, count.div_ceil(batch), &|task, thread| {
                    let voices = task * batch..count.min((task + 1) * batch);
                    // SAFETY: every index is taken once, and every thread has a number of its own.
                    let (rows, scratch) =
                        unsafe { (rows.range(voices.clone()), scratches.get(thread)) };
                    level.dispatch(RenderVoices {
                        tables: &tables,
                        block,
                        slots: &slots[first..][voices],
                        range: range.clone(),
                        floor: &floor,
                        clock,
                        states: &states,
                        scratch,
                        rows,
                    });
                });
                let rows = &self.wave[..count];
                partials += rows.iter().map(|row| row.partials).sum::<usize>();
                self.thinned += rows.iter().map(|row| row.thinned).sum::<usize>();
                let ticks = buses.each_tick();
                let helpers = helpers.min(rows.len() / ROWS_PER_MIX);
                workers.run(helpers, 2 * range.len(), &|task| {
                    let (tick, side) = (range.start + task / 2, task % 2);
                    level.dispatch(Mix { rows, tick, side, buses: &ticks });
                });
            }
        }
        Ok(partials)
    }
}

/// Whether some voices of the block, whose first slots are given, have slots in common, though not in the same tick.
fn overlap(block: &VoiceBlock, slots: &[usize]) -> bool {
    let mut end = 0;
    slots.iter().any(|&slot| {
        let is_taken = slot < end;
        end = end.max(slot + usize::from(block.spans()[slot].most_copies));
        is_taken
    })
}

/// Renders the voices with these first slots through some ticks of the block.
struct RenderVoices<'a> {
    tables: &'a Tables,
    block: &'a VoiceBlock,
    slots: &'a [usize],
    range: Range<usize>,
    floor: &'a [f32; MAX_TICKS],
    clock: u32,
    states: &'a Disjoint<'a, CloudState>,
    scratch: &'a mut Scratch,
    rows: &'a mut [Row],
}

impl Work for RenderVoices<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let player = &mut Player::new(s);
        for index in 0..self.slots.len() {
            if let Some(&next) = self.slots.get(index + 1) {
                self.block.prefetch(next);
                CloudState::prefetch(self.states.place(next), self.groups_ahead(next));
            }
            self.render(s, index, player);
        }
    }
}

impl RenderVoices<'_> {
    /// Groups of a slot's state that are fetched before they are needed.
    #[inline(always)]
    fn groups_ahead(&self, slot: usize) -> usize {
        usize::from(self.block.summary(slot).most_groups).min(GROUPS_AHEAD)
    }

    #[inline(always)]
    fn render<S: Simd>(&mut self, s: S, index: usize, player: &mut Player<S>) {
        let first = self.slots[index];
        let groups = self.groups_ahead(first);
        let row = &mut self.rows[index];
        let Self { tables, block, range, floor, clock, states, scratch, .. } = self;
        let Scratch { sum, copies: sums, spectra, quiet } = &mut **scratch;
        // SAFETY: no slot is in two voices of the range, and every voice is rendered once.
        let state = |copy| unsafe { states.get(first + copy) };
        let first_tick = range.start;
        let mut before = None;
        spectra.forget();
        for tick in range.clone() {
            (row.partials, row.thinned, row.buses[tick]) = (0, 0, None);
            let Some(unison_voice) = block.voice(first, tick) else {
                before = None;
                continue;
            };
            let count = unison_voice.unison.copies();
            // Of the same copies in the next tick, which find this description in the block.
            let goes_on = tick + 1 < range.end
                && block.voice(first, tick + 1).is_some_and(|next| next.unison.copies() == count);
            let UnisonVoice { description, unison, .. } = unison_voice;
            let mut voice = VoiceTick::new(description, before, !goes_on, tables, floor[tick]);
            before = goes_on.then_some(description);
            let widths = [voice.cloud.width_from, voice.cloud.width_to];
            row.buses[tick] = Some(block.bus_of(first, &voice.cloud) as u16);
            let out = &mut row.ticks[tick];
            if count == 1
                && !state(0).is_mostly_quiet
                && let Features::Plain(filter) = voice.features
            {
                quiet.catch_up(s, spectra, state);
                spectra.forget();
                unison_voice.complete_single(&mut voice.cloud);
                row.partials = voice.play_single(s, filter, player, state(0), sum);
                match row.partials {
                    0 => *out = StereoTick::SILENCE,
                    _ => to_stereo(s, &voice.cloud, sum, out),
                }
                continue;
            }
            let copies = unison.expand();
            if !spectra.has_ratios_of(&voice) {
                quiet.catch_up(s, spectra, state);
            }
            spectra.start_tick(s, &voice, copies.lowest(count), unison.loudest());
            if quiet.differs(spectra.loud, count) {
                quiet.catch_up(s, spectra, state);
            }
            quiet.start_tick(spectra.loud, count);
            let is_alone = count == 1;
            sums.start_tick(Swell::of(unison, &voice.cloud));
            for copy in 0..count {
                unison_voice.complete(&copies, copy, widths, &mut voice.cloud);
                let slot = first + copy;
                // Slots are evaluated again in different ticks.
                let staggered = clock.wrapping_add((tick + slot) as u32);
                let mirrored = is_mirrored(copy);
                // Only states of this voice: other threads may be writing to the others.
                if tick == first_tick && copy + 1 < count {
                    CloudState::prefetch(states.place(slot + 1), groups.min(spectra.loud + 1));
                }
                let (audible, partials) =
                    cloud::advance(s, &voice, (copy, staggered), spectra, quiet, state(copy));
                row.partials += partials.sounded;
                row.thinned += partials.thinned;
                match (audible.groups, is_alone) {
                    ([], true) => *out = StereoTick::SILENCE,
                    ([], false) => {}
                    (_, true) => {
                        player.play(s, audible, sum);
                        to_stereo(s, &voice.cloud, sum, out);
                    }
                    (_, false) => {
                        if !mirrored {
                            player.finish(s, sums);
                        }
                        sums.add(s, &voice.cloud, mirrored);
                        player.play_copy(s, audible, (mirrored, copy + 1 == count), sums);
                    }
                }
            }
            quiet.end_tick();
            if !is_alone {
                [voice.cloud.width_from, voice.cloud.width_to] = widths;
                player.finish(s, sums);
                sums.take(s, &voice.cloud, out);
            }
        }
        quiet.catch_up(s, spectra, state);
    }
}

/// Adds one side of one tick of all rows to their buses, in order.
struct Mix<'a> {
    rows: &'a [Row],
    tick: usize,
    side: usize,
    buses: &'a EachTick<'a>,
}

impl Work for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { rows, tick, side, buses } = self;
        let mut index = 0;
        while index < rows.len() {
            let Some(bus) = rows[index].buses[tick] else {
                index += 1;
                continue;
            };
            // SAFETY: no other task has this tick and side.
            let samples = unsafe { buses.get(bus.into(), side, tick) };
            let (samples, _) = samples.as_chunks_mut::<LANES>();
            let mut sums = [s.splat(0.0); TICK / LANES];
            for (sum, samples) in sums.iter_mut().zip(&*samples) {
                *sum = s.load(&F32x16(*samples));
            }
            // Rows of the same bus are added in registers.
            while index < rows.len() && rows[index].buses[tick] == Some(bus) {
                let StereoTick { left, right } = &rows[index].ticks[tick];
                for (sum, samples) in sums.iter_mut().zip(if side == 0 { left } else { right }) {
                    *sum = s.add(*sum, s.load(samples));
                }
                index += 1;
            }
            for (sum, samples) in sums.into_iter().zip(samples) {
                let mut stored = F32x16([0.0; LANES]);
                s.store(sum, &mut stored);
                *samples = stored.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;
    use crate::spectrum::{Cloud, STARTS, TURN, Table};

    fn block(slots: usize) -> Arc<VoiceBlock> {
        block_with(slots, STARTS)
    }

    /// The clouds of such a block a tick later.
    fn later_block(slots: usize) -> Arc<VoiceBlock> {
        block_with(slots, 0)
    }

    fn block_with(slots: usize, flags: u8) -> Arc<VoiceBlock> {
        let mut block = VoiceBlock::new(slots);
        block.start_tick();
        for slot in 0..slots as u32 {
            let cloud = Cloud {
                flags,
                table: Table::Saw.first_row(),
                partials: 20.0,
                increment: 100.0 / 48_000.0 * TURN,
                formant: 1.0,
                gain_from: [0.1; 2],
                gain_to: [0.1; 2],
                ..Cloud::default()
            };
            block.push(slot, cloud);
        }
        Arc::new(block)
    }

    /// A larger block would be rendered past the end of the states.
    #[test]
    fn a_block_with_more_slots_than_prepared_is_refused() {
        let mut cpu = CpuRenderer::new(1);
        let buses = &mut Buses::new(1);
        cpu.prepare(Capacity { slots: 4, buses: 1 }).unwrap();
        let refused = RenderError::BlockTooLarge { slots: 5, prepared: 4 };
        assert_eq!(cpu.submit(&block(5)), Err(refused));
        assert_eq!(cpu.collect(buses), Err(RenderError::OutOfTurn));
        assert!(cpu.render(&block(4), buses).unwrap() > 0);
        // Nor does a block that was submitted before outlast a smaller preparation.
        cpu.submit(&block(4)).unwrap();
        cpu.prepare(Capacity { slots: 2, buses: 1 }).unwrap();
        assert_eq!(cpu.collect(buses), Err(RenderError::OutOfTurn));
    }

    /// What was left out long ago is not left out when partials are left out again.
    #[test]
    fn a_floor_forgets_what_an_earlier_one_left_out() {
        let mut cpu = CpuRenderer::new(1);
        let buses = &mut Buses::new(1);
        cpu.prepare(Capacity { slots: 4, buses: 1 }).unwrap();
        let mut playing = |floor: f32, blocks: usize| {
            cpu.set_floor([floor; MAX_TICKS]);
            for _ in 0..blocks {
                cpu.render(&later_block(4), buses).unwrap();
            }
            cpu.thinned()
        };
        assert_eq!(playing(0.0, 1), 0);
        assert!(playing(100.0, 20) > 0);
        assert_eq!(playing(0.0, 1), 0);
        assert_eq!(playing(1e-7, 1), 0);
    }

    /// The thread that renders does not wait for the memory of clouds that start.
    #[cfg(all(target_os = "linux", not(any(loom, miri))))]
    #[test]
    fn memory_is_ahead_of_the_slots_that_sound() {
        let mut cpu = CpuRenderer::new(1);
        let buses = &mut Buses::new(1);
        cpu.prepare(Capacity { slots: 4_000, buses: 1 }).unwrap();
        cpu.render(&block(1), buses).unwrap();
        for count in [190, 380, 570, 760] {
            assert!(cpu.states.wait_until_taken());
            let block = block(count);
            let before = pages_taken();
            cpu.render(&block, buses).unwrap();
            let taken = pages_taken() - before;
            assert!(taken < 20, "{taken} pages while {count} clouds were rendered");
        }
    }

    /// How often this thread has waited for a page of memory.
    #[cfg(all(target_os = "linux", not(any(loom, miri))))]
    fn pages_taken() -> i64 {
        // SAFETY: numbers, which the call writes.
        let usage = unsafe {
            let mut usage = std::mem::zeroed::<libc::rusage>();
            assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
            usage
        };
        usage.ru_minflt
    }
}
