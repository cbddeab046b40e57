//! The sine LFO of chorus, phaser and flanger.

use crate::dsp::fast::quarter_sine;
use crate::render::TICK;

/// Phase of the LFO, 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sweep(f32);

impl Sweep {
    /// Advances by a tick.
    pub(super) fn tick(&mut self, hertz: f32, sample_rate: f32) {
        self.0 = (self.0 + hertz * TICK as f32 / sample_rate).fract();
    }

    /// Its value, -1 to 1, `turns` further on.
    pub(super) fn at(self, turns: f32) -> f32 {
        let x = (self.0 + turns + 0.25).rem_euclid(1.0);
        // Two quarters of the cycle are mirrored onto the other two.
        quarter_sine(1.0 - 4.0 * (x - 0.5).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_sine() {
        for step in 0..100 {
            let x = step as f32 / 100.0;
            let sine = (std::f32::consts::TAU * x).sin();
            assert!((Sweep(0.0).at(x) - sine).abs() < 1e-5, "{x}");
        }
    }
}
