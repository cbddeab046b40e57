//! The picture of a sound: waveform, spectrogram and scales.

use super::canvas::{Align, Canvas, Size};
use super::colour::{self, BACKGROUND, FAINT, INK};
use crate::atomic_file::AtomicFile;
use myriad_measure::Spectrogram;
use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::Path;

/// The size of the spectrogram inside the picture.
pub const COLUMNS: usize = 1400;
pub const ROWS: usize = 640;

const LEFT: usize = 92;
const RIGHT: usize = 108;
const WAVE_TOP: usize = 64;
const WAVE_HEIGHT: usize = 96;
const TOP: usize = WAVE_TOP + WAVE_HEIGHT + 16;
const BOTTOM: usize = 56;
const BAR_WIDTH: usize = 14;

/// Levels from the darkest to the lightest colour.
const LEVELS_DB: RangeInclusive<f32> = -100.0..=-10.0;

const FREQUENCY_MARKS: [f32; 9] =
    [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0];

/// Steps between marks on the time axis, in seconds.
const TIME_STEPS: [f64; 20] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0,
    120.0, 300.0, 600.0, 1800.0,
];

/// The text above the picture.
pub struct Caption {
    pub title: String,
    pub details: String,
}

/// Why a picture cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Png(#[from] png::EncodingError),
}

/// Draws `spectrogram` into a PNG file.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(spectrogram: &Spectrogram, caption: &Caption, path: &Path) -> Result<(), PictureError> {
    let width = LEFT + spectrogram.columns + RIGHT;
    let mut canvas = Canvas::new(width, TOP + spectrogram.rows + BOTTOM, BACKGROUND);
    draw_caption(&mut canvas, caption);
    draw_wave(&mut canvas, spectrogram);
    draw_levels(&mut canvas, spectrogram);
    draw_frequencies(&mut canvas, spectrogram);
    draw_times(&mut canvas, spectrogram);
    draw_scale(&mut canvas, spectrogram);
    save(&canvas, path)
}

fn draw_caption(canvas: &mut Canvas, caption: &Caption) {
    let right = canvas.width - RIGHT;
    let details = Size::Small.width_of(&caption.details);
    // A long title is shortened, so that it does not overlap the details.
    let room = (right - LEFT).saturating_sub(details) / Size::Large.width_of("m").max(1);
    let title: String = caption.title.chars().take(room.saturating_sub(2)).collect();
    canvas.text([LEFT, 22], Align::Left, Size::Large, INK, &title);
    canvas.text([right, 28], Align::Right, Size::Small, FAINT, &caption.details);
}

/// The outline of the waveform, scaled to its peak.
fn draw_wave(canvas: &mut Canvas, spectrogram: &Spectrogram) {
    let colours = colour::map();
    let middle = WAVE_TOP + WAVE_HEIGHT / 2;
    let loudest = spectrogram.peaks.iter().fold(1e-6f32, |loudest, peak| loudest.max(*peak));
    for (column, peak) in spectrogram.peaks.iter().enumerate() {
        let peak = peak / loudest;
        let reach = ((peak * (WAVE_HEIGHT / 2) as f32) as usize).max(1);
        for away in 0..reach {
            let light = 0.5 + 0.4 * away as f32 / (WAVE_HEIGHT / 2) as f32;
            let colour = colours[(light * 255.0) as usize];
            canvas.dot(LEFT + column, middle + away, colour, 1.0);
            canvas.dot(LEFT + column, middle - away, colour, 1.0);
        }
    }
}

fn draw_levels(canvas: &mut Canvas, spectrogram: &Spectrogram) {
    let colours = colour::map();
    let (darkest, lightest) = (LEVELS_DB.start(), LEVELS_DB.end());
    for (column, levels) in spectrogram.levels.chunks(spectrogram.rows).enumerate() {
        for (row, level) in levels.iter().rev().enumerate() {
            let light = ((level - darkest) / (lightest - darkest)).clamp(0.0, 1.0);
            let colour = colours[(light * 255.0) as usize];
            canvas.dot(LEFT + column, TOP + row, colour, 1.0);
        }
    }
}

fn draw_frequencies(canvas: &mut Canvas, spectrogram: &Spectrogram) {
    let range = &spectrogram.frequencies;
    let octaves = (range.end / range.start).log2();
    for hz in FREQUENCY_MARKS {
        let height = (hz / range.start).log2() / octaves;
        if !(0.0..=1.0).contains(&height) {
            continue;
        }
        let y = TOP + ((1.0 - height) * spectrogram.rows as f32) as usize;
        canvas.fill([LEFT, y], [spectrogram.columns, 1], INK, 0.10);
        canvas.fill([LEFT - 8, y], [6, 1], FAINT, 1.0);
        let top = y.saturating_sub(Size::Small.height() / 2);
        let label = match hz {
            hz if hz < 1000.0 => format!("{hz} Hz"),
            hz => format!("{} kHz", hz / 1000.0),
        };
        canvas.text([LEFT - 14, top], Align::Right, Size::Small, FAINT, &label);
    }
}

fn draw_times(canvas: &mut Canvas, spectrogram: &Spectrogram) {
    const FEWEST_PIXELS: f64 = 110.0;
    let seconds = spectrogram.seconds.max(1e-3);
    let pixels_per_second = spectrogram.columns as f64 / seconds;
    let roomy = |step: &f64| step * pixels_per_second >= FEWEST_PIXELS;
    let step = TIME_STEPS.into_iter().find(roomy).unwrap_or_else(|| {
        // Many hours: whole hours, as many as needed.
        (FEWEST_PIXELS / pixels_per_second / 3600.0).ceil() * 3600.0
    });
    let y = TOP + spectrogram.rows;
    for mark in 0..=(seconds / step) as u32 {
        let time = f64::from(mark) * step;
        let x = LEFT + (time * pixels_per_second) as usize;
        canvas.fill([x, y + 2], [1, 6], FAINT, 1.0);
        let label = time_label(time, step);
        canvas.text([x, y + 14], Align::Centre, Size::Small, FAINT, &label);
    }
}

/// Seconds for small steps, else minutes and hours.
fn time_label(time: f64, step: f64) -> String {
    let whole = time.round() as u64;
    match step {
        s if s < 0.01 => format!("{time:.3} s"),
        s if s < 0.1 => format!("{time:.2} s"),
        s if s < 1.0 => format!("{time:.1} s"),
        s if s < 10.0 => format!("{whole} s"),
        s if s < 600.0 => format!("{}:{:02}", whole / 60, whole % 60),
        _ => format!("{}:{:02}:00", whole / 3600, whole / 60 % 60),
    }
}

/// The colour scale.
fn draw_scale(canvas: &mut Canvas, spectrogram: &Spectrogram) {
    let colours = colour::map();
    let x = LEFT + spectrogram.columns + 16;
    let rows = spectrogram.rows;
    for row in 0..rows {
        let light = 255 - row * 255 / (rows - 1).max(1);
        canvas.fill([x, TOP + row], [BAR_WIDTH, 1], colours[light], 1.0);
    }
    let (darkest, lightest) = (*LEVELS_DB.start(), *LEVELS_DB.end());
    for tens in (darkest as i32 / 10..=lightest as i32 / 10).filter(|tens| tens % 2 == 0) {
        let height = (tens as f32 * 10.0 - darkest) / (lightest - darkest);
        let y = TOP + ((1.0 - height) * (rows - 1) as f32) as usize;
        let top = y.saturating_sub(Size::Small.height() / 2);
        let label = format!("{} dB", tens * 10);
        canvas.text([x + BAR_WIDTH + 6, top], Align::Left, Size::Small, FAINT, &label);
    }
}

/// Writes a PNG file.
///
/// # Errors
/// When the file cannot be written.
pub fn save(canvas: &Canvas, path: &Path) -> Result<(), PictureError> {
    let (atomic_file, file) = AtomicFile::create(path)?;
    let mut file = BufWriter::new(file);
    let mut encoder = png::Encoder::new(&mut file, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(canvas.bytes())?;
    writer.finish()?;
    file.flush()?;
    drop(file);
    Ok(atomic_file.finish()?)
}
