//! Plays and measures patches, so that a large library can be trusted without listening to all of it
//! again after a change.

mod measure;
mod sheet;
mod touch;

use crate::machine::cores;
use measure::{Fingerprint, Listener};
use myriad_engine::Patch;
use serde::Serialize;
pub use sheet::draw_sheet;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use touch::Touch;

/// How far a patch's loudness may be from the median of its category.
const LOUDNESS_TOLERANCE_LU: f64 = 2.0;
/// The least mean difference between the spectra of two patches.
const NEAREST_DB: f32 = 1.5;
/// The least that a macro must change.
const MACRO_DB: f32 = 0.4;

/// The measurements of a patch; the fields are the keys of `--json`.
#[derive(Serialize)]
pub struct Finding {
    pub name: String,
    pub category: String,
    /// Of a short phrase at velocity 80, after EBU R 128.
    pub loudness_lufs: Option<f64>,
    /// Of eight notes at full velocity.
    pub peak_dbfs: f32,
    /// The level of a held note after three seconds, relative to its loudest.
    pub held_db: f32,
    /// Of left and right: 1 is mono, 0 unrelated, -1 inverted.
    pub correlation: f32,
    /// How many decibels louder a note of velocity 110 is than one of velocity 40.
    pub velocity_db: f32,
    /// How many octaves higher the centre of its spectrum is.
    pub velocity_octaves: f32,
    /// The mean difference that the modulation wheel and pressure make, in decibels.
    pub wheel_db: f32,
    pub pressure_db: f32,
    /// Of one note.
    pub partials: usize,
    /// The most similar patch, and its distance in decibels.
    pub nearest: Option<(String, f32)>,
    pub problems: Vec<String>,
    #[serde(skip)]
    fingerprint: Fingerprint,
    #[serde(skip)]
    picture: Vec<f32>,
}

/// Measures every patch, by itself and against the others. The result is sorted by category and name.
pub fn audit(patches: &[&Patch]) -> Vec<Finding> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(patch) = patches.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push(measure(patch));
        }
        found
    };
    let mut findings: Vec<Finding> = std::thread::scope(|scope| {
        // This thread works too, so threads that cannot be started only cost time.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..cores()).filter_map(start).collect();
        let own = work();
        let finished = workers.into_iter().filter_map(|worker| worker.join().ok());
        finished.flatten().chain(own).collect()
    });
    findings.sort_by(|a, b| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
    compare(&mut findings);
    findings
}

/// Whether held notes of a category sustain (true) or decay (false); none where both are fine.
fn sustains(category: &str) -> Option<bool> {
    match category {
        "keys" | "pluck" | "bell" | "percussion" => Some(false),
        "pad" | "organ" | "strings" | "voices" | "brass" | "winds" | "drone" | "lead" => Some(true),
        _ => None,
    }
}

fn measure(patch: &Patch) -> Finding {
    let mut problems = Vec::new();
    let listener = Listener::new(patch);
    let silent: Vec<u8> = listener.silent_keys();
    if patch.category == "kit" {
        problems.extend(missing_drums(patch));
    }
    if !silent.is_empty() {
        problems.push(format!("silent at keys {silent:?}"));
    }
    let phrase = listener.phrase();
    let (peak_dbfs, dc_offset) = listener.chord();
    if peak_dbfs > -0.2 {
        problems.push(format!("clips at {peak_dbfs:.1} dBFS"));
    }
    if dc_offset > 1e-3 {
        problems.push(format!("DC offset of {dc_offset:.4}"));
    }
    let held = listener.held();
    match sustains(&patch.category) {
        Some(true) if held.left_db < -15.0 => {
            problems.push(format!("dies away by {:.0} dB while held", -held.left_db));
        }
        Some(false) if held.left_db > -6.0 => problems.push("does not die away".to_owned()),
        _ => {}
    }
    if held.click > 1.0 {
        problems.push("clicks when the key is released".to_owned());
    }
    if phrase.correlation < -0.3 {
        let correlation = phrase.correlation;
        problems.push(format!("stereo correlation of {correlation:.2}"));
    }
    if phrase.balance_db.abs() > 3.0 {
        problems.push(format!("off centre by {:.1} dB", phrase.balance_db));
    }
    let keys = touch::keys(patch);
    let touches: Vec<Touch> = keys.iter().map(|&key| Touch::measure(patch, key)).collect();
    for (key, touch) in keys.iter().zip(&touches) {
        let found = touch.problems(&patch.category).into_iter();
        problems.extend(found.map(|problem| match patch.key_zones.is_empty() {
            true => problem,
            false => format!("key {key}: {problem}"),
        }));
    }
    // Of a kit, that of the zone in the middle.
    let touch = middle(touches, |touch| touch.louder_db);
    if patch.macro_names.iter().all(String::is_empty) {
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
        velocity_db: touch.louder_db,
        velocity_octaves: touch.brighter,
        wheel_db: touch.wheel_db,
        pressure_db: touch.pressure_db,
        partials: held.partials,
        nearest: None,
        problems,
        fingerprint: phrase.fingerprint,
        picture: phrase.picture,
    }
}

/// The keys of the General MIDI drum map that a kit does not have.
fn missing_drums(kit: &Patch) -> Option<String> {
    let has = |key: &u8| kit.key_zones.iter().any(|zone| zone.contains(*key));
    let missing: Vec<u8> = (35..=81).filter(|key| !has(key)).collect();
    (!missing.is_empty()).then(|| format!("no drum on keys {missing:?}"))
}

/// The one in the middle of the order of `value`. There is at least one.
fn middle<T>(mut all: Vec<T>, value: impl Fn(&T) -> f32) -> T {
    all.sort_by(|a, b| value(a).total_cmp(&value(b)));
    all.swap_remove(all.len() / 2)
}

/// Adds the problems that only show against other patches: loudness within a category, and likeness.
fn compare(findings: &mut [Finding]) {
    let mut levels: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for finding in findings.iter() {
        let of = levels.entry(finding.category.clone()).or_default();
        of.extend(finding.loudness_lufs);
    }
    for levels in levels.values_mut() {
        levels.sort_by(f64::total_cmp);
    }
    for index in 0..findings.len() {
        let own = &findings[index].fingerprint;
        let others = findings.iter().enumerate().filter(|(at, _)| *at != index);
        let nearest = others
            .map(|(_, other)| (other.name.clone(), own.distance(&other.fingerprint)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let finding = &mut findings[index];
        let levels = levels.get(&finding.category);
        let median = levels.and_then(|levels| levels.get(levels.len() / 2));
        match (finding.loudness_lufs, median) {
            (Some(own), Some(median)) if (own - median).abs() > LOUDNESS_TOLERANCE_LU => {
                let problem = format!("{:+.1} LU from its category", own - median);
                finding.problems.push(problem);
            }
            (None, _) => finding.problems.push("too quiet to measure".to_owned()),
            _ => {}
        }
        if let Some((name, distance)) = &nearest
            && *distance < NEAREST_DB
        {
            finding.problems.push(format!("like {name}"));
        }
        finding.nearest = nearest;
    }
}
