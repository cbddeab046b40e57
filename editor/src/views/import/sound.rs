//! A sound: outline, spectrogram and partials over time, with handles for trim and loop.

use crate::import::Found;
use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::epaint::Mesh;
use egui::{
    Align2, Color32, ColorImage, CursorIcon, Rect, Sense, Shape, Stroke, TextureHandle, Ui,
    WidgetInfo, pos2, vec2,
};
use myriad_engine::params::Param;
use myriad_import::{Options, Overview};
use std::sync::Arc;

/// The height of the outline above the spectrogram.
const OUTLINE: f32 = 56.0;
/// Levels below this are black, in decibels below the loudest.
const RANGE_DB: f32 = 80.0;
/// The shortest part that a handle leaves, in seconds.
const SHORTEST: f64 = 0.06;

/// State of the view from frame to frame.
#[derive(Default)]
pub(super) struct SoundView {
    /// The spectrogram, and the sound it shows.
    texture: Option<(TextureHandle, Arc<Overview>)>,
    /// The part between the trim handles while one is dragged.
    trim: Option<[f64; 2]>,
}

impl SoundView {
    /// Returns how to import the sound again after a trim.
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        found: &Found,
        overview: &Arc<Overview>,
        rect: Rect,
    ) -> Option<Options> {
        theme::well(ui.painter(), rect);
        let top = rect.with_max_y(rect.top() + OUTLINE);
        let below = rect.with_min_y(top.bottom() + 2.0);
        outline(ui, overview, top);
        let texture = self.texture(ui, overview);
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter_at(rect).image(texture, below, uv, Color32::WHITE);
        let seconds = overview.seconds.max(1e-3);
        let x = |time: f64| rect.left() + (time / seconds).clamp(0.0, 1.0) as f32 * rect.width();
        partials(ui, found, overview, below, &x);
        let region = self.trim.unwrap_or_else(|| found.region());
        if found.recording.is_some() || self.trim.is_some() {
            loop_handles(ui, session, rect, region, &x);
        }
        self.trim_handles(ui, found, rect, seconds, &x)
    }

    fn texture(&mut self, ui: &Ui, overview: &Arc<Overview>) -> egui::TextureId {
        if let Some((texture, shown)) = &self.texture
            && Arc::ptr_eq(shown, overview)
        {
            return texture.id();
        }
        let [columns, rows] = overview.size;
        let loudest = overview.levels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let pixel = |index: usize| {
            let (row, column) = (index / columns, index % columns);
            let level = overview.levels[column * rows + rows - 1 - row];
            let height = (1.0 + (level - loudest) / RANGE_DB).clamp(0.0, 1.0);
            theme::WELL.lerp_to_gamma(theme::dawn(height), height)
        };
        let pixels = (0..columns * rows).map(pixel).collect();
        let image = ColorImage::new([columns, rows], pixels);
        let texture = ui.ctx().load_texture("spectrogram", image, egui::TextureOptions::LINEAR);
        let id = texture.id();
        self.texture = Some((texture, overview.clone()));
        id
    }

    /// The two handles at the ends of the part that is used.
    fn trim_handles(
        &mut self,
        ui: &mut Ui,
        found: &Found,
        rect: Rect,
        seconds: f64,
        x: &impl Fn(f64) -> f32,
    ) -> Option<Options> {
        let mut region = self.trim.unwrap_or_else(|| found.region());
        let [left, right] = region.map(x);
        let dark = theme::NIGHT.gamma_multiply(0.72);
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect.with_max_x(left), 0.0, dark);
        painter.rect_filled(rect.with_min_x(right), 0.0, dark);
        let mut released = false;
        for (end, name) in ["Trim start", "Trim end"].into_iter().enumerate() {
            let grip = Rect::from_center_size(
                pos2(x(region[end]), rect.center().y),
                vec2(12.0, rect.height()),
            );
            let id = ui.scope_id().with(name);
            let response = ui.interact(grip, id, Sense::drag());
            let value = region[end];
            response.widget_info(|| WidgetInfo::slider(true, value, name));
            if response.dragged() {
                let way = f64::from(response.drag_delta().x / rect.width()) * seconds;
                region[end] = match end {
                    0 => (value + way).clamp(0.0, (region[1] - SHORTEST).max(0.0)),
                    _ => (value + way).clamp((region[0] + SHORTEST).min(seconds), seconds),
                };
                self.trim = Some(region);
            }
            released |= response.drag_stopped();
            let awake = response.hovered() || response.dragged();
            let stroke = Stroke::new(if awake { 2.5 } else { 1.5 }, theme::AMBER);
            let painter = ui.painter();
            painter.vline(x(region[end]), rect.y_range(), stroke);
            let side = if end == 0 { 1.0 } else { -1.0 };
            let flag = pos2(x(region[end]) + 5.0 * side, rect.top() + 7.0);
            paint::arrow(painter, flag, 4.0, end == 0, theme::AMBER);
            if awake {
                let anchor = if end == 0 { Align2::LEFT_TOP } else { Align2::RIGHT_TOP };
                let at = pos2(x(region[end]) + 12.0 * side, rect.top() + 1.0);
                let text = format!("{:.3} s", region[end]);
                painter.text(at, anchor, text, theme::regular(10.5), theme::TEXT);
            }
            response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        }
        if released && let Some(region) = self.trim.take() {
            return Some(Options { region: Some(region), ..found.options });
        }
        None
    }
}

fn outline(ui: &Ui, overview: &Overview, rect: Rect) {
    let loudest = overview.peaks.iter().copied().fold(1e-6, f32::max);
    let step = rect.width() / overview.peaks.len().max(1) as f32;
    let mut mesh = Mesh::default();
    for (index, peak) in overview.peaks.iter().enumerate() {
        let x = rect.left() + step * index as f32;
        let height = 0.46 * rect.height() * (peak / loudest).min(1.0);
        let colour = theme::dawn(0.2 + 0.7 * peak / loudest);
        let [top, bottom] = [rect.center().y - height, rect.center().y + height];
        let corners = [(x, top), (x + step, top), (x + step, bottom), (x, bottom)];
        paint::quad(&mut mesh, corners.map(|(x, y)| (pos2(x, y), colour)));
    }
    ui.painter_at(rect).add(Shape::mesh(mesh));
}

/// The tracked partials over the spectrogram.
fn partials(ui: &Ui, found: &Found, overview: &Overview, rect: Rect, x: &impl Fn(f64) -> f32) {
    let Some(recording) = &found.recording else {
        return;
    };
    let range = &overview.frequencies;
    let octaves = (range.end / range.start).log2();
    let y = |hertz: f32| rect.bottom() - (hertz / range.start).log2() / octaves * rect.height();
    let painter = ui.painter_at(rect);
    for partial in &recording.partials {
        for pair in partial.points.windows(2) {
            let level = 20.0 * pair[0][2].max(1e-6).log10();
            let seen = (1.0 + level / 60.0).clamp(0.0, 1.0);
            if seen > 0.0 {
                let ends =
                    [pair[0], pair[1]].map(|[time, hertz, _]| pos2(x(time.into()), y(hertz)));
                let colour = theme::AQUA.gamma_multiply(0.15 + 0.75 * seen);
                painter.line_segment(ends, Stroke::new(1.2, colour));
            }
        }
    }
}

/// The handles of the loop, which is a part of what is between the trim handles.
pub(super) fn loop_handles(
    ui: &Ui,
    session: &mut Session,
    rect: Rect,
    [from, to]: [f64; 2],
    x: &impl Fn(f64) -> f32,
) {
    if session.index(Param::SourceLoop) == 0 {
        return;
    }
    let [left, right] = [x(from), x(to)];
    let width = (right - left).max(1.0);
    let ends = [Param::SourceLoopStart, Param::SourceLoopEnd];
    let places = ends.map(|param| left + width * session.scale(param));
    let band = Rect::from_min_max(
        pos2(places[0].min(places[1]), rect.bottom() - 8.0),
        pos2(places[0].max(places[1]), rect.bottom() - 2.0),
    );
    ui.painter().rect_filled(band, 3.0, theme::AQUA.gamma_multiply(0.5));
    for (param, at) in ends.into_iter().zip(places) {
        let middle = pos2(at, rect.bottom() - 10.0);
        let grip = Rect::from_center_size(middle, vec2(14.0, 20.0));
        let name = format!("{} handle", crate::names::of(param));
        let response = ui.interact(grip, ui.scope_id().with(&name), Sense::drag());
        let value = f64::from(session.value(param));
        response.widget_info(|| WidgetInfo::slider(true, value, &name));
        if response.drag_started() {
            session.begin(&[param]);
        }
        if response.dragged() && session.holds(param) {
            let scale = session.scale(param) + response.drag_delta().x / width;
            session.set(param, param.info().kind.from_scale(scale.clamp(0.0, 1.0)));
        }
        if response.drag_stopped() && session.holds(param) {
            session.end();
        }
        let awake = response.hovered() || response.dragged();
        paint::handle(ui.painter(), middle, theme::AQUA, awake);
        response.on_hover_text("Loop: drag").on_hover_cursor(CursorIcon::ResizeHorizontal);
    }
}
