//! Notes: keys, pedals and voice allocation.

use super::Part;
use super::layer::{layers, table};
use crate::dsp::hash;
use crate::event::Expression;
use crate::modulation::{Bend, CHUNK};
use crate::params::Param;
use crate::pool::CloudPool;
use crate::spectrum::MAX_COPIES;
use crate::voice::{LAYERS, MAX_PANNED_COPIES, Voice, VoiceState};

/// Choices that clouds are made with and that cannot change smoothly.
const CHOICES: [Param; 10] = [
    Param::SourceTable,
    Param::LayerMode,
    Param::LayerTable,
    Param::LayerOutput,
    Param::FilterType,
    Param::Filter2Type,
    Param::Filter2Routing,
    Param::PartialScale,
    Param::PartialRoot,
    Param::UnisonVoices,
];

/// Values of `voice.mode`.
const MONO: f32 = 1.0;
const LEGATO: f32 = 2.0;
/// Values of `pitch.glide_mode`; from this one on legato, in the same order.
const GLIDE_RATE: f32 = 1.0;
const GLIDE_LEGATO: f32 = 2.0;
/// Value of `voice.retrigger`.
const RESTART: f32 = 1.0;

/// The values of [`CHOICES`], and which layers have panned partials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Choices {
    values: [f32; CHOICES.len()],
    are_panned: [bool; LAYERS],
}

/// Slots for the clouds of a voice.
struct Slots {
    slots: [[u32; 2]; LAYERS],
    are_panned: [bool; LAYERS],
    layers: usize,
    copies: usize,
}

impl Slots {
    fn give_to(&self, voice: &mut Voice) {
        (voice.sounding, voice.copies) = (self.layers, self.copies);
        for (index, layer) in voice.layers.iter_mut().enumerate() {
            (layer.slots, layer.is_panned) = (self.slots[index], self.are_panned[index]);
        }
    }
}

impl Part {
    pub(super) fn note_on(&mut self, key: u8, velocity: f32, frame: u32, pool: &mut CloudPool) {
        let key = key.min(127);
        let mode = self.controls[Param::VoiceMode];
        if mode == MONO || mode == LEGATO {
            self.keys.press(key, velocity);
            self.play_alone(key, velocity, frame, pool);
            return;
        }
        if self.controls[Param::VoiceRetrigger] == RESTART {
            for voice in 0..self.high {
                if self.voices[voice].key == key {
                    self.fade(voice, pool);
                }
            }
        }
        self.start(key, key.into(), velocity, frame, pool);
        for chord in [Param::Chord1, Param::Chord2, Param::Chord3, Param::Chord4] {
            let semitones = self.controls[chord];
            if semitones != 0.0 {
                let note = f32::from(key) + semitones;
                self.start(key, note, velocity, frame, pool);
            }
        }
    }

    /// Whether the note is inside the patch's key and velocity zone.
    pub(super) fn in_zone(&self, key: u8, velocity: f32) -> bool {
        let between =
            |x: f32, low: Param, high: Param| x >= self.controls[low] && x <= self.controls[high];
        between(key.into(), Param::ZoneLowKey, Param::ZoneHighKey)
            && between(velocity, Param::ZoneLowVelocity, Param::ZoneHighVelocity)
            && !self.tuning().is_silent(key)
    }

    pub(super) fn note_off(&mut self, key: u8, velocity: f32, frame: u32, pool: &mut CloudPool) {
        self.keys.lift(key);
        let mode = self.controls[Param::VoiceMode];
        for voice in 0..self.high {
            let held = &mut self.voices[voice];
            if held.key != key || held.state != VoiceState::Held {
                continue;
            }
            // A mono voice falls back to the key that was pressed before.
            if let (MONO | LEGATO, Some((below, velocity))) = (mode, self.keys.top()) {
                return self.play_alone(below, velocity, frame, pool);
            }
            held.release_velocity = velocity;
            self.let_go(voice, frame);
        }
    }

    /// Plays a key in place of the sounding note: legato keeps the envelopes, mono retriggers them.
    fn play_alone(&mut self, key: u8, velocity: f32, frame: u32, pool: &mut CloudPool) {
        let legato = self.controls[Param::VoiceMode] == LEGATO;
        let held =
            self.voices[..self.high].iter().position(|voice| voice.state == VoiceState::Held);
        if let (true, Some(voice)) = (legato, held) {
            let note = self.transposed(key.into());
            let target = self.tuning().pitch(note);
            let glide_step = self.glide_step(self.voices[voice].pitch, target, true);
            let tied = &mut self.voices[voice];
            (tied.key, tied.note, tied.target, tied.glide_step) = (key, note, target, glide_step);
            self.last_pitch = Some(target);
            return;
        }
        let tied = held.is_some();
        self.fade_all(pool);
        self.start_after(tied, key, key.into(), velocity, frame, pool);
    }

    /// Starts a voice for `key` that plays `note`: the key itself or another note of its chord.
    fn start(&mut self, key: u8, note: f32, velocity: f32, frame: u32, pool: &mut CloudPool) {
        let mut voices = self.voices[..self.high].iter();
        let tied = voices.any(|voice| voice.state == VoiceState::Held);
        self.start_after(tied, key, note, velocity, frame, pool);
    }

    /// The same; `tied` when another key is still down.
    fn start_after(
        &mut self,
        tied: bool,
        key: u8,
        note: f32,
        velocity: f32,
        frame: u32,
        pool: &mut CloudPool,
    ) {
        let limit = (self.controls[Param::VoiceLimit] as usize).min(self.voices.len());
        while self.sounding() >= limit {
            self.steal(pool);
        }
        let Some(voice) = self.voices.iter().position(Voice::is_free) else {
            return;
        };
        let clouds = self.take_slots(pool);
        if clouds.copies == 0 {
            self.counters.dropped += 1;
            return;
        }
        let note = self.transposed(note);
        let target = self.tuning().pitch(note);
        let from = self.last_pitch.unwrap_or(target);
        let glide_step = self.glide_step(from, target, tied);
        let velocity = match self.controls[Param::AmpVelocityCurve] {
            0.0 => velocity,
            curve => Bend::new(curve).at(velocity),
        };
        self.notes_started += 1;
        self.cut = false;
        self.voices[voice] = Voice {
            state: VoiceState::Held,
            key,
            velocity,
            order: self.notes_started,
            clock: frame,
            note,
            target,
            pitch: if glide_step == 0.0 { target } else { from },
            glide_step,
            seed: hash(self.notes_started as u32 ^ self.number << 24),
            starts_at: Some(frame),
            ..Voice::default()
        };
        clouds.give_to(&mut self.voices[voice]);
        self.scatter(voice);
        self.last_pitch = Some(target);
        self.high = self.high.max(voice + 1);
        self.modulation.forget_offsets(voice);
        self.lanes[voice / CHUNK].start(voice % CHUNK, &self.controls);
    }

    /// Slots for a voice's clouds: for each copy of each layer one, or two where its partials are panned. Fewer copies
    /// where not enough are free.
    fn take_slots(&self, pool: &mut CloudPool) -> Slots {
        let mut taken = Slots {
            slots: [[0; 2]; LAYERS],
            are_panned: self.are_panned(),
            layers: layers(self.controls[Param::LayerMode]),
            copies: 0,
        };
        let most = if taken.are_panned.contains(&true) { MAX_PANNED_COPIES } else { MAX_COPIES };
        let wanted = most.min(self.controls[Param::UnisonVoices] as usize);
        taken.copies = (1..=wanted)
            .rev()
            .find(|&copies| self.take_sides(&mut taken, copies, pool))
            .unwrap_or(0);
        taken
    }

    /// Takes slots for so many copies of every layer and side, or none.
    fn take_sides(&self, taken: &mut Slots, copies: usize, pool: &mut CloudPool) -> bool {
        let layers = taken.slots[..taken.layers].iter_mut().zip(taken.are_panned);
        let sides =
            layers.flat_map(|(slots, panned)| slots.iter_mut().take(1 + usize::from(panned)));
        let mut first_slots = [0; 2 * LAYERS];
        for (count, side) in sides.enumerate() {
            let Some(slot) = pool.take(self.number as usize, copies) else {
                first_slots[..count].iter().for_each(|&slot| pool.give_back(slot, copies));
                return false;
            };
            (*side, first_slots[count]) = (slot, slot);
        }
        true
    }

    /// The current values of choices that cannot change smoothly.
    pub(super) fn choices(&self) -> Choices {
        Choices { values: CHOICES.map(|param| self.controls[param]), are_panned: self.are_panned() }
    }

    /// Whether each layer has clouds with panned partials.
    fn are_panned(&self) -> [bool; LAYERS] {
        let layers = layers(self.controls[Param::LayerMode]);
        let panned = |layer: usize, choice: Param| {
            layer < layers && table(self.controls[choice], self.imported[layer]).side_rows != 0
        };
        [panned(0, Param::SourceTable), panned(1, Param::LayerTable)]
    }

    /// When one of them has changed, sounding clouds fade out and their voices fade in with the new
    /// choice: a crossfade.
    pub(super) fn follow_choices(&mut self, pool: &mut CloudPool) {
        if self.choices() == self.made_with {
            return;
        }
        self.made_with = self.choices();
        for index in 0..self.high {
            if self.voices[index].is_free() || self.voices[index].starts_at.is_some() {
                continue;
            }
            let clouds = self.take_slots(pool);
            let voice = &mut self.voices[index];
            if clouds.copies > 0 {
                voice.sides().for_each(|slot| pool.fade(slot, voice.copies));
                clouds.give_to(voice);
                voice.starts_at = Some(0);
                let (lanes, place) = self.lanes_of_mut(index);
                lanes.records.entry[place] = 0.0;
                self.scatter(index);
            } else if clouds.layers < voice.sounding {
                // No slots for new clouds; those of a layer that is switched off fade out all the
                // same.
                voice.layers[1].sides().for_each(|slot| pool.fade(slot, voice.copies));
                voice.sounding = clouds.layers;
            }
        }
    }

    /// Semitones per tick of a glide; zero for none. `tied` when another key is still down.
    fn glide_step(&self, from: f32, target: f32, tied: bool) -> f32 {
        let seconds = self.controls[Param::PitchGlide];
        let mode = self.controls[Param::PitchGlideMode];
        if seconds == 0.0 || (mode >= GLIDE_LEGATO && !tied) {
            return 0.0;
        }
        let way = match mode % GLIDE_LEGATO == GLIDE_RATE {
            // In rate mode the time is that of an octave.
            true => 12f32.copysign(target - from),
            false => target - from,
        };
        way * (self.tick_seconds() / seconds).min(1.0)
    }

    /// A key goes up; pedals may still hold its voice.
    fn let_go(&mut self, voice: usize, frame: u32) {
        if self.channel.sustain || self.voices[voice].sostenuto {
            self.voices[voice].state = VoiceState::Pedal;
        } else {
            self.release(voice, frame);
        }
    }

    fn release(&mut self, voice: usize, frame: u32) {
        self.advance_envelopes(voice, frame.max(self.voices[voice].clock));
        self.voices[voice].state = VoiceState::Released;
        let (lanes, place) = self.lanes_of_mut(voice);
        lanes.envelopes.iter_mut().for_each(|bank| bank.release(place));
    }

    pub(super) fn all_notes_off(&mut self, frame: u32) {
        self.keys.clear();
        self.arp.reset();
        for voice in 0..self.high {
            if self.voices[voice].state == VoiceState::Held {
                self.let_go(voice, frame);
            }
        }
    }

    /// Releases voices that no pedal holds any longer.
    fn lift_pedals(&mut self, frame: u32) {
        for voice in 0..self.high {
            self.voices[voice].sostenuto &= self.channel.sostenuto;
            let held = self.channel.sustain || self.voices[voice].sostenuto;
            if self.voices[voice].state == VoiceState::Pedal && !held {
                self.release(voice, frame);
            }
        }
    }

    pub(super) fn control(&mut self, cc: u8, value: f32, frame: u32, pool: &mut CloudPool) {
        let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        let down = value >= 0.5;
        match cc {
            1 => self.channel.wheel.set(value),
            2 => self.channel.breath.set(value),
            7 => self.channel.volume.set(value),
            10 => self.channel.pan.set(value),
            11 => self.channel.expression.set(value),
            74 => self.channel.brightness.set(value),
            64 => {
                self.channel.sustain = down;
                self.lift_pedals(frame);
            }
            66 => {
                if down && !self.channel.sostenuto {
                    let voices = &mut self.voices[..self.high];
                    let held = voices.iter_mut().filter(|voice| voice.state == VoiceState::Held);
                    held.for_each(|voice| voice.sostenuto = true);
                }
                self.channel.sostenuto = down;
                self.lift_pedals(frame);
            }
            101 | 100 => {
                self.channel.registered[usize::from(101 - cc)] = (value * 127.0).round() as u8;
            }
            // Registered parameter 0 is the bend range, in semitones.
            6 if self.channel.registered == [0, 0] => {
                self.set_bend_range((value * 127.0).round());
            }
            120 => self.silence(pool),
            121 => {
                self.channel.reset_controllers();
                self.lift_pedals(frame);
            }
            // All notes off, and the mode messages that imply it.
            123..=127 => self.all_notes_off(frame),
            _ => {}
        }
    }

    pub(super) fn express(&mut self, key: u8, kind: Expression, value: f32) {
        if !value.is_finite() {
            return;
        }
        self.voices_of(key).for_each(|voice| match kind {
            Expression::Pitch => voice.expression.semitones = value.clamp(-120.0, 120.0),
            Expression::Level => voice.expression.level = value.clamp(0.0, 4.0),
            Expression::Pan => voice.expression.pan = value.clamp(-1.0, 1.0),
            Expression::Brightness => voice.expression.brightness = value.clamp(0.0, 1.0),
        });
    }

    /// Fades out every voice of a key at once.
    pub(super) fn choke(&mut self, key: u8, pool: &mut CloudPool) {
        self.keys.lift(key);
        for voice in 0..self.high {
            if self.voices[voice].key == key {
                self.fade(voice, pool);
            }
        }
    }

    /// Adds an offset to a parameter of every voice of a key.
    pub(super) fn offset_notes(&mut self, key: u8, param: Param, offset: f32) {
        for voice in 0..self.high {
            if self.voices[voice].key == key && !self.voices[voice].is_free() {
                self.modulation.set_offset(voice, param, offset);
            }
        }
    }

    /// Voices of a key that is down or held by a pedal.
    pub(super) fn voices_of(&mut self, key: u8) -> impl Iterator<Item = &mut Voice> {
        self.voices[..self.high].iter_mut().filter(move |voice| {
            voice.key == key && matches!(voice.state, VoiceState::Held | VoiceState::Pedal)
        })
    }

    /// Whether no more voices sound than the patch allows.
    pub(super) fn keeps_to_limit(&self) -> bool {
        let limit = self.controls[Param::VoiceLimit] as usize;
        self.high <= limit || self.sounding() <= limit
    }

    pub(super) fn keep_to_limit(&mut self, pool: &mut CloudPool) {
        while !self.keeps_to_limit() {
            self.steal(pool);
        }
    }

    /// Steals a voice: released ones first, then the quietest, then the oldest.
    fn steal(&mut self, pool: &mut CloudPool) {
        let loudness = |voice: usize| {
            let note = &self.voices[voice];
            let (lanes, place) = self.lanes_of(voice);
            let damping = lanes.layers[..note.sounding].iter().map(|layer| layer.damping[place]);
            let decay = (-damping.fold(f32::MAX, f32::min)).exp2();
            // A note that has not sounded yet counts as loud.
            let level = match note.starts_at {
                Some(_) => 1.0,
                None => lanes.envelopes[0].values()[place],
            };
            level * note.velocity * note.expression.level * decay
        };
        let victim =
            (0..self.high).filter(|&voice| !self.voices[voice].is_free()).min_by(|&a, &b| {
                let rank = |voice: usize| self.voices[voice].state != VoiceState::Released;
                rank(a)
                    .cmp(&rank(b))
                    .then(loudness(a).total_cmp(&loudness(b)))
                    .then(self.voices[a].order.cmp(&self.voices[b].order))
            });
        if let Some(voice) = victim {
            self.counters.stolen += 1;
            self.fade(voice, pool);
        }
    }

    /// Fades out everything, including notes that have not started yet.
    pub(super) fn silence(&mut self, pool: &mut CloudPool) {
        self.arp.reset();
        self.fade_all(pool);
        self.cut = true;
    }

    pub(super) fn fade_all(&mut self, pool: &mut CloudPool) {
        (0..self.high).for_each(|voice| self.fade(voice, pool));
    }

    /// Frees a voice at once; its clouds fade out for a few milliseconds.
    fn fade(&mut self, voice: usize, pool: &mut CloudPool) {
        let voice = &mut self.voices[voice];
        if voice.is_free() {
            return;
        }
        for slot in voice.sides() {
            match voice.starts_at {
                Some(_) => pool.give_back(slot, voice.copies),
                None => pool.fade(slot, voice.copies),
            }
        }
        voice.state = VoiceState::Free;
        self.notes_changed = true;
        self.note_ended(u8::MAX);
    }
}
