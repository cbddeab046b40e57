//! A prepared GPU and the blocks in flight on it.

use super::setup::set_up;
use super::transfer::{Sent, Transfer};
use super::upload::Packer;
use super::{CudaCounters, CudaOptions, StageTimes};
use crate::GpuError;
use myriad_engine::render::{Buses, Capacity, RenderError, VoiceBlock};
use myriad_engine::trace::{self, Stage};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Device {
    packer: Packer,
    transfer: Transfer,
    /// Oldest first. Dropped after the transfer, which owns the context: until then the GPU may read
    /// the blocks, whatever call has failed.
    in_flight: VecDeque<InFlightBlock>,
    /// When the GPU had rendered the last block, as the trace shows it.
    idle_since: Instant,
}

/// A block that the GPU renders.
#[derive(Debug)]
struct InFlightBlock {
    /// Kept alive because the GPU reads its clouds.
    block: Arc<VoiceBlock>,
    sent: Sent,
    /// The packer's number of the block.
    number: u32,
    /// When packing began, and what packing and sending took.
    began: Instant,
    submit: Duration,
}

impl Device {
    pub(super) fn new(
        index: usize,
        capacity: Capacity,
        options: CudaOptions,
    ) -> Result<Self, GpuError> {
        let (packer, transfer) = set_up(index, capacity, options)?;
        Ok(Self {
            packer,
            in_flight: VecDeque::with_capacity(options.depth()),
            transfer,
            idle_since: Instant::now(),
        })
    }

    pub(super) fn counters(&self) -> &CudaCounters {
        &self.transfer.counters
    }

    pub(super) fn free_bytes(&self) -> usize {
        match self.transfer.context.make_current() {
            Ok(_current) => self.transfer.context.free_bytes(),
            Err(_) => 0,
        }
    }

    /// Sends a block to the GPU.
    pub(super) fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        let Self { packer, in_flight, transfer, .. } = self;
        if in_flight.len() >= transfer.options.depth() {
            return Err(RenderError::OutOfTurn);
        }
        block.check_fits(transfer.capacity.slots)?;
        let start = Instant::now();
        let _current = transfer.context.make_current()?;
        transfer.begin(block)?;
        // Kept from the start: if sending fails half-way, the GPU may still read the clouds.
        in_flight.push_back(InFlightBlock {
            block: Arc::clone(block),
            sent: transfer.sending,
            number: 0,
            began: start,
            submit: Duration::ZERO,
        });
        packer.pack(block, transfer)?;
        if let Some(last) = in_flight.back_mut() {
            (last.sent, last.number) = (transfer.sending, packer.block);
            last.submit = start.elapsed();
            trace::record(Stage::GpuSubmit, start, last.submit);
        }
        Ok(())
    }

    /// Whether the oldest block in flight is rendered, if there is one, or cannot be any more.
    pub(super) fn is_finished(&self) -> bool {
        let Self { in_flight, transfer, .. } = self;
        match (in_flight.front(), transfer.context.make_current()) {
            // Pinned memory can be read only while the context exists.
            (Some(oldest), Ok(_current)) => transfer.is_finished(&oldest.sent, oldest.number),
            _ => true,
        }
    }

    /// Waits for the oldest block in flight.
    pub(super) fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let Self { in_flight, transfer, idle_since, .. } = self;
        let oldest = in_flight.front().ok_or(RenderError::OutOfTurn)?;
        let start = Instant::now();
        // Comes first: pinned memory can be read only while the context exists.
        let _current = transfer.context.make_current()?;
        transfer.finish(&oldest.sent, oldest.number)?;
        let partials = transfer.hand_over(&oldest.sent, buses);
        let counters = &mut transfer.counters;
        counters.renders += 1;
        counters.times.submit = microseconds(oldest.submit);
        counters.times.wait = microseconds(start.elapsed());
        trace::record(Stage::GpuWait, start, start.elapsed());
        if transfer.options.stage_times && trace::is_on() {
            let times = transfer.counters.times;
            *idle_since = trace_device(oldest.began + oldest.submit, *idle_since, times);
        }
        in_flight.pop_front();
        Ok(partials)
    }

    /// Discards the blocks in flight and ends all clouds.
    pub(super) fn reset(&mut self) -> Result<(), RenderError> {
        let mut discarded = Buses::new(0);
        while !self.in_flight.is_empty() {
            self.collect(&mut discarded)?;
        }
        self.packer.reset();
        Ok(())
    }

    /// Starts a kernel that fails.
    pub(super) fn provoke_failure(&self) -> Result<(), RenderError> {
        let _current = self.transfer.context.make_current()?;
        Ok(self.transfer.provoke_failure()?)
    }

    /// Destroys the context while its objects are still in use.
    pub(super) fn lose_context(&mut self) {
        self.transfer.context.lose();
    }

    /// Marks the device as hanging, so that no call waits for it. It may resume later and read the
    /// blocks in flight, so these are never freed.
    pub(super) fn give_up(&mut self) {
        self.transfer.context.give_up();
        for in_flight in self.in_flight.drain(..) {
            std::mem::forget(in_flight.block);
        }
    }
}

/// Records the GPU's stages, measured by its clock, on the host's time line: a block is fetched when it
/// was sent, and rendered then or when the one before was rendered, whichever is later. Returns when it was rendered.
fn trace_device(sent: Instant, idle_since: Instant, times: StageTimes) -> Instant {
    let length = |microseconds: f32| Duration::from_secs_f32(microseconds.max(0.0) * 1e-6);
    let (upload, compute) = (length(times.upload), length(times.compute));
    let start = (sent + upload).max(idle_since);
    trace::record(Stage::GpuUpload, start - upload, upload);
    trace::record(Stage::GpuCompute, start, compute);
    start + length(times.render)
}

fn microseconds(time: Duration) -> f32 {
    time.as_secs_f32() * 1e6
}
