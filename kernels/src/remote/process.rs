//! The child process: its start, its end, and how it ended.

use super::RemoteCommand;
use super::error::RemoteFailure;
use rustix::io::Errno;
use rustix::net::RecvFlags;
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
    /// `None` once its exit status is known.
    child: Option<Child>,
    pub(super) socket: UnixStream,
    /// Kept until the handshake is over, for error messages.
    stderr: Option<ChildStderr>,
    /// How it ended.
    end: Option<RemoteFailure>,
}

/// How long `drop` waits. A driver can delay the end of a process; then a thread waits for it.
const DROP_TIMEOUT: Duration = Duration::from_millis(20);

impl Process {
    /// Starts the program, with our socket as its standard input.
    pub(super) fn start(command: &RemoteCommand) -> io::Result<Self> {
        let (socket, other) = UnixStream::pair()?;
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(OwnedFd::from(other))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Ctrl-C must reach only the parent, which ends the child itself.
            .process_group(0)
            .spawn()?;
        Ok(Self { stderr: child.stderr.take(), child: Some(child), socket, end: None })
    }

    pub(super) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// How it ended, if it has.
    pub(super) fn end(&mut self) -> Option<RemoteFailure> {
        if let Some(child) = &mut self.child {
            self.end = match child.try_wait() {
                Ok(None) => return None,
                Ok(Some(status)) => Some(failure_of(status)),
                // Other code in this program has already waited for it.
                Err(_) => Some(RemoteFailure::Gone),
            };
            self.child = None;
        }
        self.end
    }

    /// Waits for the end of a process that has closed its socket or was killed.
    pub(super) fn await_end(&mut self, timeout: Duration) -> RemoteFailure {
        let start = Instant::now();
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            if start.elapsed() > timeout {
                return RemoteFailure::Gone;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Whether it has closed its socket, which happens when it ends.
    pub(super) fn is_closed(&self) -> bool {
        let received = rustix::net::recv(&self.socket, &mut [0; 16], RecvFlags::DONTWAIT);
        !matches!(received, Ok((1.., _)) | Err(Errno::AGAIN | Errno::INTR))
    }

    /// Kills it, and waits until it has ended, at most for `timeout`.
    pub(super) fn kill(&mut self, timeout: Duration) {
        // After its exit status was collected, its id may belong to another process.
        if self.end().is_some() {
            return;
        }
        if let Some(child) = &mut self.child {
            let _ = child.kill();
        }
        self.await_end(timeout);
    }

    /// The first line of its standard error so far; the rest is discarded.
    pub(super) fn first_stderr_line(&mut self) -> String {
        let mut said = Vec::new();
        if let Some(stderr) = self.stderr.take()
            && rustix::io::ioctl_fionbio(&stderr, true).is_ok()
        {
            // Stops where nothing more can be read at the moment.
            let _ = stderr.take(1_024).read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        said.lines().next().unwrap_or_default().to_owned()
    }

    /// Closes our end of its standard error.
    pub(super) fn discard_stderr(&mut self) {
        self.stderr = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill(DROP_TIMEOUT);
        if let Some(mut child) = self.child.take() {
            let reaper = thread::Builder::new().name("myriad-reaper".into());
            // Without the thread the child stays a zombie until this program ends, which is harmless.
            let _ = reaper.spawn(move || child.wait());
        }
    }
}

fn failure_of(status: ExitStatus) -> RemoteFailure {
    match (status.code(), status.signal()) {
        (Some(code), _) => RemoteFailure::Exited { code },
        (None, Some(signal)) => RemoteFailure::Killed { signal },
        (None, None) => RemoteFailure::Gone,
    }
}
