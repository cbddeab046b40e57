//! What a session tells logs and machines: a line a second, and one for everything unusual.

use myriad_live::stream::Underrun;
use myriad_player::failure::Failure;
use myriad_player::session::{Ending, Session};
use myriad_player::terminal;
use serde::Serialize;
use std::path::PathBuf;

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
    },
    End(&'a Summary),
}

/// What a session is doing; the fields are the keys of `--json`.
#[derive(Serialize)]
pub(crate) struct StatusLine {
    pub(crate) seconds: f64,
    pub(crate) host: &'static str,
    pub(crate) device: String,
    /// Whether that is the device that was opened, and not the clock in its place.
    pub(crate) connected: bool,
    pub(crate) rate: u32,
    pub(crate) engine_rate: u32,
    pub(crate) block: usize,
    /// Frames of the device from an event to its sound.
    pub(crate) latency: usize,
    pub(crate) renderer: &'static str,
    pub(crate) renderer_losses: u64,
    pub(crate) patch: String,
    pub(crate) voices: usize,
    pub(crate) partials: usize,
    /// Frames ready and frames that should be.
    pub(crate) fill: usize,
    pub(crate) depth: usize,
    /// Frames asked for by the device.
    pub(crate) frames: u64,
    /// Time spent rendering as a share of the time rendered: half of all blocks stay below the
    /// first, 99% and 99.99% below the others.
    pub(crate) load_median: f32,
    pub(crate) load_99: f32,
    pub(crate) load_9999: f32,
    pub(crate) slow_blocks: u64,
    pub(crate) underruns: u64,
    /// Blocks that the device says were late.
    pub(crate) xruns: u64,
    pub(crate) devices_lost: u64,
    pub(crate) frames_skipped: u64,
    pub(crate) events_late: u64,
    pub(crate) events_refused: u64,
    pub(crate) malformed_midi: u64,
    /// In decibels of full scale, since the last line.
    pub(crate) peak_dbfs: f32,
    pub(crate) cpu: Option<f32>,
    pub(crate) steal: Option<f32>,
    pub(crate) raised_priority: bool,
}

/// How a session went; the fields are the keys of `--json`.
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
    pub(crate) fn take(session: &mut Session) -> Self {
        let status = session.status();
        let usage = session.usage();
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
            renderer: session.renderer().0,
            renderer_losses: session.renderer().1,
            patch: session.patch().name.clone(),
            voices: status.engine.voices,
            partials: status.engine.partials,
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

    fn to_line(&self) -> String {
        let percent = |share: f32| format!("{:.0}%", share * 100.0);
        format!(
            "{}  {} {}{}, {} Hz, {} frames, latency {}  {}: {} voices  {} partials  load {} ({} at most)  {} underruns  {:.1} dB\n",
            terminal::clock(self.seconds),
            self.host,
            self.device,
            if self.connected { "" } else { " (device away)" },
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

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// For people and logs.
    Plain,
    /// For machines.
    Json,
}

impl Style {
    /// How the session is doing.
    pub(crate) fn status(self, session: &mut Session) -> Result<(), Failure> {
        let snapshot = StatusLine::take(session);
        match self {
            Style::Plain => terminal::print(&snapshot.to_line()),
            Style::Json => json(&Line::Status(&snapshot)),
        }
    }

    /// What happened since.
    pub(crate) fn happenings(self, session: &mut Session) -> Result<(), Failure> {
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
            }),
        }
    }

    /// How it went.
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
            Style::Plain => terminal::print(&summary.to_text()),
            Style::Json => json(&Line::End(&summary)),
        }
    }
}

impl Summary {
    fn to_text(&self) -> String {
        let mut text = format!(
            "Played {}, {} underruns",
            terminal::clock(self.seconds),
            self.underruns
        );
        if let Some(path) = &self.recording {
            text += &format!("; recorded to {}", path.display());
            if self.unrecorded_frames > 0 {
                text += &format!(
                    ", without {} frames for which the disk was too slow",
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
