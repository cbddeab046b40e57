//! Finds the service of this user, or starts it.
//!
//! Each version of Myriad has a service of its own for each GPU, with a socket in a folder that only this
//! user can connect.

use super::client::ServiceOptions;
use super::error::StartError;
use super::handshake::{self, Welcome};
use super::memory::SharedMemory;
use super::robust_futex::RobustFutex;
use super::status::status;
use myriad_engine::render::Capacity;
use rustix::fs::Mode;
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a service that is alive takes at most to welcome a client. One that does not answer hangs.
pub(super) const WELCOME_TIMEOUT: Duration = Duration::from_secs(3);

/// How often to look for a service that is starting, and to start another one in case it did not.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);
const START_INTERVAL: Duration = Duration::from_secs(2);

/// What a service renders on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// GPU number so many.
    Cuda(usize),
    /// The CPU in place of GPU number so many, for tests.
    StandIn(usize),
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Served::Cuda(device) => write!(f, "cuda-{device}"),
            Served::StandIn(device) => write!(f, "stand-in-{device}"),
        }
    }
}

impl Served {
    /// Reads what `Display` writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, device) = text.rsplit_once('-')?;
        let device = device.parse().ok()?;
        match kind {
            "cuda" => Some(Served::Cuda(device)),
            "stand-in" => Some(Served::StandIn(device)),
            _ => None,
        }
    }
}

/// All GPUs that the kernel's driver has; the first one if it does not say.
pub fn all_gpus() -> Vec<Served> {
    let exists = |device: &usize| Path::new(&format!("/dev/nvidia{device}")).exists();
    let gpus: Vec<_> = (0..64).filter(exists).map(Served::Cuda).collect();
    match gpus.is_empty() {
        true => vec![Served::Cuda(0)],
        false => gpus,
    }
}

/// How to reach a service, and how to start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceCommand {
    /// A program that calls [`super::run`] with its arguments after these.
    pub program: PathBuf,
    /// Arguments before those of the service.
    pub arguments: Vec<OsString>,
    /// What it may render on: each is a service of its own, and the least busy one is used.
    pub served: Vec<Served>,
    /// The folder of the sockets.
    pub folder: PathBuf,
    /// How long it stays without clients.
    pub idle: Duration,
}

impl ServiceCommand {
    /// The service of `program`, which is `myriad` or the plugin's own.
    pub fn new(program: PathBuf, arguments: Vec<OsString>, served: Vec<Served>) -> Self {
        let idle = Duration::from_secs(30);
        Self { program, arguments, served, folder: default_folder(), idle }
    }

    /// What it may render on, the least busy first.
    pub(super) fn candidates(&self) -> Vec<Served> {
        let load = |served: &Served| match status(&self.folder, *served, WELCOME_TIMEOUT) {
            // In tenths, so that it does not depend on the moment; then by the number of clients.
            Ok(Some(status)) => ((10.0 * status.busy) as usize, status.clients.len()),
            Ok(None) => (0, 0),
            Err(_) => (usize::MAX, 0),
        };
        let mut candidates = self.served.clone();
        candidates.sort_by_cached_key(load);
        candidates
    }

    /// Starts it, unless it runs. The process that is started here starts the service and ends, so that the
    /// service is nobody's child.
    fn start(&self, served: Served) -> Result<(), StartError> {
        let failed = |what: String| StartError::Program(self.program.clone(), what);
        let mut starter = Command::new(&self.program)
            .args(&self.arguments)
            .arg("start")
            .arg(served.to_string())
            .arg(&self.folder)
            .arg(self.idle.as_millis().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        // Not `Command::output`, which panics when what it says cannot be read.
        let mut said = Vec::new();
        if let Some(stderr) = &mut starter.stderr {
            let _ = stderr.read_to_end(&mut said);
        }
        let status = starter.wait().map_err(|error| failed(error.to_string()))?;
        match status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&said);
                let said = said.lines().next().unwrap_or_default();
                Err(failed(format!("{status} ({said})")))
            }
        }
    }
}

/// The socket of a service in `folder`.
pub(super) fn socket_in(folder: &Path, served: Served) -> PathBuf {
    folder.join(format!("{served}-{}-{}.socket", handshake::VERSION, handshake::PROTOCOL))
}

/// The folder for sockets of this user.
pub fn default_folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder).join("myriad"),
        _ => {
            let user = rustix::process::getuid().as_raw();
            std::env::temp_dir().join(format!("myriad-{user}"))
        }
    }
}

/// Makes the folder if need be, and refuses one that others can connect or own.
pub(super) fn check_folder(folder: &Path) -> Result<(), String> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| error.to_string())?;
    let facts = std::fs::symlink_metadata(folder).map_err(|error| error.to_string())?;
    let others = Mode::RWXG.bits() | Mode::RWXO.bits();
    match () {
        () if !facts.is_dir() => Err("it is not a folder".into()),
        () if facts.uid() != rustix::process::getuid().as_raw() => {
            Err("it belongs to another user".into())
        }
        () if facts.mode() & others != 0 => Err("other users may enter it".into()),
        () => Ok(()),
    }
}

/// The process at the other end of a socket, if it belongs to this user.
pub(super) fn peer(socket: &UnixStream) -> io::Result<Pid> {
    let peer = rustix::net::sockopt::socket_peercred(socket)?;
    match peer.uid == rustix::process::getuid() {
        true => Ok(peer.pid),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// A client's connection to a service.
pub(super) struct Connected {
    pub(super) socket: UnixStream,
    pub(super) service: Pid,
    pub(super) signals: Signals,
}

/// Memory of a service that all its clients share.
#[derive(Debug)]
pub(super) struct Signals {
    /// Its first counter wakes the service.
    pub(super) doorbell: SharedMemory,
    /// Shows that the service is dead.
    pub(super) robust_futex: RobustFutex,
}

/// Connects to the service, and starts it if it does not run. A service that hangs is killed and replaced.
pub(super) fn connect(
    command: &ServiceCommand,
    served: Served,
    options: &ServiceOptions,
    capacity: Capacity,
    file: &OwnedFd,
) -> Result<Connected, StartError> {
    let timeout = options.start_deadline;
    let folder = |reason| StartError::Folder(command.folder.clone(), reason);
    check_folder(&command.folder).map_err(folder)?;
    let path = socket_in(&command.folder, served);
    let begin = Instant::now();
    let mut started: Option<Instant> = None;
    loop {
        if let Ok(socket) = UnixStream::connect(&path) {
            let service = peer(&socket)
                .map_err(|_| StartError::Unfit("it belongs to another user".into()))?;
            let left = timeout.saturating_sub(begin.elapsed());
            let admitted = request_admission(&socket, left, options, capacity, file);
            match admitted {
                Ok(signals) => return Ok(Connected { socket, service, signals }),
                Err(Refusal::Final(error)) => return Err(error),
                Err(Refusal::Hangs) => {
                    let _ = rustix::process::kill_process(service, Signal::KILL);
                }
                // It was about to end.
                Err(Refusal::Closed) => {}
            }
        } else if started.is_none_or(|at| at.elapsed() > START_INTERVAL) {
            command.start(served)?;
            started = Some(Instant::now());
        }
        if begin.elapsed() > timeout {
            return Err(StartError::Late(timeout.as_millis()));
        }
        thread::sleep(LOOK_INTERVAL);
    }
}

enum Refusal {
    Final(StartError),
    Hangs,
    Closed,
}

fn request_admission(
    socket: &UnixStream,
    timeout: Duration,
    options: &ServiceOptions,
    capacity: Capacity,
    file: &OwnedFd,
) -> Result<Signals, Refusal> {
    let hangs = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock => Refusal::Hangs,
        io::ErrorKind::InvalidData => {
            Refusal::Final(StartError::Unfit("it answers with another protocol".into()))
        }
        _ => Refusal::Closed,
    };
    let limit = |timeout: Duration| {
        let timeout = timeout.max(Duration::from_millis(1));
        socket.set_read_timeout(Some(timeout)).and(socket.set_write_timeout(Some(timeout)))
    };
    limit(timeout.min(options.welcome_deadline)).map_err(hangs)?;
    handshake::send_hello(socket, options.is_live, capacity, file.as_fd()).map_err(hangs)?;
    let signals = match handshake::receive_welcome(socket).map_err(hangs)? {
        Welcome::Files { doorbell, robust_futex } => Signals {
            doorbell: SharedMemory::open(&doorbell, 0).map_err(hangs)?,
            robust_futex: RobustFutex::open(&robust_futex).map_err(hangs)?,
        },
        Welcome::Refused(reason) => return Err(Refusal::Final(StartError::Refused(reason))),
    };
    // Preparing a GPU takes long, so this timeout does not mean that the service hangs.
    limit(timeout).map_err(hangs)?;
    match handshake::receive_reply(socket) {
        Ok(Ok(())) => Ok(signals),
        Ok(Err(reason)) => Err(Refusal::Final(StartError::Refused(reason))),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(Refusal::Final(StartError::Late(timeout.as_millis())))
        }
        Err(error) => Err(hangs(error)),
    }
}
