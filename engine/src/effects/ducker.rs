//! The ducker: an envelope on the level that dips with every beat and recovers before the next.
//!
//! It follows the song's beats; without a song it counts beats from the first sound on.

use super::ramp::Glide;
use super::{Effect, EffectContext, EffectValues, Stereo};
use crate::params::Param;
use crate::render::TICK;

/// Beats of a cycle, in the order of the `ducker.sync` parameter's names.
const BEATS: [f64; 9] = [4.0, 2.0, 1.5, 1.0, 2.0 / 3.0, 0.75, 0.5, 1.0 / 3.0, 0.25];

/// The shortest time for the whole way back up, also when the song jumps.
const FASTEST_SECONDS: f32 = 0.005;

#[derive(Debug)]
pub(super) struct Ducker {
    /// Beats since the first sound.
    counted: f64,
    /// The gain at the end of the last tick.
    gain: Option<f32>,
    ramp: Glide,
    sample_rate: f32,
}

impl Ducker {
    pub(super) fn new(sample_rate: f32) -> Self {
        Self { counted: 0.0, gain: None, ramp: Glide::default(), sample_rate }
    }
}

/// Gain at `place` of a cycle, 0 to 1, without the attack; `value` gives the parameters.
pub(crate) fn gain_at(value: impl Fn(Param) -> f32, place: f32) -> f32 {
    let risen = (place - value(Param::DuckerHold)) / value(Param::DuckerRelease);
    let risen = risen.clamp(0.0, 1.0);
    // Powers from 1/4 to 4; at zero curve a smooth step.
    let bent = risen.powf((-2.0 * value(Param::DuckerCurve)).exp2());
    let smooth = bent * bent * (3.0 - 2.0 * bent);
    1.0 - value(Param::DuckerDepth) * (1.0 - smooth)
}

impl Effect for Ducker {
    fn reset(&mut self) {
        *self = Self::new(self.sample_rate);
    }

    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, context: EffectContext) {
        let seconds = TICK as f32 / self.sample_rate;
        let cycle = BEATS[values[Param::DuckerSync] as usize];
        let beat = context.beat.unwrap_or(self.counted);
        self.counted += f64::from(seconds * context.bpm / 60.0);
        let place = (beat / cycle).rem_euclid(1.0) as f32;
        let target = gain_at(|param| values[param], place);
        let gain = self.gain.unwrap_or(target);
        let down = seconds / values[Param::DuckerAttack];
        let up = seconds / FASTEST_SECONDS;
        let gain = target.clamp(gain - down, gain + up);
        self.gain = Some(gain);
        let ramp = self.ramp.ramp(gain);
        for sound in sound {
            let mut ramp = ramp;
            sound.iter_mut().for_each(|sample| *sample *= ramp.next());
        }
    }

    fn memory(&self, _: &EffectValues) -> usize {
        TICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Kind, TABLE};

    /// A quarter note would dip as something else.
    #[test]
    fn cycles_are_as_long_as_their_names_say() {
        let names = |param: Param| match TABLE[param as usize].kind {
            Kind::Choice(names) => names,
            kind => panic!("{kind:?}"),
        };
        for (name, beats) in names(Param::DuckerSync).iter().zip(BEATS) {
            let sync = names(Param::DelaySync).iter().position(|other| other == name).unwrap();
            assert_eq!(crate::modulation::beats_of_sync(sync as f32), Some(beats), "{name}");
        }
        assert_eq!(names(Param::DuckerSync).len(), BEATS.len());
    }
}
