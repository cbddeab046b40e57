//! A kit being played: one small part for each key zone, on the bus and in the effects of the part that plays
//! the kit, or on an output of its own. Parts whose patch has no key zones pay for none of it.

use super::{Part, Transport};
use crate::engine::OutputBuses;
use crate::event::EventKind;
use crate::params::Param;
use crate::patch::{KeyZone, Patch, Playable};
use crate::pool::{CloudPool, Voices};

/// The most voices of a zone: strokes of one drum that ring at once.
const VOICES: usize = 8;

/// The level of a kit at which its zones have their own.
const NEUTRAL_LEVEL: f32 = -6.0;

/// The key zones of a patch and the parts that play them.
#[derive(Debug)]
pub(crate) struct Kit {
    zones: Vec<Zone>,
}

#[derive(Debug)]
struct Zone {
    keys: [u8; 2],
    choke: u8,
    output: u8,
    /// Semitones from a key to the note that it plays.
    transpose: f32,
    patch: Playable,
    part: Part,
}

impl Zone {
    fn new(zone: &KeyZone, kit: &Patch) -> Self {
        let mut patch = zone.patch.clone();
        patch.key_zones.clear();
        let add = |patch: &mut Patch, param: Param, amount: f32| {
            patch.values.set(param, patch.values[param] + amount);
        };
        add(&mut patch, Param::AmpPan, zone.pan);
        add(&mut patch, Param::OutputGain, zone.level);
        // Zones say themselves which keys they play.
        for param in [Param::ZoneLowKey, Param::ZoneHighKey] {
            patch.values.set(param, param.info().default);
        }
        for param in macros() {
            patch.values.set(param, kit.values[param]);
        }
        Self {
            keys: zone.keys,
            choke: zone.choke,
            output: zone.output,
            transpose: f32::from(zone.note) - f32::from(zone.keys[0]) + zone.tune,
            part: Part::new(0, VOICES, 48_000.0),
            patch: Playable::new(patch),
        }
    }

    fn contains(&self, key: u8) -> bool {
        (self.keys[0]..=self.keys[1]).contains(&key)
    }
}

/// The most clouds of a zone.
pub(crate) fn most_clouds(zone: &KeyZone) -> usize {
    let mut patch = zone.patch.clone();
    patch.key_zones.clear();
    let limit = (patch.values[Param::VoiceLimit] as usize).max(1);
    patch.most_clouds() / limit * limit.min(VOICES)
}

/// The same kit, silent.
impl Clone for Kit {
    fn clone(&self) -> Self {
        let zone = |zone: &Zone| Zone {
            patch: zone.patch.clone(),
            part: Part::new(0, VOICES, 48_000.0),
            ..*zone
        };
        Self { zones: self.zones.iter().map(zone).collect() }
    }
}

fn macros() -> impl Iterator<Item = Param> {
    (0..crate::patch::MACROS).map(|index| Param::Macro1.offset(index))
}

impl Kit {
    /// The kit of a patch; none without key zones.
    pub(crate) fn new(patch: &Patch) -> Option<Box<Self>> {
        if patch.key_zones.is_empty() {
            return None;
        }
        let zones = patch.key_zones.iter().map(|zone| Zone::new(zone, patch)).collect();
        Some(Box::new(Self { zones }))
    }

    /// Prepares the kit to be played as a part, by the part's bus and those of the outputs. Never allocates.
    pub(crate) fn start(&mut self, part: u32, outputs: OutputBuses, sample_rate: f32) {
        for zone in &mut self.zones {
            zone.part.outputs = outputs;
            zone.part.move_to(part, outputs.bus(zone.output, part), sample_rate);
            zone.part.reset(&zone.patch);
        }
    }

    /// Handles an event of the part that plays the kit.
    pub(crate) fn handle(&mut self, kind: EventKind, frame: u32, pool: &mut CloudPool) {
        if let EventKind::NoteOn { key, velocity } = kind
            && velocity > 0.0
            && let Some(group) = self.zone(key).map(|zone| zone.choke).filter(|group| *group > 0)
        {
            let chokes = |zone: &&mut Zone| zone.choke == group;
            self.zones.iter_mut().filter(chokes).for_each(|zone| zone.part.fade_all(pool));
        }
        match kind {
            EventKind::NoteOn { key, .. }
            | EventKind::NoteOff { key, .. }
            | EventKind::PolyPressure { key, .. }
            | EventKind::NoteExpression { key, .. }
            | EventKind::NoteChoke { key }
            | EventKind::NoteModulation { key, .. } => {
                if let Some(zone) = self.zone(key) {
                    zone.part.handle(kind, frame, pool);
                }
            }
            EventKind::Param { param, .. } if !macros().any(|it| it == param) => {}
            _ => self.zones.iter_mut().for_each(|zone| zone.part.handle(kind, frame, pool)),
        }
    }

    /// Sets the macros of all zones at once, as the kit has them.
    pub(crate) fn set_macros(&mut self, values: &crate::controls::Values) {
        for zone in &mut self.zones {
            macros().for_each(|param| zone.part.controls.set(param, values[param]));
        }
    }

    /// The first zone of a key.
    fn zone(&mut self, key: u8) -> Option<&mut Zone> {
        self.zones.iter_mut().find(|zone| zone.contains(key))
    }

    /// Takes over the level, pan and tuning of the part that plays the kit, before the events of a tick.
    pub(crate) fn follow(&mut self, kit: &Part) {
        let controls = &kit.controls;
        let decibels = controls[Param::AmpLevel] - NEUTRAL_LEVEL + controls[Param::OutputGain];
        let gain = 10f32.powf(decibels / 20.0);
        let semitones = controls[Param::PitchTune] + controls[Param::PitchTranspose];
        for zone in &mut self.zones {
            zone.part.channel.kit_gain = gain;
            zone.part.channel.kit_pan = controls[Param::AmpPan];
            zone.part.kit_transpose = zone.transpose + semitones;
        }
    }

    /// See [`Part::advance_controls`].
    pub(crate) fn advance_controls(&mut self) {
        self.zones.iter_mut().for_each(|zone| zone.part.advance_controls());
    }

    /// See [`Part::start_voices`].
    pub(crate) fn start_voices(&mut self, transport: Transport, pool: &mut CloudPool) {
        self.zones.iter_mut().for_each(|zone| zone.part.start_voices(transport, pool));
    }

    /// Computes modulation and clouds of a tick. Nothing that other parts use is touched.
    pub(crate) fn compute(&mut self, transport: Transport, voices: &Voices<'_>, tick: usize) {
        for zone in self.zones.iter_mut().filter(|zone| zone.part.is_sounding()) {
            zone.part.compute(transport, voices, tick, &|chunks, compute| {
                (0..chunks).for_each(compute);
            });
        }
    }

    /// See [`Part::free_ended`].
    pub(crate) fn free_ended(&mut self, tick: usize, pool: &mut CloudPool) {
        self.zones.iter_mut().for_each(|zone| zone.part.free_ended(tick, pool));
    }

    /// Fades out everything.
    pub(crate) fn fade_all(&mut self, pool: &mut CloudPool) {
        self.zones.iter_mut().for_each(|zone| zone.part.fade_all(pool));
    }

    /// The parts of its zones.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.zones.iter().map(|zone| &zone.part)
    }
}
