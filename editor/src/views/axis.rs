//! Frequency and level axes, which the cloud and the filter share.

use crate::theme;
use egui::{Align2, Painter, Pos2, Rect, Stroke, pos2};

const LOWEST: f32 = 24.0;
const HIGHEST: f32 = 20_000.0;
/// Levels at the bottom and the top, in decibels.
const FLOOR: f32 = -86.0;
const TOP: f32 = -14.0;
/// Gains of the filter at the bottom and the top.
const LEAST_GAIN: f32 = -66.0;
const MOST_GAIN: f32 = 30.0;

/// Axes over a rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Axes(pub(crate) Rect);

impl Axes {
    pub(crate) fn x(self, hertz: f32) -> f32 {
        self.0.left() + Self::part(hertz) * self.0.width()
    }

    pub(crate) fn hertz(self, x: f32) -> f32 {
        Self::frequency((x - self.0.left()) / self.0.width())
    }

    /// Where on the axis a frequency is, 0 to 1.
    pub(crate) fn part(hertz: f32) -> f32 {
        (hertz.max(1.0) / LOWEST).log2() / (HIGHEST / LOWEST).log2()
    }

    /// The frequency at a place of the axis.
    pub(crate) fn frequency(part: f32) -> f32 {
        LOWEST * (HIGHEST / LOWEST).powf(part)
    }

    /// The height of a level, 0 to 1 between the floor and the top.
    pub(crate) fn height(level: f32) -> f32 {
        let decibels = 20.0 * level.max(1e-9).log10();
        ((decibels - FLOOR) / (TOP - FLOOR)).clamp(0.0, 1.0)
    }

    pub(crate) fn y(self, height: f32) -> f32 {
        self.0.bottom() - height * self.0.height()
    }

    /// The y coordinate of a filter gain.
    pub(crate) fn gain_y(self, gain: f32) -> f32 {
        let decibels = 20.0 * gain.max(1e-9).log10();
        let part = (decibels - LEAST_GAIN) / (MOST_GAIN - LEAST_GAIN);
        self.0.bottom() - part.clamp(-1.0, 1.0) * self.0.height()
    }

    /// The gain at a y coordinate.
    pub(crate) fn gain(self, y: f32) -> f32 {
        let part = (self.0.bottom() - y) / self.0.height();
        let decibels = LEAST_GAIN + part * (MOST_GAIN - LEAST_GAIN);
        10.0_f32.powf(decibels / 20.0)
    }

    /// A curve over all frequencies: a point every few pixels, and enough of them for every notch
    /// of a phaser.
    pub(crate) fn curve(self, gain: impl Fn(f32) -> f32) -> Vec<Pos2> {
        const LEAST: f32 = 400.0;
        let steps = (self.0.width() / 3.0).max(LEAST).ceil();
        let at = |step: f32| self.0.left() + step / steps * self.0.width();
        (0..=steps as usize)
            .map(|step| at(step as f32))
            .map(|x| pos2(x, self.gain_y(gain(self.hertz(x)))))
            .collect()
    }

    /// Grid lines and labels.
    pub(crate) fn grid(self, painter: &Painter) {
        let font = theme::regular(9.5);
        for (hertz, text) in [
            (50.0, "50"),
            (100.0, "100"),
            (200.0, "200"),
            (500.0, "500"),
            (1_000.0, "1k"),
            (2_000.0, "2k"),
            (5_000.0, "5k"),
            (10_000.0, "10k"),
        ] {
            let x = self.x(hertz);
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.35));
            painter.vline(x, self.0.y_range(), stroke);
            let at = pos2(x + 4.0, self.0.bottom() + 4.0);
            painter.text(at, Align2::LEFT_TOP, text, font.clone(), theme::FAINT);
        }
        for decibels in [-24, -48, -72] {
            let level = 10.0_f32.powf(decibels as f32 / 20.0);
            let y = self.y(Self::height(level));
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.22));
            painter.hline(self.0.x_range(), y, stroke);
            let at = pos2(self.0.right() - 4.0, y - 1.0);
            let text = format!("{decibels} dB");
            painter.text(at, Align2::RIGHT_BOTTOM, text, font.clone(), theme::FAINT);
        }
    }
}
