//! The spectrogram: the spectrum of the output over the last seconds, low below, the newest at the right.

use crate::light;
use crate::theme;
use crate::views::axis::Axes;
use egui::{
    Align2, Color32, ColorImage, Painter, Rect, Stroke, TextureHandle, TextureOptions, pos2,
};
use myriad_measure::{Output, WindowedFft, hann};

/// Frames of a transform.
const LENGTH: usize = 4_096;
/// Columns a second, and how many are shown.
const PER_SECOND: f32 = 60.0;
const COLUMNS: usize = 480;
const ROWS: usize = 180;
/// Levels of the darkest and the brightest, in decibels.
const FLOOR: f32 = -92.0;
const TOP: f32 = -18.0;

/// State from frame to frame.
#[derive(Default)]
pub(super) struct Spectrogram {
    /// The transform, and the sample rate that it is for.
    fft: Option<(WindowedFft, f32)>,
    /// A ring of columns.
    texture: Option<TextureHandle>,
    /// The column that is written next.
    next: usize,
    /// Frames of the output that are in the columns.
    seen: u64,
    /// Whether they are drawn for the light theme, which leaves pictures as they are.
    light: bool,
}

impl Spectrogram {
    pub(super) fn show(&mut self, painter: &Painter, output: &Output, plot: Rect) {
        let light = light::is_on(painter.ctx());
        if self.light != light {
            *self = Self { light, ..Self::default() };
        }
        let texture = self.texture.get_or_insert_with(|| {
            let image = ColorImage::filled([COLUMNS, ROWS], colour(FLOOR, light));
            painter.ctx().load_texture("spectrogram", image, TextureOptions::LINEAR)
        });
        let id = texture.id();
        for column in self.columns(output) {
            let image = ColorImage::new([1, ROWS], column);
            if let Some(texture) = &mut self.texture {
                texture.set_partial([self.next, 0], image, TextureOptions::LINEAR);
            }
            self.next = (self.next + 1) % COLUMNS;
        }
        // The older part of the ring is left of the newer one.
        let share = self.next as f32 / COLUMNS as f32;
        let split = plot.right() - share * plot.width();
        let part = |from: f32, to: f32| Rect::from_min_max(pos2(from, 0.0), pos2(to, 1.0));
        // Half a column less on either side: the newest and the oldest are neighbours in the texture.
        let half = 0.5 / COLUMNS as f32;
        painter.image(id, plot.with_max_x(split), part(share + half, 1.0), Color32::WHITE);
        painter.image(id, plot.with_min_x(split), part(0.0, share - half), Color32::WHITE);
        grid(painter, plot);
    }

    /// The columns since the last call, from top to bottom.
    fn columns(&mut self, output: &Output) -> Vec<Vec<Color32>> {
        if output.sample_rate <= 0.0 {
            return Vec::new();
        }
        if self.fft.as_ref().is_none_or(|(_, rate)| *rate != output.sample_rate) {
            let fft = WindowedFft::new(LENGTH, output.sample_rate, hann);
            self.fft = Some((fft, output.sample_rate));
        }
        let Some((fft, _)) = &mut self.fft else {
            return Vec::new();
        };
        let hop = (output.sample_rate / PER_SECOND) as u64;
        let first = output.total.saturating_sub(output.frames.len() as u64);
        // What is not there any more is left out; so is everything before an output began anew.
        let oldest = first + LENGTH as u64;
        if self.seen > output.total || self.seen + hop < oldest {
            self.seen = oldest.saturating_sub(hop).min(output.total);
        }
        let mut columns = Vec::new();
        while self.seen + hop <= output.total && hop > 0 {
            self.seen += hop;
            let Some(start) = (self.seen - first).checked_sub(LENGTH as u64) else {
                continue;
            };
            let window = &output.frames[start as usize..start as usize + LENGTH];
            fft.transform([0, 1].map(|side| window.iter().map(move |frame| &frame[side])));
            let row = |row: usize| {
                let part = |row: usize| 1.0 - row as f32 / ROWS as f32;
                let (low, high) = (Axes::frequency(part(row + 1)), Axes::frequency(part(row)));
                colour(fft.level(low, high), self.light)
            };
            columns.push((0..ROWS).map(row).collect());
        }
        columns
    }
}

fn colour(decibels: f32, light: bool) -> Color32 {
    let height = ((decibels - FLOOR) / (TOP - FLOOR)).clamp(0.0, 1.0);
    let colour = theme::WELL.lerp_to_gamma(theme::dawn(height), (1.6 * height).min(1.0));
    if light { light::lightened(colour) } else { colour }
}

fn grid(painter: &Painter, plot: Rect) {
    let font = theme::regular(9.5);
    for (hertz, text) in [(100.0, "100"), (1_000.0, "1k"), (10_000.0, "10k")] {
        let y = plot.bottom() - Axes::part(hertz) * plot.height();
        let stroke = Stroke::new(1.0, theme::FAINT.gamma_multiply(0.35));
        painter.hline(plot.x_range(), y, stroke);
        let at = pos2(plot.left() + 6.0, y - 2.0);
        let galley = painter.layout_no_wrap(text.to_owned(), font.clone(), theme::TEXT);
        let place = Align2::LEFT_BOTTOM.anchor_size(at, galley.size());
        // It is read on bright sounds too.
        painter.rect_filled(
            place.expand(2.0),
            theme::SMALL_ROUND,
            theme::NIGHT.gamma_multiply(0.7),
        );
        painter.galley(place.min, galley, theme::TEXT);
    }
    let at = plot.right_bottom() - egui::vec2(4.0, 2.0);
    let text = format!("{:.0} s", COLUMNS as f32 / PER_SECOND);
    painter.text(at, Align2::RIGHT_BOTTOM, text, font, theme::MUTED);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hertz: f32, from: u64, count: usize) -> Output {
        let sample = |index: u64| {
            let phase = f64::from(hertz) * index as f64 / 48_000.0;
            (std::f64::consts::TAU * phase).sin() as f32
        };
        let frames = (from..from + count as u64).map(|index| [sample(index); 2]).collect();
        Output { frames, total: from + count as u64, sample_rate: 48_000.0 }
    }

    /// A tone is a line at its pitch, and every moment is shown once.
    #[test]
    fn a_tone_is_a_line_at_its_pitch() {
        let mut spectrogram = Spectrogram::default();
        let hertz = 1_000.0;
        let columns = spectrogram.columns(&sine(hertz, 0, 8_192));
        assert_eq!(columns.len(), 1 + (8_192 - LENGTH) / 800);
        let brightness = |colour: &Color32| u32::from(colour.r()) + u32::from(colour.g());
        let brightest = (0..ROWS).max_by_key(|row| brightness(&columns[0][*row])).unwrap();
        let expected = (1.0 - Axes::part(hertz)) * ROWS as f32;
        assert!((brightest as f32 - expected).abs() < 2.0, "{brightest} {expected}");
        assert!(spectrogram.columns(&sine(hertz, 0, 8_192)).is_empty(), "nothing new");
        assert_eq!(spectrogram.columns(&sine(hertz, 1_600, 8_192)).len(), 2);
        // A jump, a new beginning, and too few frames.
        assert!(spectrogram.columns(&sine(hertz, 1_000_000, 8_192)).len() < 8);
        assert!(spectrogram.columns(&sine(hertz, 0, 100)).is_empty());
        assert!(spectrogram.columns(&Output::default()).is_empty());
    }
}
