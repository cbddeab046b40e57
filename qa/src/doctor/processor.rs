//! The processor: what it can do, and who else has it.

use super::Finding;
use crate::stall_probe::StallProbes;
use myriad_engine::simd::Level;
use myriad_player::machine;
use myriad_player::memory::kibibytes;
use std::fs;
use std::time::{Duration, Instant};

/// How long stolen time is looked at, and the machine's pace.
const STEAL_LOOK: Duration = Duration::from_millis(300);
const PACE_LOOK: Duration = Duration::from_secs(1);

/// The buffer that people who play live want to have, in frames.
const SMALL_BUFFER: u32 = 64;

/// A processor that loses more than this while its pace is looked at is slow at times.
const MUCH: Duration = Duration::from_millis(50);

/// A machine with less free memory than this is about to swap, in MiB.
const LITTLE_MEMORY: usize = 512;

pub(super) fn examine() -> Vec<Finding> {
    let mut findings = vec![instructions()];
    findings.extend(governor());
    findings.extend(virtualisation());
    findings.extend(pace());
    findings.extend(load());
    findings.extend(memory());
    findings
}

fn instructions() -> Finding {
    let (name, cores) = (machine::processor(), machine::cores());
    let level = Level::best();
    let text = format!("{name}, {cores} cores, {} instructions", level.name());
    match level {
        Level::Portable => Finding::warning(
            "processor",
            text,
            "without AVX2 or NEON a core holds a fraction of the partials; nothing but another processor helps",
        ),
        _ if cores == 1 => Finding::warning(
            "processor",
            text,
            "one core has to play and to do everything else: use larger buffers (--buffer 512)",
        ),
        _ => Finding::ok("processor", text),
    }
}

fn governor() -> Option<Finding> {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let governor = fs::read_to_string(path).ok()?;
    let governor = governor.trim();
    let text = format!("the frequency governor is '{governor}'");
    Some(match governor {
        "performance" | "schedutil" => Finding::ok("governor", text),
        _ => Finding::warning(
            "governor",
            text,
            "clocks that drop between blocks make them late: sudo cpupower frequency-set -g performance",
        ),
    })
}

fn virtualisation() -> Option<Finding> {
    let flags = fs::read_to_string("/proc/cpuinfo").ok()?;
    if !flags.split_whitespace().any(|flag| flag == "hypervisor") {
        return Some(Finding::ok("machine", "not virtual, as far as it says"));
    }
    let stolen = || -> Option<f64> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        stat.lines().next()?.split_whitespace().nth(8)?.parse().ok()
    };
    let before = stolen()?;
    std::thread::sleep(STEAL_LOOK);
    let hundredths = stolen()? - before;
    let share = hundredths / 100.0 / STEAL_LOOK.as_secs_f64() / machine::cores() as f64;
    let text = format!(
        "a virtual machine; {:.0}% of its time was stolen just now",
        100.0 * share
    );
    let advice = "its host takes the processor away for milliseconds at a time, whatever the \
                  priority: use larger buffers (--buffer 512), or a machine of your own";
    Some(match share > 0.01 {
        true => Finding::warning("machine", text, advice),
        false => Finding::note("machine", text, advice),
    })
}

/// How long the machine itself was held up, in a second in which nobody asked much of it.
fn pace() -> Option<Finding> {
    let stall_probes = StallProbes::call()?;
    let began = Instant::now();
    std::thread::sleep(PACE_LOOK);
    let lost = stall_probes.lost(began, Instant::now());
    let longest = stall_probes.longest_since(began);
    let text = format!(
        "in a second, a processor lost {:.1} ms of its time, at most {:.1} ms at once",
        1000.0 * lost.as_secs_f64(),
        1000.0 * longest.as_secs_f64()
    );
    let frames = (48_000.0 * longest.as_secs_f64()) as u32;
    Some(match frames > SMALL_BUFFER / 2 || lost > MUCH {
        true => Finding::warning(
            "pace",
            text,
            format!(
                "whoever plays is late then: use a buffer that is longer (--buffer {}), or a machine \
                 of your own",
                (4 * frames).next_power_of_two().clamp(256, 4_096)
            ),
        ),
        false => Finding::ok("pace", text),
    })
}

fn load() -> Option<Finding> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let text = format!("a load of {load:.1} on {} cores", machine::cores());
    Some(match load > 0.8 * machine::cores() as f64 {
        true => Finding::warning(
            "load",
            text,
            "other programs want the processor: `top` says which; end them before you play",
        ),
        false => Finding::ok("load", text),
    })
}

fn memory() -> Option<Finding> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let [all, free] = ["MemTotal:", "MemAvailable:"].map(|name| kibibytes(&text, name));
    let [all, free] = [all? >> 10, free? >> 10];
    let text = format!("{free} MiB of {all} are free");
    Some(match free < LITTLE_MEMORY {
        true => Finding::warning("memory", text, "close programs: swapping stops the sound"),
        false => Finding::ok("memory", text),
    })
}
