//! `myriad patches --audit`: every patch is played and measured, so that a library of many can be
//! trusted without listening to each of them again.

mod performance;
mod sheet;

use crate::patches::table;
use myriad_engine::Patch;
use myriad_player::failure::Failure;
use myriad_player::terminal;
use performance::{Fingerprint, Listener};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a patch may be from the middle of its category.
const LOUDNESS_TOLERANCE_LU: f64 = 2.0;
/// How different two patches must be: the mean difference of their spectra over time.
const NEAREST_DB: f32 = 1.5;
/// What a macro must change at least.
const MACRO_DB: f32 = 0.4;
/// What a hard note must be louder, or else brighter by some partials, than a soft one.
const VELOCITY_DB: f32 = 1.0;

/// What is known of a patch; the fields are the keys of `--json`.
#[derive(Serialize)]
pub(super) struct Finding {
    name: String,
    category: String,
    /// Of a short phrase, after EBU R 128.
    loudness_lufs: Option<f64>,
    /// Of eight notes at full velocity.
    peak_dbfs: f32,
    /// What is left of a held note after three seconds.
    held_db: f32,
    /// Left and right: 1 alike, 0 nothing in common, -1 opposite.
    correlation: f32,
    /// Partials of one note.
    partials: usize,
    /// The patch most like it, and how far away that is.
    nearest: Option<(String, f32)>,
    problems: Vec<String>,
    #[serde(skip)]
    fingerprint: Fingerprint,
    #[serde(skip)]
    picture: Vec<f32>,
}

/// Plays all of them, prints what was found, and draws a contact sheet when one is wanted.
///
/// # Errors
/// When a patch has a problem, or the sheet cannot be written.
pub(super) fn run(
    patches: &[&Patch],
    json: bool,
    contact_sheet: Option<&Path>,
) -> Result<(), Failure> {
    let mut findings = measure(patches);
    compare(&mut findings);
    if let Some(path) = contact_sheet {
        let cells = findings.iter().map(|finding| sheet::Cell {
            title: &finding.name,
            detail: &finding.category,
            levels: &finding.picture,
            fine: finding.problems.is_empty(),
        });
        sheet::draw(&cells.collect::<Vec<_>>(), path)?;
    }
    match json {
        true => terminal::print_json(&findings)?,
        false => terminal::print(&to_text(&findings))?,
    }
    let wrong = findings.iter().filter(|f| !f.problems.is_empty()).count();
    match wrong {
        0 => Ok(()),
        wrong => Err(Failure::failed(format!(
            "{wrong} of {} patches have problems",
            findings.len()
        ))),
    }
}

/// Measures every patch by itself, on all cores.
fn measure(patches: &[&Patch]) -> Vec<Finding> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut found = Vec::new();
        while let Some(patch) = patches.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push(examine(patch));
        }
        found
    };
    let mut findings: Vec<Finding> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .flatten()
            .collect()
    });
    findings.sort_by(|a, b| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
    findings
}

/// Whether notes of this category die away by themselves, go on, or may do either.
fn promise(category: &str) -> Option<bool> {
    match category {
        "keys" | "pluck" | "bell" | "percussion" => Some(false),
        "pad" | "organ" | "strings" | "voices" | "brass" | "winds" | "drone" | "lead" => Some(true),
        _ => None,
    }
}

fn examine(patch: &Patch) -> Finding {
    let mut problems = Vec::new();
    let listener = Listener::new(patch);
    let silent: Vec<u8> = listener.silent_keys();
    if !silent.is_empty() {
        problems.push(format!("silent at keys {silent:?}"));
    }
    let phrase = listener.phrase();
    let (peak_dbfs, constant) = listener.chord();
    if peak_dbfs > -0.2 {
        problems.push(format!("clips at {peak_dbfs:.1} dBFS"));
    }
    if constant > 1e-3 {
        problems.push(format!("a constant part of {constant:.4}"));
    }
    let held = listener.held();
    match promise(&patch.category) {
        Some(true) if held.left_db < -15.0 => {
            problems.push(format!("dies away by {:.0} dB while held", -held.left_db));
        }
        Some(false) if held.left_db > -6.0 => {
            problems.push("does not die away".to_owned());
        }
        _ => {}
    }
    if held.click > 1.0 {
        problems.push("clicks where the key is let go".to_owned());
    }
    if phrase.correlation < -0.3 {
        problems.push(format!("left against right: {:.2}", phrase.correlation));
    }
    if phrase.lean_db.abs() > 3.0 {
        problems.push(format!("leans by {:.1} dB", phrase.lean_db));
    }
    let (louder, brighter) = listener.velocity();
    // An organ does not care how it is struck.
    if louder < VELOCITY_DB && brighter < MACRO_DB && patch.category != "organ" {
        problems.push("does not answer to velocity".to_owned());
    }
    let named = patch.macro_names.iter().filter(|name| !name.is_empty());
    if named.count() == 0 {
        problems.push("no macro has a name".to_owned());
    }
    for (name, change) in listener.macros() {
        if change < MACRO_DB {
            problems.push(format!("macro {name} does nothing"));
        }
    }
    for (what, missing) in [
        ("description", patch.description.is_empty()),
        ("author", patch.author.is_empty()),
        ("tags", patch.tags.is_empty()),
    ] {
        if missing {
            problems.push(format!("no {what}"));
        }
    }
    Finding {
        name: patch.name.clone(),
        category: patch.category.clone(),
        loudness_lufs: phrase.loudness_lufs,
        peak_dbfs,
        held_db: held.left_db,
        correlation: phrase.correlation,
        partials: held.partials,
        nearest: None,
        problems,
        fingerprint: phrase.fingerprint,
        picture: phrase.picture,
    }
}

/// What only the whole library can say: loudness within a category, and likeness.
fn compare(findings: &mut [Finding]) {
    let mut levels: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for finding in findings.iter() {
        let of = levels.entry(finding.category.clone()).or_default();
        of.extend(finding.loudness_lufs);
    }
    levels
        .values_mut()
        .for_each(|levels| levels.sort_by(f64::total_cmp));
    for index in 0..findings.len() {
        let near = (0..findings.len())
            .filter(|&other| other != index)
            .map(|other| {
                let distance = findings[index]
                    .fingerprint
                    .distance(&findings[other].fingerprint);
                (findings[other].name.clone(), distance)
            })
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let finding = &mut findings[index];
        let middle = levels
            .get(&finding.category)
            .and_then(|levels| levels.get(levels.len() / 2));
        match (finding.loudness_lufs, middle) {
            (Some(own), Some(middle)) if (own - middle).abs() > LOUDNESS_TOLERANCE_LU => {
                let off = own - middle;
                finding
                    .problems
                    .push(format!("{off:+.1} LU from its category"));
            }
            (None, _) => finding.problems.push("too quiet to measure".to_owned()),
            _ => {}
        }
        if let Some((name, distance)) = &near
            && *distance < NEAREST_DB
        {
            finding.problems.push(format!("like {name}"));
        }
        finding.nearest = near;
    }
}

fn to_text(findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let loudness = finding.loudness_lufs.map(|level| format!("{level:.1}"));
        [
            finding.name.clone(),
            finding.category.clone(),
            loudness.unwrap_or_default(),
            format!("{:.1}", finding.peak_dbfs),
            format!("{:.0}", finding.held_db),
            format!("{:.2}", finding.correlation),
            finding.partials.to_string(),
            match &finding.nearest {
                Some((name, distance)) => format!("{distance:.1} {name}"),
                None => String::new(),
            },
            finding.problems.join("; "),
        ]
    };
    let rows: Vec<[String; 9]> = findings.iter().map(row).collect();
    let head = [
        "NAME", "CATEGORY", "LUFS", "PEAK", "HELD", "STEREO", "PARTIALS", "NEAREST", "PROBLEMS",
    ];
    table::aligned(&head, &rows, None)
}
