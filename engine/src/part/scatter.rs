//! Start phases of the unison copies: random, but without cancelling each other.

use super::Part;
use crate::dsp::fast::quarter_sine;
use crate::params::Param;
use crate::spectrum::unison::{MAX_STEPS, SeedSteps, stepped_seed};
use crate::spectrum::{MAX_COPIES, Unison, first_phase_of};

/// The lowest partials, which must not cancel: copies that are only slightly detuned would stay
/// cancelled for seconds.
const HEARD: usize = 4;

/// Required level of all copies together, as a fraction of the level of uncorrelated copies.
const ENOUGH: f32 = 0.8;

impl Part {
    /// Chooses the seeds of a voice's copies.
    pub(super) fn scatter(&mut self, voice: usize) {
        let scatter = (self.controls[Param::SourceScatter] * 65_535.0) as u16;
        let note = &mut self.voices[voice];
        note.seed_steps = seed_steps(note.seed, note.copies, scatter);
    }
}

fn seed_steps(seed: u32, copies: usize, scatter: u16) -> SeedSteps {
    let mut sums = [[0.0_f32; 2]; HEARD];
    let mut steps = [0; MAX_COPIES];
    for (copy, chosen) in steps[..copies].iter_mut().enumerate() {
        let mut best = (-1.0, 0, sums);
        for step in 0..MAX_STEPS {
            let seed = stepped_seed(seed, copy, step);
            let mut with = sums;
            for (partial, [x, y]) in with.iter_mut().enumerate() {
                let phase = first_phase_of(seed, partial as u32 + 1, scatter);
                *x += sine(phase.wrapping_add(1 << 30));
                *y += sine(phase);
            }
            let power = with.iter().map(|[x, y]| x * x + y * y);
            let share = power.fold(f32::MAX, f32::min) / (copy + 1) as f32;
            if share > best.0 {
                best = (share, step, with);
            }
            if share >= ENOUGH {
                break;
            }
        }
        (*chosen, sums) = (best.1, best.2);
    }
    Unison::pack_steps(&steps)
}

/// The sine of an integer phase.
fn sine(phase: u32) -> f32 {
    let folded = (1_i64 << 30) - i64::from(phase.wrapping_sub(1 << 30) as i32).abs();
    quarter_sine(folded as f32 / (1_i64 << 30) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seeds of the copies of a note.
    fn seeds(seed: u32, copies: usize, scatter: u16) -> Vec<u32> {
        let seed_steps = seed_steps(seed, copies, scatter);
        let unison = Unison { seed, seed_steps, ..Unison::default() };
        (0..copies).map(|copy| unison.seed_of(copy)).collect()
    }

    #[test]
    fn copies_never_cancel_the_first_partial() {
        for note in 0..300 {
            for copies in [2, 3, 4, 7, 16] {
                let seeds = seeds(crate::dsp::hash(note), copies, 65_535);
                let turn = |seed: &u32| {
                    let phase = first_phase_of(*seed, 1, 65_535);
                    f64::from(phase) / 4_294_967_296.0 * std::f64::consts::TAU
                };
                let angles = seeds.iter().map(turn);
                let (x, y) = angles.fold((0.0, 0.0), |(x, y), a| (x + a.cos(), y + a.sin()));
                let share = (x * x + y * y) / copies as f64;
                assert!(share > 0.3, "{copies} copies of note {note}: {share}");
            }
        }
    }

    #[test]
    fn without_random_phase_every_seed_is_accepted() {
        assert_eq!(seeds(7, 3, 0), [7, 7 + 1_024, 7 + 2_048]);
    }
}
