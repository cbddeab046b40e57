//! The journal: one JSON object a line, written when it happens. The report is made from it alone,
//! so a soak that crashes has lost nothing, and one that was stopped can go on.

use super::finding::Finding;
use crate::failure::Failure;
use crate::gpu::GpuFigures;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What `schema` says. A change that takes or redefines a field raises it; new fields do not.
pub(super) const SCHEMA: u32 = 1;

/// The journal's name in a report's folder.
pub(super) const FILE: &str = "journal.jsonl";

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub(crate) enum Line {
    /// What is to be done. The first line.
    Begin(Begin),
    /// A leg begins: the first, and one each time that it goes on.
    Leg(Leg),
    /// A scene begins.
    Scene {
        seconds: f64,
        number: u64,
        name: String,
        /// The first patch that is played in it.
        patch: Option<String>,
    },
    /// How things are, now and then.
    Sample(Box<Sample>),
    /// Something that should not have happened.
    Finding(Finding),
    /// Something was done on purpose.
    Injected { seconds: f64, fault: String },
    /// Something to be known: a card that came back, a device that went away.
    Note { seconds: f64, text: String },
    /// A leg ends.
    End(End),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub(crate) schema: u32,
    /// Of Myriad.
    pub(crate) version: String,
    pub(crate) seed: u64,
    /// How long to play, in seconds.
    pub(crate) seconds: f64,
    /// `virtual`, `clock`, `jack` or `default`.
    pub(crate) device: String,
    /// As asked for.
    pub(crate) renderer: String,
    pub(crate) card: usize,
    /// Frames a block, and frames kept ready, when the user decided.
    pub(crate) buffer: Option<u32>,
    pub(crate) depth: Option<u32>,
    pub(crate) rate: Option<u32>,
    /// Whether no thread sleeps.
    pub(crate) awake: bool,
    /// Where load ramps end.
    pub(crate) load: [usize; 2],
    pub(crate) inject: Vec<String>,
}

/// A stretch of playing without a break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Leg {
    /// When, in UTC.
    pub(crate) date: String,
    /// Seconds of play before it.
    pub(crate) seconds: f64,
    /// Its first scene.
    pub(crate) scene: u64,
    pub(crate) machine: String,
    pub(crate) host: String,
    pub(crate) device: String,
    pub(crate) rate: u32,
    pub(crate) block: usize,
    /// Frames from an event to its sound.
    pub(crate) latency: u64,
}

/// How things are. Times and counts are of the soak so far, shares of the time since the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) seconds: f64,
    /// Seconds that this leg took, by the clock.
    pub(crate) wall_seconds: f64,
    pub(crate) voices: usize,
    pub(crate) partials: usize,
    pub(crate) renderer: String,
    /// Blocks since the last sample, and their time as a share of what they sound: the median, and
    /// what 99% and 99.9% stayed below.
    pub(crate) blocks: u64,
    pub(crate) load_median: f32,
    pub(crate) load_99: f32,
    pub(crate) load_999: f32,
    pub(crate) slow_blocks: u64,
    pub(crate) underruns: u64,
    pub(crate) xruns: u64,
    pub(crate) frames_asked: u64,
    pub(crate) frames_heard: u64,
    /// How much faster the device's clock runs than this machine's, in parts of a million.
    pub(crate) drift_ppm: Option<f64>,
    pub(crate) peak: f32,
    pub(crate) memory_bytes: Option<usize>,
    /// Of one core, by us.
    pub(crate) cpu: Option<f32>,
    /// Taken by the hypervisor, in cores.
    pub(crate) steal: Option<f32>,
    /// The share of its time that a processor lost, and the longest that it stood still, in
    /// milliseconds, where witnesses could see it.
    pub(crate) lost: Option<f64>,
    pub(crate) standstill_ms: Option<f64>,
    pub(crate) losses: u64,
    pub(crate) returns: u64,
    /// Notes out of silence that were on time, and the latest of them in frames.
    pub(crate) onsets: u64,
    pub(crate) latest_onset: i64,
    /// The share of this leg in which clicks of the smallest size were found.
    pub(crate) keenness: f64,
    pub(crate) gpu: Option<GpuFigures>,
}

/// Why a leg ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) seconds: f64,
    /// `complete`, `stopped` by the user, or `broken` when nothing could be played any more.
    pub(crate) why: String,
}

/// A journal that is being written.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins or continues the journal in `folder`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let fail = |error| Failure::failed(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(fail)?;
        let mut options = File::options();
        let mut file = options
            .create(true)
            .append(true)
            .open(&path)
            .map_err(fail)?;
        // What a crash has cut short stays a line of its own.
        if file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
            file.write_all(b"\n").map_err(fail)?;
        }
        Ok(Self { file, path })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub(super) fn write(&mut self, line: &Line) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(Failure::failed)? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| Failure::failed(format!("{}: {error}", self.path.display())))
    }
}

/// Reads a journal. Lines that were cut short by a crash are left out.
///
/// # Errors
/// When there is none, or it is not one.
pub(super) fn read(folder: &Path) -> Result<Vec<Line>, Failure> {
    let path = folder.join(FILE);
    let fail = |reason: String| Failure::failed(format!("{}: {reason}", path.display()));
    let file = File::open(&path).map_err(|error| fail(error.to_string()))?;
    let mut lines = Vec::new();
    let texts: Result<Vec<String>, _> = BufReader::new(file).lines().collect();
    let texts = texts.map_err(|error| fail(error.to_string()))?;
    for (number, text) in texts.iter().enumerate() {
        match serde_json::from_str(text) {
            _ if text.is_empty() => {}
            Ok(line) => lines.push(line),
            // Cut short: it is the last one, or an empty one follows, with which a leg begins.
            Err(_) if texts.get(number + 1).is_none_or(String::is_empty) => {}
            Err(error) => return Err(fail(format!("line {}: {error}", number + 1))),
        }
    }
    match lines.first() {
        Some(Line::Begin(begin)) if begin.schema == SCHEMA => Ok(lines),
        Some(Line::Begin(begin)) => Err(fail(format!(
            "has schema {}, and this version reads schema {SCHEMA}",
            begin.schema
        ))),
        _ => Err(fail("not the journal of a soak".to_owned())),
    }
}
