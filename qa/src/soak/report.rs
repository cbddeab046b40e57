//! The report of a soak, made from its journal; the fields are the keys of `report.json`, described in
//! `docs/SOAK.md`.

use super::finding::{Blame, Finding};
use super::journal::{Begin, Line, Run, SCHEMA, Sample};
use super::watch::{OUTSTANDING, SENSITIVITY};
use myriad_player::atomic_file::write_with;
use myriad_player::failure::Failure;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// By how many bytes the memory of the process, and that of the GPU, may grow.
pub(super) const MOST_GROWTH: f64 = 10.0 * MEBIBYTE;

/// What an NVIDIA driver keeps after every loss and return of a GPU, 2 to 12 MiB as measured, where it is in this process and not
/// in the render service's.
pub(super) const DRIVERS_SHARE: f64 = if cfg!(target_os = "linux") { 0.0 } else { 12.0 * MEBIBYTE };

pub(super) const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Findings of each blame that are kept, and as many after them, spread over the time. The rest is
/// counted, and is in the journal. A machine that stalls all the time makes thousands.
const MOST_FINDINGS: usize = 1_000;

/// Samples of a run before its memory counts: its first tenth, but at least these.
const WARM_UP: usize = 10;

/// At least these, or half of a shorter run, before that of this process counts: until about then there is more to play than ever before,
/// and voices take memory when they are first needed.
const OWN_WARM_UP: usize = 120;

/// The outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Nothing was found.
    #[default]
    Clean,
    /// Only faults of the machine, or injected ones, were found.
    Disturbed,
    /// A fault of Myriad was found.
    Faulty,
}

impl Verdict {
    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Disturbed => "disturbed",
            Verdict::Faulty => "faulty",
        }
    }
}

/// The results of a soak.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Report {
    pub schema: u32,
    pub verdict: Verdict,
    /// Seconds played.
    pub seconds: f64,
    /// Whether all that was asked for was played.
    pub complete: bool,
    pub settings: Option<Begin>,
    #[serde(rename = "legs")]
    pub runs: Vec<Run>,
    /// Findings by kind, and below by blame.
    pub counts: BTreeMap<&'static str, usize>,
    pub myriads: usize,
    pub machines: usize,
    pub injected: usize,
    /// The smallest step that is found as a click in steady sound, and by which factor it must stand
    /// out of bright sound.
    pub sensitivity: f32,
    pub outstanding: f32,
    /// The share of the time (of the last run) in which steps of that size were found; elsewhere
    /// the sound itself had transients, and only larger ones were.
    pub keenness: f64,
    /// Scenes by name.
    pub scenes: BTreeMap<String, u64>,
    pub faults_injected: BTreeMap<String, u64>,
    /// The most bytes that a run grew by after it had warmed up, where the system reports it.
    pub memory_growth: Option<f64>,
    pub gpu_memory_growth: Option<f64>,
    pub frames: u64,
    /// Frames that were compared with the reference.
    pub frames_compared: u64,
    pub underruns: u64,
    /// Underruns by their cause.
    pub causes: BTreeMap<String, usize>,
    /// The longest stall of a processor, where it could be measured.
    pub standstill_ms: Option<f64>,
    pub slow_blocks: u64,
    pub losses: u64,
    pub returns: u64,
    pub onsets: u64,
    pub latest_onset: i64,
    pub findings: Vec<Finding>,
    pub notes: Vec<Note>,
    pub samples: Vec<Sample>,
    /// The number of the next scene.
    #[serde(skip)]
    pub(super) next_scene: u64,
    /// Sums of the runs before this one.
    #[serde(skip)]
    past: Sample,
    /// Samples before this run.
    #[serde(skip)]
    run_start: usize,
    /// By how much memory grew in earlier runs, and that of the GPU.
    #[serde(skip)]
    past_growth: [Option<f64>; 2],
}

/// An event that is no finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Note {
    pub seconds: f64,
    pub text: String,
}

impl Report {
    pub(super) fn new() -> Self {
        Self {
            schema: SCHEMA,
            sensitivity: SENSITIVITY,
            outstanding: OUTSTANDING,
            ..Self::default()
        }
    }

    /// Adds a line of the journal.
    pub(super) fn add(&mut self, line: &Line) {
        match line {
            Line::Begin(begin) => self.settings = Some(begin.clone()),
            Line::Run(run) => {
                self.runs.push(run.clone());
                self.complete = false;
                self.run_start = self.samples.len();
                self.past_growth = [self.memory_growth, self.gpu_memory_growth];
                self.past = Sample {
                    frames_asked: self.frames,
                    frames_compared: self.frames_compared,
                    underruns: self.underruns,
                    slow_blocks: self.slow_blocks,
                    losses: self.losses,
                    returns: self.returns,
                    onsets: self.onsets,
                    ..Sample::default()
                };
            }
            Line::Scene { number, name, .. } => {
                *self.scenes.entry(name.clone()).or_default() += 1;
                self.next_scene = number + 1;
            }
            Line::Sample(sample) => self.add_sample(sample),
            Line::Finding(finding) => self.add_finding(finding),
            Line::Injected { seconds, fault } => {
                *self.faults_injected.entry(fault.clone()).or_default() += 1;
                self.note(*seconds, format!("on purpose: {fault}"));
            }
            Line::Note { seconds, text } => self.note(*seconds, text.clone()),
            Line::End { seconds, why } => {
                self.seconds = *seconds;
                self.complete = why == "complete";
            }
        }
    }

    fn note(&mut self, seconds: f64, text: String) {
        self.notes.push(Note { seconds, text });
    }

    fn add_finding(&mut self, finding: &Finding) {
        *self.counts.entry(finding.kind.name()).or_default() += 1;
        if let Some(cause) = &finding.cause {
            *self.causes.entry(cause.clone()).or_default() += 1;
        }
        let interval = self.asked() / MOST_FINDINGS as f64;
        let count = match finding.blame {
            Blame::Myriad => &mut self.myriads,
            Blame::Machine => &mut self.machines,
            Blame::Injected => &mut self.injected,
        };
        *count += 1;
        let apart = |last: &Finding| finding.seconds >= last.seconds + interval;
        let mut kept = self.findings.iter().rev();
        let last = kept.find(|kept| kept.blame == finding.blame);
        if *count <= MOST_FINDINGS || last.is_none_or(apart) {
            self.findings.push(finding.clone());
        }
        self.verdict = match (self.myriads, self.machines, self.injected) {
            (0, 0, 0) => Verdict::Clean,
            (0, ..) => Verdict::Disturbed,
            _ => Verdict::Faulty,
        };
    }

    fn add_sample(&mut self, sample: &Sample) {
        self.seconds = sample.seconds;
        self.frames = self.past.frames_asked + sample.frames_asked;
        self.frames_compared = self.past.frames_compared + sample.frames_compared;
        self.underruns = self.past.underruns + sample.underruns;
        self.slow_blocks = self.past.slow_blocks + sample.slow_blocks;
        self.losses = self.past.losses + sample.losses;
        self.returns = self.past.returns + sample.returns;
        self.onsets = self.past.onsets + sample.onsets;
        self.latest_onset = self.latest_onset.max(sample.latest_onset);
        self.keenness = sample.keenness;
        self.samples.push(sample.clone());
        let run = &self.samples[self.run_start..];
        let memory = |sample: &Sample| sample.memory_bytes.map(|bytes| bytes as f64);
        // The memory of other programs does not count, where the driver tells it apart.
        let gpu = |sample: &Sample| {
            let gpu = sample.gpu.as_ref()?;
            gpu.own_memory_bytes.or(gpu.memory_bytes).map(|bytes| bytes as f64)
        };
        let most = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.standstill_ms = most(self.standstill_ms, sample.standstill_ms);
        let own_warm_up = (run.len() / 2).clamp(WARM_UP, OWN_WARM_UP);
        // Of this run as it stands now: its beginning is longer with every sample.
        self.memory_growth = most(self.past_growth[0], growth(run, own_warm_up, memory));
        self.gpu_memory_growth = most(self.past_growth[1], growth(run, WARM_UP, gpu));
    }

    /// The seconds that were to be played.
    pub(super) fn asked(&self) -> f64 {
        self.settings.as_ref().map_or(0.0, |begin| begin.seconds)
    }

    /// How many findings there are, of any blame.
    pub(super) fn found(&self) -> usize {
        self.myriads + self.machines + self.injected
    }

    /// How many clips there are.
    pub(super) fn clips(&self) -> usize {
        let with = |finding: &&Finding| finding.clip.is_some();
        self.findings.iter().filter(with).count()
    }

    /// Writes `report.json` and `report.html`.
    pub(super) fn save(&self, folder: &Path) -> Result<(), Failure> {
        // Written in pieces, because a copy of the report in memory would count as growth.
        let json = folder.join("report.json");
        let written = write_with(&json, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            file.write_all(b"\n")
        });
        written.map_err(|error| Failure::failed(format!("{}: {error}", json.display())))?;
        let page = folder.join("report.html");
        write_with(&page, |file| super::page::draw(self, folder, file))
            .map_err(|error| Failure::failed(format!("{}: {error}", page.display())))
    }

    /// The report without the samples and notes.
    pub(super) fn short(&self) -> Self {
        Self { samples: Vec::new(), notes: Vec::new(), ..self.clone() }
    }
}

/// By how much a figure grew after the run's first tenth, or its first `warm_up` samples, in which everything is allocated.
fn growth(run: &[Sample], warm_up: usize, figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
    let warm = (run.len() / 10).max(warm_up);
    let (before, after) = run.split_at_checked(warm)?;
    let settled = before.iter().filter_map(&figure).reduce(f64::max)?;
    let last = after.iter().filter_map(&figure).next_back()?;
    Some((last - settled).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(report: &mut Report, memory: impl Iterator<Item = usize>) {
        for bytes in memory {
            let sample = Sample { memory_bytes: Some(bytes << 20), ..Sample::default() };
            report.add(&Line::Sample(Box::new(sample)));
        }
    }

    /// What is allocated once, while the first patches are played, is no leak; what goes on growing is.
    #[test]
    fn memory_counts_from_the_warm_up_on() {
        let mut report = Report::new();
        play(&mut report, (0..400).map(|n| 100 + n.min(30)));
        assert_eq!(report.memory_growth, Some(0.0));
        let mut report = Report::new();
        play(&mut report, 100..600);
        assert!(report.memory_growth.is_some_and(|bytes| bytes > 300.0 * MEBIBYTE));
    }
}
