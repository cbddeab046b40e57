//! What a pixel means, in both directions: brightness is level, colour is stereo position.
//!
//! The brightness of a pixel is the largest of red, green and blue, and is linear in decibels: white is
//! 0 dB, a pixel half as bright is 30 dB quieter, and black is silent. The position is blue minus red,
//! relative to the brightness: red is left, blue is right, and grey, green and purple are the centre.

/// From the brightest to the darkest pixel that sounds.
pub(super) const RANGE_DB: f32 = 60.0;

/// The largest value of a channel.
const FULL: u16 = u16::MAX;

/// Steps of the stereo position, from left to right.
const POSITIONS: usize = 4_096;

/// Powers of pixels, as tables: pictures have millions of them.
pub(super) struct Colours {
    /// By brightness.
    power: Vec<f32>,
    /// The share of the left side, by position.
    left: Vec<f32>,
    /// Whether dark pixels sound and white is silent.
    ink: bool,
}

impl Colours {
    pub(super) fn new(ink: bool) -> Self {
        let power = |value: u16| match value {
            0 => 0.0,
            _ => 10.0_f32.powf(RANGE_DB / 10.0 * (f32::from(value) / f32::from(FULL) - 1.0)),
        };
        // Constant power: a quarter of a turn from left to right.
        let left = |step: usize| {
            let angle = std::f64::consts::FRAC_PI_2 * step as f64 / POSITIONS as f64;
            angle.cos().powi(2) as f32
        };
        Self {
            power: (0..=FULL).map(power).collect(),
            left: (0..=POSITIONS).map(left).collect(),
            ink,
        }
    }

    /// The powers of left and right of a pixel: red, green, blue and alpha.
    #[inline]
    pub(super) fn powers(&self, [red, green, blue, alpha]: [u16; 4]) -> [f32; 2] {
        let [red, green, blue] = match (alpha, self.ink) {
            (FULL, _) => [red, green, blue],
            // What is transparent is silent.
            (_, false) => [red, green, blue].map(|x| share(x, alpha)),
            (_, true) => [red, green, blue].map(|x| FULL - share(FULL - x, alpha)),
        };
        let bright = match self.ink {
            false => red.max(green).max(blue),
            true => FULL - red.min(green).min(blue),
        };
        if bright == 0 {
            return [0.0; 2];
        }
        let position = (i32::from(blue) - i32::from(red)) as f32 / f32::from(bright);
        let step = 0.5 * POSITIONS as f32 * (1.0 + position);
        let left = self.left[(step.round() as usize).min(POSITIONS)];
        let power = self.power[usize::from(bright)];
        [power * left, power * (1.0 - left)]
    }
}

fn share(x: u16, alpha: u16) -> u16 {
    (u32::from(x) * u32::from(alpha) / u32::from(FULL)) as u16
}

/// The pixel for powers of left and right, where white has the power 1.
pub(super) fn pixel([left, right]: [f32; 2]) -> [u8; 3] {
    let power = left + right;
    let bright = 1.0 + 10.0 * power.max(1e-30).log10() / RANGE_DB;
    if bright <= 0.0 {
        return [0; 3];
    }
    let bright = bright.min(1.0);
    let angle = right.sqrt().atan2(left.sqrt());
    let position = angle / std::f32::consts::FRAC_PI_4 - 1.0;
    let channel = |share: f32| (255.0 * bright * share.clamp(0.0, 1.0)).round() as u8;
    [channel(1.0 - position), channel(1.0 - position.abs()), channel(1.0 + position)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(pixel: [u8; 3]) -> [u16; 4] {
        let [red, green, blue] = pixel.map(|x| u16::from(x) * 257);
        [red, green, blue, FULL]
    }

    fn db(power: f32) -> f32 {
        10.0 * power.log10()
    }

    /// A pixel and its powers are the same thing, within half a step of eight bits.
    #[test]
    fn pixels_and_powers_are_inverse() {
        let colours = Colours::new(false);
        for level in [0.0, -3.0, -12.0, -30.0, -54.0] {
            for position in [0.0_f32, 0.2, 0.5, 0.8, 1.0] {
                let angle = position * std::f32::consts::FRAC_PI_2;
                let power = 10.0_f32.powf(level / 10.0);
                let sides = [angle.cos().powi(2), angle.sin().powi(2)].map(|x| x * power);
                let [left, right] = colours.powers(wide(pixel(sides)));
                assert!((db(left + right) - level).abs() < 0.13, "{level} dB at {position}");
                let found = right.sqrt().atan2(left.sqrt()) / std::f32::consts::FRAC_PI_2;
                let step = 0.3 / (255.0 * (1.0 + level / RANGE_DB));
                assert!((found - position).abs() < step + 1e-3, "{position}: {found}");
            }
        }
        assert_eq!(pixel([0.0; 2]), [0; 3]);
        assert_eq!(pixel([5e-7, 4e-7]), [0; 3], "below 60 dB there is nothing");
    }

    #[test]
    fn colours_have_their_places() {
        let colours = Colours::new(false);
        let sides = |pixel| colours.powers(wide(pixel)).map(db);
        for (pixel, [left, right]) in [
            ([255, 255, 255], [-3.0, -3.0]),
            ([255, 0, 0], [0.0, f32::NEG_INFINITY]),
            ([0, 0, 255], [f32::NEG_INFINITY, 0.0]),
            ([0, 255, 0], [-3.0, -3.0]),
            ([255, 0, 255], [-3.0, -3.0]),
            // Half as bright.
            ([0, 0, 0], [f32::NEG_INFINITY; 2]),
        ] {
            let found = sides(pixel);
            for (found, expected) in found.into_iter().zip([left, right]) {
                let near = (found - expected).abs() < 0.02 || (found < -60.0 && expected < -60.0);
                assert!(near, "{pixel:?}: {found} for {expected} dB");
            }
        }
        // Transparent pixels are silent, half transparent ones half as bright.
        assert_eq!(colours.powers([FULL, FULL, FULL, 0]), [0.0; 2]);
        let [left, right] = colours.powers([FULL, FULL, FULL, FULL / 2]);
        assert!((db(left + right) + 30.0).abs() < 0.01);
    }

    /// Ink on paper: black is loud, white is silent, and colours keep their places.
    #[test]
    fn ink_sounds_and_paper_does_not() {
        let colours = Colours::new(true);
        assert_eq!(colours.powers(wide([255; 3])), [0.0; 2]);
        assert_eq!(colours.powers([0, 0, 0, 0]), [0.0; 2], "transparent is paper");
        let [left, right] = colours.powers(wide([0; 3]));
        assert!((db(left + right)).abs() < 0.01 && left == right);
        let [left, right] = colours.powers(wide([255, 0, 0]));
        assert!(db(left).abs() < 0.01 && right < 1e-6);
    }
}
