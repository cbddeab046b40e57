//! Where one renderer's sound meets another's.

use myriad_engine::dsp::{FADE, continue_sound, fade_in};
use myriad_engine::render::{Buses, MAX_TICKS, TICK};

const _: () = assert!(MAX_TICKS * TICK <= FADE, "a block is remembered whole");

/// Remembers what was heard last, so that it can be continued when its source is gone.
pub(super) struct Seam {
    /// The end of every bus, left and right.
    past: Vec<[f32; FADE]>,
    /// How it would have gone on.
    future: Vec<[f32; FADE]>,
    /// Frames of the future that have been faded out.
    faded: usize,
}

impl Seam {
    pub(super) fn new(buses: usize) -> Self {
        Self {
            past: vec![[0.0; FADE]; 2 * buses],
            future: vec![[0.0; FADE]; 2 * buses],
            faded: FADE,
        }
    }

    pub(super) fn reset(&mut self) {
        self.past.fill([0.0; FADE]);
        self.faded = FADE;
    }

    /// Whether nothing is being continued.
    pub(super) fn is_quiet(&self) -> bool {
        self.faded == FADE
    }

    /// Continues every bus by prediction, from the next blend on.
    pub(super) fn predict(&mut self) {
        for (past, future) in self.past.iter().zip(&mut self.future) {
            continue_sound(past, future);
        }
        self.faded = 0;
    }

    /// Fades from what was predicted to what is in `buses`.
    pub(super) fn blend(&mut self, buses: &mut Buses, frames: usize) {
        let frames = frames.min(FADE - self.faded);
        for (index, future) in self.future.iter().enumerate() {
            let bus = &mut buses.bus_mut(index / 2)[index % 2][..frames];
            for (frame, sample) in bus.iter_mut().enumerate() {
                let share = fade_in(self.faded + frame);
                *sample = *sample * share + future[self.faded + frame] * (1.0 - share);
            }
        }
        self.faded += frames;
    }

    /// Remembers the end of every bus.
    pub(super) fn remember(&mut self, buses: &Buses, frames: usize) {
        for (index, past) in self.past.iter_mut().enumerate() {
            let samples = &buses.bus(index / 2)[index % 2][..frames];
            past.copy_within(frames.., 0);
            past[FADE - frames..].copy_from_slice(samples);
        }
    }
}
