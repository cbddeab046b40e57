//! Playing: what hands do, on the computer's keys and on MIDI controllers.

use super::Session;
use crate::cast::patch_for_program;
use crate::play::midi::{Heard, MACRO_PARAMS, learned};
use myriad_engine::patch::MACROS;
use myriad_engine::{EventKind, Patch};

impl Session {
    /// A key of the computer goes down.
    pub(crate) fn press(&mut self, key: u8, velocity: f32) {
        self.inbox
            .play(self.live, EventKind::NoteOn { key, velocity });
        self.show_key(key, true);
    }

    /// And up.
    pub(crate) fn release(&mut self, key: u8) {
        let velocity = 0.5;
        self.inbox
            .play(self.live, EventKind::NoteOff { key, velocity });
        self.show_key(key, false);
    }

    /// The sustain pedal goes down or up.
    pub(crate) fn pedal(&mut self, down: bool) {
        let value = if down { 1.0 } else { 0.0 };
        self.inbox
            .play(self.live, EventKind::Control { cc: 64, value });
    }

    /// Every sound ends now.
    pub(crate) fn panic(&mut self) {
        self.control.all_sound_off();
        self.keys = [false; 128];
        self.news.push("all sound off".to_owned());
    }

    /// What hands play changes.
    pub(crate) fn set_patch(&mut self, patch: Patch) {
        match self
            .control
            .set_patch(usize::from(self.live), patch.clone())
        {
            Ok(()) => {
                self.macros = macros_of(&patch);
                self.patch = patch;
            }
            Err(error) => self.news.push(error.to_string()),
        }
    }

    /// A macro (from 0) is turned by hand, 0 to 1.
    pub(crate) fn turn(&mut self, index: usize, value: f32) {
        let value = value.clamp(0.0, 1.0);
        self.macros[index] = value;
        let param = MACRO_PARAMS[index];
        self.inbox
            .play(self.live, EventKind::Param { param, value });
    }

    /// The next controller that moves will move macro `index` (from 0), or none will.
    pub(crate) fn learn(&mut self, index: Option<usize>) {
        self.learning = index;
    }

    /// Macro `index` (from 0) forgets its controller.
    pub(crate) fn forget(&mut self, index: usize) {
        self.router.forget(index);
        self.keep_learned();
    }

    /// The macro that waits for a controller.
    pub(crate) fn learning(&self) -> Option<usize> {
        self.learning
    }

    /// The controller that moves macro `index`.
    pub(crate) fn controller_of(&self, index: usize) -> Option<u8> {
        (0..128).find(|&cc| self.router.macro_of(cc) == Some(index))
    }

    /// Follows what came in by MIDI.
    pub(super) fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Key { key, down } => self.show_key(key, down),
            Heard::Program {
                part,
                channel,
                program,
            } => {
                let patch = patch_for_program(channel, program);
                self.news.push(format!(
                    "program {} on channel {}: {}",
                    program + 1,
                    channel + 1,
                    patch.name
                ));
                if part == self.live {
                    self.set_patch(patch);
                } else if let Err(error) = self.control.set_patch(usize::from(part), patch) {
                    self.news.push(error.to_string());
                }
            }
            Heard::Control { part, cc, value } => {
                if let Some(index) = self.learning.take() {
                    self.router.learn(cc, index);
                    self.news
                        .push(format!("controller {cc} now moves macro {}", index + 1));
                    self.keep_learned();
                }
                if let Some(index) = self.router.macro_of(cc)
                    && part == self.live
                {
                    self.macros[index] = value;
                }
            }
        }
    }

    fn show_key(&mut self, key: u8, down: bool) {
        if let Some(slot) = self.keys.get_mut(usize::from(key)) {
            *slot = down;
        }
    }

    fn keep_learned(&mut self) {
        let Some(path) = learned::path() else {
            return;
        };
        if let Err(error) = learned::save(&path, &self.router) {
            self.news.push(format!(
                "{}: {error}; forgotten when we end",
                path.display()
            ));
        }
    }
}

/// Where a patch's macros begin.
pub(super) fn macros_of(patch: &Patch) -> [f32; MACROS] {
    MACRO_PARAMS.map(|param| patch.values[param])
}
