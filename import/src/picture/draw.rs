//! Draws what a patch plays: its partials through time, as a picture that can be imported again.

use super::super::{ImportError, Progress};
use super::axes::{Axes, GivenAxes};
use super::{VELOCITY, colour};
use myriad_engine::view::{self, PartialView};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, Snapshot};
use myriad_files::atomic_file;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Columns that an import keeps as they are, and rows of five cents.
const COLUMNS: usize = 500;
const ROWS: usize = 2_160;

/// The range of sizes, in pixels.
const SIDES: Range<usize> = 2..8_193;

const RATE: f32 = 48_000.0;

/// How long it may take until the first column sounds: the engine's own latency, in frames.
const FIRST: usize = 64;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawOptions {
    /// Time, pitch and the key that is played.
    pub axes: Axes,
    /// How fast the key is pressed, 0 to 1.
    pub velocity: f32,
    /// When the key is released, in seconds; never if it is not given.
    pub hold: Option<f64>,
    /// Columns and rows.
    pub size: [usize; 2],
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self { axes: Axes::default(), velocity: VELOCITY, hold: None, size: [COLUMNS, ROWS] }
    }
}

/// A picture of a sound.
#[derive(Debug)]
pub struct Drawing {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Row after row, from the top.
    pub pixels: Vec<[u8; 3]>,
    /// What its axes mean, and the level of white.
    pub axes: GivenAxes,
}

/// Plays a note of `patch` and draws its partials, without the effects.
///
/// # Errors
/// When the options are not possible, nothing sounds within the picture, or it was cancelled.
pub fn draw(
    patch: &Patch,
    options: &DrawOptions,
    progress: &Progress,
) -> Result<Drawing, ImportError> {
    options.axes.check()?;
    let [columns, rows] = options.size;
    if !SIDES.contains(&columns) || !SIDES.contains(&rows) {
        let (least, most) = (SIDES.start, SIDES.end - 1);
        let text = format!("a side has {least} to {most} pixels, not {columns} × {rows}");
        return Err(ImportError::Misuse(text));
    }
    let mut powers = vec![[0.0_f32; 2]; columns * rows];
    let mut playing = Playing::new(patch, options)?;
    let mut partials = Vec::new();
    for column in 0..columns {
        progress.step(0.0..1.0, column, columns)?;
        let seconds = options.axes.seconds * column as f64 / (columns - 1) as f64;
        playing.partials_at(FIRST + (seconds * f64::from(RATE)) as usize, &mut partials);
        for partial in &partials {
            if let Some(row) = options.axes.row(partial.hertz.into(), rows) {
                let sum = &mut powers[row * columns + column];
                *sum = [0, 1].map(|side| sum[side] + sides(partial)[side]);
            }
        }
    }
    let loudest = powers.iter().fold(0.0_f32, |top, [left, right]| top.max(left + right));
    if loudest < 1e-12 {
        return Err(ImportError::Silence);
    }
    let pixels = powers.iter().map(|power| colour::pixel(power.map(|x| x / loudest))).collect();
    let white_db = 10.0 * f64::from(loudest).log10();
    Ok(Drawing { size: options.size, pixels, axes: GivenAxes::of(&options.axes, white_db) })
}

/// The powers of left and right of a partial.
fn sides(partial: &PartialView) -> [f32; 2] {
    let [left, right] = [1.0 - partial.pan, 1.0 + partial.pan];
    let scale = partial.level.powi(2) / (left * left + right * right);
    [scale * left * left, scale * right * right]
}

/// A patch while it plays a note.
struct Playing {
    engine: Engine,
    snapshot: Snapshot,
    key: u8,
    /// Frames that were rendered.
    frame: usize,
    /// The frame at which the key is released.
    release: Option<usize>,
}

impl Playing {
    fn new(patch: &Patch, options: &DrawOptions) -> Result<Self, ImportError> {
        let config = EngineConfig { sample_rate: RATE, ..EngineConfig::default() };
        let mut engine = Engine::new(&config)?;
        engine.set_patch(0, patch);
        let key = options.axes.key;
        let velocity = options.velocity.clamp(0.0, 1.0);
        let mut playing = Self {
            engine,
            snapshot: Snapshot::new(),
            key,
            frame: 0,
            release: options.hold.map(|hold| FIRST + (hold.max(0.0) * f64::from(RATE)) as usize),
        };
        playing.render(1, Some(EventKind::NoteOn { key, velocity }));
        Ok(playing)
    }

    /// Plays up to this frame. Collects the partials that sound there.
    fn partials_at(&mut self, frame: usize, partials: &mut Vec<PartialView>) {
        if let Some(release) = self.release.filter(|&release| release <= frame) {
            self.render(release.max(self.frame), None);
            let key = self.key;
            self.render(
                release.max(self.frame) + 1,
                Some(EventKind::NoteOff { key, velocity: 0.0 }),
            );
            self.release = None;
        }
        self.render(frame, None);
        self.engine.snapshot(0, &mut self.snapshot);
        partials.clear();
        for cloud in &self.snapshot.clouds {
            view::partials(cloud, self.snapshot.sample_rate, partials);
        }
    }

    /// Renders up to this frame; the event comes first.
    fn render(&mut self, until: usize, event: Option<EventKind>) {
        let event = event.map(|kind| Event { frame: 0, part: 0, kind });
        let mut events = event.as_slice();
        while self.frame < until {
            let (mut left, mut right) = ([0.0; 1_024], [0.0; 1_024]);
            let frames = (until - self.frame).min(left.len());
            self.engine.render(events, &mut left[..frames], &mut right[..frames]);
            events = &[];
            self.frame += frames;
        }
    }
}

impl Drawing {
    /// The picture as a PNG file. What the axes mean is a text in it.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let [width, height] = self.size.map(|side| side as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.add_text_chunk(GivenAxes::KEYWORD.into(), self.axes.to_text())?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes the PNG file: beside its name, synced and renamed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let bytes = self.to_png().map_err(io::Error::other)?;
        atomic_file::write(path, &bytes)
    }
}
