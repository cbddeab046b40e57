//! A renderer on a thread of its own, so that a call which never returns hangs there and not here.
//!
//! Blocks go to the thread and sound comes back through bounded channels: nothing is allocated
//! for a block. Whoever waits spins for as long as a GPU usually needs, then sleeps. A thread
//! that misses its deadline is given up with all it holds: it is never waited for again.

use myriad_engine::ThreadPolicy;
use myriad_engine::dsp::FlushDenormals;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long the thread that waits for sound looks out for it before it sleeps, and the one that
/// waits for a block that was announced: many times what a GPU needs for a small block, or the
/// host to make one.
const WATCH: Duration = Duration::from_millis(1);

/// How long the thread that waits for work does. Short, because between the blocks of live play
/// there is nothing to see for most of the time;
const LINGER: Duration = Duration::from_micros(50);

/// unless it is to stay awake: then it sleeps when nothing plays.
const VIGIL: Duration = Duration::from_millis(500);

/// The most requests that can wait: blocks, and a word to collect or to start anew.
const REQUESTS: usize = 16;

/// How long calls may take before the renderer counts as lost, and how the thread waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// That of the thread.
    pub thread_policy: ThreadPolicy,
    /// For `prepare` and for letting go: a driver may have to compile, or to wake a GPU.
    pub prepare: Duration,
    /// For a block.
    pub render: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            thread_policy: ThreadPolicy::Normal,
            prepare: Duration::from_secs(30),
            render: Duration::from_secs(5),
        }
    }
}

impl Deadlines {
    /// For playing live: a block that is this late has been missed long ago.
    pub const LIVE: Deadlines = Deadlines {
        thread_policy: ThreadPolicy::RealTime,
        prepare: Duration::from_secs(30),
        render: Duration::from_millis(40),
    };
}

enum Request {
    Prepare(Capacity),
    Reset,
    Expect,
    Submit(Arc<VoiceBlock>),
    Collect(Buses),
}

enum Reply {
    Prepared(Result<(), PrepareError>),
    Reset,
    Collected(Buses, Result<usize, RenderError>),
}

/// Why no reply came.
enum Silence {
    Late,
    Ended,
}

/// Renders on a thread that is watched.
pub struct Attended {
    depth: usize,
    deadlines: Deadlines,
    /// The renderer, until its thread is started.
    inner: Option<Box<dyn Renderer>>,
    link: Option<Link>,
    /// Where the thread puts the next sound.
    spare: Option<Buses>,
    in_flight: usize,
    /// Why the thread was given up.
    lost: Option<RenderError>,
}

struct Link {
    requests: SyncSender<Request>,
    replies: Receiver<Reply>,
}

impl Attended {
    /// Has `renderer` on a thread of its own, from `prepare` on.
    pub fn new(renderer: Box<dyn Renderer>, deadlines: Deadlines) -> Self {
        Self {
            depth: renderer.depth(),
            deadlines,
            inner: Some(renderer),
            link: None,
            spare: None,
            in_flight: 0,
            lost: None,
        }
    }

    /// Is more or less patient from now on.
    pub(crate) fn set_deadlines(&mut self, deadlines: Deadlines) {
        self.deadlines = deadlines;
    }

    fn start(&mut self) -> Result<(), PrepareError> {
        let Some(inner) = self.inner.take() else {
            return Ok(());
        };
        let (requests, incoming) = sync_channel(REQUESTS);
        let (outgoing, replies) = sync_channel(REQUESTS);
        let thread_policy = self.deadlines.thread_policy;
        thread::Builder::new()
            .name("myriad-gpu".into())
            .spawn(move || {
                thread_policy.assume(0, 48_000.0);
                serve(inner, &incoming, outgoing, thread_policy);
            })
            .map_err(|source| PrepareError::Thread { index: 0, source })?;
        self.link = Some(Link { requests, replies });
        Ok(())
    }

    /// Sends a request; a full queue means that nobody reads it.
    fn ask(&mut self, request: Request) -> Result<(), RenderError> {
        if let Some(error) = self.lost {
            return Err(error);
        }
        let link = self.link.as_ref().ok_or(RenderError::NotPrepared)?;
        match link.requests.try_send(request) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.give_up(&Silence::Ended, Duration::ZERO)),
        }
    }

    /// Waits for the reply to a request.
    fn wait(&mut self, deadline: Duration) -> Result<Reply, RenderError> {
        let link = self.link.as_ref().ok_or(RenderError::NotPrepared)?;
        match receive(&link.replies, WATCH, Some(deadline)) {
            Ok(reply) => Ok(reply),
            Err(silence) => Err(self.give_up(&silence, deadline)),
        }
    }

    fn give_up(&mut self, silence: &Silence, deadline: Duration) -> RenderError {
        let error = match silence {
            Silence::Late => RenderError::Late {
                milliseconds: deadline.as_millis() as u64,
            },
            Silence::Ended => RenderError::Call {
                call: "the GPU's thread",
                reason: "it has ended",
            },
        };
        self.lost = Some(error);
        self.link = None;
        error
    }
}

/// Spins for `watch`, then sleeps, at most up to the deadline.
fn receive<T>(
    channel: &Receiver<T>,
    watch: Duration,
    deadline: Option<Duration>,
) -> Result<T, Silence> {
    let start = Instant::now();
    loop {
        match channel.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(Silence::Ended),
            Err(TryRecvError::Empty) if start.elapsed() >= watch => break,
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    let Some(deadline) = deadline else {
        return channel.recv().map_err(|_| Silence::Ended);
    };
    channel
        .recv_timeout(deadline.saturating_sub(start.elapsed()))
        .map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::Late,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
}

impl Drop for Attended {
    fn drop(&mut self) {
        // Without requests the thread lets go of the renderer and ends. Waited for, so that a
        // program does not end in the middle of that; but not for ever.
        if let Some(Link { requests, replies }) = self.link.take() {
            drop(requests);
            let start = Instant::now();
            while start.elapsed() < self.deadlines.prepare
                && receive(&replies, Duration::ZERO, Some(self.deadlines.prepare)).is_ok()
            {
            }
        }
    }
}

impl Renderer for Attended {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.start()?;
        let deadline = self.deadlines.prepare;
        let refused = |error: RenderError| match error {
            RenderError::Late { milliseconds } => PrepareError::Late { milliseconds },
            _ => PrepareError::ThreadEnded,
        };
        self.ask(Request::Prepare(capacity)).map_err(refused)?;
        self.spare = Some(Buses::new(capacity.buses));
        self.in_flight = 0;
        loop {
            // What was under way before is of no interest any more.
            if let Reply::Prepared(outcome) = self.wait(deadline).map_err(refused)? {
                return outcome;
            }
        }
    }

    fn reset(&mut self) {
        self.in_flight = 0;
        if self.ask(Request::Reset).is_ok() {
            while let Ok(reply) = self.wait(self.deadlines.render) {
                if let Reply::Reset = reply {
                    return;
                }
            }
        }
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn expect(&mut self) {
        if self.in_flight + 3 < REQUESTS {
            // What goes wrong is remembered, and reported for the block.
            let _ = self.ask(Request::Expect);
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.in_flight + 2 >= REQUESTS {
            return Err(RenderError::OutOfTurn);
        }
        self.ask(Request::Submit(Arc::clone(block)))?;
        self.in_flight += 1;
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        if let Some(error) = self.lost {
            return Err(error);
        }
        self.in_flight = self
            .in_flight
            .checked_sub(1)
            .ok_or(RenderError::OutOfTurn)?;
        let spare = self.spare.take().ok_or(RenderError::NotPrepared)?;
        self.ask(Request::Collect(spare))?;
        match self.wait(self.deadlines.render)? {
            Reply::Collected(mut sound, outcome) => {
                std::mem::swap(buses, &mut sound);
                self.spare = Some(sound);
                outcome
            }
            Reply::Prepared(_) | Reply::Reset => Err(RenderError::OutOfTurn),
        }
    }
}

/// The thread: does what it is asked, in order. Blocks beyond what the renderer takes wait here.
fn serve(
    mut inner: Box<dyn Renderer>,
    requests: &Receiver<Request>,
    replies: SyncSender<Reply>,
    thread_policy: ThreadPolicy,
) {
    let usual = match thread_policy {
        ThreadPolicy::Spinning => VIGIL,
        ThreadPolicy::Normal | ThreadPolicy::RealTime => LINGER,
    };
    let mut linger = usual;
    let _flush = FlushDenormals::new();
    let mut in_flight: VecDeque<Result<(), RenderError>> = VecDeque::with_capacity(REQUESTS);
    let mut waiting: VecDeque<Arc<VoiceBlock>> = VecDeque::with_capacity(REQUESTS);
    while let Ok(request) = receive(requests, std::mem::replace(&mut linger, usual), None) {
        let reply = match request {
            Request::Prepare(capacity) => {
                in_flight.clear();
                waiting.clear();
                Reply::Prepared(inner.prepare(capacity))
            }
            Request::Reset => {
                in_flight.clear();
                waiting.clear();
                inner.reset();
                Reply::Reset
            }
            Request::Expect => {
                linger = usual.max(WATCH);
                continue;
            }
            Request::Submit(block) => {
                match in_flight.len() < inner.depth() {
                    true => in_flight.push_back(inner.submit(&block)),
                    false => waiting.push_back(block),
                }
                continue;
            }
            Request::Collect(mut buses) => {
                let outcome = match in_flight.pop_front() {
                    Some(Ok(())) => inner.collect(&mut buses),
                    Some(Err(error)) => Err(error),
                    None => Err(RenderError::OutOfTurn),
                };
                if let Some(block) = waiting.pop_front() {
                    in_flight.push_back(inner.submit(&block));
                }
                Reply::Collected(buses, outcome)
            }
        };
        if replies.send(reply).is_err() {
            break;
        }
    }
    // Before the channel closes, which tells that all is done.
    drop(inner);
    drop(replies);
}

#[cfg(test)]
mod tests;
