//! What the notes of a chunk are, in lanes.

use crate::modulation::{CHUNK, Lane};
use crate::spectrum::unison::SeedSteps;
use crate::voice::Voice;

/// What is read from voices when events have changed them; in between only pitches change, by glides.
#[derive(Debug)]
pub(super) struct NoteLanes {
    pub(super) velocity: Lane,
    pub(super) release_velocity: Lane,
    pub(super) pitch: Lane,
    pub(super) pressure: Lane,
    // Expression of single notes.
    pub(super) semitones: Lane,
    pub(super) level: Lane,
    pub(super) pan: Lane,
    pub(super) brightness: Lane,
    /// The number of copies, and its square root.
    pub(super) copies: Lane<u32>,
    pub(super) root: Lane,
    pub(super) seed: Lane<u32>,
    pub(super) seed_steps: [Lane<u32>; size_of::<SeedSteps>() / size_of::<u32>()],
    /// The first slot of the first layer.
    pub(super) slot: Lane<u32>,
    /// A bit for each voice that sounds, and for each whose first layer has panned partials.
    pub(super) sounding: u32,
    pub(super) panned: u32,
    /// Whether a note glides.
    pub(super) glide: bool,
}

const _: () = assert!(CHUNK <= u32::BITS as usize);

impl NoteLanes {
    pub(super) const fn new() -> Self {
        Self {
            velocity: Lane::ZERO,
            release_velocity: Lane::ZERO,
            pitch: Lane::ZERO,
            pressure: Lane::ZERO,
            semitones: Lane::ZERO,
            level: Lane::ZERO,
            pan: Lane::ZERO,
            brightness: Lane::ZERO,
            copies: Lane::ZEROS,
            root: Lane::ZERO,
            seed: Lane::ZEROS,
            seed_steps: [Lane::ZEROS; _],
            slot: Lane::ZEROS,
            sounding: 0,
            panned: 0,
            glide: false,
        }
    }

    /// Reads everything.
    pub(super) fn read(&mut self, voices: &[Voice]) {
        (self.sounding, self.panned) = (0, 0);
        for (index, voice) in voices.iter().enumerate() {
            self.sounding |= u32::from(!voice.is_free()) << index;
            self.panned |= u32::from(voice.layers[0].is_panned) << index;
            self.slot[index] = voice.layers[0].side(false);
            self.velocity[index] = voice.velocity;
            self.release_velocity[index] = voice.release_velocity;
            self.pressure[index] = voice.pressure;
            self.semitones[index] = voice.expression.semitones;
            self.level[index] = voice.expression.level;
            self.pan[index] = voice.expression.pan;
            self.brightness[index] = voice.expression.brightness;
            self.copies[index] = voice.copies as u32;
            self.root[index] = (voice.copies as f32).sqrt();
            self.seed[index] = voice.seed;
            for (lane, steps) in self.seed_steps.iter_mut().zip(voice.seed_steps) {
                lane[index] = steps;
            }
        }
        self.glide = true;
        self.read_pitches(voices);
    }

    /// Reads pitches, while notes glide.
    pub(super) fn read_pitches(&mut self, voices: &[Voice]) {
        if std::mem::take(&mut self.glide) {
            for (pitch, voice) in self.pitch.iter_mut().zip(voices) {
                *pitch = voice.pitch;
                self.glide |= voice.glide_step != 0.0;
            }
        }
    }
}
