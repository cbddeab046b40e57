//! How far an import has come, and whether it is still wanted.

use super::ImportError;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Shared by the thread that imports and the one that waits for it.
#[derive(Debug, Default)]
pub struct Progress {
    /// The bits of a number from 0 to 1.
    share: AtomicU32,
    cancelled: AtomicBool,
}

impl Progress {
    /// How much is done, 0 to 1.
    pub fn share(&self) -> f32 {
        f32::from_bits(self.share.load(Relaxed))
    }

    /// Ends the work soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Says that step `index` of `count` begins, of a part of the work from one share to another.
    pub(crate) fn step(
        &self,
        part: Range<f32>,
        index: usize,
        count: usize,
    ) -> Result<(), ImportError> {
        let way = index as f32 / count.max(1) as f32;
        let share = part.start + (part.end - part.start) * way;
        // Work that is begun anew in another way does not go back. Bits of positive numbers rise with them.
        self.share.fetch_max(share.to_bits(), Relaxed);
        match self.cancelled.load(Relaxed) {
            true => Err(ImportError::Cancelled),
            false => Ok(()),
        }
    }
}
