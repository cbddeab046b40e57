//! Colours of pictures, and the colour map from levels.

/// Red, green and blue as sRGB.
pub type Rgb = [u8; 3];

pub const BACKGROUND: Rgb = [0x08, 0x07, 0x12];
/// Text and what is read first.
pub const INK: Rgb = [0xe8, 0xe4, 0xf0];
/// Axes and labels.
pub const FAINT: Rgb = [0x92, 0x8c, 0xa6];

/// Colours at equal steps of the map, from dark violet to light yellow. Lightness rises evenly, so that
/// pictures can be read in black and white and by the colour-blind.
const STOPS: [Rgb; 7] = [
    [0x08, 0x07, 0x12],
    [0x1d, 0x14, 0x47],
    [0x54, 0x1a, 0x78],
    [0x9f, 0x2f, 0x7f],
    [0xe4, 0x56, 0x6a],
    [0xfd, 0xa6, 0x5c],
    [0xfd, 0xf6, 0xc8],
];

/// The colours of 256 levels.
pub fn map() -> [Rgb; 256] {
    std::array::from_fn(|index| {
        let position = index as f32 / 255.0 * (STOPS.len() - 1) as f32;
        let from = (position as usize).min(STOPS.len() - 2);
        blend(STOPS[from], STOPS[from + 1], position - from as f32)
    })
}

/// The colour `mix` (0 to 1) of the way from `a` to `b`.
pub fn blend(a: Rgb, b: Rgb, mix: f32) -> Rgb {
    let channel = |i: usize| {
        let (a, b) = (f32::from(a[i]), f32::from(b[i]));
        (a + (b - a) * mix).round() as u8
    };
    std::array::from_fn(channel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_blend_are_its_colours() {
        for [a, b] in [[STOPS[0], STOPS[6]], [STOPS[2], STOPS[4]]] {
            assert_eq!(blend(a, b, 0.0), a);
            assert_eq!(blend(a, b, 1.0), b);
        }
    }

    #[test]
    fn louder_is_lighter() {
        // Luma after Rec. 709.
        let luma = map()
            .map(|[r, g, b]| 0.2126 * f32::from(r) + 0.7152 * f32::from(g) + 0.0722 * f32::from(b));
        assert!(luma.is_sorted(), "{luma:?}");
    }
}
