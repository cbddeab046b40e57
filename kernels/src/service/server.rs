//! The process of the service: one for a user and a GPU. Accepts clients; the [`Scheduler`] renders for
//! them.

use super::error::ServeError;
use super::handshake::{self, Hello};
use super::layout::{MAX_SLOTS, SharedSegment};
use super::memory::SharedMemory;
use super::robust_futex::RobustFutex;
use super::scheduler::{PendingClient, Scheduler};
use super::start::{Served, check_folder, peer, socket_in};
use super::status::ServiceStatus;
use super::tables::ClientTables;
use crate::cuda::CudaRenderer;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{Capacity, CpuRenderer, Remedy, Renderer};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::process::{Pid, Signal, getpid, kill_process, setsid};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The niceness that audio servers use for their own threads.
const NICENESS: i32 = -11;

/// Connections at once; more are closed at once.
const MAX_CONNECTIONS: usize = 128;

/// How long a connection may take to say what it wants.
const HELLO_TIMEOUT: Duration = Duration::from_secs(2);

/// How long one call of the renderer may take before the service ends itself. The renderer has a deadline
/// of its own, but a driver can hang in a call.
pub(super) const HANG_TIMEOUT: Duration = Duration::from_secs(3);

/// The same while it is prepared, which includes starting the GPU and its driver.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(30);

/// The load that a service prepares for: many times what one client needs. Without a GPU it is for tests.
const CUDA_CAPACITY: Capacity = Capacity { slots: MAX_SLOTS, buses: 1_024 };
const CPU_CAPACITY: Capacity = Capacity { slots: 8_192, buses: 128 };

/// With less the service does not start.
const SMALLEST: usize = 4_096;

/// What the threads of the service share.
pub(super) struct Shared {
    /// Its first counter wakes the scheduler.
    doorbell: SharedMemory,
    doorbell_file: OwnedFd,
    /// Shows clients that this process is dead.
    robust_futex_file: OwnedFd,
    /// Milliseconds since the start by which the present call of the renderer must return, or zero.
    deadline: AtomicU64,
    start: Instant,
    /// Connections that are open.
    connections: AtomicUsize,
    /// The status, as it is sent.
    pub(super) status: Mutex<String>,
}

impl Shared {
    /// What they share, and the futex that one of them must own.
    fn new() -> Result<(Self, RobustFutex), ServeError> {
        let refused = |error| ServeError::System("shared memory", error);
        let (doorbell, doorbell_file) = SharedMemory::new(0).map_err(refused)?;
        let (robust_futex, robust_futex_file) = RobustFutex::new().map_err(refused)?;
        let shared = Self {
            doorbell,
            doorbell_file,
            robust_futex_file,
            deadline: AtomicU64::new(0),
            start: Instant::now(),
            connections: AtomicUsize::new(0),
            status: Mutex::new(ServiceStatus::default().to_text()),
        };
        Ok((shared, robust_futex))
    }

    /// Wakes the scheduler.
    pub(super) fn wake(&self) {
        self.doorbell.futex_counter(0).increment();
    }

    /// How often it was woken.
    pub(super) fn wakes(&self) -> u32 {
        self.doorbell.futex_counter(0).count()
    }

    /// Waits until it is woken more often than `known`; at first it spins. Returns whether it was woken.
    pub(super) fn wait(&self, known: u32, spin: Duration, timeout: Duration) -> bool {
        self.doorbell.futex_counter(0).wait(known, spin, Some(timeout))
    }

    /// Whether somebody is connected, if only to ask whether there is room.
    pub(super) fn is_connected(&self) -> bool {
        self.connections.load(Ordering::Relaxed) != 0
    }

    /// Calls the renderer, which must return within `timeout`.
    pub(super) fn watched<T>(&self, timeout: Duration, call: impl FnOnce() -> T) -> T {
        let deadline = (self.start.elapsed() + timeout).as_millis() as u64 + 1;
        self.deadline.store(deadline, Ordering::Relaxed);
        let result = call();
        self.deadline.store(0, Ordering::Relaxed);
        result
    }

    /// Whether a call of the renderer has not returned in time.
    fn is_hung(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        deadline != 0 && self.start.elapsed().as_millis() as u64 > deadline
    }

    /// Ends this process when a call of the renderer hangs. Owns the futex, because this thread dies at once when the
    /// process is killed: it is never in a call of the driver.
    fn watch(&self, robust_futex: RobustFutex) -> ! {
        // Without it clients notice the end of their sockets, later.
        let _ = robust_futex.own();
        loop {
            thread::sleep(HANG_TIMEOUT / 4);
            if self.is_hung() {
                // By a signal, because exit handlers might wait for the device.
                let _ = kill_process(getpid(), Signal::KILL);
            }
        }
    }
}

/// Runs the service, or starts it, as the arguments say. `prefix` are those that come before them.
///
/// # Errors
/// When the arguments are not those of [`super::ServiceCommand`], or the service cannot go on.
pub fn run(prefix: &[&str], arguments: &[OsString]) -> Result<(), ServeError> {
    match arguments {
        [start, rest @ ..] if start == "start" => {
            parse(rest)?;
            start_detached(prefix, rest)
        }
        _ => {
            let (served, folder, idle) = parse(arguments)?;
            serve(served, folder, idle)
        }
    }
}

fn parse(arguments: &[OsString]) -> Result<(Served, &Path, Duration), ServeError> {
    let [served, folder, idle] = arguments else {
        return Err(ServeError::Arguments);
    };
    let served = served.to_str().and_then(Served::parse).ok_or(ServeError::Arguments)?;
    let idle = idle.to_str().and_then(|text| text.parse().ok()).ok_or(ServeError::Arguments)?;
    Ok((served, Path::new(folder), Duration::from_millis(idle)))
}

/// Starts the service as a child of nobody: this process ends at once.
fn start_detached(prefix: &[&str], arguments: &[OsString]) -> Result<(), ServeError> {
    let program =
        std::env::current_exe().map_err(|error| ServeError::System("this program", error))?;
    Command::new(program)
        .args(prefix.iter().map(OsStr::new))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
        .map_err(|error| ServeError::System("starting", error))
}

/// Serves until nobody has been connected for `idle`.
fn serve(served: Served, folder: &Path, idle: Duration) -> Result<(), ServeError> {
    let system = |what| move |error| ServeError::System(what, error);
    // So that it outlives the terminal and the session of the client that started it. Fails when it has
    // one of its own.
    let _ = setsid();
    check_folder(folder).map_err(ServeError::Failed)?;
    let path = socket_in(folder, served);
    // Held as long as this process lives, so that there is only one.
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC;
    let lock = rustix::fs::open(path.with_extension("lock"), flags, Mode::RUSR | Mode::WUSR)
        .map_err(|error| ServeError::System("the lock", error.into()))?;
    if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(());
    }
    // Left behind by one that was killed.
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).map_err(system("the socket"))?;
    let (shared, robust_futex) = Shared::new()?;
    let shared = Arc::new(shared);
    let (pending, arrivals) = channel();
    let (watching, accepting) = (Arc::clone(&shared), Arc::clone(&shared));
    let named = |name: &str| thread::Builder::new().name(name.into());
    named("myriad-hang").spawn(move || watching.watch(robust_futex)).map_err(system("a thread"))?;
    named("myriad-accept")
        .spawn(move || accept(&listener, &accepting, &pending))
        .map_err(system("a thread"))?;
    // Most users lack the right to do this, which is harmless.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    let outcome = render(served, &shared, &arrivals, idle);
    // Clients that come now start another service.
    let _ = std::fs::remove_file(&path);
    outcome
}

/// Prepares the renderer for the first client, and renders.
fn render(
    served: Served,
    shared: &Arc<Shared>,
    arrivals: &Receiver<PendingClient>,
    idle: Duration,
) -> Result<(), ServeError> {
    let first = loop {
        match arrivals.recv_timeout(idle) {
            Ok(first) => break first,
            // Its memory is still being mapped, for example.
            Err(_) if shared.is_connected() => {}
            Err(_) => return Ok(()),
        }
    };
    match shared.watched(PREPARE_TIMEOUT, || prepared(served)) {
        Ok((renderer, capacity)) => {
            ThreadPolicy::RealTime.assume(0, 48_000.0);
            let mut scheduler = Scheduler::new(renderer, capacity, Arc::clone(shared))?;
            scheduler.admit(first);
            scheduler.run(arrivals, idle)
        }
        Err(reason) => {
            first.refuse(reason.clone());
            // Its answer is sent by another thread; others who wait get the same.
            while let Ok(next) = arrivals.recv_timeout(Duration::from_millis(200)) {
                next.refuse(reason.clone());
            }
            Err(ServeError::Failed(reason))
        }
    }
}

/// Prepares a renderer for as many clouds as its device has memory for.
fn prepared(served: Served) -> Result<(Box<dyn Renderer>, Capacity), String> {
    let (mut renderer, mut capacity): (Box<dyn Renderer>, _) = match served {
        Served::StandIn(_) => (Box::new(CpuRenderer::new(1)), CPU_CAPACITY),
        Served::Cuda(device) => (Box::new(CudaRenderer::new(device)), CUDA_CAPACITY),
    };
    loop {
        match renderer.prepare(capacity) {
            Ok(()) => return Ok((renderer, capacity)),
            Err(error) if error.remedy() == Remedy::FewerClouds && capacity.slots > SMALLEST => {
                capacity.slots /= 2;
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Gives every connection of this user a thread.
fn accept(listener: &UnixListener, shared: &Arc<Shared>, pending: &Sender<PendingClient>) {
    let count = |shared: &Shared| shared.connections.fetch_add(1, Ordering::Relaxed);
    let uncount = |shared: &Shared| shared.connections.fetch_sub(1, Ordering::Relaxed);
    for socket in listener.incoming() {
        let Ok(socket) = socket else {
            // Out of file descriptors, for example: others may be closed soon.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Ok(process) = peer(&socket) else {
            continue;
        };
        if count(shared) >= MAX_CONNECTIONS {
            uncount(shared);
            continue;
        }
        let (serving, pending) = (Arc::clone(shared), pending.clone());
        let serve_client = move || {
            serve_client(&socket, process, &serving, &pending);
            uncount(&serving);
        };
        let thread = thread::Builder::new().name("myriad-client".into());
        if thread.spawn(serve_client).is_err() {
            uncount(shared);
        }
    }
}

/// The connection of one client, from its hello to its end. Errors end it.
fn serve_client(
    socket: &UnixStream,
    process: Pid,
    shared: &Shared,
    pending: &Sender<PendingClient>,
) {
    let limited = |timeout| {
        socket.set_read_timeout(timeout).is_ok() && socket.set_write_timeout(timeout).is_ok()
    };
    if !limited(Some(HELLO_TIMEOUT)) {
        return;
    }
    let (capacity, memory, is_live) = match handshake::receive_hello(socket) {
        Ok(Hello::Client { capacity, memory, is_live }) => (capacity, memory, is_live),
        Ok(Hello::Status) => {
            let text = shared.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut socket = socket;
            let _ = socket.write_all(text.as_bytes());
            return;
        }
        Ok(Hello::Refused(reason)) => {
            let _ = handshake::reply(socket, Err(&reason));
            return;
        }
        Err(_) => return,
    };
    let (doorbell, robust_futex) = (shared.doorbell_file.as_fd(), shared.robust_futex_file.as_fd());
    // Before the memory is mapped, which takes long: who is not welcomed soon takes the service for hung.
    if handshake::send_welcome(socket, doorbell, robust_futex).is_err() {
        return;
    }
    let segment = match handshake::open(capacity, memory) {
        Ok(segment) => segment,
        Err(reason) => {
            let _ = handshake::reply(socket, Err(&reason));
            return;
        }
    };
    let Ok(closing) = socket.try_clone() else {
        return;
    };
    let (answer, admitted) = sync_channel(1);
    let connection = Arc::new(ClientConnection {
        socket: closing,
        segment,
        is_live,
        process,
        tables: ClientTables::new(),
        is_gone: AtomicBool::new(false),
    });
    if pending.send(PendingClient { connection: Arc::clone(&connection), answer }).is_err() {
        return;
    }
    shared.wake();
    let outcome = match admitted.recv() {
        Ok(outcome) => outcome,
        Err(_) => return,
    };
    let replied = match &outcome {
        Ok(()) => handshake::reply(socket, Ok(())),
        Err(reason) => handshake::reply(socket, Err(reason)),
    };
    if outcome.is_ok() && replied.is_ok() && limited(None) {
        // Returns when the socket is closed or carries invalid data.
        let _ = connection.tables.receive(socket, || shared.wake());
    }
    connection.close();
    shared.wake();
}

/// A client, as its connection and the scheduler share it.
pub(super) struct ClientConnection {
    socket: UnixStream,
    pub(super) segment: SharedSegment,
    pub(super) is_live: bool,
    pub(super) process: Pid,
    pub(super) tables: ClientTables,
    /// Set when its connection is closed.
    pub(super) is_gone: AtomicBool,
}

impl ClientConnection {
    /// Closes the connection.
    pub(super) fn close(&self) {
        // Fails when the client has closed it.
        let _ = self.socket.shutdown(Shutdown::Both);
        self.is_gone.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_not_return_in_time_is_noticed() {
        let (shared, _) = Shared::new().expect("shared memory");
        let hung_after_a_moment = || {
            thread::sleep(Duration::from_millis(5));
            shared.is_hung()
        };
        assert!(shared.watched(Duration::ZERO, hung_after_a_moment));
        assert!(!shared.watched(PREPARE_TIMEOUT, hung_after_a_moment));
        assert!(!hung_after_a_moment(), "it has returned");
    }
}
