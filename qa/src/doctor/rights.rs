//! What the system allows: real-time priority and locked memory.

use super::Finding;
use std::fs;

const ADVICE: &str = "join the group `audio` (sudo usermod -aG audio $USER) and let it, in \
                      /etc/security/limits.d/95-audio.conf: `@audio - rtprio 95` and `@audio - memlock \
                      unlimited`; or run rtkit-daemon; then log in again";

pub(super) fn examine() -> Vec<Finding> {
    let mut findings = vec![priority()];
    findings.extend(locked_memory());
    findings
}

/// Whether a thread gets real-time priority: tried, not guessed.
fn priority() -> Finding {
    let attempt = std::thread::spawn(|| {
        let raised = audio_thread_priority::promote_current_thread_to_real_time(256, 48_000);
        raised.map(|_| ()).map_err(|error| error.to_string())
    });
    match attempt.join() {
        Ok(Ok(())) => Finding::ok("real time", "threads may have real-time priority"),
        Ok(Err(reason)) => Finding::warning(
            "real time",
            format!(
                "threads may not have real-time priority ({reason}): other programs come between"
            ),
            ADVICE,
        ),
        Err(_) => Finding::warning("real time", "no thread could be tried", ADVICE),
    }
}

fn locked_memory() -> Option<Finding> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = soft_limit(&limits, "Max locked memory")?;
    Some(match limit.parse::<u64>() {
        // JACK locks the memory of its clients.
        Ok(bytes) if bytes < 64 << 20 => Finding::note(
            "memlock",
            format!("{} KiB may be locked; JACK wants more", bytes >> 10),
            ADVICE,
        ),
        _ => Finding::ok("memlock", format!("{limit} may be locked")),
    })
}

/// The soft limit of a line of `/proc/self/limits`, whose columns have fixed places.
fn soft_limit(limits: &str, name: &str) -> Option<String> {
    let line = limits.lines().find(|line| line.starts_with(name))?;
    line.get(26..)?.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max locked memory         8388608              8388608              bytes     \n\
                    Max realtime priority     0                    0                    \n";
        assert_eq!(
            soft_limit(text, "Max locked memory").as_deref(),
            Some("8388608")
        );
        assert_eq!(
            soft_limit(text, "Max realtime priority").as_deref(),
            Some("0")
        );
        assert_eq!(soft_limit(text, "Max nonsense"), None);
    }
}
