//! The results of a run as tables: text for the terminal, Markdown for the README.

use super::compare::Change;
use super::figure::Percentiles;
use super::grid::Grid;
use super::held::{Held, Work};
use super::load::Spectrum;
use super::overlap::Overlap;
use super::played::Played;
use super::report::Report;
use super::round_trip::{RoundTrips, Stages};
use super::rounds::{Pace, period};
use super::songs::SongSpeed;
use super::start::Start;
use super::table::{Table, bytes, distinct, micros, partials, percent, whole};
use super::{RATE, Section};
use clap::ValueEnum;
use myriad_engine::TICK;

/// The headings of percentiles; [`times`] are their cells.
const TIMES: &str = "p50|p95|p99|p99.9|max|p99.9 of period";

impl Report {
    /// A whole run.
    pub(super) fn text(&self) -> String {
        let sections = Section::value_variants().iter();
        let sections = sections.map(|section| self.section(*section));
        self.head() + &sections.collect::<String>()
    }

    /// A section; nothing if it was not measured.
    pub(super) fn section(&self, section: Section) -> String {
        let text = match section {
            Section::Start => self.start.as_ref().map(|rows| self.start_text(rows)),
            Section::Held => self.held.as_ref().map(|rows| self.held_text(rows)),
            Section::Grid => self.grid.as_ref().map(|grid| self.grid_text(grid)),
            Section::RoundTrip => {
                let trips = self.round_trip.as_ref();
                trips.map(|trips| self.round_trip_text(trips))
            }
            Section::Played => self.played.as_ref().map(|rows| self.played_text(rows)),
            Section::Songs => self.songs.as_ref().map(|rows| self.songs_text(rows)),
            Section::Effects => {
                self.effects.as_ref().map(|rows| super::effects::table(rows).text())
            }
            Section::Serve => self.serve.as_ref().map(|rows| super::serve::table(rows).text()),
        };
        text.unwrap_or_default()
    }

    /// The machine and the date.
    pub(super) fn head(&self) -> String {
        let Report { version, date, .. } = self;
        let machine = &self.machine;
        let mut text = format!("myriad {version}, {date}, {}\n", machine.os);
        let (cpu, cores, simd) = (&machine.cpu, machine.cores, &machine.simd);
        text += &format!("  CPU   {cpu}, {cores} cores, {simd}\n");
        if let Some(gpu) = &machine.gpu {
            text += &format!(
                "  GPU   {} (CUDA {}, capability {}, {} processors at {} MHz)\n",
                gpu.line(),
                gpu.cuda,
                gpu.capability,
                gpu.processors,
                gpu.clock_mhz
            );
        }
        text
    }

    fn start_text(&self, rows: &[Start]) -> String {
        let mut table = Table::new(
            "Start-up, ready for 2,048 clouds; first block of 1,024 × 64 partials, 64 frames",
            1,
            "|prepare|again|first block|on the GPU|pinned|code",
        );
        let dash = || "-".to_owned();
        for row in rows {
            let again = row.prepare_again_ms;
            table.row([
                self.name(&row.renderer),
                format!("{:.1} ms", row.prepare_ms),
                again.map_or_else(dash, |again| format!("{:.1} ms", again.value)),
                format!("{} µs", micros(row.first_block_us)),
                row.device_bytes.map_or_else(dash, bytes),
                row.pinned_bytes.map_or_else(dash, bytes),
                row.code.clone().unwrap_or_else(dash),
            ]);
        }
        table.text()
    }

    fn held_text(&self, rows: &[Held]) -> String {
        let find = |work: Work, id: &str| {
            let mut rows = rows.iter();
            rows.find(|row| row.work == work && row.renderer == id)
        };
        let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
        let cuda = ids.contains(&"cuda");
        let limit = if cuda { "|of FP32 limit" } else { "" };
        let title = "Partials held in real time, blocks of 128 frames";
        let mut table = Table::new(title, 1, &(self.headings("", &ids) + limit));
        for work in distinct(rows.iter().map(|row| row.work)) {
            let cells = ids.iter().map(|id| find(work, id).map(Held::label));
            let share = || Some(percent(find(work, "cuda")?.share_of_limit?));
            let cells = cells.chain(cuda.then(share)).map(Option::unwrap_or_default);
            table.row([work.name().to_owned()].into_iter().chain(cells));
        }
        let mut text = table.text();
        if let Some(error) = rows.iter().find_map(|row| row.error_db) {
            text += &format!("  Error of the GPU's bank: {error:.1} dB against double precision\n");
        }
        let usual = |id| Some(find(Work::Renderer(Spectrum::Filtered), id)?.partials.value);
        if let (Some(cuda), Some(one)) = (usual("cuda"), usual("cpu-1")) {
            let one = whole(cuda / one);
            text += &format!("  With a usual patch CUDA holds {one} × one core");
            let all = usual("cpu-all").map(|all| format!(", {} × all cores", whole(cuda / all)));
            text += &(all.unwrap_or_default() + "\n");
        }
        text
    }

    fn grid_text(&self, grid: &Grid) -> String {
        let ids = grid.renderers();
        let frames = grid.frames;
        let mut text = format!(
            "\nShare of its period that a block of {frames} frames takes, voices × partials of each; * quickest\n"
        );
        for id in &ids {
            let columns = grid.partials.iter().map(|count| format!("|{count} "));
            let headings = self.name(id) + &columns.collect::<String>();
            let mut table = Table::new("", 1, &headings);
            for &voices in &grid.voices {
                let cell = |&partials: &usize| {
                    let value = |id: &str| Some(grid.share(voices, partials, id)?.value);
                    let Some(own) = value(id) else {
                        return String::new();
                    };
                    let mut others = ids.iter().filter_map(|other| value(other));
                    let quickest = ids.len() > 1 && others.all(|other| own <= other);
                    percent(own) + if quickest { "*" } else { " " }
                };
                let head = [whole(voices as f64)].into_iter();
                table.row(head.chain(grid.partials.iter().map(cell)));
            }
            text += &table.text();
        }
        for than in distinct(grid.crossovers.iter().map(|row| row.than.as_str())) {
            let who = self.cores(than);
            text += &match grid.crossover(than) {
                Some(from) => format!(
                    "  CUDA alone renders more quickly than {who} from about {} partials ({} to {} by number of voices)\n",
                    partials(from.value),
                    partials(from.low),
                    partials(from.high)
                ),
                None => format!("  CUDA alone nowhere renders more quickly than {who}\n"),
            };
        }
        text
    }

    /// A CPU renderer in a sentence.
    fn cores(&self, id: &str) -> String {
        match id {
            "cpu-1" => "one core".to_owned(),
            _ => format!("all {} cores", self.machine.cores),
        }
    }

    fn round_trip_text(&self, trips: &RoundTrips) -> String {
        let mut text = String::new();
        let (voices, partials) = (whole(trips.voices as f64), trips.partials);
        for pace in Pace::ALL {
            let name = pace.name();
            let title = format!("Round trip in µs, {voices} × {partials} partials, {name}");
            let headings = format!("frames|renderer|{TIMES}|late|blocks");
            let mut table = Table::new(title, 2, &headings);
            for row in trips.at(pace) {
                let Percentiles { late, blocks, .. } = row.microseconds;
                let mut cells = vec![row.frames.to_string(), self.name(&row.renderer)];
                cells.extend(times(&row.microseconds, row.frames));
                cells.extend([late, blocks].map(|count| whole(count as f64)));
                table.row(cells);
            }
            text += &table.text();
        }
        for frames in distinct(trips.rows.iter().map(|row| row.frames)) {
            let save = |pace| Some(micros(trips.graph_saves(frames, pace)?.value));
            if let (Some(dense), Some(paced)) = (save(Pace::BackToBack), save(Pace::Paced)) {
                text += &format!(
                    "  At {frames} frames a graph saves {dense} µs back to back, {paced} µs paced\n"
                );
            }
        }
        if !trips.overlap.is_empty() {
            text += &overlap_text(&trips.overlap);
        }
        if !trips.stages.is_empty() {
            text += &stages_text(&trips.stages);
        }
        text
    }

    fn played_text(&self, rows: &[Played]) -> String {
        let frames = rows.first().map_or(0, |row| row.frames);
        let title =
            format!("Whole block as played in µs: modulation, rendering, limiter; {frames} frames");
        let headings = format!("voices|pace|renderer|{TIMES}|host p50|host p99.9|blocks");
        let mut table = Table::new(title, 3, &headings);
        for row in rows {
            let partials = row.partials / (row.voices * row.copies).max(1);
            let voices = format!("{} × {} × {partials}", whole(row.voices as f64), row.copies);
            let mut cells = vec![voices, row.pace.name().to_owned(), self.name(&row.renderer)];
            cells.extend(times(&row.block, row.frames));
            cells.extend([row.host.p50, row.host.p99_9].map(|figure| micros(figure.value)));
            cells.push(whole(row.block.blocks as f64));
            table.row(cells);
        }
        let mut text = table.text();
        for crossover in &self.played_crossovers {
            let who = self.cores(&crossover.than);
            text += &match crossover.from_partials {
                Some(from) => {
                    let from = partials(from);
                    format!("  As played, CUDA is quicker than {who} from about {from} partials\n")
                }
                None => format!("  As played, CUDA is nowhere quicker than {who}\n"),
            };
        }
        text
    }

    fn songs_text(&self, rows: &[SongSpeed]) -> String {
        let headings = "song|renderer|times real time|voices|partials|notes lost";
        let mut table = Table::new("Songs with their effects, offline".to_owned(), 2, headings);
        for row in rows {
            let speed = format!("{:.2}", row.times_real_time.value);
            let counts = [row.voices, row.partials].map(|count| whole(count as f64));
            let lost = whole(row.notes_lost as f64);
            let cells = [row.song.clone(), self.name(&row.renderer), speed];
            table.row(cells.into_iter().chain(counts).chain([lost]));
        }
        table.text()
    }

    /// The tables of the README, which `benches/readme` puts there.
    pub(super) fn markdown(&self) -> String {
        let (machine, version, day) = (self.machine.line(), &self.version, self.day());
        let mut text = format!("{machine}. Myriad {version}, {day}.\n\n");
        if let Some(rows) = &self.songs {
            let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
            let title = "a song with its effects, times real time";
            let mut table = Table::new("", 1, &self.headings(title, &ids));
            for song in distinct(rows.iter().map(|row| &row.song)) {
                let cell = |id: &&str| {
                    let row = rows.iter().find(|row| row.song == *song && row.renderer == *id);
                    row.map_or_else(String::new, |row| format!("{:.1}", row.times_real_time.value))
                };
                table.row([song.clone()].into_iter().chain(ids.iter().map(cell)));
            }
            text += &table.markdown();
        }
        if let Some(rows) = &self.played {
            let paced = || rows.iter().filter(|row| row.pace == Pace::Paced);
            let title = "1,024 voices of 64 partials played in blocks of 64: median, 99%, worst µs";
            let ids = distinct(paced().map(|row| row.renderer.as_str()));
            let mut table = Table::new("", 1, &self.headings(title, &ids));
            for copies in distinct(paced().map(|row| row.copies)) {
                let cell = |id: &&str| {
                    let row = paced().find(|row| row.copies == copies && row.renderer == *id);
                    row.map_or_else(String::new, |row| {
                        let figures = [row.block.p50, row.block.p99, row.block.max];
                        figures.map(|figure| micros(figure.value)).join(", ")
                    })
                };
                let head = match copies {
                    1 => "a block, of 1,333 µs".to_owned(),
                    _ => format!("the same with {copies} copies in unison"),
                };
                table.row([head].into_iter().chain(ids.iter().map(cell)));
            }
            text += &table.markdown();
        }
        if let Some(rows) = &self.held {
            let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
            let mut table = Table::new("", 1, &self.headings("partials in real time", &ids));
            for work in distinct(rows.iter().map(|row| row.work)) {
                let name = match work.id() {
                    "bank" => "the bank alone",
                    "table" => "the renderer: pitch, morph and gains moving",
                    "filtered" => "tilt, damping and filter too",
                    _ => "everything there is",
                };
                let cell = |id: &&str| {
                    let mut rows = rows.iter();
                    let row = rows.find(|row| row.work == work && row.renderer == *id);
                    row.map_or_else(String::new, |row| partials(row.partials.value))
                };
                table.row([name.to_owned()].into_iter().chain(ids.iter().map(cell)));
            }
            text += &table.markdown();
        }
        text
    }

    /// A heading, and those of renderers.
    fn headings(&self, first: &str, ids: &[&str]) -> String {
        let names = ids.iter().map(|id| format!("|{}", self.name(id)));
        first.to_owned() + &names.collect::<String>()
    }
}

/// What changed since another run.
pub(super) fn changes(changes: &[Change], compared: usize) -> String {
    let (changed, compared) = (changes.len(), whole(compared as f64));
    let title = format!("{changed} of {compared} figures changed beyond noise");
    if changes.is_empty() {
        return format!("\n{title}\n");
    }
    let mut table = Table::new(title, 1, "|before|now|");
    let figure = |value: f64| match value {
        v if v < 1.0 => format!("{v:.4}"),
        v => micros(v),
    };
    for change in changes {
        let worse = change.factor < 1.0;
        let how = if worse { "worse" } else { "better" };
        let share = (change.factor.max(1.0 / change.factor) - 1.0).min(99.0);
        table.row([
            change.figure.clone(),
            figure(change.before.value),
            figure(change.after.value),
            format!("{} {how}", percent(share)),
        ]);
    }
    table.text()
}

/// Percentiles, and p99.9 as a share of the period.
fn times(percentiles: &Percentiles, frames: usize) -> Vec<String> {
    let period = period(frames / TICK).as_secs_f64() * 1e6;
    let named = percentiles.named().map(|(_, figure)| micros(figure.value));
    let share = percent(percentiles.p99_9.value / period);
    named.into_iter().chain([share]).collect()
}

/// The time that several blocks in flight save.
fn overlap_text(rows: &[Overlap]) -> String {
    let mut table = Table::new(
        "Time a block in µs, written and rendered: one at a time, and several in flight",
        1,
        "load|frames|one at a time|in flight||saves",
    );
    for row in rows {
        table.row([
            format!("{} × {}", whole(row.voices as f64), row.partials),
            row.frames.to_string(),
            micros(row.alone.value),
            row.depth.to_string(),
            micros(row.overlapped.value),
            percent(1.0 - row.overlapped.value / row.alone.value),
        ]);
    }
    table.text()
}

/// The stages of a GPU's blocks.
fn stages_text(rows: &[Stages]) -> String {
    let mut table = Table::new(
        "CUDA's stages in µs (host: submit, wait; GPU: fetch, compute), measured apart; bytes a block",
        0,
        "frames|submit|wait|fetch|compute|up|down|up a second",
    );
    for row in rows {
        let a_second = row.upload_bytes as f64 * RATE / row.frames as f64;
        let mut cells = vec![row.frames.to_string()];
        cells.extend([row.submit, row.wait, row.fetch, row.compute].map(micros));
        cells.extend([row.upload_bytes, row.download_bytes, a_second as usize].map(bytes));
        table.row(cells);
    }
    table.text()
}
