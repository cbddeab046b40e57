//! `myriad patches`: what there is to play, and what a patch is made of.

mod audit;
mod show;
mod table;

use myriad_engine::{Patch, factory};
use myriad_player::failure::Failure;
use myriad_player::library;
use myriad_player::terminal;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  myriad patches                    all patches that come with Myriad
  myriad patches --category bass    those of one category
  myriad patches 'Crystal Rain'     what one is made of
  myriad patches 'Crystal Rain' --toml > mine.toml
                                    a copy to change
  myriad patches mine.toml          what yours is made of, and whether it is sound
  myriad patches --audit --sheet all.png
                                    play and measure every patch, and draw them all";

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

    /// Print the patch as a file to start one of your own from
    #[arg(long, requires = "patch", conflicts_with = "json")]
    toml: bool,

    /// Play and measure: range, loudness, clipping, decay, stereo, velocity, macros, likeness
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

/// Runs the command.
///
/// # Errors
/// When there is no such patch or category.
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
    let sheet = args.sheet.as_deref();
    if let Some(request) = &args.patch {
        let patch = library::resolve(request)?;
        return audit::run(&[&patch], args.json, sheet);
    }
    let wanted = list(args.category.as_deref())?;
    let wanted = |patch: &&Patch| wanted.iter().any(|entry| entry.name == patch.name);
    let patches: Vec<&Patch> = factory::patches().iter().filter(wanted).collect();
    audit::run(&patches, args.json, sheet)
}

/// The patches of a category, or all.
fn list(category: Option<&str>) -> Result<Vec<Entry>, Failure> {
    let all = factory::patches().iter().map(Entry::from);
    let Some(wanted) = category else {
        return Ok(all.collect());
    };
    let entries: Vec<Entry> = all
        .filter(|entry| entry.category.eq_ignore_ascii_case(wanted.trim()))
        .collect();
    if entries.is_empty() {
        let categories = factory::patches()
            .iter()
            .map(|patch| patch.category.as_str());
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
    table::aligned(
        &["NAME", "CATEGORY", "DESCRIPTION", "TAGS"],
        &rows,
        terminal::width(),
    )
}
