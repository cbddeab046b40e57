//! A rack: the effects of one patch, in the order that it asks for.

use super::chorus::Chorus;
use super::compressor::Compressor;
use super::delay::Delay;
use super::drive::Drive;
use super::eq::Eq;
use super::flanger::Flanger;
use super::limiter::Ceiling;
use super::phaser::Phaser;
use super::ramp::Ramp;
use super::reverb::Reverb;
use super::values::is_smooth;
use super::{Effect, EffectValues, Stereo, Surroundings};
use crate::params::Param;
use crate::render::TICK;

/// Effects of a rack.
const UNITS: usize = 9;

/// Time in which an effect comes and goes.
const FADE_SECONDS: f32 = 0.01;

/// Below this, after all echoes are over, there is nothing left: -120 dB.
const INAUDIBLE: f32 = 1e-6;

/// An effect in its place.
struct Unit {
    effect: Box<dyn Effect>,
    /// Its switch; its place in the order is the next row.
    switch: Param,
    /// Its rows of the table.
    rows: std::ops::Range<usize>,
    /// How much of it is heard, 0 to 1: from nothing at all to all that its mix says.
    presence: f32,
    /// Whether it may hold sound of before.
    used: bool,
}

/// The effects of one patch.
pub(super) struct Rack {
    units: [Unit; UNITS],
    /// Units in the order that they sound in.
    order: [usize; UNITS],
    /// What the units are told. Choices wait here until those who would jump with them are unheard.
    values: EffectValues,
    /// Frames since anything was heard.
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
            presence: 0.0,
            used: false,
        };
        let rate = sample_rate;
        let units = [
            unit(Param::DriveOn, Box::new(Drive::new(rate))),
            unit(Param::EqOn, Box::new(Eq::new(rate))),
            unit(Param::CompressorOn, Box::new(Compressor::new(rate))),
            unit(Param::ChorusOn, Box::new(Chorus::new(rate))),
            unit(Param::PhaserOn, Box::new(Phaser::new(rate))),
            unit(Param::FlangerOn, Box::new(Flanger::new(rate))),
            unit(Param::DelayOn, Box::new(Delay::new(rate))),
            unit(Param::ReverbOn, Box::new(Reverb::new(rate))),
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

    /// Whether it does nothing and holds nothing: what goes in comes out.
    pub(super) fn is_idle(&self) -> bool {
        self.units.iter().all(|unit| unit.presence == 0.0)
    }

    /// Whether nothing is left to be heard of it.
    pub(super) fn is_resting(&self) -> bool {
        self.quiet == usize::MAX
    }

    /// Seconds until it rests, when nothing more goes in.
    pub(super) fn tail(&self, around: Surroundings) -> f32 {
        let present = self.units.iter().filter(|unit| unit.presence > 0.0);
        let tail = |unit: &Unit| {
            let memory = unit.effect.memory(&self.values) as f32 / self.sample_rate;
            memory + unit.effect.ringing(&self.values, around)
        };
        present.map(tail).sum()
    }

    /// What its effects are told.
    pub(super) fn told(&self) -> EffectValues {
        self.values
    }

    /// Forgets all sound.
    pub(super) fn reset(&mut self) {
        for unit in &mut self.units {
            unit.forget();
            unit.presence = 0.0;
        }
        self.values = EffectValues::off();
        self.order = self.wanted_order(&EffectValues::off());
        self.quiet = usize::MAX;
    }

    /// Takes over `values` at once, before there is anything to hear.
    pub(super) fn start(&mut self, values: &EffectValues) {
        self.reset();
        self.values = *values;
        self.order = self.wanted_order(values);
        for unit in &mut self.units {
            unit.presence = if unit.is_wanted(values) { 1.0 } else { 0.0 };
        }
    }

    /// One tick in place.
    pub(super) fn render(
        &mut self,
        sound: &mut Stereo,
        values: &EffectValues,
        around: Surroundings,
    ) {
        let silent = sound.iter().flatten().all(|&sample| sample == 0.0);
        if silent && self.is_resting() {
            self.start(values);
            return;
        }
        let order = self.wanted_order(values);
        let stays = order == self.order;
        for index in self.order {
            let unit = &mut self.units[index];
            let wanted = stays && unit.is_wanted(values) && !unit.jumps(&self.values, values);
            self.values.take_smooth(values, unit.rows.clone());
            unit.render(sound, &self.values, around, wanted, self.sample_rate);
            if unit.presence == 0.0 {
                self.values.take(values, unit.rows.clone());
            }
        }
        if !stays && self.is_idle() {
            self.order = order;
        }
        self.listen(silent, sound);
    }

    /// Notices when all is over.
    fn listen(&mut self, silent: bool, sound: &Stereo) {
        let heard = |sample: &f32| sample.abs() > INAUDIBLE;
        if !silent || sound.iter().flatten().any(heard) {
            self.quiet = 0;
            return;
        }
        self.quiet = self.quiet.saturating_add(TICK);
        let present = self.units.iter().filter(|unit| unit.presence > 0.0);
        let memory: usize = present.map(|unit| unit.effect.memory(&self.values)).sum();
        if self.quiet > memory {
            self.quiet = usize::MAX;
            self.units.iter_mut().for_each(Unit::forget);
        }
    }

    /// By their places; those with the same in the order of the table.
    fn wanted_order(&self, values: &EffectValues) -> [usize; UNITS] {
        let mut order = std::array::from_fn(|unit| unit);
        order.sort_by_key(|&unit| values[self.units[unit].switch.offset(1)] as u32);
        order
    }
}

impl Unit {
    fn is_wanted(&self, values: &EffectValues) -> bool {
        values[self.switch] != 0.0
    }

    /// Whether a choice is about to change that the effect cannot glide to.
    fn jumps(&self, from: &EffectValues, to: &EffectValues) -> bool {
        // Switch and place are the rack's own business.
        let mut own = Param::ALL[self.rows.clone()].iter().skip(2);
        own.any(|&param| !is_smooth(param) && from[param] != to[param])
    }

    fn forget(&mut self) {
        if std::mem::take(&mut self.used) {
            self.effect.reset();
        }
    }

    fn render(
        &mut self,
        sound: &mut Stereo,
        values: &EffectValues,
        around: Surroundings,
        wanted: bool,
        sample_rate: f32,
    ) {
        let step = TICK as f32 / (FADE_SECONDS * sample_rate);
        let from = self.presence;
        self.presence = match wanted {
            true => (from + step).min(1.0),
            false => (from - step).max(0.0),
        };
        if from == 0.0 && self.presence == 0.0 {
            return;
        }
        if from == 0.0 {
            self.forget();
        }
        self.used = true;
        if from == 1.0 && self.presence == 1.0 {
            self.effect.render(sound, values, around);
            return;
        }
        // What goes in fades like what comes out: delays would bring a sudden beginning back later.
        let dry = *sound;
        let share = Ramp::new(from, self.presence);
        for sound in &mut *sound {
            let mut share = share;
            sound.iter_mut().for_each(|sample| *sample *= share.next());
        }
        self.effect.render(sound, values, around);
        for (wet, dry) in sound.iter_mut().zip(&dry) {
            let mut share = share;
            for (wet, dry) in wet.iter_mut().zip(dry) {
                *wet = dry + (*wet - dry) * share.next();
            }
        }
    }
}
