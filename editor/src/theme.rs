//! Colours, fonts and styles of the editor.
//!
//! Levels and values take their colour from the same gradient as the spectrograms of `myriad
//! inspect`: violet, rose, amber, light. Every modulation source has its own colour, which its
//! chip, its rings and its curves share.

use egui::epaint::text::{FontData, FontDefinitions, FontFamily, TextFormat};
use egui::{
    Align2, Color32, CornerRadius, FontId, Id, LayerId, Order, Painter, Pos2, Rect, Stroke,
    text::LayoutJob,
};
use myriad_engine::modulation::Source;
use std::sync::Arc;

/// Background.
pub(crate) const NIGHT: Color32 = Color32::from_rgb(0x09, 0x08, 0x13);
/// Panels.
pub(crate) const PANEL: Color32 = Color32::from_rgb(0x12, 0x10, 0x22);
/// Sunken areas: curves, lists.
pub(crate) const WELL: Color32 = Color32::from_rgb(0x0b, 0x0a, 0x17);
/// Raised areas: knobs, buttons.
pub(crate) const RAISED: Color32 = Color32::from_rgb(0x20, 0x1c, 0x3a);
/// The discs of knobs.
pub(crate) const DISC: Color32 = Color32::from_rgb(0x2b, 0x26, 0x4b);
/// Edges.
pub(crate) const EDGE: Color32 = Color32::from_rgb(0x2a, 0x25, 0x48);
/// Text.
pub(crate) const TEXT: Color32 = Color32::from_rgb(0xef, 0xeb, 0xf8);
/// Secondary text.
pub(crate) const MUTED: Color32 = Color32::from_rgb(0x9d, 0x96, 0xbb);
/// Faint text and marks.
pub(crate) const FAINT: Color32 = Color32::from_rgb(0x5a, 0x53, 0x7a);
/// The left of the stereo field.
pub(crate) const VIOLET: Color32 = Color32::from_rgb(0x86, 0x78, 0xff);
/// The centre of the stereo field, and macros.
pub(crate) const ROSE: Color32 = Color32::from_rgb(0xff, 0x66, 0x84);
/// The right of the stereo field, envelopes, and selected items.
pub(crate) const AMBER: Color32 = Color32::from_rgb(0xff, 0xb0, 0x66);
/// The brightest.
pub(crate) const LIGHT: Color32 = Color32::from_rgb(0xff, 0xf4, 0xcf);
/// LFOs.
pub(crate) const AQUA: Color32 = Color32::from_rgb(0x5e, 0xdc, 0xd0);
/// The sources copy and partial.
pub(crate) const LEAF: Color32 = Color32::from_rgb(0xa6, 0xe2, 0x7c);
/// Warnings.
pub(crate) const ALARM: Color32 = Color32::from_rgb(0xff, 0x4d, 0x4d);

/// Corner radius of panels.
pub(crate) const ROUND: CornerRadius = CornerRadius::same(8);
/// Corner radius of small elements.
pub(crate) const SMALL_ROUND: CornerRadius = CornerRadius::same(5);

/// The gradient violet, rose, amber, light: the colour of a level or a knob position, 0 to 1.
pub(crate) fn dawn(position: f32) -> Color32 {
    const STOPS: [[f32; 3]; 5] = [
        [104.0, 72.0, 214.0],
        [176.0, 62.0, 172.0],
        [248.0, 92.0, 122.0],
        [255.0, 176.0, 102.0],
        [255.0, 244.0, 207.0],
    ];
    let at = position.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let from = (at as usize).min(STOPS.len() - 2);
    let mix = |i: usize| {
        let (a, b) = (STOPS[from][i], STOPS[from + 1][i]);
        (a + (b - a) * (at - from as f32)).round() as u8
    };
    Color32::from_rgb(mix(0), mix(1), mix(2))
}

/// The colour of a pan, -1 left to 1 right.
pub(crate) fn pan(place: f32) -> Color32 {
    let (side, share) = if place < 0.0 { (VIOLET, -place) } else { (AMBER, place) };
    ROSE.lerp_to_gamma(side, share.clamp(0.0, 1.0).sqrt())
}

/// The colour of a modulation source.
pub(crate) fn source(source: Source) -> Color32 {
    match source.name().trim_end_matches(|c: char| c.is_ascii_digit()) {
        "env" => AMBER,
        "lfo" => AQUA,
        "macro" => ROSE,
        "copy" | "partial" => LEAF,
        _ => VIOLET,
    }
}

/// `colour` for additive blending.
pub(crate) fn light(colour: Color32, strength: f32) -> Color32 {
    let strength = strength.clamp(0.0, 1.0);
    let [r, g, b, _] = colour.to_array();
    let dim = |x: u8| (f32::from(x) * strength) as u8;
    // Premultiplied without alpha: adds to the background and covers nothing.
    Color32::from_rgba_premultiplied(dim(r), dim(g), dim(b), 0)
}

/// What is drawn over everything else, each in a layer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Front {
    /// The line from a source that is dragged.
    Thread,
    /// Why a source cannot be dropped here.
    Refusal,
    /// Where a file may be dropped.
    DropTarget,
}

impl Front {
    pub(crate) const ALL: [Front; 3] = [Front::Thread, Front::Refusal, Front::DropTarget];
}

/// The layer of something in front.
pub(crate) fn front(what: Front) -> LayerId {
    LayerId::new(Order::Tooltip, Id::unique(what))
}

/// Ordinary text.
pub(crate) fn regular(size: f32) -> FontId {
    FontId::proportional(size)
}

/// Bold text.
pub(crate) fn bold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("bold".into()))
}

/// Small spaced capitals: titles of panels and knobs.
pub(crate) fn caps(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    size: f32,
    colour: Color32,
) {
    let format = TextFormat {
        font_id: bold(size),
        extra_letter_spacing: 0.11 * size,
        color: colour,
        ..TextFormat::default()
    };
    let galley = painter.layout_job(LayoutJob::single_section(text.to_uppercase(), format));
    painter.galley(anchor.anchor_size(at, galley.size()).min, galley, colour);
}

/// The name of a knob in the middle of `place`: smaller where it would touch its neighbours.
pub(crate) fn label(painter: &Painter, place: Rect, text: &str, colour: Color32) {
    fitted(painter, place, text, 11.0, colour);
}

/// Text in the middle of `place`, smaller where it does not fit.
pub(crate) fn fitted(painter: &Painter, place: Rect, text: &str, largest: f32, colour: Color32) {
    const SMALLEST: f32 = 9.0;
    let lay_out = |size| painter.layout_no_wrap(text.to_owned(), regular(size), colour);
    let fits = |size: &f32| lay_out(*size).size().x <= place.width() - 4.0;
    let mut sizes = std::iter::successors(Some(largest), |size| Some(size - 1.0))
        .take_while(|&size| size >= SMALLEST);
    let galley = lay_out(sizes.find(fits).unwrap_or(SMALLEST));
    let at = Align2::CENTER_CENTER.anchor_size(place.center(), galley.size());
    painter.galley(at.min, galley, colour);
}

/// A panel with a faint line at its upper edge.
pub(crate) fn panel(painter: &Painter, rect: Rect) {
    painter.rect(
        rect,
        ROUND,
        PANEL,
        Stroke::new(1.0, EDGE.gamma_multiply(0.55)),
        egui::StrokeKind::Inside,
    );
    let x = rect.left() + 8.0..=rect.right() - 8.0;
    painter.hline(x, rect.top() + 0.5, Stroke::new(1.0, light(VIOLET, 0.16)));
}

/// A panel with a title. Returns the area inside.
pub(crate) fn titled_panel(painter: &Painter, rect: Rect, title: &str) -> Rect {
    panel(painter, rect);
    let at = rect.left_top() + egui::vec2(14.0, 11.0);
    caps(painter, at, Align2::LEFT_TOP, title, 10.0, MUTED);
    Rect::from_min_max(rect.min + egui::vec2(12.0, 30.0), rect.max - egui::vec2(12.0, 10.0))
}

/// A sunken area of a panel.
pub(crate) fn well(painter: &Painter, rect: Rect) {
    let edge = Stroke::new(1.0, EDGE.gamma_multiply(0.5));
    painter.rect(rect, SMALL_ROUND, WELL, edge, egui::StrokeKind::Inside);
}

/// Text for an empty area.
pub(crate) fn emptiness(painter: &Painter, rect: Rect, text: &str) {
    let font = regular(11.5);
    painter.text(rect.center(), Align2::CENTER_CENTER, text, font, FAINT);
}

/// Sets the fonts of a context and the style of menus, tooltips and text fields.
pub(crate) fn apply(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    ctx.set_theme(egui::Theme::Dark);
    ctx.all_styles_mut(|style| {
        style.interaction.tooltip_delay = 0.45;
        style.interaction.selectable_labels = false;
        style.spacing.item_spacing = egui::vec2(6.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.text_styles = [
            (egui::TextStyle::Body, regular(12.5)),
            (egui::TextStyle::Button, regular(12.5)),
            (egui::TextStyle::Small, regular(11.0)),
            (egui::TextStyle::Heading, bold(16.0)),
            (egui::TextStyle::Monospace, regular(12.0)),
        ]
        .into();
        let visuals = &mut style.visuals;
        visuals.override_text_color = Some(TEXT);
        visuals.panel_fill = NIGHT;
        visuals.window_fill = PANEL;
        visuals.window_stroke = Stroke::new(1.0, EDGE);
        visuals.extreme_bg_color = WELL;
        visuals.selection.bg_fill = VIOLET.gamma_multiply(0.45);
        visuals.selection.stroke = Stroke::new(1.0, LIGHT);
        let widgets = &mut visuals.widgets;
        for (look, fill) in [
            (&mut widgets.noninteractive, PANEL),
            (&mut widgets.inactive, RAISED),
            (&mut widgets.hovered, EDGE),
            (&mut widgets.active, EDGE),
            (&mut widgets.open, EDGE),
        ] {
            look.weak_bg_fill = fill;
            look.bg_fill = fill;
            look.bg_stroke = Stroke::new(1.0, EDGE.gamma_multiply(0.6));
            look.corner_radius = SMALL_ROUND;
        }
    });
}

fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let files: [(&str, &'static [u8]); 2] = [
        ("regular", include_bytes!("../../assets/fonts/inter-regular.ttf")),
        ("bold", include_bytes!("../../assets/fonts/inter-semibold.ttf")),
    ];
    for (name, bytes) in files {
        let data = Arc::new(FontData::from_static(bytes));
        fonts.font_data.insert(name.into(), data);
    }
    let families = [
        (FontFamily::Proportional, "regular"),
        (FontFamily::Monospace, "regular"),
        (FontFamily::Name("bold".into()), "bold"),
    ];
    for (family, name) in families {
        fonts.families.insert(family, vec![name.into()]);
    }
    fonts
}
