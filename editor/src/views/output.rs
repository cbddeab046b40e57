//! What the cloud's place shows: the cloud, an oscilloscope, or a spectrogram of the output.

mod scope;
mod spectrogram;

use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use egui::{Color32, Painter, Pos2, Rect, Stroke, Ui, pos2, vec2};
use myriad_library::Library;
use myriad_measure::Output;
use scope::Scope;
use spectrogram::Spectrogram;

/// The views to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    #[default]
    Cloud,
    Scope,
    Spectrogram,
}

impl View {
    pub(crate) const ALL: [View; 3] = [View::Cloud, View::Scope, View::Spectrogram];

    pub(crate) fn name(self) -> &'static str {
        match self {
            View::Cloud => "Cloud",
            View::Scope => "Scope",
            View::Spectrogram => "Spectrogram",
        }
    }

    fn tip(self) -> &'static str {
        match self {
            View::Cloud => "Every partial that sounds: pitch, level and pan",
            View::Scope => "The waveform of the output, left and right",
            View::Spectrogram => "The spectrum of the output over time",
        }
    }
}

/// A sun.
fn sun(painter: &Painter, centre: Pos2, colour: Color32) {
    let stroke = Stroke::new(1.4, colour);
    painter.circle_stroke(centre, 3.6, stroke);
    for ray in 0..8 {
        let way = egui::Vec2::angled(std::f32::consts::TAU * ray as f32 / 8.0);
        painter.line_segment([centre + 6.0 * way, centre + 8.0 * way], stroke);
    }
}

/// State from frame to frame.
#[derive(Default)]
pub(crate) struct OutputView {
    pub(crate) view: View,
    output: Output,
    scope: Scope,
    spectrogram: Spectrogram,
}

impl OutputView {
    /// A window was opened again: textures are made anew.
    pub(crate) fn opened(&mut self) {
        self.spectrogram = Spectrogram::default();
    }

    /// The buttons that choose the theme and the view, at the top right of `rect`: filters are chosen at the left, and
    /// the scale is at the edge.
    pub(crate) fn switch(&mut self, ui: &Ui, library: &mut Library, rect: Rect) {
        let wide = |view: View| 16.0 + 7.0 * view.name().len() as f32;
        let views: f32 = View::ALL.into_iter().map(|view| wide(view) + 2.0).sum();
        let mut left = rect.right() - 56.0 - views;
        let centre = pos2(left - 14.0, rect.top() + 19.0);
        let place = Rect::from_center_size(centre, vec2(22.0, 22.0));
        let (name, tip) = match library.light_theme() {
            false => ("Light theme", "Show the editor light"),
            true => ("Dark theme", "Show the editor dark"),
        };
        let sun = |painter: &Painter, colour| sun(painter, centre, colour);
        if button::icon(ui, place, name, tip, sun).clicked() {
            // A choice that cannot be kept lasts until the editor closes.
            let _ = library.set_light_theme(!library.light_theme());
        }
        for view in View::ALL {
            let wide = wide(view);
            let place = Rect::from_min_size(pos2(left, rect.top() + 8.0), vec2(wide, 22.0));
            if button::word(ui, place, view.name(), view.tip(), self.view == view).clicked() {
                self.view = view;
            }
            left += wide + 2.0;
        }
    }

    /// Draws the oscilloscope or the spectrogram.
    pub(crate) fn show(&mut self, ui: &Ui, session: &mut Session, rect: Rect, seconds: f32) {
        session.host.output(&mut self.output);
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, theme::ROUND, theme::WELL);
        let plot = Rect::from_min_max(rect.min + vec2(10.0, 10.0), rect.max - vec2(10.0, 10.0));
        match self.view {
            View::Cloud => {}
            View::Scope => self.scope.show(&painter, session, &self.output, plot, seconds),
            View::Spectrogram => self.spectrogram.show(&painter, &self.output, plot),
        }
    }
}
