//! The run delay of a thread: how long it was ready to run while other threads had the CPU.

use std::fs::File;
use std::time::Duration;

/// Linux' `schedstat` of one thread, where it exists.
#[derive(Debug, Default)]
#[cfg_attr(not(unix), allow(dead_code, reason = "other systems have no such file"))]
pub(in crate::stream) struct RunDelay(Option<File>);

impl RunDelay {
    /// The counter of the calling thread.
    pub(in crate::stream) fn of_this_thread() -> Self {
        Self(File::open("/proc/thread-self/schedstat").ok())
    }

    /// The total until now. Neither allocates nor waits.
    pub(super) fn time(&self) -> Option<Duration> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt;
            let mut text = [0; 64];
            let length = self.0.as_ref()?.read_at(&mut text, 0).ok()?;
            run_delay(std::str::from_utf8(&text[..length]).ok()?)
        }
        #[cfg(not(unix))]
        None
    }
}

/// The second of the three numbers in `schedstat`, in nanoseconds.
#[cfg_attr(not(unix), allow(dead_code))]
fn run_delay(text: &str) -> Option<Duration> {
    let nanoseconds = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_delay_is_the_second_number_of_schedstat() {
        assert_eq!(run_delay("165857 3409281 2\n"), Some(Duration::from_nanos(3_409_281)));
        assert_eq!(run_delay("1"), None);
        assert_eq!(run_delay(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn run_delay_of_this_thread_never_decreases() {
        let counter = RunDelay::of_this_thread();
        let first = counter.time().unwrap();
        std::thread::yield_now();
        assert!(counter.time().unwrap() >= first);
    }
}
