//! A picture: as it is heard, with lines at the octaves, and controls for its length and pitches.

use super::sound::loop_handles;
use super::{PITCH_STEPS, Step, between_steps, loop_modes, stepper};
use crate::import::Found;
use crate::session::Session;
use crate::theme;
use crate::widgets::button;
use egui::accesskit::Role;
use egui::{
    Align2, Color32, ColorImage, Rect, Sense, Stroke, TextureHandle, Ui, WidgetInfo, pos2, vec2,
};
use myriad_engine::params::Param;
use myriad_import::{Axes, GivenAxes, Options, Picture, PictureOptions};
use std::sync::Arc;

/// The height of the controls.
pub(super) const CONTROLS: f32 = 4.0 * ROW;
const ROW: f32 = 25.0;

/// The largest picture that is shown, in pixels.
const SHOWN: [usize; 2] = [800, 400];

/// Steps of the length, as factors.
const LENGTH_STEPS: [Step; 4] = [
    ("÷2", 0.5, "halved"),
    ("−", 1.0 / 1.1, "shorter"),
    ("+", 1.1, "longer"),
    ("×2", 2.0, "doubled"),
];

/// State of the view from frame to frame.
#[derive(Default)]
pub(super) struct DrawingView {
    /// What is shown, and the picture that it is of.
    texture: Option<(TextureHandle, Arc<Picture>)>,
}

impl DrawingView {
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        found: &Found,
        picture: &Arc<Picture>,
        rect: Rect,
    ) {
        theme::well(ui.painter(), rect);
        let texture = self.texture(ui, picture);
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter_at(rect).image(texture, rect, uv, Color32::WHITE);
        let axes = axes_of(found, picture);
        octaves(ui, &axes, rect);
        let [width, height] = picture.size;
        let name = format!("Picture of {width} × {height} pixels, {:.2} seconds", axes.seconds);
        let response = ui.interact(rect, ui.scope_id().with("drawing"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
        let x = |share: f64| rect.left() + share as f32 * rect.width();
        loop_handles(ui, session, rect, [0.0, 1.0], &x);
    }

    fn texture(&mut self, ui: &Ui, picture: &Arc<Picture>) -> egui::TextureId {
        if let Some((texture, shown)) = &self.texture
            && Arc::ptr_eq(shown, picture)
        {
            return texture.id();
        }
        let (size, pixels) = picture.thumbnail(SHOWN);
        let pixels = pixels.into_iter().map(|[r, g, b]| Color32::from_rgb(r, g, b)).collect();
        let image = ColorImage::new(size, pixels);
        let texture = ui.ctx().load_texture("picture", image, egui::TextureOptions::LINEAR);
        let id = texture.id();
        self.texture = Some((texture, picture.clone()));
        id
    }
}

/// The axes in use.
fn axes_of(found: &Found, picture: &Picture) -> Axes {
    picture.axes(&found.options.picture.axes).unwrap_or_default()
}

/// A line at every A, with its pitch.
fn octaves(ui: &Ui, axes: &Axes, rect: Rect) {
    let painter = ui.painter_at(rect);
    let octaves = (axes.high / axes.low).log2();
    let mut hertz = 27.5 * 2.0_f64.powi((axes.low / 27.5).log2().ceil() as i32);
    while hertz < 0.97 * axes.high {
        let y = rect.bottom() - ((hertz / axes.low).log2() / octaves) as f32 * rect.height();
        painter.hline(rect.x_range(), y, Stroke::new(0.5, theme::TEXT.gamma_multiply(0.25)));
        let text = match hertz < 1_000.0 {
            true => format!("{hertz:.0} Hz"),
            false => format!("{:.1} kHz", hertz / 1_000.0),
        };
        let at = pos2(rect.left() + 4.0, y - 1.0);
        let font = theme::regular(9.5);
        painter.text(at, Align2::LEFT_BOTTOM, text, font, theme::TEXT.gamma_multiply(0.7));
        hertz *= 2.0;
    }
}

/// Length, pitch range, loop and paper. Returns how to import it again.
pub(super) fn controls(
    ui: &mut Ui,
    session: &mut Session,
    found: &Found,
    picture: &Picture,
    rect: Rect,
) -> Option<Options> {
    let axes = axes_of(found, picture);
    let given = found.options.picture.axes;
    let row = |index: usize| {
        let top = rect.top() + ROW * index as f32;
        Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), ROW - 3.0))
    };
    let mut changed = None;
    let values = [
        ("Length", format!("Length {:.2} s", axes.seconds), &LENGTH_STEPS),
        ("Highest pitch", format!("Up to {:.0} Hz", axes.high), &PITCH_STEPS),
        ("Lowest pitch", format!("From {:.1} Hz", axes.low), &PITCH_STEPS),
    ];
    for (index, (name, text, steps)) in values.into_iter().enumerate() {
        theme::fitted(ui.painter(), between_steps(row(index)), &text, 12.0, theme::TEXT);
        let Some(step) = stepper(ui, row(index), name, steps) else { continue };
        let semitones = 2.0_f64.powf(step / 12.0);
        let axes = match index {
            0 => GivenAxes { seconds: Some(axes.seconds * step), ..given },
            1 => GivenAxes { high: Some(axes.high * semitones), ..given },
            _ => GivenAxes { low: Some(axes.low * semitones), ..given },
        };
        // A step beyond what is possible does nothing.
        changed =
            picture.axes(&axes).is_ok().then_some(PictureOptions { axes, ..found.options.picture });
    }
    let last = row(3);
    let (modes, paper) = last.split_left_right_at_x(last.right() - 84.0);
    loop_modes(ui, session, modes);
    let ink = found.options.picture.ink;
    let tip = "Dark lines on light paper: black is loud and white is silent";
    if button::word(ui, paper, "Ink on paper", tip, ink).clicked() {
        changed = Some(PictureOptions { ink: !ink, ..found.options.picture });
    }
    // A loop that was switched on in the patch stays on.
    let repeat = session.index(Param::SourceLoop) != 0;
    changed.map(|picture| {
        let picture = PictureOptions { repeat, ..picture };
        Options { picture, ..found.options }
    })
}
