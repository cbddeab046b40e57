//! Small displays over the knobs of a group, which show what the knobs do.

use super::axis::Axes;
use super::filter::FilterCurve;
use super::layers;
use super::table::LAYERS;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::meter::Meter;
use egui::epaint::Mesh;
use egui::{Color32, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::Snapshot;
use myriad_engine::params::Param;
use myriad_engine::spectrum::Cloud;
use myriad_engine::view::{self, PartialView};

/// Data that the displays are drawn from.
pub(crate) struct Displays<'a> {
    /// The preview of the patch.
    pub(crate) rest: &'a Snapshot,
    pub(crate) meter: &'a Meter,
    /// Number of sounding voices.
    pub(crate) voices: usize,
}

impl Displays<'_> {
    /// Draws the display of a group, if it has one. Returns whether it has.
    pub(crate) fn show(&self, ui: &Ui, session: &mut Session, group: &str, rect: Rect) -> bool {
        if !matches!(group, "shape" | "layer" | "filter" | "filter2" | "amp" | "voice" | "output") {
            return false;
        }
        theme::well(ui.painter(), rect);
        match group {
            "shape" => {
                let first = self.rest.clouds.first();
                self.spectrum(ui, first, |_, partial| theme::pan(partial.pan), rect);
            }
            "layer" => self.layers(ui, session, rect),
            "filter" | "filter2" => {
                let axes = Axes(rect.shrink2(vec2(6.0, 4.0)));
                let (index, rest) = (usize::from(group == "filter2"), self.rest);
                FilterCurve { index, axes, rest }.show_curve(ui, session);
            }
            "amp" => self.panorama(ui, session, rect),
            "voice" => self.voice_lights(ui, session, rect),
            _ => {
                let size = vec2(rect.width() - 24.0, 22.0_f32.min(rect.height() - 16.0));
                self.meter.show(ui, Rect::from_center_size(rect.center(), size));
            }
        }
        true
    }

    /// The spectrum of both layers: each in its own colour, or one in a mixed colour.
    fn layers(&self, ui: &Ui, session: &Session, rect: Rect) {
        let copies = session.index(Param::UnisonVoices).max(1);
        let firsts = self.rest.clouds.iter().step_by(copies);
        let [first, second] = LAYERS.map(|layer| layer.colour);
        let only = match layers::mode(session).as_str() {
            "off" => first,
            _ => first.lerp_to_gamma(second, session.value(Param::LayerBlend)),
        };
        let colours = match firsts.len() {
            1 => [only, only],
            _ => [first, second],
        };
        self.spectrum(ui, firsts, |cloud, _| colours[cloud.min(1)], rect);
    }

    /// The first partials of clouds; `colour` gets the number of their cloud.
    fn spectrum<'c>(
        &self,
        ui: &Ui,
        clouds: impl IntoIterator<Item = &'c Cloud>,
        colour: impl Fn(usize, &PartialView) -> Color32,
        rect: Rect,
    ) {
        const SHOWN: usize = 40;
        let mut partials: Vec<(usize, PartialView)> = Vec::new();
        for (number, cloud) in clouds.into_iter().enumerate() {
            let mut own = Vec::new();
            view::partials(cloud, self.rest.sample_rate, &mut own);
            partials.extend(own.into_iter().map(|partial| (number, partial)));
        }
        let Some((_, first)) = partials.first() else {
            return;
        };
        let plot = rect.shrink2(vec2(12.0, 10.0));
        let top = partials.iter().fold(0.0, |top: f32, (_, p)| top.max(p.unfiltered));
        let mut mesh = Mesh::default();
        for (number, partial) in &partials {
            // By ratio, so that stretch and stiffness move them.
            let x = partial.hertz / first.hertz / SHOWN as f32;
            if x > 1.0 {
                continue;
            }
            let decibels = 20.0 * (partial.unfiltered / top).max(1e-6).log10();
            let tall = (1.0 + decibels / 60.0).clamp(0.0, 1.0);
            let x = plot.left() + x * plot.width();
            let y = plot.bottom() - tall * plot.height();
            let colour = colour(*number, partial);
            let corner = |dx: f32, y: f32, s: f32| (pos2(x + dx, y), colour.gamma_multiply(s));
            let corners = [
                corner(-1.4, y, 0.95),
                corner(1.4, y, 0.95),
                corner(1.4, plot.bottom(), 0.12),
                corner(-1.4, plot.bottom(), 0.12),
            ];
            paint::quad(&mut mesh, corners);
            paint::glow(&mut mesh, pos2(x, y), 7.0, theme::light(colour, 0.5 * tall));
        }
        ui.painter_at(rect).add(Shape::mesh(mesh));
    }

    /// Pan of the partials, low ones below.
    fn panorama(&self, ui: &Ui, session: &Session, rect: Rect) {
        let snapshot = match session.snapshot.sounding {
            true => session.snapshot,
            false => self.rest,
        };
        let painter = ui.painter_at(rect);
        let plot = rect.shrink2(vec2(14.0, 8.0));
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.5));
        painter.vline(plot.center().x, plot.y_range(), stroke);
        let font = theme::regular(9.5);
        for (text, anchor, x) in [
            ("L", egui::Align2::LEFT_TOP, rect.left() + 7.0),
            ("R", egui::Align2::RIGHT_TOP, rect.right() - 7.0),
        ] {
            let at = pos2(x, rect.top() + 5.0);
            painter.text(at, anchor, text, font.clone(), theme::FAINT);
        }
        let mut mesh = Mesh::default();
        let mut partials = Vec::new();
        for cloud in snapshot.clouds.iter().take(32) {
            partials.clear();
            view::partials(cloud, snapshot.sample_rate, &mut partials);
            for partial in partials.iter().take(96) {
                let height = Axes::height(partial.level);
                if height < 0.15 {
                    continue;
                }
                let up = (partial.hertz / 40.0).log2() / 8.6;
                let x = plot.center().x + partial.pan * plot.width() / 2.0;
                let y = plot.bottom() - up.clamp(0.0, 1.0) * plot.height();
                let colour = theme::light(theme::pan(partial.pan), 0.55 * height);
                paint::glow(&mut mesh, pos2(x, y), 2.0 + 6.0 * height, colour);
            }
        }
        painter.add(Shape::mesh(mesh));
    }

    /// A light for each voice of the polyphony.
    fn voice_lights(&self, ui: &Ui, session: &Session, rect: Rect) {
        let limit = (session.value(Param::VoiceLimit) as usize).min(128);
        let plot = rect.shrink2(vec2(12.0, 10.0));
        let step = (plot.area() / limit.max(1) as f32).sqrt().clamp(9.0, 34.0);
        let columns = ((plot.width() / step) as usize).max(1);
        let mut mesh = Mesh::default();
        for voice in 0..limit {
            let at = vec2((voice % columns) as f32 + 0.5, (voice / columns) as f32 + 0.5);
            let at = plot.min + step * at;
            if at.y > plot.bottom() {
                break;
            }
            if voice < self.voices {
                paint::glow(&mut mesh, at, 0.7 * step, theme::light(theme::AMBER, 0.8));
                ui.painter().circle_filled(at, 2.4, theme::LIGHT);
            } else {
                ui.painter().circle_filled(at, 1.8, theme::EDGE);
            }
        }
        ui.painter_at(rect).add(Shape::mesh(mesh));
    }
}
