//! Why the process that renders cannot be had, and why it was lost.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a process that renders could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The memory to share with it was refused.
    #[error("cannot share {mebibytes} MiB with a render process: {source}")]
    Memory {
        /// How much was asked for.
        mebibytes: usize,
        /// What the system said.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("cannot start {} as a render process: {source}", program.display())]
    Program {
        /// Which one.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It ended before it was ready, or is no program that renders.
    #[error("{}: {why}", program.display())]
    Unfit {
        /// Which one.
        program: PathBuf,
        /// How it ended, and what it said.
        why: String,
    },
    /// It was not ready in time.
    #[error("{} was not ready to render within {milliseconds} ms", program.display())]
    Late {
        /// Which one.
        program: PathBuf,
        /// The time it was given.
        milliseconds: u128,
    },
    /// Its renderer could not be prepared, for a reason of its own.
    #[error("{0}")]
    Refused(String),
}

/// Why a process that rendered does so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteFailure {
    /// Its renderer failed, for a reason of its own.
    #[error("{0}")]
    Failed(Reason),
    /// It ended by itself.
    #[error("the render process ended with code {code}")]
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal ended it.
    #[error("the render process was killed by signal {signal}")]
    Killed {
        /// Which one.
        signal: i32,
    },
    /// It ended, and somebody else was told how.
    #[error("the render process is gone")]
    Gone,
    /// It does not follow the protocol.
    #[error("the render process does not make sense: {what}")]
    Nonsense {
        /// What it did.
        what: &'static str,
    },
}

/// A reason in words, kept in place so that an error needs no memory: what does not fit is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    bytes: [u8; Self::LONGEST],
    length: u8,
}

impl Reason {
    /// The most bytes of a reason.
    pub const LONGEST: usize = 104;

    /// The first words of `text`.
    pub fn new(text: &str) -> Self {
        let text = cut(text, Self::LONGEST);
        let mut bytes = [0; Self::LONGEST];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self {
            bytes,
            length: text.len() as u8,
        }
    }

    /// What another process wrote, whatever that is.
    pub(super) fn from_bytes(bytes: impl Iterator<Item = u8>, length: usize) -> Self {
        let mut text = [0; Self::LONGEST];
        text.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let text = &text[..length.min(Self::LONGEST)];
        Self::new(std::str::from_utf8(text).unwrap_or("a reason that cannot be read"))
    }

    /// All bytes, also those that are not used.
    pub(super) fn bytes(&self) -> &[u8; Self::LONGEST] {
        &self.bytes
    }

    /// It in words.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// As much of `text` as fits into `limit` bytes.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    let mut ends = (0..=limit.min(text.len())).rev();
    &text[..ends.find(|&end| text.is_char_boundary(end)).unwrap_or(0)]
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
