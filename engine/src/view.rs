//! What an editor draws: partials, filters, envelopes and waves, from the code that renders them.

mod points;

pub use points::Points;

use crate::controls::Values;
use crate::effects::{compressor, delay, drive, ducker, eq, multiband};
use crate::engine::Snapshot;
use crate::event::EventKind;
use crate::modulation::{Bend, Drawing, Shape};
use crate::params::Param;
use crate::part::{ARP_STEP_BEATS, Part, Transport};
use crate::patch::{Patch, Playable};
use crate::pool::{CloudPool, Voices};
use crate::render::VoiceBlock;
use crate::render::block::groups;
use crate::render::cpu::PAN_POSITIONS;
use crate::simd::{F32x16, LANES, Level, Portable, Simd, Work};
use crate::spectrum::{self, Cloud, FADE_END, Filter, MAX_COPIES, TURN, of_fraction, tables};

/// One partial of a cloud at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartialView {
    /// Its pitch.
    pub hertz: f32,
    /// Its level, 1 for a sine at full scale.
    pub level: f32,
    /// The level that it would have without the filter.
    pub unfiltered: f32,
    /// Its pan position, -1 left to 1 right.
    pub pan: f32,
}

/// Adds the partials of `cloud` to `out`, lowest first; those above Nyquist are left out.
pub fn partials(cloud: &Cloud, sample_rate: f32, out: &mut Vec<PartialView>) {
    Level::best().dispatch(PartialsOf { cloud, sample_rate, out });
}

struct PartialsOf<'a> {
    cloud: &'a Cloud,
    sample_rate: f32,
    out: &'a mut Vec<PartialView>,
}

impl Work for PartialsOf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let tables = tables();
        let rows = tables.rows_of(self.cloud);
        let open = Cloud { filters: [Filter::default(); 2], ..*self.cloud };
        let open_rows = tables.rows_of(&open);
        let [left, right] = self.cloud.gain_to;
        let [mut pitches, mut levels, mut responses] = [F32x16([1.0; LANES]); 3];
        for group in 0..groups(self.cloud.partials) {
            let frequency = spectrum::frequency(s, self.cloud, &rows, group);
            if s.first(frequency) >= FADE_END {
                break;
            }
            let partials = spectrum::evaluate(s, &open, &open_rows, group, frequency);
            s.store(frequency, &mut pitches);
            s.store(partials.level, &mut levels);
            if let Some(response) = spectrum::filter_gain(s, self.cloud, &rows, frequency) {
                s.store(response, &mut responses);
            }
            for lane in 0..LANES {
                let level = levels.0[lane];
                if level <= 0.0 || pitches.0[lane] >= FADE_END {
                    continue;
                }
                let side = PAN_POSITIONS.0[lane] * of_fraction(self.cloud.width_to);
                let (left, right) = (left * (1.0 - side), right * (1.0 + side));
                let gain = left.hypot(right);
                self.out.push(PartialView {
                    hertz: pitches.0[lane] / TURN * self.sample_rate,
                    level: gain * level * responses.0[lane],
                    unfiltered: gain * level,
                    pan: (right - left) / (left + right).max(f32::MIN_POSITIVE),
                });
            }
        }
    }
}

/// The gain of the filters of `cloud` for a partial at `hertz`.
pub fn filter_gain(cloud: &Cloud, hertz: f32, sample_rate: f32) -> f32 {
    let frequency = Portable.splat(hertz / sample_rate * TURN);
    let tables = tables();
    let gain = spectrum::filter_gain(Portable, cloud, &tables.rows_of(cloud), frequency);
    gain.map_or(1.0, |gain| Portable.first(gain))
}

/// A note of `patch` as its knobs are set, without routes and envelopes, at full level. Of a kit it is the
/// drum of that key, or its first one. Allocates.
pub fn at_rest(patch: &Patch, key: u8, sample_rate: f32) -> Snapshot {
    let mut zones = patch.key_zones.iter();
    if let Some(zone) = zones.find(|zone| zone.contains(key)).or(patch.key_zones.first()) {
        let above = key.saturating_sub(zone.keys[0]).min(zone.keys[1] - zone.keys[0]);
        let drum = Patch { key_zones: Vec::new(), ..zone.patch.clone() };
        return at_rest(&drum, zone.note.saturating_add(above).min(127), sample_rate);
    }
    /// Enough for the shortest attack at any sample rate below 128 kHz; a block holds no more.
    const TICKS: usize = 4;
    let mut still = patch.clone();
    still.routes.clear();
    for (param, value) in [
        (Param::Env1Delay, 0.0),
        (Param::Env1Attack, 0.0),
        (Param::Env1Hold, f32::INFINITY),
        (Param::DecayRate, 0.0),
        (Param::PitchTranspose, 0.0),
        (Param::AmpVelocity, 0.0),
    ] {
        still.values.set(param, value);
    }
    const SLOTS: usize = 2 * MAX_COPIES;
    let mut pool = CloudPool::new(SLOTS, sample_rate);
    let mut part = Part::new(0, 1, sample_rate);
    part.set_patch(&Playable::new(still), &mut pool);
    let note = EventKind::NoteOn { key, velocity: 1.0 };
    part.handle(note, 0, &mut pool);
    let mut block = VoiceBlock::new(SLOTS);
    for tick in 0..TICKS {
        block.start_tick();
        part.advance_controls();
        part.start_voices(Transport::STOPPED, &mut pool);
        let pool = pool.writer();
        let voices = Voices::new(&pool, block.writer());
        part.compute(Transport::STOPPED, &voices, tick, &|chunks, compute| {
            (0..chunks).for_each(compute);
        });
    }
    let mut snapshot = Snapshot::new();
    snapshot.sample_rate = sample_rate;
    part.snapshot(&pool, &mut snapshot);
    snapshot
}

/// Seconds from echo to echo at this tempo.
pub fn delay_seconds(values: &Values, bpm: f32) -> f32 {
    delay::seconds(|param| values[param], bpm)
}

/// Beats of a step of the arpeggiator, by the value of `arp.rate`.
pub fn arp_step_beats(rate: f32) -> f32 {
    ARP_STEP_BEATS[rate as usize] as f32
}

/// The position of an envelope's stage with this curve at time `x`, both 0 to 1.
pub fn bend(curve: f32, x: f32) -> f32 {
    Bend::new(curve).at(x)
}

/// The value of an LFO's wave, by its number in the `shape` parameter, after `cycles`; `drawing` is
/// the wave drawn in the patch.
pub fn wave(shape: usize, cycles: f64, drawing: &Drawing) -> f32 {
    Shape::ALL[shape.min(Shape::ALL.len() - 1)].at(cycles, 0, drawing)
}

/// The output of a drive with these values for a steady `level`, without its tone control.
pub fn driven(values: &Values, level: f32) -> f32 {
    let (kind, amount) = (values[Param::DriveType], values[Param::DriveAmount]);
    let bent = drive::bent(kind as usize, amount, level);
    level + (bent - level) * values[Param::DriveMix]
}

/// The gain of an equaliser with these values at `hertz`, in decibels.
pub fn equalised(values: &Values, hertz: f32, sample_rate: f32) -> f32 {
    eq::gain_db(|param| values[param], hertz, sample_rate)
}

/// The output level in decibels of a compressor with these values for a steady level.
pub fn compressed(values: &Values, decibels: f32) -> f32 {
    let slope = 1.0 - 1.0 / values[Param::CompressorRatio];
    let over = decibels - values[Param::CompressorThreshold];
    let excess = compressor::excess(over, slope, values[Param::CompressorKnee]);
    let wet = 10.0_f32.powf((values[Param::CompressorGain] - excess) / 20.0);
    decibels + 20.0 * (1.0 + (wet - 1.0) * values[Param::CompressorMix]).log10()
}

/// The output level in decibels of a band of the multiband compressor, 0 (low) to 2 (high), for a steady
/// level.
pub fn band_compressed(values: &Values, band: usize, decibels: f32) -> f32 {
    multiband::level(|param| values[param], band.min(2), decibels)
}

/// The gain of the ducker at `place` of its cycle, 0 to 1.
pub fn ducked(values: &Values, place: f32) -> f32 {
    ducker::gain_at(|param| values[param], place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::factory;
    use crate::{Engine, EngineConfig, Event};

    /// The editor must show the partials that sound.
    #[test]
    fn the_partials_shown_are_those_heard() {
        let patch = &factory::find("Aurora").expect("is one of ours");
        let mut engine = Engine::new(&EngineConfig::default()).expect("fits");
        engine.set_patch(0, patch);
        let note = EventKind::NoteOn { key: 69, velocity: 1.0 };
        let event = Event { frame: 0, part: 0, kind: note };
        let (mut left, mut right) = (vec![0.0; 48_000], vec![0.0; 48_000]);
        engine.render(&[event], &mut left, &mut right);
        let mut snapshot = Snapshot::new();
        engine.snapshot(0, &mut snapshot);
        assert_eq!(snapshot.keys, 1 << 69);
        assert_eq!(snapshot.clouds.len(), 7);
        let mut shown = Vec::new();
        for cloud in &snapshot.clouds {
            partials(cloud, snapshot.sample_rate, &mut shown);
        }
        let firsts = shown.iter().filter(|partial| partial.hertz < 500.0);
        assert!(firsts.clone().all(|p| (p.hertz - 440.0).abs() < 15.0));
        // The power of both channels, as shown and as rendered in the last 0.1 s.
        let power = |x: &[f32]| x[43_200..].iter().map(|x| x * x).sum::<f32>() / 4_800.0;
        let heard = power(&left) + power(&right);
        let drawn: f32 = shown.iter().map(|p| 0.5 * p.level * p.level).sum();
        assert!((drawn / heard).log2().abs() < 1.0, "{drawn} for {heard}");
        assert!(shown.iter().all(|p| p.hertz < 24_000.0 && p.pan.abs() <= 1.0));
    }

    #[test]
    fn a_patch_at_rest_shows_its_knobs() {
        for patch in factory::patches().iter().filter(|patch| patch.key_zones.is_empty()) {
            let rest = at_rest(patch, 48, 48_000.0);
            let copies = patch.values[Param::UnisonVoices] as usize;
            let mode = Param::LayerMode.info();
            let layers = match mode.format(patch.values[Param::LayerMode]).as_str() {
                "mix" => 2,
                _ => 1,
            };
            assert_eq!(rest.clouds.len(), layers * copies, "{}", patch.name);
            assert!(rest.clouds[0].gain_to[0] > 1e-4, "{}", patch.name);
            let cutoff = patch.values[Param::FilterCutoff];
            assert_eq!(rest.heard[Param::FilterCutoff], cutoff, "{}", patch.name);
        }
    }

    #[test]
    fn a_kit_at_rest_shows_the_drum_of_the_key() {
        let kit = factory::find("Acoustic Kit").expect("is one of ours");
        for (key, shown) in [(42, 42), (2, 35)] {
            let zone = kit.key_zones.iter().find(|zone| zone.contains(shown));
            let zone = zone.expect("every key of the map has a drum");
            let note = zone.note + shown - zone.keys[0];
            let [rest, drum] = [at_rest(&kit, key, 48_000.0), at_rest(&zone.patch, note, 48_000.0)];
            assert_eq!(rest.clouds, drum.clouds, "{key}");
        }
    }
}
