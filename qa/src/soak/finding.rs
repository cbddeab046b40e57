//! What a soak finds, and who is to blame.

use crate::plot::{AMBER, RED, VIOLET};
use myriad_live::stream::Underrun;
use myriad_player::analysis::colour::Rgb;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Something that should not have happened; the fields are keys of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// Seconds of play at which it was heard.
    pub seconds: f64,
    /// The same in frames of the stream; of this run, when a soak was resumed.
    pub frame: u64,
    pub kind: Kind,
    /// In the unit of its kind; the text says which.
    pub size: f64,
    pub blame: Blame,
    /// One sentence.
    pub text: String,
    /// The cause, where it is known.
    pub cause: Option<String>,
    /// A file with the sound around it.
    pub clip: Option<String>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A step that is not part of the sound.
    Click,
    /// Sound that is not that of the reference.
    Difference,
    /// Events that the engine was given late or not at all.
    Events,
    /// A sample that is no number.
    NotANumber,
    /// A sample above full scale.
    Clipping,
    /// A mean that is not 0.
    Dc,
    /// Sound where there must be silence.
    NotSilent,
    /// Voices that no key or pedal holds.
    StuckVoices,
    /// A note that began too early or too late.
    Timing,
    /// Frames that were asked for and not played, or played and not asked for.
    LostFrames,
    /// Frames that came too late and were concealed by a fade.
    Underrun,
    /// Blocks that no renderer rendered.
    RenderFailed,
    /// Memory that grew.
    Memory,
    /// Memory of the GPU that grew.
    GpuMemory,
    /// The render thread is gone.
    Stopped,
}

impl Kind {
    /// The name to show.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Click => "click",
            Kind::Difference => "difference",
            Kind::Events => "events",
            Kind::NotANumber => "not a number",
            Kind::Clipping => "clipping",
            Kind::Dc => "DC",
            Kind::NotSilent => "not silent",
            Kind::StuckVoices => "stuck voices",
            Kind::Timing => "timing",
            Kind::LostFrames => "lost frames",
            Kind::Underrun => "underrun",
            Kind::RenderFailed => "render failed",
            Kind::Memory => "memory",
            Kind::GpuMemory => "GPU memory",
            Kind::Stopped => "stopped",
        }
    }
}

/// Who is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Blame {
    /// Myriad: the soak fails.
    Myriad,
    /// The machine: another program had the processor, or the device itself was late.
    Machine,
    /// The fault was injected.
    Injected,
}

impl Blame {
    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Blame::Myriad => "myriad",
            Blame::Machine => "machine",
            Blame::Injected => "injected",
        }
    }

    pub(super) fn colour(self) -> Rgb {
        match self {
            Blame::Myriad => RED,
            Blame::Machine => AMBER,
            Blame::Injected => VIOLET,
        }
    }
}

impl Finding {
    /// A fault of Myriad.
    pub(super) fn ours(seconds: f64, frame: u64, kind: Kind, size: f64, text: String) -> Self {
        Self { seconds, frame, kind, size, blame: Blame::Myriad, text, cause: None, clip: None }
    }

    /// An underrun with its cause; `stalled` is for how long the machine stalled around it.
    pub(super) fn underrun(
        underrun: &Underrun,
        seconds: f64,
        rate: f64,
        stalled: Duration,
    ) -> Self {
        let milliseconds = underrun.frames as f64 / rate * 1000.0;
        let block = Duration::from_secs_f64(underrun.block as f64 / rate);
        // A block whose thread loses half of its time cannot be on time.
        let machine = stalled > block / 2;
        let cause = match machine {
            true => "the machine was held up".to_owned(),
            false => underrun.cause.to_string(),
        };
        Self {
            seconds,
            frame: underrun.at_frame,
            kind: Kind::Underrun,
            size: milliseconds,
            blame: match machine || underrun.cause.is_the_machines() {
                true => Blame::Machine,
                false => Blame::Myriad,
            },
            text: format!(
                "{milliseconds:.1} ms were missing and faded over: {cause} ({:.1} ms); {} frames were ready of {}",
                1000.0 * stalled.as_secs_f64(),
                underrun.ring_depth,
                underrun.block
            ),
            cause: Some(cause),
            clip: None,
        }
    }
}
