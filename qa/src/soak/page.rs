//! The report as one page that needs nothing else: verdict at the top, plots, and the sound around
//! what was found.

mod evidence;
mod plot;

use super::finding::{Blame, Finding};
use super::journal::Sample;
use super::report::Report;
use super::summary;
use crate::plot::{AMBER, LIGHT, ROSE, VIOLET, escaped};
use myriad_player::terminal::clock;
use plot::{Plot, Series};
use std::fmt::Write;
use std::io;
use std::path::Path;

const STYLE: &str = include_str!("page/style.css");

/// Findings with their sound and picture; the rest is listed.
const SHOWN: usize = 12;

/// Findings that are listed.
const LISTED: usize = 200;

/// Writes the page. Clips are read from `folder`.
///
/// # Errors
/// When it cannot be written.
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
    for plot in plots(report) {
        page.write_all(plot.draw(&report.findings).as_bytes())?;
    }
    findings(report, folder, page)?;
    page.write_all(notes(report).as_bytes())?;
    page.write_all(settings(report).as_bytes())?;
    page.write_all(b"</body>\n</html>\n")
}

/// What was played, on what, when.
fn subtitle(report: &Report) -> String {
    let Some(run) = report.runs.last() else {
        return "Nothing was played.".to_owned();
    };
    let whole = report.settings.as_ref().map_or(0.0, |begin| begin.seconds);
    let runs = match report.runs.len() {
        1 => String::new(),
        runs => format!(" in {runs} runs"),
    };
    format!(
        "{} of {} played{runs} on {} ({}), {} Hz, {} frames a block. {}. Begun {}.",
        clock(report.seconds),
        clock(whole),
        run.host,
        run.device,
        run.rate,
        run.block,
        run.machine,
        report.runs.first().map_or("", |run| run.date.as_str())
    )
}

/// What to write below the number of underruns: why they were.
fn causes(report: &Report) -> String {
    match super::summary::causes(report) {
        Some(causes) => format!("underruns: {causes}"),
        None => "underruns".to_owned(),
    }
}

/// The figures that matter.
fn tiles(report: &Report) -> String {
    let mut tiles = vec![
        (report.found().to_string(), "findings".to_owned()),
        (report.underruns.to_string(), causes(report)),
        (
            mebibytes(report.memory_growth),
            "memory growth, MiB".to_owned(),
        ),
        (
            format!("{:.0}", 20.0 * report.sensitivity.log10()),
            format!(
                "dBFS: steps found, {:.0}% of the time",
                100.0 * report.keenness
            ),
        ),
        (
            format!("+{}", report.latest_onset),
            format!("frames: the latest of {} timed notes", report.onsets),
        ),
        (
            report.scenes.values().sum::<u64>().to_string(),
            "scenes".to_owned(),
        ),
    ];
    if let Some(longest) = report.standstill_ms {
        tiles.push((
            format!("{longest:.1}"),
            "ms: the longest that the machine itself stood still".to_owned(),
        ));
    }
    if report.gpu_memory_growth.is_some() {
        let growth = mebibytes(report.gpu_memory_growth);
        tiles.push((growth, "GPU's memory growth, MiB".to_owned()));
    }
    if report.losses > 0 {
        let failover = format!("{} / {}", report.losses, report.returns);
        tiles.push((failover, "GPU lost / back".to_owned()));
    }
    let mut html = "<section class=\"tiles\">".to_owned();
    for (value, name) in tiles {
        let _ = write!(
            html,
            "<div><b>{}</b><span>{}</span></div>",
            escaped(&value),
            escaped(&name)
        );
    }
    html + "</section>\n"
}

fn mebibytes(bytes: Option<f64>) -> String {
    bytes.map_or("–".to_owned(), |bytes| {
        format!("{:.1}", bytes / 1024.0 / 1024.0)
    })
}

/// One plot for each subject that there is something to say about.
fn plots(report: &Report) -> Vec<Plot> {
    let samples = &report.samples;
    let series = |name: &'static str, colour, figure: &dyn Fn(&Sample) -> Option<f64>| Series {
        name,
        colour,
        points: samples
            .iter()
            .filter_map(|sample| Some([sample.seconds, figure(sample)?]))
            .collect(),
    };
    let percent = |share: f32| Some(100.0 * f64::from(share));
    let load = |sample: &Sample, share: f32| percent(share).filter(|_| sample.blocks > 0);
    let gpu = |sample: &Sample| sample.gpu.clone();
    let plots = vec![
        Plot {
            title: "Time to render, % of the time it sounds",
            limit: Some((100.0, "deadline")),
            log: true,
            series: vec![
                series("median", VIOLET, &|s| load(s, s.load_median)),
                series("99%", ROSE, &|s| load(s, s.load_99)),
                series("99.9%", AMBER, &|s| load(s, s.load_999)),
            ],
        },
        Plot {
            title: "What sounds",
            limit: None,
            log: true,
            series: vec![
                series("partials", AMBER, &|s| Some(s.partials as f64)),
                series("voices", VIOLET, &|s| Some(s.voices as f64)),
            ],
        },
        Plot::linear(
            "Memory, MiB",
            vec![
                series("resident", VIOLET, &|s| {
                    Some(s.memory_bytes? as f64 / 1024.0 / 1024.0)
                }),
                series("GPU, ours", AMBER, &|s| {
                    Some(gpu(s)?.own_memory_bytes? as f64 / 1024.0 / 1024.0)
                }),
                series("GPU, all", ROSE, &|s| {
                    Some(gpu(s)?.memory_bytes? as f64 / 1024.0 / 1024.0)
                }),
            ],
        ),
        Plot::linear(
            "Processor, % of a core",
            vec![
                series("Myriad", VIOLET, &|s| percent(s.cpu?)),
                series("taken by the hypervisor", AMBER, &|s| percent(s.steal?)),
            ],
        ),
        Plot::linear(
            "How the machine itself was held up",
            vec![
                series("of its time, %", VIOLET, &|s| Some(100.0 * s.lost?)),
                series("stood still, ms at most", AMBER, &|s| s.standstill_ms),
            ],
        ),
        Plot::linear(
            "Underruns and slow blocks so far",
            vec![
                series("slow blocks", VIOLET, &|s| Some(s.slow_blocks as f64)),
                series("underruns", AMBER, &|s| Some(s.underruns as f64)),
                series("the device's own", ROSE, &|s| Some(s.xruns as f64)),
            ],
        ),
        Plot::linear(
            "Drift against this machine's clock, parts of a million",
            vec![series("device", VIOLET, &|s| s.drift_ppm)],
        ),
        Plot::linear(
            "GPU: power and temperature",
            vec![
                series("watts", AMBER, &|s| gpu(s)?.power_w),
                series("degrees C", ROSE, &|s| gpu(s)?.temperature_c.map(f64::from)),
                series("use, %", LIGHT, &|s| Some(100.0 * gpu(s)?.utilisation?)),
            ],
        ),
        Plot::linear(
            "GPU: clock, MHz",
            vec![series("clock", VIOLET, &|s| {
                gpu(s)?.clock_mhz.map(f64::from)
            })],
        ),
    ];
    plots.into_iter().filter(Plot::has_content).collect()
}

/// All findings, the first of them with sound and picture.
fn findings(report: &Report, folder: &Path, page: &mut impl io::Write) -> io::Result<()> {
    writeln!(page, "<section><h2>Findings</h2>")?;
    if report.findings.is_empty() {
        writeln!(page, "<p>None.</p>")?;
    }
    // Ours first, then in the order of time.
    let mut order: Vec<&Finding> = report.findings.iter().collect();
    order.sort_by_key(|finding| finding.blame != Blame::Myriad);
    let mut shown = 0;
    for finding in order.iter().take(LISTED) {
        let class = finding.blame.name();
        writeln!(
            page,
            "<article class=\"{class}\"><h3>{} <time>{}</time></h3><p>{}</p>",
            finding.kind.name(),
            clock(finding.seconds),
            escaped(&finding.text)
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
        writeln!(
            page,
            "<p>And {} more, in report.json and journal.jsonl.</p>",
            report.found() - LISTED
        )?;
    }
    writeln!(page, "</section>")
}

fn notes(report: &Report) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    let mut html = "<section><h2>What happened</h2>\n<table>".to_owned();
    for note in report.notes.iter().take(LISTED) {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td></tr>",
            clock(note.seconds),
            escaped(&note.text)
        );
    }
    html + "</table></section>\n"
}

/// What would be needed to do the same again.
fn settings(report: &Report) -> String {
    let Some(begin) = &report.settings else {
        return String::new();
    };
    let mut command = format!(
        "myriad soak --device {} --renderer {} --seed {} --minutes {} --load {}x{}",
        begin.device,
        begin.renderer,
        begin.seed,
        begin.seconds / 60.0,
        begin.load[0],
        begin.load[1]
    );
    for (option, value) in [
        ("buffer", begin.buffer),
        ("depth", begin.depth),
        ("rate", begin.rate),
    ] {
        if let Some(value) = value {
            let _ = write!(command, " --{option} {value}");
        }
    }
    for fault in &begin.inject {
        let _ = write!(command, " --inject {fault}");
    }
    let scenes: Vec<String> = report
        .scenes
        .iter()
        .map(|(name, count)| format!("{count} × {name}"))
        .collect();
    format!(
        "<section><h2>Again</h2>\n<p><code>{}</code></p>\n<p>Scenes: {}. Myriad {}.</p></section>\n",
        escaped(&command),
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
        Line::Finding(Finding {
            seconds: 61.5,
            frame: 0,
            kind,
            size: 0.0,
            blame,
            text: text.to_owned(),
            cause: None,
            clip: None,
        })
    }

    #[test]
    fn the_verdict_is_at_the_top_and_odd_words_break_nothing() {
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
