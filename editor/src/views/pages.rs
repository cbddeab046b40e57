//! The pages, and which groups of the engine's table are on them. A group that no page names is an
//! effect if it has a switch and an order parameter, else it is on the shape page, so that every
//! parameter has a widget.

use super::displays::Displays;
use super::envelope::Envelope;
use super::lfo::{Lfo, LfoEditor};
use super::presets::{self, Presets};
use super::{arp, curve, effects, explore, harmonics, kit, layers, matrix, play, table, tuning};
use crate::names;
use crate::session::Session;
use crate::theme;
use crate::widgets::{button, chip, choice, strip};
use egui::{Rect, Sense, Ui, pos2, vec2};
use myriad_engine::Patch;
use myriad_engine::modulation::Source;
use myriad_engine::params::{Kind, Param, TABLE};
use myriad_library::{Library, PresetKind};

/// The pages below the cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Page {
    #[default]
    Source,
    Harmonics,
    Layers,
    Shape,
    Filter,
    Modulation,
    Effects,
    Arp,
    Play,
    Kit,
    Output,
    Matrix,
    Explore,
}

/// The width of an LFO's waveform beside its tabs.
const SHAPE: f32 = 126.0;

/// Gap between panels.
pub(crate) const GAP: f32 = 8.0;

impl Page {
    pub(crate) const ALL: [Page; 13] = [
        Page::Source,
        Page::Harmonics,
        Page::Layers,
        Page::Shape,
        Page::Filter,
        Page::Modulation,
        Page::Effects,
        Page::Arp,
        Page::Play,
        Page::Kit,
        Page::Output,
        Page::Matrix,
        Page::Explore,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Page::Source => "Source",
            Page::Harmonics => "Harmonics",
            Page::Layers => "Layers",
            Page::Shape => "Shape",
            Page::Filter => "Filter",
            Page::Modulation => "Modulation",
            Page::Effects => "Effects",
            Page::Arp => "Arp",
            Page::Play => "Play",
            Page::Kit => "Kit",
            Page::Output => "Output",
            Page::Matrix => "Matrix",
            Page::Explore => "Explore",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Page::Source => "Partials: table, unison, pitch",
            Page::Harmonics => "Draw the table of a layer, harmonic by harmonic",
            Page::Layers => "A second layer: mixed, morphed or multiplied with the first",
            Page::Shape => "Shape of the spectrum: tilt, scale, dynamics, decay",
            Page::Filter => "Two filters, and a curve to draw",
            Page::Modulation => "Envelopes and LFOs",
            Page::Effects => "Effect rack",
            Page::Arp => "Arpeggiator and its step pattern",
            Page::Play => "Chord, zone, tuning and MPE",
            Page::Kit => "The pads of a kit: what every key plays",
            Page::Output => "Level, pan and voices",
            Page::Matrix => "Modulation matrix: all routes",
            Page::Explore => "New sounds: randomise, breed, morph",
        }
    }

    /// The page of a group of the table; macros are on none, since they are always visible.
    fn of(group: &str) -> Option<Page> {
        match group.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "source" | "pitch" | "unison" => Some(Page::Source),
            "layer" => Some(Page::Layers),
            "shape" | "partial" | "dynamics" | "decay" | "strike" => Some(Page::Shape),
            "filter" | "curve" => Some(Page::Filter),
            "env" | "lfo" => Some(Page::Modulation),
            "arp" | "step" => Some(Page::Arp),
            "chord" | "zone" => Some(Page::Play),
            "amp" | "voice" | "output" => Some(Page::Output),
            "macro" => None,
            _ if effects::is_effect(group) => Some(Page::Effects),
            _ => Some(Page::Shape),
        }
    }

    /// The groups on this page, in the order of the table.
    pub(crate) fn groups(self) -> Vec<&'static str> {
        let mut groups = Vec::new();
        for row in TABLE {
            let group = row.group();
            if Page::of(group) == Some(self) && !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// Whether it has any content; only kits have pads.
    pub(crate) fn is_shown(self, patch: &Patch) -> bool {
        match self {
            Page::Harmonics | Page::Matrix | Page::Explore => true,
            Page::Kit => !patch.key_zones.is_empty(),
            page => !page.groups().is_empty(),
        }
    }
}

/// State of the pages.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pub(crate) page: Page,
    /// The selected envelope and LFO.
    envelope: usize,
    lfo: usize,
    /// Seconds that a drawn envelope shows while it is dragged.
    envelope_scale: Option<f32>,
    lfo_editor: LfoEditor,
    harmonics: harmonics::Harmonics,
    effects: effects::Rack,
    presets: Presets,
    pub(crate) matrix: matrix::Matrix,
    pub(crate) kit: kit::Kit,
    tuning: tuning::TuningPanel,
    pub(crate) explore: explore::Explore,
}

impl Pages {
    /// The tabs of the pages.
    pub(crate) fn tabs(&mut self, ui: &mut Ui, session: &mut Session, rect: Rect) {
        if !self.page.is_shown(&session.patch) {
            self.page = Page::default();
        }
        if self.page != Page::Kit {
            self.kit.release(session.host);
        }
        let mut left = rect.left();
        for page in Page::ALL.into_iter().filter(|page| page.is_shown(&session.patch)) {
            let font = theme::regular(11.5);
            let text = page.name().to_owned();
            let wide = ui.painter().layout_no_wrap(text, font, theme::TEXT).size().x + 24.0;
            let place = Rect::from_min_size(pos2(left, rect.center().y - 13.0), vec2(wide, 26.0));
            let chosen = page == self.page;
            if button::word(ui, place, page.name(), page.help(), chosen).clicked() {
                self.page = page;
            }
            if chosen {
                let line = egui::Stroke::new(2.0, theme::AMBER);
                let x = place.x_range().shrink(10.0);
                ui.painter().hline(x, place.bottom() + 1.0, line);
            }
            left += wide + 2.0;
        }
    }

    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        library: &Library,
        displays: &Displays,
        rect: Rect,
    ) {
        match self.page {
            Page::Source => {
                let presets = &mut self.presets;
                let draws = |ui: &mut Ui, session: &mut Session, land: Rect| {
                    table::show(ui, session, &table::LAYERS[0], land);
                    presets.show(ui, session, library, (PresetKind::Table, 0), above(land));
                };
                first_drawn(ui, session, self.page, &[Param::SourceTable], draws, rect);
            }
            Page::Shape => {
                let draws = |ui: &mut Ui, session: &mut Session, land| {
                    displays.show(ui, session, "shape", land);
                };
                first_drawn(ui, session, self.page, &[], draws, rect);
            }
            Page::Harmonics => self.harmonics.show(ui, session, rect),
            Page::Layers => {
                let lands = layers::show(ui, session, displays, rect);
                for (index, land) in lands.into_iter().enumerate() {
                    let place = above(land);
                    self.presets.show(ui, session, library, (PresetKind::Table, index), place);
                }
            }
            Page::Filter => filters(ui, session, displays, rect),
            Page::Modulation => self.modulation(ui, session, library, rect),
            Page::Effects => {
                self.effects.show(ui, session, rect);
                let place = corner(rect.shrink2(vec2(2.0, 4.0)));
                self.presets.show(ui, session, library, (PresetKind::Rack, 0), place);
            }
            Page::Arp => arp::show(ui, session, rect),
            Page::Play => play::show(ui, session, &mut self.tuning, rect),
            Page::Kit => self.kit.show(ui, session, rect),
            Page::Matrix => {
                self.matrix.show(ui, session, rect);
                let place = corner(rect.shrink2(vec2(2.0, 6.0)));
                self.presets.show(ui, session, library, (PresetKind::Modulation, 0), place);
            }
            Page::Explore => self.explore.show(ui, session, rect),
            page => panels(ui, session, displays, &page.groups(), rect),
        }
    }

    /// One envelope on the left, one LFO on the right.
    fn modulation(&mut self, ui: &mut Ui, session: &mut Session, library: &Library, rect: Rect) {
        let groups = Page::Modulation.groups();
        let (envelopes, lfos): (Vec<&str>, Vec<&str>) =
            groups.iter().partition(|group| group.starts_with("env"));
        if self.lfo_editor.enlarged {
            return self.one_lfo(ui, session, &lfos, rect);
        }
        let half = (rect.width() - GAP) / 2.0;
        let [left, right] = [0.0, half + GAP]
            .map(|x| Rect::from_min_size(rect.min + vec2(x, 0.0), vec2(half, rect.height())));
        theme::panel(ui.painter(), left);
        theme::panel(ui.painter(), right);
        let used = numbers(ui, &envelopes, &mut self.envelope, left);
        numbers(ui, &lfos, &mut self.lfo, right);
        if let Some(group) = envelopes.get(self.envelope)
            && let Some(envelope) = Envelope::of_group(group)
        {
            let (drawing, knobs) = drawing_and_knobs(left, 1);
            let line = Rect::from_min_max(
                pos2(used + 4.0, left.top() + 8.0),
                pos2(left.right() - presets::BUTTON - 13.0, left.top() + 32.0),
            );
            envelope.fields(ui, session, line);
            let place = corner(left.shrink2(vec2(4.0, 2.0)));
            let target = (PresetKind::Envelope, self.envelope);
            self.presets.show(ui, session, library, target, place);
            let level = level(session, group);
            if envelope.is_drawn(session) {
                let whole = drawing.with_max_y(left.bottom() - 10.0);
                envelope.show_points(ui, session, whole, level, &mut self.envelope_scale);
            } else {
                envelope.show(ui, session, drawing, level);
                strip::strip(ui, session, &envelope.knobs(), knobs);
            }
        }
        if let Some(group) = lfos.get(self.lfo)
            && let Some(lfo) = Lfo::of_group(group)
        {
            let (drawing, knobs) = drawing_and_knobs(right, 1);
            // Between the tabs and the waveform.
            let place = corner(right.shrink2(vec2(4.0, 2.0))).translate(vec2(-SHAPE, 0.0));
            self.presets.show(ui, session, library, (PresetKind::Lfo, self.lfo), place);
            let level = level(session, group);
            lfo.show(ui, session, &mut self.lfo_editor, drawing, level);
            strip::strip(ui, session, lfo.knobs(), knobs);
        }
    }

    /// One LFO on the whole page, its knobs beside it.
    fn one_lfo(&mut self, ui: &mut Ui, session: &mut Session, lfos: &[&str], rect: Rect) {
        theme::panel(ui.painter(), rect);
        numbers(ui, lfos, &mut self.lfo, rect);
        if let Some(group) = lfos.get(self.lfo)
            && let Some(lfo) = Lfo::of_group(group)
        {
            let inside =
                Rect::from_min_max(rect.min + vec2(12.0, 38.0), rect.max - vec2(12.0, 10.0));
            let split = inside.right() - strip::width_in_two_rows(lfo.knobs()) - GAP;
            let level = level(session, group);
            let drawing = inside.with_max_x(split);
            lfo.show(ui, session, &mut self.lfo_editor, drawing, level);
            let knobs = Rect::from_min_max(pos2(split + GAP, rect.top() + 30.0), inside.max);
            strip::strip(ui, session, lfo.knobs(), knobs);
        }
    }
}

/// Where the button of the presets is: in the upper right corner of a panel or a display.
fn corner(rect: Rect) -> Rect {
    let size = vec2(presets::BUTTON, presets::BUTTON);
    Rect::from_min_size(pos2(rect.right() - size.x - 6.0, rect.top() + 6.0), size)
}

/// The same for a table, which fills its display: beside the title of its panel.
fn above(land: Rect) -> Rect {
    let size = vec2(presets::BUTTON, presets::BUTTON);
    Rect::from_min_size(pos2(land.right() - size.x, land.top() - size.y - 3.0), size)
}

/// Current value of a group's modulation source, for the newest note; `None` unless a route uses
/// it, since it is not computed otherwise.
fn level(session: &Session, group: &str) -> Option<f32> {
    let (_, source) = Source::NAMES.iter().find(|(name, _)| *name == group)?;
    let mut routes = session.patch.routes.iter();
    let used = routes.any(|route| route.source == *source || route.via == Some(*source));
    (session.snapshot.sounding && used).then(|| session.snapshot.sources[*source as usize])
}

/// Divides a panel: the upper part for a display, the lower for rows of knobs.
fn drawing_and_knobs(panel: Rect, rows: usize) -> (Rect, Rect) {
    let knobs = panel.bottom() - rows as f32 * crate::widgets::knob::CELL.y - 2.0;
    let inside = panel.shrink2(vec2(12.0, 0.0));
    (
        Rect::from_min_max(
            pos2(inside.left(), panel.top() + 38.0),
            pos2(inside.right(), knobs - 6.0),
        ),
        Rect::from_min_max(pos2(inside.left(), knobs), inside.max),
    )
}

/// Tabs at the top of a panel, one for each group. Returns where they end.
fn numbers(ui: &Ui, groups: &[&str], chosen: &mut usize, panel: Rect) -> f32 {
    const WIDE: f32 = 46.0;
    let place = |index: usize| {
        let left = panel.left() + 12.0 + (WIDE + 3.0) * index as f32;
        Rect::from_min_size(pos2(left, panel.top() + 8.0), vec2(WIDE, 24.0))
    };
    for (index, group) in groups.iter().enumerate() {
        let place = place(index);
        let name = names::group(group);
        let id = ui.scope_id().with(("tab", group));
        let grip = ui.interact(place, id, Sense::drag());
        let tip = "Drag it onto a knob to modulate that";
        if button::word(ui, place, &name, tip, index == *chosen).clicked() {
            *chosen = index;
        }
        if let Some((_, source)) = Source::NAMES.iter().find(|(name, _)| name == group) {
            grip.dnd_set_drag_payload(*source);
            if grip.dragged() {
                chip::thread(ui, place.center(), *source);
            }
        }
    }
    place(groups.len()).left()
}

/// Padding at the sides of the knobs in a panel, and the least width of a display.
const SIDES: f32 = 28.0;
const DRAWING: f32 = 96.0;

/// A page of panels with two rows of knobs, the first of which has a display too. The parameters
/// `drawn` there need no knob; where there are none, the display is left out when room is short.
fn first_drawn(
    ui: &mut Ui,
    session: &mut Session,
    page: Page,
    drawn: &[Param],
    draws: impl FnOnce(&mut Ui, &mut Session, Rect),
    rect: Rect,
) {
    let panels: Vec<(&str, Vec<Param>)> = page
        .groups()
        .into_iter()
        .map(|group| (group, strip::of_group(group)))
        .map(|(group, params)| (group, without(params, drawn)))
        .collect();
    let natural = |params: &[Param]| strip::width_in_two_rows(params);
    let asked: f32 = panels.iter().map(|(_, params)| natural(params)).sum();
    let room = rect.width() - panels.len() as f32 * (SIDES + GAP) + GAP;
    // The display takes the remaining width; knobs move closer together to give it enough.
    let with_drawing = (room - DRAWING - GAP) / asked;
    let mut draws = (with_drawing >= strip::SQUEEZE || !drawn.is_empty()).then_some(draws);
    let push = match draws {
        Some(_) => with_drawing.min(1.0),
        None => (room / asked).min(1.0),
    };
    let drawing = room - push * asked;
    let mut left = rect.left();
    for (index, (group, params)) in panels.iter().enumerate() {
        let own = if index == 0 { drawing } else { 0.0 };
        let wide = push * natural(params) + SIDES + own;
        let panel = Rect::from_min_size(pos2(left, rect.top()), vec2(wide, rect.height()));
        let mut inside = theme::titled_panel(ui.painter(), panel, &names::group(group));
        if let Some(draws) = draws.take() {
            let land = inside.with_max_x(inside.left() + drawing - GAP);
            draws(ui, session, land);
            inside = inside.with_min_x(land.right() + GAP);
        }
        strip::strip(ui, session, params, inside);
        left += wide + GAP;
    }
}

fn without(mut params: Vec<Param>, drawn: &[Param]) -> Vec<Param> {
    params.retain(|param| !drawn.contains(param));
    params
}

/// The filter page: a panel for each filter, and the curve.
fn filters(ui: &mut Ui, session: &mut Session, displays: &Displays, rect: Rect) {
    const CURVE: f32 = 0.27;
    let split = rect.right() - (rect.width() * CURVE).floor();
    let groups = Page::Filter.groups();
    let (curves, filters): (Vec<&str>, Vec<&str>) =
        groups.into_iter().partition(|group| *group == "curve");
    let count = filters.len().max(1) as f32;
    let wide = (split - rect.left()) / count - GAP;
    for (index, group) in filters.into_iter().enumerate() {
        let left = rect.left() + index as f32 * (wide + GAP);
        let panel = Rect::from_min_size(pos2(left, rect.top()), vec2(wide, rect.height()));
        filter(ui, session, displays, group, panel);
    }
    for group in curves {
        let panel = rect.with_min_x(split);
        let inside = theme::titled_panel(ui.painter(), panel, &names::group(group));
        curve::show(ui, session, inside);
    }
}

/// A filter: its type beside the title, its curve below, and a row of knobs.
fn filter(ui: &mut Ui, session: &mut Session, displays: &Displays, group: &str, panel: Rect) {
    theme::titled_panel(ui.painter(), panel, &names::group(group));
    let is_choice = |param: &Param| matches!(param.info().kind, Kind::Choice(_));
    let (choices, knobs): (Vec<Param>, Vec<Param>) =
        strip::of_group(group).into_iter().partition(is_choice);
    let mut right = panel.right() - 12.0;
    for param in choices.into_iter().rev() {
        let size = vec2(choice::width(param) - 16.0, 24.0);
        let place = Rect::from_min_size(pos2(right - size.x, panel.top() + 7.0), size);
        choice::bar(ui, session, param, place);
        right -= size.x + 6.0;
    }
    let (drawing, place) = drawing_and_knobs(panel, 1);
    displays.show(ui, session, group, drawing);
    strip::strip(ui, session, &knobs, place);
}

/// A panel for each group, as wide as its knobs need, in as many rows as fit.
fn panels(ui: &mut Ui, session: &mut Session, displays: &Displays, groups: &[&str], rect: Rect) {
    let natural = |group: &str| strip::strip_width(&strip::of_group(group)) + 40.0;
    let whole: f32 = groups.iter().map(|group| natural(group)).sum();
    let room = rect.width() - GAP * (groups.len() as f32 - 1.0);
    let mut left = rect.left();
    for group in groups {
        let wide = natural(group) / whole * room;
        let panel = Rect::from_min_size(pos2(left, rect.top()), vec2(wide, rect.height()));
        let inside = theme::titled_panel(ui.painter(), panel, &names::group(group));
        let params = strip::of_group(group);
        let rows = strip::rows(&params, panel.width() - 24.0).len();
        let (drawing, knobs) = drawing_and_knobs(panel, rows);
        let drawing = drawing.with_min_y(inside.top());
        let place = match displays.show(ui, session, group, drawing) {
            true => knobs,
            false => inside,
        };
        strip::strip(ui, session, &params, place);
        left += wide + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter without a widget could be changed by automation and never be found.
    #[test]
    fn every_parameter_has_a_place() {
        for row in TABLE {
            let page = Page::of(row.group());
            let shown =
                page.is_some_and(|page| page.is_shown(&Patch::new())) || row.group() == "macro";
            assert!(shown, "{}", row.id);
        }
    }

    #[test]
    fn unknown_groups_have_a_page() {
        assert_eq!(Page::of("reverb"), Some(Page::Effects));
        assert_eq!(Page::of("weather"), Some(Page::Shape));
        assert_eq!(Page::of("env4"), Some(Page::Modulation));
        assert_eq!(Page::of("filter2"), Some(Page::Filter));
    }

    #[test]
    fn envelopes_and_lfos_are_recognised() {
        for group in Page::Modulation.groups() {
            let known = Envelope::of_group(group).is_some() || Lfo::of_group(group).is_some();
            assert!(known, "{group}");
        }
    }
}
