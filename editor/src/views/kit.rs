//! The kit page: a grid of pads, one for each key zone, and the settings of the selected one.

use super::pages::GAP;
use crate::host::EditorHost;
use crate::session::Session;
use crate::theme;
use crate::widgets::{control, dial};
use egui::accesskit::Role;
use egui::{Align2, CursorIcon, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use myriad_engine::OUTPUTS;
use myriad_engine::patch::KeyZone;

/// The least width and height of a pad.
const PAD: egui::Vec2 = vec2(64.0, 34.0);
/// The width of the settings.
const SETTINGS: f32 = 252.0;
/// Settings beside each other.
const COLUMNS: usize = 3;
/// Change of a setting for a point of a drag, as a share of its range.
const DRAG: f32 = 1.0 / 220.0;

/// State of the page.
#[derive(Debug, Default)]
pub(crate) struct Kit {
    /// The selected zone.
    chosen: usize,
    /// The key of the pad under the mouse, while it is held.
    held: Option<u8>,
    /// A setting that is being dragged, and its value so far.
    dragged: Option<(usize, f32)>,
}

/// A setting of a zone.
struct Setting {
    name: &'static str,
    help: &'static str,
    min: f32,
    max: f32,
    /// The change by an arrow key.
    step: f32,
    get: fn(&KeyZone) -> f32,
    set: fn(&mut KeyZone, f32),
    format: fn(f32) -> String,
}

const SETTINGS_OF_A_ZONE: [Setting; 5] = [
    Setting {
        name: "Level",
        help: "Added to the level of the drum",
        min: -24.0,
        max: 12.0,
        step: 0.5,
        get: |zone| zone.level,
        set: |zone, value| zone.level = value,
        format: |value| format!("{value:+.1} dB"),
    },
    Setting {
        name: "Pan",
        help: "Added to the pan of the drum",
        min: -1.0,
        max: 1.0,
        step: 0.05,
        get: |zone| zone.pan,
        set: |zone, value| zone.pan = value,
        format: |value| format!("{:+.0}%", 100.0 * value),
    },
    Setting {
        name: "Tune",
        help: "Semitones added to the note of the drum",
        min: -24.0,
        max: 24.0,
        step: 1.0,
        get: |zone| zone.tune,
        set: |zone, value| zone.tune = (10.0 * value).round() / 10.0,
        format: |value| format!("{value:+.1}"),
    },
    Setting {
        name: "Choke",
        help: "Drums of the same choke group cut each other off; 0 is none",
        min: 0.0,
        max: 16.0,
        step: 1.0,
        get: |zone| f32::from(zone.choke),
        set: |zone, value| zone.choke = value.round() as u8,
        format: |value| match value.round() {
            0.0 => "off".to_owned(),
            group => format!("{group:.0}"),
        },
    },
    Setting {
        name: "Output",
        help: "The output of the plugin that the drum is heard on, without the effects; where the host has \
               not opened it, the main one",
        min: 0.0,
        max: OUTPUTS as f32,
        step: 1.0,
        get: |zone| f32::from(zone.output),
        set: |zone, value| zone.output = value.round() as u8,
        format: |value| match value.round() {
            0.0 => "main".to_owned(),
            output => format!("{output:.0}"),
        },
    },
];

impl Kit {
    /// Whether a pad is held.
    pub(crate) fn plays(&self) -> bool {
        self.held.is_some()
    }

    /// Releases the pad that is held.
    pub(crate) fn release(&mut self, host: &mut dyn EditorHost) {
        if let Some(key) = self.held.take() {
            host.note_off(key);
        }
    }

    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        let patch = session.patch.clone();
        let zones = &patch.key_zones;
        self.chosen = self.chosen.min(zones.len().saturating_sub(1));
        let left = rect.with_max_x(rect.right() - SETTINGS - GAP);
        theme::panel(ui.painter(), left);
        self.pads(ui, session, zones, left.shrink(10.0));
        if let Some(zone) = zones.get(self.chosen) {
            let right = rect.with_min_x(left.right() + GAP);
            self.settings(ui, session, zone, right);
        }
    }

    /// The pads, from the lowest key on.
    fn pads(&mut self, ui: &Ui, session: &mut Session, zones: &[KeyZone], rect: Rect) {
        let mut order: Vec<usize> = (0..zones.len()).collect();
        order.sort_by_key(|&index| zones[index].keys);
        let (columns, rows) = grid(zones.len(), rect);
        let size = vec2(rect.width() / columns as f32, rect.height() / rows as f32);
        let mut pressed = None;
        for (place, &index) in order.iter().enumerate() {
            let zone = &zones[index];
            let at = vec2((place % columns) as f32 * size.x, (place / columns) as f32 * size.y);
            let pad = Rect::from_min_size(rect.min + at, size).shrink(2.0);
            let name = format!("{}, key {}", zone.patch.name, zone.keys[0]);
            let id = ui.scope_id().with(("pad", index));
            let response = ui.interact(pad, id, Sense::click_and_drag());
            let selected = index == self.chosen;
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, &name));
            let down = response.is_pointer_button_down_on()
                && ui.input(|input| input.pointer.primary_down());
            if down {
                self.chosen = index;
                pressed = Some(zone.keys[0]);
            }
            paint_pad(ui, zone, pad, selected, down || response.hovered());
            response.on_hover_text(name);
        }
        if pressed != self.held {
            self.release(session.host);
            if let Some(key) = pressed {
                session.host.note_on(key, 0.8);
                self.held = Some(key);
            }
        }
    }

    /// The settings of a zone, in two rows.
    fn settings(&mut self, ui: &mut Ui, session: &mut Session, zone: &KeyZone, rect: Rect) {
        let inside = theme::titled_panel(ui.painter(), rect, &zone.patch.name);
        let size = vec2(inside.width() / COLUMNS as f32, 0.5 * inside.height());
        for (index, setting) in SETTINGS_OF_A_ZONE.iter().enumerate() {
            let at = vec2((index % COLUMNS) as f32 * size.x, (index / COLUMNS) as f32 * size.y);
            let cell = Rect::from_min_size(inside.min + at, size);
            if let Some(value) = self.setting(ui, setting, index, zone, cell) {
                let mut patch = session.snapshot();
                if let Some(zone) = patch.key_zones.get_mut(self.chosen) {
                    (setting.set)(zone, value);
                }
                if patch.key_zones != session.patch.key_zones {
                    let what = format!("{} {}", zone.patch.name, setting.name);
                    session.replace(patch, what);
                }
            }
        }
    }

    /// The knob of a setting. Returns a new value when a gesture has ended: the patch is loaded anew
    /// with it.
    fn setting(
        &mut self,
        ui: &Ui,
        setting: &Setting,
        index: usize,
        zone: &KeyZone,
        cell: Rect,
    ) -> Option<f32> {
        let Setting { name, help, min, max, step, get, format, .. } = setting;
        let centre = pos2(cell.center().x, cell.top() + 28.0);
        let grip = Rect::from_center_size(centre, vec2(56.0, 54.0));
        let id = ui.scope_id().with(("zone", *name));
        let response = ui.interact(grip, id, Sense::click_and_drag());
        let dragged = self.dragged.filter(|(dragged, _)| *dragged == index);
        let value = dragged.map_or(get(zone), |(_, value)| value);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(value), format!("Pad {name}")));
        let mut new = None;
        if response.dragged() {
            let delta = response.drag_delta();
            let way = (delta.x - delta.y) * DRAG * (max - min);
            self.dragged = Some((index, (value + way).clamp(*min, *max)));
        }
        if response.drag_stopped() {
            new = self.dragged.take().map(|(_, value)| value);
        }
        if response.double_clicked() {
            new = Some(0.0);
        }
        if response.has_focus() {
            let arrows = control::take_arrows(ui, id);
            let steps = arrows.x + arrows.y;
            if steps != 0.0 {
                new = Some((value + steps * step).clamp(*min, *max));
            }
        }
        if response.clicked() {
            response.request_focus();
        }
        let scale = (value - min) / (max - min);
        let origin = (0.0 - min) / (max - min);
        let awake = response.hovered() || response.dragged() || response.has_focus();
        dial::face(ui, centre, origin, scale, awake);
        let colour = if awake { theme::TEXT } else { theme::MUTED };
        let line = |y: f32| {
            Rect::from_center_size(pos2(centre.x, cell.top() + y), vec2(cell.width(), 14.0))
        };
        theme::label(ui.painter(), line(60.0), name, colour);
        theme::fitted(ui.painter(), line(75.0), &format(value), 11.0, theme::TEXT);
        response.on_hover_and_drag_cursor(CursorIcon::ResizeVertical).on_hover_text(*help);
        new
    }
}

/// Columns and rows that let all pads fit.
fn grid(pads: usize, rect: Rect) -> (usize, usize) {
    let pads = pads.max(1);
    let widest = ((rect.width() / PAD.x) as usize).max(1);
    let rows = pads.div_ceil(widest).max(((rect.height() / (1.4 * PAD.y)) as usize).min(4)).max(1);
    (pads.div_ceil(rows), rows)
}

fn paint_pad(ui: &Ui, zone: &KeyZone, pad: Rect, selected: bool, awake: bool) {
    let painter = ui.painter_at(pad);
    let fill = if awake { theme::RAISED } else { theme::WELL };
    let edge = if selected { theme::AMBER } else { theme::EDGE };
    painter.rect(pad, theme::SMALL_ROUND, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
    let key = match zone.keys {
        [low, high] if low == high => key_name(low),
        [low, high] => format!("{}\u{2013}{}", key_name(low), key_name(high)),
    };
    let corner = pad.left_top() + vec2(5.0, 3.0);
    painter.text(corner, Align2::LEFT_TOP, key, theme::regular(9.0), theme::MUTED);
    if zone.choke > 0 {
        let corner = pad.right_top() + vec2(-5.0, 3.0);
        let text = format!("choke {}", zone.choke);
        painter.text(corner, Align2::RIGHT_TOP, text, theme::regular(8.5), theme::FAINT);
    }
    if zone.output > 0 {
        let corner = pad.right_bottom() + vec2(-5.0, -3.0);
        let text = format!("out {}", zone.output);
        painter.text(corner, Align2::RIGHT_BOTTOM, text, theme::regular(8.5), theme::FAINT);
    }
    let colour = if selected { theme::AMBER } else { theme::TEXT };
    let name = pad.shrink2(vec2(4.0, 0.0)).with_min_y(pad.top() + 12.0);
    theme::fitted(&painter, name, &zone.patch.name, 11.0, colour);
}

/// A key's name, with middle C as C4.
pub(crate) fn key_name(key: u8) -> String {
    const NAMES: [&str; 12] = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
    format!("{}{} {key}", NAMES[usize::from(key % 12)], i32::from(key / 12) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pad_has_a_place() {
        let rect = Rect::from_min_size(egui::Pos2::ZERO, vec2(900.0, 200.0));
        for pads in [1, 2, 16, 47, 61, 128] {
            let (columns, rows) = grid(pads, rect);
            assert!(columns * rows >= pads, "{pads}: {columns} x {rows}");
        }
    }
}
