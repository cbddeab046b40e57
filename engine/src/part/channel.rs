//! The controllers of a channel, smoothed because they arrive in 128 steps.

use crate::controls::smoothing_step;

/// A controller that moves smoothly to its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Controller {
    now: f32,
    target: f32,
}

impl Controller {
    fn at(value: f32) -> Self {
        Self { now: value, target: value }
    }

    pub(super) fn set(&mut self, value: f32) {
        self.target = if value.is_finite() { value } else { 0.0 };
    }

    pub(super) fn now(&self) -> f32 {
        self.now
    }

    fn tick(&mut self, step: f32) {
        self.now += (self.target - self.now) * step;
        if (self.target - self.now).abs() < 1e-5 {
            self.now = self.target;
        }
    }
}

/// The controllers and pedals of one channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) bend: Controller,
    pub(super) wheel: Controller,
    pub(super) breath: Controller,
    pub(super) volume: Controller,
    pub(super) pan: Controller,
    pub(super) expression: Controller,
    pub(super) brightness: Controller,
    pub(super) pressure: Controller,
    pub(super) sustain: bool,
    pub(super) sostenuto: bool,
    /// The registered parameter number (RPN) that data entry changes.
    pub(super) registered: [u8; 2],
    /// Gain and pan of the kit that this is a key zone of; else 1 and 0.
    pub(super) kit_gain: f32,
    pub(super) kit_pan: f32,
    step: f32,
}

/// Volume 100 of 127 is neutral, as General MIDI starts there.
const NEUTRAL_VOLUME: f32 = 100.0 / 127.0;

impl Channel {
    pub(super) fn new(tick_seconds: f32) -> Self {
        Self {
            bend: Controller::at(0.0),
            wheel: Controller::at(0.0),
            breath: Controller::at(0.0),
            volume: Controller::at(NEUTRAL_VOLUME),
            pan: Controller::at(0.5),
            expression: Controller::at(1.0),
            brightness: Controller::at(0.5),
            pressure: Controller::at(0.0),
            sustain: false,
            sostenuto: false,
            registered: [127, 127],
            kit_gain: 1.0,
            kit_pan: 0.0,
            step: smoothing_step(tick_seconds),
        }
    }

    pub(super) fn reset(&mut self) {
        let step = self.step;
        *self = Self { step, ..Self::new(1.0) };
    }

    /// "Reset all controllers" of MIDI: volume and pan stay.
    pub(super) fn reset_controllers(&mut self) {
        self.bend.set(0.0);
        self.wheel.set(0.0);
        self.breath.set(0.0);
        self.expression.set(1.0);
        self.brightness.set(0.5);
        self.pressure.set(0.0);
        (self.sustain, self.sostenuto) = (false, false);
        self.registered = [127, 127];
    }

    pub(super) fn tick(&mut self) {
        let controllers = [
            &mut self.bend,
            &mut self.wheel,
            &mut self.breath,
            &mut self.volume,
            &mut self.pan,
            &mut self.expression,
            &mut self.brightness,
            &mut self.pressure,
        ];
        controllers.into_iter().for_each(|controller| controller.tick(self.step));
    }

    /// Gain of volume and expression together.
    pub(super) fn gain(&self) -> f32 {
        (self.volume.now() / NEUTRAL_VOLUME).powi(2) * self.expression.now().powi(2) * self.kit_gain
    }

    /// Pan, -1 to 1.
    pub(super) fn pan(&self) -> f32 {
        // MIDI's centre is 64 of 127, slightly above one half.
        let middle = 64.0 / 127.0;
        let pan = match self.pan.now() {
            pan if pan < 0.5 => (pan / 0.5 - 1.0).clamp(-1.0, 0.0),
            pan => ((pan - middle) / (1.0 - middle)).clamp(0.0, 1.0),
        };
        pan + self.kit_pan
    }
}
