//! The report as one self-contained HTML page: verdict, plots, and the sound around findings.

mod evidence;
mod plot;

use super::finding::{Blame, Finding};
use super::journal::Sample;
use super::report::{MEBIBYTE, Report};
use super::summary;
use crate::plot::{AMBER, LIGHT, ROSE, VIOLET, escaped};
use myriad_player::terminal::clock;
use plot::Plot;
use std::fmt::{Display, Write};
use std::io;
use std::path::Path;

const STYLE: &str = include_str!("page/style.css");

/// Findings that are shown with sound and waveform.
const SHOWN: usize = 12;

/// Findings that are listed.
const LISTED: usize = 200;

/// Writes the page. Clips are read from `folder`.
pub(super) fn draw(report: &Report, folder: &Path, page: &mut impl io::Write) -> io::Result<()> {
    let class = report.verdict.name();
    let title = escaped(&summary::headline(report));
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Soak: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"{class}\"><h1>{title}</h1>\n<p>{}</p></header>\n",
        escaped(&subtitle(report))
    )?;
    page.write_all(tiles(report).as_bytes())?;
    for plot in &PLOTS {
        page.write_all(plot.draw(&report.samples, &report.findings).as_bytes())?;
    }
    findings(report, folder, page)?;
    page.write_all(notes(report).as_bytes())?;
    page.write_all(settings(report).as_bytes())?;
    page.write_all(b"</body>\n</html>\n")
}

/// What was played, on which device, and when.
fn subtitle(report: &Report) -> String {
    let Some(run) = report.runs.last() else {
        return "Nothing was played.".to_owned();
    };
    let runs = match report.runs.len() {
        1 => String::new(),
        runs => format!(" in {runs} runs"),
    };
    format!(
        "{} of {} played{runs} on {} ({}), {} Hz, {} frames a block. {}. Begun {}.",
        clock(report.seconds),
        clock(report.asked()),
        run.host,
        run.device,
        run.rate,
        run.block,
        run.machine,
        report.runs.first().map_or("", |run| run.date.as_str())
    )
}

/// The main figures.
fn tiles(report: &Report) -> String {
    let mut html = "<section class=\"tiles\">".to_owned();
    let mut tile = |value: &dyn Display, name: &str| {
        let (value, name) = (escaped(&value.to_string()), escaped(name));
        html += &format!("<div><b>{value}</b><span>{name}</span></div>");
    };
    let growth = |bytes: f64| format!("{:.1}", bytes / MEBIBYTE);
    let causes = summary::causes(report).map_or(String::new(), |causes| format!(": {causes}"));
    tile(&report.found(), "findings");
    tile(&report.underruns, &format!("underruns{causes}"));
    let own = report.memory_growth.map_or("–".to_owned(), growth);
    tile(&own, "memory growth, MiB");
    let keenness = format!("dBFS: steps found, {:.0}% of the time", 100.0 * report.keenness);
    tile(&(20.0 * report.sensitivity.log10()).round(), &keenness);
    let onsets = format!("frames: the latest of {} timed notes", report.onsets);
    tile(&format!("+{}", report.latest_onset), &onsets);
    tile(&report.scenes.values().sum::<u64>(), "scenes");
    if let Some(longest) = report.standstill_ms {
        let name = "ms: the longest that the machine itself stood still";
        tile(&format!("{longest:.1}"), name);
    }
    if let Some(bytes) = report.gpu_memory_growth {
        tile(&growth(bytes), "GPU's memory growth, MiB");
    }
    if report.losses > 0 {
        let failover = format!("{} / {}", report.losses, report.returns);
        tile(&failover, "GPU lost / back");
    }
    html + "</section>\n"
}

/// All plots. Those without values are left out.
const PLOTS: [Plot; 9] = [
    Plot {
        title: "Time to render, % of the time it sounds",
        limit: Some((100.0, "deadline")),
        log: true,
        lines: &[
            ("median", VIOLET, |s| load(s, s.load_median)),
            ("99%", ROSE, |s| load(s, s.load_99)),
            ("99.9%", AMBER, |s| load(s, s.load_999)),
        ],
    },
    Plot {
        log: true,
        ..Plot::linear(
            "What sounds",
            &[
                ("partials", AMBER, |s| Some(s.partials as f64)),
                ("voices", VIOLET, |s| Some(s.voices as f64)),
            ],
        )
    },
    Plot::linear(
        "Memory, MiB",
        &[
            ("resident", VIOLET, |s| Some(s.memory_bytes? as f64 / MEBIBYTE)),
            ("GPU, ours", AMBER, |s| Some(s.gpu.as_ref()?.own_memory_bytes? as f64 / MEBIBYTE)),
            ("GPU, all", ROSE, |s| Some(s.gpu.as_ref()?.memory_bytes? as f64 / MEBIBYTE)),
        ],
    ),
    Plot::linear(
        "Processor, % of a core",
        &[
            ("Myriad", VIOLET, |s| percent(s.cpu?)),
            ("taken by the hypervisor", AMBER, |s| percent(s.steal?)),
        ],
    ),
    Plot::linear(
        "How the machine itself was held up",
        &[
            ("of its time, %", VIOLET, |s| Some(100.0 * s.lost?)),
            ("stood still, ms at most", AMBER, |s| s.standstill_ms),
        ],
    ),
    Plot::linear(
        "Underruns and slow blocks so far",
        &[
            ("slow blocks", VIOLET, |s| Some(s.slow_blocks as f64)),
            ("underruns", AMBER, |s| Some(s.underruns as f64)),
            ("the device's own", ROSE, |s| Some(s.xruns as f64)),
        ],
    ),
    Plot::linear(
        "Drift against this machine's clock, parts of a million",
        &[("device", VIOLET, |s| s.drift_ppm)],
    ),
    Plot::linear(
        "GPU: power and temperature",
        &[
            ("watts", AMBER, |s| s.gpu.as_ref()?.power_w),
            ("degrees C", ROSE, |s| Some(f64::from(s.gpu.as_ref()?.temperature_c?))),
            ("use, %", LIGHT, |s| Some(100.0 * s.gpu.as_ref()?.utilisation?)),
        ],
    ),
    Plot::linear(
        "GPU: clock, MHz",
        &[("clock", VIOLET, |s| Some(f64::from(s.gpu.as_ref()?.clock_mhz?)))],
    ),
];

fn percent(share: f32) -> Option<f64> {
    Some(100.0 * f64::from(share))
}

/// A render time, if a block was rendered.
fn load(sample: &Sample, share: f32) -> Option<f64> {
    percent(share).filter(|_| sample.blocks > 0)
}

/// The findings, the first of them with sound and waveform.
fn findings(report: &Report, folder: &Path, page: &mut impl io::Write) -> io::Result<()> {
    writeln!(page, "<section><h2>Findings</h2>")?;
    if report.findings.is_empty() {
        writeln!(page, "<p>None.</p>")?;
    }
    // Faults of Myriad first, then by time.
    let mut order: Vec<&Finding> = report.findings.iter().collect();
    order.sort_by_key(|finding| finding.blame != Blame::Myriad);
    let mut shown = 0;
    for finding in order.iter().take(LISTED) {
        let class = finding.blame.name();
        let (kind, time) = (finding.kind.name(), clock(finding.seconds));
        let text = escaped(&finding.text);
        writeln!(
            page,
            "<article class=\"{class}\"><h3>{kind} <time>{time}</time></h3><p>{text}</p>"
        )?;
        if let Some(clip) = &finding.clip {
            if shown < SHOWN
                && let Some(evidence) = evidence::show(&folder.join(clip))
            {
                shown += 1;
                page.write_all(evidence.as_bytes())?;
            }
            let name = escaped(clip);
            writeln!(page, "<p><a href=\"{name}\">{name}</a></p>")?;
        }
        writeln!(page, "</article>")?;
    }
    if report.found() > LISTED {
        let more = report.found() - LISTED;
        writeln!(page, "<p>And {more} more, in report.json and journal.jsonl.</p>")?;
    }
    writeln!(page, "</section>")
}

fn notes(report: &Report) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let mut html = "<section><h2>What happened</h2>\n<table>".to_owned();
    for note in report.notes.iter().take(LISTED) {
        let (time, text) = (clock(note.seconds), escaped(&note.text));
        let _ = writeln!(html, "<tr><td>{time}</td><td>{text}</td></tr>");
    }
    html + "</table></section>\n"
}

/// How it was played, and the command that does the same again.
fn settings(report: &Report) -> String {
    let Some(begin) = &report.settings else {
        return String::new();
    };
    let scenes: Vec<String> =
        report.scenes.iter().map(|(name, count)| format!("{count} × {name}")).collect();
    format!(
        "<section><h2>Again</h2>\n<p><code>{}</code></p>\n<p>Scenes: {}. Myriad {}.</p></section>\n",
        escaped(&begin.command()),
        escaped(&scenes.join(", ")),
        escaped(&begin.version)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::finding::Kind;
    use crate::soak::journal::Line;

    fn finding(kind: Kind, blame: Blame, text: &str) -> Line {
        let finding = Finding::ours(61.5, 0, kind, 0.0, text.to_owned());
        Line::Finding(Finding { blame, ..finding })
    }

    #[test]
    fn the_verdict_is_at_the_top_and_text_is_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let mut report = Report::new();
        let draw = |report: &Report| {
            let mut page = Vec::new();
            draw(report, folder.path(), &mut page).unwrap();
            String::from_utf8(page).unwrap()
        };
        assert!(draw(&report).contains("<h1>Clean"));
        report.add(&finding(Kind::Underrun, Blame::Machine, "a <b> & c"));
        let page = draw(&report);
        assert!(page.contains("<h1>No fault of Myriad"), "{page}");
        assert!(page.contains("a &lt;b&gt; &amp; c") && page.contains("1:01.500"));
        report.add(&finding(Kind::Click, Blame::Myriad, "x"));
        let page = draw(&report);
        assert!(page.contains("<h1>Faulty: one fault</h1>"), "{page}");
        assert!(!page.contains("NaN") && !page.contains("http"));
    }
}
