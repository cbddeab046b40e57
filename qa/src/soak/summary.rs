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
    let (headline, took) = (headline(report), took.as_secs_f64());
    let (played, all) = (clock(report.seconds), clock(report.asked()));
    let scenes = report.scenes.values().sum::<u64>();
    let optional = |name: &str, value: Option<String>| {
        value.map_or(String::new(), |value| format!("  {name:<10} {value}\n"))
    };
    let causes = optional("underruns", causes(report));
    let stalls = report.standstill_ms;
    let stalls = stalls.map(|ms| format!("was held up itself, stood still for up to {ms:.1} ms"));
    let stalls = optional("machine", stalls);
    let gpu = report.gpu_memory_growth;
    let gpu = optional("gpu", gpu.map(|bytes| growth(Some(bytes))));
    let (losses, returns) = (report.losses, report.returns);
    let failover = losses + returns > 0;
    let failover = failover.then(|| format!("{losses} losses, {returns} returns"));
    let failover = optional("failover", failover);
    let mut text = format!(
        "{headline}\n  \
         played     {played} of {all} in {took:.0} s, {scenes} scenes\n  \
         frames     {} asked for, {} slow blocks, {} underruns\n\
         {causes}{stalls}  \
         timing     {} notes out of silence, the latest {} frames after its time\n  \
         reference  {:.1}% of all frames compared, {} differences\n  \
         clicks     steps from {:.0} dBFS on are found, for {:.0}% of the time\n  \
         memory     {}\n\
         {gpu}{failover}",
        report.frames,
        report.slow_blocks,
        report.underruns,
        report.onsets,
        report.latest_onset,
        100.0 * report.frames_compared as f64 / report.frames.max(1) as f64,
        report.counts.get("difference").copied().unwrap_or_default(),
        20.0 * report.sensitivity.log10(),
        100.0 * report.keenness,
        growth(report.memory_growth),
    );
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
    let named = causes.iter().map(|(cause, count)| format!("{count} {cause}"));
    let named = named.collect::<Vec<_>>().join(", ");
    (!named.is_empty()).then_some(named)
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
            let counts = [(report.machines, "by the machine"), (report.injected, "on purpose")];
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            let counts =
                counts.map(|(count, who)| format!("{} {who}", found(count, "disturbance")));
            format!("No fault of Myriad's: {}", counts.collect::<Vec<_>>().join(", "))
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
    let Finding { seconds, kind, text, .. } = finding;
    format!("{}  {blame:<8} {}: {text}", clock(*seconds), kind.name())
}

/// By how much memory grew.
pub(super) fn growth(bytes: Option<f64>) -> String {
    match bytes {
        Some(bytes) => format!("grew by {:.2} MiB after the warm-up", bytes / 1024.0 / 1024.0),
        None => "not measured: too short, or the system does not tell".to_owned(),
    }
}
