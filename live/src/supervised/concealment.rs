//! Conceals the loss of a renderer: its sound is continued by prediction and crossfaded into that
//! of the next.

use myriad_engine::dsp::{FADE, continue_sound, fade_in};
use myriad_engine::render::{Buses, MAX_TICKS, TICK};

const _: () = assert!(MAX_TICKS * TICK <= FADE, "a block is remembered whole");

/// Remembers what was heard last, so that it can be continued when its source is gone.
pub(super) struct Concealment {
    /// The last samples of every bus, left and right.
    history: Vec<[f32; FADE]>,
    /// How they would have continued.
    prediction: Vec<[f32; FADE]>,
    /// Frames of the prediction that have been faded out.
    faded: usize,
}

impl Concealment {
    pub(super) fn new(buses: usize) -> Self {
        Self {
            history: vec![[0.0; FADE]; 2 * buses],
            prediction: vec![[0.0; FADE]; 2 * buses],
            faded: FADE,
        }
    }

    pub(super) fn reset(&mut self) {
        self.history.fill([0.0; FADE]);
        self.faded = FADE;
    }

    /// Whether nothing is being concealed.
    pub(super) fn is_over(&self) -> bool {
        self.faded == FADE
    }

    /// Predicts how every bus continues, from the next blend on.
    pub(super) fn predict(&mut self) {
        for (history, prediction) in self.history.iter().zip(&mut self.prediction) {
            continue_sound(history, prediction);
        }
        self.faded = 0;
    }

    /// Fades from the prediction to what is in `buses`.
    pub(super) fn blend(&mut self, buses: &mut Buses, frames: usize) {
        let frames = frames.min(FADE - self.faded);
        for (index, prediction) in self.prediction.iter().enumerate() {
            let bus = &mut buses.bus_mut(index / 2)[index % 2][..frames];
            for (frame, sample) in bus.iter_mut().enumerate() {
                let gain = fade_in(self.faded + frame);
                *sample = *sample * gain + prediction[self.faded + frame] * (1.0 - gain);
            }
        }
        self.faded += frames;
    }

    /// Remembers the end of every bus.
    pub(super) fn remember(&mut self, buses: &Buses, frames: usize) {
        for (index, history) in self.history.iter_mut().enumerate() {
            let samples = &buses.bus(index / 2)[index % 2][..frames];
            history.copy_within(frames.., 0);
            history[FADE - frames..].copy_from_slice(samples);
        }
    }
}
