//! A part: one patch being played, with its controllers, voices and modulation.

mod arp;
pub(crate) mod balance;
mod channel;
mod clouds;
mod copies;
mod effect_params;
mod keys;
pub(crate) mod kit;
mod lanes;
mod layer;
mod modulate;
mod note_lanes;
mod notes;
mod pitch;
mod playhead;
mod records;
mod scatter;
mod shaping;
mod snapshot;
mod strike;
mod tail;

use crate::controls::{Controls, Values};
use crate::engine::{OutputBuses, PitchSettings};
use crate::event::EventKind;
use crate::modulation::{
    CHUNK, DrawnEnvelope, ENVELOPES, EnvelopeSettings, LFOS, Lfo, Modulation, Route, Source,
};
use crate::params::Param;
use crate::patch::Playable;
use crate::pool::CloudPool;
use crate::render::TICK;
use crate::simd::Level;
use crate::spectrum::Place;
use crate::tracks::TableHandle;
use crate::tuning::Tuning;
use crate::voice::{LAYERS, Voice, VoiceState};
pub(crate) use arp::ARP_STEP_BEATS;
use arp::Arp;
use channel::Channel;
use keys::KeyStack;
use lanes::VoiceLanes;
pub(crate) use layer::layers;
pub(crate) use modulate::Run;
use notes::Choices;
use std::sync::atomic::{AtomicU8, Ordering};

/// Tempo and position of the song.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transport {
    pub(crate) bpm: f32,
    /// Quarter notes at the end of the current tick; `None` until a song runs.
    pub(crate) beat: Option<f64>,
}

impl Transport {
    /// No song yet; synced LFOs, delays and the arpeggiator use this tempo.
    pub(crate) const STOPPED: Transport = Transport { bpm: 120.0, beat: None };

    /// The song at `beat`, `seconds` before the end of the tick.
    pub(crate) fn at(bpm: f32, beat: f64, seconds: f32) -> Self {
        let bpm = if bpm.is_finite() { bpm.clamp(1.0, 1_000.0) } else { 120.0 };
        let mut transport = Self { bpm, beat: beat.is_finite().then_some(beat) };
        transport.advance(seconds);
        transport
    }

    pub(crate) fn advance(&mut self, seconds: f32) {
        if let Some(beat) = &mut self.beat {
            *beat += f64::from(seconds) * f64::from(self.bpm) / 60.0;
        }
    }
}

/// Plays one patch: its controllers, voices and modulation. Aligned so that threads do not share cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Part {
    /// The bus its clouds are mixed into.
    bus: u32,
    /// The number of the part, which random numbers depend on; for a key zone that of its kit.
    number: u32,
    /// Outputs that its second layer may be heard on.
    pub(crate) outputs: OutputBuses,
    sample_rate: f32,
    controls: Controls,
    channel: Channel,
    modulation: Modulation,
    /// Settings of the envelopes in this tick. They are read once, since events need them too.
    envelope_settings: [EnvelopeSettings; ENVELOPES],
    /// Envelopes that the patch has drawn in place of their stages.
    drawn_envelopes: [Option<DrawnEnvelope>; ENVELOPES],
    lfos: [Lfo; LFOS],
    voices: Vec<Voice>,
    /// What is computed of the voices, in chunks, and the SIMD level to compute it with.
    lanes: Vec<VoiceLanes>,
    level: Level,
    /// Voices from this index on are free.
    high: usize,
    /// Whether events may have changed voices since their lanes were filled.
    notes_changed: bool,
    /// A bit for each tick of the block in which voices may have become free, so that others need not be looked at: another
    /// thread has just written to them.
    ended: AtomicU8,
    keys: KeyStack,
    arp: Arp,
    /// The pitch of every key as the patch has it, and what wins over it.
    patch_tuning: Tuning,
    pitch_settings: PitchSettings,
    /// Semitones from a key to the note that it plays, for a key zone of a kit; else zero.
    kit_transpose: f32,
    /// The imported tables of the patch, for its layers.
    imported: [Option<Imported>; LAYERS],
    /// The choices that the sounding clouds were made with; see [`Part::follow_choices`].
    made_with: Choices,
    /// Whether the patch has changed since the last tick.
    patch_changed: bool,
    /// The number of the patch's convolution, for the effects; 0 without one.
    convolution: u64,
    /// Whether all sound was cut off and no note has started since.
    cut: bool,
    /// Source values of the newest note, for the effects.
    heard: [f32; Source::COUNT],
    /// Pitch of the last note, where a glide starts.
    last_pitch: Option<f32>,
    notes_started: u64,
    pub(crate) counters: PartCounters,
}

/// A table that is part of a patch.
#[derive(Clone, Copy, Debug)]
struct Imported {
    place: Place,
    /// The key at which it was recorded.
    key: f32,
}

/// Voices that were stolen and notes that were dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartCounters {
    pub(crate) stolen: u64,
    pub(crate) dropped: u64,
}

impl Part {
    pub(crate) fn new(bus: u32, voices: usize, sample_rate: f32) -> Self {
        let tick_seconds = TICK as f32 / sample_rate;
        let controls = Controls::new(tick_seconds);
        Self {
            bus,
            number: bus,
            outputs: OutputBuses::default(),
            sample_rate,
            envelope_settings: std::array::from_fn(|i| EnvelopeSettings::read(&controls, i)),
            drawn_envelopes: [None; ENVELOPES],
            controls,
            channel: Channel::new(tick_seconds),
            modulation: Modulation::new(),
            lfos: Default::default(),
            voices: vec![Voice::default(); voices],
            lanes: VoiceLanes::of_voices(voices),
            level: Level::best(),
            high: 0,
            notes_changed: true,
            ended: AtomicU8::new(0),
            keys: KeyStack::default(),
            arp: Arp::default(),
            patch_tuning: Tuning::default(),
            pitch_settings: PitchSettings::default(),
            kit_transpose: 0.0,
            imported: [None; LAYERS],
            made_with: Choices::default(),
            patch_changed: false,
            convolution: 0,
            cut: false,
            heard: [0.0; Source::COUNT],
            last_pitch: None,
            notes_started: 0,
            counters: PartCounters::default(),
        }
    }

    /// Plays as part `number` on another bus and at another sample rate from the next reset on.
    pub(crate) fn move_to(&mut self, number: u32, bus: u32, sample_rate: f32) {
        let tick_seconds = TICK as f32 / sample_rate;
        (self.number, self.bus, self.sample_rate) = (number, bus, sample_rate);
        self.controls.set_tick(tick_seconds);
        self.channel = Channel::new(tick_seconds);
    }

    /// Back to the state before the first event; keeps the patch.
    pub(crate) fn reset(&mut self, patch: &Playable) {
        self.voices.fill(Voice::default());
        (self.high, self.notes_changed) = (0, true);
        self.keys.clear();
        self.arp.reset();
        self.last_pitch = None;
        self.notes_started = 0;
        self.cut = false;
        self.counters = PartCounters::default();
        self.channel.reset();
        self.lfos.iter_mut().for_each(Lfo::reset);
        self.modulation.clear_offsets();
        self.heard = [0.0; Source::COUNT];
        self.load(patch);
    }

    /// Changes to another patch: sounding notes fade out, new notes use the new patch.
    pub(crate) fn set_patch(&mut self, patch: &Playable, pool: &mut CloudPool) {
        self.fade_all(pool);
        self.keys.clear();
        self.arp.reset();
        self.load(patch);
    }

    fn load(&mut self, patch: &Playable) {
        self.controls.jump_to(&patch.values);
        self.modulation.set_routes(&patch.routes);
        self.redraw(patch);
        self.patch_tuning =
            patch.tuning.as_ref().map_or(Tuning::default(), |scale| *scale.tuning());
        self.patch_changed = true;
        self.convolution = patch.convolution();
        self.read_envelopes();
        self.made_with = self.choices();
    }

    /// Takes the drawn waveforms and the tables of a patch while notes sound.
    pub(crate) fn redraw(&mut self, patch: &Playable) {
        for (lfo, drawing) in self.lfos.iter_mut().zip(&patch.drawings) {
            lfo.drawing = *drawing;
        }
        self.drawn_envelopes = patch.envelopes;
        self.read_stages_again();
        let imported = |table_handle: &TableHandle| Imported {
            place: table_handle.place(),
            key: table_handle.key(),
        };
        self.imported = patch
            .table_handles()
            .each_ref()
            .map(|table_handle| table_handle.as_ref().map(imported));
    }

    /// Replaces the routes while notes sound.
    pub(crate) fn set_routes(&mut self, routes: &[Route]) {
        self.modulation.set_routes(routes);
        // Those that were moved in their speed are so no longer.
        self.read_stages_again();
    }

    /// Sets all values at once, without smoothing.
    pub(crate) fn set_values(&mut self, values: &Values) {
        self.controls.jump_to(values);
        self.patch_changed = true;
        self.read_envelopes();
    }

    /// Handles an event at `frame` of the current tick.
    pub(crate) fn handle(&mut self, kind: EventKind, frame: u32, pool: &mut CloudPool) {
        self.notes_changed = true;
        match kind {
            EventKind::NoteOn { key, velocity } if velocity > 0.0 => {
                self.press(key, velocity.min(1.0), frame, pool);
            }
            EventKind::NoteOn { key, .. } => self.lift(key, 0.5, frame, pool),
            EventKind::NoteOff { key, velocity } => self.lift(key, velocity, frame, pool),
            EventKind::PitchBend(bend) => self.channel.bend.set(bend.clamp(-1.0, 1.0)),
            EventKind::ChannelPressure(value) => self.channel.pressure.set(value),
            EventKind::PolyPressure { key, value } => {
                self.voices_of(key).for_each(|voice| voice.pressure = value);
            }
            EventKind::Control { cc, value } => self.control(cc, value, frame, pool),
            EventKind::NoteExpression { key, kind, value } => self.express(key, kind, value),
            EventKind::NoteChoke { key } => self.choke(key, pool),
            EventKind::NoteModulation { key, param, offset } => {
                self.offset_notes(key, param, offset);
            }
            EventKind::Param { param, value } => self.controls.set(param, value),
            EventKind::AllNotesOff => self.all_notes_off(frame),
            EventKind::AllSoundOff => self.silence(pool),
            EventKind::Transport { .. } => {}
        }
    }

    /// A note starts in a kit: its effects are no longer cut off.
    pub(crate) fn sound_again(&mut self) {
        self.cut = false;
    }

    /// Whether nothing but an event can start or steal a voice, so that the next ticks take no slots.
    pub(crate) fn is_steady(&self) -> bool {
        !self.is_arpeggiating() && self.choices() == self.made_with && self.keeps_to_limit()
    }

    /// Moves parameters and controllers to the next tick.
    pub(crate) fn advance_controls(&mut self) {
        self.controls.tick();
        self.channel.tick();
        self.read_envelopes();
    }

    /// Everything besides events that starts and steals voices, and so takes slots. Parts do it one
    /// after the other. A steady part need not do it.
    pub(crate) fn start_voices(&mut self, transport: Transport, pool: &mut CloudPool) {
        self.notes_changed = true;
        self.arpeggiate(transport, pool);
        self.keep_to_limit(pool);
        self.follow_choices(pool);
    }

    /// Frees the slots of voices that have become silent in `tick` of the block.
    pub(crate) fn free_ended(&mut self, tick: usize, pool: &mut CloudPool) {
        let ticks = self.ended.get_mut();
        if *ticks >> tick & 1 == 0 {
            return;
        }
        *ticks &= !(1 << tick);
        let ended = VoiceState::Ended { tick: tick as u8 };
        for voice in self.voices[..self.high].iter_mut().filter(|voice| voice.state == ended) {
            voice.sides().for_each(|slot| pool.give_back(slot, voice.copies));
            voice.state = VoiceState::Free;
        }
        // Voices that end in a later tick of the block still have slots.
        while self.high > 0 && self.voices[self.high - 1].state == VoiceState::Free {
            self.high -= 1;
        }
    }

    /// Voices may have become free in some ticks of the block, which have a bit each.
    fn note_ended(&self, ticks: u8) {
        self.ended.fetch_or(ticks, Ordering::Relaxed);
    }

    /// How many voices have to be computed, including free ones between them.
    pub(crate) fn voices(&self) -> usize {
        self.high
    }

    /// Whether any voice sounds.
    pub(crate) fn is_sounding(&self) -> bool {
        self.voices[..self.high].iter().any(|voice| !voice.is_free())
    }

    /// Number of sounding voices.
    pub(crate) fn sounding(&self) -> usize {
        self.voices[..self.high].iter().filter(|voice| !voice.is_free()).count()
    }

    /// The newest sounding voice.
    fn newest(&self) -> Option<usize> {
        (0..self.high)
            .filter(|&voice| !self.voices[voice].is_free())
            .max_by_key(|&voice| self.voices[voice].order)
    }

    /// The keys whose voices sound, one bit each.
    pub(crate) fn keys(&self) -> u128 {
        let voices = self.voices[..self.high].iter();
        let sounding = voices.filter(|voice| !voice.is_free());
        sounding.fold(0, |keys, voice| keys | 1 << (voice.key & 127))
    }

    fn tick_seconds(&self) -> f32 {
        TICK as f32 / self.sample_rate
    }

    fn read_envelopes(&mut self) {
        if !self.controls.take_changed() {
            return;
        }
        self.envelope_settings =
            std::array::from_fn(|index| EnvelopeSettings::read(&self.controls, index));
        self.read_stages_again();
        self.modulation.read_again();
    }

    /// The stages of all envelopes are read again, because their settings have changed.
    fn read_stages_again(&mut self) {
        self.lanes.iter_mut().for_each(VoiceLanes::read_stages_again);
    }

    /// The lanes of a voice, and its index in them.
    fn lanes_of(&self, voice: usize) -> (&VoiceLanes, usize) {
        (&self.lanes[voice / CHUNK], voice % CHUNK)
    }

    fn lanes_of_mut(&mut self, voice: usize) -> (&mut VoiceLanes, usize) {
        (&mut self.lanes[voice / CHUNK], voice % CHUNK)
    }

    /// The value of a parameter for a voice.
    fn target(&self, param: Param, voice: usize) -> f32 {
        let (lanes, index) = self.lanes_of(voice);
        lanes.modulation.target(param, index)
    }

    /// The last value of a source for a voice.
    fn source(&self, source: Source, voice: usize) -> f32 {
        let (lanes, index) = self.lanes_of(voice);
        lanes.modulated(&self.modulation).source(source, index)
    }
}
