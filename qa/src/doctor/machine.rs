//! The processor, what else runs on it, and what the system allows: real-time priority and locked
//! memory.

use super::{Finding, State};
use crate::stall_probe::StallProbes;
use myriad_engine::simd::Level;
use myriad_player::machine;
use myriad_player::memory::kibibytes;
use std::fs;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long stolen time is measured, and how long stalls.
const STEAL_TIME: Duration = Duration::from_millis(300);
const STALL_TIME: Duration = Duration::from_secs(1);

/// The buffer that is wanted for live play, in frames.
const SMALL_BUFFER: u32 = 64;

/// A processor that loses more than this within [`STALL_TIME`] is slow at times.
const MUCH: Duration = Duration::from_millis(50);

/// A machine with less free memory than this is about to swap, in MiB.
const LITTLE_MEMORY: usize = 512;

const ALLOW_REAL_TIME: &str = "join the group `audio` (sudo usermod -aG audio $USER) and let it, in \
     /etc/security/limits.d/95-audio.conf: `@audio - rtprio 95` and `@audio - memlock unlimited`; or \
     run rtkit-daemon; then log in again";

pub(super) fn examine() -> Vec<Finding> {
    let findings = [
        Some(instructions()),
        governor(),
        virtualisation(),
        stalls(),
        load(),
        memory(),
        Some(priority()),
        locked_memory(),
    ];
    findings.into_iter().flatten().collect()
}

fn instructions() -> Finding {
    let (name, cores, level) = (machine::processor(), machine::cores(), Level::best());
    let text = format!("{name}, {cores} cores, {} instructions", level.name());
    let slow = level == Level::Baseline && !cfg!(target_arch = "aarch64");
    let advice = match slow {
        true => {
            "without AVX2 or NEON a core holds a fraction of the partials; nothing but another processor helps"
        }
        false => {
            "one core has to play and to do everything else: use larger buffers (--buffer 512)"
        }
    };
    Finding::ok("processor", text).warn_if(slow || cores == 1, advice)
}

fn governor() -> Option<Finding> {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let governor = fs::read_to_string(path).ok()?;
    let governor = governor.trim();
    let text = format!("the frequency governor is '{governor}'");
    let slow = !matches!(governor, "performance" | "schedutil");
    Some(Finding::ok("governor", text).warn_if(
        slow,
        "clocks that drop between blocks make them late: sudo cpupower frequency-set -g performance",
    ))
}

fn virtualisation() -> Option<Finding> {
    let flags = fs::read_to_string("/proc/cpuinfo").ok()?;
    if !flags.split_whitespace().any(|flag| flag == "hypervisor") {
        return Some(Finding::ok("machine", "not virtual, as far as the processor reports"));
    }
    let stolen = || -> Option<f64> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()
    };
    let before = stolen()?;
    std::thread::sleep(STEAL_TIME);
    let hundredths = stolen()? - before;
    let share = hundredths / 100.0 / STEAL_TIME.as_secs_f64() / machine::cores() as f64;
    let percent = 100.0 * share;
    let text = format!("a virtual machine; {percent:.0}% of its time was stolen just now");
    let state = match share > 0.01 {
        true => State::Warning,
        false => State::Note,
    };
    Some(Finding::ok("machine", text).with(
        state,
        "its host takes the processor away for milliseconds at a time, whatever the priority: use \
         larger buffers (--buffer 512), or a machine of your own",
    ))
}

/// For how long the machine stalled in a second in which Myriad asked little of it.
fn stalls() -> Option<Finding> {
    let stall_probes = StallProbes::start()?;
    let began = Instant::now();
    std::thread::sleep(STALL_TIME);
    let lost = stall_probes.lost(began, Instant::now());
    let longest = stall_probes.longest_since(began);
    let text = format!(
        "in a second, a processor lost {:.1} ms of its time, at most {:.1} ms at once",
        1000.0 * lost.as_secs_f64(),
        1000.0 * longest.as_secs_f64()
    );
    let frames = (48_000.0 * longest.as_secs_f64()) as u32;
    let advice = format!(
        "blocks are late then: use a longer buffer (--buffer {}), or a machine of \
         your own",
        (4 * frames).next_power_of_two().clamp(256, 4_096)
    );
    Some(Finding::ok("pace", text).warn_if(frames > SMALL_BUFFER / 2 || lost > MUCH, advice))
}

fn load() -> Option<Finding> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let text = format!("a load of {load:.1} on {} cores", machine::cores());
    Some(Finding::ok("load", text).warn_if(
        load > 0.8 * machine::cores() as f64,
        "other programs want the processor: `top` says which; end them before you play",
    ))
}

fn memory() -> Option<Finding> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let [all, free] = ["MemTotal:", "MemAvailable:"].map(|name| kibibytes(&text, name));
    let [all, free] = [all? >> 10, free? >> 10];
    let finding = Finding::ok("memory", format!("{free} MiB of {all} are free"));
    let advice = "close programs: swapping stops the sound";
    Some(finding.warn_if(free < LITTLE_MEMORY, advice))
}

/// Whether a thread gets real-time priority; it is tried.
fn priority() -> Finding {
    let attempt = std::thread::Builder::new().spawn(|| {
        let raised = audio_thread_priority::promote_current_thread_to_real_time(256, 48_000);
        raised.map(|_| ()).map_err(|error| error.to_string())
    });
    let text = match attempt.map(JoinHandle::join) {
        Ok(Ok(Ok(()))) => return Finding::ok("real time", "threads may have real-time priority"),
        Ok(Ok(Err(reason))) => format!(
            "threads may not have real-time priority ({reason}): other programs come between"
        ),
        Ok(Err(_)) | Err(_) => "no thread could be tried".to_owned(),
    };
    Finding::ok("real time", text).with(State::Warning, ALLOW_REAL_TIME)
}

fn locked_memory() -> Option<Finding> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = soft_limit(&limits, "Max locked memory")?;
    Some(match limit.parse::<u64>() {
        // JACK locks the memory of its clients.
        Ok(bytes) if bytes < 64 << 20 => {
            let text = format!("{} KiB may be locked; JACK wants more", bytes >> 10);
            Finding::ok("memlock", text).with(State::Note, ALLOW_REAL_TIME)
        }
        _ => Finding::ok("memlock", format!("{limit} may be locked")),
    })
}

/// The soft limit of a line of `/proc/self/limits`, whose columns have fixed places.
fn soft_limit<'a>(limits: &'a str, name: &str) -> Option<&'a str> {
    let line = limits.lines().find(|line| line.starts_with(name))?;
    line.get(26..)?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max locked memory         8388608              8388608              bytes     \n\
                    Max realtime priority     0                    0                    \n";
        for (name, limit) in [
            ("Max locked memory", Some("8388608")),
            ("Max realtime priority", Some("0")),
            ("Max nonsense", None),
        ] {
            assert_eq!(soft_limit(text, name), limit);
        }
    }
}
