//! The cloud: frequency, level and pan of every sounding partial, with trails. Partials that the
//! filter attenuates are dimmed. In silence, a preview of the patch.

mod light;

use super::axis::Axes;
use super::filter::{FILTERS, FilterCurve};
use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::epaint::Mesh;
use egui::{Color32, ColorImage, Context, Pos2, Rect, Shape, TextureHandle, Ui, pos2, vec2};
use light::{Mark, backdrop, dot, paint_marks, paint_removed, removed, sprite, stem};
use myriad_engine::view::{self, PartialView};
use myriad_engine::{Patch, Snapshot};
use std::collections::VecDeque;

/// The note of the preview.
const REST_KEY: u8 = 48;
/// Snapshots that stay visible as trails.
const TRAIL: usize = 9;
/// Bins of the glow behind the cloud.
const BINS: usize = 160;
/// The fraction of that glow that is left after a second.
const AFTERGLOW: f32 = 0.12;

/// State from frame to frame.
pub(crate) struct CloudView {
    /// The patch of the last preview, and its snapshot.
    rest: Option<(Patch, Snapshot)>,
    trail: VecDeque<Vec<Mark>>,
    /// Heights and pans of the glow.
    glow_bins: [(f32, f32); BINS],
    /// Opacity of the preview, 0 to 1: it fades out when notes sound.
    resting: f32,
    partials: Vec<PartialView>,
    spark: Option<TextureHandle>,
}

impl Default for CloudView {
    fn default() -> Self {
        Self {
            rest: None,
            trail: VecDeque::with_capacity(TRAIL),
            glow_bins: [(0.0, 0.0); BINS],
            resting: 1.0,
            partials: Vec::new(),
            spark: None,
        }
    }
}

impl CloudView {
    /// Draws the cloud; `seconds` have passed since the last frame. `over` is drawn over the partials and below the
    /// handles of the filters, which can be dragged everywhere.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        rect: Rect,
        seconds: f32,
        over: impl FnOnce(&Ui),
    ) {
        let plot =
            Axes(Rect::from_min_max(rect.min + vec2(10.0, 10.0), rect.max - vec2(10.0, 22.0)));
        let painter = ui.painter_at(rect);
        backdrop(&painter, rect);
        plot.grid(&painter);
        self.follow_patch(session);
        let marks = self.marks(plot, session.snapshot);
        self.age(plot, &marks, session.snapshot.sounding, seconds);

        self.paint_aurora(&painter, plot);
        let painter = ui.painter_at(plot.0.expand2(vec2(10.0, 10.0)));
        if let Some((_, rest)) = &self.rest
            && self.resting > 0.01
        {
            let rest = rest.clone();
            let marks = self.marks(plot, &rest);
            self.paint_rest(&painter, plot, &marks);
        }
        let spark = self.spark(ui.ctx());
        paint_removed(&painter, plot, &marks);
        self.paint_trail(&painter, plot, spark);
        paint_marks(&painter, plot, &marks, spark);
        if session.snapshot.sounding {
            self.trail.push_back(marks);
        }
        if self.trail.len() > TRAIL || !session.snapshot.sounding {
            self.trail.pop_front();
        }
        over(ui);
        if let Some((_, rest)) = &self.rest {
            for index in 0..FILTERS {
                let axes = plot;
                FilterCurve { index, axes, rest }.show(ui, session);
            }
        }
    }

    /// The preview of the patch, once it exists.
    pub(crate) fn rest(&self) -> Option<&Snapshot> {
        self.rest.as_ref().map(|(_, rest)| rest)
    }

    /// Another view is shown in its place.
    pub(crate) fn hide(&mut self, session: &Session) {
        self.follow_patch(session);
        self.trail.clear();
        self.resting = 1.0;
    }

    /// Whether an animation is running.
    pub(crate) fn moves(&self) -> bool {
        !self.trail.is_empty() || (self.resting > 0.0 && self.resting < 1.0)
    }

    /// Updates the preview of the patch.
    fn follow_patch(&mut self, session: &Session) {
        let now = session.snapshot();
        if self.rest.as_ref().is_none_or(|(seen, _)| seen.values != now.values) {
            let rest = view::at_rest(&now, REST_KEY, session.snapshot.sample_rate);
            self.rest = Some((now, rest));
        }
    }

    /// The visible partials: of those that share a column of pixels, the loudest on either side.
    fn marks(&mut self, axes: Axes, snapshot: &Snapshot) -> Vec<Mark> {
        let columns = axes.0.width() as usize + 1;
        let mut loudest: Vec<[Option<Mark>; 2]> = vec![[None; 2]; columns];
        for cloud in &snapshot.clouds {
            self.partials.clear();
            view::partials(cloud, snapshot.sample_rate, &mut self.partials);
            for partial in &self.partials {
                let unfiltered = Axes::height(partial.unfiltered);
                let x = axes.x(partial.hertz);
                let column = x - axes.0.left();
                if unfiltered <= 0.0 || column < 0.0 || column as usize >= columns {
                    continue;
                }
                let mark =
                    Mark { x, height: Axes::height(partial.level), unfiltered, pan: partial.pan };
                let place = &mut loudest[column as usize][usize::from(partial.pan >= 0.0)];
                if place.is_none_or(|other| other.unfiltered < unfiltered) {
                    *place = Some(mark);
                }
            }
        }
        loudest.into_iter().flatten().flatten().collect()
    }

    /// Updates the glow and the opacity of the preview.
    fn age(&mut self, axes: Axes, marks: &[Mark], sounding: bool, seconds: f32) {
        let left = AFTERGLOW.powf(seconds);
        for (height, _) in &mut self.glow_bins {
            *height *= left;
        }
        for mark in marks {
            let bin = (mark.x - axes.0.left()) / axes.0.width() * (BINS - 1) as f32;
            let (height, pan) = &mut self.glow_bins[(bin as usize).min(BINS - 1)];
            if *height < mark.height {
                *height += (mark.height - *height) * (1.0 - left).max(0.35);
                *pan += (mark.pan - *pan) * 0.2;
            }
        }
        let way = if sounding { -6.0 } else { 1.6 };
        self.resting = (self.resting + way * seconds).clamp(0.0, 1.0);
    }

    fn paint_aurora(&self, painter: &egui::Painter, axes: Axes) {
        // Smoothed, so that single partials merge.
        let smooth = |bin: usize| {
            let (mut sum, mut weights, mut pan) = (0.0, 0.0, 0.0);
            for offset in -5_i32..=5 {
                let other = bin as i32 + offset;
                if (0..BINS as i32).contains(&other) {
                    let weight = (-(offset * offset) as f32 / 9.0).exp();
                    let (height, place) = self.glow_bins[other as usize];
                    sum += weight * height;
                    pan += weight * place;
                    weights += weight;
                }
            }
            (sum / weights, pan / weights)
        };
        let mut mesh = Mesh::default();
        let points: Vec<(Pos2, Color32)> = (0..BINS)
            .map(|bin| {
                let (height, pan) = smooth(bin);
                let x = axes.0.left() + axes.0.width() * bin as f32 / (BINS - 1) as f32;
                let colour = theme::VIOLET.lerp_to_gamma(theme::pan(pan), 0.55);
                (pos2(x, axes.y(height)), theme::light(colour, 0.9 * height))
            })
            .collect();
        for pair in points.windows(2) {
            let [(a, from), (b, to)] = [pair[0], pair[1]];
            let floor = |at: Pos2| pos2(at.x, axes.0.bottom());
            let above = |at: Pos2| pos2(at.x, at.y - 46.0);
            let dim = |colour: Color32| colour.gamma_multiply(0.12);
            paint::quad(
                &mut mesh,
                [(a, from), (b, to), (floor(b), dim(to)), (floor(a), dim(from))],
            );
            let none = Color32::TRANSPARENT;
            paint::quad(&mut mesh, [(above(a), none), (above(b), none), (b, to), (a, from)]);
        }
        painter.add(Shape::mesh(mesh));
    }

    fn paint_rest(&self, painter: &egui::Painter, axes: Axes, marks: &[Mark]) {
        let seen = self.resting;
        let mut mesh = Mesh::default();
        for mark in marks {
            let colour = theme::VIOLET.lerp_to_gamma(theme::pan(mark.pan), 0.45);
            let top = colour.gamma_multiply(seen * (0.1 + 0.5 * mark.height));
            stem(&mut mesh, axes, mark.x, [mark.height, 0.0], 0.7, [top, top.gamma_multiply(0.1)]);
            removed(&mut mesh, axes, mark, seen);
            if mark.height > 0.0 {
                let at = pos2(mark.x, axes.y(mark.height));
                let bright = colour.gamma_multiply(seen * (0.4 + 0.6 * mark.height));
                dot(&mut mesh, at, 1.0 + 0.8 * mark.height, bright);
            }
        }
        painter.add(Shape::mesh(mesh));
    }

    fn paint_trail(&self, painter: &egui::Painter, axes: Axes, spark: egui::TextureId) {
        let mut mesh = Mesh::with_texture(spark);
        for (age, moment) in self.trail.iter().rev().enumerate() {
            let left = 1.0 - (age + 1) as f32 / (TRAIL + 1) as f32;
            for mark in moment.iter().filter(|mark| mark.height > 0.25) {
                let strength = 0.16 * left * left * mark.height;
                // Trails move upwards.
                let at = pos2(mark.x, axes.y(mark.height) - 1.2 * age as f32);
                let colour = theme::light(theme::pan(mark.pan), strength);
                sprite(&mut mesh, at, 2.0 + 3.0 * mark.height, colour);
            }
        }
        painter.add(Shape::mesh(mesh));
    }

    /// The texture of a soft glow, made on first use.
    fn spark(&mut self, ctx: &Context) -> egui::TextureId {
        const SIZE: usize = 32;
        let make = || {
            let brightness = |index: usize| {
                let place = |i: usize| (i as f32 + 0.5) / (SIZE as f32 / 2.0) - 1.0;
                let radius = place(index % SIZE).hypot(place(index / SIZE));
                let light = (1.0 - radius).clamp(0.0, 1.0);
                let bright = (light * light * (0.35 + 0.65 * light * light) * 255.0) as u8;
                Color32::from_rgba_premultiplied(bright, bright, bright, bright)
            };
            let pixels = (0..SIZE * SIZE).map(brightness).collect();
            let image = ColorImage::new([SIZE, SIZE], pixels);
            ctx.load_texture("spark", image, egui::TextureOptions::LINEAR)
        };
        self.spark.get_or_insert_with(make).id()
    }
}
