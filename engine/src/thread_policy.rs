//! How threads that render wait for work.

use audio_thread_priority::promote_current_thread_to_real_time;
use std::cell::Cell;

thread_local! {
    /// Whether [`ThreadPolicy::assume`] has raised the priority of this thread.
    static IS_RAISED: Cell<bool> = const { Cell::new(false) };
}

/// How ready a thread is while it has nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadPolicy {
    /// As any other thread: nobody waits for it.
    #[default]
    Normal,
    /// Somebody listens: it has raised priority, where that is allowed.
    RealTime,
    /// It never sleeps, which takes a processor of its own: for machines that wake up slowly, as
    /// virtual ones do. Its priority is the usual one, or nobody else would have a turn.
    Spinning,
}

impl ThreadPolicy {
    /// Applies it to this thread, which should be about to work on `frames` frames a time. Returns
    /// whether its priority was raised.
    pub fn assume(self, frames: usize, sample_rate: f32) -> bool {
        // Without the right to it, the thread works on as it is.
        let raised = self == ThreadPolicy::RealTime
            && promote_current_thread_to_real_time(frames as u32, sample_rate as u32).is_ok();
        if raised {
            IS_RAISED.set(true);
        }
        raised
    }

    /// Whether this thread's priority has been raised, so that the threads it waits for need the
    /// same.
    pub(crate) fn is_raised_here() -> bool {
        IS_RAISED.get()
    }
}
