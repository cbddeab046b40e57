//! The child's side: answers render requests until the parent ends.

use super::handshake;
use super::layout::{ANSWERED, ASKED, DEPTH, SharedSegment};
use super::table_uploader::{self, Arrivals};
use myriad_engine::render::{Buses, PrepareError, Reason, RenderError, Renderer, VoiceBlock};
use std::any::Any;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// The niceness that audio servers use for their own threads.
const NICENESS: i32 = -11;

/// Renders for the process at the other end of `socket`, with the renderer that `make` makes. When
/// the other end is closed, this whole process ends at once, whatever it is doing.
///
/// # Errors
/// When no Myriad process is at the other end, or when rendering failed; the failure is also sent to
/// the other end.
pub fn serve(socket: OwnedFd, make: impl FnOnce() -> Box<dyn Renderer>) -> Result<(), ServeError> {
    let socket = UnixStream::from(socket);
    let segment = match handshake::receive_hello(&socket).map_err(|_| ServeError::Nobody)? {
        Ok(segment) => segment,
        Err(reason) => return refuse(&socket, reason),
    };
    let arrivals = Arc::new(Arrivals::default());
    receive_tables(&socket, Arc::clone(&arrivals))?;
    // Most users lack the right to do this, which is harmless.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    let prepared = guarded(|| {
        let mut renderer = make();
        renderer.prepare(segment.layout.capacity())?;
        Ok::<_, PrepareError>(renderer)
    });
    match prepared {
        Ok(renderer) => {
            handshake::reply(&socket, Ok(()))?;
            Server::new(&segment, renderer, arrivals).run()
        }
        Err(reason) => refuse(&socket, reason),
    }
}

/// Why a process that serves ends.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No process, or none that speaks this protocol, is at the other end.
    #[error("nobody asks this process to render")]
    Nobody,
    /// The renderer could not be prepared, or has failed.
    #[error("{0}")]
    Failed(String),
    /// The socket or a thread failed.
    #[error(transparent)]
    System(#[from] io::Error),
}

fn refuse(socket: &UnixStream, reason: String) -> Result<(), ServeError> {
    handshake::reply(socket, Err(&reason))?;
    Err(ServeError::Failed(reason))
}

/// Receives tables on a thread, and ends this process as soon as the parent closes its end. The
/// system's own means (`PR_SET_PDEATHSIG`) does not fit: it watches the thread that started the child,
/// not its process.
fn receive_tables(socket: &UnixStream, arrivals: Arc<Arrivals>) -> io::Result<()> {
    use rustix::process::{Signal, getpid, kill_process};
    let socket = socket.try_clone()?;
    let watch = move || {
        // Returns when the socket is closed or carries invalid data.
        let _ = table_uploader::receive(&socket, &arrivals);
        // By a signal, because exit handlers might wait for a device.
        let _ = kill_process(getpid(), Signal::KILL);
    };
    let thread = thread::Builder::new().name("myriad-watch".into());
    thread.spawn(watch).map(drop)
}

/// Calls what may fail or panic, and returns the reason as text in both cases.
fn guarded<T, E: ToString>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the renderer panicked: {}", message_of(&*panic))),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default()
}

/// Answers requests in order.
pub(super) struct Server<'a> {
    segment: &'a SharedSegment,
    renderer: Box<dyn Renderer>,
    arrivals: Arc<Arrivals>,
    /// Numbers of requests submitted to the renderer and of answers written; both wrap.
    taken: u32,
    given: u32,
    /// Used in turn by the requests.
    blocks: [Arc<VoiceBlock>; DEPTH],
    buses: Buses,
}

impl<'a> Server<'a> {
    pub(super) fn new(
        segment: &'a SharedSegment,
        renderer: Box<dyn Renderer>,
        arrivals: Arc<Arrivals>,
    ) -> Self {
        let capacity = segment.layout.capacity();
        Self {
            segment,
            renderer,
            arrivals,
            taken: 0,
            given: 0,
            blocks: [(); DEPTH].map(|()| Arc::new(VoiceBlock::new(capacity.slots))),
            buses: Buses::new(capacity.buses),
        }
    }

    /// Answers until something fails.
    pub(super) fn run(mut self) -> Result<(), ServeError> {
        let asked = self.segment.memory.futex_counter(ASKED);
        loop {
            asked.wait(self.given, None);
            if let Err(reason) = guarded(|| self.answer(asked.count())) {
                self.segment.answer_failure(self.given, &Reason::new(&reason));
                self.segment.memory.futex_counter(ANSWERED).increment();
                return Err(ServeError::Failed(reason));
            }
        }
    }

    /// Submits new requests, as many as the renderer takes at once, and answers the oldest.
    fn answer(&mut self, asked: u32) -> Result<(), String> {
        let depth = self.renderer.depth().clamp(1, DEPTH) as u32;
        if asked.wrapping_sub(self.given) as usize > DEPTH {
            return Err("more was asked than there is room for".into());
        }
        while self.taken != asked && self.taken.wrapping_sub(self.given) < depth {
            self.take()?;
        }
        let partials = self.renderer.collect(&mut self.buses);
        let partials = partials.map_err(|error| error.to_string())?;
        let ticks = self.blocks[self.given as usize % DEPTH].ticks();
        self.segment.answer(self.given, ticks, partials, &self.buses);
        self.given = self.given.wrapping_add(1);
        self.segment.memory.futex_counter(ANSWERED).increment();
        Ok(())
    }

    fn take(&mut self) -> Result<(), String> {
        self.arrivals.wait_for(self.segment.needs(self.taken));
        let shared = &mut self.blocks[self.taken as usize % DEPTH];
        let reset = self.segment.read_request(self.taken, &mut VoiceBlock::reuse(shared))?;
        if reset {
            self.renderer.reset();
        }
        let submitted = self.renderer.submit(shared);
        submitted.map_err(|error: RenderError| error.to_string())?;
        self.taken = self.taken.wrapping_add(1);
        Ok(())
    }
}
