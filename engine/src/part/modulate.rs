//! The modulation of a tick: what all voices share first, then voices in chunks, which several threads may compute.

use super::lanes::VoiceLanes;
use super::{Part, Transport};
use crate::disjoint::Disjoint;
use crate::modulation::{CHUNK, ENVELOPES, LFOS, Lane, LfoSettings, Source};
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

/// Calls the function that it is given with every index below the count, from any thread.
pub(crate) type Run<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

impl Part {
    /// Computes a tick: modulation, and the clouds of all voices, which are written to `tick` of the block. Nothing that
    /// other parts use is touched, so parts do it in parallel.
    pub(crate) fn compute(
        &mut self,
        transport: Transport,
        written: &Voices<'_>,
        tick: usize,
        run: Run<'_>,
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
        self.notes_changed = false;
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
        let frames = frame.saturating_sub(clock);
        all_lanes[voice / CHUNK].clouds.age[place] += frames as f32 / self.sample_rate;
        self.lanes = all_lanes;
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
        let level = self.part.level;
        level.dispatch(FillSources(self));
        level.dispatch(ApplyRoutes(self));
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
                // Only events begin a tick in the middle.
                if part.notes_changed {
                    for (place, voice) in self.voices.iter().enumerate() {
                        if voice.clock != 0 {
                            let seconds = voice.clock as f32 / part.sample_rate;
                            self.lanes.envelopes[index].shorten(place, seconds);
                        }
                    }
                }
                part.level.dispatch(AdvanceEnvelopes { chunk: self, index });
            }
        }
        let (ages, notes) = (&mut self.lanes.clouds.age, &mut self.lanes.notes);
        if part.notes_changed {
            for (voice, age) in self.voices.iter_mut().zip(ages.iter_mut()) {
                *age += (TICK as u32).saturating_sub(voice.clock) as f32 / part.sample_rate;
                voice.clock = 0;
                voice.glide();
            }
            notes.read(self.voices);
        } else {
            ages.iter_mut().for_each(|age| *age += TICK as f32 / part.sample_rate);
            if notes.glide {
                self.voices.iter_mut().for_each(Voice::glide);
                notes.read_pitches(self.voices);
            }
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
}

/// Fills the lanes of every source that a route uses.
struct FillSources<'a, 'b>(&'a mut Chunk<'b>);

impl Work for FillSources<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Chunk { part, voices, lanes, .. } = self.0;
        let VoiceLanes { envelopes, note_cycles, modulation, notes, clouds, .. } = &mut **lanes;
        let channel = &part.channel;
        for &(_, source) in Source::NAMES {
            if !part.modulation.uses(source) {
                continue;
            }
            if let Some(value) = part.without_notes(source) {
                modulation.fill_source(source, value);
                continue;
            }
            let lane = modulation.source_mut(source);
            match source {
                Source::Env1 | Source::Env2 | Source::Env3 | Source::Env4 => {
                    *lane = *envelopes[source as usize - Source::Env1 as usize].values();
                }
                Source::Lfo1
                | Source::Lfo2
                | Source::Lfo3
                | Source::Lfo4
                | Source::Lfo5
                | Source::Lfo6 => {
                    let index = source as usize - Source::Lfo1 as usize;
                    let (lfo, cycles) = (&part.lfos[index], &note_cycles[index]);
                    lfo.fill(lane, voices.len(), cycles, &clouds.age, &notes.seed);
                }
                Source::Velocity => *lane = notes.velocity.0,
                Source::Release => *lane = notes.release_velocity.0,
                Source::Key => each(lane, &notes.pitch, |pitch| (pitch - 60.0) / 60.0),
                Source::Pressure => {
                    let shared = channel.pressure.now();
                    each(lane, &notes.pressure, |pressure| pressure.max(shared));
                }
                Source::Brightness => {
                    let shared = channel.brightness.now();
                    each(lane, &notes.brightness, |brightness| {
                        (2.0 * (shared + brightness - 0.5) - 1.0).clamp(-1.0, 1.0)
                    });
                }
                Source::Random => {
                    each(lane, &notes.seed, |seed| seed as f32 / (1u64 << 31) as f32 - 1.0);
                }
                // Computed for each copy or partial (see `modulation::fine`), or the same for all notes.
                _ => {}
            }
        }
    }
}

/// Moves parameters by the routes.
struct ApplyRoutes<'a, 'b>(&'a mut Chunk<'b>);

impl Work for ApplyRoutes<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Chunk { part, first, lanes, .. } = self.0;
        lanes.modulation.apply(simd, &part.modulation, *first);
    }
}

/// Fills a lane with the values of another one.
#[inline(always)]
fn each<T: Copy>(lane: &mut [f32; CHUNK], from: &Lane<T>, value: impl Fn(T) -> f32) {
    lane.iter_mut().zip(&from.0).for_each(|(lane, &from)| *lane = value(from));
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
