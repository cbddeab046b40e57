//! What the CPU renderer keeps of a slot from tick to tick.

use crate::prefetch::prefetch;
use crate::render::lazy_slice::Zeroable;
use crate::simd::{F32x16, U32x16};
use crate::spectrum::{Description, MAX_GROUPS};

/// The state of a slot between ticks.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct CloudState {
    /// Groups that may have sounded in the last tick; above, levels are zero.
    ///
    /// This and the next fields have their own cache lines. The extra lines also keep the groups of
    /// neighbouring slots from mapping to the same cache sets, as they would at a distance of a power
    /// of two.
    pub(super) live: usize,
    /// Groups whose state belongs to this cloud and not to an earlier one in this slot.
    pub(super) touched: usize,
    /// A bit for each group that the floor leaves out, so that it need not be evaluated in every
    /// tick, and the gain at that time.
    pub(super) left_out: u64,
    pub(super) left_out_at: f32,
    /// Whether most groups were too quiet to be played in the last tick.
    pub(super) is_mostly_quiet: bool,
    /// The last tick's levels are stored for groups below this one. Those above were too quiet to be evaluated.
    pub(super) stored: usize,
    /// The most that those were, and the pitch to evaluate them with if they are needed after all.
    pub(super) quiet: f32,
    pub(super) increment: f32,
    /// What else that takes, as it was in the last tick of a block. Within a block it is read from there.
    pub(super) description: Description,
    pub(super) groups: [GroupState; MAX_GROUPS],
}

#[derive(Clone, Debug)]
pub(super) struct GroupState {
    pub(super) phase: U32x16,
    pub(super) level: F32x16,
}

// SAFETY: numbers without a drop; zeros are the state of a slot that was never used.
unsafe impl Zeroable for CloudState {}

impl CloudState {
    /// Fetches a state that is needed soon, as far as `groups` groups. Slots are far apart, so processors do not do it by
    /// themselves.
    #[inline(always)]
    pub(crate) fn prefetch(state: *const Self, groups: usize) {
        let bytes = std::mem::offset_of!(Self, groups) + groups * size_of::<GroupState>();
        prefetch(state, bytes);
    }

    pub(crate) fn reset(&mut self) {
        (self.live, self.touched, self.left_out) = (0, 0, 0);
        (self.left_out_at, self.stored, self.is_mostly_quiet) = (0.0, MAX_GROUPS, false);
    }
}
