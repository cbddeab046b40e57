//! Colours: the map from level to light, blended in a space where equal steps look equal.

/// Red, green and blue as screens take them.
pub type Rgb = [u8; 3];

/// Behind everything.
pub const BACKGROUND: Rgb = [0x08, 0x07, 0x12];
/// What is to be read first.
pub const INK: Rgb = [0xe8, 0xe4, 0xf0];
/// What is there when looked for.
pub const FAINT: Rgb = [0x92, 0x8c, 0xa6];

/// Night to dawn: darkness, violet, rose, amber, light. Lightness rises evenly all the way, so
/// the picture keeps its meaning in black and white and for the colour-blind.
const DAWN: [Rgb; 7] = [
    [0x08, 0x07, 0x12],
    [0x1d, 0x14, 0x47],
    [0x54, 0x1a, 0x78],
    [0x9f, 0x2f, 0x7f],
    [0xe4, 0x56, 0x6a],
    [0xfd, 0xa6, 0x5c],
    [0xfd, 0xf6, 0xc8],
];

/// The colours of 256 levels from nothing to full.
pub fn map() -> [Rgb; 256] {
    std::array::from_fn(|index| {
        let position = index as f32 / 255.0 * (DAWN.len() - 1) as f32;
        let from = (position as usize).min(DAWN.len() - 2);
        blend(DAWN[from], DAWN[from + 1], position - from as f32)
    })
}

/// The colour `mix` of the way from `a` to `b`.
pub fn blend(a: Rgb, b: Rgb, mix: f32) -> Rgb {
    let (a, b) = (to_oklab(a), to_oklab(b));
    from_oklab(std::array::from_fn(|i| a[i] + (b[i] - a[i]) * mix))
}

// Ottosson, "A perceptual color space for image processing", 2020.

const LMS: [[f32; 3]; 3] = [
    [0.412_221_46, 0.536_332_55, 0.051_445_995],
    [0.211_903_5, 0.680_699_5, 0.107_396_96],
    [0.088_302_46, 0.281_718_85, 0.629_978_7],
];
const LAB: [[f32; 3]; 3] = [
    [0.210_454_26, 0.793_617_8, -0.004_072_047],
    [1.977_998_5, -2.428_592_2, 0.450_593_7],
    [0.025_904_037, 0.782_771_77, -0.808_675_77],
];
const LMS_FROM_LAB: [[f32; 3]; 3] = [
    [1.0, 0.396_337_78, 0.215_803_76],
    [1.0, -0.105_561_346, -0.063_854_17],
    [1.0, -0.089_484_18, -1.291_485_5],
];
const RGB_FROM_LMS: [[f32; 3]; 3] = [
    [4.076_741_7, -3.307_711_6, 0.230_969_94],
    [-1.268_438, 2.609_757_4, -0.341_319_38],
    [-0.004_196_086_3, -0.703_418_6, 1.707_614_7],
];

fn to_oklab(rgb: Rgb) -> [f32; 3] {
    let linear = rgb.map(|value| {
        let value = f32::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    multiply(&LAB, multiply(&LMS, linear).map(f32::cbrt))
}

fn from_oklab(lab: [f32; 3]) -> Rgb {
    let lms = multiply(&LMS_FROM_LAB, lab).map(|value| value * value * value);
    multiply(&RGB_FROM_LMS, lms).map(|value| {
        let value = if value <= 0.003_130_8 {
            value * 12.92
        } else {
            1.055 * value.powf(1.0 / 2.4) - 0.055
        };
        (value * 255.0).round() as u8
    })
}

fn multiply(matrix: &[[f32; 3]; 3], vector: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(m, v)| m * v).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_blend_are_its_colours() {
        for [a, b] in [[DAWN[0], DAWN[6]], [DAWN[2], DAWN[4]]] {
            assert_eq!(blend(a, b, 0.0), a);
            assert_eq!(blend(a, b, 1.0), b);
        }
    }

    #[test]
    fn louder_is_lighter() {
        let lightness = map().map(|rgb| to_oklab(rgb)[0]);
        assert!(lightness.windows(2).all(|pair| pair[1] > pair[0] - 0.003));
    }
}
