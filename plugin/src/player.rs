//! The audio thread: what the host says becomes events, and the engine makes them sound.
//!
//! Nothing here allocates, locks, waits or logs, except [`Player::prepare`], which the host calls
//! on another thread before there is sound.

use crate::Myriad;
use crate::events::{Queue, Setting, Translator};
use crate::params::{Knob, MyriadParams, value_at};
use crate::song::Song;
use crate::synth::{Synth, VOICES};
use myriad_engine::params::{COUNT, Param};
use myriad_engine::{EventKind, Values};
use nice_plug::midi::{Channel, Key, NoteEvent};
use nice_plug::prelude::*;
use std::sync::Arc;

/// Events of one block that are kept; what a host sends beyond is dropped.
pub const MAX_EVENTS: usize = 4_096;

/// One instance as the audio thread sees it.
pub struct Player {
    params: Arc<MyriadParams>,
    /// Nothing until the host has said its sample rate.
    synth: Option<Synth>,
    /// The values of the patch that plays.
    patch: Values,
    /// Where the knobs stood when the engine was last told.
    told: [f32; COUNT],
    bypassed: bool,
    song: Song,
    translator: Translator,
    queue: Queue,
}

impl Player {
    pub(crate) fn new(params: Arc<MyriadParams>) -> Self {
        Self {
            params,
            synth: None,
            patch: Values::new(),
            told: [0.0; COUNT],
            bypassed: false,
            song: Song::default(),
            translator: Translator::new(),
            queue: Queue::new(MAX_EVENTS),
        }
    }

    /// Gets ready to play at this rate and says the latency; nothing if it cannot. Allocates; not
    /// for the audio thread.
    pub(crate) fn prepare(&mut self, sample_rate: f32) -> Option<u32> {
        let ready = |synth: &Synth| synth.sample_rate() == sample_rate;
        if !self.synth.as_ref().is_some_and(ready) {
            let patch = self.params.shared.patch();
            self.synth = Some(Synth::new(sample_rate, &patch).ok()?);
            self.patch = patch.values;
        }
        let synth = self.synth.as_ref()?;
        self.params.shared.set_renderer(synth.renderer());
        Some(synth.latency())
    }

    /// How many notes the patch plays at once.
    pub(crate) fn voice_capacity(&self) -> u32 {
        let limit = self.value(Param::VoiceLimit) as u32;
        limit.clamp(1, VOICES as u32)
    }

    /// Silence, and everything as before the first sample.
    pub(crate) fn reset(&mut self) {
        self.take_patch();
        let values = self.params.values(&self.patch, Knob::heard);
        self.told = std::array::from_fn(|index| self.params.knob(Param::ALL[index]).heard());
        self.bypassed = self.params.bypass.value();
        self.song = Song::default();
        self.translator.reset();
        if let Some(synth) = &mut self.synth {
            synth.reset(&values);
        }
    }

    pub(crate) fn process(
        &mut self,
        left: &mut [f32],
        right: &mut [f32],
        context: &mut impl ProcessContext<Myriad>,
    ) -> ProcessStatus {
        self.queue.clear();
        self.take_patch();
        if let Some(news) = self.song.follow(context.transport(), left.len()) {
            self.queue.push(0, news);
        }
        self.follow_knobs(context);
        self.follow_bypass();
        let setting = Setting {
            api: context.plugin_api(),
            mpe: self.params.mpe.value(),
            bypassed: self.bypassed,
        };
        while let Some(event) = context.next_event() {
            self.translator.translate(&event, setting, &mut self.queue);
        }
        let Some(synth) = &mut self.synth else {
            left.fill(0.0);
            right.fill(0.0);
            return ProcessStatus::Normal;
        };
        synth.render(self.queue.events(), left, right);
        let counters = synth.counters();
        self.params.shared.meters.show(left, right, &counters);
        self.end_notes(context);
        self.status(setting.api)
    }

    fn value(&self, param: Param) -> f32 {
        value_at(param, self.params.knob(param).heard(), self.patch[param])
    }

    /// Plays the newest patch, if there is one.
    fn take_patch(&mut self) {
        let Some(mut patch) = self.params.shared.take_patch() else {
            return;
        };
        self.patch.clone_from(&patch.values);
        if let Some(synth) = &mut self.synth {
            synth.exchange_patch(&mut patch);
        }
        self.params.shared.give_back(patch);
    }

    /// Tells the engine which knobs have moved. With a new patch some may not have arrived yet:
    /// those that stay where they were are not news, so its own values hold until then.
    fn follow_knobs(&mut self, context: &impl ProcessContext<Myriad>) {
        for (&param, told) in Param::ALL.iter().zip(&mut self.told) {
            let position = self.params.knob(param).heard();
            if position == *told {
                continue;
            }
            *told = position;
            let value = value_at(param, position, self.patch[param]);
            self.queue.push(0, EventKind::Param { param, value });
            if param == Param::VoiceLimit {
                context.set_current_voice_capacity((value as u32).clamp(1, VOICES as u32));
            }
        }
    }

    fn follow_bypass(&mut self) {
        let bypass = self.params.bypass.value();
        if bypass && !self.bypassed {
            self.queue.push(0, EventKind::AllSoundOff);
        }
        self.bypassed = bypass;
    }

    /// Tells the host which notes have died away, so that it stops modulating them.
    fn end_notes(&mut self, context: &mut impl ProcessContext<Myriad>) {
        let Some(synth) = &self.synth else {
            return;
        };
        let api = context.plugin_api();
        let sounds = |key| synth.is_sounding(key);
        self.translator.notes.end(sounds, |note| {
            if api == PluginApi::Clap {
                // A host without room for it only modulates in vain.
                let _ = context.try_send_event(NoteEvent::VoiceTerminated {
                    timing: 0,
                    voice_id: note.id,
                    channel: Channel::Number(note.channel),
                    key: Key::Number(note.key),
                });
            }
        });
    }

    /// How long it sounds on when no more notes come. VST3 hosts ask at any time, CLAP hosts let
    /// an instance sleep that has nothing left to say.
    fn status(&self, api: PluginApi) -> ProcessStatus {
        match &self.synth {
            Some(synth) if api != PluginApi::Clap || !synth.is_silent() => {
                let release = self.value(Param::Env1Release) * synth.sample_rate();
                ProcessStatus::Tail(release.ceil() as u32 + synth.latency())
            }
            _ => ProcessStatus::Normal,
        }
    }
}

#[cfg(test)]
mod tests;
