//! The transfer to the GPU and back: sends a block's pieces and waits for the mixed audio.
//!
//! Blocks are rendered one after the other, since each continues the phases of the last, but a block is fetched
//! while the one before is still rendered: they alternate between two queues. Most blocks fit
//! into one piece and are one replay of a graph, in which rendering waits for the block before: every call of the driver takes the host
//! two to three microseconds. Large blocks are sent in several
//! pieces, alternately on the two queues: while one piece is rendered the next one is copied.

use super::driver::{Context, Event, Failed, Rows, Stream};
use super::in_flight::{InFlightSlot, acquire};
use super::kernels::{MIXED_BLOCK, MIXED_SOUNDED, MIXED_WORDS};
use super::launch::{Launcher, Places, Size};
use super::memory::{STEREO, VOICE_BYTES};
use super::upload::{Layout, Piece, PieceSink};
use super::{CudaCounters, CudaOptions};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{Buses, Capacity, RenderError, TICK, VoiceBlock};
use myriad_engine::spectrum::UnisonVoice;
use std::ffi::c_void;
use std::time::Instant;

#[derive(Debug)]
pub(super) struct Transfer {
    pub(super) options: CudaOptions,
    pub(super) counters: CudaCounters,
    pub(super) capacity: Capacity,
    pub(super) layout: Layout,
    /// The number of the last imported table that the GPU has.
    pub(super) imported: u64,
    pub(super) launcher: Launcher,
    pub(super) in_flight_slots: Vec<InFlightSlot>,
    pub(super) queues: [Stream; 2],
    /// The one on which the last block ended.
    pub(super) last_queue: usize,
    /// Recorded when a queue has rendered its last piece.
    pub(super) rendered: [Event; 2],
    /// Recorded when a queue has copied its last piece.
    pub(super) copied: [Event; 2],
    pub(super) sending: Sent,
    /// Which of the buffers for voices the last block of several pieces used.
    pub(super) voices: usize,
    /// The last field, so that it is dropped last.
    pub(super) context: Context,
}

/// A block that was sent, or is being sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// The index of its in-flight slot.
    slot: usize,
    ticks: usize,
    /// Whether any cloud sounds; nothing is sent for a silent block.
    sounds: bool,
    /// The buses that it mixes into; others are not written.
    buses: usize,
}

impl Sent {
    /// A silent block of so many ticks.
    pub(super) fn silent(ticks: usize) -> Self {
        Self { ticks, ..Self::default() }
    }
}

impl PieceSink for Transfer {
    type Error = RenderError;

    fn list(&mut self) -> &mut u64 {
        &mut self.in_flight_slots[self.sending.slot].list
    }

    fn buffer(&mut self, number: usize) -> Result<&mut [u32], RenderError> {
        let words = self.layout.words;
        let host = &mut self.in_flight_slots[self.sending.slot].host;
        Ok(&mut host.words_mut()[number * words..][..words])
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), RenderError> {
        self.counters.pieces += 1;
        if number == 0 && piece.items == 0 {
            return Ok(());
        }
        self.sending.sounds = true;
        let source = self.in_flight_slots[self.sending.slot].source.voices;
        let size = |mix| self.launcher.size(&piece, mix, source);
        match (number, piece.mix.map(size)) {
            (0, Some(size)) => self.send_all(&size)?,
            (_, last) => self.send_piece(number, &piece, last)?,
        }
        Ok(())
    }
}

impl Transfer {
    /// Prepares to send `block`.
    pub(super) fn begin(&mut self, block: &VoiceBlock) -> Result<(), RenderError> {
        self.launcher.memory.write_imported(&mut self.imported)?;
        let slot = acquire(&mut self.in_flight_slots, &self.context, block)?;
        let buses = block.sections().last().map(|last| last.first_bus + last.buses);
        self.sending = Sent {
            slot: slot.ok_or(RenderError::OutOfTurn)?,
            ticks: block.ticks(),
            sounds: false,
            buses: buses.unwrap_or(self.capacity.buses),
        };
        Ok(())
    }

    /// Sends a block that fits into one piece.
    pub(super) fn send_all(&mut self, size: &Size) -> Result<(), Failed> {
        let Sent { slot: index, ticks, .. } = self.sending;
        self.counters.upload_bytes = size.bytes(ticks);
        if self.options.graph {
            let is_beside = self.in_flight_slots.iter().filter(|slot| slot.is_used()).count() > 1;
            if is_beside {
                self.queues[self.last_queue].record(self.in_flight_slots[index].turn)?;
                self.last_queue = 1 - self.last_queue;
            }
            let slot = &mut self.in_flight_slots[index];
            let (graph, resized) = slot.graph(ticks, is_beside, size, &self.launcher)?;
            self.counters.resizes += u64::from(resized);
            return graph.launch(self.queues[self.last_queue]);
        }
        // The same without a graph and one block after the other, for comparison.
        let queue = self.queues[self.last_queue];
        let places = self.in_flight_slots[index].places(ticks, 0);
        self.launcher.with_work(&places, size, None, None, |work| {
            self.mark(queue, 0)?;
            for (index, kernel) in work.kernels.into_iter().enumerate() {
                queue.launch(kernel.function, kernel.shape, kernel.arguments)?;
                if index == 0 {
                    self.mark(queue, 1)?;
                    self.mark(queue, 2)?;
                }
            }
            self.mark(queue, 3)
        })
    }

    /// Sends one of several pieces; with the last piece comes the size of the mix.
    fn send_piece(
        &mut self,
        number: usize,
        piece: &Piece,
        last: Option<Size>,
    ) -> Result<(), Failed> {
        let turn_comes = self.in_flight_slots[self.sending.slot].turn;
        if number == 0 {
            let queue = self.queues[self.last_queue];
            (0..3).try_for_each(|which| self.mark(queue, which))?;
            self.counters.upload_bytes = 0;
            queue.record(turn_comes)?;
            // Its copy does not wait for the block before.
            self.last_queue = 1 - self.last_queue;
            self.voices = 1 - self.voices;
        }
        let turn = (self.last_queue + number) % 2;
        let queue = self.queues[turn];
        let places = self.copy_piece(queue, number, piece)?;
        queue.record(self.copied[turn])?;
        // The clouds of a piece may belong to a voice that came with the piece before.
        queue.wait_for(if number == 0 { turn_comes } else { self.copied[1 - turn] })?;
        self.launcher.render_piece(queue, &places, piece)?;
        queue.record(self.rendered[turn])?;
        if let Some(size) = last {
            queue.wait_for(self.rendered[1 - turn])?;
            self.launcher.mix(queue, &places, &size)?;
            self.mark(queue, 3)?;
            self.last_queue = turn;
        }
        Ok(())
    }

    /// Copies a piece and its voices, and makes their clouds. The copies are made beside kernels that render; a kernel that
    /// read the host's memory would take room from them.
    fn copy_piece(
        &mut self,
        queue: Stream,
        number: usize,
        piece: &Piece,
    ) -> Result<Places, Failed> {
        let Sent { slot, ticks, .. } = self.sending;
        let slot = &self.in_flight_slots[slot];
        let places = slot.places(ticks, number * self.layout.words);
        let upload = places.host as *const c_void;
        queue.copy(places.device, upload, 4 * piece.words)?;
        let first = (piece.indices.start * VOICE_BYTES) as CUdeviceptr;
        let voices = self.launcher.memory.voices[self.voices];
        let rows = Rows {
            count: piece.indices.len(),
            bytes: ticks * size_of::<UnisonVoice>(),
            apart: VOICE_BYTES,
        };
        if rows.count != 0 {
            let from = (slot.source.voices + first) as *const c_void;
            queue.copy_rows(voices + first, from, rows)?;
        }
        self.launcher.fetch_piece(queue, &places, piece, voices)?;
        self.counters.upload_bytes += 4 * piece.words + rows.count * rows.bytes;
        Ok(places)
    }

    fn mark(&self, queue: Stream, which: usize) -> Result<(), Failed> {
        match self.options.stage_times {
            true => queue.record(self.in_flight_slots[self.sending.slot].marks[which]),
            false => Ok(()),
        }
    }

    /// Whether the device has finished block `number`.
    pub(super) fn is_finished(&self, sent: &Sent, number: u32) -> bool {
        !sent.sounds || self.in_flight_slots[sent.slot].mixed.load(MIXED_BLOCK) == number
    }

    /// Waits until the device has finished block `number`. The device writes the number to the host's
    /// memory, where polling is quicker than a driver call; the driver is asked for failures.
    pub(super) fn finish(&mut self, sent: &Sent, number: u32) -> Result<(), RenderError> {
        const POLLS: usize = 100;
        let deadline = self.options.deadline;
        if self.options.stage_times && sent.sounds {
            let [start, uploaded, turn, end] = self.in_flight_slots[sent.slot].marks;
            end.wait(deadline)?;
            self.counters.times.upload = start.microseconds_to(uploaded)?;
            self.counters.times.compute = turn.microseconds_to(end)?;
            return Ok(());
        }
        let start = Instant::now();
        loop {
            for _ in 0..POLLS {
                if self.is_finished(sent, number) {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            self.queues.iter().try_for_each(|queue| queue.check())?;
            if start.elapsed() > deadline {
                return Err(RenderError::Late { milliseconds: deadline.as_millis() as u64 });
            }
        }
    }

    /// Copies the mixed audio into `buses`, and releases the slot. Returns the number of sounded partials.
    pub(super) fn hand_over(&mut self, sent: &Sent, buses: &mut Buses) -> usize {
        let (header, samples) = self.in_flight_slots[sent.slot].mixed.words().split_at(MIXED_WORDS);
        let (sounded, downloaded) = match sent.sounds {
            true => {
                (header[MIXED_SOUNDED] as usize, MIXED_WORDS + sent.ticks * sent.buses * STEREO)
            }
            false => (0, 0),
        };
        self.counters.download_bytes = 4 * downloaded;
        for bus in 0..buses.count().min(sent.buses) {
            for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                for (tick, out) in out.chunks_exact_mut(TICK).take(sent.ticks).enumerate() {
                    let at = (tick * self.capacity.buses + bus) * STEREO + side * TICK;
                    match samples.get(at..at + TICK) {
                        Some(samples) if sent.sounds => {
                            let samples = samples.iter().map(|&bits| f32::from_bits(bits));
                            out.iter_mut().zip(samples).for_each(|(out, x)| *out = x);
                        }
                        _ => out.fill(0.0),
                    }
                }
            }
        }
        self.in_flight_slots[sent.slot].release();
        sounded
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let current = self.context.make_current();
        let gone = self.context.is_gone() || current.is_err();
        let slots = self.in_flight_slots.iter_mut();
        slots.for_each(|slot| slot.drop_graphs(gone));
    }
}
