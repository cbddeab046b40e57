//! The transfer to the GPU and back: sends a block's pieces and waits for the mixed audio.
//!
//! Blocks have queues in turn, so that several are fetched, rendered and mixed at the same time. What rendering of a block
//! waits for is its turn (`turn.rs`). Most blocks fit into one piece and are one replay of a graph, which has these
//! waits: every call of the driver takes the host two to three microseconds. Large blocks are sent in several
//! pieces, alternately on the block's queue and on one of their own: while one piece is rendered the next one is copied.
//! They are mixed before the next block is rendered.

use super::driver::{Context, Event, Failed, Rows, Stream};
use super::graph::Kernel;
use super::in_flight::{InFlightSlot, QUEUES, acquire};
use super::kernels::{MIXED_BLOCK, MIXED_SOUNDED, MIXED_WORDS};
use super::launch::{Launcher, Places, Size};
use super::memory::{STEREO, VOICE_BYTES};
use super::turn::{Recent, Turn};
use super::upload::{Layout, Piece, PieceSink};
use super::{CudaCounters, CudaOptions};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::prefetch::prefetch;
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
    pub(super) recent: Recent,
    /// When the block that is being sent is rendered.
    pub(super) turn: Turn,
    /// The queue of every second piece of large blocks.
    pub(super) odd_pieces: Stream,
    /// Recorded when the last odd piece is rendered.
    pub(super) odd_rendered: Event,
    /// Recorded when the last even and the last odd piece is copied.
    pub(super) copied: [Event; 2],
    pub(super) sending: Sent,
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
            (0, Some(size)) => {
                self.take_turn(self.launcher.may_overlap())?;
                self.send_all(&size)?;
            }
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
        let slot = &mut self.in_flight_slots[index];
        let (queue, events) = (slot.queue.stream, slot.events(self.turn, self.options.stage_times));
        slot.records_rendered = events.rendered.is_some();
        if self.options.graph {
            let (graph, changed) = slot.graph(ticks, events, size, &self.launcher)?;
            self.counters.resizes += u64::from(changed);
            return graph.launch(queue);
        }
        // The same without a graph, for comparison.
        let places = slot.places(ticks, 0);
        self.launcher.with_work(&places, size, events, |work| {
            let run =
                |kernel: Kernel<'_>| queue.launch(kernel.function, kernel.shape, kernel.arguments);
            let [fetch, render, mix] = work.kernels;
            self.mark(queue, 0)?;
            run(fetch)?;
            self.mark(queue, 1)?;
            let turn = events.turn.waits();
            turn.map_or(Ok(()), |[start, _]| queue.wait_for(start))?;
            self.mark(queue, 2)?;
            run(render)?;
            turn.map_or(Ok(()), |[_, end]| queue.wait_for(end))?;
            if let Some(event) = events.rendered {
                queue.record(event)?;
            }
            run(mix)?;
            self.mark(queue, 3)
        })
    }

    /// Sets when the block that is being sent is rendered.
    fn take_turn(&mut self, may_overlap: bool) -> Result<(), Failed> {
        let index = self.sending.slot;
        let slots = &self.in_flight_slots;
        let turn = self.recent.take_turn(index, may_overlap, |slot| slots[slot].is_used());
        self.turn = Turn::of(turn, slots)?;
        Ok(())
    }

    /// Sends one of several pieces; with the last piece comes the size of the mix.
    fn send_piece(
        &mut self,
        number: usize,
        piece: &Piece,
        last: Option<Size>,
    ) -> Result<(), Failed> {
        let own_queue = self.in_flight_slots[self.sending.slot].queue.stream;
        let odd = number % 2;
        let queue = [own_queue, self.odd_pieces][odd];
        match number {
            0 => {
                self.take_turn(false)?;
                self.mark(queue, 0)?;
                self.counters.upload_bytes = 0;
            }
            // When the first piece is copied, the queue is done with its last block.
            1 => queue.wait_for(self.copied[0])?,
            _ => {}
        }
        let places = self.copy_piece(queue, number, piece)?;
        queue.record(self.copied[odd])?;
        if number == 0 {
            self.mark(queue, 1)?;
        }
        // The clouds of a piece may belong to a voice that came with the piece before.
        let after = match number {
            0 | 1 => self.turn.waits().map(|[start, _]| start),
            _ => Some(self.copied[1 - odd]),
        };
        if let Some(event) = after {
            queue.wait_for(event)?;
        }
        if number == 0 {
            self.mark(queue, 2)?;
        }
        self.launcher.render_piece(queue, &places, piece)?;
        if odd == 1 {
            queue.record(self.odd_rendered)?;
        }
        if let Some(size) = last {
            own_queue.wait_for(self.odd_rendered)?;
            self.launcher.mix(own_queue, &places, &size)?;
            let slot = &mut self.in_flight_slots[self.sending.slot];
            // After the mix, because the next large block is rendered into the same buffer.
            own_queue.record(slot.rendered)?;
            slot.records_rendered = true;
            self.mark(own_queue, 3)?;
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
        let Sent { slot: index, ticks, .. } = self.sending;
        let slot = &self.in_flight_slots[index];
        let mut places = slot.places(ticks, number * self.layout.words);
        places.memory.rendered = self.launcher.memory.large;
        let upload = places.host as *const c_void;
        queue.copy(places.device, upload, 4 * piece.words)?;
        let first = (piece.indices.start * VOICE_BYTES) as CUdeviceptr;
        let voices = self.launcher.memory.voices[index % QUEUES];
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
            let slot = &self.in_flight_slots[sent.slot];
            let [start, uploaded, turn, end] = slot.marks;
            end.wait(deadline)?;
            self.counters.times.upload = start.microseconds_to(uploaded)?;
            self.counters.times.render = turn.microseconds_to(slot.rendered)?;
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
            // Any queue reports a failure of the device.
            self.in_flight_slots[sent.slot].queue.stream.check()?;
            if start.elapsed() > deadline {
                return Err(RenderError::Late { milliseconds: deadline.as_millis() as u64 });
            }
        }
    }

    /// Starts a kernel that fails, before the next block of the slot that was used last.
    pub(super) fn provoke_failure(&self) -> Result<(), Failed> {
        self.launcher.fail(self.in_flight_slots[self.recent.last()].queue.stream)
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
        // No cache has it yet.
        prefetch(samples.as_ptr(), 4 * downloaded);
        for tick in 0..sent.ticks {
            for bus in 0..buses.count().min(sent.buses) {
                for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                    let out = &mut out[tick * TICK..(tick + 1) * TICK];
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
