//! The audio thread: turns the host's input into events, and renders them.
//!
//! Nothing here allocates, locks, waits or logs, except [`Player::prepare`], which the host calls on
//! another thread before processing.

use crate::background::Background;
use crate::events::{BlockContext, Queue, Translator};
use crate::meters::LoadMeter;
use crate::params::{Knob, MyriadParams, value_at};
use crate::synth::{MakeGpu, Synth, SynthConfig, VOICES, any_gpu, make_synth};
use crate::transport::TransportTracker;
use crate::{Myriad, Task};
use myriad_engine::params::{COUNT, Param};
use myriad_engine::{Event, EventKind, Patch, Values};
use nice_plug::midi::{Channel, Key, NoteEvent};
use nice_plug::prelude::*;
use ringbuf::HeapCons;
use ringbuf::traits::Consumer;
use std::sync::Arc;
use std::time::Instant;

/// The most events of a block.
pub const MAX_EVENTS: usize = 4_096;

/// The audio thread's side of an instance.
pub struct Player {
    params: Arc<MyriadParams>,
    /// None until the host activates the instance.
    synth: Option<Box<dyn Synth>>,
    /// Loads the patch again with its convolver. None until the host activates the instance.
    convolver_loader: Option<Background>,
    /// Makes the renderer of a GPU when that is chosen.
    gpu: Box<MakeGpu>,
    /// The values of the patch that plays.
    patch: Values,
    /// The knob positions last sent to the engine.
    sent: [f32; COUNT],
    bypassed: bool,
    transport: TransportTracker,
    translator: Translator,
    queue: Queue,
    /// Events of the editor's keyboard.
    keyboard: Option<HeapCons<Event>>,
    load_meter: LoadMeter,
    /// Whether a voice sounded in the last block.
    sounded: bool,
}

impl Player {
    pub(crate) fn new(params: Arc<MyriadParams>) -> Self {
        Self {
            keyboard: params.shared.take_keyboard(),
            params,
            synth: None,
            convolver_loader: None,
            gpu: Box::new(any_gpu),
            patch: Values::new(),
            sent: [0.0; COUNT],
            bypassed: false,
            transport: TransportTracker::default(),
            translator: Translator::new(),
            queue: Queue::new(MAX_EVENTS),
            load_meter: LoadMeter::default(),
            sounded: false,
        }
    }

    /// Prepares for `config`. Returns the latency, or none when that fails. Allocates; not for the
    /// audio thread.
    pub(crate) fn prepare(&mut self, config: &SynthConfig) -> Option<u32> {
        if self.convolver_loader.is_none() {
            let params = Arc::clone(&self.params);
            self.convolver_loader = Background::start(move || params.add_convolver());
        }
        if !self.synth.as_ref().is_some_and(|synth| synth.suits(config)) {
            self.release();
            let patch = self.params.shared.patch();
            // A convolver that the host has switched on since the patch was loaded is prepared as well.
            let mut built = Patch::clone(&patch);
            built.values = self.params.values(&patch.values, Knob::position);
            let (mut synth, handle) = make_synth(config, &built, &*self.gpu).ok()?;
            synth.set_pitch(&self.params.shared.settings().pitch());
            self.synth = Some(synth);
            self.params.shared.set_synth_handle(handle, &patch);
            self.patch = patch.values.clone();
            self.patch.set(Param::ConvolverOn, built.values[Param::ConvolverOn]);
        }
        self.synth.as_ref().map(|synth| synth.latency())
    }

    /// Drops the synthesizer. Frees memory; not for the audio thread.
    fn release(&mut self) {
        self.params.shared.clear_synth_handle();
        self.synth = None;
    }

    /// Frees a GPU while the host does not process.
    pub(crate) fn deactivate(&mut self) {
        if self.synth.as_ref().is_some_and(|synth| synth.is_threaded()) {
            self.release();
        }
    }

    /// The most notes that the patch plays at once.
    pub(crate) fn voice_capacity(&self) -> u32 {
        capacity(self.value(Param::VoiceLimit))
    }

    /// Resets to the state before the first sample.
    pub(crate) fn reset(&mut self) {
        self.take_change();
        if let Some(keyboard) = &mut self.keyboard {
            keyboard.clear();
        }
        let values = self.params.values(&self.patch, Knob::modulated_position);
        self.sent =
            std::array::from_fn(|index| self.params.knob(Param::ALL[index]).modulated_position());
        self.bypassed = self.params.bypass.value();
        self.transport = TransportTracker::default();
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
        if let Some(event) = self.transport.follow(context.transport(), left.len()) {
            self.queue.push(0, event);
        }
        self.follow_knobs(context);
        self.follow_bypass();
        let block_context = BlockContext {
            api: context.plugin_api(),
            mpe: self.params.mpe_settings(),
            bypassed: self.bypassed,
        };
        self.take_keyboard();
        let mut heard = 0;
        while let Some(event) = context.next_event() {
            heard += 1;
            if !self.follow_controller(&event, context) {
                self.translator.translate(&event, block_context, &mut self.queue);
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
        if shared.is_watched() {
            shared.meters.output.write(left, right);
        }
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
                self.load_meter.record(began.elapsed(), left.len(), sample_rate, &shared.meters);
            }
        }
        self.end_notes(context);
        self.status(block_context.api)
    }

    /// Copies what the last block sent to the outputs besides the main one.
    pub(crate) fn fill_outputs(&self, outputs: &mut [Buffer]) {
        for (index, buffer) in outputs.iter_mut().enumerate() {
            let sound = self.synth.as_ref().map_or([&[][..]; 2], |synth| synth.output(index));
            for (side, sound) in buffer.as_slice().iter_mut().zip(sound) {
                let frames = sound.len().min(side.len());
                side[..frames].copy_from_slice(&sound[..frames]);
                side[frames..].fill(0.0);
            }
        }
    }

    fn value(&self, param: Param) -> f32 {
        value_at(param, self.params.knob(param).modulated_position(), self.patch[param])
    }

    /// Applies the newest patch or routes, if there are any.
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
        if let (Some(drawn), Some(synth)) = (&mut change.drawn, &mut self.synth) {
            synth.exchange_drawn(drawn);
        }
        if let (Some(pitch), Some(synth)) = (&change.pitch, &mut self.synth) {
            synth.set_pitch(pitch);
        }
        self.params.shared.give_back(change);
    }

    /// Queues the events of the editor's keyboard.
    fn take_keyboard(&mut self) {
        for Event { kind, .. } in self.keyboard.iter_mut().flat_map(HeapCons::pop_iter) {
            let starts = matches!(kind, EventKind::NoteOn { .. });
            if !(starts && self.bypassed) {
                self.queue.push(0, kind);
            }
        }
    }

    /// Moves the parameters of a learnt controller. Returns whether there are any.
    fn follow_controller(
        &mut self,
        event: &NoteEvent<()>,
        context: &impl ProcessContext<Myriad>,
    ) -> bool {
        let NoteEvent::MidiCC { timing, cc, value, .. } = *event else {
            return false;
        };
        // Controllers that belong to other messages or end notes cannot be learnt.
        if matches!(cc, 6 | 38 | 98..=101 | 120..) {
            return false;
        }
        let mut moved = false;
        for param in self.params.shared.controllers.apply(cc, value) {
            let knob = self.params.knob(param);
            knob.set_position(value);
            self.sent[param as usize] = knob.modulated_position();
            let value = param.info().kind.from_scale(value);
            self.queue.push(timing, EventKind::Param { param, value });
            send_capacity(param, value, context);
            moved = true;
        }
        if moved {
            context.execute_gui(Task::NotifyHost);
        }
        moved
    }

    /// Sends the knobs that have moved to the engine. After a patch was loaded, the host may not have
    /// moved all knobs yet: a knob that has not moved is not sent, so the patch's value holds.
    fn follow_knobs(&mut self, context: &impl ProcessContext<Myriad>) {
        for (&param, sent) in Param::ALL.iter().zip(&mut self.sent) {
            let position = self.params.knob(param).modulated_position();
            if position == *sent {
                continue;
            }
            *sent = position;
            let value = value_at(param, position, self.patch[param]);
            self.queue.push(0, EventKind::Param { param, value });
            send_capacity(param, value, context);
            // The patch was loaded without its convolver, whose memory is not made here.
            if param == Param::ConvolverOn && value != 0.0 && self.patch[param] == 0.0 {
                self.patch.set(param, value);
                if let Some(loader) = &self.convolver_loader {
                    loader.ask();
                }
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

    /// Reports ended notes to the host, so that it stops modulating them.
    fn end_notes(&mut self, context: &mut impl ProcessContext<Myriad>) {
        let Some(synth) = &self.synth else {
            return;
        };
        let api = context.plugin_api();
        let keys = synth.keys();
        let sounds = |key: u8| keys >> (key & 127) & 1 == 1;
        self.translator.notes.end(sounds, |note| {
            if api == PluginApi::Clap {
                // If the host has no room for it, it modulates a note that does not sound.
                let _ = context.try_send_event(NoteEvent::VoiceTerminated {
                    timing: 0,
                    voice_id: note.id,
                    channel: Channel::Number(note.channel),
                    key: Key::Number(note.key),
                });
            }
        });
    }

    /// The tail without further notes. VST3 hosts use it at any time; CLAP hosts stop calling an
    /// instance that is silent.
    fn status(&self, api: PluginApi) -> ProcessStatus {
        if self.params.shared.is_watched() {
            // The editor's keyboard may be played at any time.
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

/// Sends the voice capacity to the host if it has changed.
fn send_capacity(param: Param, value: f32, context: &impl ProcessContext<Myriad>) {
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
