//! Why a renderer cannot be prepared, and why a render failed.

use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Why a renderer could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The machine refused the memory.
    #[error("{slots} clouds need {mebibytes} MiB, more than this machine gives")]
    OutOfMemory {
        /// Requested clouds.
        slots: usize,
        /// The memory that they need.
        mebibytes: usize,
    },
    /// A worker thread could not be started.
    #[error("cannot start worker thread {index}: {source}")]
    Thread {
        /// Which one.
        index: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// The device was not prepared in time.
    #[error("the device did not get ready within {milliseconds} ms")]
    Late {
        /// The time it was given.
        milliseconds: u64,
    },
    /// The device was prepared, and then failed at the first block.
    #[error("its first block failed: {0}")]
    Trial(Box<RenderError>),
    /// The thread that should have prepared it has ended.
    #[error("the thread of the device has ended")]
    ThreadEnded,
    /// The device cannot render, for a reason that its own code reports.
    #[error("{source}")]
    Device {
        /// What would help.
        remedy: Remedy,
        /// The error of the device's code.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// What would help when a device cannot be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A retry later.
    Retry,
    /// Fewer clouds: there is not enough memory.
    FewerClouds,
    /// Another process: the driver refuses this one for as long as it runs.
    AnotherProcess,
    /// Nothing, as long as this program runs.
    Nothing,
}

impl PrepareError {
    /// What would help.
    pub fn remedy(&self) -> Remedy {
        match self {
            PrepareError::Device { remedy, .. } => *remedy,
            PrepareError::OutOfMemory { .. } => Remedy::FewerClouds,
            PrepareError::Thread { .. }
            | PrepareError::Late { .. }
            | PrepareError::Trial(_)
            | PrepareError::ThreadEnded => Remedy::Retry,
        }
    }

    /// Whether a retry in this process is useless.
    pub fn is_final(&self) -> bool {
        matches!(self.remedy(), Remedy::AnotherProcess | Remedy::Nothing)
    }
}

impl From<RenderError> for PrepareError {
    fn from(error: RenderError) -> Self {
        PrepareError::Trial(Box::new(error))
    }
}

/// Why a block was not rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// `prepare` was not called, or failed.
    #[error("the renderer is not prepared")]
    NotPrepared,
    /// More blocks were submitted than the renderer takes, or more collected than submitted.
    #[error("the renderer was asked out of turn")]
    OutOfTurn,
    /// The block has slots that the renderer was not prepared for.
    #[error("a block of {slots} slots is too large: the renderer is prepared for {prepared}")]
    BlockTooLarge {
        /// Slots of the block.
        slots: usize,
        /// Slots that the renderer is prepared for.
        prepared: usize,
    },
    /// A call of the device's driver failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// Which one.
        call: &'static str,
        /// The driver's name for what happened.
        reason: &'static str,
    },
    /// The device did not finish in time.
    #[error("the device did not finish within {milliseconds} ms")]
    Late {
        /// The time it was given.
        milliseconds: u64,
    },
    /// The device failed, for a reason that its own code reports.
    #[error("{0}")]
    Device(Reason),
}

impl RenderError {
    /// The device did not finish within `limit`, in milliseconds or a part of one.
    pub fn late(limit: Duration) -> Self {
        Self::Late { milliseconds: limit.as_micros().div_ceil(1_000) as u64 }
    }

    /// Whether the caller made a mistake: the renderer has not failed and goes on.
    pub fn is_misuse(&self) -> bool {
        matches!(self, RenderError::OutOfTurn | RenderError::BlockTooLarge { .. })
    }
}

/// A message of fixed size, so that an error needs no allocation: longer text is truncated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    bytes: [u8; Self::LONGEST],
    length: u8,
}

impl Reason {
    /// The most bytes of a reason.
    pub const LONGEST: usize = 104;

    /// As much of `text` as fits.
    pub fn new(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(Self::LONGEST)];
        let mut bytes = [0; Self::LONGEST];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self { bytes, length: text.len() as u8 }
    }

    /// The message of `error`, formatted without allocating.
    pub fn of(error: &dyn fmt::Display) -> Self {
        let mut reason = Self::new("");
        // It never fails: longer text is truncated.
        let _ = fmt::write(&mut reason, format_args!("{error}"));
        reason
    }

    /// A message that another process wrote; invalid text is replaced.
    pub fn from_bytes(bytes: impl Iterator<Item = u8>, length: usize) -> Self {
        let mut text = [0; Self::LONGEST];
        text.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let text = &text[..length.min(Self::LONGEST)];
        Self::new(std::str::from_utf8(text).unwrap_or("a reason that cannot be read"))
    }

    /// All bytes, including unused ones.
    pub fn bytes(&self) -> &[u8; Self::LONGEST] {
        &self.bytes
    }

    /// The message as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Write for Reason {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let length = usize::from(self.length);
        let text = &text[..text.floor_char_boundary(Self::LONGEST - length)];
        self.bytes[length..][..text.len()].copy_from_slice(text.as_bytes());
        self.length += text.len() as u8;
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_cut_between_characters() {
        assert_eq!(Reason::new("short").text(), "short");
        let long = "ü".repeat(100);
        assert_eq!(Reason::new(&long).text(), &long[..Reason::LONGEST]);
        assert_eq!(Reason::new(&format!("a{long}")).text().len(), 103);
    }
}
