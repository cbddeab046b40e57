//! The equaliser: a low shelf, two bells and a high shelf.
//!
//! State-variable filters by trapezoidal integration (Simper, "Linear Trapezoidal Integrated State
//! Variable Filter", 2013): their coefficients may move at any speed.

use super::ramp::{Ramp, amplitude};
use super::{Effect, EffectContext, EffectValues, GONE, Stereo};
use crate::params::Param;
use crate::render::TICK;
use std::f32::consts::{FRAC_1_SQRT_2, PI};

const BANDS: usize = 4;

/// Shape and parameters of each band.
const SHAPES: [(Shape, Param, Param, Option<Param>); BANDS] = [
    (Shape::Low, Param::EqLowFrequency, Param::EqLowGain, None),
    (Shape::Bell, Param::EqMid1Frequency, Param::EqMid1Gain, Some(Param::EqMid1Q)),
    (Shape::Bell, Param::EqMid2Frequency, Param::EqMid2Gain, Some(Param::EqMid2Q)),
    (Shape::High, Param::EqHighFrequency, Param::EqHighGain, None),
];

#[derive(Clone, Copy, Debug)]
enum Shape {
    Low,
    Bell,
    High,
}

/// Coefficients of a band: of the filter, and of its mix of input, band-pass and low-pass.
type Coefficients = [f32; 6];

fn coefficients(shape: Shape, hertz: f32, decibels: f32, q: f32, rate: f32) -> Coefficients {
    let a = amplitude(0.5 * decibels);
    let g = (PI * (hertz / rate).min(0.49)).tan();
    let (g, k, mix) = match shape {
        Shape::Bell => {
            let k = 1.0 / (q * a);
            (g, k, [1.0, k * (a * a - 1.0), 0.0])
        }
        Shape::Low => {
            let k = 1.0 / q;
            (g / a.sqrt(), k, [1.0, k * (a - 1.0), a * a - 1.0])
        }
        Shape::High => {
            let k = 1.0 / q;
            let mix = [a * a, k * (1.0 - a) * a, 1.0 - a * a];
            (g * a.sqrt(), k, mix)
        }
    };
    let a1 = 1.0 / (1.0 + g * (g + k));
    let a2 = g * a1;
    [a1, a2, g * a2, mix[0], mix[1], mix[2]]
}

/// Frequency and damping of a band's poles, from its coefficients.
fn poles(&[a1, a2, ..]: &Coefficients) -> (f32, f32) {
    let g = a2 / a1;
    (g, (1.0 / a1 - 1.0) / g - g)
}

/// Gain of all bands together at `hertz`, in decibels; `value` gives their parameters.
pub(crate) fn gain_db(value: impl Fn(Param) -> f32, hertz: f32, rate: f32) -> f32 {
    let at = (PI * (hertz / rate).min(0.49)).tan();
    let band = |(shape, frequency, gain, q): (Shape, Param, Param, Option<Param>)| {
        let q = q.map_or(FRAC_1_SQRT_2, &value);
        let made = coefficients(shape, value(frequency), value(gain), q, rate);
        let (g, k) = poles(&made);
        let [_, _, _, m0, m1, m2] = made;
        // Input, band and low pass at s = j tan(π f / rate), over the same denominator.
        let (real, imaginary) = (g * g - at * at, k * g * at);
        let above = (m0 * real + m2 * g * g).hypot(m0 * imaginary + m1 * g * at);
        20.0 * (above / real.hypot(imaginary)).log10()
    };
    SHAPES.into_iter().map(band).sum()
}

#[derive(Debug)]
pub(super) struct Eq {
    // Signal state: of each band, left and right.
    state: [[[f32; 2]; 2]; BANDS],
    // Parameters: settings that the coefficients were computed from, and the coefficients.
    settings: [[f32; 3]; BANDS],
    coefficients: Option<[Coefficients; BANDS]>,
    sample_rate: f32,
}

impl Eq {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self {
            state: [[[0.0; 2]; 2]; BANDS],
            settings: [[0.0; 3]; BANDS],
            coefficients: None,
            sample_rate,
        }
    }
}

impl Effect for Eq {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, _: EffectContext) {
        let settings = SHAPES.map(|(_, frequency, gain, q)| {
            let q = q.map_or(FRAC_1_SQRT_2, |q| values[q]);
            [values[frequency], values[gain], q]
        });
        let make = |band: usize| {
            let [hertz, decibels, q] = settings[band];
            coefficients(SHAPES[band].0, hertz, decibels, q, self.sample_rate)
        };
        let from = self.coefficients.unwrap_or_else(|| std::array::from_fn(make));
        let to = match settings == self.settings {
            true => from,
            false => std::array::from_fn(make),
        };
        (self.settings, self.coefficients) = (settings, Some(to));
        for band in 0..BANDS {
            for (sound, state) in sound.iter_mut().zip(&mut self.state[band]) {
                let mut ramps: [Ramp; 6] =
                    std::array::from_fn(|i| Ramp::new(from[band][i], to[band][i]));
                for sample in sound {
                    let [a1, a2, a3, m0, m1, m2] = ramps.each_mut().map(Ramp::next);
                    let v3 = *sample - state[1];
                    let v1 = a1 * state[0] + a2 * v3;
                    let v2 = state[1] + a2 * state[0] + a3 * v3;
                    *state = [2.0 * v1 - state[0], 2.0 * v2 - state[1]];
                    *sample = m0 * *sample + m1 * v1 + m2 * v2;
                }
            }
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK
    }

    fn ringing(&self, values: &EffectValues, _: EffectContext) -> f32 {
        let band = |(shape, frequency, gain, q): (Shape, Param, Param, Option<Param>)| {
            let (gain, q) = (values[gain], q.map_or(FRAC_1_SQRT_2, |q| values[q]));
            let made = coefficients(shape, values[frequency], gain, q, self.sample_rate);
            let (g, k) = poles(&made);
            // A pair of complex poles decays with half its damping; two real ones no slower than
            // with its inverse.
            let slowest = 2.0 * self.sample_rate * g.atan() / k.max(2.0 / k);
            let flat = gain == 0.0;
            if flat { 0.0 } else { -GONE.ln() / slowest }
        };
        SHAPES.into_iter().map(band).sum()
    }
}
