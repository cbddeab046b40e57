//! A prepared card and the blocks that are under way on it.

use super::link::{Link, Sent};
use super::setup::set_up;
use super::upload::Packer;
use super::{CudaCounters, CudaOptions, StageTimes};
use crate::render::{Buses, Capacity, DeviceError, RenderError, VoiceBlock};
use crate::trace::{self, Stage};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Device {
    packer: Packer,
    link: Link,
    /// Oldest first. Dropped after the link, with which the context goes: until then the card may
    /// read the blocks, whatever call has failed.
    under_way: VecDeque<UnderWay>,
    /// When the card was done with the last block, as far as a trace can tell.
    idle_since: Instant,
}

/// A block on its way through the card.
#[derive(Debug)]
struct UnderWay {
    /// Held because the card reads its clouds.
    block: Arc<VoiceBlock>,
    sent: Sent,
    /// As the packer counts.
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
    ) -> Result<Self, DeviceError> {
        let (packer, link) = set_up(index, capacity, options)?;
        Ok(Self {
            packer,
            under_way: VecDeque::with_capacity(options.depth()),
            link,
            idle_since: Instant::now(),
        })
    }

    pub(super) fn counters(&self) -> &CudaCounters {
        &self.link.counters
    }

    pub(super) fn free_bytes(&self) -> usize {
        match self.link.context.make_current() {
            Ok(_current) => self.link.context.free_bytes(),
            Err(_) => 0,
        }
    }

    /// Sends a block on its way.
    pub(super) fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        let Self {
            packer,
            under_way,
            link,
            ..
        } = self;
        if under_way.len() >= link.options.depth() {
            return Err(RenderError::OutOfTurn);
        }
        block.check_fits(link.capacity.slots)?;
        let start = Instant::now();
        let _current = link.context.make_current()?;
        link.begin(block)?;
        // Held from the start: should sending fail half-way, the card may still be reading.
        under_way.push_back(UnderWay {
            block: Arc::clone(block),
            sent: link.sending,
            number: 0,
            began: start,
            submit: Duration::ZERO,
        });
        packer.pack(block, link)?;
        if let Some(last) = under_way.back_mut() {
            (last.sent, last.number) = (link.sending, packer.block);
            last.submit = start.elapsed();
            trace::record(Stage::CardSubmit, start, last.submit);
        }
        Ok(())
    }

    /// Waits for the oldest block that is under way.
    pub(super) fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let Self {
            under_way,
            link,
            idle_since,
            ..
        } = self;
        let oldest = under_way.front().ok_or(RenderError::OutOfTurn)?;
        let start = Instant::now();
        // First of all, since without a context there is no pinned memory to look at.
        let _current = link.context.make_current()?;
        link.finish(&oldest.sent, oldest.number)?;
        let partials = link.hand_over(&oldest.sent, buses);
        let counters = &mut link.counters;
        counters.renders += 1;
        counters.times.submit = microseconds(oldest.submit);
        counters.times.wait = microseconds(start.elapsed());
        trace::record(Stage::CardWait, start, start.elapsed());
        if link.options.stage_times && trace::is_on() {
            let times = link.counters.times;
            *idle_since = trace_device(oldest.began + oldest.submit, *idle_since, times);
        }
        under_way.pop_front();
        Ok(partials)
    }

    /// Forgets all sound, also that of blocks under way.
    pub(super) fn reset(&mut self) -> Result<(), RenderError> {
        let mut nobody = Buses::new(0);
        while !self.under_way.is_empty() {
            self.collect(&mut nobody)?;
        }
        self.packer.reset();
        Ok(())
    }

    /// Starts a kernel that fails.
    pub(super) fn provoke_failure(&self) -> Result<(), RenderError> {
        let _current = self.link.context.make_current()?;
        Ok(self.link.launcher.fail(self.link.queues[0])?)
    }

    /// Has the context destroyed under everything that is in it.
    pub(super) fn lose_context(&mut self) {
        self.link.context.lose();
    }

    /// Says that the device hangs, so that nobody waits for it any more. It may wake up one day
    /// and read the blocks it was given, so these are never freed.
    pub(super) fn give_up(&mut self) {
        self.link.context.give_up();
        for under_way in self.under_way.drain(..) {
            std::mem::forget(under_way.block);
        }
    }
}

/// Notes the card's own stages, by its clock, on ours: a block begins when it was sent or when the
/// one before is done, whichever is later. Returns when it was done.
fn trace_device(sent: Instant, idle_since: Instant, times: StageTimes) -> Instant {
    let length = |microseconds: f32| Duration::from_secs_f32(microseconds.max(0.0) * 1e-6);
    let (upload, compute) = (length(times.upload), length(times.compute));
    let start = sent.max(idle_since);
    trace::record(Stage::GpuUpload, start, upload);
    trace::record(Stage::GpuCompute, start + upload, compute);
    start + upload + compute
}

fn microseconds(time: Duration) -> f32 {
    time.as_secs_f32() * 1e6
}
