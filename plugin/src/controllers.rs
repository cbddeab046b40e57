//! MIDI learn: which controllers move which parameters.
//!
//! The audio thread applies a controller to the sound and to the knob at once. The GUI thread reports
//! the move to the host a moment later, which is possible once an editor has been opened. Until then
//! the host sees the knob's position when it reads or saves it.

use crate::params::MyriadParams;
use myriad_engine::params::{COUNT, Param};
use nice_plug::context::gui::GuiContext;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// No parameter, no controller, and no move.
const NO_PARAM: u16 = u16::MAX;
const NO_CONTROLLER: u8 = u8::MAX;
const UNMOVED: u32 = u32::MAX;

/// The controllers of an instance, shared by all its threads.
pub struct Controllers {
    /// The controller of each parameter. Two parameters may share one.
    of: [AtomicU8; COUNT],
    /// The parameter that learns a controller.
    learning: AtomicU16,
    /// Bits of the positions that controllers have set, until they are reported to the host.
    moved: [AtomicU32; COUNT],
}

impl Controllers {
    pub(crate) fn new() -> Self {
        Self {
            of: std::array::from_fn(|_| AtomicU8::new(NO_CONTROLLER)),
            learning: AtomicU16::new(NO_PARAM),
            moved: std::array::from_fn(|_| AtomicU32::new(UNMOVED)),
        }
    }

    /// Assigns the next controller that moves to this parameter; none cancels that.
    pub fn learn(&self, param: Option<Param>) {
        let number = param.map_or(NO_PARAM, |param| param as u16);
        self.learning.store(number, Relaxed);
    }

    /// The parameter that learns a controller.
    pub fn learning(&self) -> Option<Param> {
        let number = self.learning.load(Relaxed);
        Param::ALL.get(usize::from(number)).copied()
    }

    /// The controller of a parameter.
    pub fn of(&self, param: Param) -> Option<u8> {
        let controller = self.of[param as usize].load(Relaxed);
        (controller < 128).then_some(controller)
    }

    /// Removes the controller of a parameter.
    pub fn forget(&self, param: Param) {
        self.of[param as usize].store(NO_CONTROLLER, Relaxed);
    }

    /// Handles a controller that has moved to `position`, 0 to 1. Returns the parameters that move
    /// with it. For the audio thread.
    pub(crate) fn apply(&self, controller: u8, position: f32) -> impl Iterator<Item = Param> {
        let learning = self.learning.swap(NO_PARAM, Relaxed);
        if let Some(of) = self.of.get(usize::from(learning)) {
            of.store(controller, Relaxed);
        }
        let moved = move |param: &&Param| self.of[**param as usize].load(Relaxed) == controller;
        Param::ALL.iter().filter(moved).map(move |&param| {
            self.moved[param as usize].store(position.to_bits(), Relaxed);
            param
        })
    }

    /// Reports the knobs that controllers have moved to the host. Not for the audio thread.
    pub(crate) fn notify_host(&self, params: &MyriadParams, gui: &GuiContext) {
        for (&param, moved) in Param::ALL.iter().zip(&self.moved) {
            let bits = moved.swap(UNMOVED, Relaxed);
            if bits != UNMOVED {
                let knob = params.knob(param);
                knob.begin(gui);
                knob.put(gui, f32::from_bits(bits));
                knob.end(gui);
            }
        }
    }

    /// The text for a project: a line such as `74 = filter.cutoff` for each parameter.
    pub(crate) fn to_text(&self) -> String {
        let line = |&param: &Param| {
            let controller = self.of(param)?;
            Some(format!("{controller} = {}\n", param.info().id))
        };
        Param::ALL.iter().filter_map(line).collect()
    }

    /// Reads the text of a project. Invalid lines are ignored.
    pub(crate) fn restore(&self, text: &str) {
        Param::ALL.iter().for_each(|&param| self.forget(param));
        for line in text.lines() {
            let Some((controller, id)) = line.split_once('=') else {
                continue;
            };
            let known = Param::ALL.iter().find(|row| row.info().id == id.trim());
            if let (Ok(controller @ 0..128), Some(&param)) = (controller.trim().parse(), known) {
                self.of[param as usize].store(controller, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(controllers: &Controllers, controller: u8) -> Vec<Param> {
        controllers.apply(controller, 0.5).collect()
    }

    #[test]
    fn a_learnt_controller_moves_its_parameters_until_it_is_removed() {
        let controllers = Controllers::new();
        assert_eq!(moved(&controllers, 74), []);
        controllers.learn(Some(Param::FilterCutoff));
        assert_eq!(controllers.learning(), Some(Param::FilterCutoff));
        assert_eq!(moved(&controllers, 74), [Param::FilterCutoff]);
        assert_eq!(controllers.learning(), None);
        controllers.learn(Some(Param::Macro1));
        assert_eq!(moved(&controllers, 74).len(), 2, "two may share one");
        assert_eq!(moved(&controllers, 1), []);
        controllers.forget(Param::FilterCutoff);
        assert_eq!(moved(&controllers, 74), [Param::Macro1]);
        assert_eq!(controllers.of(Param::Macro1), Some(74));
    }

    #[test]
    fn text_round_trips_and_invalid_lines_are_ignored() {
        let controllers = Controllers::new();
        controllers.restore("74 = filter.cutoff\n200 = macro.1\nx = y\n\n3 = no.such\n7=amp.level");
        assert_eq!(controllers.of(Param::FilterCutoff), Some(74));
        assert_eq!(controllers.of(Param::AmpLevel), Some(7));
        let restored = Controllers::new();
        restored.restore(&controllers.to_text());
        assert_eq!(restored.to_text(), controllers.to_text());
        assert_eq!(restored.to_text().lines().count(), 2);
    }
}
