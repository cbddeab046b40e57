//! Tables of patches that were replaced. Their clouds fade out for a moment, and until then the
//! tables' rows must stay.

use crate::patch::Playable;
use crate::tracks::TableHandle;
use crate::voice::LAYERS;
use std::collections::VecDeque;

/// Keeps tables until their last cloud has been rendered. Never allocates.
#[derive(Debug)]
pub(super) struct RetiredTables {
    /// Each with the tick after which it is not needed any more, in that order.
    table_handles: VecDeque<(u64, TableHandle)>,
    /// Ticks that were computed so far.
    ticks: u64,
    /// When each part's patch was last changed.
    changed: Vec<u64>,
    fade_ticks: u64,
}

impl RetiredTables {
    /// For clouds that fade out within `fade_ticks`.
    pub(super) fn new(parts: usize, fade_ticks: u32) -> Self {
        // A patch that was replaced in the tick in which it came never sounded, so a part has at
        // most one for each tick of a fade.
        let most = parts * LAYERS * (fade_ticks as usize + 1);
        Self {
            table_handles: VecDeque::with_capacity(most),
            ticks: 0,
            changed: vec![0; parts],
            fade_ticks: fade_ticks.into(),
        }
    }

    /// `part` has changed from `patch` to another one.
    pub(super) fn hold(&mut self, part: usize, patch: &Playable) {
        if std::mem::replace(&mut self.changed[part], self.ticks) == self.ticks {
            return;
        }
        let until = self.ticks + self.fade_ticks;
        let table_handles = patch.table_handles().iter().flatten();
        self.table_handles.extend(table_handles.map(|table_handle| (until, table_handle.clone())));
    }

    /// So many ticks were computed.
    pub(super) fn advance(&mut self, ticks: usize) {
        self.ticks += ticks as u64;
    }

    /// All ticks so far have been rendered: frees the tables that only they needed.
    pub(super) fn release_rendered(&mut self) {
        while self.table_handles.front().is_some_and(|(until, _)| *until <= self.ticks) {
            self.table_handles.pop_front();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.table_handles.is_empty()
    }

    /// Nothing sounds any more.
    pub(super) fn clear(&mut self) {
        self.table_handles.clear();
    }
}
