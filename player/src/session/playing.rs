//! Live playing: notes, patches and parameters from the keyboard, the editor and MIDI.

use super::Session;
use crate::assignment::patch_for_program;
use crate::midi::{Heard, learned};
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{EventKind, InstanceSettings, Patch, Playable};
use myriad_live::stream::StreamError;
use std::sync::Arc;

impl Session {
    pub fn press(&mut self, key: u8, velocity: f32) {
        self.gestures.play(self.live, EventKind::NoteOn { key, velocity });
        self.show_key(key, true);
    }

    pub fn release(&mut self, key: u8) {
        let velocity = 0.5;
        self.gestures.play(self.live, EventKind::NoteOff { key, velocity });
        self.show_key(key, false);
    }

    pub fn pedal(&mut self, down: bool) {
        let value = if down { 1.0 } else { 0.0 };
        self.gestures.play(self.live, EventKind::Control { cc: 64, value });
    }

    /// Ends all sound at once.
    pub fn panic(&mut self) {
        self.control.all_sound_off();
        self.keys = [false; 128];
        self.news.push("all sound off".to_owned());
    }

    pub fn set_patch(&mut self, patch: Patch) {
        match self.control.set_patch(usize::from(self.live), patch.clone()) {
            Ok(()) => {
                self.values.clone_from(&patch.values);
                self.patch = Arc::new(patch);
            }
            Err(error) => self.news.push(error.to_string()),
        }
    }

    /// Replaces the modulation routes while notes sound.
    pub fn set_routes(&mut self, routes: Vec<Route>) {
        let part = usize::from(self.live);
        match self.control.set_routes(part, routes.clone()) {
            Ok(()) => Arc::make_mut(&mut self.patch).routes = routes,
            Err(error) => self.news.push(error.to_string()),
        }
    }

    /// Takes the drawn waveforms and tables of a patch while notes sound.
    pub fn set_drawn(&mut self, patch: &Patch) {
        let playable = Playable::drawn(patch).complete().map_err(StreamError::from);
        let part = usize::from(self.live);
        match playable.and_then(|playable| self.control.set_drawn(part, playable)) {
            Ok(()) => Arc::make_mut(&mut self.patch).copy_drawn(patch),
            Err(error) => self.news.push(error.to_string()),
        }
    }

    /// Tuning, bend range and MPE.
    pub fn settings(&self) -> &InstanceSettings {
        &self.settings
    }

    /// Changes tuning, bend range and MPE while notes sound.
    pub fn set_settings(&mut self, settings: InstanceSettings) {
        match self.control.set_pitch(settings.pitch()) {
            Ok(()) => {
                self.router.set_mpe(settings.mpe);
                self.settings = settings;
            }
            Err(error) => self.news.push(error.to_string()),
        }
    }

    /// Sets the patch's name, author and other texts.
    pub fn describe(&mut self, patch: &Patch) {
        Arc::make_mut(&mut self.patch).describe_as(patch);
    }

    /// Sets a parameter.
    pub fn turn(&mut self, param: Param, value: f32) {
        self.values.set(param, value);
        let value = self.values[param];
        self.gestures.play(self.live, EventKind::Param { param, value });
    }

    /// Starts MIDI learn for a parameter, or ends it.
    pub fn learn(&mut self, param: Option<Param>) {
        self.learning = param;
    }

    /// Removes a parameter's controller.
    pub fn forget(&mut self, param: Param) {
        self.router.forget(param);
        self.keep_learned();
    }

    /// The parameter in MIDI learn.
    pub fn learning(&self) -> Option<Param> {
        self.learning
    }

    pub fn controller_of(&self, param: Param) -> Option<u8> {
        self.router.controller_of(param)
    }

    /// Handles a message of the MIDI router.
    pub(super) fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Key { key, down } => self.show_key(key, down),
            Heard::Program { part, channel, program } => {
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
                if let Some(param) = self.learning.take() {
                    self.router.learn(cc, param);
                    let id = param.info().id;
                    self.news.push(format!("controller {cc} now moves {id}"));
                    self.keep_learned();
                }
                if let Some(param) = self.router.param_of(cc)
                    && part == self.live
                {
                    self.values.set(param, param.info().kind.from_scale(value));
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
            self.news.push(format!("{}: {error}; the mapping is lost at the end", path.display()));
        }
    }
}
