//! A soak in a few lines, for the terminal.

use super::finding::{Blame, Finding};
use super::report::{Report, Verdict};
use myriad_player::terminal::clock;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Findings that are listed one by one.
const LISTED: usize = 12;

/// What was played, what was found, and where the rest is.
pub(super) fn text(report: &Report, folder: &Path, took: Duration) -> String {
    let mut text = format!("{}\n", headline(report));
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<10} {value}");
    };
    row(
        "played",
        format!(
            "{} of {} in {:.0} s, {} scenes",
            clock(report.seconds),
            clock(report.settings.as_ref().map_or(0.0, |begin| begin.seconds)),
            took.as_secs_f64(),
            report.scenes.values().sum::<u64>()
        ),
    );
    row(
        "frames",
        format!(
            "{} asked for, {} slow blocks, {} underruns",
            report.frames, report.slow_blocks, report.underruns
        ),
    );
    if let Some(causes) = causes(report) {
        row("underruns", causes);
    }
    if let Some(longest) = report.standstill_ms {
        row(
            "machine",
            format!("was held up itself, stood still for up to {longest:.1} ms"),
        );
    }
    row(
        "timing",
        format!(
            "{} notes out of silence, the latest {} frames after its time",
            report.onsets, report.latest_onset
        ),
    );
    row(
        "clicks",
        format!(
            "steps from {:.0} dBFS on are found, for {:.0}% of the time",
            20.0 * report.sensitivity.log10(),
            100.0 * report.keenness
        ),
    );
    row("memory", growth(report.memory_growth));
    if report.gpu_memory_growth.is_some() {
        row("gpu", growth(report.gpu_memory_growth));
    }
    if report.losses + report.returns > 0 {
        row(
            "failover",
            format!("{} losses, {} returns", report.losses, report.returns),
        );
    }
    for finding in report.findings.iter().take(LISTED) {
        let _ = writeln!(text, "  {}", line(finding));
    }
    if report.found() > LISTED {
        let _ = writeln!(text, "  and {} more", report.found() - LISTED);
    }
    let _ = writeln!(text, "  {}", folder.join("report.html").display());
    text
}

/// Why there were underruns, the commonest cause first.
pub(super) fn causes(report: &Report) -> Option<String> {
    let mut causes: Vec<_> = report.causes.iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let told = causes
        .iter()
        .map(|(cause, count)| format!("{count} {cause}"));
    let told = told.collect::<Vec<_>>().join(", ");
    (!told.is_empty()).then_some(told)
}

/// The verdict in a sentence.
pub(super) fn headline(report: &Report) -> String {
    let found = |count: usize, what: &str| match count {
        1 => format!("one {what}"),
        count => format!("{count} {what}s"),
    };
    match report.verdict {
        Verdict::Clean => "Clean: nothing was found".to_owned(),
        Verdict::Disturbed => {
            let told = [
                (report.machines, "by the machine"),
                (report.injected, "on purpose"),
            ];
            let told = told.into_iter().filter(|(count, _)| *count > 0);
            let told = told.map(|(count, who)| format!("{} {who}", found(count, "disturbance")));
            format!(
                "No fault of Myriad's: {}",
                told.collect::<Vec<_>>().join(", ")
            )
        }
        Verdict::Faulty => format!("Faulty: {}", found(report.myriads, "fault")),
    }
}

/// A finding in a line.
pub(super) fn line(finding: &Finding) -> String {
    let blame = match finding.blame {
        Blame::Myriad => "FAULT",
        Blame::Machine => "machine",
        Blame::Injected => "purpose",
    };
    let Finding {
        seconds,
        kind,
        text,
        ..
    } = finding;
    format!("{}  {blame:<8} {}: {text}", clock(*seconds), kind.name())
}

/// What memory grew by.
pub(super) fn growth(bytes: Option<f64>) -> String {
    match bytes {
        Some(bytes) => format!(
            "grew by {:.2} MiB after the first tenth",
            bytes / 1024.0 / 1024.0
        ),
        None => "not measured: too short, or the system does not tell".to_owned(),
    }
}
