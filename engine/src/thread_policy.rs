//! The priority of threads that render, and how they wait for work.

use audio_thread_priority::promote_current_thread_to_real_time;

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
        self == ThreadPolicy::RealTime
            && promote_current_thread_to_real_time(frames as u32, sample_rate as u32).is_ok()
    }
}
