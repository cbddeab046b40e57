//! MIDI learn: which controllers move which parameters.
//!
//! The audio thread hears a controller and moves sound and knob at once; the host is told a moment
//! later by whoever may speak to it. Nobody may before an editor has been opened: until then the host
//! finds the knob there when it looks, shows it or saves.

use crate::params::MyriadParams;
use myriad_engine::params::{COUNT, Param};
use nice_plug::context::gui::GuiContext;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// In the place of a parameter's number, a controller's, or a position.
const NO_PARAM: u16 = u16::MAX;
const NO_CONTROLLER: u8 = u8::MAX;
const UNMOVED: u32 = u32::MAX;

/// What all threads of an instance know of controllers.
pub struct Controllers {
    /// The controller that moves each parameter. Two may share one.
    of: [AtomicU8; COUNT],
    /// The parameter that waits for a controller.
    learning: AtomicU16,
    /// Bits of where controllers have put knobs, until the host has been told.
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

    /// The next controller that moves is to move this parameter; none stops waiting.
    pub fn learn(&self, param: Option<Param>) {
        let number = param.map_or(NO_PARAM, |param| param as u16);
        self.learning.store(number, Relaxed);
    }

    /// The parameter that waits for a controller.
    pub fn learning(&self) -> Option<Param> {
        let number = self.learning.load(Relaxed);
        Param::ALL.get(usize::from(number)).copied()
    }

    /// The controller that moves a parameter.
    pub fn of(&self, param: Param) -> Option<u8> {
        let controller = self.of[param as usize].load(Relaxed);
        (controller < 128).then_some(controller)
    }

    /// No controller is to move this parameter any more.
    pub fn forget(&self, param: Param) {
        self.of[param as usize].store(NO_CONTROLLER, Relaxed);
    }

    /// A controller has moved to `position`, 0 to 1. Returns the parameters that move with it. For
    /// the audio thread.
    pub(crate) fn hear(&self, controller: u8, position: f32) -> impl Iterator<Item = Param> {
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

    /// Tells the host of the knobs that controllers have moved. Not for the audio thread.
    pub(crate) fn tell(&self, params: &MyriadParams, gui: &GuiContext) {
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

    /// For a project: `74 = filter.cutoff`, a line each.
    pub(crate) fn to_text(&self) -> String {
        let line = |&param: &Param| {
            let controller = self.of(param)?;
            Some(format!("{controller} = {}\n", param.info().id))
        };
        Param::ALL.iter().filter_map(line).collect()
    }

    /// From a project. Lines that make no sense are left out.
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

    fn heard(controllers: &Controllers, controller: u8) -> Vec<Param> {
        controllers.hear(controller, 0.5).collect()
    }

    #[test]
    fn what_was_learnt_moves_until_it_is_forgotten() {
        let controllers = Controllers::new();
        assert_eq!(heard(&controllers, 74), []);
        controllers.learn(Some(Param::FilterCutoff));
        assert_eq!(controllers.learning(), Some(Param::FilterCutoff));
        assert_eq!(heard(&controllers, 74), [Param::FilterCutoff]);
        assert_eq!(controllers.learning(), None);
        controllers.learn(Some(Param::Macro1));
        assert_eq!(heard(&controllers, 74).len(), 2, "two may share one");
        assert_eq!(heard(&controllers, 1), []);
        controllers.forget(Param::FilterCutoff);
        assert_eq!(heard(&controllers, 74), [Param::Macro1]);
        assert_eq!(controllers.of(Param::Macro1), Some(74));
    }

    #[test]
    fn a_project_keeps_them_and_nonsense_is_left_out() {
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
