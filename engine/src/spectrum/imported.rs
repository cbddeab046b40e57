//! Tables that patches bring along. They are added while the instrument plays, by whoever reads a patch
//! and never by an audio thread, and stay until the program ends: nobody who renders has to ask
//! whether a table is still there.

use super::Row;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Rows that there is room for: 64 MiB, a dozen long recordings or hundreds of wavetables.
pub const IMPORTED_ROWS: usize = 16_384;

/// The most tables; a row knows its table by a byte.
const MOST: usize = 250;

/// All of them.
#[derive(Debug)]
pub(super) struct Imported {
    blocks: Vec<OnceLock<Block>>,
    /// The number of the table that each row belongs to.
    owners: Vec<AtomicU8>,
    /// How many tables are there; grows after a table is complete.
    count: AtomicUsize,
    adding: Mutex<()>,
}

/// The rows of one table.
#[derive(Debug)]
pub(crate) struct Block {
    /// The number of its first row among all that are imported.
    pub(crate) first: usize,
    pub(crate) rows: Box<[Row]>,
    /// What it was made from, so that the same table is not added twice.
    content: Box<[u8]>,
}

impl Imported {
    pub(super) fn new() -> Self {
        Self {
            blocks: (0..MOST).map(|_| OnceLock::new()).collect(),
            owners: (0..IMPORTED_ROWS).map(|_| AtomicU8::new(0)).collect(),
            count: AtomicUsize::new(0),
            adding: Mutex::new(()),
        }
    }

    /// Tables from number `first` on.
    pub(super) fn blocks(&self, first: usize) -> impl Iterator<Item = &Block> {
        let count = self.count.load(Ordering::Acquire);
        let blocks = self.blocks[..count].iter().skip(first);
        blocks.filter_map(OnceLock::get)
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Adds what `make` makes of `content`, unless it is there. Returns the number of its first row, or
    /// nothing when there is no room.
    pub(super) fn add(&self, content: &[u8], make: impl FnOnce() -> Vec<Row>) -> Option<usize> {
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = self.blocks(0).find(|block| *block.content == *content) {
            return Some(block.first);
        }
        let number = self.count();
        let last = self.blocks(number.saturating_sub(1)).next();
        let first = last.map_or(0, |block| block.first + block.rows.len());
        let rows = make().into_boxed_slice();
        let owners = self.owners.get(first..first + rows.len())?;
        let block = self.blocks.get(number)?;
        for owner in owners {
            owner.store(number as u8, Ordering::Relaxed);
        }
        let content = content.into();
        block.get_or_init(|| Block {
            first,
            rows,
            content,
        });
        self.count.store(number + 1, Ordering::Release);
        Some(first)
    }

    /// Row `index`, if a table has it.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> Option<&Row> {
        let owner = self.owners.get(index)?.load(Ordering::Relaxed);
        let block = self.blocks.get(usize::from(owner))?.get()?;
        block.rows.get(index.checked_sub(block.first)?)
    }
}
