//! Lines about a session, for logs and scripts: one a second, and one for each event.

use myriad_live::stream::{MAX_DEPTH, Underrun};
use myriad_player::failure::Failure;
use myriad_player::session::{Ending, Session};
use myriad_player::terminal;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the status is written.
const STATUS_PERIOD: Duration = Duration::from_secs(1);

/// Writes the lines of a running session.
pub(crate) struct Lines {
    style: Style,
    /// When the next status is due; none when only events are written.
    next: Option<Instant>,
}

impl Lines {
    /// Events, and the status every second.
    pub(crate) fn steady(style: Style) -> Self {
        let next = Some(Instant::now() + STATUS_PERIOD);
        Self { style, next }
    }

    /// Events only.
    pub(crate) fn of_events() -> Self {
        let style = Style::Plain;
        Self { style, next: None }
    }

    /// Writes the lines that are due.
    pub(crate) fn write(&mut self, session: &mut Session) -> Result<(), Failure> {
        self.style.events(session)?;
        if let Some(next) = self.next.take_if(|next| Instant::now() >= *next) {
            self.next = Some(next + STATUS_PERIOD);
            self.style.status(session)?;
        }
        Ok(())
    }
}

/// One line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Status(&'a StatusLine),
    Note {
        seconds: f64,
        text: &'a str,
    },
    Underrun {
        seconds: f64,
        at_frame: u64,
        frames: u64,
        ready: usize,
        block: usize,
        cause: String,
        is_the_machines: bool,
    },
    End(&'a Summary),
}

/// The fields are the keys of `--json`.
#[derive(Serialize)]
struct StatusLine {
    seconds: f64,
    host: &'static str,
    device: String,
    /// False while the clock takes the place of a lost device.
    connected: bool,
    rate: u32,
    engine_rate: u32,
    block: usize,
    /// Frames of the device from an event to its sound.
    latency: usize,
    renderer: &'static str,
    renderer_losses: u64,
    patch: String,
    voices: usize,
    /// Voices times their unison copies.
    clouds: usize,
    partials: usize,
    /// Notes that ended for others, and those for which there was no room.
    voices_stolen: u64,
    notes_dropped: u64,
    /// Frames ready, and frames that should be.
    fill: usize,
    depth: usize,
    /// Frames asked for by the device.
    frames: u64,
    /// Render time relative to real time: median, 99th and 99.99th percentile.
    load_median: f32,
    load_99: f32,
    load_9999: f32,
    slow_blocks: u64,
    underruns: u64,
    /// Blocks that the device reports as late.
    xruns: u64,
    devices_lost: u64,
    frames_skipped: u64,
    events_late: u64,
    events_refused: u64,
    malformed_midi: u64,
    /// Since the last line.
    peak_dbfs: f32,
    cpu: Option<f32>,
    steal: Option<f32>,
    raised_priority: bool,
}

/// The fields are the keys of `--json`.
#[derive(Serialize)]
struct Summary {
    seconds: f64,
    frames: u64,
    slow_blocks: u64,
    underruns: u64,
    recording: Option<PathBuf>,
    recorded_frames: u64,
    unrecorded_frames: u64,
}

impl StatusLine {
    fn take(session: &mut Session) -> Self {
        let status = session.status();
        let (usage, renderer) = (session.usage(), session.renderer_report());
        let peak_dbfs = session.take_peak();
        let device_manager = session.device_manager();
        let device = device_manager.device();
        Self {
            seconds: session.elapsed().as_secs_f64(),
            host: device.map_or("none", |device| device.host().name()),
            device: device.map_or_else(String::new, |device| device.name()),
            connected: device_manager.is_connected(),
            rate: device.map_or(0, |device| device.rate()),
            engine_rate: session.sample_rate(),
            block: device.map_or(0, |device| device.block()),
            latency: device_manager.latency(),
            renderer: renderer.using,
            renderer_losses: renderer.failover.losses,
            patch: session.patch().name.clone(),
            voices: status.engine.voices,
            clouds: status.engine.clouds,
            partials: status.engine.partials,
            voices_stolen: status.engine.voices_stolen,
            notes_dropped: status.engine.notes_dropped,
            fill: status.fill,
            depth: status.depth,
            frames: status.frames_asked,
            load_median: status.render_time.quantile(0.5),
            load_99: status.render_time.quantile(0.99),
            load_9999: status.render_time.quantile(0.9999),
            slow_blocks: status.slow_blocks,
            underruns: status.underruns,
            xruns: device_manager.xruns(),
            devices_lost: device_manager.losses(),
            frames_skipped: status.frames_skipped,
            events_late: status.events_late,
            events_refused: status.events_refused + session.ignored()[1],
            malformed_midi: session.ignored()[0],
            peak_dbfs,
            cpu: usage.cpu,
            steal: usage.steal,
            raised_priority: status.raised_priority,
        }
    }

    fn to_text(&self) -> String {
        let percent = |share: f32| format!("{:.0}%", share * 100.0);
        format!(
            "{}  {} {}{}, {} Hz, {} frames, latency {}  {}: {} voices  {} partials  load {} ({} at most)  {} underruns  {:.1} dB\n",
            terminal::clock(self.seconds),
            self.host,
            self.device,
            if self.connected { "" } else { " (device lost)" },
            self.rate,
            self.block,
            self.latency,
            self.renderer,
            self.voices,
            self.partials,
            percent(self.load_median),
            percent(self.load_9999),
            self.underruns,
            self.peak_dbfs,
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Json,
}

impl Style {
    fn status(self, session: &mut Session) -> Result<(), Failure> {
        let line = StatusLine::take(session);
        match self {
            Style::Plain => terminal::print(&line.to_text()),
            Style::Json => json(&Line::Status(&line)),
        }
    }

    /// Notices and underruns since the last call.
    fn events(self, session: &mut Session) -> Result<(), Failure> {
        let seconds = session.elapsed().as_secs_f64();
        for text in session.take_news() {
            self.note(seconds, &text)?;
        }
        let rate = f64::from(session.sample_rate());
        for underrun in session.take_underruns() {
            self.underrun(&underrun, rate)?;
        }
        Ok(())
    }

    fn note(self, seconds: f64, text: &str) -> Result<(), Failure> {
        match self {
            Style::Plain => terminal::print(&format!("{}  {text}\n", terminal::clock(seconds))),
            Style::Json => json(&Line::Note { seconds, text }),
        }
    }

    fn underrun(self, underrun: &Underrun, rate: f64) -> Result<(), Failure> {
        let seconds = underrun.at_time.as_secs_f64();
        match self {
            Style::Plain => terminal::print(&format!(
                "{}  underrun of {:.1} ms: {}; {} frames were ready of {}\n",
                terminal::clock(seconds),
                underrun.frames as f64 / rate * 1000.0,
                underrun.cause,
                underrun.ring_depth,
                underrun.block,
            )),
            Style::Json => json(&Line::Underrun {
                seconds,
                at_frame: underrun.at_frame,
                frames: underrun.frames,
                ready: underrun.ring_depth,
                block: underrun.block,
                cause: underrun.cause.to_string(),
                is_the_machines: underrun.cause.is_the_machines(),
            }),
        }
    }

    /// The summary at the end.
    pub(crate) fn end(self, seconds: f64, ending: &Ending) -> Result<(), Failure> {
        let recording = ending.recording.as_ref();
        let summary = Summary {
            seconds,
            frames: ending.status.frames_asked,
            slow_blocks: ending.status.slow_blocks,
            underruns: ending.status.underruns,
            recording: recording.map(|recording| recording.path.clone()),
            recorded_frames: recording.map_or(0, |recording| recording.frames),
            unrecorded_frames: ending.unrecorded,
        };
        match self {
            Style::Plain => terminal::print(&summary.to_text(ending.status.depth)),
            Style::Json => json(&Line::End(&summary)),
        }
    }
}

impl Summary {
    /// For people. `depth` frames were kept ready.
    fn to_text(&self, depth: usize) -> String {
        let mut text =
            format!("Played {}, {} underruns", terminal::clock(self.seconds), self.underruns);
        if self.underruns > 0 && 2 * depth <= MAX_DEPTH {
            text += &format!("; with --depth {} twice as much is kept ready", 2 * depth);
        }
        if let Some(path) = &self.recording {
            text += &format!("; recorded to {}", path.display());
            if self.unrecorded_frames > 0 {
                text += &format!(
                    ", without {} frames that were lost because the disk was too slow",
                    self.unrecorded_frames
                );
            }
        }
        text + "\n"
    }
}

fn json(line: &Line<'_>) -> Result<(), Failure> {
    let text = serde_json::to_string(line).map_err(Failure::failed)?;
    terminal::print(&(text + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_says_what_helps_against_underruns() {
        let text = |underruns, depth| {
            let summary = Summary {
                seconds: 60.0,
                frames: 2_880_000,
                slow_blocks: 0,
                underruns,
                recording: None,
                recorded_frames: 0,
                unrecorded_frames: 0,
            };
            summary.to_text(depth)
        };
        assert!(!text(0, 224).contains("--depth"));
        assert!(text(3, 224).contains("--depth 448"), "{}", text(3, 224));
        assert!(!text(3, MAX_DEPTH).contains("--depth"), "more is refused");
    }
}
