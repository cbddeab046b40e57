//! The way to the GPU: sends a block's pieces and waits for what comes back.
//!
//! Blocks are rendered one after the other, since each goes on where the last one ended. Most fit
//! into one piece and are one replay of a graph on the first queue. Large ones travel in several,
//! which take turns on two queues: while one is rendered the next is copied, also that of the next
//! block.

use super::driver::{Context, Event, Failed, Stream};
use super::in_flight::{InFlightSlot, moor};
use super::kernels::{MIXED_BLOCK, MIXED_SOUNDED, MIXED_WORDS};
use super::launch::{Launcher, Places, Size};
use super::memory::{CLOUD, STEREO};
use super::upload::{Carrier, Layout, Piece};
use super::{CudaCounters, CudaOptions};
use myriad_engine::render::{Buses, Capacity, RenderError, TICK, VoiceBlock};
use std::ffi::c_void;
use std::ops::Range;
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
    /// The first one also mixes.
    pub(super) queues: [Stream; 2],
    /// Passed when a queue has rendered its last piece,
    pub(super) rendered: [Event; 2],
    /// and when the block before is done with.
    pub(super) settled: Event,
    pub(super) sending: Sent,
    /// Where the clouds of the last block went.
    pub(super) room: usize,
    /// Dropped last.
    pub(super) context: Context,
}

/// A block that was sent, or is being sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    in_flight: usize,
    ticks: usize,
    /// Whether it makes any sound: otherwise nothing was sent.
    sounds: bool,
}

impl Sent {
    /// A block of so many ticks in which nothing sounds.
    pub(super) fn silent(ticks: usize) -> Self {
        Self {
            ticks,
            ..Self::default()
        }
    }
}

impl Carrier for Transfer {
    type Error = RenderError;

    fn list(&mut self) -> &mut u64 {
        &mut self.in_flight_slots[self.sending.in_flight].list
    }

    fn stage(&mut self, number: usize) -> Result<&mut [u32], RenderError> {
        let words = self.layout.words;
        let host = &mut self.in_flight_slots[self.sending.in_flight].host;
        Ok(&mut host.words_mut()[number * words..][..words])
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), RenderError> {
        self.counters.pieces += 1;
        if number == 0 && piece.items == 0 {
            return Ok(());
        }
        self.sending.sounds = true;
        let source = self.in_flight_slots[self.sending.in_flight].source.clouds;
        let size = |groups| self.launcher.size(&piece, groups, source);
        match (number, piece.groups.map(size)) {
            (0, Some(size)) => self.send_all(&size)?,
            (_, last) => self.send_piece(number, &piece, last)?,
        }
        Ok(())
    }
}

impl Transfer {
    /// Gets ready to send `block`.
    pub(super) fn begin(&mut self, block: &VoiceBlock) -> Result<(), RenderError> {
        self.launcher.write_imported(&mut self.imported)?;
        let in_flight = moor(&mut self.in_flight_slots, &self.context, block)?;
        self.sending = Sent {
            in_flight: in_flight.ok_or(RenderError::OutOfTurn)?,
            ticks: block.ticks(),
            sounds: false,
        };
        Ok(())
    }

    /// A block that fits into one piece.
    pub(super) fn send_all(&mut self, size: &Size) -> Result<(), Failed> {
        let Sent {
            in_flight, ticks, ..
        } = self.sending;
        let in_flight = &mut self.in_flight_slots[in_flight];
        self.counters.upload_bytes = size.bytes(ticks);
        self.room = 0;
        let (queue, marked) = (self.queues[0], self.options.stage_times);
        if self.options.graph {
            let (graph, resized) = in_flight.graph(ticks, size, &self.launcher, marked)?;
            self.counters.resizes += u64::from(resized);
            return graph.launch(queue);
        }
        // The same without a graph, for comparison.
        let places = in_flight.places(ticks, self.room, 0);
        self.launcher.with_work(&places, size, None, |work| {
            self.mark(0)?;
            for (index, kernel) in work.kernels.into_iter().enumerate() {
                queue.launch(kernel.function, kernel.shape, kernel.arguments)?;
                if index == 0 {
                    self.mark(1)?;
                }
            }
            self.mark(2)
        })
    }

    /// One of several pieces; `last` says how much there is to mix after the last one.
    fn send_piece(
        &mut self,
        number: usize,
        piece: &Piece,
        last: Option<Size>,
    ) -> Result<(), Failed> {
        if number == 0 {
            self.mark(0)?;
            self.mark(1)?;
            self.counters.upload_bytes = 0;
            self.room = 1 - self.room;
            self.queues[0].record(self.settled)?;
        }
        // The second queue comes first: its copy need not wait for the block before.
        let turn = (number + 1) % 2;
        let queue = self.queues[turn];
        let places = self.copy_piece(queue, number, piece)?;
        if number == 0 {
            queue.wait_for(self.settled)?;
        }
        self.launcher.render_piece(queue, &places, piece)?;
        queue.record(self.rendered[turn])?;
        match last {
            Some(size) => {
                self.queues[0].wait_for(self.rendered[1])?;
                self.launcher.mix(self.queues[0], &places, &size)?;
                self.mark(2)
            }
            None => Ok(()),
        }
    }

    /// Copies a piece and the clouds it needs.
    fn copy_piece(
        &mut self,
        queue: Stream,
        number: usize,
        piece: &Piece,
    ) -> Result<Places, Failed> {
        let Sent {
            in_flight, ticks, ..
        } = self.sending;
        let in_flight = &self.in_flight_slots[in_flight];
        let places = in_flight.places(ticks, self.room, number * self.layout.words);
        let upload = places.host as *const c_void;
        queue.copy(places.device, upload, 4 * piece.words)?;
        let source = &in_flight.source;
        let Range { start, end } = piece.slots;
        let slots = end.min(source.clouds.slots).saturating_sub(start);
        for tick in 0..ticks {
            let from = source.host + (tick * source.clouds.slots + start) * CLOUD;
            let to = self.launcher.clouds_at(&places, tick, start);
            queue.copy(to, from as *const c_void, slots * CLOUD)?;
        }
        self.counters.upload_bytes += 4 * piece.words + ticks * slots * CLOUD;
        Ok(places)
    }

    fn mark(&self, which: usize) -> Result<(), Failed> {
        match self.options.stage_times {
            true => {
                self.queues[0].record(self.in_flight_slots[self.sending.in_flight].marks[which])
            }
            false => Ok(()),
        }
    }

    /// Waits for the device to say that it is done with block `number`. It writes that to our
    /// memory, which is quicker to look at than to ask the driver; the driver knows about failures.
    pub(super) fn finish(&mut self, sent: &Sent, number: u32) -> Result<(), RenderError> {
        const LOOKS: usize = 100;
        if !sent.sounds {
            return Ok(());
        }
        let (in_flight, deadline) = (&self.in_flight_slots[sent.in_flight], self.options.deadline);
        if self.options.stage_times {
            let [start, uploaded, end] = in_flight.marks;
            end.wait(deadline)?;
            self.counters.times.upload = start.microseconds_to(uploaded)?;
            self.counters.times.compute = uploaded.microseconds_to(end)?;
            return Ok(());
        }
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if in_flight.mixed.look(MIXED_BLOCK) == number {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            self.queues.iter().try_for_each(|queue| queue.check())?;
            if start.elapsed() > deadline {
                return Err(RenderError::Late {
                    milliseconds: deadline.as_millis() as u64,
                });
            }
        }
    }

    /// Copies what the device mixed into `buses`, and frees the in flight. Returns the partials sounded.
    pub(super) fn hand_over(&mut self, sent: &Sent, buses: &mut Buses) -> usize {
        let (header, samples) = self.in_flight_slots[sent.in_flight]
            .mixed
            .words()
            .split_at(MIXED_WORDS);
        let (sounded, downloaded) = match sent.sounds {
            true => (
                header[MIXED_SOUNDED] as usize,
                MIXED_WORDS + sent.ticks * self.capacity.buses * STEREO,
            ),
            false => (0, 0),
        };
        self.counters.download_bytes = 4 * downloaded;
        for bus in 0..buses.count() {
            for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                for (tick, out) in out.chunks_exact_mut(TICK).take(sent.ticks).enumerate() {
                    let at = (tick * self.capacity.buses + bus) * STEREO + side * TICK;
                    match samples.get(at..at + TICK) {
                        Some(samples) if sent.sounds && bus < self.capacity.buses => {
                            let samples = samples.iter().map(|&bits| f32::from_bits(bits));
                            out.iter_mut().zip(samples).for_each(|(out, x)| *out = x);
                        }
                        _ => out.fill(0.0),
                    }
                }
            }
        }
        self.in_flight_slots[sent.in_flight].leave();
        sounded
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let current = self.context.make_current();
        let gone = self.context.is_gone() || current.is_err();
        self.in_flight_slots
            .iter_mut()
            .for_each(|in_flight| in_flight.drop_graphs(gone));
    }
}
