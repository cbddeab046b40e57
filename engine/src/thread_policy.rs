//! The priority of threads that render, and how they wait for work.

use audio_thread_priority::promote_current_thread_to_real_time;
use std::cell::Cell;

thread_local! {
    /// Whether [`ThreadPolicy::assume`] has raised the priority of this thread.
    static IS_RAISED: Cell<bool> = const { Cell::new(false) };
}

/// The priority of a thread, and how it waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadPolicy {
    /// Normal priority: for offline work.
    #[default]
    Normal,
    /// Real-time priority, where the system allows it: for playing.
    RealTime,
    /// Never sleeps, which occupies a core: for machines that wake threads slowly, such as virtual
    /// ones. Its priority is normal, or it would starve other threads.
    Spinning,
}

impl ThreadPolicy {
    /// Applies it to this thread, which works on `frames` frames at a time. Returns whether the
    /// priority was raised.
    pub fn assume(self, frames: usize, sample_rate: f32) -> bool {
        // Without the right to it, the thread keeps its priority.
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
