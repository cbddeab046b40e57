//! Why the process that renders cannot be had, and why it was lost.

use myriad_engine::render::{PrepareError, Reason, Remedy, RenderError};
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
    ProtocolViolation {
        /// What it did.
        what: &'static str,
    },
}

impl From<StartError> for PrepareError {
    fn from(error: StartError) -> Self {
        PrepareError::Device {
            remedy: Remedy::Retry,
            source: Box::new(error),
        }
    }
}

impl From<RemoteFailure> for RenderError {
    fn from(error: RemoteFailure) -> Self {
        RenderError::Device(Reason::of(&error))
    }
}
