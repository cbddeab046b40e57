//! What slots and voices do in a block, so that most code need not read the voices.

use crate::render::MAX_TICKS;
use crate::render::lazy_slice::Zeroable;
use crate::simd::LANES;
use crate::spectrum::{MAX_GROUPS, UnisonVoice};

/// What a slot does in a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotSummary {
    /// A bit for each tick in which the cloud sounds.
    pub sounding: u8,
    /// A bit for each tick in which a cloud starts.
    pub starts: u8,
    /// The most groups of sixteen partials in a tick.
    pub most_groups: u8,
    /// The groups of the last tick in which it sounds.
    pub last_groups: u8,
}

// SAFETY: numbers; zeros are a slot that does nothing.
unsafe impl Zeroable for SlotSummary {}

impl SlotSummary {
    /// Adds a cloud of one tick.
    #[inline(always)]
    fn add(&mut self, tick: usize, extent: Extent) {
        self.sounding |= 1 << tick;
        self.starts |= extent.starts << tick;
        self.last_groups = extent.groups;
        self.most_groups = self.most_groups.max(extent.groups);
    }

    /// The most partials in a tick, rounded up to whole groups.
    pub fn most_partials(&self) -> usize {
        usize::from(self.most_groups) * LANES
    }

    /// All fields in one word, for comparison.
    pub fn bits(&self) -> u32 {
        u32::from_ne_bytes([self.sounding, self.starts, self.most_groups, self.last_groups])
    }
}

const _: () = assert!(MAX_TICKS <= u8::BITS as usize && MAX_GROUPS <= u8::MAX as usize);

/// The voices whose first slot is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// A bit for each tick that has one.
    pub ticks: u8,
    /// The most copies of one.
    pub most_copies: u8,
    /// The copies of the last one, and its groups of sixteen partials.
    last_copies: u8,
    last_groups: u8,
}

// SAFETY: numbers; zeros are no voices.
unsafe impl Zeroable for Span {}

impl Span {
    /// Whether a voice in `tick` is like that of the tick before.
    #[inline(always)]
    pub(super) fn goes_on(&self, tick: usize, extent: Extent, copies: usize) -> bool {
        let was_there = tick > 0 && self.ticks >> (tick - 1) & 1 == 1;
        let is_like_it =
            usize::from(self.last_copies) == copies && self.last_groups == extent.groups;
        was_there && is_like_it && extent.starts == 0
    }

    /// All fields in one word, for comparison.
    pub fn bits(&self) -> u32 {
        u32::from_ne_bytes([self.ticks, self.most_copies, self.last_copies, self.last_groups])
    }
}

/// What a summary takes of a voice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    starts: u8,
    groups: u8,
}

impl Extent {
    #[inline(always)]
    pub(super) fn of(voice: &UnisonVoice) -> Self {
        Self {
            starts: u8::from(voice.starts()),
            groups: groups(voice.description.partials()) as u8,
        }
    }
}

/// Adds a voice of one tick to the span of its first slot and to the summaries of its slots.
#[inline(always)]
pub(super) fn summarise(
    span: &mut Span,
    summaries: &mut [SlotSummary],
    tick: usize,
    voice: &UnisonVoice,
) {
    let (extent, copies) = (Extent::of(voice), summaries.len() as u8);
    if span.goes_on(tick, extent, summaries.len()) {
        return go_on(span, summaries, tick);
    }
    summaries.iter_mut().for_each(|summary| summary.add(tick, extent));
    span.ticks |= 1 << tick;
    span.most_copies = span.most_copies.max(copies);
    (span.last_copies, span.last_groups) = (copies, extent.groups);
}

/// The same for a voice that goes on: the tick before has set all but the tick, for all copies.
#[inline(always)]
pub(super) fn go_on(span: &mut Span, summaries: &mut [SlotSummary], tick: usize) {
    summaries.iter_mut().for_each(|summary| summary.sounding |= 1 << tick);
    span.ticks |= 1 << tick;
}

/// The same for slots that no voice had in the block before. Nothing is read: that would wait for the thread that has written there
/// last, and writing does not.
#[inline(always)]
pub(super) fn summarise_first(
    span: &mut Span,
    summaries: &mut [SlotSummary],
    tick: usize,
    voice: &UnisonVoice,
) {
    let (extent, copies) = (Extent::of(voice), summaries.len() as u8);
    let mut summary = SlotSummary::default();
    summary.add(tick, extent);
    summaries.fill(summary);
    let ticks = 1 << tick;
    *span = Span { ticks, most_copies: copies, last_copies: copies, last_groups: extent.groups };
}

/// Groups of sixteen that hold `partials` partials and one more that fades.
pub(crate) fn groups(partials: f32) -> usize {
    (partials.max(0.0) as usize).saturating_add(1).div_ceil(LANES).min(MAX_GROUPS)
}
