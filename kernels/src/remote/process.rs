//! The process that renders: started, looked after, and ended.

use super::error::RemoteFailure;
use super::{RemoteCommand, handshake};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A child process, ended when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    /// None once it has ended and its end is known.
    child: Option<Child>,
    pub(super) socket: UnixStream,
    /// What it says while it gets ready.
    stderr: Option<ChildStderr>,
    /// How it ended, once it has.
    end: Option<RemoteFailure>,
}

/// How long a drop may take. A process that a driver holds on to takes longer; then it is waited
/// for elsewhere.
const SHORT: Duration = Duration::from_millis(20);

impl Process {
    /// Starts the program, with a socket to us as its standard input.
    pub(super) fn start(command: &RemoteCommand) -> io::Result<Self> {
        let (socket, other) = UnixStream::pair()?;
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(OwnedFd::from(other))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Ctrl-C is for us: we end the child when we are done with it.
            .process_group(0)
            .spawn()?;
        Ok(Self {
            stderr: child.stderr.take(),
            child: Some(child),
            socket,
            end: None,
        })
    }

    pub(super) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// How it ended, if it has.
    pub(super) fn end(&mut self) -> Option<RemoteFailure> {
        if let Some(child) = &mut self.child {
            self.end = match child.try_wait() {
                Ok(None) => return None,
                Ok(Some(status)) => Some(told_by(status)),
                // Somebody else in this program has waited for it.
                Err(_) => Some(RemoteFailure::Gone),
            };
            self.child = None;
        }
        self.end
    }

    /// How it ended, which it does by itself: its socket is closed, so it has hardly a moment left.
    pub(super) fn await_end(&mut self, patience: Duration) -> RemoteFailure {
        let start = Instant::now();
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            if start.elapsed() > patience {
                return RemoteFailure::Gone;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Whether it has closed its socket.
    pub(super) fn is_closed(&self) -> bool {
        handshake::is_closed(&self.socket)
    }

    /// Ends it, and waits until it has let go of everything, or for as long as there is patience.
    pub(super) fn kill(&mut self, patience: Duration) {
        // Once somebody else has waited for it, its number may be another process's.
        if self.end().is_some() {
            return;
        }
        if let Some(child) = &mut self.child {
            let _ = child.kill();
        }
        self.await_end(patience);
    }

    /// The first line of what it has said so far. Later words go nowhere.
    pub(super) fn first_words(&mut self) -> String {
        let mut said = Vec::new();
        if let Some(stderr) = self.stderr.take()
            && rustix::io::ioctl_fionbio(&stderr, true).is_ok()
        {
            // Ends where there is nothing more to read for the moment.
            let _ = stderr.take(1_024).read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        said.lines().next().unwrap_or_default().to_owned()
    }

    /// Listens no longer to what it says.
    pub(super) fn stop_listening(&mut self) {
        self.stderr = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill(SHORT);
        if let Some(mut child) = self.child.take() {
            let wait = move || child.wait();
            // Without a thread it stays a zombie until this program ends: no worse.
            let _ = thread::Builder::new()
                .name("myriad-reaper".into())
                .spawn(wait);
        }
    }
}

fn told_by(status: ExitStatus) -> RemoteFailure {
    match (status.code(), status.signal()) {
        (Some(code), _) => RemoteFailure::Exited { code },
        (None, Some(signal)) => RemoteFailure::Killed { signal },
        (None, None) => RemoteFailure::Gone,
    }
}
