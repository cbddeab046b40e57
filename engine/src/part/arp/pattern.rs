//! The step pattern of the arpeggiator: velocity, gate, chance and tie of each step.

use crate::controls::Controls;
use crate::dsp::hash;
use crate::params::Param;

/// Parameters of a step.
const ROWS: usize = Param::Step2Velocity as usize - Param::Step1Velocity as usize;

/// One step of the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PatternStep {
    pub(super) velocity: f32,
    pub(super) gate: f32,
    /// Whether the note of the step before goes on.
    pub(super) tie: bool,
    chance: f32,
}

impl PatternStep {
    /// The pattern's step at `number` since the start; without a pattern, one that changes nothing.
    pub(super) fn read(controls: &Controls, number: i64) -> Self {
        let steps = controls[Param::ArpPattern] as i64;
        if steps == 0 {
            return Self { velocity: 1.0, gate: 1.0, tie: false, chance: 1.0 };
        }
        let offset = ROWS * number.rem_euclid(steps) as usize;
        let value = |param: Param| controls[param.offset(offset)];
        Self {
            velocity: value(Param::Step1Velocity),
            gate: value(Param::Step1Gate),
            tie: value(Param::Step1Tie) != 0.0,
            chance: value(Param::Step1Chance),
        }
    }

    /// Whether it plays a note; decided anew each time, by a count of such decisions.
    pub(super) fn plays(&self, drawn: &mut u32) -> bool {
        if self.velocity == 0.0 || self.chance >= 1.0 {
            return self.velocity > 0.0;
        }
        *drawn = drawn.wrapping_add(1);
        let share = hash(*drawn ^ 0x57E9) as f32 / u32::MAX as f32;
        share < self.chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_plays_as_often_as_its_chance() {
        let (mut drawn, mut played) = (0, 0);
        let step = PatternStep { velocity: 1.0, gate: 1.0, tie: false, chance: 0.25 };
        for _ in 0..4_000 {
            played += i32::from(step.plays(&mut drawn));
        }
        assert!((900..1_100).contains(&played), "{played}");
        assert!(!PatternStep { chance: 0.0, ..step }.plays(&mut drawn));
        assert!(PatternStep { chance: 1.0, ..step }.plays(&mut drawn));
        assert!(!PatternStep { velocity: 0.0, chance: 1.0, ..step }.plays(&mut drawn));
    }

    /// Every parameter of the last step is the last step's.
    #[test]
    fn steps_have_their_own_rows() {
        for (index, &param) in
            [Param::Step1Velocity, Param::Step1Gate, Param::Step1Chance, Param::Step1Tie]
                .iter()
                .enumerate()
        {
            let last = param.offset(15 * ROWS);
            assert_eq!(last, Param::Step16Velocity.offset(index));
            assert_eq!(last.info().key(), param.info().key());
        }
    }
}
