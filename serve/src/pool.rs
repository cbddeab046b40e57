//! The pool: all seats are rendered by a few threads, a block each, in rounds.
//!
//! The pacer wakes up when a round is due, and puts every seat that waits for it into one queue. Workers
//! take seats from it, render a block, and put a seat that is behind back to the end. So a seat that is
//! expensive keeps one worker busy and delays nobody else's turn by more than its own block. No worker
//! waits for another.

use crate::clock::Clock;
use crate::config::ServeConfig;
use crate::jam::Mixer;
use crate::seat::Seat;
use crossbeam_queue::ArrayQueue;
use myriad_engine::ThreadPolicy;
use myriad_engine::dsp::FlushDenormals;
use std::io;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How often an idle worker looks for work before it sleeps.
const LOOKS: usize = 200;

/// What all threads of the pool share.
struct Shared {
    clock: Clock,
    /// A seat that is more rounds behind goes on with the newest one: its client has concealed the rest.
    most_behind: u64,
    /// Seats with a block to render. Each is in it at most once, so there is always room.
    due: ArrayQueue<Arc<Seat>>,
    /// New seats, for the pacer.
    joining: ArrayQueue<Arc<Seat>>,
    /// Seats that the pacer has let go, to be dropped elsewhere.
    left: ArrayQueue<Arc<Seat>>,
    /// The newest round that is due.
    round: AtomicU64,
    workers: OnceLock<Vec<Thread>>,
    is_ending: AtomicBool,
    counters: PoolCounters,
}

/// Statistics of the pool.
#[derive(Debug, Default)]
pub(crate) struct PoolCounters {
    /// Blocks that were rendered.
    pub(crate) blocks: AtomicU64,
    /// Blocks that were ready later than when the next was due.
    pub(crate) missed: AtomicU64,
    /// Blocks that were left out because their time had passed.
    pub(crate) skipped: AtomicU64,
    /// Nanoseconds that workers have rendered.
    pub(crate) busy: AtomicU64,
}

/// Threads that render all seats.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the pacer and the workers.
    pub(crate) fn start(clock: Clock, config: &ServeConfig) -> io::Result<Self> {
        let ServeConfig { threads, seats, jam, .. } = *config;
        // Seats that have left are still with the pacer for a round.
        let capacity = 2 * seats + 2;
        let shared = Arc::new(Shared {
            clock,
            most_behind: config.limits.behind as u64,
            due: ArrayQueue::new(capacity),
            joining: ArrayQueue::new(capacity),
            left: ArrayQueue::new(capacity),
            round: AtomicU64::new(0),
            workers: OnceLock::new(),
            is_ending: AtomicBool::new(false),
            counters: PoolCounters::default(),
        });
        let mut pool = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for index in 0..threads {
            let shared = Arc::clone(&shared);
            let name = format!("myriad-seats-{index}");
            pool.threads.push(thread::Builder::new().name(name).spawn(move || work(&shared))?);
        }
        let workers = pool.threads.iter().map(|thread| thread.thread().clone()).collect();
        // It was not set before.
        let _ = shared.workers.set(workers);
        let mixer = jam.then(|| Mixer::new(clock, seats, &config.limits));
        let pacer = thread::Builder::new().name("myriad-pacer".into());
        pool.threads.push(pacer.spawn(move || pace(&shared, mixer, capacity))?);
        Ok(pool)
    }

    /// Renders a seat from the next round on. False when there is no room.
    pub(crate) fn add(&self, seat: Arc<Seat>) -> bool {
        self.drop_former();
        self.shared.joining.push(seat).is_ok()
    }

    /// Drops seats that the pacer has let go. Not for the pool's own threads.
    pub(crate) fn drop_former(&self) {
        while self.shared.left.pop().is_some() {}
    }

    pub(crate) fn counters(&self) -> &PoolCounters {
        &self.shared.counters
    }

    /// How many threads render.
    pub(crate) fn workers(&self) -> usize {
        self.shared.workers.get().map_or(0, Vec::len)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.is_ending.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A panic was printed by the thread itself.
            let _ = thread.join();
        }
    }
}

/// The pacer: puts all seats into the queue once a round.
fn pace(shared: &Shared, mut mixer: Option<Mixer>, capacity: usize) {
    ThreadPolicy::RealTime.assume(shared.clock.block, crate::config::RATE as f32);
    let mut seats: Vec<Arc<Seat>> = Vec::with_capacity(capacity);
    while !shared.is_ending.load(Ordering::Acquire) {
        // After a stall, the rounds that were missed are caught up with by the seats themselves.
        let round = shared.clock.round();
        shared.round.store(round, Ordering::Release);
        while seats.len() < capacity
            && let Some(seat) = shared.joining.pop()
        {
            seats.push(seat);
        }
        let mut index = 0;
        while index < seats.len() {
            let seat = &seats[index];
            let waits = !seat.is_queued.load(Ordering::Acquire);
            if seat.is_closed.load(Ordering::Acquire) && waits && !shared.left.is_full() {
                // There is room, as was checked.
                let _ = shared.left.push(seats.swap_remove(index));
                continue;
            }
            if waits && !seat.is_closed.load(Ordering::Relaxed) {
                seat.is_queued.store(true, Ordering::Release);
                let _ = shared.due.push(Arc::clone(seat));
            }
            index += 1;
        }
        let workers = shared.workers.get().map_or(&[][..], Vec::as_slice);
        workers.iter().take(shared.due.len()).for_each(Thread::unpark);
        if let Some(mixer) = &mut mixer {
            mixer.mix(round, &seats);
        }
        let due = shared.clock.due(round + 1);
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

/// A worker: renders seats as long as there are any in the queue.
fn work(shared: &Shared) {
    let _flush = FlushDenormals::new();
    while !shared.is_ending.load(Ordering::Acquire) {
        let next = (0..LOOKS).find_map(|look| {
            if look > 0 {
                std::hint::spin_loop();
            }
            shared.due.pop()
        });
        match next {
            Some(seat) => render_next(shared, seat),
            None => thread::park_timeout(Duration::from_millis(100)),
        }
    }
}

/// Renders the next block of a seat, and puts it back when it is behind.
fn render_next(shared: &Shared, seat: Arc<Seat>) {
    let counters = &shared.counters;
    if seat.is_closed.load(Ordering::Relaxed) {
        seat.is_queued.store(false, Ordering::Release);
        return;
    }
    let newest = shared.round.load(Ordering::Acquire);
    let mut round = seat.next_round.load(Ordering::Relaxed);
    if newest > round + shared.most_behind {
        let skipped = newest - round;
        counters.skipped.fetch_add(skipped, Ordering::Relaxed);
        seat.counters.skipped.fetch_add(skipped, Ordering::Relaxed);
        round = newest;
    }
    if round <= newest {
        let began = Instant::now();
        seat.render(round, &shared.clock);
        let ended = Instant::now();
        round += 1;
        seat.next_round.store(round, Ordering::Release);
        counters.blocks.fetch_add(1, Ordering::Relaxed);
        counters.busy.fetch_add((ended - began).as_nanos() as u64, Ordering::Relaxed);
        if ended > shared.clock.due(round) {
            counters.missed.fetch_add(1, Ordering::Relaxed);
            seat.counters.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
    let is_behind = || round <= shared.round.load(Ordering::Acquire);
    // The pacer skips a seat that is queued, so the round is compared once more after that.
    if !is_behind() {
        seat.is_queued.store(false, Ordering::Release);
        if !is_behind() || seat.is_queued.swap(true, Ordering::AcqRel) {
            return;
        }
    }
    // There is a place for every seat.
    let _ = shared.due.push(seat);
}
