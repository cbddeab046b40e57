//! The kernel's futex, for models: one queue for all words, and no timeouts.
//!
//! As in the kernel, who wants to sleep looks at the word while it holds the queue, and who wakes
//! takes the queue. So a sleeper sees what was stored before an earlier wake, or is in the queue.

use loom::sync::{Condvar, Mutex};
use myriad_engine::sync::atomic::{AtomicU32, Ordering};
use rustix::io::{Errno, Result};
pub(super) use rustix::thread::futex::Flags;
use rustix::thread::futex::Timespec;

loom::lazy_static! {
    static ref QUEUE: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());
}

/// Sleeps if the word is `expected`.
pub(super) fn wait(word: &AtomicU32, _: Flags, expected: u32, _: Option<&Timespec>) -> Result<()> {
    let (queue, sleepers) = &*QUEUE;
    let held = queue.lock().map_err(|_| Errno::INVAL)?;
    if word.load(Ordering::Relaxed) != expected {
        return Err(Errno::AGAIN);
    }
    drop(sleepers.wait(held));
    Ok(())
}

/// Wakes all sleepers, also those of other words: they look again.
pub(super) fn wake(_: &AtomicU32, _: Flags, count: u32) -> Result<usize> {
    let (queue, sleepers) = &*QUEUE;
    let _held = queue.lock().map_err(|_| Errno::INVAL)?;
    sleepers.notify_all();
    Ok(count as usize)
}
