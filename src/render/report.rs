//! The report of a render, as text and as JSON.

use super::Job;
use myriad_live::{RendererHandle, RendererReport};
use myriad_measure::Meter;
use myriad_player::assignment::AssignedPart;
use myriad_player::renderer::RendererFacts;
use myriad_player::song_render::{Ending, SongRender, TAIL_LIMIT_SECONDS};
use myriad_player::terminal::{clock, level};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// The fields are the keys of `--json`.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) song: String,
    pub(crate) output: PathBuf,
    pub(crate) sample_rate: u32,
    pub(crate) format: &'static str,
    pub(crate) frames: u64,
    pub(crate) seconds: f64,
    /// None in silence.
    pub(crate) peak_dbfs: Option<f64>,
    /// Integrated, after EBU R 128; none in silence or below 0.4 seconds.
    pub(crate) loudness_lufs: Option<f64>,
    pub(crate) voices_peak: usize,
    pub(crate) partials_peak: usize,
    pub(crate) render_seconds: f64,
    pub(crate) realtime_factor: f64,
    pub(crate) renderer: RendererFacts,
    pub(crate) parts: Vec<PartReport>,
    /// What did not go as asked.
    pub(crate) notes: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct PartReport {
    /// From 1 to 16.
    channel: u8,
    track: Option<String>,
    patch: String,
    stem: Option<PathBuf>,
}

impl Report {
    pub(super) fn new(
        job: &Job,
        song_render: &SongRender,
        meter: &Meter,
        renderer: &RendererHandle,
        stems: Vec<PathBuf>,
        took: Duration,
    ) -> Self {
        let frames = song_render.frames();
        let seconds = frames as f64 / f64::from(job.settings.sample_rate);
        let peaks = song_render.peaks();
        let renderer = renderer.report();
        let mut notes = notes(song_render);
        notes.extend(lost(&renderer));
        let mut stems = stems.into_iter();
        let part = |part: &AssignedPart| PartReport {
            channel: part.channel + 1,
            track: part.track.clone(),
            patch: part.patch.name.clone(),
            stem: stems.next(),
        };
        Self {
            song: job.name.clone(),
            output: job.target.clone(),
            sample_rate: job.settings.sample_rate,
            format: job.bits.label(),
            frames,
            seconds,
            peak_dbfs: meter.peak_dbfs(),
            loudness_lufs: meter.loudness_lufs(),
            voices_peak: peaks.voices,
            partials_peak: peaks.partials,
            render_seconds: took.as_secs_f64(),
            realtime_factor: seconds / took.as_secs_f64().max(1e-9),
            renderer: renderer.into(),
            parts: song_render.assignment().parts.iter().map(part).collect(),
            notes,
        }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.output.display());
        let mut row = |name: &str, value: String| {
            text += &format!("  {name:<10} {value}\n");
        };
        let rate = f64::from(self.sample_rate) / 1000.0;
        row("length", format!("{}, {rate} kHz, {}", clock(self.seconds), self.format));
        row("peak", level(self.peak_dbfs, "dBFS"));
        row("loudness", level(self.loudness_lufs, "LUFS"));
        row("voices", format!("{} at most, {} partials", self.voices_peak, self.partials_peak));
        row(
            "speed",
            format!("{:.1} x real time ({:.1} s)", self.realtime_factor, self.render_seconds),
        );
        for part in &self.parts {
            let stem = part.stem.as_ref().map(|path| format!("  {}", path.display()));
            let value = format!("{}{}", part.patch, stem.unwrap_or_default());
            row(&format!("channel {}", part.channel), value);
        }
        text
    }
}

/// A note when the GPU was lost.
fn lost(renderer: &RendererReport) -> Option<String> {
    let reason = renderer.failover.lost_because.as_ref()?;
    Some(format!("the GPU failed during the render ({reason}); the processor took over"))
}

fn notes(song_render: &SongRender) -> Vec<String> {
    let mut notes = Vec::new();
    match song_render.ending() {
        Some(Ending::TailCut) => notes.push(format!(
            "still sounding {TAIL_LIMIT_SECONDS} seconds after the end, and faded out there"
        )),
        Some(Ending::Full) => {
            notes.push("the tail is cut: a WAV file holds no more than 4 GiB".to_owned());
        }
        Some(Ending::Complete) | None => {}
    }
    let counters = song_render.peaks();
    for (count, what) in [
        (counters.notes_dropped, "notes were dropped: no voice was free"),
        (counters.events_dropped, "events were dropped: too many at once"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    notes
}
