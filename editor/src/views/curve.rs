//! The curve that filters of the kind "drawn" follow: seven points, an octave apart, each of which can
//! be dragged.

use crate::names;
use crate::paint;
use crate::session::Session;
use crate::theme;
use crate::widgets::strip;
use egui::accesskit::Role;
use egui::epaint::Mesh;
use egui::{Align2, Color32, CursorIcon, Rect, Sense, Shape, Stroke, Ui, WidgetInfo};
use egui::{pos2, vec2};
use myriad_engine::params::Param;
use myriad_engine::spectrum::{Cloud, Filter};
use myriad_engine::view;

/// Where the curve is looked at: any cutoff would do.
const CENTRE: f32 = 1_000.0;
const RATE: f32 = 48_000.0;

/// Draws the curve and lets its points be dragged.
pub(crate) fn show(ui: &mut Ui, session: &mut Session, rect: Rect) {
    theme::well(ui.painter(), rect);
    let plot = rect.shrink2(vec2(22.0, 16.0));
    let points = strip::of_group("curve");
    let (low, high) = Param::Curve1.info().kind.range();
    let y = |decibels: f32| plot.bottom() - (decibels - low) / (high - low) * plot.height();
    let steps = (points.len() - 1).max(1) as f32;
    let x = |index: f32| plot.left() + index / steps * plot.width();

    let painter = ui.painter_at(rect);
    let faint = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.6));
    painter.hline(plot.x_range(), y(0.0), faint);
    let font = theme::regular(9.5);
    for (index, param) in points.iter().enumerate() {
        let at = pos2(x(index as f32), rect.bottom() - 2.0);
        let text = param.info().name;
        painter.text(at, Align2::CENTER_BOTTOM, text, font.clone(), theme::FAINT);
    }

    let mut heights = points.iter().map(|&param| session.value(param));
    let filter = Filter::drawn(
        RATE / (CENTRE * myriad_engine::spectrum::TURN),
        std::array::from_fn(|_| heights.next().unwrap_or(0.0)),
    );
    let cloud = Cloud {
        filters: [filter, Filter::default()],
        ..Cloud::default()
    };
    let height = |step: usize| {
        let index = step as f32 / 12.0;
        let gain = view::filter_gain(&cloud, CENTRE * (index - steps / 2.0).exp2(), RATE);
        pos2(x(index), y(20.0 * gain.log10()))
    };
    let line: Vec<_> = (0..=12 * steps as usize).map(height).collect();
    let mut mesh = Mesh::default();
    let top = theme::light(theme::AMBER, 0.09);
    paint::fill_below(&mut mesh, &line, plot.bottom(), top, Color32::TRANSPARENT);
    painter.add(Shape::mesh(mesh));
    paint::luminous_line(&painter, line, 1.6, theme::AMBER.gamma_multiply(0.8));

    for (index, &param) in points.iter().enumerate() {
        let at = pos2(x(index as f32), y(session.value(param)));
        let grip = Rect::from_center_size(at, vec2(plot.width() / steps, 26.0));
        let response = ui
            .interact(
                grip,
                ui.scope_id().with(("point", index)),
                Sense::click_and_drag(),
            )
            .on_hover_and_drag_cursor(CursorIcon::ResizeVertical);
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, names::of(param)));
        let awake = response.hovered() || response.dragged();
        paint::handle(&painter, at, theme::AMBER, awake);
        if response.drag_started() {
            session.begin(&[param]);
        }
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            let part = (plot.bottom() - pointer.y) / plot.height();
            session.set(param, (low + part * (high - low)).clamp(low, high));
        }
        if response.drag_stopped() {
            session.end();
        }
        if response.double_clicked() {
            session.change(param, param.info().default);
        }
        if awake {
            let text = param.info().format(session.value(param));
            let above = at.y > plot.center().y;
            let place = at + vec2(0.0, if above { -14.0 } else { 14.0 });
            let anchor = if above {
                Align2::CENTER_BOTTOM
            } else {
                Align2::CENTER_TOP
            };
            painter.text(place, anchor, text, theme::regular(11.5), theme::TEXT);
        }
    }
}
