//! Tables that patches bring along: where their rows are while somebody plays them.
//!
//! Clouds name rows by number, so a table keeps its numbers as long as anybody holds a share of it
//! ([`ImportedTable`], counted). Tables that nobody holds stay for as long as there is room, since whoever
//! played them may do so again; then the one that was left longest ago makes room. All this is for
//! who reads patches and never for an audio thread: that one only reads, and does not wait.
//!
//! Every table has a number, and later ones have higher numbers. So a renderer with memory of its
//! own knows what it has not seen yet, also when rows are used anew.

mod readers;

use super::Row;
use super::tables::FIRST_IMPORTED;
use readers::Readers;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Rows that there is room for: 64 MiB, a dozen long recordings or hundreds of wavetables at once.
/// Few under Miri, which is slow.
pub const IMPORTED_ROWS: usize = if cfg!(miri) { 64 } else { 16_384 };

/// All of them.
#[derive(Debug)]
pub struct ImportedTables {
    /// The table that each row belongs to, if it belongs to one.
    owners: Vec<AtomicPtr<ImportedTable>>,
    readers: Readers,
    /// The number of the last table; told after its rows are there.
    newest: AtomicU64,
    store: Mutex<TableStore>,
}

/// A table whose rows are in their place.
#[derive(Debug)]
pub struct ImportedTable {
    /// Tells it from every other table that there ever was.
    pub number: u64,
    /// The first of its rows among all that are imported.
    pub first: usize,
    /// Its rows.
    pub rows: Box<[Row]>,
    /// What it was made from, so that the same table is not placed twice.
    content: Arc<[u8]>,
    /// When somebody last asked for it, as the shelf counts.
    asked: AtomicU64,
}

impl ImportedTable {
    /// The first of its rows, as clouds name it.
    pub fn first_row(&self) -> u16 {
        (FIRST_IMPORTED + self.first) as u16
    }

    fn end(&self) -> usize {
        self.first + self.rows.len()
    }
}

/// What is told to who wants to hear of new tables, and of the end. It keeps nothing in its place: what
/// is gone when somebody looks at it was not needed.
pub type TableUpdate = Option<Weak<ImportedTable>>;

/// Those of `tables` that are newer than number `known`, oldest first.
fn newer(tables: &[Arc<ImportedTable>], known: u64) -> impl Iterator<Item = &Arc<ImportedTable>> {
    let mut newer: Vec<_> = tables.iter().filter(|table| table.number > known).collect();
    newer.sort_by_key(|table| table.number);
    newer.into_iter()
}

#[derive(Debug, Default)]
struct TableStore {
    /// In the order of their rows.
    tables: Vec<Arc<ImportedTable>>,
    /// Taken from their place since the door was last turned, and before: somebody may still read them.
    taken: Vec<Arc<ImportedTable>>,
    leaving: Vec<Arc<ImportedTable>>,
    /// Who wants to hear of new tables.
    listeners: Vec<Sender<TableUpdate>>,
    /// Counts questions.
    clock: u64,
}

impl ImportedTables {
    pub(super) fn new() -> Self {
        Self {
            owners: (0..IMPORTED_ROWS).map(|_| AtomicPtr::default()).collect(),
            readers: Readers::default(),
            newest: AtomicU64::new(0),
            store: Mutex::default(),
        }
    }

    /// The table that is made from `content`, which gets a place unless it has one; nothing when there
    /// is no room.
    pub fn place(
        &self,
        content: &Arc<[u8]>,
        make: impl FnOnce() -> Vec<Row>,
    ) -> Option<Arc<ImportedTable>> {
        if let Some(placed) = self.store().find(content) {
            return Some(placed);
        }
        // Takes a while, in which others may want the shelf.
        let rows = make().into_boxed_slice();
        let mut store = self.store();
        if let Some(placed) = store.find(content) {
            return Some(placed);
        }
        let placed = ImportedTable {
            number: self.newest() + 1,
            first: self.make_room(&mut store, rows.len())?,
            rows,
            content: Arc::clone(content),
            asked: AtomicU64::new(store.clock),
        };
        Some(self.put(&mut store, placed))
    }

    /// Does as another process did: puts table `number` where it is there. What was there before is
    /// not used there any more. Says whether it fits.
    pub fn mirror(&self, number: u64, first: usize, rows: Vec<Row>) -> bool {
        let mut store = self.store();
        let fits = first
            .checked_add(rows.len())
            .is_some_and(|end| end <= IMPORTED_ROWS);
        if !fits || number <= self.newest() {
            return false;
        }
        let end = first + rows.len();
        while let Some(index) = store
            .tables
            .iter()
            .position(|table| table.first < end && first < table.end())
        {
            self.take(&mut store, index);
        }
        let placed = ImportedTable {
            number,
            first,
            rows: rows.into_boxed_slice(),
            content: Arc::default(),
            asked: AtomicU64::new(0),
        };
        self.put(&mut store, placed);
        true
    }

    /// The number of the newest table.
    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// Tables that are newer than number `known`, oldest first.
    pub fn since(&self, known: u64) -> Vec<Arc<ImportedTable>> {
        newer(&self.store().tables, known).cloned().collect()
    }

    /// Tells of every new table from now on. Returns those there are.
    pub fn tell(&self, listener: Sender<TableUpdate>) -> Vec<Weak<ImportedTable>> {
        let mut store = self.store();
        store.listeners.push(listener);
        newer(&store.tables, 0).map(Arc::downgrade).collect()
    }

    /// The side by which a reader came in, and has to leave.
    pub(super) fn enter(&self) -> usize {
        self.readers.enter()
    }

    pub(super) fn leave(&self, side: usize) {
        self.readers.leave(side);
    }

    /// Row `index`, if a table has it. For those who have come in.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> Option<&Row> {
        let owner = self.owner(index)?;
        owner.rows.get(index.checked_sub(owner.first)?)
    }

    /// The table that row `index` belongs to. For those who have come in.
    #[inline(always)]
    pub(super) fn owner(&self, index: usize) -> Option<&ImportedTable> {
        let owner = self.owners.get(index)?.load(Ordering::Acquire);
        // SAFETY: points to what an `Arc` holds that the shelf has. It is dropped after those have left
        // who were inside when it was taken from here, and we have come in: nobody gets hold of the
        // tables otherwise (`Reading`).
        unsafe { owner.as_ref() }
    }

    fn store(&self) -> MutexGuard<'_, TableStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds room for so many rows, and takes tables away that nobody holds where there is none.
    fn make_room(&self, store: &mut TableStore, rows: usize) -> Option<usize> {
        loop {
            if let Some(first) = store.gap(rows) {
                return Some(first);
            }
            let longest_ago = store.left_longest_ago()?;
            self.take(store, longest_ago);
        }
    }

    /// Puts a table into its place, which is free, and tells of it.
    fn put(&self, store: &mut TableStore, placed: ImportedTable) -> Arc<ImportedTable> {
        let placed = Arc::new(placed);
        for owner in &self.owners[placed.first..placed.end()] {
            owner.store(Arc::as_ptr(&placed).cast_mut(), Ordering::Release);
        }
        let after = store
            .tables
            .partition_point(|table| table.first < placed.first);
        store.tables.insert(after, Arc::clone(&placed));
        self.newest.store(placed.number, Ordering::Release);
        let hears =
            |listener: &Sender<TableUpdate>| listener.send(Some(Arc::downgrade(&placed))).is_ok();
        store.listeners.retain(hears);
        self.tidy(store);
        placed
    }

    /// Takes a table from its place. Its memory goes when nobody reads it any more.
    fn take(&self, store: &mut TableStore, index: usize) {
        let table = store.tables.remove(index);
        for owner in &self.owners[table.first..table.end()] {
            owner.store(null_mut(), Ordering::SeqCst);
        }
        store.taken.push(table);
    }

    /// Frees what nobody reads any more.
    fn tidy(&self, store: &mut TableStore) {
        // Twice, since what was taken just now can often go at once.
        for _ in 0..2 {
            if self.readers.have_left() {
                store.leaving.clear();
                if !store.taken.is_empty() {
                    self.readers.turn();
                    std::mem::swap(&mut store.leaving, &mut store.taken);
                }
            }
        }
    }
}

impl TableStore {
    /// The table that was made from `content`.
    fn find(&mut self, content: &Arc<[u8]>) -> Option<Arc<ImportedTable>> {
        self.clock += 1;
        let table = self.tables.iter().find(|table| table.content == *content)?;
        table.asked.store(self.clock, Ordering::Relaxed);
        Some(Arc::clone(table))
    }

    /// The first of so many rows that no table has.
    fn gap(&self, rows: usize) -> Option<usize> {
        let starts = [0]
            .into_iter()
            .chain(self.tables.iter().map(|table| table.end()));
        let ends = self.tables.iter().map(|table| table.first);
        let mut gaps = starts.zip(ends.chain([IMPORTED_ROWS]));
        let (start, _) = gaps.find(|(start, end)| end - start >= rows)?;
        Some(start)
    }

    /// Of the tables that nobody holds but we, the one that nobody has asked for for longest.
    fn left_longest_ago(&self) -> Option<usize> {
        let tables = self.tables.iter().enumerate();
        let left = tables.filter(|(_, table)| Arc::strong_count(table) == 1);
        let longest = left.min_by_key(|(_, table)| table.asked.load(Ordering::Relaxed));
        longest.map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests;
