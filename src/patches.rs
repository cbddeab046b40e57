//! `myriad patches`: lists, shows and audits patches.

mod show;
mod table;

use myriad_engine::{Patch, factory};
use myriad_player::audit::{self, Finding};
use myriad_player::failure::Failure;
use myriad_player::library;
use myriad_player::terminal;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  myriad patches                    all factory patches
  myriad patches --category bass    those of one category
  myriad patches 'Crystal Rain'     the parameters of one
  myriad patches 'Crystal Rain' --toml > mine.toml
                                    a copy to edit
  myriad patches mine.toml          the parameters of a file, and its errors
  myriad patches --audit --sheet all.png
                                    measure every patch, and draw their spectrograms";

/// List the patches, or show one
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show this patch
    #[arg(value_name = "NAME|FILE")]
    patch: Option<String>,

    /// List one category only
    #[arg(short, long, value_name = "NAME", conflicts_with = "patch")]
    category: Option<String>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    /// Print the patch as a file to edit
    #[arg(long, requires = "patch", conflicts_with = "json")]
    toml: bool,

    /// Measure range, loudness, clipping, decay, stereo, touch, macros and likeness
    #[arg(long, conflicts_with = "toml")]
    audit: bool,

    /// Draw a spectrogram of every patch that is audited
    #[arg(long, value_name = "FILE.png", requires = "audit")]
    sheet: Option<PathBuf>,
}

/// A patch in a list; the fields are the keys of `--json`.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    category: &'static str,
    author: &'static str,
    description: &'static str,
    tags: &'static [String],
}

impl From<&'static Patch> for Entry {
    fn from(patch: &'static Patch) -> Self {
        Self {
            name: &patch.name,
            category: &patch.category,
            author: &patch.author,
            description: &patch.description,
            tags: &patch.tags,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.audit {
        return audit(args);
    }
    match &args.patch {
        Some(request) => {
            let patch = library::resolve(request)?;
            match (args.json, args.toml) {
                (true, _) => terminal::print_json(&show::to_json(&patch)?),
                (_, true) => terminal::print(&patch.to_toml()),
                _ => terminal::print(&show::to_text(&patch)),
            }
        }
        None => {
            let entries = list(args.category.as_deref())?;
            match args.json {
                true => terminal::print_json(&entries),
                false => terminal::print(&to_text(&entries)),
            }
        }
    }
}

/// Audits one patch, a category, or all.
fn audit(args: &Args) -> Result<(), Failure> {
    let named = args.patch.as_deref().map(library::resolve).transpose()?;
    let patches: Vec<&Patch> = match &named {
        Some(patch) => vec![patch],
        None => {
            let listed = list(args.category.as_deref())?;
            let listed = |patch: &&Patch| listed.iter().any(|entry| entry.name == patch.name);
            factory::patches().iter().filter(listed).collect()
        }
    };
    let findings = audit::audit(&patches);
    if let Some(path) = &args.sheet {
        audit::draw_sheet(&findings, path).map_err(Failure::failed)?;
    }
    match args.json {
        true => terminal::print_json(&findings)?,
        false => terminal::print(&audit_text(&findings))?,
    }
    let count = findings.len();
    match findings.iter().filter(|f| !f.problems.is_empty()).count() {
        0 => Ok(()),
        wrong => Err(Failure::failed(format!("{wrong} of {count} patches have problems"))),
    }
}

fn audit_text(findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let loudness = finding.loudness_lufs.map(|level| format!("{level:.1}"));
        let nearest = finding.nearest.as_ref();
        [
            finding.name.clone(),
            finding.category.clone(),
            loudness.unwrap_or_default(),
            format!("{:.1}", finding.peak_dbfs),
            format!("{:.0}", finding.held_db),
            format!("{:.2}", finding.correlation),
            format!("{:.1}", finding.velocity_db),
            format!("{:+.2}", finding.velocity_octaves),
            format!("{:.1}", finding.wheel_db),
            format!("{:.1}", finding.pressure_db),
            finding.partials.to_string(),
            nearest.map_or_else(String::new, |(name, distance)| format!("{distance:.1} {name}")),
            finding.problems.join("; "),
        ]
    };
    let rows: Vec<[String; 13]> = findings.iter().map(row).collect();
    let head = [
        "NAME", "CATEGORY", "LUFS", "PEAK", "HELD", "STEREO", "VELOCITY", "BRIGHTER", "WHEEL",
        "PRESSURE", "PARTIALS", "NEAREST", "PROBLEMS",
    ];
    table::aligned(&head, &rows, None)
}

/// The patches of a category, or all.
fn list(category: Option<&str>) -> Result<Vec<Entry>, Failure> {
    let all = factory::patches().iter().map(Entry::from);
    let Some(wanted) = category else {
        return Ok(all.collect());
    };
    let entries: Vec<Entry> =
        all.filter(|entry| entry.category.eq_ignore_ascii_case(wanted.trim())).collect();
    if entries.is_empty() {
        let categories = factory::patches().iter().map(|patch| patch.category.as_str());
        let known: BTreeSet<&str> = categories.collect();
        let known = Vec::from_iter(known).join(", ");
        return Err(Failure::misuse(format!(
            "no category is called '{wanted}'; there are {known}"
        )));
    }
    Ok(entries)
}

fn to_text(entries: &[Entry]) -> String {
    let row = |entry: &Entry| {
        let tags = entry.tags.join(", ");
        [entry.name, entry.category, entry.description, &tags].map(str::to_owned)
    };
    let rows: Vec<[String; 4]> = entries.iter().map(row).collect();
    table::aligned(&["NAME", "CATEGORY", "DESCRIPTION", "TAGS"], &rows, terminal::width())
}
