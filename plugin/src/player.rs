//! The audio thread: what the host says becomes events, and the engine makes them sound.
//!
//! Nothing here allocates, locks, waits or logs, except [`Player::prepare`], which the host calls
//! on another thread before there is sound.

use crate::clock::Clock;
use crate::events::{Queue, Setting, Translator};
use crate::params::{Knob, MyriadParams, value_at};
use crate::song::Song;
use crate::synth::{MakeGpu, Synth, Terms, VOICES, real_gpu};
use crate::{Myriad, Task};
use myriad_engine::params::{COUNT, Param};
use myriad_engine::{Event, EventKind, Values};
use nice_plug::midi::{Channel, Key, NoteEvent};
use nice_plug::prelude::*;
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::sync::Arc;
use std::time::Instant;

/// Events of one block that are kept.
pub const MAX_EVENTS: usize = 4_096;

/// One instance as the audio thread sees it.
pub struct Player {
    params: Arc<MyriadParams>,
    /// Nothing until the host has said its sample rate.
    synth: Option<Synth>,
    /// Makes the renderer of a GPU, should one be asked for.
    gpu: Box<MakeGpu>,
    /// The values of the patch that plays.
    patch: Values,
    /// Where the knobs stood when the engine was last told.
    told: [f32; COUNT],
    bypassed: bool,
    song: Song,
    translator: Translator,
    queue: Queue,
    /// What is played on the editor's keyboard.
    played: Option<HeapCons<Event>>,
    clock: Clock,
    /// Whether anything sounded in the last block.
    sounded: bool,
}

impl Player {
    pub(crate) fn new(params: Arc<MyriadParams>) -> Self {
        Self {
            played: params.shared.take_played(),
            params,
            synth: None,
            gpu: Box::new(real_gpu),
            patch: Values::new(),
            told: [0.0; COUNT],
            bypassed: false,
            song: Song::default(),
            translator: Translator::new(),
            queue: Queue::new(MAX_EVENTS),
            clock: Clock::new(),
            sounded: false,
        }
    }

    /// Gets ready to play on these terms and says the latency; nothing if it cannot. Allocates;
    /// not for the audio thread.
    pub(crate) fn prepare(&mut self, terms: &Terms) -> Option<u32> {
        if !self.synth.as_ref().is_some_and(|synth| synth.suits(terms)) {
            self.release();
            let patch = self.params.shared.patch();
            let (synth, synth_handle) = Synth::new(terms, &patch, &*self.gpu).ok()?;
            self.synth = Some(synth);
            self.params.shared.set_synth_handle(synth_handle, &patch);
            self.patch = patch.values.clone();
        }
        self.synth.as_ref().map(Synth::latency)
    }

    /// Lets go of what makes the sound. Frees; not for the audio thread.
    fn release(&mut self) {
        self.params.shared.clear_synth_handle();
        self.synth = None;
    }

    /// The host will not play for a while: a GPU is for others meanwhile.
    pub(crate) fn deactivate(&mut self) {
        if matches!(self.synth, Some(Synth::Threaded(_))) {
            self.release();
        }
    }

    /// How many notes the patch plays at once.
    pub(crate) fn voice_capacity(&self) -> u32 {
        capacity(self.value(Param::VoiceLimit))
    }

    /// Silence, and everything as before the first sample.
    pub(crate) fn reset(&mut self) {
        self.take_change();
        if let Some(played) = &mut self.played {
            played.clear();
        }
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
        self.params.shared.meters.count_block();
        self.take_change();
        let began = self.params.shared.is_watched().then(Instant::now);
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
        self.take_played();
        let mut heard = 0;
        while let Some(event) = context.next_event() {
            heard += 1;
            if !self.follow_controller(&event, context) {
                self.translator.translate(&event, setting, &mut self.queue);
            }
        }
        if heard >= MAX_EVENTS {
            let last = left.len().saturating_sub(1) as u32;
            self.translator.lose(last, &mut self.queue);
        }
        let shared = &self.params.shared;
        shared.meters.count_refused(self.queue.dropped());
        let Some(synth) = &mut self.synth else {
            left.fill(0.0);
            right.fill(0.0);
            return ProcessStatus::Normal;
        };
        synth.render(self.queue.events(), left, right);
        let counters = synth.counters();
        let sample_rate = synth.sample_rate();
        shared.meters.show(left, right, &counters);
        if counters.voices > 0 && !self.sounded {
            shared.repaint.request_repaint();
        }
        self.sounded = counters.voices > 0;
        if let Some((load, underruns)) = synth.load() {
            shared.meters.show_load(load);
            shared.meters.show_underruns(underruns);
        }
        if let Some(began) = began {
            let bpm = context.transport().tempo.unwrap_or(0.0);
            shared.meters.show_bpm(bpm as f32);
            if synth.load().is_none() {
                self.clock.note(began.elapsed(), left.len(), sample_rate, &shared.meters);
            }
        }
        self.end_notes(context);
        self.status(setting.api)
    }

    fn value(&self, param: Param) -> f32 {
        value_at(param, self.params.knob(param).heard(), self.patch[param])
    }

    /// Plays the newest patch or routes, if there are any.
    fn take_change(&mut self) {
        let Some(mut change) = self.params.shared.take_change() else {
            return;
        };
        if let Some(patch) = &mut change.patch {
            self.patch.clone_from(&patch.values);
            if let Some(synth) = &mut self.synth {
                synth.exchange_patch(patch);
            }
        }
        if let (Some(routes), Some(synth)) = (&mut change.routes, &mut self.synth) {
            synth.swap_routes(routes);
        }
        self.params.shared.give_back(change);
    }

    /// Plays what hands do in the editor.
    fn take_played(&mut self) {
        for Event { kind, .. } in self.played.iter_mut().flat_map(HeapCons::pop_iter) {
            let starts = matches!(kind, EventKind::NoteOn { .. });
            if !(starts && self.bypassed) {
                self.queue.push(0, kind);
            }
        }
    }

    /// Moves what a learnt controller moves. Returns whether it was one.
    fn follow_controller(
        &mut self,
        event: &NoteEvent<()>,
        context: &impl ProcessContext<Myriad>,
    ) -> bool {
        let NoteEvent::MidiCC { timing, cc, value, .. } = *event else {
            return false;
        };
        // Those that belong to other messages, or end notes, cannot be learnt.
        if matches!(cc, 6 | 38 | 98..=101 | 120..) {
            return false;
        }
        let mut moved = false;
        for param in self.params.shared.controllers.hear(cc, value) {
            let knob = self.params.knob(param);
            knob.stand(value);
            self.told[param as usize] = knob.heard();
            let value = param.info().kind.from_scale(value);
            self.queue.push(timing, EventKind::Param { param, value });
            tell_capacity(param, value, context);
            moved = true;
        }
        if moved {
            context.execute_gui(Task::TellHost);
        }
        moved
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
            tell_capacity(param, value, context);
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
        let keys = synth.keys();
        let sounds = |key: u8| keys >> (key & 127) & 1 == 1;
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
        if self.params.shared.is_watched() {
            // Somebody may play on the editor's keyboard at any time.
            return ProcessStatus::KeepAlive;
        }
        match &self.synth {
            Some(synth) if api != PluginApi::Clap || !synth.is_silent() => {
                let frames = synth.tail().and_then(|frames| u32::try_from(frames).ok());
                frames.map_or(ProcessStatus::KeepAlive, ProcessStatus::Tail)
            }
            _ => ProcessStatus::Normal,
        }
    }
}

fn capacity(limit: f32) -> u32 {
    (limit as u32).clamp(1, VOICES as u32)
}

/// Tells the host how many notes play at once, if that is what has changed.
fn tell_capacity(param: Param, value: f32, context: &impl ProcessContext<Myriad>) {
    if param == Param::VoiceLimit {
        context.set_current_voice_capacity(capacity(value));
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests;
