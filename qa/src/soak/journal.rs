//! The journal: one JSON object a line, written at once. The report is made from it alone, so a soak
//! that crashes loses nothing, and one that was stopped can be resumed.

use super::finding::Finding;
use myriad_player::failure::Failure;
use myriad_player::gpu::GpuFigures;
use myriad_player::input;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The value of `schema`. It is raised when a field is removed or redefined, not for a new field.
pub(super) const SCHEMA: u32 = 1;

/// The longest soak: as many hours and minutes as the options accept.
const MOST_SECONDS: f64 = 10_000.0 * (3_600.0 + 60.0);

/// The journal's name in a report's folder.
pub(super) const FILE: &str = "journal.jsonl";

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub(crate) enum Line {
    /// The settings. The first line.
    Begin(Begin),
    /// A run begins: the first, and one each time that the soak is resumed.
    #[serde(rename = "leg", alias = "run")]
    Run(Run),
    /// A scene begins.
    Scene {
        seconds: f64,
        number: u64,
        name: String,
        /// The first patch that is played in it.
        patch: Option<String>,
    },
    /// Measurements, taken at intervals.
    Sample(Box<Sample>),
    /// Something that should not have happened.
    Finding(Finding),
    /// A fault was injected.
    Injected { seconds: f64, fault: String },
    /// Another event: a GPU that came back, a device that was lost.
    Note { seconds: f64, text: String },
    /// A run ends.
    End {
        seconds: f64,
        /// `complete`, `stopped` by the user, or `broken` when the render thread ended.
        why: String,
    },
}

/// The settings of a soak.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begin {
    pub schema: u32,
    /// Of Myriad.
    pub version: String,
    pub seed: u64,
    /// How long to play, in seconds.
    pub seconds: f64,
    /// `virtual`, `clock`, `jack` or `default`.
    pub device: String,
    /// As asked for.
    pub renderer: String,
    #[serde(rename = "card", alias = "gpu")]
    pub gpu: usize,
    /// Frames a block, and frames kept ready, where the user chose them.
    pub buffer: Option<u32>,
    pub depth: Option<u32>,
    pub rate: Option<u32>,
    /// Whether threads spin instead of sleeping.
    pub awake: bool,
    /// The highest load of a ramp: voices, and partials of each.
    pub load: [usize; 2],
    pub inject: Vec<String>,
}

impl Begin {
    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let Begin { device, renderer, seed, load: [voices, partials], .. } = self;
        let minutes = self.seconds / 60.0;
        let mut command = format!(
            "myriad soak --device {device} --renderer {renderer} --seed {seed} --minutes {minutes} \
             --load {voices}x{partials}"
        );
        let numbers = [("buffer", self.buffer), ("depth", self.depth), ("rate", self.rate)];
        for (option, value) in numbers {
            command += &value.map_or(String::new(), |value| format!(" --{option} {value}"));
        }
        for fault in &self.inject {
            command += &format!(" --inject {fault}");
        }
        command
    }
}

/// Playing without a break.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// When it began, in UTC.
    pub date: String,
    /// Seconds of play before it.
    pub seconds: f64,
    /// Its first scene.
    pub scene: u64,
    pub machine: String,
    pub host: String,
    pub device: String,
    pub rate: u32,
    pub block: usize,
    /// Frames from an event to its sound.
    pub latency: u64,
}

/// Measurements. Times and counts are those of the run so far, shares those since the last sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub seconds: f64,
    /// Seconds of this run, by the clock.
    pub wall_seconds: f64,
    pub voices: usize,
    pub partials: usize,
    pub renderer: String,
    /// Blocks since the last sample, and their time as a share of what they sound: the median, and
    /// what 99% and 99.9% stayed below.
    pub blocks: u64,
    pub load_median: f32,
    pub load_99: f32,
    pub load_999: f32,
    pub slow_blocks: u64,
    pub underruns: u64,
    pub xruns: u64,
    pub frames_asked: u64,
    pub frames_heard: u64,
    /// Frames that were compared with the reference.
    #[serde(default)]
    pub frames_compared: u64,
    /// How much faster the device's clock runs than this machine's, in parts per million.
    pub drift_ppm: Option<f64>,
    pub peak: f32,
    pub memory_bytes: Option<usize>,
    /// Processor time of this process, in cores.
    pub cpu: Option<f32>,
    /// Processor time taken by the hypervisor, in cores.
    pub steal: Option<f32>,
    /// The share of its time that a processor lost, and its longest stall in milliseconds, where there
    /// are stall probes.
    pub lost: Option<f64>,
    pub standstill_ms: Option<f64>,
    pub losses: u64,
    pub returns: u64,
    /// Notes after silence that were on time, and the largest delay of one in frames.
    pub onsets: u64,
    pub latest_onset: i64,
    /// The share of this run in which clicks of the smallest size were found.
    pub keenness: f64,
    pub gpu: Option<GpuFigures>,
}

/// A journal to write to.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins or continues the journal in `folder`.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let fail = |error| Failure::failed(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(fail)?;
        let mut options = File::options();
        let mut file = options.create(true).append(true).open(&path).map_err(fail)?;
        // A line that a crash has cut short stays a line of its own.
        if file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
            file.write_all(b"\n").map_err(fail)?;
        }
        Ok(Self { file, path })
    }

    /// Adds a line.
    pub(super) fn write(&mut self, line: &Line) -> Result<(), Failure> {
        let text = serde_json::to_string(line).map_err(Failure::failed)? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| Failure::failed(format!("{}: {error}", self.path.display())))
    }
}

/// Reads a journal. Lines that were cut short by a crash are left out.
pub(super) fn read(folder: &Path) -> Result<Vec<Line>, Failure> {
    let path = folder.join(FILE);
    let fail = |reason: String| Failure::failed(format!("{}: {reason}", path.display()));
    let file = input::open(&path).map_err(|error| fail(error.to_string()))?;
    let texts: Result<Vec<String>, _> = BufReader::new(file).lines().collect();
    let texts = texts.map_err(|error| fail(error.to_string()))?;
    let mut lines = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        match serde_json::from_str(text) {
            _ if text.is_empty() => {}
            Ok(line) if !is_possible(&line) => {
                return Err(fail(format!("line {}: no soak takes so long", number + 1)));
            }
            Ok(line) => lines.push(line),
            // Cut short: it is the last line, or the empty line follows with which a run begins.
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

/// Whether the seconds of a line are some that a soak can take.
fn is_possible(line: &Line) -> bool {
    let seconds = match line {
        Line::Begin(begin) => begin.seconds,
        Line::Run(run) => run.seconds,
        Line::Sample(sample) => sample.seconds,
        Line::Finding(finding) => finding.seconds,
        Line::Scene { seconds, .. }
        | Line::Injected { seconds, .. }
        | Line::Note { seconds, .. }
        | Line::End { seconds, .. } => *seconds,
    };
    // A little more than was asked for may have been played.
    seconds.abs() <= 1.1 * MOST_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Other programs read these lines, and so does a later `--resume`.
    #[test]
    fn lines_keep_the_format_of_schema_1() {
        let lines = [
            json!({
                "line": "begin", "schema": 1, "version": "0.1.0", "seed": 7, "seconds": 60.0,
                "device": "clock", "renderer": "cuda", "card": 1, "buffer": 64, "depth": null,
                "rate": null, "awake": false, "load": [48, 48], "inject": ["gpu-loss"],
            }),
            json!({
                "line": "leg", "date": "2026-11-15T12:00:00Z", "seconds": 0.0, "scene": 0,
                "machine": "M", "host": "Clock", "device": "", "rate": 48000, "block": 64,
                "latency": 256,
            }),
            json!({ "line": "end", "seconds": 60.0, "why": "complete" }),
        ];
        for line in lines {
            let read: Line = serde_json::from_value(line.clone()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), line);
        }
    }
}
