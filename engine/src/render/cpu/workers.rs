//! Worker threads that share the rows of one render: fork, join, nothing else.
//!
//! Nobody is waited for who has not begun: a worker that wakes up when all rows are taken finds the
//! gate shut and sleeps on. So help is never slower than no help, however late it comes.
//!
//! A thread with raised priority must not wait for one without, which may not get the processor
//! meanwhile. So the gate says whether the forking thread's priority is raised, and then a worker
//! enters only after it has raised its own.

use crate::ThreadPolicy;
use crate::dsp::FlushDenormals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

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
    const RAISED: u64 = 1 << 33;
    const GENERATION: u64 = 1 << 34;

    /// Workers that work on the job.
    fn inside(self) -> u32 {
        self.0 as u32
    }

    fn is_open(self) -> bool {
        self.0 & Self::OPEN != 0
    }

    /// Whether whoever works on the job needs raised priority.
    fn is_raised(self) -> bool {
        self.0 & Self::RAISED != 0
    }

    /// Which job it is.
    fn generation(self) -> u64 {
        self.0 / Self::GENERATION
    }
}

/// Raises the priority of the thread that calls it; says whether that was allowed.
type Raise = fn() -> bool;

/// What a worker knows of itself.
#[derive(Default)]
struct Worker {
    /// The job that it worked on last.
    done: u64,
    /// Whether its priority is raised, once it has tried.
    raised: Option<bool>,
}

impl Worker {
    /// Whether it may work on the job behind the gate.
    fn may_enter(&self, gate: Gate) -> bool {
        gate.is_open()
            && gate.generation() != self.done
            && (self.raised == Some(true) || !gate.is_raised())
    }

    /// Whether there is a job for it, if need be after it has raised its priority.
    fn is_wanted(&self, gate: Gate) -> bool {
        gate.is_open() && gate.generation() != self.done && !self.is_refused(gate)
    }

    /// Whether the job needs a priority that it was not allowed.
    fn is_refused(&self, gate: Gate) -> bool {
        gate.is_raised() && self.raised == Some(false)
    }
}

/// A fixed set of threads that work on one job at a time, together with the calling thread.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// An idle worker looks for work this often before it goes to sleep.
const GLANCES: usize = 2_000;

/// The forking thread looks this often for the last workers to be done, then sleeps between looks:
/// whatever their priorities, they get the processor then.
const LOOKS: usize = 2_000;
const NAP: Duration = Duration::from_micros(50);

impl Workers {
    /// Starts `count` threads besides the caller's.
    ///
    /// # Errors
    /// When the system refuses a thread; gives its index.
    pub(crate) fn start(count: usize) -> Result<Self, (usize, io::Error)> {
        Self::start_with(count, || ThreadPolicy::RealTime.assume(0, 48_000.0))
    }

    /// The same with another way to raise priorities.
    fn start_with(count: usize, raise: Raise) -> Result<Self, (usize, io::Error)> {
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
                .spawn(move || work(&shared, raise))
                .map_err(|error| (index, error))?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Calls `job` with every index below `count`, with the help of at most `helpers` threads, and
    /// returns when every call has.
    pub(crate) fn run(&self, helpers: usize, count: usize, job: Job<'_>) {
        self.fork(ThreadPolicy::is_raised_here(), helpers, count, job);
    }

    /// The same for a thread of which is known whether its priority is raised.
    fn fork(&self, raised: bool, helpers: usize, count: usize, job: Job<'_>) {
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
        // Nor does anybody else write the gate.
        let last = shared.gate.load(Ordering::Relaxed) & !Gate::RAISED;
        let priority = if raised { Gate::RAISED } else { 0 };
        let opened = last.wrapping_add(Gate::GENERATION) | Gate::OPEN | priority;
        shared.gate.store(opened, Ordering::Release);
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
        // The last rows take microseconds: too short to sleep, as a rule.
        let mut looks = 0;
        while Gate(gate).inside() != 0 {
            match looks < LOOKS {
                true => thread::yield_now(),
                false => thread::sleep(NAP),
            }
            looks += 1;
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

    /// Has `worker` go in, if it may. Gives the number of the job.
    fn enter(&self, worker: &Worker) -> Option<u64> {
        let entered = self
            .gate
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |word| {
                worker.may_enter(Gate(word)).then_some(word + 1)
            });
        entered.ok().map(|word| Gate(word).generation())
    }

    fn leave(&self) {
        self.gate.fetch_sub(1, Ordering::Release);
    }
}

fn work(shared: &Shared, raise: Raise) {
    let _flush = FlushDenormals::new();
    let quits = || shared.quit.load(Ordering::Acquire);
    let mut worker = Worker::default();
    while !quits() {
        wait_while_idle(|| !quits() && !worker.is_wanted(shared.gate()));
        if shared.gate().is_raised() && worker.raised.is_none() {
            worker.raised = Some(raise());
        }
        let Some(generation) = shared.enter(&worker) else {
            continue;
        };
        worker.done = generation;
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
    use std::sync::Barrier;

    #[test]
    fn every_row_is_taken_once() {
        let workers = Workers::start(3).unwrap();
        for count in [0, 1, 2, 100, if cfg!(miri) { 101 } else { 1_000 }] {
            let taken: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            workers.run(3, count, &|row| {
                taken[row].fetch_add(1, Ordering::Relaxed);
            });
            assert!(taken.iter().all(|row| row.load(Ordering::Relaxed) == 1));
        }
    }

    /// A raised thread would spin for ever on a helper that does not get the processor.
    #[test]
    fn a_raised_thread_is_helped_by_raised_workers_only() {
        static RAISED: AtomicUsize = AtomicUsize::new(0);
        let workers = Workers::start_with(1, || {
            RAISED.fetch_add(1, Ordering::Relaxed);
            true
        })
        .unwrap();
        // Both rows return only when two threads have them at once.
        let helped = |raised| {
            let both = Barrier::new(2);
            workers.fork(raised, 1, 2, &|_| {
                both.wait();
            });
            RAISED.load(Ordering::Relaxed)
        };
        let raised = [false, false, true, true, false].map(helped);
        assert_eq!(raised, [0, 0, 1, 1, 1]);
    }

    #[test]
    fn a_worker_that_cannot_be_raised_does_not_help_a_raised_thread() {
        static REFUSED: AtomicUsize = AtomicUsize::new(0);
        let workers = Workers::start_with(2, || {
            REFUSED.fetch_add(1, Ordering::Relaxed);
            false
        })
        .unwrap();
        let caller = thread::current().id();
        for _ in 0..10 {
            workers.fork(true, 2, 100, &|_| {
                // From here on both have seen the job.
                while REFUSED.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                assert_eq!(thread::current().id(), caller);
            });
        }
        assert_eq!(REFUSED.load(Ordering::Relaxed), 2);
    }
}
