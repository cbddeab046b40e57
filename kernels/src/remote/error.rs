//! Why the child process could not be started, and why it was lost.

use myriad_engine::render::{PrepareError, Reason, Remedy, RenderError};
use std::io;
use std::path::PathBuf;

/// Why a child process could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refused so many MiB of shared memory.
    #[error("cannot share {0} MiB with a render process: {1}")]
    Memory(usize, #[source] io::Error),
    /// The program could not be started.
    #[error("cannot start {program} as a render process: {1}", program = .0.display())]
    Program(PathBuf, #[source] io::Error),
    /// The program ended before it was ready, or does not speak the protocol: says how.
    #[error("{program}: {1}", program = .0.display())]
    Unfit(PathBuf, String),
    /// The program was not ready within so many milliseconds.
    #[error("{program} was not ready to render within {1} ms", program = .0.display())]
    Late(PathBuf, u128),
    /// The child's renderer could not be prepared: its own message.
    #[error("{0}")]
    Refused(String),
}

/// Why a child process stopped rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteFailure {
    /// The child's renderer failed: its own message.
    #[error("{0}")]
    Failed(Reason),
    /// It exited.
    #[error("the render process ended with code {code}")]
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal ended it.
    #[error("the render process was killed by signal {signal}")]
    Killed {
        /// The number of the signal.
        signal: i32,
    },
    /// It ended, and another part of this program collected its exit status.
    #[error("the render process is gone")]
    Gone,
    /// It does not follow the protocol.
    #[error("the render process does not make sense: {what}")]
    ProtocolViolation {
        /// The violation.
        what: &'static str,
    },
}

impl From<StartError> for PrepareError {
    fn from(error: StartError) -> Self {
        PrepareError::Device { remedy: Remedy::Retry, source: Box::new(error) }
    }
}

impl From<RemoteFailure> for RenderError {
    fn from(error: RemoteFailure) -> Self {
        RenderError::Device(Reason::of(&error))
    }
}
