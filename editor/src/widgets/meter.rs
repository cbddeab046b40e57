//! Level meters with a slow fall and a peak hold line.

use crate::paint;
use crate::theme;
use egui::epaint::Mesh;
use egui::{Rect, Shape, Ui, pos2};

/// The level at the left end, in decibels.
const FLOOR: f32 = -54.0;
/// Decibels that the bar and the peak fall in a second.
const FALL: f32 = 26.0;
const PEAK_FALL: f32 = 8.0;

/// Two channels as they are shown.
#[derive(Debug)]
pub(crate) struct Meter {
    level: [f32; 2],
    peak: [f32; 2],
}

impl Default for Meter {
    fn default() -> Self {
        Self { level: [FLOOR; 2], peak: [FLOOR; 2] }
    }
}

impl Meter {
    /// Takes the peaks of the last `seconds`.
    pub(crate) fn take(&mut self, peaks: [f32; 2], seconds: f32) {
        for (side, peak) in peaks.into_iter().enumerate() {
            let decibels = 20.0 * peak.max(1e-6).log10();
            let fallen = self.level[side] - FALL * seconds;
            self.level[side] = decibels.max(fallen).max(FLOOR);
            let fallen = self.peak[side] - PEAK_FALL * seconds;
            self.peak[side] = decibels.max(fallen).max(FLOOR);
        }
    }

    /// Whether it still moves.
    pub(crate) fn moves(&self) -> bool {
        self.peak.iter().any(|&peak| peak > FLOOR)
    }

    /// Draws both channels, one above the other.
    pub(crate) fn show(&self, ui: &Ui, rect: Rect) {
        let painter = ui.painter();
        let height = (rect.height() - 3.0) / 2.0;
        for side in 0..2 {
            let top = rect.top() + side as f32 * (height + 3.0);
            let bar = Rect::from_min_max(pos2(rect.left(), top), pos2(rect.right(), top + height));
            painter.rect_filled(bar, 2.0, theme::WELL);
            let x = |decibels: f32| bar.left() + bar.width() * (1.0 - decibels / FLOOR);
            let mut mesh = Mesh::default();
            const STEPS: usize = 24;
            for step in 0..STEPS {
                let ends = [step, step + 1].map(|i| FLOOR * (1.0 - i as f32 / STEPS as f32));
                if ends[0] >= self.level[side] {
                    break;
                }
                let right = x(ends[1].min(self.level[side]));
                let colour = theme::dawn(0.1 + 0.85 * step as f32 / STEPS as f32);
                let corners = [
                    (pos2(x(ends[0]), bar.top()), colour),
                    (pos2(right, bar.top()), colour),
                    (pos2(right, bar.bottom()), colour),
                    (pos2(x(ends[0]), bar.bottom()), colour),
                ];
                paint::quad(&mut mesh, corners);
            }
            painter.add(Shape::mesh(mesh));
            if self.peak[side] > FLOOR {
                let colour = if self.peak[side] > -0.35 { theme::ALARM } else { theme::LIGHT };
                let stroke = egui::Stroke::new(1.5, colour);
                painter.vline(x(self.peak[side]).min(bar.right() - 1.0), bar.y_range(), stroke);
            }
        }
    }
}
