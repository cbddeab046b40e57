//! Underruns: when the audio side found fewer frames than it was asked for, and why.

use super::cause::{Lateness, Processor};
use std::fmt;
use std::time::Duration;

/// Frames that came too late to be heard. They were faded over, and the stream went on in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Underrun {
    /// The first frame that was missing, counted from the stream's start.
    pub at_frame: u64,
    /// When it was noticed, since the stream's start.
    pub at_time: Duration,
    /// Frames from there until sound faded in again: the time that recovery took.
    pub frames: u64,
    /// Why.
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
    /// Blocks were asked for faster than time passes: the device or its server was late itself.
    Burst,
    /// Too many events at once.
    EventFlood,
    /// Rendering took longer than there was time.
    RenderTime,
    /// The hypervisor took the processor away.
    Steal,
    /// Other programs had the processor.
    Scheduling,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Start => "start",
            Cause::LargeBlock => "block larger than the stream's depth",
            Cause::Burst => "burst of callbacks",
            Cause::EventFlood => "event flood",
            Cause::RenderTime => "rendering took too long",
            Cause::Steal => "processor taken by the hypervisor",
            Cause::Scheduling => "processor taken by other programs",
        })
    }
}

/// What the audio side knows of an underrun once it is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Starvation {
    pub(super) at_frame: u64,
    pub(super) frames: u64,
    pub(super) ring_depth: usize,
    pub(super) block: usize,
}

/// The same with what the render side knows of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) starvation: Starvation,
    pub(super) at_time: Duration,
    pub(super) lateness: Option<Lateness>,
}

impl Report {
    /// The whole story, once it is known who had the processor.
    pub(super) fn conclude(&self, processor: &Processor) -> Underrun {
        let Starvation {
            at_frame,
            frames,
            ring_depth,
            block,
        } = self.starvation;
        let decide = |lateness: &Lateness| processor.decide(lateness);
        Underrun {
            at_frame,
            at_time: self.at_time,
            frames,
            cause: self.lateness.as_ref().map_or(Cause::Burst, decide),
            ring_depth,
            block,
        }
    }
}
