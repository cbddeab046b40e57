//! Layers: the tables that a voice reads, and the parameters of its second layer.

use super::Imported;
use super::lanes::LOG2_PER_DB;
use super::playhead::TablePlayhead;
use super::strike::{Material, makeup_gain, softness};
use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::modulation::{Lane, Modulated};
use crate::params::Param;
use crate::render::TICK;
use crate::spectrum::unison::pan_gains;
use crate::spectrum::{
    Cloud, Description, FORMANT_KEY, Place, Second, TRACKS, TURN, Table, UnisonVoice, fraction,
};
use crate::voice::Voice;

/// The state of a layer of a chunk's voices.
#[derive(Debug)]
pub(super) struct LayerLanes {
    /// The decay of ratio 1 in powers of two.
    pub(super) damping: Lane,
    /// The position in its table that playback has reached.
    pub(super) travelled: Lane,
}

impl LayerLanes {
    pub(super) const fn new() -> Self {
        Self { damping: Lane::ZERO, travelled: Lane::ZERO }
    }

    /// A note starts.
    pub(super) fn start(&mut self, voice: usize) {
        (self.damping[voice], self.travelled[voice]) = (0.0, 0.0);
    }
}

/// A layer's table, and how the position moves through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) table: Place,
    playhead: TablePlayhead,
    /// Change of the position per audio frame at speed 1.
    step: f32,
}

impl Walk {
    pub(super) fn new(table: Place, controls: &Controls, sample_rate: f32) -> Self {
        Self {
            table,
            playhead: TablePlayhead::new(
                controls[Param::SourceLoop],
                controls[Param::SourceLoopStart],
                controls[Param::SourceLoopEnd],
            ),
            step: 1.0 / (table.seconds * sample_rate),
        }
    }

    /// How far the position moves at that speed in so many frames.
    #[inline(always)]
    pub(super) fn way(&self, speed: f32, frames: f32) -> f32 {
        speed * frames * self.step
    }

    /// The row of the lower frame, and the morph towards the next one, with the knob at `position`.
    #[inline]
    pub(super) fn frame(&self, travelled: f32, position: f32) -> (u16, f32) {
        self.table.frame_at(self.place(travelled, position))
    }

    /// The position in its table of a layer that has travelled so far, with its knob at `position`.
    #[inline]
    pub(super) fn place(&self, travelled: f32, position: f32) -> f32 {
        match travelled == 0.0 {
            true => position,
            false => self.playhead.place(position + travelled),
        }
    }
}

/// The table that a choice names: a family, or the imported one.
pub(super) fn table(choice: f32, imported: Option<Imported>) -> Place {
    match Table::ALL.get(choice as usize) {
        Some(family) => family.place(),
        None => imported.map_or(Table::Saw.place(), |imported| imported.place),
    }
}

/// The key at which a layer with this table is read unchanged, for any amount of formant hold.
pub(super) fn home(choice: f32, imported: Option<Imported>) -> f32 {
    match (choice as usize) < Table::ALL.len() {
        true => FORMANT_KEY,
        false => imported.map_or(FORMANT_KEY, |imported| imported.key),
    }
}

/// Modes of the second layer, in the order of the `layer.mode` parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// No second layer.
    Off,
    /// Clouds of its own, together with those of the first.
    Mix,
    /// A table that the first layer's partials are morphed towards.
    Morph,
    /// A table that the first layer's levels are multiplied with.
    Multiply,
}

impl Mode {
    fn of(controls: &Controls) -> Self {
        Self::named(controls[Param::LayerMode])
    }

    fn named(choice: f32) -> Self {
        let modes = [Self::Off, Self::Mix, Self::Morph, Self::Multiply];
        modes[(choice as usize).min(3)]
    }
}

/// How many layers of a voice have clouds, by the value of `layer.mode`.
pub(crate) fn layers(mode: f32) -> usize {
    match Mode::named(mode) {
        Mode::Mix => 2,
        _ => 1,
    }
}

/// The second layer of a part's voices.
pub(super) struct SecondLayer<'a> {
    mode: Mode,
    pub(super) walk: Walk,
    home: f32,
    material: Option<Material>,
    modulation: Modulated<'a>,
    tick_seconds: f32,
    sample_rate: f32,
}

impl<'a> SecondLayer<'a> {
    /// `None` when the layer is off.
    pub(super) fn new(
        controls: &Controls,
        modulation: Modulated<'a>,
        imported: Option<Imported>,
        sample_rate: f32,
    ) -> Option<Self> {
        let choice = controls[Param::LayerTable];
        let mode = Mode::of(controls);
        (mode != Mode::Off).then(|| Self {
            mode,
            walk: Walk::new(table(choice, imported), controls, sample_rate),
            home: home(choice, imported),
            material: Material::named(controls[Param::LayerMaterial]),
            modulation,
            tick_seconds: TICK as f32 / sample_rate,
            sample_rate,
        })
    }

    fn target(&self, param: Param, voice: usize) -> f32 {
        self.modulation.target(param, voice)
    }

    /// Gains of the first and the second layer in mix mode.
    pub(super) fn gains(&self, blend: f32) -> [f32; 2] {
        match self.mode {
            Mode::Mix => pan_gains(2.0 * blend - 1.0),
            _ => [1.0, 0.0],
        }
    }

    pub(super) fn blend(&self, voice: usize) -> f32 {
        self.target(Param::LayerBlend, voice)
    }

    /// How far the first layer of a voice is panned to the left and the second to the right. A voice
    /// without clouds for the second layer stays where it is.
    pub(super) fn spread(&self, voice: usize, note: &Voice) -> f32 {
        match self.has_clouds(note) {
            true => self.target(Param::LayerSpread, voice),
            false => 0.0,
        }
    }

    /// Whether the second layer of a voice has clouds of its own. A voice that got no slots for more
    /// clouds plays the first layer alone.
    fn has_clouds(&self, note: &Voice) -> bool {
        self.mode == Mode::Mix && note.sounding > 1
    }

    /// Share of this layer in the first layer's clouds, in the format of clouds.
    pub(super) fn share(&self, blend: f32) -> i16 {
        match self.mode {
            Mode::Morph => fraction(blend),
            Mode::Multiply => fraction(-blend),
            Mode::Off | Mode::Mix => 0,
        }
    }

    /// Adds this layer to the first layer's cloud, unless it has clouds of its own. Also when its
    /// share is zero at the moment: single copies may have more.
    pub(super) fn join(&self, voice: usize, travelled: f32, description: &mut Description) {
        if self.mode == Mode::Mix {
            return;
        }
        let position = self.target(Param::LayerPosition, voice);
        let place = self.walk.place(travelled, position);
        description.edit(|cloud| {
            cloud.second = Second {
                share: self.share(self.blend(voice)),
                ..Second::at(self.walk.table, place, 0.0)
            };
        });
    }

    /// Advances the layer by a tick, at this fraction of the usual speed. Returns the layer as a voice
    /// of its own, which shares the remaining values with that of the first layer, or `None` when it has no clouds.
    /// `gain` is that of the voice.
    pub(super) fn advance(
        &self,
        voice: usize,
        note: &Voice,
        first: &UnisonVoice,
        layer: &mut LayerLanes,
        FromVoice { bus, gain, pitch, pace }: FromVoice,
    ) -> Option<UnisonVoice> {
        let target = |param: Param| self.target(param, voice);
        let frames = TICK as u32 - note.starts_at.unwrap_or(0);
        let travelled = &mut layer.travelled[voice];
        *travelled += self.walk.way(target(Param::LayerSpeed) * pace, frames as f32);
        if !self.has_clouds(note) {
            return None;
        }
        let mut own = *first;
        let increment = own.unison.increment;
        let tune = target(Param::LayerTune);
        let increment = match tune == 0.0 {
            true => increment,
            false => increment * exp2(tune / 12.0),
        };
        let (rate, damping_slope) = match self.material {
            Some(material) => material.decay(increment * self.sample_rate / TURN),
            None => (target(Param::DecayRate), target(Param::DecaySlope)),
        };
        let damping = &mut layer.damping[voice];
        *damping += rate * LOG2_PER_DB * self.tick_seconds * pace;
        let softness = softness(target(Param::LayerHardness));
        let hold = target(Param::LayerFormant);
        let (frame, morph) = self.walk.frame(*travelled, target(Param::LayerPosition));
        own.description.edit(|cloud| {
            *cloud = Cloud {
                flags: (cloud.flags & !TRACKS) | self.walk.table.flags,
                bus,
                table: self.walk.table.first_row,
                frame,
                morph,
                partials: target(Param::LayerPartials),
                formant: match hold == 0.0 {
                    true => 1.0,
                    false => exp2(hold * (pitch + tune - self.home) / 12.0),
                },
                bandwidth: bandwidth_of(target(Param::LayerBandwidth)),
                tilt: cloud.tilt + target(Param::LayerTilt) * LOG2_PER_DB,
                damping: *damping + softness,
                damping_slope,
                ..*cloud
            };
        });
        own.unison.increment = increment;
        own.unison.to.gain = makeup_gain(softness) * gain;
        own.unison.to.pan += target(Param::LayerPan) + target(Param::LayerSpread);
        Some(own)
    }
}

/// What a voice gives to its second layer.
pub(super) struct FromVoice {
    pub(super) bus: u8,
    /// Gain of each copy.
    pub(super) gain: f32,
    pub(super) pitch: f32,
    /// See [`Shaping::pace`](super::shaping::Shaping::pace).
    pub(super) pace: f32,
}

/// Width of the noise band at ratio 1 from cents, in the format of clouds.
pub(super) fn bandwidth_of(cents: f32) -> f32 {
    match cents == 0.0 {
        true => 0.0,
        false => exp2(cents / 1200.0) - 1.0,
    }
}
