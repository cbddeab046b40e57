//! A rack: the effects of one patch, in the order of their parameters.

use super::chorus::Chorus;
use super::compressor::Compressor;
use super::convolver::{Convolution, Convolver};
use super::crusher::Crusher;
use super::delay::Delay;
use super::drive::Drive;
use super::ducker::Ducker;
use super::eq::Eq;
use super::flanger::Flanger;
use super::limiter::Ceiling;
use super::multiband::Multiband;
use super::phaser::Phaser;
use super::ramp::Ramp;
use super::reverb::Reverb;
use super::shifter::Shifter;
use super::values::is_smooth;
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;

/// Effects of a rack.
const UNITS: usize = EffectValues::SWITCHES.len();

/// The unit of the convolver.
const CONVOLVER: usize = 11;
const _: () = assert!(matches!(EffectValues::SWITCHES[CONVOLVER], Param::ConvolverOn));

/// Time in which an effect is faded in or out.
const FADE_SECONDS: f32 = 0.01;

/// Below this level, after all echoes, the rack counts as silent: -120 dB.
const INAUDIBLE: f32 = 1e-6;

/// An effect and its state in the rack.
struct Unit {
    effect: Box<dyn Effect>,
    /// Its on/off parameter; the order is the next row.
    switch: Param,
    /// Its rows of the table.
    rows: std::ops::Range<usize>,
    /// Its fade, 0 to 1: from bypassed to the full effect.
    fade: f32,
    /// Whether it may still hold sound.
    used: bool,
}

/// The effects of one patch.
pub(super) struct Rack {
    units: [Unit; UNITS],
    /// Units in the order of processing.
    order: [usize; UNITS],
    /// Values of the units. A choice waits here until the effect that it would make jump is faded
    /// out.
    values: EffectValues,
    /// Frames since the last audible sample.
    quiet: usize,
    sample_rate: f32,
}

impl std::fmt::Debug for Rack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rack").field("order", &self.order).finish()
    }
}

impl Rack {
    pub(super) fn new(sample_rate: f32) -> Self {
        let unit = |switch: Param, effect: Box<dyn Effect>| Unit {
            rows: EffectValues::rows_of(switch),
            effect,
            switch,
            fade: 0.0,
            used: false,
        };
        let rate = sample_rate;
        let units = [
            unit(Param::DriveOn, Box::new(Drive::new(rate))),
            unit(Param::CrusherOn, Box::new(Crusher::new(rate))),
            unit(Param::EqOn, Box::new(Eq::new(rate))),
            unit(Param::CompressorOn, Box::new(Compressor::new(rate))),
            unit(Param::MultibandOn, Box::new(Multiband::new(rate))),
            unit(Param::ShifterOn, Box::new(Shifter::new(rate))),
            unit(Param::ChorusOn, Box::new(Chorus::new(rate))),
            unit(Param::PhaserOn, Box::new(Phaser::new(rate))),
            unit(Param::FlangerOn, Box::new(Flanger::new(rate))),
            unit(Param::DelayOn, Box::new(Delay::new(rate))),
            unit(Param::ReverbOn, Box::new(Reverb::new(rate))),
            unit(Param::ConvolverOn, Box::new(Convolver::new(rate))),
            unit(Param::DuckerOn, Box::new(Ducker::new(rate))),
            unit(Param::LimiterOn, Box::new(Ceiling::new(rate))),
        ];
        Self {
            units,
            order: std::array::from_fn(|unit| unit),
            values: EffectValues::off(),
            quiet: usize::MAX,
            sample_rate,
        }
    }

    /// Whether all effects are bypassed and hold no sound.
    pub(super) fn is_idle(&self) -> bool {
        self.units.iter().all(|unit| unit.fade == 0.0)
    }

    /// Whether it is silent.
    pub(super) fn is_silent(&self) -> bool {
        self.quiet == usize::MAX
    }

    /// Seconds until it is silent, without further input.
    pub(super) fn tail(&self, context: EffectContext) -> f32 {
        let present = self.units.iter().filter(|unit| unit.fade > 0.0);
        let tail = |unit: &Unit| {
            let memory = unit.effect.memory(&self.values) as f32 / self.sample_rate;
            memory + unit.effect.ringing(&self.values, context)
        };
        present.map(tail).sum()
    }

    /// Current values of its effects.
    pub(super) fn values(&self) -> EffectValues {
        self.values
    }

    /// The number of the convolution that it has; 0 without one.
    pub(super) fn convolution(&self) -> u64 {
        self.units[CONVOLVER].effect.convolution()
    }

    /// Takes a convolution, and leaves the one that it had.
    pub(super) fn exchange_convolution(&mut self, convolution: &mut Option<Box<Convolution>>) {
        self.units[CONVOLVER].effect.exchange_convolution(convolution);
    }

    /// Clears all sound.
    pub(super) fn reset(&mut self) {
        for unit in &mut self.units {
            unit.clear();
            unit.fade = 0.0;
        }
        self.values = EffectValues::off();
        self.order = self.order_for(&EffectValues::off());
        self.quiet = usize::MAX;
    }

    /// Sets `values` at once, while nothing sounds.
    pub(super) fn start(&mut self, values: &EffectValues) {
        self.reset();
        self.values = *values;
        self.order = self.order_for(values);
        for unit in &mut self.units {
            unit.fade = if unit.is_on(values) { 1.0 } else { 0.0 };
        }
    }

    /// Processes one tick in place.
    pub(super) fn render(
        &mut self,
        sound: &mut Stereo,
        values: &EffectValues,
        context: EffectContext,
    ) {
        let silent = sound.iter().flatten().all(|&sample| sample == 0.0);
        if silent && self.is_silent() {
            self.start(values);
            return;
        }
        let order = self.order_for(values);
        let stays = order == self.order;
        for index in self.order {
            let unit = &mut self.units[index];
            let wanted = stays && unit.is_on(values) && !unit.jumps(&self.values, values);
            self.values.take_smooth(values, unit.rows.clone());
            unit.render(sound, &self.values, context, wanted, self.sample_rate);
            if unit.fade == 0.0 {
                self.values.take(values, unit.rows.clone());
            }
        }
        if !stays && self.is_idle() {
            self.order = order;
        }
        self.detect_silence(silent, sound);
    }

    /// Detects the end of the sound.
    fn detect_silence(&mut self, silent: bool, sound: &Stereo) {
        let heard = |sample: &f32| sample.abs() > INAUDIBLE;
        if !silent || sound.iter().flatten().any(heard) {
            self.quiet = 0;
            return;
        }
        self.quiet = self.quiet.saturating_add(TICK);
        let present = self.units.iter().filter(|unit| unit.fade > 0.0);
        let memory: usize = present.map(|unit| unit.effect.memory(&self.values)).sum();
        if self.quiet > memory {
            self.quiet = usize::MAX;
            self.units.iter_mut().for_each(Unit::clear);
        }
    }

    /// By the order parameters; effects with the same number in the order of the table.
    fn order_for(&self, values: &EffectValues) -> [usize; UNITS] {
        let mut order = std::array::from_fn(|unit| unit);
        order.sort_by_key(|&unit| values[self.units[unit].switch.offset(1)] as u32);
        order
    }
}

impl Unit {
    fn is_on(&self, values: &EffectValues) -> bool {
        values[self.switch] != 0.0
    }

    /// Whether a choice is about to change that the effect cannot smooth.
    fn jumps(&self, from: &EffectValues, to: &EffectValues) -> bool {
        // The rack itself handles switch and order.
        let mut own = Param::ALL[self.rows.clone()].iter().skip(2);
        own.any(|&param| !is_smooth(param) && from[param] != to[param])
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.used) {
            self.effect.reset();
        }
    }

    fn render(
        &mut self,
        sound: &mut Stereo,
        values: &EffectValues,
        context: EffectContext,
        wanted: bool,
        sample_rate: f32,
    ) {
        let step = TICK as f32 / (FADE_SECONDS * sample_rate);
        let from = self.fade;
        self.fade = match wanted {
            true => (from + step).min(1.0),
            false => (from - step).max(0.0),
        };
        if from == 0.0 && self.fade == 0.0 {
            return;
        }
        if from == 0.0 {
            self.clear();
        }
        self.used = true;
        if from == 1.0 && self.fade == 1.0 {
            self.effect.render(sound, values, context);
            return;
        }
        // The input is faded like the output, because a delay would repeat a sudden start later.
        let dry = *sound;
        let share = Ramp::new(from, self.fade);
        for sound in &mut *sound {
            let mut share = share;
            sound.iter_mut().for_each(|sample| *sample *= share.next());
        }
        self.effect.render(sound, values, context);
        for (wet, dry) in sound.iter_mut().zip(&dry) {
            let mut share = share;
            for (wet, dry) in wet.iter_mut().zip(dry) {
                *wet = dry + (*wet - dry) * share.next();
            }
        }
    }
}
