//! The results of a run; the fields are the keys of `--json`, described in `docs/BENCH.md`.

use super::compare::Change;
use super::effects::EffectCost;
use super::figure::Figure;
use super::grid::Grid;
use super::held::Held;
use super::machine::Machine;
use super::played::{Played, PlayedCrossover};
use super::round_trip::RoundTrips;
use super::serve::Served;
use super::songs::SongSpeed;
use super::start::Start;
use myriad_player::failure::Failure;
use myriad_player::input;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The value of `schema`. It is raised when a field is removed or redefined, not for a new field.
const SCHEMA: u32 = 1;

/// The figures of a run. Sections that were not measured are null.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub schema: u32,
    /// Of Myriad.
    pub version: String,
    /// When the run began, in UTC.
    pub date: String,
    pub machine: Machine,
    pub sample_rate: f64,
    /// How long the run was to measure.
    pub seconds: f64,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// What the user should know.
    pub notes: Vec<String>,
    pub start: Option<Vec<Start>>,
    pub held: Option<Vec<Held>>,
    pub grid: Option<Grid>,
    pub round_trip: Option<RoundTrips>,
    pub played: Option<Vec<Played>>,
    /// Empty without CUDA.
    #[serde(default)]
    pub played_crossovers: Vec<PlayedCrossover>,
    #[serde(default)]
    pub songs: Option<Vec<SongSpeed>>,
    /// Only when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<EffectCost>>,
    /// Only when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serve: Option<Vec<Served>>,
    /// Against the run given by `--compare`.
    pub changes: Option<Vec<Change>>,
}

/// Which direction of a change is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    More,
    Less,
}

impl Report {
    pub(super) fn new(machine: Machine, seconds: f64, notes: Vec<String>) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            date: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
            machine,
            sample_rate: super::RATE,
            seconds,
            interrupted: false,
            notes,
            start: None,
            held: None,
            grid: None,
            round_trip: None,
            played: None,
            played_crossovers: Vec::new(),
            songs: None,
            effects: None,
            serve: None,
            changes: None,
        }
    }

    /// The date without the time.
    pub(super) fn day(&self) -> &str {
        self.date.split('T').next().unwrap_or_default()
    }

    /// The name to show for the renderer that JSON calls `id`.
    pub(super) fn name(&self, id: &str) -> String {
        match id {
            "cpu-1" => "CPU, 1 core".to_owned(),
            "cpu-all" => format!("CPU, {} cores", self.machine.cores),
            "cuda" => "CUDA".to_owned(),
            "cuda-no-graph" => "CUDA, no graph".to_owned(),
            other => other.to_owned(),
        }
    }

    /// Reads what `--json` wrote.
    pub(super) fn load(path: &Path) -> Result<Self, Failure> {
        let fail = |reason: String| Failure::failed(format!("{}: {reason}", path.display()));
        let text = input::open(path)
            .and_then(io::read_to_string)
            .map_err(|error| fail(error.to_string()))?;
        let other = || fail("not a report of `myriad bench --json`".to_owned());
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| fail(format!("not a report of `myriad bench --json`: {error}")))?;
        let schema = value.get("schema").and_then(serde_json::Value::as_u64);
        let schema = schema.ok_or_else(other)?;
        if schema != u64::from(SCHEMA) {
            let reason = format!("has schema {schema}, and this version reads schema {SCHEMA}");
            return Err(fail(reason));
        }
        serde_json::from_value(value).map_err(|error| fail(error.to_string()))
    }

    /// All figures by which two runs can be compared, with their names.
    pub(super) fn figures(&self) -> Vec<(String, Figure, Better)> {
        let mut figures = Vec::new();
        let mut add = |name: String, figure, better| figures.push((name, figure, better));
        for row in self.start.iter().flatten() {
            if let Some(figure) = row.prepare_again_ms {
                add(format!("start {}", row.renderer), figure, Better::Less);
            }
        }
        for row in self.held.iter().flatten() {
            let name = format!("held {} {}", row.work.id(), row.renderer);
            add(name, row.partials, Better::More);
        }
        for cell in self.grid.iter().flat_map(|grid| &grid.cells) {
            for time in &cell.times {
                let name = format!("grid {}x{} {}", cell.voices, cell.partials, time.renderer);
                add(name, time.share, Better::Less);
            }
        }
        for row in self.round_trip.iter().flat_map(|trips| &trips.rows) {
            let case = format!("{} {} {}", row.frames, row.pace.name(), row.renderer);
            // For higher percentiles a run has too few blocks to tell noise from changes.
            for (name, figure) in &row.microseconds.named()[..3] {
                add(format!("round trip {case} {name}"), *figure, Better::Less);
            }
        }
        for row in self.round_trip.iter().flat_map(|trips| &trips.overlap) {
            let case = format!("{}x{} {}", row.voices, row.partials, row.renderer);
            add(format!("one at a time {case}"), row.alone, Better::Less);
            add(format!("overlapped {case}"), row.overlapped, Better::Less);
        }
        for row in self.songs.iter().flatten() {
            let name = format!("song {} {}", row.song, row.renderer);
            add(name, row.times_real_time, Better::More);
        }
        for row in self.effects.iter().flatten() {
            add(format!("effect {}", row.effect), row.mean, Better::Less);
        }
        for row in self.played.iter().flatten() {
            let copies = if row.copies == 1 { String::new() } else { format!("x{} ", row.copies) };
            let case = format!("{copies}{} {}", row.pace.name(), row.renderer);
            for (what, percentiles) in [("block", row.block), ("host", row.host)] {
                for (name, figure) in &percentiles.named()[..3] {
                    let name = format!("played {case} {what} {name}");
                    add(name, *figure, Better::Less);
                }
            }
        }
        figures
    }
}
