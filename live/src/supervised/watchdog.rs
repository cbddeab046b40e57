//! A watchdog: runs a renderer on its own thread, so that a call that never returns blocks only that
//! thread. A renderer that limits its calls by itself, as that of the render service does, needs none: it is called directly, which
//! saves waking two threads for every block.
//!
//! Blocks go to the thread, with memory for their sound, and come back as sound through bounded channels:
//! nothing is allocated for a block. The thread collects sound as soon as it is finished, without being asked, while the caller
//! makes the next block; until then it takes the next block, so that a GPU never waits for one. A waiting side spins for as long as a GPU usually needs, then sleeps. A thread
//! that misses its deadline is abandoned with all that it owns.

use myriad_engine::ThreadPolicy;
use myriad_engine::dsp::FlushDenormals;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to spin for a reply or an announced block before sleeping: many times what a GPU needs for
/// a small block.
pub(crate) const SPIN: Duration = Duration::from_millis(1);

/// How long the thread spins for a request that was not announced. Short, because live playing leaves
/// long pauses between blocks.
const IDLE_SPIN: Duration = Duration::from_micros(50);

/// The same with [`ThreadPolicy::Spinning`]; the thread still sleeps when nothing plays.
const AWAKE_SPIN: Duration = Duration::from_millis(500);

/// Blocks that may be in flight, whatever the renderer takes at once: as many as a GPU takes, and one that waits.
const DEPTH: usize = 9;

/// Capacity of the queues: blocks, and other requests.
const REQUESTS: usize = 16;

/// How long calls may take before the renderer counts as lost, and how its thread waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogConfig {
    /// The policy of the thread.
    pub thread_policy: ThreadPolicy,
    /// For `prepare` and for dropping: a driver may have to compile, or to wake a GPU.
    pub prepare_timeout: Duration,
    /// For a block, unless the CPU has to take over earlier.
    pub render_timeout: Duration,
}

impl Default for WatchdogConfig {
    fn default() -> Self {
        Self {
            thread_policy: ThreadPolicy::Normal,
            prepare_timeout: Duration::from_secs(30),
            render_timeout: Duration::from_secs(5),
        }
    }
}

impl WatchdogConfig {
    /// For live playing: a block that is this late was missed long ago.
    pub const LIVE: WatchdogConfig = WatchdogConfig {
        thread_policy: ThreadPolicy::RealTime,
        prepare_timeout: Duration::from_secs(30),
        render_timeout: Duration::from_millis(40),
    };
}

enum Request {
    Prepare(Capacity),
    Reset,
    Expect,
    Submit(Arc<VoiceBlock>, Buses),
}

enum Reply {
    Prepared(Result<(), PrepareError>),
    Reset,
    Collected(Buses, Result<usize, RenderError>),
}

/// A renderer whose calls keep to the timeouts: `renderer` itself if it can limit them, or on a thread of its own.
pub(crate) fn watched(
    mut renderer: Box<dyn Renderer>,
    config: WatchdogConfig,
) -> Box<dyn Renderer> {
    match renderer.limit_calls(config.render_timeout) {
        true => renderer,
        false => Box::new(WatchdogRenderer::new(renderer, config)),
    }
}

/// Renders on a thread with timeouts.
pub struct WatchdogRenderer {
    config: WatchdogConfig,
    /// The renderer, until its thread is started.
    inner: Option<Box<dyn Renderer>>,
    thread: Option<Channels>,
    /// Buses for the sound of the next blocks.
    spare: Vec<Buses>,
    in_flight: usize,
    /// Why the thread was abandoned.
    lost: Option<RenderError>,
}

struct Channels {
    requests: SyncSender<Request>,
    replies: Receiver<Reply>,
}

impl WatchdogRenderer {
    /// Runs `renderer` on its own thread, from `prepare` on.
    pub fn new(renderer: Box<dyn Renderer>, config: WatchdogConfig) -> Self {
        let (inner, spare) = (Some(renderer), Vec::new());
        Self { config, inner, thread: None, spare, in_flight: 0, lost: None }
    }

    fn start(&mut self) -> Result<(), PrepareError> {
        let Some(inner) = self.inner.take() else {
            return Ok(());
        };
        let (requests, incoming) = sync_channel(REQUESTS);
        let (outgoing, replies) = sync_channel(REQUESTS);
        let thread_policy = self.config.thread_policy;
        thread::Builder::new()
            .name("myriad-gpu".into())
            .spawn(move || {
                thread_policy.assume(0, 48_000.0);
                serve(inner, &incoming, outgoing, thread_policy);
            })
            .map_err(|source| PrepareError::Thread { index: 0, source })?;
        self.thread = Some(Channels { requests, replies });
        Ok(())
    }

    /// Sends a request. A full queue means that the thread hangs.
    fn send(&mut self, request: Request) -> Result<(), RenderError> {
        if let Some(error) = self.lost {
            return Err(error);
        }
        let thread = self.thread.as_ref().ok_or(RenderError::NotPrepared)?;
        let sent = thread.requests.try_send(request);
        sent.map_err(|_| self.abandon(RecvTimeoutError::Disconnected, Duration::ZERO))
    }

    /// Waits for the reply to a request.
    fn wait(&mut self, timeout: Duration) -> Result<Reply, RenderError> {
        let thread = self.thread.as_ref().ok_or(RenderError::NotPrepared)?;
        let reply = receive(&thread.replies, SPIN, Some(timeout));
        reply.map_err(|error| self.abandon(error, timeout))
    }

    fn abandon(&mut self, why: RecvTimeoutError, timeout: Duration) -> RenderError {
        let error = match why {
            RecvTimeoutError::Timeout => RenderError::late(timeout),
            RecvTimeoutError::Disconnected => {
                RenderError::Call { call: "the GPU's thread", reason: "it has ended" }
            }
        };
        self.lost = Some(error);
        self.thread = None;
        error
    }
}

/// Spins for `spin`, then sleeps, at most up to the timeout.
fn receive<T>(
    channel: &Receiver<T>,
    spin: Duration,
    timeout: Option<Duration>,
) -> Result<T, RecvTimeoutError> {
    let start = Instant::now();
    if let Some(message) = poll(channel, spin, || false)? {
        return Ok(message);
    }
    match timeout {
        Some(timeout) => channel.recv_timeout(timeout.saturating_sub(start.elapsed())),
        None => channel.recv().map_err(RecvTimeoutError::from),
    }
}

/// Spins for a message. `None` when there is none after `spin`, or something else has happened before.
fn poll<T>(
    channel: &Receiver<T>,
    spin: Duration,
    mut has_happened: impl FnMut() -> bool,
) -> Result<Option<T>, RecvTimeoutError> {
    let start = Instant::now();
    loop {
        match channel.try_recv() {
            Ok(message) => return Ok(Some(message)),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) if has_happened() || start.elapsed() >= spin => {
                return Ok(None);
            }
            // On a busy machine the thread that this one waits for may need its core.
            Err(TryRecvError::Empty) => thread::yield_now(),
        }
    }
}

impl Drop for WatchdogRenderer {
    fn drop(&mut self) {
        // When the channel closes, the thread drops the renderer and ends. This waits for it, with a
        // timeout, so that a program does not end meanwhile.
        if let Some(Channels { requests, replies }) = self.thread.take() {
            drop(requests);
            let (start, timeout) = (Instant::now(), self.config.prepare_timeout);
            while start.elapsed() < timeout
                && receive(&replies, Duration::ZERO, Some(timeout)).is_ok()
            {}
        }
    }
}

impl Renderer for WatchdogRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.start()?;
        let refused = |error: RenderError| match error {
            RenderError::Late { milliseconds } => PrepareError::Late { milliseconds },
            _ => PrepareError::ThreadEnded,
        };
        self.send(Request::Prepare(capacity)).map_err(refused)?;
        self.spare = (0..DEPTH).map(|_| Buses::new(capacity.buses)).collect();
        self.in_flight = 0;
        loop {
            // Replies to what was in flight before are dropped.
            let reply = self.wait(self.config.prepare_timeout).map_err(refused)?;
            if let Reply::Prepared(outcome) = reply {
                return outcome;
            }
        }
    }

    fn reset(&mut self) {
        self.in_flight = 0;
        if self.send(Request::Reset).is_ok() {
            while let Ok(reply) = self.wait(self.config.render_timeout) {
                match reply {
                    Reply::Collected(buses, _) => self.spare.push(buses),
                    Reply::Prepared(_) => {}
                    Reply::Reset => return,
                }
            }
        }
    }

    fn depth(&self) -> usize {
        DEPTH
    }

    fn limit_calls(&mut self, limit: Duration) -> bool {
        self.config.render_timeout = limit;
        true
    }

    fn expect(&mut self) {
        // With blocks in flight the thread is awake.
        if self.in_flight == 0 {
            // An error is kept and reported for the block.
            let _ = self.send(Request::Expect);
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if let Some(error) = self.lost {
            return Err(error);
        }
        if self.thread.is_none() {
            return Err(RenderError::NotPrepared);
        }
        let buses = self.spare.pop().ok_or(RenderError::OutOfTurn)?;
        self.send(Request::Submit(Arc::clone(block), buses))?;
        self.in_flight += 1;
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        if let Some(error) = self.lost {
            return Err(error);
        }
        let left = self.in_flight.checked_sub(1);
        self.in_flight = left.ok_or(RenderError::OutOfTurn)?;
        match self.wait(self.config.render_timeout)? {
            Reply::Collected(mut sound, outcome) => {
                std::mem::swap(buses, &mut sound);
                self.spare.push(sound);
                outcome
            }
            Reply::Prepared(_) | Reply::Reset => Err(RenderError::OutOfTurn),
        }
    }
}

/// The thread: serves requests in order, and collects the sound of blocks when there is no request.
fn serve(
    mut inner: Box<dyn Renderer>,
    requests: &Receiver<Request>,
    replies: SyncSender<Reply>,
    thread_policy: ThreadPolicy,
) {
    let idle_spin = match thread_policy {
        ThreadPolicy::Spinning => AWAKE_SPIN,
        ThreadPolicy::Normal | ThreadPolicy::RealTime => IDLE_SPIN,
    };
    let mut spin = idle_spin;
    let _flush = FlushDenormals::new();
    // Whether each block was submitted, and the memory for its sound.
    let mut in_flight: VecDeque<(Result<(), RenderError>, Buses)> = VecDeque::with_capacity(DEPTH);
    loop {
        let request = match in_flight.is_empty() {
            true => receive(requests, std::mem::replace(&mut spin, idle_spin), None).map(Some),
            // When the oldest block is finished first, or takes long, it is collected.
            false => poll(requests, SPIN, || inner.is_finished()),
        };
        let Ok(request) = request else { break };
        let reply = match request {
            Some(Request::Prepare(capacity)) => {
                in_flight.clear();
                Reply::Prepared(inner.prepare(capacity))
            }
            Some(Request::Reset) => {
                for (_, buses) in in_flight.drain(..) {
                    // The memory; nobody waits for its sound any more.
                    let _ = replies.send(Reply::Collected(buses, Err(RenderError::OutOfTurn)));
                }
                inner.reset();
                Reply::Reset
            }
            Some(Request::Expect) => {
                spin = idle_spin.max(SPIN);
                continue;
            }
            Some(Request::Submit(block, buses)) => {
                let earlier = match in_flight.len() < inner.depth() {
                    true => None,
                    false => collect_oldest(&mut *inner, &mut in_flight),
                };
                in_flight.push_back((inner.submit(&block), buses));
                match earlier {
                    Some(earlier) => earlier,
                    None => continue,
                }
            }
            None => match collect_oldest(&mut *inner, &mut in_flight) {
                Some(collected) => collected,
                None => continue,
            },
        };
        if replies.send(reply).is_err() {
            break;
        }
    }
    // Dropped before the channel closes, which reports the end.
    drop(inner);
    drop(replies);
}

/// The sound of the oldest block in flight; waits for it.
fn collect_oldest(
    inner: &mut dyn Renderer,
    in_flight: &mut VecDeque<(Result<(), RenderError>, Buses)>,
) -> Option<Reply> {
    let (submitted, mut buses) = in_flight.pop_front()?;
    let outcome = submitted.and_then(|()| inner.collect(&mut buses));
    Some(Reply::Collected(buses, outcome))
}

#[cfg(test)]
mod tests;
