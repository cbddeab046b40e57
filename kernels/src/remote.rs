//! A renderer in a child process, so that a crash of the GPU driver does not end the host.
//!
//! After a kernel has failed, the CUDA driver refuses that process until it ends; only another
//! process can use the GPU again. `prepare` starts the child and shares memory with it, `submit`
//! writes clouds there, `collect` reads buses. The child may fail, hang, die or send invalid data at
//! any time: each is an error here, and `prepare` starts another child.
//!
//! Linux only: CUDA supports no other Unix.

mod connection;
mod error;
mod futex_counter;
mod handshake;
mod layout;
mod memory;
mod process;
mod server;
mod table_uploader;

pub use error::{RemoteFailure, StartError};
pub use server::{ServeError, serve};

use connection::Connection;
use layout::DEPTH;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The subcommand of `myriad` that calls [`serve`].
pub const SUBCOMMAND: &str = "render-server";

/// How to start the child process: a program that calls [`serve`] with its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// How long to wait for the child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteOptions {
    /// How long a block may take.
    pub deadline: Duration,
    /// How long the child may take to prepare. Long, because the GPU's driver may have to compile.
    pub start_deadline: Duration,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(1), start_deadline: Duration::from_secs(30) }
    }
}

/// Renders in a child process.
#[derive(Debug)]
pub struct RemoteRenderer {
    command: RemoteCommand,
    options: RemoteOptions,
    /// `None` until `prepare` succeeds.
    connection: Option<Connection>,
    /// Set by the first failure: the state of the child's renderer is then lost.
    failed: Option<RenderError>,
}

impl RemoteRenderer {
    /// Renders in a process that `command` starts. Starts nothing before `prepare`.
    pub fn new(command: RemoteCommand, options: RemoteOptions) -> Self {
        Self { command, options, connection: None, failed: None }
    }

    /// Renders on GPU number `device`, in a process of `program`, which is `myriad`.
    pub fn cuda(program: PathBuf, device: usize) -> Self {
        let arguments = [SUBCOMMAND, "cuda", &device.to_string()].map(OsString::from);
        let command = RemoteCommand { program, arguments: arguments.into() };
        Self::new(command, RemoteOptions::default())
    }

    /// The id of the child process, while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.connection.as_ref().and_then(Connection::process_id)
    }

    /// The connection, unless it has failed.
    fn connection(&mut self) -> Result<&mut Connection, RenderError> {
        match self.failed {
            Some(error) => Err(error),
            None => self.connection.as_mut().ok_or(RenderError::NotPrepared),
        }
    }

    /// Remembers a failure. A call out of turn is the caller's mistake and no failure.
    fn note<T>(&mut self, result: Result<T, RenderError>) -> Result<T, RenderError> {
        if let Err(error) = result
            && !error.is_misuse()
        {
            self.failed = Some(error);
        }
        result
    }
}

impl Renderer for RemoteRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        if let Some(connection) = self.connection.take() {
            connection.end();
        }
        self.failed = None;
        self.connection = Some(Connection::new(&self.command, self.options, capacity)?);
        Ok(())
    }

    fn reset(&mut self) {
        // The next submit or collect reports a failure.
        if let Ok(connection) = self.connection() {
            let forgotten = connection.reset();
            let _ = self.note(forgotten);
        }
    }

    fn depth(&self) -> usize {
        DEPTH
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.connection()?.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let collected = self.connection()?.collect(buses);
        self.note(collected)
    }
}

#[cfg(test)]
mod tests;
