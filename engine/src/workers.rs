//! Worker threads that share the tasks of one job by fork and join: parts, voices, rows of clouds,
//! effects.
//!
//! Where tasks are few and large, every thread has a range of them, the same one in every job of as many tasks, so that
//! what a task reads and writes stays in its core's caches. A thread that is done takes tasks of others. Where they
//! are many, all threads take the next one: with ranges clouds were rendered more slowly on 16 cores.
//!
//! The join waits only for workers that have started: a worker that wakes up when all tasks are taken
//! finds the gate closed and sleeps again. So workers that wake up late cost no time.
//!
//! To wake a thread takes the one that does it some microseconds. So the forking thread wakes two, each of which wakes two
//! more (a binary tree), and nobody calls the system for a thread that is awake.
//!
//! A thread with real-time priority must not wait for one without, which may not get a core (priority
//! inversion). So the gate has a flag for the forking thread's priority, and then a worker enters only
//! after it has raised its own.

mod forecast;

use crate::ThreadPolicy;
use crate::disjoint::Disjoint;
use crate::dsp::FlushDenormals;
use forecast::Forecast;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock, TryLockError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// A job: called with every index below the count, each once, and the number of the thread that calls it. The thread that
/// forks has number 0.
type Job<'a> = &'a (dyn Fn(usize, usize) + Sync);

struct Shared {
    /// The number of the last job and of the workers on it: see [`Gate`].
    gate: AtomicU64,
    /// The job: points to a `Job` on the forking thread's stack.
    job: AtomicPtr<()>,
    /// Its tasks, the threads that share them, and the ranges that they are divided into.
    count: AtomicUsize,
    threads: AtomicUsize,
    ranges: AtomicUsize,
    /// The next task of each range.
    next: Box<[NextTask]>,
    /// The workers.
    sleepers: Box<[Sleeper]>,
    /// Threads that will share the next job, when it was announced.
    expected: AtomicUsize,
    /// Whether another job is likely to come soon after the present one.
    is_short_pause: AtomicBool,
    /// When the first job after the next long pause is likely, in nanoseconds since `start`; 0 if that is not known.
    likely: AtomicU64,
    /// Times are counted from then on. Set when the first is asked for: a browser has no clock here, and no workers.
    start: OnceLock<Instant>,
    /// Set when a job panicked on a worker, so that the fork can pass it on.
    failed: AtomicBool,
    quit: AtomicBool,
}

/// Aligned so that threads do not share a cache line.
#[derive(Default)]
#[repr(align(128))]
struct NextTask(AtomicUsize);

/// A worker, as those that wake it see it. Aligned like the tasks.
#[derive(Default)]
#[repr(align(128))]
struct Sleeper {
    /// Whether it sleeps, or is about to.
    is_asleep: AtomicBool,
    /// Set by itself, before it sleeps for the first time.
    thread: OnceLock<Thread>,
}

/// With more tasks there is one range for all threads.
const MANY_TASKS: usize = 64;

/// The first task of `range`; that of the next range is its end.
fn first_task(range: usize, ranges: usize, count: usize) -> usize {
    range * count / ranges
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
    /// Locked while a job is running; another one is then done by its own thread alone.
    forecast: Mutex<Forecast>,
}

/// How long an idle worker polls for work before it sleeps.
const SHORT_SPIN: Duration = Duration::from_micros(50);

/// The same when the next pause is likely to be shorter than this, or when a job was announced. A sleeping worker takes tens of
/// microseconds to wake up, so where jobs follow each other closely workers stay awake. The pauses between
/// blocks that are played live are longer.
const LONG_SPIN: Duration = Duration::from_micros(300);

/// How long before a job is likely to come a worker wakes up, and how long it polls after that moment. Timers are late by 50 µs or
/// more where threads have no real-time priority, and a worker that comes late finds its tasks taken by others, whose caches
/// do not have what they need.
const AHEAD: Duration = Duration::from_micros(100);

/// Polls between two looks at the clock.
const POLLS: usize = 16;

/// How often the forking thread polls for the last workers before it yields between polls, and then before it sleeps, so that
/// workers of any priority get a core. To yield takes a microsecond or more.
const EAGER_LOOKS: usize = 100;
const LOOKS: usize = 2_000;
const NAP: Duration = Duration::from_micros(50);

impl Workers {
    /// Starts `count` threads besides the caller's.
    ///
    /// # Errors
    /// When the system refuses a thread; with its index.
    pub fn start(count: usize) -> Result<Self, (usize, io::Error)> {
        Self::start_with(count, || ThreadPolicy::RealTime.assume(0, 48_000.0))
    }

    /// The same with another function that raises priorities.
    fn start_with(count: usize, raise: Raise) -> Result<Self, (usize, io::Error)> {
        let shared = Arc::new(Shared {
            gate: AtomicU64::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            count: AtomicUsize::new(0),
            threads: AtomicUsize::new(1),
            ranges: AtomicUsize::new(1),
            next: (0..=count).map(|_| NextTask::default()).collect(),
            sleepers: (0..count).map(|_| Sleeper::default()).collect(),
            expected: AtomicUsize::new(1),
            is_short_pause: AtomicBool::new(false),
            likely: AtomicU64::new(0),
            start: OnceLock::new(),
            failed: AtomicBool::new(false),
            quit: AtomicBool::new(false),
        });
        let threads = Vec::with_capacity(count);
        let mut workers = Self { shared, threads, forecast: Mutex::default() };
        for index in 0..count {
            let shared = Arc::clone(&workers.shared);
            let thread = thread::Builder::new()
                .name(format!("myriad-{index}"))
                .spawn(move || work(&shared, index + 1, raise))
                .map_err(|error| (index, error))?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Wakes `helpers` workers for a job that will come soon. Takes the time to wake two.
    pub fn expect(&self, helpers: usize) {
        let threads = 1 + helpers.min(self.threads.len());
        self.shared.expected.store(threads, Ordering::Relaxed);
        self.shared.wake_next(0, threads);
    }

    /// How many workers are awake, so that it costs nothing to have them help.
    pub(crate) fn awake(&self) -> usize {
        let sleepers = self.shared.sleepers.iter();
        sleepers.filter(|sleeper| !sleeper.is_asleep.load(Ordering::Relaxed)).count()
    }

    /// Calls `job` with every index below `count`, on this thread and at most `helpers` workers, and
    /// returns when all calls have returned.
    pub fn run(&self, helpers: usize, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.run_on_threads(helpers, count, &|task, _| job(task));
    }

    /// Calls `job` with every element, on this thread and at most `helpers` workers, and returns when all calls have returned.
    pub fn run_on_each<T: Send>(
        &self,
        helpers: usize,
        elements: &mut [T],
        job: impl Fn(&mut T) + Sync,
    ) {
        let count = elements.len();
        let elements = Disjoint::new(elements);
        self.run(helpers, count, &|index| {
            // SAFETY: every index is taken once.
            job(unsafe { elements.get(index) });
        });
    }

    /// As [`Workers::run`], for a job that is told which thread calls it, so that each can have memory of its own: its number is
    /// at most that of `helpers` and of all workers.
    pub(crate) fn run_on_threads(&self, helpers: usize, count: usize, job: Job<'_>) {
        let helpers = helpers.min(self.threads.len()).min(count.saturating_sub(1));
        let forecast = match self.forecast.try_lock() {
            Ok(forecast) => Some(forecast),
            // A job has panicked.
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        let Some(mut forecast) = forecast.filter(|_| helpers > 0) else {
            return (0..count).for_each(|task| job(task, 0));
        };
        let (is_short_pause, likely) = forecast.begin(self.shared.now());
        self.shared.is_short_pause.store(is_short_pause, Ordering::Relaxed);
        let likely = likely.map_or(0, |likely| likely.as_nanos() as u64);
        self.shared.likely.store(likely, Ordering::Relaxed);
        self.fork(ThreadPolicy::is_raised_here(), helpers, count, job);
        forecast.end(self.shared.now());
    }

    /// The same; `raised` is whether this thread's priority is raised.
    fn fork(&self, raised: bool, helpers: usize, count: usize, job: Job<'_>) {
        let shared = &*self.shared;
        // No worker reads these while the gate is closed.
        shared.job.store((&raw const job).cast_mut().cast(), Ordering::Relaxed);
        let threads = helpers + 1;
        shared.count.store(count, Ordering::Relaxed);
        shared.threads.store(threads, Ordering::Relaxed);
        let ranges = if count > MANY_TASKS { 1 } else { threads };
        shared.ranges.store(ranges, Ordering::Relaxed);
        for (range, next) in shared.next[..ranges].iter().enumerate() {
            next.0.store(first_task(range, ranges, count), Ordering::Relaxed);
        }
        // Nor does any worker write the gate.
        let last = shared.gate.load(Ordering::Relaxed) & !Gate::RAISED;
        let priority = if raised { Gate::RAISED } else { 0 };
        let opened = last.wrapping_add(Gate::GENERATION) | Gate::OPEN | priority;
        shared.gate.store(opened, Ordering::Release);
        // Joins even after a panic here, so that no worker uses a job whose stack is gone.
        let join = Join(shared);
        shared.wake_next(0, threads);
        take_tasks(shared, 0, job);
        drop(join);
        assert!(!shared.failed.swap(false, Ordering::Relaxed), "a worker panicked");
    }
}

struct Join<'a>(&'a Shared);

impl Drop for Join<'_> {
    fn drop(&mut self) {
        let mut gate = self.0.gate.fetch_and(!Gate::OPEN, Ordering::Acquire);
        // The last tasks usually take microseconds, which is too short to sleep.
        let mut looks = 0;
        while Gate(gate).inside() != 0 {
            match looks {
                0..EAGER_LOOKS => std::hint::spin_loop(),
                EAGER_LOOKS..LOOKS => thread::yield_now(),
                LOOKS.. => thread::sleep(NAP),
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

    /// Wakes those of the first `threads` threads that thread `number` wakes, if they sleep.
    fn wake_next(&self, number: usize, threads: usize) {
        // Either a worker that falls asleep sees what was stored before this call, or it is seen here.
        fence(Ordering::SeqCst);
        for next in (2 * number + 1..2 * number + 3).take_while(|&next| next < threads) {
            let Sleeper { is_asleep, thread } = &self.sleepers[next - 1];
            if is_asleep.load(Ordering::Relaxed)
                && is_asleep.swap(false, Ordering::Relaxed)
                && let Some(thread) = thread.get()
            {
                thread.unpark();
            }
        }
    }

    /// Time since the start.
    fn now(&self) -> Duration {
        self.start.get_or_init(Instant::now).elapsed()
    }

    /// When an idle worker is to wake up by itself, because a job is likely soon after it.
    fn wakes_at(&self) -> Option<Duration> {
        let likely = Duration::from_nanos(self.likely.load(Ordering::Relaxed));
        likely.checked_sub(AHEAD).filter(|&at| at > self.now())
    }

    /// Spins for a while, then sleeps, as long as worker `number` is idle. When it is woken for a job that will come
    /// soon, it wakes others and spins once more. It also wakes up shortly before the time at which a job is likely.
    fn wait_while_idle(&self, number: usize, is_idle: impl Fn() -> bool) {
        let sleeper = &self.sleepers[number - 1];
        let mut spin =
            if self.is_short_pause.load(Ordering::Relaxed) { LONG_SPIN } else { SHORT_SPIN };
        loop {
            let start = Instant::now();
            while start.elapsed() < spin {
                for _ in 0..POLLS {
                    if !is_idle() {
                        return;
                    }
                    std::hint::spin_loop();
                }
            }
            let wakes_at = self.wakes_at();
            let is_early = || wakes_at.is_none_or(|at| self.now() < at);
            sleeper.is_asleep.store(true, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            while is_idle() && sleeper.is_asleep.load(Ordering::Relaxed) && is_early() {
                match wakes_at {
                    Some(at) => thread::park_timeout(at.saturating_sub(self.now())),
                    None => thread::park(),
                }
            }
            // Whoever wakes a sleeper says so.
            let is_woken = !sleeper.is_asleep.swap(false, Ordering::Relaxed);
            if !is_idle() {
                return;
            }
            if is_woken {
                self.wake_next(number, self.expected.load(Ordering::Relaxed));
            }
            spin = if is_woken { LONG_SPIN } else { 2 * AHEAD };
        }
    }
}

/// A worker; `number` is its place among the threads, of which the one that forks is the first.
fn work(shared: &Shared, number: usize, raise: Raise) {
    let _flush = FlushDenormals::new();
    // It was not set before.
    let _ = shared.sleepers[number - 1].thread.set(thread::current());
    let quits = || shared.quit.load(Ordering::Acquire);
    let mut worker = Worker::default();
    let helps = || number < shared.threads.load(Ordering::Relaxed);
    while !quits() {
        let is_wanted = || worker.is_wanted(shared.gate()) && helps();
        shared.wait_while_idle(number, || !quits() && !is_wanted());
        shared.wake_next(number, shared.threads.load(Ordering::Relaxed));
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
            take_tasks(shared, number, job);
        }));
        if outcome.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        shared.leave();
    }
}

/// Takes the tasks of a thread's own range, then those of others.
fn take_tasks(shared: &Shared, thread: usize, job: Job<'_>) {
    let count = shared.count.load(Ordering::Relaxed);
    let ranges = shared.ranges.load(Ordering::Relaxed);
    for range in (0..ranges).map(|offset| (thread + offset) % ranges) {
        let (next, end) = (&shared.next[range].0, first_task(range + 1, ranges, count));
        // Read first, since most threads find that the others are done, and writing would make them wait.
        if next.load(Ordering::Relaxed) >= end {
            continue;
        }
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= end {
                break;
            }
            job(task, thread);
        }
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

    #[test]
    fn every_element_is_taken_once() {
        let workers = Workers::start(3).unwrap();
        let mut elements = [0; 50];
        let rounds = if cfg!(miri) { 3 } else { 1_000 };
        for _ in 0..rounds {
            workers.run_on_each(3, &mut elements, |element| *element += 1);
        }
        assert_eq!(elements, [rounds; 50]);
    }

    fn wait_until(is_so: impl Fn() -> bool) {
        while !is_so() {
            thread::yield_now();
        }
    }

    /// The tasks return only when as many threads have them at once.
    #[test]
    fn a_job_wakes_all_its_workers() {
        let workers = Workers::start(7).unwrap();
        for _ in 0..3 {
            wait_until(|| workers.awake() == 0);
            let all = Barrier::new(8);
            workers.run(7, 8, &|_| {
                all.wait();
            });
        }
    }

    #[test]
    fn those_that_are_expected_to_help_wake_up_and_sleep_again() {
        let workers = Workers::start(7).unwrap();
        for helpers in [1, 4, 7] {
            wait_until(|| workers.awake() == 0);
            // Once more if the first ones fell asleep before the last ones woke up.
            wait_until(|| {
                workers.expect(helpers);
                workers.awake() == helpers
            });
        }
    }

    /// So each can have memory of its own.
    #[test]
    fn no_two_threads_have_the_same_number() {
        let workers = Workers::start(3).unwrap();
        let busy: Vec<AtomicBool> = (0..4).map(|_| AtomicBool::new(false)).collect();
        workers.run_on_threads(3, if cfg!(miri) { 100 } else { 10_000 }, &|_, thread| {
            assert!(!busy[thread].swap(true, Ordering::Acquire));
            busy[thread].store(false, Ordering::Release);
        });
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
            workers.fork(raised, 1, 2, &|_, _| {
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
            workers.fork(true, 2, 100, &|_, _| {
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
