//! How far the sound of a GPU may be from that of the CPU: before effects so many decibels below full scale, after them as
//! much more as they amplify.

use myriad_engine::modulation::moved;
use myriad_engine::params::Param;
use myriad_engine::{EventKind, Patch};
use myriad_live::stream::LogEntry;
use std::collections::BTreeMap;

/// Before effects: -110 dBFS.
pub(super) const BEFORE_EFFECTS: f32 = 3.2e-6;

/// Switches of effects, and the decibels by which they may amplify.
const GAINS: [(Param, Param); 11] = [
    (Param::DriveOn, Param::DriveAmount),
    (Param::DriveOn, Param::DriveLevel),
    (Param::EqOn, Param::EqLowGain),
    (Param::EqOn, Param::EqMid1Gain),
    (Param::EqOn, Param::EqMid2Gain),
    (Param::EqOn, Param::EqHighGain),
    (Param::CompressorOn, Param::CompressorGain),
    (Param::MultibandOn, Param::MultibandLowGain),
    (Param::MultibandOn, Param::MultibandMidGain),
    (Param::MultibandOn, Param::MultibandHighGain),
    (Param::LimiterOn, Param::LimiterGain),
];

/// Switches of effects whose output comes back, and how much of it.
const FEEDBACKS: [(Param, Param); 3] = [
    (Param::PhaserOn, Param::PhaserFeedback),
    (Param::FlangerOn, Param::FlangerFeedback),
    (Param::DelayOn, Param::DelayFeedback),
];

/// Follows the patches of all parts.
#[derive(Default)]
pub(super) struct Parity {
    /// The patch of each part with the knobs as they are, and the one before, whose sound may not have ended.
    patches: BTreeMap<usize, [Option<Box<Patch>>; 2]>,
}

impl Parity {
    /// Follows what was rendered. Returns the tolerance, if it has changed.
    pub(super) fn follow(&mut self, entries: &[LogEntry]) -> Option<f32> {
        let mut has_changed = false;
        for entry in entries {
            match entry {
                LogEntry::Patch { part, patch } => {
                    let [now, before] = self.patches.entry(*part).or_default();
                    *before = now.replace(patch.clone());
                }
                LogEntry::Routes { part, routes } => {
                    let patch = self.patches.entry(*part).or_default()[0].as_mut();
                    patch.into_iter().for_each(|patch| patch.routes.clone_from(routes));
                }
                LogEntry::Event(event) => {
                    let EventKind::Param { param, value } = event.kind else {
                        continue;
                    };
                    let patch = self.patches.entry(event.part.into()).or_default()[0].as_mut();
                    patch.into_iter().for_each(|patch| patch.values.set(param, value));
                }
                _ => continue,
            }
            has_changed = true;
        }
        has_changed.then(|| {
            let patches = self.patches.values().flatten().flatten();
            patches.map(|patch| tolerance(patch)).fold(BEFORE_EFFECTS, f32::max)
        })
    }
}

/// The most that the sound of a patch may differ.
fn tolerance(patch: &Patch) -> f32 {
    let is_on = |switch: Param| patch.values[switch] != 0.0;
    let most = |param: Param| {
        let routes = patch.routes.iter().filter(|route| route.target == param);
        let amount = routes.map(|route| route.amount.abs()).sum();
        moved(param.info().kind, patch.values[param], amount)
    };
    let gains = GAINS.iter().filter(|(switch, _)| is_on(*switch));
    let decibels: f32 = gains.map(|(_, gain)| most(*gain).max(0.0)).sum();
    let feedbacks = FEEDBACKS.iter().filter(|(switch, _)| is_on(*switch));
    let feedback: f32 = feedbacks
        .map(|(_, feedback)| 1.0 / (1.0 - most(*feedback).max(patch.values[*feedback].abs())))
        .product();
    // A step more or less of the crusher.
    let crushed = match is_on(Param::CrusherOn) {
        true => (1.0 - patch.values[Param::CrusherBits]).exp2(),
        false => 0.0,
    };
    (BEFORE_EFFECTS + crushed) * 10f32.powf(decibels / 20.0) * feedback
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::{Event, factory};

    fn decibels(tolerance: f32) -> f32 {
        20.0 * tolerance.log10()
    }

    #[test]
    fn the_tolerance_is_that_of_the_effects_in_use() {
        let mut parity = Parity::default();
        let mut follow = |entry: LogEntry| parity.follow(&[entry]).map(|it| decibels(it).round());
        let plain = Box::new(Patch::new());
        assert_eq!(follow(LogEntry::Patch { part: 0, patch: plain.clone() }), Some(-110.0));
        // 16 dB of drive, 8 more by velocity, and a level of 2.8 dB.
        let driven = Box::new(factory::find("Wobble Board").unwrap().clone());
        assert_eq!(follow(LogEntry::Patch { part: 0, patch: driven }), Some(-83.0));
        let key = EventKind::NoteOn { key: 60, velocity: 1.0 };
        assert_eq!(follow(LogEntry::Event(Event { frame: 0, part: 0, kind: key })), None);
        let knob = EventKind::Param { param: Param::DriveOn, value: 0.0 };
        assert_eq!(follow(LogEntry::Event(Event { frame: 0, part: 0, kind: knob })), Some(-110.0));
        // The patch before may still sound.
        let knob = EventKind::Param { param: Param::DriveOn, value: 1.0 };
        assert_eq!(follow(LogEntry::Event(Event { frame: 0, part: 0, kind: knob })), Some(-83.0));
        assert_eq!(follow(LogEntry::Patch { part: 0, patch: plain.clone() }), Some(-83.0));
        assert_eq!(follow(LogEntry::Patch { part: 0, patch: plain }), Some(-110.0));
    }
}
