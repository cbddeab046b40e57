//! Why the service cannot be used, why it was lost, and why it ends.

use myriad_engine::render::{PrepareError, Reason, Remedy, RenderError};
use std::io;
use std::path::PathBuf;

/// Why a client cannot use the service.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refused so many MiB of shared memory.
    #[error("cannot share {0} MiB with the render service: {1}")]
    Memory(usize, #[source] io::Error),
    /// The folder of its socket cannot be used.
    #[error("cannot reach the render service through {folder}: {1}", folder = .0.display())]
    Folder(PathBuf, String),
    /// Its program could not be started.
    #[error("cannot start {program} as the render service: {1}", program = .0.display())]
    Program(PathBuf, String),
    /// It was not ready within so many milliseconds.
    #[error("the render service was not ready within {0} ms")]
    Late(u128),
    /// What answers is not the service.
    #[error("the render service does not make sense: {0}")]
    Unfit(String),
    /// It refused: its own message.
    #[error("{0}")]
    Refused(String),
}

/// Why the service stopped rendering for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceFailure {
    /// It cannot go on: its own message.
    #[error("{0}")]
    Failed(Reason),
    /// It ended.
    #[error("the render service has ended")]
    Ended,
    /// It does not follow the protocol.
    #[error("the render service does not make sense: {what}")]
    ProtocolViolation {
        /// The violation.
        what: &'static str,
    },
}

/// Why the service ends, other than for want of clients.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It was called by hand, or by another version.
    #[error("it is started by Myriad itself, to render on a GPU for all players and plugins")]
    Arguments,
    /// The renderer has failed.
    #[error("{0}")]
    Failed(String),
    /// A file, socket or thread failed.
    #[error("{0}: {1}")]
    System(&'static str, #[source] io::Error),
}

impl From<StartError> for PrepareError {
    fn from(error: StartError) -> Self {
        PrepareError::Device { remedy: Remedy::Retry, source: Box::new(error) }
    }
}

impl From<ServiceFailure> for RenderError {
    fn from(error: ServiceFailure) -> Self {
        RenderError::Device(Reason::of(&error))
    }
}
