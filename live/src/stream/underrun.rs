//! Underruns: the audio side found fewer frames than it was asked for.

use super::deadline::{DeadlineMiss, StealMonitor};
use std::fmt;
use std::time::Duration;

/// Frames that came too late. They were concealed, and the stream went on in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Underrun {
    /// The first frame that was missing, counted from the stream's start.
    pub at_frame: u64,
    /// When it was reported, since the stream's start.
    pub at_time: Duration,
    /// Frames from there until the sound faded in again.
    pub frames: u64,
    /// The cause.
    pub cause: Cause,
    /// Frames that were ready when the block was asked for.
    pub ring_depth: usize,
    /// Frames that the block asked for.
    pub block: usize,
}

/// Why frames came too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The stream had just started, or had just been connected to a device.
    Start,
    /// The audio side asked for more frames at once than the stream is deep.
    LargeBlock,
    /// Callbacks came faster than real time: the device or its server was late before.
    Burst,
    /// Too many events at once.
    EventFlood,
    /// Rendering took too long.
    RenderTime,
    /// The render thread waited for a GPU that was late or lost.
    Renderer,
    /// The hypervisor took the CPU away.
    Steal,
    /// Other threads had the CPU.
    Scheduling,
}

impl Cause {
    /// Whether the machine is to blame, and not Myriad: nothing that Myriad does would have prevented it.
    pub fn is_the_machines(self) -> bool {
        match self {
            Cause::Start | Cause::Burst | Cause::Steal | Cause::Scheduling => true,
            Cause::RenderTime | Cause::Renderer | Cause::EventFlood | Cause::LargeBlock => false,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Start => "start",
            Cause::LargeBlock => "block larger than the stream's depth",
            Cause::Burst => "burst of callbacks",
            Cause::EventFlood => "event flood",
            Cause::RenderTime => "rendering took too long",
            Cause::Renderer => "the GPU was late or lost",
            Cause::Steal => "processor taken by the hypervisor",
            Cause::Scheduling => "processor taken by other programs",
        })
    }
}

/// The audio side's record of an underrun that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnderrunSpan {
    pub(super) at_frame: u64,
    pub(super) frames: u64,
    pub(super) ring_depth: usize,
    pub(super) block: usize,
}

/// An underrun with the render side's last deadline miss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) span: UnderrunSpan,
    pub(super) at_time: Duration,
    pub(super) miss: Option<DeadlineMiss>,
}

impl Report {
    /// The underrun with its cause.
    pub(super) fn conclude(&self, steal: &StealMonitor) -> Underrun {
        let UnderrunSpan { at_frame, frames, ring_depth, block } = self.span;
        let decide = |miss: &DeadlineMiss| steal.decide(miss);
        Underrun {
            at_frame,
            at_time: self.at_time,
            frames,
            cause: self.miss.as_ref().map_or(Cause::Burst, decide),
            ring_depth,
            block,
        }
    }
}
