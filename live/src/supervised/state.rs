//! Which renderer plays a block, and how far into a crossfade.

use super::Preference;
use myriad_engine::dsp::FADE;

/// The renderer of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Cpu,
    Gpu,
    /// Both, in a crossfade of which `faded` frames are over when the block begins.
    ToCpu {
        faded: usize,
    },
    ToGpu {
        faded: usize,
    },
    /// The GPU by two renderers, in a crossfade to the one with more room.
    ToLarger {
        faded: usize,
    },
}

/// What a GPU can do now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Readiness {
    /// It can render the block.
    pub(super) is_ready: bool,
    /// A renderer with more room can take over.
    pub(super) is_larger_ready: bool,
}

impl State {
    /// The state of the next block. A crossfade that has begun is completed.
    pub(super) fn next(self, preference: Preference, gpu: Readiness) -> Self {
        match (self, preference) {
            (State::Cpu, Preference::Gpu) if gpu.is_ready => State::ToGpu { faded: 0 },
            (State::Gpu, Preference::Cpu | Preference::PrepareGpu) => State::ToCpu { faded: 0 },
            (State::Gpu, Preference::Gpu) if gpu.is_larger_ready => State::ToLarger { faded: 0 },
            (state, _) => state,
        }
    }

    /// The state after `frames` frames.
    pub(super) fn advance(self, frames: usize) -> Self {
        match self {
            State::ToCpu { faded } if faded + frames < FADE => {
                State::ToCpu { faded: faded + frames }
            }
            State::ToGpu { faded } if faded + frames < FADE => {
                State::ToGpu { faded: faded + frames }
            }
            State::ToLarger { faded } if faded + frames < FADE => {
                State::ToLarger { faded: faded + frames }
            }
            state => state.settle(),
        }
    }

    /// The state when the crossfade is over, or cut short.
    pub(super) fn settle(self) -> Self {
        match self {
            State::Cpu | State::ToCpu { .. } => State::Cpu,
            State::Gpu | State::ToGpu { .. } | State::ToLarger { .. } => State::Gpu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READY: Readiness = Readiness { is_ready: true, is_larger_ready: false };

    #[test]
    fn a_crossfade_is_completed_before_the_next_one() {
        let begun = State::Gpu.next(Preference::Cpu, READY);
        assert_eq!(begun, State::ToCpu { faded: 0 });
        let half = begun.advance(FADE / 2).next(Preference::Gpu, READY);
        assert_eq!(half, State::ToCpu { faded: FADE / 2 });
        assert_eq!(half.advance(FADE / 2), State::Cpu);
        assert_eq!(half.settle(), State::Cpu);
    }

    #[test]
    fn crossfades_to_the_gpu_when_it_is_preferred_and_ready() {
        for preference in [Preference::Cpu, Preference::PrepareGpu] {
            assert_eq!(State::Cpu.next(preference, READY), State::Cpu);
        }
        assert_eq!(State::Cpu.next(Preference::Gpu, Readiness::default()), State::Cpu);
        let begun = State::Cpu.next(Preference::Gpu, READY);
        assert_eq!(begun, State::ToGpu { faded: 0 });
        assert_eq!(begun.advance(FADE), State::Gpu);
        assert_eq!(State::Gpu.next(Preference::Gpu, READY), State::Gpu);
    }
}
