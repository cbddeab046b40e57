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
                                    measure every patch, and draw their spectrograms
  myriad patches --export-pack pads.zip --category pad
                                    those of your patches as one file
  myriad patches --import-pack pads.zip
                                    add the patches of such a file to yours";

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

    /// List one folder of your patches only
    #[arg(short, long, value_name = "NAME", conflicts_with = "patch")]
    folder: Option<String>,

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

    /// Write your patches (or those of a category or folder, or one patch) as one file
    #[arg(long, value_name = "FILE.zip", conflicts_with_all = ["audit", "toml", "json"])]
    export_pack: Option<PathBuf>,

    /// Add the patches of such a file to yours, in a folder of its name
    #[arg(
        long,
        value_name = "FILE.zip",
        conflicts_with_all = ["patch", "category", "folder", "audit", "json", "export_pack"]
    )]
    import_pack: Option<PathBuf>,
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
    /// The folder of that file, below that of all patches.
    folder: &'a str,
}

impl<'a> From<&'a Entry> for Row<'a> {
    fn from(Entry { patch, file, folder }: &'a Entry) -> Self {
        Self {
            name: &patch.name,
            category: &patch.category,
            author: &patch.author,
            description: &patch.description,
            tags: &patch.tags,
            file: file.as_deref(),
            folder,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.audit {
        return audit(args);
    }
    if let Some(file) = &args.export_pack {
        return export_pack(args, file);
    }
    if let Some(file) = &args.import_pack {
        let mut library = Library::open(Library::user_folder());
        let report = library.import_pack(file).map_err(Failure::failed)?;
        return terminal::print(&format!("{}\n", report.sentence()));
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
            let listed = list(&library, args)?;
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
            let listed = list(&factory, args)?;
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

/// Writes a pack: one patch, or the user's own of a category, a folder, or all of them.
fn export_pack(args: &Args, file: &Path) -> Result<(), Failure> {
    let library = Library::open(Library::user_folder());
    let one = args.patch.as_deref().map(library::resolve).transpose()?;
    let one = one.map(|patch| Entry::factory(&patch));
    let entries: Vec<&Entry> = match &one {
        Some(entry) => vec![entry],
        None => {
            // Whoever gives a pack to others would not miss what is not in it.
            if let Some(line) = library.unreadable().first() {
                return Err(Failure::failed(line));
            }
            let listed = list(&library, args)?;
            listed.into_iter().filter(|entry| entry.file.is_some()).collect()
        }
    };
    if entries.is_empty() {
        return Err(Failure::misuse("none of your own patches; save some, or name one"));
    }
    library::write_pack(&entries, file).map_err(Failure::failed)?;
    let count = match entries.len() {
        1 => "1 patch".to_owned(),
        count => format!("{count} patches"),
    };
    terminal::print(&format!("{count} written to {}\n", file.display()))
}

/// The patches of a category and a folder, or all.
fn list<'a>(library: &'a Library, args: &Args) -> Result<Vec<&'a Entry>, Failure> {
    let mut entries: Vec<&Entry> = library.entries().iter().collect();
    if let Some(wanted) = &args.folder {
        let wanted = wanted.trim().trim_end_matches('/');
        let in_it = |entry: &&Entry| {
            let folder = entry.folder.strip_prefix(wanted);
            entry.file.is_some()
                && folder.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let known = library.folders().join(", ");
        entries.retain(in_it);
        if entries.is_empty() {
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let text = format!("no folder of your patches is called '{wanted}'; there are {known}");
            return Err(Failure::misuse(text));
        }
    }
    let Some(wanted) = &args.category else {
        return Ok(entries);
    };
    let known: BTreeSet<&str> = entries.iter().map(|entry| entry.patch.category.as_str()).collect();
    entries.retain(|entry| entry.patch.category.eq_ignore_ascii_case(wanted.trim()));
    if entries.is_empty() {
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
