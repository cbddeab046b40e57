//! `myriad patches`: lists, shows and audits patches.

mod show;
mod table;

use myriad_engine::Patch;
use myriad_library::{self as library, Entry, Library};
use myriad_player::audit::{self, Finding};
use myriad_player::failure::Failure;
use myriad_player::terminal;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  myriad patches                    all patches, those that you have saved too
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
struct Row<'a> {
    name: &'a str,
    category: &'a str,
    author: &'a str,
    description: &'a str,
    tags: &'a [String],
    /// Of a patch that the user has saved.
    file: Option<&'a Path>,
}

impl<'a> From<&'a Entry> for Row<'a> {
    fn from(Entry { patch, file }: &'a Entry) -> Self {
        Self {
            name: &patch.name,
            category: &patch.category,
            author: &patch.author,
            description: &patch.description,
            tags: &patch.tags,
            file: file.as_deref(),
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
            let library = Library::open(Library::user_folder());
            let listed = list(&library, args.category.as_deref())?;
            let rows: Vec<Row<'_>> = listed.into_iter().map(Row::from).collect();
            match args.json {
                true => terminal::print_json(&rows),
                false => terminal::print(&to_text(&rows)),
            }
        }
    }
}

/// Audits one patch, or the factory patches of a category, or all of them.
fn audit(args: &Args) -> Result<(), Failure> {
    let named = args.patch.as_deref().map(library::resolve).transpose()?;
    let factory = Library::open(None);
    let patches: Vec<&Patch> = match &named {
        Some(patch) => vec![patch],
        None => {
            let listed = list(&factory, args.category.as_deref())?;
            listed.into_iter().map(|entry| &entry.patch).collect()
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
fn list<'a>(library: &'a Library, category: Option<&str>) -> Result<Vec<&'a Entry>, Failure> {
    let all = library.entries().iter();
    let Some(wanted) = category else {
        return Ok(all.collect());
    };
    let is_wanted = |entry: &&Entry| entry.patch.category.eq_ignore_ascii_case(wanted.trim());
    let entries: Vec<&Entry> = all.clone().filter(is_wanted).collect();
    if entries.is_empty() {
        let known: BTreeSet<&str> = all.map(|entry| entry.patch.category.as_str()).collect();
        let known = Vec::from_iter(known).join(", ");
        return Err(Failure::misuse(format!(
            "no category is called '{wanted}'; there are {known}"
        )));
    }
    Ok(entries)
}

fn to_text(rows: &[Row<'_>]) -> String {
    let cells = |row: &Row<'_>| {
        let tags = row.tags.join(", ");
        [row.name, row.category, row.description, &tags].map(str::to_owned)
    };
    let rows: Vec<[String; 4]> = rows.iter().map(cells).collect();
    table::aligned(&["NAME", "CATEGORY", "DESCRIPTION", "TAGS"], &rows, terminal::width())
}
