//! A thread that asks the system for memory before it is needed, for all of a process. It looks for what is wanted in short
//! intervals, because to wake it would be a system call of an audio thread.

use super::Allocation;
use rustix::mm::{Advice, madvise};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

/// How often it looks. Meanwhile there is memory for a large chord.
const INTERVAL: Duration = Duration::from_millis(10);

/// The memory of a slice, which the thread takes as far as it is wanted.
pub(super) struct Follower {
    memory: Arc<Memory>,
    /// Dropped after `memory`, so that the thread ends without any.
    _thread: Arc<MemoryThread>,
}

struct Memory {
    /// Not freed while the thread takes some of it.
    _allocation: Arc<Allocation>,
    /// The addresses up to which it is taken, and wanted.
    taken: AtomicUsize,
    wanted: AtomicUsize,
}

impl Follower {
    /// The memory of the allocation below an address is taken. None when there is no thread.
    pub(super) fn new(allocation: &Arc<Allocation>, taken: usize) -> Option<Self> {
        let memory = Arc::new(Memory {
            _allocation: Arc::clone(allocation),
            taken: AtomicUsize::new(taken),
            wanted: AtomicUsize::new(taken),
        });
        let thread = MemoryThread::running()?;
        thread.shared.lock().push(Arc::downgrade(&memory));
        Some(Self { memory, _thread: thread })
    }

    /// Lets the memory below an address be taken soon.
    pub(super) fn want(&self, end: usize) {
        self.memory.wanted.store(end, Relaxed);
    }

    #[cfg(test)]
    pub(super) fn wait(&self) -> bool {
        while self.memory.taken.load(Relaxed) < self.memory.wanted.load(Relaxed) {
            std::thread::sleep(INTERVAL);
        }
        true
    }
}

impl Memory {
    fn take_wanted(&self) {
        let wanted = self.taken.load(Relaxed)..self.wanted.load(Relaxed);
        if !wanted.is_empty() {
            let end = wanted.end;
            // Should the system refuse, it gives the memory when it is written to.
            take(wanted);
            self.taken.store(end, Relaxed);
        }
    }
}

/// Asks for the pages of these addresses, whose content does not change. Returns whether the system gives them; older ones refuse.
pub(super) fn take(addresses: Range<usize>) -> bool {
    let start = addresses.start & !(rustix::param::page_size() - 1);
    let pages = std::ptr::without_provenance_mut(start);
    // SAFETY: it changes no content, whoever uses it meanwhile.
    unsafe { madvise(pages, addresses.end - start, Advice::LinuxPopulateWrite) }.is_ok()
}

/// The thread, which ends when nobody has it any more: the library that it belongs to may be unloaded then.
struct MemoryThread {
    shared: Arc<Shared>,
    handle: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    memory: Mutex<Vec<Weak<Memory>>>,
    quit: AtomicBool,
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Memory>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while !self.quit.load(Relaxed) {
            let mut alive = Vec::new();
            self.lock().retain(|memory| {
                alive.extend(memory.upgrade());
                memory.strong_count() > 0
            });
            // Without the lock, for which others wait.
            alive.iter().for_each(|memory| memory.take_wanted());
            drop(alive);
            park_timeout(INTERVAL);
        }
    }
}

impl MemoryThread {
    /// The thread of this process, which is started for the first. None when that is not possible.
    fn running() -> Option<Arc<Self>> {
        static RUNNING: Mutex<Weak<MemoryThread>> = Mutex::new(Weak::new());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = running.upgrade() {
            return Some(thread);
        }
        let shared = Arc::<Shared>::default();
        let of_thread = Arc::clone(&shared);
        let spawned = Builder::new().name("myriad-memory".into()).spawn(move || of_thread.run());
        let thread = Arc::new(Self { shared, handle: Some(spawned.ok()?) });
        *running = Arc::downgrade(&thread);
        Some(thread)
    }
}

impl Drop for MemoryThread {
    fn drop(&mut self) {
        self.shared.quit.store(true, Relaxed);
        if let Some(handle) = self.handle.take() {
            handle.thread().unpark();
            let _ = handle.join();
        }
    }
}
