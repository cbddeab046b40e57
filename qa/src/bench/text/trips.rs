//! Tables of block times: round trips, and whole blocks as played.

use super::{Text, distinct, titled};
use crate::bench::figure::Percentiles;
use crate::bench::overlap::Overlap;
use crate::bench::pace::Pace;
use crate::bench::played::Played;
use crate::bench::round_trip::RoundTrips;
use crate::bench::table::{Table, bytes, micros, percent, whole};
use crate::bench::{RATE, period};
use myriad_engine::TICK;

impl Text<'_> {
    pub(in crate::bench) fn round_trip(&self, trips: &RoundTrips) -> String {
        let mut text = String::new();
        for pace in Pace::ALL {
            let mut table = percentile_table(["frames", "renderer"], &["late", "blocks"]);
            for row in trips.at(pace) {
                let Percentiles { late, blocks, .. } = row.microseconds;
                let cells = [row.frames.to_string(), self.name(&row.renderer)].into_iter();
                let counts = [late, blocks].map(|count| whole(count as f64));
                table.row(
                    cells
                        .chain(times(&row.microseconds, row.frames))
                        .chain(counts),
                );
            }
            let title = format!(
                "Round trip in µs, {} × {} partials, {}",
                whole(trips.voices as f64),
                trips.partials,
                pace.name()
            );
            text += &titled(&title, &table);
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
            text += &overlap(&trips.overlap);
        }
        if !trips.stages.is_empty() {
            text += &stages(trips);
        }
        text
    }

    pub(in crate::bench) fn played(&self, rows: &[Played]) -> String {
        let mut table =
            percentile_table(["pace", "renderer"], &["host p50", "host p99.9", "blocks"]);
        for row in rows {
            let cells = [row.pace.name().to_owned(), self.name(&row.renderer)].into_iter();
            let host = [row.host.p50, row.host.p99_9].map(|figure| micros(figure.value));
            let blocks = whole(row.block.blocks as f64);
            table.row(
                cells
                    .chain(times(&row.block, row.frames))
                    .chain(host)
                    .chain([blocks]),
            );
        }
        let (voices, sounding, frames) = rows
            .first()
            .map_or((0, 0, 0), |row| (row.voices, row.partials, row.frames));
        titled(
            &format!(
                "Whole block as played in µs: modulation of {} voices, {} partials, limiter; {frames} frames",
                whole(voices as f64),
                whole(sounding as f64)
            ),
            &table,
        )
    }
}

/// A table of percentiles between words and other figures.
fn percentile_table(words: [&str; 2], rest: &[&str]) -> Table {
    let percentiles = ["p50", "p95", "p99", "p99.9", "max", "p99.9 of period"];
    let headings = words.iter().chain(&percentiles).chain(rest);
    Table::new(2, headings.copied())
}

/// Percentiles, and the last but one as a share of the period.
fn times(percentiles: &Percentiles, frames: usize) -> impl Iterator<Item = String> {
    let named = percentiles.named().map(|(_, figure)| micros(figure.value));
    let period = period(frames / TICK).as_secs_f64() * 1e6;
    named
        .into_iter()
        .chain([percent(percentiles.p99_9.value / period)])
}

/// What several blocks under way save.
fn overlap(rows: &[Overlap]) -> String {
    let mut table = Table::new(
        1,
        ["load", "frames", "one at a time", "under way", "", "saves"],
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
    titled(
        "Time a block in µs, written and rendered: one at a time, and several under way",
        &table,
    )
}

/// Where the time of a GPU's blocks goes.
fn stages(trips: &RoundTrips) -> String {
    let mut table = Table::new(
        0,
        [
            "frames",
            "submit",
            "wait",
            "fetch",
            "compute",
            "up",
            "down",
            "up a second",
        ],
    );
    for row in &trips.stages {
        let times = [row.submit, row.wait, row.fetch, row.compute].map(micros);
        let a_second = row.upload_bytes as f64 * RATE / row.frames as f64;
        let travel = [row.upload_bytes, row.download_bytes, a_second as usize].map(bytes);
        table.row(
            [row.frames.to_string()]
                .into_iter()
                .chain(times)
                .chain(travel),
        );
    }
    titled(
        "CUDA's stages in µs (host: submit, wait; GPU: fetch, compute), measured apart; bytes a block",
        &table,
    )
}
