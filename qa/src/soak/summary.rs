//! The report in a few lines, for the terminal.

use super::finding::{Blame, Finding};
use super::report::{Report, Verdict};
use myriad_player::terminal::clock;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Findings that are listed one by one.
const LISTED: usize = 12;

/// What was played, what was found, and where the report is.
pub(super) fn text(report: &Report, folder: &Path, took: Duration) -> String {
    let (played, all, took) = (
        clock(report.seconds),
        clock(report.asked()),
        took.as_secs_f64(),
    );
    let scenes = report.scenes.values().sum::<u64>();
    let Report {
        frames,
        slow_blocks,
        underruns,
        onsets,
        latest_onset,
        losses,
        returns,
        ..
    } = report;
    let stalls = report
        .standstill_ms
        .map(|longest| format!("was held up itself, stood still for up to {longest:.1} ms"));
    let smallest = 20.0 * report.sensitivity.log10();
    let keenness = 100.0 * report.keenness;
    let gpu = report.gpu_memory_growth;
    let lost = losses + returns > 0;
    let rows = [
        (
            "played",
            Some(format!("{played} of {all} in {took:.0} s, {scenes} scenes")),
        ),
        (
            "frames",
            Some(format!(
                "{frames} asked for, {slow_blocks} slow blocks, {underruns} underruns"
            )),
        ),
        ("underruns", causes(report)),
        ("machine", stalls),
        (
            "timing",
            Some(format!(
                "{onsets} notes out of silence, the latest {latest_onset} frames after its time"
            )),
        ),
        (
            "clicks",
            Some(format!(
                "steps from {smallest:.0} dBFS on are found, for {keenness:.0}% of the time"
            )),
        ),
        ("memory", Some(growth(report.memory_growth))),
        ("gpu", gpu.map(|bytes| growth(Some(bytes)))),
        (
            "failover",
            lost.then(|| format!("{losses} losses, {returns} returns")),
        ),
    ];
    let mut text = format!("{}\n", headline(report));
    for (name, value) in rows {
        if let Some(value) = value {
            let _ = writeln!(text, "  {name:<10} {value}");
        }
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

/// The causes of underruns, the commonest first.
pub(super) fn causes(report: &Report) -> Option<String> {
    let mut causes: Vec<_> = report.causes.iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let told = causes
        .iter()
        .map(|(cause, count)| format!("{count} {cause}"));
    let told = told.collect::<Vec<_>>().join(", ");
    (!told.is_empty()).then_some(told)
}

/// The verdict in one line.
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

/// A finding in one line.
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

/// By how much memory grew.
pub(super) fn growth(bytes: Option<f64>) -> String {
    match bytes {
        Some(bytes) => format!(
            "grew by {:.2} MiB after the first tenth",
            bytes / 1024.0 / 1024.0
        ),
        None => "not measured: too short, or the system does not tell".to_owned(),
    }
}
