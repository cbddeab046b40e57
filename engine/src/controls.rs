//! The values of a part's parameters: their targets, and the smoothed values on the way there.

use crate::params::{COUNT, Curve, Kind, Param, TABLE};
use std::ops::Index;

/// Time constant of the smoothing.
const SMOOTHING_SECONDS: f32 = 0.008;

/// The fraction of the remaining distance that a tick covers, for parameters and controllers.
pub(crate) fn smoothing_step(tick_seconds: f32) -> f32 {
    1.0 - (-tick_seconds / SMOOTHING_SECONDS).exp()
}

/// One number for every parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(pub(crate) [f32; COUNT]);

impl Values {
    /// The defaults of the table.
    pub fn new() -> Self {
        Self(std::array::from_fn(|i| TABLE[i].default))
    }

    /// Sets a parameter, to the nearest value it can have.
    pub fn set(&mut self, param: Param, value: f32) {
        self.0[param as usize] = param.info().clamp(value);
    }
}

impl Default for Values {
    fn default() -> Self {
        Self::new()
    }
}

impl Index<Param> for Values {
    type Output = f32;
    fn index(&self, param: Param) -> &f32 {
        &self.0[param as usize]
    }
}

/// Parameter values that move smoothly to their targets, tick by tick.
#[derive(Clone, Debug)]
pub(crate) struct Controls {
    now: Values,
    target: Values,
    moving: [bool; COUNT],
    any_moving: bool,
    /// Whether any value has changed since the last call of [`Controls::take_changed`].
    changed: bool,
    /// The fraction of the remaining distance that a tick covers.
    step: f32,
}

impl Controls {
    pub(crate) fn new(tick_seconds: f32) -> Self {
        Self {
            now: Values::new(),
            target: Values::new(),
            moving: [false; COUNT],
            any_moving: false,
            changed: true,
            step: smoothing_step(tick_seconds),
        }
    }

    /// Smooths as ticks of this length ask.
    pub(crate) fn set_tick(&mut self, tick_seconds: f32) {
        self.step = smoothing_step(tick_seconds);
    }

    /// Sets all values at once, without smoothing.
    pub(crate) fn jump_to(&mut self, values: &Values) {
        self.now.0 = values.0;
        self.target.0 = values.0;
        self.moving = [false; COUNT];
        self.any_moving = false;
        self.changed = true;
    }

    /// Sets the target of a parameter. Whole numbers and choices change at once.
    pub(crate) fn set(&mut self, param: Param, value: f32) {
        self.target.set(param, value);
        self.changed = true;
        let index = param as usize;
        match TABLE[index].kind {
            Kind::Number { .. } => {
                self.moving[index] = true;
                self.any_moving = true;
            }
            Kind::Whole { .. } | Kind::Choice(_) => self.now.0[index] = self.target.0[index],
        }
    }

    /// Advances every moving parameter by one tick.
    pub(crate) fn tick(&mut self) {
        if !self.any_moving {
            return;
        }
        self.any_moving = false;
        self.changed = true;
        for (index, info) in TABLE.iter().enumerate() {
            if !self.moving[index] {
                continue;
            }
            let (now, target) = (self.now.0[index], self.target.0[index]);
            let next = match info.kind {
                Kind::Number { curve: Curve::Exponential, .. } => {
                    now * (target / now).powf(self.step)
                }
                _ => now + (target - now) * self.step,
            };
            let (min, max) = info.kind.range();
            let arrived = (target - next).abs() <= 1e-4 * (max - min).min(target.abs().max(1e-3));
            self.now.0[index] = if arrived { target } else { next };
            self.moving[index] = !arrived;
            self.any_moving |= !arrived;
        }
    }

    /// What all parameters are in this tick.
    pub(crate) fn values(&self) -> &Values {
        &self.now
    }

    /// Whether any value has changed since the last call. Until then, values that were derived from
    /// them stay valid.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The target of the parameter.
    #[cfg(test)]
    pub(crate) fn target(&self, param: Param) -> f32 {
        self.target[param]
    }
}

impl Index<Param> for Controls {
    type Output = f32;
    fn index(&self, param: Param) -> &f32 {
        &self.now[param]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_glide_and_arrive_choices_jump() {
        let mut controls = Controls::new(32.0 / 48_000.0);
        controls.set(Param::FilterCutoff, 10_000.0);
        controls.set(Param::FilterType, 2.0);
        assert_eq!(controls[Param::FilterType], 2.0);
        controls.tick();
        assert!(controls[Param::FilterCutoff] > 2_000.0 && controls[Param::FilterCutoff] < 3_000.0);
        (0..500).for_each(|_| controls.tick());
        assert_eq!(controls[Param::FilterCutoff], controls.target(Param::FilterCutoff));
        assert!(!controls.any_moving);
    }
}
