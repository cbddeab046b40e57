//! The light theme. Views know one set of colours, the dark one; when it is to be light, every colour that was
//! drawn in a frame is exchanged for one of the same hue and the opposite lightness.

use crate::theme;
use egui::epaint::shape_transform::adjust_colors;
use egui::layers::ShapeIdx;
use egui::{Color32, Context, Id, LayerId, Shape, TextureId};

/// The name of the setting in the context.
const LIGHT: &str = "light theme";

/// How much darker than the opposite what is dark becomes: accents are read on raised areas too.
const INK: f32 = 0.85;

/// Says whether this frame is to be light, before it is drawn.
pub(crate) fn set(ctx: &Context, light: bool) {
    ctx.data_mut(|data| data.insert_temp(Id::unique(LIGHT), light));
}

/// Whether this frame is to be light: for what is not the same in both.
pub(crate) fn is_on(ctx: &Context) -> bool {
    ctx.data(|data| data.get_temp(Id::unique(LIGHT))).unwrap_or(false)
}

/// Makes all that was drawn in this frame light.
pub(crate) fn lighten(ctx: &Context, layer: LayerId) {
    let mut layers: Vec<LayerId> = ctx.memory(|memory| memory.layer_ids().collect());
    let others = [layer, LayerId::background()];
    for other in theme::Front::ALL.map(theme::front).into_iter().chain(others) {
        if !layers.contains(&other) {
            layers.push(other);
        }
    }
    ctx.graphics_mut(|graphics| {
        for layer in layers {
            if let Some(list) = graphics.get_mut(layer) {
                for index in 0..list.next_idx().0 {
                    list.mutate_shape(ShapeIdx(index), |shape| lighten_shape(&mut shape.shape));
                }
            }
        }
    });
}

fn lighten_shape(shape: &mut Shape) {
    match shape {
        Shape::Vec(shapes) => shapes.iter_mut().for_each(lighten_shape),
        // Pictures have their own colours.
        Shape::Rect(rect) if rect.brush.is_some() => {}
        Shape::Mesh(mesh)
            if mesh.texture_id != TextureId::default()
                && mesh.vertices.iter().all(|vertex| vertex.color == Color32::WHITE) => {}
        shape => adjust_colors(shape, |colour| *colour = lightened(*colour)),
    }
}

/// The same hue and saturation with the opposite lightness (of HSL). What adds light to a dark background
/// (premultiplied, with less alpha than brightness) covers a light one instead.
pub(crate) fn lightened(colour: Color32) -> Color32 {
    if colour == Color32::PLACEHOLDER {
        return colour;
    }
    let [r, g, b, a] = colour.to_array();
    let alpha = r.max(g).max(b).max(a);
    if alpha == 0 {
        return colour;
    }
    let whole = |x: u8| f32::from(x) * 255.0 / f32::from(alpha);
    let rgb = [r, g, b].map(whole);
    let (low, high) = rgb.iter().fold((255.0_f32, 0.0_f32), |(l, h), &x| (l.min(x), h.max(x)));
    let shift = 255.0 - high - low;
    let ink = if 255.0 - 0.5 * (high + low) < 127.5 { INK } else { 1.0 };
    let part = |x: f32| (ink * (x + shift) * f32::from(alpha) / 255.0).round() as u8;
    let [r, g, b] = rgb.map(part);
    Color32::from_rgba_premultiplied(r, g, b, alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG 2.1: relative luminance, and the contrast of two colours.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |colour: Color32| {
            let linear = egui::Rgba::from(colour);
            0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b()
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        (a / b).max(b / a)
    }

    /// Text must be read on every ground that it stands on, in both themes.
    #[test]
    fn text_has_contrast_in_both_themes() {
        let grounds = [theme::NIGHT, theme::PANEL, theme::WELL, theme::RAISED];
        let texts = [(theme::TEXT, 7.0), (theme::MUTED, 4.5), (theme::AMBER, 4.5)];
        for ground in grounds {
            for (text, least) in texts {
                let light = contrast(lightened(text), lightened(ground));
                assert!(light > least, "{text:?} on {ground:?}: {light}");
                let dark = contrast(text, ground);
                assert!(dark > least, "{text:?} on {ground:?}: {dark}");
            }
        }
    }

    #[test]
    fn colours_keep_their_hue_and_their_alpha() {
        for colour in [theme::VIOLET, theme::AQUA, theme::ROSE] {
            let light = lightened(colour);
            assert_eq!(light.a(), 255);
            let order = |colour: Color32| {
                let mut parts = [0, 1, 2];
                parts.sort_by_key(|part| colour.to_array()[*part]);
                parts
            };
            assert_eq!(order(colour), order(light), "{colour:?} {light:?}");
        }
        assert_eq!(lightened(Color32::TRANSPARENT), Color32::TRANSPARENT);
        assert_eq!(lightened(Color32::BLACK), Color32::WHITE);
        assert_eq!(lightened(Color32::WHITE), Color32::BLACK);
        let half = lightened(Color32::from_rgba_premultiplied(64, 64, 64, 128));
        assert_eq!(half.a(), 128);
        let glow = lightened(theme::light(theme::AMBER, 0.5));
        assert!(glow.a() > 100, "it is seen on a light ground: {glow:?}");
    }
}
