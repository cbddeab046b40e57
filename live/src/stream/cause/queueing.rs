//! How long a thread was ready to run while somebody else had the processor.

use std::fs::File;
use std::time::Duration;

/// Linux' count for one thread, if it has one.
#[derive(Debug, Default)]
pub(in crate::stream) struct Queueing(Option<File>);

impl Queueing {
    /// That of the calling thread.
    pub(in crate::stream) fn of_this_thread() -> Self {
        Self(File::open("/proc/thread-self/schedstat").ok())
    }

    /// All of it until now. Neither allocates nor waits.
    pub(super) fn time(&self) -> Option<Duration> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt;
            let mut text = [0; 64];
            let length = self.0.as_ref()?.read_at(&mut text, 0).ok()?;
            queued(std::str::from_utf8(&text[..length]).ok()?)
        }
        #[cfg(not(unix))]
        None
    }
}

/// The second of three numbers, in nanoseconds.
#[cfg_attr(not(unix), allow(dead_code))]
fn queued(text: &str) -> Option<Duration> {
    let nanoseconds = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_counts() {
        assert_eq!(
            queued("165857 3409281 2\n"),
            Some(Duration::from_nanos(3_409_281))
        );
        assert_eq!(queued("1"), None);
        assert_eq!(queued(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn it_is_read_from_the_system_and_never_sinks() {
        let queueing = Queueing::of_this_thread();
        let first = queueing.time().unwrap();
        std::thread::yield_now();
        assert!(queueing.time().unwrap() >= first);
    }
}
