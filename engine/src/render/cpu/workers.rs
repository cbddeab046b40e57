//! Worker threads that share the rows of one render: fork, join, nothing else.

use crate::dsp::FlushDenormals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

/// A job: called with every index below the count, from any thread, each index once.
type Job<'a> = &'a (dyn Fn(usize) + Sync);

struct Shared {
    /// Rises by one with every fork; workers wait for it to move.
    generation: AtomicU64,
    /// The job of this generation: points to a `Job` on the forking thread's stack.
    job: AtomicPtr<()>,
    count: AtomicUsize,
    next: AtomicUsize,
    /// Workers that have not finished this generation.
    busy: AtomicUsize,
    /// Set when a job panicked on a worker, so that the fork can pass it on.
    failed: AtomicBool,
    quit: AtomicBool,
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
    pub(crate) fn start(count: usize) -> Result<Self, (usize, io::Error)> {
        let shared = Arc::new(Shared {
            generation: AtomicU64::new(0),
            job: AtomicPtr::new(std::ptr::null_mut()),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
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
                .spawn(move || work(&shared))
                .map_err(|error| (index, error))?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Calls `job` with every index below `count`, spread over all threads, and returns when
    /// every call has.
    pub(crate) fn run(&self, count: usize, job: Job<'_>) {
        let shared = &*self.shared;
        if self.threads.is_empty() {
            return (0..count).for_each(job);
        }
        shared
            .job
            .store((&raw const job).cast_mut().cast(), Ordering::Relaxed);
        shared.count.store(count, Ordering::Relaxed);
        shared.next.store(0, Ordering::Relaxed);
        shared.busy.store(self.threads.len(), Ordering::Relaxed);
        shared.generation.fetch_add(1, Ordering::Release);
        self.threads
            .iter()
            .for_each(|thread| thread.thread().unpark());
        // A panic here must not leave workers with a job whose stack is gone.
        let join = Join(shared);
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
        // The last rows take microseconds: too short to sleep.
        while self.0.busy.load(Ordering::Acquire) != 0 {
            thread::yield_now();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        self.shared.generation.fetch_add(1, Ordering::Release);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            // A worker that panicked has nothing left to say.
            let _ = thread.join();
        }
    }
}

fn work(shared: &Shared) {
    let _flush = FlushDenormals::new();
    let mut seen = 0;
    loop {
        wait_while_idle(|| shared.generation.load(Ordering::Acquire) == seen);
        seen = shared.generation.load(Ordering::Acquire);
        if shared.quit.load(Ordering::Relaxed) {
            return;
        }
        let job = shared.job.load(Ordering::Relaxed).cast::<Job<'_>>();
        // SAFETY: `run` does not return, and so keeps the job alive, until `busy` is zero.
        let job = unsafe { *job };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            take_rows(shared, job);
        }));
        if outcome.is_err() {
            shared.failed.store(true, Ordering::Relaxed);
        }
        shared.busy.fetch_sub(1, Ordering::Release);
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
        let workers = Workers::start(3).unwrap();
        for count in [0, 1, 2, 100, 1_000] {
            let taken: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            workers.run(count, &|row| {
                taken[row].fetch_add(1, Ordering::Relaxed);
            });
            assert!(taken.iter().all(|row| row.load(Ordering::Relaxed) == 1));
        }
    }
}
