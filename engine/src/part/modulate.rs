//! The modulation of a tick: what all voices share first, then voices in chunks, which several threads may compute.

use super::lanes::VoiceLanes;
use super::{Part, Transport};
use crate::disjoint::Disjoint;
use crate::modulation::{CHUNK, ENVELOPES, LFOS, LfoSettings, Source};
use crate::params::Param;
use crate::pool::Voices;
use crate::render::TICK;
use crate::simd::{Simd, Work};
use crate::voice::Voice;

/// Some voices of a part in one tick.
pub(super) struct Chunk<'a> {
    /// What all voices share. Its own voices and lanes are elsewhere.
    pub(super) part: &'a Part,
    /// The number of the first voice.
    pub(super) first: usize,
    pub(super) voices: &'a mut [Voice],
    pub(super) lanes: &'a mut VoiceLanes,
}

impl Part {
    /// Computes a tick: modulation, and the clouds of all voices, which are written to `tick` of the block. Nothing that
    /// other parts use is touched, so parts do it in parallel. `run` calls the function that it is given with every
    /// index below the count, from any thread.
    pub(crate) fn compute(
        &mut self,
        transport: Transport,
        written: &Voices<'_>,
        tick: usize,
        run: impl FnOnce(usize, &(dyn Fn(usize) + Sync)),
    ) {
        self.advance_lfos(transport);
        if self.high == 0 {
            return;
        }
        let Self { modulation, controls, lanes, .. } = self;
        modulation.begin(controls, self.high, |param, value| {
            lanes.iter_mut().for_each(|lanes| lanes.modulation.fill(param, value));
        });
        // Chunks change their voices and lanes, and only read the rest.
        let mut voices = std::mem::take(&mut self.voices);
        let mut all_lanes = std::mem::take(&mut self.lanes);
        let (part, high) = (&*self, self.high);
        let (own, lanes) = (Disjoint::new(&mut voices), Disjoint::new(&mut all_lanes));
        run(high.div_ceil(CHUNK), &|index| {
            let first = index * CHUNK;
            // SAFETY: every index is used once, and the chunks do not overlap.
            let (voices, lanes) =
                unsafe { (own.range(first..high.min(first + CHUNK)), lanes.get(index)) };
            let mut chunk = Chunk { part, first, voices, lanes };
            chunk.modulate();
            // SAFETY: the slots of a voice belong to it alone.
            let mut writer = unsafe { written.writer(tick) };
            chunk.push_clouds(&mut writer);
        });
        (self.voices, self.lanes) = (voices, all_lanes);
    }

    /// Advances the phases that all voices share.
    fn advance_lfos(&mut self, transport: Transport) {
        let seconds = self.tick_seconds();
        for index in 0..LFOS {
            if !self.modulation.uses(Source::Lfo1.offset(index)) {
                continue;
            }
            let settings = LfoSettings::read(&self.controls, index, transport.bpm);
            let newest = self.moves_lfo(index).then(|| self.newest()).flatten();
            let rate = newest.filter(|_| !settings.is_synced());
            let rate = rate.map(|voice| self.target(lfo_rate(index), voice));
            self.lfos[index].tick(seconds, transport.beat, settings, rate);
        }
    }

    /// Whether routes move the rate of an LFO.
    fn moves_lfo(&self, index: usize) -> bool {
        self.modulation.moves(lfo_rate(index))
    }

    /// Whether the envelope has to be computed; the first one is always needed.
    fn uses_envelope(&self, index: usize) -> bool {
        index == 0 || self.modulation.uses(Source::Env1.offset(index))
    }

    /// Advances a voice's envelopes to `frame` of the tick.
    pub(super) fn advance_envelopes(&mut self, voice: usize, frame: u32) {
        let mut all_lanes = std::mem::take(&mut self.lanes);
        let (lanes, place) = (&mut all_lanes[voice / CHUNK], voice % CHUNK);
        let clock = self.voices[voice].clock;
        for index in (0..ENVELOPES).filter(|&index| self.uses_envelope(index)) {
            self.advance_envelope(lanes, index, place, clock, frame);
        }
        self.lanes = all_lanes;
        let frames = frame.saturating_sub(clock);
        self.voices[voice].age += frames as f32 / self.sample_rate;
        self.voices[voice].clock = frame;
    }

    /// Advances an envelope of the voice at a place of some lanes, from one frame to another.
    fn advance_envelope(
        &self,
        lanes: &mut VoiceLanes,
        index: usize,
        place: usize,
        from: u32,
        to: u32,
    ) {
        let seconds = to.saturating_sub(from) as f32 / self.sample_rate;
        let speed = self.speed_in(lanes, index, place);
        let settings = &self.envelope_settings[index];
        let bank = &mut lanes.envelopes[index];
        match &self.drawn_envelopes[index] {
            None => bank.advance(place, seconds, settings, speed),
            Some(drawn) => bank.advance_drawn(place, seconds, drawn, settings.loops, speed),
        }
    }

    /// Speed factor of an envelope of a voice.
    pub(super) fn envelope_speed(&self, index: usize, voice: usize) -> f32 {
        let (lanes, place) = self.lanes_of(voice);
        self.speed_in(lanes, index, place)
    }

    fn speed_in(&self, lanes: &VoiceLanes, index: usize, place: usize) -> f32 {
        let speed = envelope_speed(index);
        match self.modulation.moves(speed) {
            true => lanes.modulation.target(speed, place),
            false => self.controls[speed],
        }
    }
}

impl Chunk<'_> {
    fn modulate(&mut self) {
        self.advance_voices();
        self.advance_note_cycles();
        self.fill_sources();
        self.lanes.modulation.apply(&self.part.modulation, self.first);
        self.fill_lanes();
    }

    /// Advances the voices to the end of the tick.
    fn advance_voices(&mut self) {
        let part = self.part;
        for index in (0..ENVELOPES).filter(|&index| part.uses_envelope(index)) {
            let is_drawn = part.drawn_envelopes[index].is_some();
            if is_drawn || part.modulation.moves(envelope_speed(index)) {
                for (place, voice) in self.voices.iter().enumerate() {
                    if !voice.is_free() {
                        let clock = voice.clock;
                        part.advance_envelope(self.lanes, index, place, clock, TICK as u32);
                    }
                }
            } else {
                for (place, voice) in self.voices.iter().enumerate() {
                    if voice.clock != 0 {
                        let seconds = voice.clock as f32 / part.sample_rate;
                        self.lanes.envelopes[index].shorten(place, seconds);
                    }
                }
                part.level.dispatch(AdvanceEnvelopes { chunk: self, index });
            }
        }
        for voice in self.voices.iter_mut().filter(|voice| !voice.is_free()) {
            voice.age += (TICK as u32).saturating_sub(voice.clock) as f32 / part.sample_rate;
            voice.clock = 0;
            voice.glide();
        }
    }

    /// Advances the LFOs that begin with each note.
    fn advance_note_cycles(&mut self) {
        let part = self.part;
        for (index, cycles) in self.lanes.note_cycles.iter_mut().enumerate() {
            if !part.modulation.uses(Source::Lfo1.offset(index)) {
                continue;
            }
            let lane = self.lanes.modulation.lane(lfo_rate(index));
            let rates = part.moves_lfo(index).then_some(lane);
            part.lfos[index].settings().advance_notes(cycles, part.tick_seconds(), rates);
        }
    }

    /// Fills the lanes of every source that a route uses.
    fn fill_sources(&mut self) {
        let Self { part, voices, lanes, .. } = self;
        let channel = &part.channel;
        for &(_, source) in Source::NAMES {
            if !part.modulation.uses(source) {
                continue;
            }
            let lane = lanes.modulation.source_mut(source);
            if let Some(value) = part.without_notes(source) {
                lane.fill(value);
                continue;
            }
            let mut each = |value: &dyn Fn(usize, &Voice) -> f32| {
                for (index, (slot, voice)) in lane.iter_mut().zip(&**voices).enumerate() {
                    *slot = value(index, voice);
                }
            };
            match source {
                Source::Env1 | Source::Env2 | Source::Env3 | Source::Env4 => {
                    let bank = &lanes.envelopes[source as usize - Source::Env1 as usize];
                    *lane = *bank.values();
                }
                Source::Lfo1
                | Source::Lfo2
                | Source::Lfo3
                | Source::Lfo4
                | Source::Lfo5
                | Source::Lfo6 => {
                    let index = source as usize - Source::Lfo1 as usize;
                    let (lfo, cycles) = (&part.lfos[index], &lanes.note_cycles[index]);
                    each(&|index, voice| lfo.value(cycles[index], voice.age, voice.seed));
                }
                Source::Velocity => each(&|_, voice| voice.velocity),
                Source::Release => each(&|_, voice| voice.release_velocity),
                Source::Key => each(&|_, voice| (voice.pitch - 60.0) / 60.0),
                Source::Pressure => {
                    each(&|_, voice| voice.pressure.max(channel.pressure.now()));
                }
                Source::Brightness => each(&|_, voice| {
                    let sum = channel.brightness.now() + voice.expression.brightness - 0.5;
                    (2.0 * sum - 1.0).clamp(-1.0, 1.0)
                }),
                Source::Random => {
                    each(&|_, voice| voice.seed as f32 / (1u64 << 31) as f32 - 1.0);
                }
                // Computed for each copy or partial (see `modulation::fine`), or the same for all notes.
                _ => {}
            }
        }
    }
}

/// The parameter that sets the speed of an envelope.
fn envelope_speed(index: usize) -> Param {
    const ROWS: usize = Param::Env2Speed as usize - Param::Env1Speed as usize;
    Param::Env1Speed.offset(index * ROWS)
}

/// The parameter that sets the rate of an LFO.
fn lfo_rate(index: usize) -> Param {
    const ROWS: usize = Param::Lfo2Rate as usize - Param::Lfo1Rate as usize;
    Param::Lfo1Rate.offset(index * ROWS)
}

/// Advances an envelope of all voices by a tick.
struct AdvanceEnvelopes<'a, 'b> {
    chunk: &'a mut Chunk<'b>,
    index: usize,
}

impl Work for AdvanceEnvelopes<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { chunk: Chunk { part, voices, lanes, .. }, index } = self;
        let (seconds, speed) = (part.tick_seconds(), part.controls[envelope_speed(index)]);
        let settings = &part.envelope_settings[index];
        lanes.envelopes[index].advance_all(voices.len(), seconds, settings, speed);
    }
}
