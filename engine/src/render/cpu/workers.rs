//! Worker threads that share the rows of one render: fork, join, nothing else.
//!
//! Nobody is waited for who has not begun: a worker that wakes up when all rows are taken finds the
//! gate shut and sleeps on. So help is never slower than no help, however late it comes.

use crate::ThreadPolicy;
use crate::dsp::FlushDenormals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

/// A job: called with every index below the count, from any thread, each index once.
type Job<'a> = &'a (dyn Fn(usize) + Sync);

struct Shared {
    /// Counts jobs, and who works on the last one: see [`Gate`].
    gate: AtomicU64,
    /// The job: points to a `Job` on the forking thread's stack.
    job: AtomicPtr<()>,
    count: AtomicUsize,
    next: AtomicUsize,
    /// Set when a job panicked on a worker, so that the fork can pass it on.
    failed: AtomicBool,
    quit: AtomicBool,
}

/// What the gate's word means.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Gate(u64);

impl Gate {
    const OPEN: u64 = 1 << 32;
    const GENERATION: u64 = 1 << 33;

    /// Workers that work on the job.
    fn inside(self) -> u32 {
        self.0 as u32
    }

    fn is_open(self) -> bool {
        self.0 & Self::OPEN != 0
    }

    /// Which job it is.
    fn generation(self) -> u64 {
        self.0 / Self::GENERATION
    }
}

/// A fixed set of threads that work on one job at a time, together with the calling thread.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// An idle worker looks for work this often before it goes to sleep.
const GLANCES: usize = 2_000;

impl Workers {
    /// Starts `count` threads besides the caller's.
    ///
    /// # Errors
    /// When the system refuses a thread; gives its index.
    pub(crate) fn start(
        count: usize,
        thread_policy: ThreadPolicy,
    ) -> Result<Self, (usize, io::Error)> {
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            quit: AtomicBool::new(false),
        });
        let mut workers = Self {
            shared,
            threads: Vec::with_capacity(count),
        };
        for index in 0..count {
            let shared = Arc::clone(&workers.shared);
            let thread = thread::Builder::new()
                .name(format!("myriad-{index}"))
                .spawn(move || {
                    thread_policy.assume(0, 48_000.0);
                    work(&shared);
                })
                .map_err(|error| (index, error))?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Calls `job` with every index below `count`, with the help of at most `helpers` threads, and
    /// returns when every call has.
    pub(crate) fn run(&self, helpers: usize, count: usize, job: Job<'_>) {
        let shared = &*self.shared;
        let helpers = helpers.min(self.threads.len());
        if helpers == 0 {
            return (0..count).for_each(job);
        }
        // Nobody looks at these while the gate is shut.
        shared
            .job
            .store((&raw const job).cast_mut().cast(), Ordering::Relaxed);
        shared.count.store(count, Ordering::Relaxed);
        shared.next.store(0, Ordering::Relaxed);
        shared
            .gate
            .fetch_add(Gate::GENERATION | Gate::OPEN, Ordering::Release);
        // A panic here must not leave workers with a job whose stack is gone.
        let join = Join(shared);
        for thread in &self.threads[..helpers] {
            thread.thread().unpark();
        }
        take_rows(shared, job);
        drop(join);
        assert!(
            !shared.failed.swap(false, Ordering::Relaxed),
            "a render worker panicked"
        );
    }
}

struct Join<'a>(&'a Shared);

impl Drop for Join<'_> {
    fn drop(&mut self) {
        let mut gate = self.0.gate.fetch_and(!Gate::OPEN, Ordering::Acquire);
        // The last rows take microseconds: too short to sleep.
        while Gate(gate).inside() != 0 {
            thread::yield_now();
            gate = self.0.gate.load(Ordering::Acquire);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A worker that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn gate(&self) -> Gate {
        Gate(self.gate.load(Ordering::Acquire))
    }

    /// Goes in, unless the gate is shut or the job is the one known as `done`. Gives its number.
    fn enter(&self, done: u64) -> Option<u64> {
        let entered = self
            .gate
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |word| {
                let gate = Gate(word);
                (gate.is_open() && gate.generation() != done).then_some(word + 1)
            });
        entered.ok().map(|word| Gate(word).generation())
    }

    fn leave(&self) {
        self.gate.fetch_sub(1, Ordering::Release);
    }
}

fn work(shared: &Shared) {
    let _flush = FlushDenormals::new();
    let quits = || shared.quit.load(Ordering::Acquire);
    let mut done = 0;
    while !quits() {
        wait_while_idle(|| {
            let gate = shared.gate();
            !quits() && (!gate.is_open() || gate.generation() == done)
        });
        let Some(generation) = shared.enter(done) else {
            continue;
        };
        done = generation;
        let job = shared.job.load(Ordering::Relaxed).cast::<Job<'_>>();
        // SAFETY: `run` does not return, and so keeps the job alive, until everyone has left.
        let job = unsafe { *job };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            take_rows(shared, job);
        }));
        if outcome.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        shared.leave();
    }
}

fn take_rows(shared: &Shared, job: Job<'_>) {
    let count = shared.count.load(Ordering::Relaxed);
    loop {
        let row = shared.next.fetch_add(1, Ordering::Relaxed);
        if row >= count {
            return;
        }
        job(row);
    }
}

/// Spins for a moment, then sleeps between unparks, until no longer `idle`.
fn wait_while_idle(idle: impl Fn() -> bool) {
    for _ in 0..GLANCES {
        if !idle() {
            return;
        }
        std::hint::spin_loop();
    }
    while idle() {
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_taken_once() {
        let workers = Workers::start(3, ThreadPolicy::Normal).unwrap();
        for count in [0, 1, 2, 100, 1_000] {
            let taken: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            workers.run(3, count, &|row| {
                taken[row].fetch_add(1, Ordering::Relaxed);
            });
            assert!(taken.iter().all(|row| row.load(Ordering::Relaxed) == 1));
        }
    }
}
