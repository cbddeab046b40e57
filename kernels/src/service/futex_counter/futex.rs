//! A model of the kernel's futex: one queue for all words, and no timeouts.
//!
//! As in the kernel, a waiter reads the word while it holds the queue, and a wake takes the queue. So a
//! waiter sees what was stored before an earlier wake, or it is in the queue.

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

/// Wakes all waiters, even those of other words, which check their word again.
pub(super) fn wake(_: &AtomicU32, _: Flags, count: u32) -> Result<usize> {
    let (queue, sleepers) = &*QUEUE;
    let _held = queue.lock().map_err(|_| Errno::INVAL)?;
    sleepers.notify_all();
    Ok(count as usize)
}
