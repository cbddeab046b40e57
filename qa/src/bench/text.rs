//! What a run found, for people.

mod trips;

use super::candidate;
use super::compare::Change;
use super::grid::Grid;
use super::held::{Held, Work};
use super::machine::Machine;
use super::report::Report;
use super::start::Start;
use super::table::{Table, bytes, micros, partials, percent, whole};

/// Sections as text; they share the machine.
pub(super) struct Text<'a> {
    pub(super) machine: &'a Machine,
}

/// The machine and the moment.
pub(super) fn head(report: &Report) -> String {
    let Report { version, date, .. } = report;
    let machine = &report.machine;
    let mut text = format!("myriad {version}, {date}, {}\n", machine.os);
    text += &format!(
        "  CPU   {}, {} cores, {}\n",
        machine.cpu, machine.cores, machine.simd
    );
    if let Some(gpu) = &machine.gpu {
        text += &format!(
            "  GPU  {} (CUDA {}, capability {}, {} processors at {} MHz)\n",
            gpu.line(),
            gpu.cuda,
            gpu.capability,
            gpu.processors,
            gpu.clock_mhz
        );
    }
    text
}

impl Text<'_> {
    /// A whole run.
    pub(super) fn whole(report: &Report) -> String {
        let text = Text {
            machine: &report.machine,
        };
        let start = report.start.as_ref().map(|rows| text.start(rows));
        let held = report.held.as_ref().map(|rows| text.held(rows));
        let grid = report.grid.as_ref().map(|grid| text.grid(grid));
        let trips = report.round_trip.as_ref();
        let trips = trips.map(|trips| text.round_trip(trips));
        let played = report.played.as_ref().map(|rows| text.played(rows));
        let sections = [start, held, grid, trips, played];
        head(report) + &sections.into_iter().flatten().collect::<String>()
    }

    fn name(&self, id: &str) -> String {
        candidate::name(id, self.machine.cores)
    }

    pub(super) fn start(&self, rows: &[Start]) -> String {
        let mut table = Table::new(
            1,
            [
                "",
                "prepare",
                "again",
                "first block",
                "on the GPU",
                "pinned",
                "code",
            ],
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
        titled(
            "Start-up, ready for 2,048 clouds; first block of 1,024 × 64 partials, 64 frames",
            &table,
        )
    }

    pub(super) fn held(&self, rows: &[Held]) -> String {
        let ids = distinct(rows.iter().map(|row| row.renderer.as_str()));
        let cuda = ids.contains(&"cuda");
        let headings = ids.iter().map(|id| self.name(id));
        let limit = cuda.then(|| "of FP32 limit".to_owned());
        let mut table = Table::new(
            1,
            std::iter::once(String::new()).chain(headings).chain(limit),
        );
        for work in distinct(rows.iter().map(|row| row.work)) {
            let find = |id: &str| {
                let mut rows = rows.iter();
                rows.find(|row| row.work == work && row.renderer == id)
            };
            let cell = |id: &&str| {
                find(id).map_or_else(String::new, |row| {
                    let why = if row.memory_limited { " (memory)" } else { "" };
                    partials(row.partials.value) + why
                })
            };
            let limit = cuda.then(|| {
                let share = find("cuda").and_then(|row| row.share_of_limit);
                share.map_or_else(String::new, percent)
            });
            let name = std::iter::once(work.name().to_owned());
            table.row(name.chain(ids.iter().map(cell)).chain(limit));
        }
        let mut text = titled("Partials held in real time, blocks of 128 frames", &table);
        if let Some(error) = rows.iter().find_map(|row| row.error_db) {
            text += &format!("  Error of the GPU's bank: {error:.1} dB against double precision\n");
        }
        let usual = |id: &str| {
            let usual = Work::Renderer(super::load::Spectrum::Filtered);
            let mut rows = rows.iter();
            let row = rows.find(|row| row.work == usual && row.renderer == id)?;
            Some(row.partials.value)
        };
        if let (Some(cuda), Some(one)) = (usual("cuda"), usual("cpu-1")) {
            text += &format!(
                "  With a usual patch CUDA holds {} × one core",
                whole(cuda / one)
            );
            let all = usual("cpu-all").map(|all| format!(", {} × all cores", whole(cuda / all)));
            text += &(all.unwrap_or_default() + "\n");
        }
        text
    }

    pub(super) fn grid(&self, grid: &Grid) -> String {
        let times = grid.cells.first().map_or(&[][..], |cell| &cell.times);
        let ids: Vec<&str> = times.iter().map(|time| time.renderer.as_str()).collect();
        let mut text = format!(
            "\nShare of its period that a block of {} frames takes, voices × partials of each; * quickest\n",
            grid.frames
        );
        for id in &ids {
            let head = std::iter::once(self.name(id));
            let columns = grid.partials.iter().map(|count| format!("{count} "));
            let mut table = Table::new(1, head.chain(columns));
            for &voices in &grid.voices {
                let cell = |&partials: &usize| {
                    let value = |id: &str| Some(grid.share(voices, partials, id)?.value);
                    let Some(own) = value(id) else {
                        return String::new();
                    };
                    let quickest = ids.len() > 1
                        && ids
                            .iter()
                            .filter_map(|other| value(other))
                            .all(|other| own <= other);
                    percent(own) + if quickest { "*" } else { " " }
                };
                let head = std::iter::once(whole(voices as f64));
                table.row(head.chain(grid.partials.iter().map(cell)));
            }
            text += &table.text();
        }
        for than in distinct(grid.crossovers.iter().map(|row| row.than.as_str())) {
            let who = match than {
                "cpu-1" => "one core".to_owned(),
                _ => format!("all {} cores", self.machine.cores),
            };
            text += &match grid.crossover(than) {
                Some(from) => format!(
                    "  CUDA is quicker than {who} from about {} partials ({} to {} by number of voices)\n",
                    partials(from.value),
                    partials(from.low),
                    partials(from.high)
                ),
                None => format!("  CUDA is nowhere quicker than {who}\n"),
            };
        }
        text
    }
}

/// What changed since another run.
pub(super) fn changes(changes: &[Change], compared: usize) -> String {
    let mut table = Table::new(1, ["", "before", "now", ""]);
    for change in changes {
        let how = if change.factor < 1.0 {
            "worse"
        } else {
            "better"
        };
        let share = (change.factor.max(1.0 / change.factor) - 1.0).min(99.0);
        table.row([
            change.figure.clone(),
            figure(change.before.value),
            figure(change.after.value),
            format!("{} {how}", percent(share)),
        ]);
    }
    let title = format!(
        "{} of {} figures changed beyond noise",
        changes.len(),
        whole(compared as f64)
    );
    match changes.is_empty() {
        true => format!("\n{title}\n"),
        false => titled(&title, &table),
    }
}

fn figure(value: f64) -> String {
    match value {
        v if v < 1.0 => format!("{v:.4}"),
        v => micros(v),
    }
}

fn titled(title: &str, table: &Table) -> String {
    format!("\n{title}\n{}", table.text())
}

/// Each once, in the order of their first appearance.
pub(super) fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}
