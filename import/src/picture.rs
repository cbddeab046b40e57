//! Pictures to patches and back: columns are moments, rows are pitches, brightness is level, colour is
//! stereo position.

mod axes;
mod canvas;
mod colour;
mod decode;
mod draw;
mod tracks;

pub use axes::{Axes, GivenAxes};
pub use draw::{DrawOptions, Drawing, draw};

use super::{ImportError, Imported, Progress, instrument};
use canvas::Grid;
use decode::Format;
use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, Snapshot};
use myriad_files::input;
use myriad_files::wav::WavReadError;
use std::io::{Read, Seek};
use std::path::Path;
use tracks::PictureTracks;

/// The velocity at which a patch has the level of its picture: that of a key pressed firmly.
const VELOCITY: f32 = 100.0 / 127.0;

/// A picture that was read.
#[derive(Debug)]
pub struct Picture {
    /// Width and height of the file in pixels.
    pub size: [usize; 2],
    /// What the file says of its axes.
    pub own_axes: GivenAxes,
    grid: Grid,
}

/// How a picture is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureOptions {
    /// Axes that differ from those of the picture, or from the defaults.
    pub axes: GivenAxes,
    /// The most partials, up to 1,024; fewer leave room for more moments.
    pub partials: Option<usize>,
    /// Whether dark pixels sound and white ones are silent, as with ink on paper.
    pub ink: bool,
    /// Whether it is played again and again while the key is held.
    pub repeat: bool,
}

/// Whether a file holds a picture, by its first bytes.
///
/// # Errors
/// When the file cannot be read.
pub fn is_picture(path: &Path) -> Result<bool, ImportError> {
    let unreadable = |error| ImportError::Unreadable(WavReadError::Io(error));
    let mut head = Vec::new();
    let file = input::open(path).map_err(unreadable)?;
    file.take(4).read_to_end(&mut head).map_err(unreadable)?;
    Ok(Format::of(&head).is_some())
}

/// Reads a PNG or JPEG file; `ink` is that of [`PictureOptions`].
///
/// # Errors
/// When it cannot be read, is damaged or too large.
pub fn read_picture(path: &Path, ink: bool, progress: &Progress) -> Result<Picture, ImportError> {
    let unreadable = |error| ImportError::Unreadable(WavReadError::Io(error));
    let mut file = input::open(path).map_err(unreadable)?;
    let mut head = Vec::new();
    (&mut file).take(4).read_to_end(&mut head).map_err(unreadable)?;
    let format = Format::of(&head).ok_or(ImportError::UnknownFormat)?;
    file.rewind().map_err(unreadable)?;
    let (canvas, own_axes) = decode::decode(file, format, ink, progress)?;
    let size = [canvas.width, canvas.height];
    Ok(Picture { size, own_axes, grid: canvas.finish() })
}

/// Makes a patch called `name` from a picture.
///
/// # Errors
/// When the options are not possible, the picture is black, or it was cancelled.
pub fn import_picture(
    picture: &Picture,
    options: &PictureOptions,
    name: &str,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    let axes = Axes::choose(&options.axes, &picture.own_axes)?;
    let made = PictureTracks::new(picture, &axes, options.partials, progress)?;
    let (first, second) = made.tables()?;
    let is_stereo = second.is_some();
    let mut patch = instrument::patch(name, first, made.partials);
    let values = &mut patch.values;
    // Up to the last column; beyond it is the end, which is silent.
    values.set(Param::SourceLoopEnd, made.last_column());
    for (param, value) in [
        (Param::SourceSpeed, 1.0),
        (Param::SourceLoop, if options.repeat { 1.0 } else { 0.0 }),
        (Param::Env1Attack, 0.003),
        // Bands of noise as wide in cents as rows are.
        (Param::ShapeBandGrowth, 1.0),
    ] {
        values.set(param, value);
    }
    if is_stereo {
        let imported = Param::LayerTable.info().kind.range().1;
        for (param, value) in [
            // Choice 1 is "mix".
            (Param::LayerMode, 1.0),
            (Param::LayerTable, imported),
            (Param::LayerPosition, 0.0),
            (Param::LayerSpeed, 1.0),
            (Param::LayerPartials, made.partials as f32),
            (Param::LayerBlend, 0.5),
            (Param::LayerSpread, 1.0),
            // Both layers together are as loud as a single one.
            (Param::AmpLevel, Param::AmpLevel.info().default + 3.01),
        ] {
            values.set(param, value);
        }
        patch.tracks[1] = second;
    }
    add_macros(&mut patch, is_stereo);
    if let Some(white_db) = picture.own_axes.white_db {
        set_white(&mut patch, axes.key, white_db, made.reference)?;
    }
    let [width, height] = picture.size;
    let findings = vec![
        ("picture", format!("{width} × {height} pixels")),
        ("length", format!("{:.2} s", axes.seconds)),
        ("pitch", format!("{:.1} to {:.0} Hz on key {}", axes.low, axes.high, axes.key)),
        (
            "partials",
            format!(
                "{} in {} columns of {:.1} ms",
                made.partials,
                made.columns,
                1_000.0 * made.hop(axes.seconds)
            ),
        ),
        ("stereo", if is_stereo { "by colour" } else { "centre; no colours" }.to_owned()),
    ];
    Ok(Imported { patch, findings, recording: None })
}

/// Macros that both layers of a picture follow.
fn add_macros(patch: &mut Patch, is_stereo: bool) {
    instrument::add_macro(patch, 0, "Freeze", Param::SourceSpeed, -1.0);
    instrument::add_macro(patch, 1, "Position", Param::SourcePosition, 1.0);
    instrument::add_macro(patch, 2, "Bright", Param::ShapeTilt, 6.0);
    instrument::add_macro(patch, 3, "Air", Param::ShapeBandwidth, 0.3);
    if is_stereo {
        for (source, target, amount) in [
            (Source::Macro1, Param::LayerSpeed, -1.0),
            (Source::Macro2, Param::LayerPosition, 1.0),
            (Source::Macro4, Param::LayerBandwidth, 0.3),
        ] {
            let curve = RouteCurve::default();
            patch.routes.push(Route { source, via: None, target, amount, curve });
        }
        instrument::add_macro(patch, 4, "Narrow", Param::LayerSpread, -1.0);
    }
}

/// Sets the level of a patch so that white has that of the sound which was drawn. `reference` is the
/// level that the tables are relative to, where a white pixel has 1.
fn set_white(patch: &mut Patch, key: u8, white_db: f64, reference: f64) -> Result<(), ImportError> {
    let mut engine = Engine::new(&EngineConfig::default())?;
    engine.set_patch(0, patch);
    let kind = EventKind::NoteOn { key, velocity: VELOCITY };
    let (mut left, mut right) = ([0.0; 4_096], [0.0; 4_096]);
    engine.render(&[Event { frame: 0, part: 0, kind }], &mut left, &mut right);
    let mut snapshot = Snapshot::new();
    engine.snapshot(0, &mut snapshot);
    if let Some(cloud) = snapshot.clouds.first() {
        let gain = f64::from(cloud.gain_to[0].hypot(cloud.gain_to[1])).max(1e-9);
        let off = white_db + 20.0 * (reference / gain).log10();
        let level = patch.values[Param::AmpLevel] + off as f32;
        patch.values.set(Param::AmpLevel, Param::AmpLevel.info().clamp(level));
    }
    Ok(())
}

impl Picture {
    /// Its axes, where some are given.
    ///
    /// # Errors
    /// When they are not possible.
    pub fn axes(&self, given: &GivenAxes) -> Result<Axes, ImportError> {
        Axes::choose(given, &self.own_axes)
    }

    /// The picture as it is heard, at most this large: its size and its pixels, row after row. Thin lines
    /// stay visible.
    pub fn thumbnail(&self, most: [usize; 2]) -> ([usize; 2], Vec<[u8; 3]>) {
        let Grid { columns, rows, .. } = self.grid;
        let [width, height] = [columns.min(most[0].max(1)), rows.min(most[1].max(1))];
        let mut powers = vec![[0.0_f32; 2]; width * height];
        for row in 0..rows {
            for (column, cell) in self.grid.row(row).iter().enumerate() {
                let shown = &mut powers[row * height / rows * width + column * width / columns];
                if cell[0] + cell[1] > shown[0] + shown[1] {
                    *shown = *cell;
                }
            }
        }
        ([width, height], powers.into_iter().map(colour::pixel).collect())
    }
}

#[cfg(test)]
mod tests;
