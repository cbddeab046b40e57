//! A renderer in a process of its own, so that what kills a process does not kill ours.
//!
//! After a kernel has failed, the CUDA driver refuses the process it ran in for good; only another
//! process gets the GPU back. Here the other process is a child: `prepare` starts it and shares
//! memory with it, `submit` writes clouds there, `collect` reads buses. The child may fail, hang, die
//! or talk nonsense at any time: each is an error here, and `prepare` starts another one.
//!
//! For Linux: CUDA is on no other Unix.

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

/// What the program that serves is asked for on its command line.
pub const SUBCOMMAND: &str = "render-server";

/// How to start the process that renders: a program that calls [`serve`] with its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl RemoteCommand {
    /// The `myriad` program, to render with `renderer`, as it understands it.
    fn render_server(program: PathBuf, renderer: &[&str]) -> Self {
        let arguments = [SUBCOMMAND].iter().chain(renderer);
        Self {
            program,
            arguments: arguments.map(OsString::from).collect(),
        }
    }
}

/// How long to wait for the other process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteOptions {
    /// How long a block may take.
    pub deadline: Duration,
    /// How long it may take to get ready. Long, because a GPU's driver may have to compile.
    pub start_deadline: Duration,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(1),
            start_deadline: Duration::from_secs(30),
        }
    }
}

/// Renders in another process.
#[derive(Debug)]
pub struct RemoteRenderer {
    command: RemoteCommand,
    options: RemoteOptions,
    /// Once prepared.
    connection: Option<Connection>,
    /// Set by the first failure: what the other process remembers is lost.
    failed: Option<RenderError>,
}

impl RemoteRenderer {
    /// Renders in a process that `command` starts. Touches nothing yet.
    pub fn new(command: RemoteCommand) -> Self {
        Self::with_options(command, RemoteOptions::default())
    }

    /// The same with chosen options.
    pub fn with_options(command: RemoteCommand, options: RemoteOptions) -> Self {
        Self {
            command,
            options,
            connection: None,
            failed: None,
        }
    }

    /// Renders on GPU number `device`, in a process of `program`, which is `myriad`.
    pub fn cuda(program: PathBuf, device: usize) -> Self {
        let renderer = ["cuda", &device.to_string()];
        Self::new(RemoteCommand::render_server(program, &renderer))
    }

    /// Renders on the CPU with one thread, in a process of `program`, which is `myriad`.
    pub fn cpu(program: PathBuf) -> Self {
        Self::new(RemoteCommand::render_server(program, &["cpu"]))
    }

    /// The other process, while there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.connection.as_ref().and_then(Connection::process_id)
    }

    /// The link, unless it has failed.
    fn connection(&mut self) -> Result<&mut Connection, RenderError> {
        match self.failed {
            Some(error) => Err(error),
            None => self.connection.as_mut().ok_or(RenderError::NotPrepared),
        }
    }

    /// Remembers a failure. Who was asked out of turn has not failed.
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
        // A failure is told to whoever renders next.
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
