//! Layers: the tables that a voice reads, and what its second layer has of its own.

use super::Imported;
use super::copies::Original;
use super::lanes::{LOG2_PER_DB, pan_gains};
use super::playhead::TablePlayhead;
use super::strike::{Material, made_up, softness};
use crate::controls::Controls;
use crate::dsp::fast::exp2;
use crate::modulation::Modulation;
use crate::params::Param;
use crate::render::TICK;
use crate::spectrum::{Cloud, FORMANT_KEY, Place, Second, TRACKS, TURN, Table, fraction};
use crate::voice::{Voice, VoiceLayer};

/// A layer's table, and how voices go through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) table: Place,
    playhead: TablePlayhead,
    /// How far a frame takes a voice that goes at the table's own speed.
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

    /// Takes a layer of a voice a tick further, of which it lives through the last `frames`.
    #[inline]
    pub(super) fn advance(&self, layer: &mut VoiceLayer, speed: f32, frames: u32) {
        if speed != 0.0 {
            layer.travelled += speed * frames as f32 * self.step;
        }
    }

    /// The lower frame's row, and the way from it to the next, of a layer with its knob at `position`.
    #[inline]
    pub(super) fn frame(&self, layer: &VoiceLayer, position: f32) -> (u16, f32) {
        self.table.frame_at(self.place(layer, position))
    }

    /// Where in its table a layer with its knob at `position` has come to.
    #[inline]
    pub(super) fn place(&self, layer: &VoiceLayer, position: f32) -> f32 {
        match layer.travelled == 0.0 {
            true => position,
            false => self.playhead.place(position + layer.travelled),
        }
    }
}

/// The table that a choice names: a family, or what the patch brings along.
pub(super) fn table(choice: f32, imported: Option<Imported>) -> Place {
    match Table::ALL.get(choice as usize) {
        Some(family) => family.place(),
        None => imported.map_or(Table::Saw.place(), |imported| imported.place),
    }
}

/// The key at which a layer with this table is read as it is, whatever its formant hold.
pub(super) fn home(choice: f32, imported: Option<Imported>) -> f32 {
    match (choice as usize) < Table::ALL.len() {
        true => FORMANT_KEY,
        false => imported.map_or(FORMANT_KEY, |imported| imported.key),
    }
}

/// Frames of the current tick that a voice lives through.
pub(super) fn frames_of(voice: &Voice) -> u32 {
    TICK as u32 - voice.starts_at.unwrap_or(0)
}

/// What the second layer is to the first, in the order of the `layer.mode` parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// There is none.
    Off,
    /// Clouds of its own beside those of the first.
    Mix,
    /// A table that the first layer's partials are on their way to.
    Morph,
    /// A table that they are multiplied with.
    Multiply,
}

impl Mode {
    fn of(controls: &Controls) -> Self {
        let modes = [Self::Off, Self::Mix, Self::Morph, Self::Multiply];
        modes[(controls[Param::LayerMode] as usize).min(3)]
    }
}

/// How many layers of a voice have clouds.
pub(super) fn sounding(controls: &Controls) -> usize {
    match Mode::of(controls) {
        Mode::Mix => 2,
        _ => 1,
    }
}

/// The second layer of a part's voices.
pub(super) struct SecondLayer<'a> {
    mode: Mode,
    walk: Walk,
    home: f32,
    material: Option<Material>,
    modulation: &'a Modulation,
    tick_seconds: f32,
    sample_rate: f32,
}

impl<'a> SecondLayer<'a> {
    /// Nothing when the part has none.
    pub(super) fn new(
        controls: &Controls,
        modulation: &'a Modulation,
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

    /// What is left of the first layer, and what there is of the second, when they are mixed.
    pub(super) fn gains(&self, blend: f32) -> [f32; 2] {
        match self.mode {
            Mode::Mix => pan_gains(2.0 * blend - 1.0),
            _ => [1.0, 0.0],
        }
    }

    pub(super) fn blend(&self, voice: usize) -> f32 {
        self.target(Param::LayerBlend, voice)
    }

    /// How much the first layer's clouds have of this one, as clouds hold it.
    pub(super) fn share(&self, blend: f32) -> i16 {
        match self.mode {
            Mode::Morph => fraction(blend),
            Mode::Multiply => fraction(-blend),
            Mode::Off | Mode::Mix => 0,
        }
    }

    /// Tells the first layer's cloud of this one, unless it has clouds of its own. Also when there is
    /// nothing of it at the moment: single copies may have more.
    pub(super) fn join(&self, voice: usize, note: &Voice, cloud: &mut Cloud) {
        if self.mode == Mode::Mix {
            return;
        }
        let position = self.target(Param::LayerPosition, voice);
        let place = self.walk.place(&note.layers[1], position);
        cloud.second = Second {
            share: self.share(self.blend(voice)),
            ..Second::at(self.walk.table, place, 0.0)
        };
    }

    /// A tick passes, at this share of time's usual pace. Returns the layer as clouds of its own, which
    /// have what both share from the first, or nothing when there are none.
    pub(super) fn advance(
        &self,
        voice: usize,
        note: &mut Voice,
        first: &Original<'_>,
        pitch: f32,
        pace: f32,
    ) -> Option<Original<'_>> {
        let target = |param: Param| self.target(param, voice);
        let frames = frames_of(note);
        // A voice that found no room for more clouds goes on with those of its first layer.
        let has_clouds = self.mode == Mode::Mix && note.sounding > 1;
        let layer = &mut note.layers[1];
        self.walk
            .advance(layer, target(Param::LayerSpeed) * pace, frames);
        if !has_clouds {
            return None;
        }
        let Original {
            cloud: first,
            increment,
            ..
        } = *first;
        let tune = target(Param::LayerTune);
        let increment = match tune == 0.0 {
            true => increment,
            false => increment * exp2(tune / 12.0),
        };
        let (rate, damping_slope) = match self.material {
            Some(material) => material.decay(increment * self.sample_rate / TURN),
            None => (target(Param::DecayRate), target(Param::DecaySlope)),
        };
        layer.damping += rate * LOG2_PER_DB * self.tick_seconds * pace;
        let softness = softness(target(Param::LayerHardness));
        let hold = target(Param::LayerFormant);
        let position = target(Param::LayerPosition);
        let (frame, morph) = self.walk.frame(layer, position);
        let cloud = Cloud {
            flags: (first.flags & !TRACKS) | self.walk.table.flags,
            table: self.walk.table.first_row,
            frame,
            morph,
            partials: target(Param::LayerPartials),
            formant: match hold == 0.0 {
                true => 1.0,
                false => exp2(hold * (pitch + tune - self.home) / 12.0),
            },
            bandwidth: bandwidth_of(target(Param::LayerBandwidth)),
            tilt: first.tilt + target(Param::LayerTilt) * LOG2_PER_DB,
            damping: layer.damping + softness,
            damping_slope,
            ..first
        };
        Some(Original {
            layer: 1,
            cloud,
            increment,
            gain: made_up(softness),
            pan: target(Param::LayerPan),
            walk: &self.walk,
            position,
        })
    }
}

/// How wide a band of noise ratio 1 is, as clouds hold it, from cents.
pub(super) fn bandwidth_of(cents: f32) -> f32 {
    match cents == 0.0 {
        true => 0.0,
        false => exp2(cents / 1200.0) - 1.0,
    }
}
