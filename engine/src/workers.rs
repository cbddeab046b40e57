//! Worker threads that share the tasks of one job by fork and join: parts, voices, rows of clouds,
//! effects.
//!
//! The join waits only for workers that have started: a worker that wakes up when all tasks are taken
//! finds the gate closed and sleeps again. So workers that wake up late cost no time.
//!
//! A thread with real-time priority must not wait for one without, which may not get a core (priority
//! inversion). So the gate has a flag for the forking thread's priority, and then a worker enters only
//! after it has raised its own.

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
    /// The number of the last job and of the workers on it: see [`Gate`].
    gate: AtomicU64,
    /// The job: points to a `Job` on the forking thread's stack.
    job: AtomicPtr<()>,
    count: AtomicUsize,
    next: AtomicUsize,
    /// Set when a job panicked on a worker, so that the fork can pass it on.
    failed: AtomicBool,
    quit: AtomicBool,
}

/// The bits of the gate: workers inside, flags, and the number of the job.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Gate(u64);

impl Gate {
    const OPEN: u64 = 1 << 32;
    const RAISED: u64 = 1 << 33;
    const GENERATION: u64 = 1 << 34;

    /// Workers on the job.
    fn inside(self) -> u32 {
        self.0 as u32
    }

    fn is_open(self) -> bool {
        self.0 & Self::OPEN != 0
    }

    /// Whether workers on the job need raised priority.
    fn is_raised(self) -> bool {
        self.0 & Self::RAISED != 0
    }

    /// The number of the job.
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
    /// Whether raising its priority succeeded; `None` until it has tried.
    raised: Option<bool>,
}

impl Worker {
    /// Whether it may work on the present job.
    fn may_enter(&self, gate: Gate) -> bool {
        gate.is_open()
            && gate.generation() != self.done
            && (self.raised == Some(true) || !gate.is_raised())
    }

    /// Whether there is a job for it, if necessary after it has raised its priority.
    fn is_wanted(&self, gate: Gate) -> bool {
        gate.is_open() && gate.generation() != self.done && !self.is_refused(gate)
    }

    /// Whether the job needs a priority that the system refused.
    fn is_refused(&self, gate: Gate) -> bool {
        gate.is_raised() && self.raised == Some(false)
    }
}

/// A fixed set of threads that work on one job at a time, together with the calling thread.
pub struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Whether a job is running; another one is then done by its own thread alone.
    busy: AtomicBool,
}

/// How often an idle worker polls for work before it sleeps.
const POLLS: usize = 2_000;

/// How often the forking thread polls for the last workers, before it sleeps between polls so that
/// workers of any priority get a core.
const LOOKS: usize = 2_000;
const NAP: Duration = Duration::from_micros(50);

impl Workers {
    /// Starts `count` threads besides the caller's.
    ///
    /// # Errors
    /// When the system refuses a thread; with its index.
    pub(crate) fn start(count: usize) -> Result<Self, (usize, io::Error)> {
        Self::start_with(count, || ThreadPolicy::RealTime.assume(0, 48_000.0))
    }

    /// The same with another function that raises priorities.
    fn start_with(count: usize, raise: Raise) -> Result<Self, (usize, io::Error)> {
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            quit: AtomicBool::new(false),
        });
        let threads = Vec::with_capacity(count);
        let mut workers = Self { shared, threads, busy: AtomicBool::new(false) };
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

    /// Calls `job` with every index below `count`, on this thread and at most `helpers` workers, and
    /// returns when all calls have returned.
    pub(crate) fn run(&self, helpers: usize, count: usize, job: Job<'_>) {
        let helpers = helpers.min(self.threads.len()).min(count.saturating_sub(1));
        if helpers == 0 || self.busy.swap(true, Ordering::Acquire) {
            return (0..count).for_each(job);
        }
        let _done = Busy(&self.busy);
        self.fork(ThreadPolicy::is_raised_here(), helpers, count, job);
    }

    /// The same; `raised` is whether this thread's priority is raised.
    fn fork(&self, raised: bool, helpers: usize, count: usize, job: Job<'_>) {
        let shared = &*self.shared;
        // No worker reads these while the gate is closed.
        shared.job.store((&raw const job).cast_mut().cast(), Ordering::Relaxed);
        shared.count.store(count, Ordering::Relaxed);
        shared.next.store(0, Ordering::Relaxed);
        // Nor does any worker write the gate.
        let last = shared.gate.load(Ordering::Relaxed) & !Gate::RAISED;
        let priority = if raised { Gate::RAISED } else { 0 };
        let opened = last.wrapping_add(Gate::GENERATION) | Gate::OPEN | priority;
        shared.gate.store(opened, Ordering::Release);
        // Joins even after a panic here, so that no worker uses a job whose stack is gone.
        let join = Join(shared);
        for thread in &self.threads[..helpers] {
            thread.thread().unpark();
        }
        take_tasks(shared, job);
        drop(join);
        assert!(!shared.failed.swap(false, Ordering::Relaxed), "a worker panicked");
    }
}

/// Lets the next job in when it is dropped, also after a panic.
struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

struct Join<'a>(&'a Shared);

impl Drop for Join<'_> {
    fn drop(&mut self) {
        let mut gate = self.0.gate.fetch_and(!Gate::OPEN, Ordering::Acquire);
        // The last tasks usually take microseconds, which is too short to sleep.
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
            // A panic of the worker was reported by `run`.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workers({})", self.threads.len())
    }
}

impl Shared {
    fn gate(&self) -> Gate {
        Gate(self.gate.load(Ordering::Acquire))
    }

    /// Registers `worker` on the job, if it may work on it. Returns the number of the job.
    fn enter(&self, worker: &Worker) -> Option<u64> {
        let entered = self.gate.fetch_update(Ordering::Acquire, Ordering::Relaxed, |word| {
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
        // SAFETY: `run` does not return, and so keeps the job alive, until all workers have left.
        let job = unsafe { *job };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            take_tasks(shared, job);
        }));
        if outcome.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        shared.leave();
    }
}

fn take_tasks(shared: &Shared, job: Job<'_>) {
    let count = shared.count.load(Ordering::Relaxed);
    loop {
        let task = shared.next.fetch_add(1, Ordering::Relaxed);
        if task >= count {
            return;
        }
        job(task);
    }
}

/// Spins briefly, then sleeps between unparks, until no longer `idle`.
fn wait_while_idle(idle: impl Fn() -> bool) {
    for _ in 0..POLLS {
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
    fn every_task_is_taken_once() {
        let workers = Workers::start(3).unwrap();
        for count in [0, 1, 2, 100, if cfg!(miri) { 101 } else { 1_000 }] {
            let taken: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            workers.run(3, count, &|task| {
                taken[task].fetch_add(1, Ordering::Relaxed);
            });
            assert!(taken.iter().all(|task| task.load(Ordering::Relaxed) == 1));
        }
    }

    /// Two threads that share the workers do not wait for each other.
    #[test]
    fn a_second_job_is_done_alone() {
        let workers = &Workers::start(1).unwrap();
        let both = &Barrier::new(2);
        workers.run(1, 2, &|_| {
            both.wait();
            let caller = thread::current().id();
            workers.run(1, 100, &|_| assert_eq!(thread::current().id(), caller));
        });
    }

    /// A real-time thread would spin forever on a worker that does not get a core.
    #[test]
    fn a_raised_thread_is_helped_by_raised_workers_only() {
        static RAISED: AtomicUsize = AtomicUsize::new(0);
        let workers = Workers::start_with(1, || {
            RAISED.fetch_add(1, Ordering::Relaxed);
            true
        })
        .unwrap();
        // Both tasks return only when two threads have them at once.
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
                // Both have started on the job here.
                while REFUSED.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                assert_eq!(thread::current().id(), caller);
            });
        }
        assert_eq!(REFUSED.load(Ordering::Relaxed), 2);
    }
}
