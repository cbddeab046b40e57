//! Imported tables, which patches contain, and the rows that they occupy.
//!
//! Clouds refer to rows by number, so a table keeps its rows as long as an [`ImportedTable`] is shared.
//! Unused tables stay in a cache and are evicted least recently used first, when there is no room. Adding
//! tables is for threads that load patches; render threads only read, and never wait.
//!
//! Every table has a number, and later tables have higher numbers. So a renderer with its own memory
//! knows which tables it does not have yet, even when rows are reused.

mod readers;

use super::Row;
use super::tables::FIRST_IMPORTED;
use readers::Readers;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The capacity in rows: 64 MiB, a dozen long recordings or hundreds of wavetables. Small under Miri,
/// which is slow.
pub const IMPORTED_ROWS: usize = if cfg!(miri) { 64 } else { 16_384 };

/// All imported tables.
#[derive(Debug)]
pub struct ImportedTables {
    /// The table of each row, or null.
    owners: Vec<AtomicPtr<ImportedTable>>,
    readers: Readers,
    /// The number of the last table; stored after its rows.
    newest: AtomicU64,
    store: Mutex<TableStore>,
}

/// A table that has its rows.
#[derive(Debug)]
pub struct ImportedTable {
    /// Unique among all tables, past and present.
    pub number: u64,
    /// Its first row among the imported rows.
    pub first: usize,
    /// Its rows.
    pub rows: Box<[Row]>,
    /// The bytes it was made from, so that the same table is not stored twice.
    content: Arc<[u8]>,
    /// When it was last requested, by the clock of the store.
    asked: AtomicU64,
}

impl ImportedTable {
    /// Its first row, as clouds refer to it.
    pub fn first_row(&self) -> u16 {
        (FIRST_IMPORTED + self.first) as u16
    }

    fn end(&self) -> usize {
        self.first + self.rows.len()
    }
}

/// A new table for a subscriber, or `None` to end it. The weak reference does not keep the table: one
/// that is gone when the subscriber receives it is not needed.
pub type TableUpdate = Option<Weak<ImportedTable>>;

/// Those of `tables` that are newer than number `known`, oldest first.
fn newer(tables: &[Arc<ImportedTable>], known: u64) -> impl Iterator<Item = &Arc<ImportedTable>> {
    let mut newer: Vec<_> = tables.iter().filter(|table| table.number > known).collect();
    newer.sort_by_key(|table| table.number);
    newer.into_iter()
}

#[derive(Debug, Default)]
struct TableStore {
    /// Ordered by rows.
    tables: Vec<Arc<ImportedTable>>,
    /// Removed since the readers' last epoch, and before it: readers may still use them.
    taken: Vec<Arc<ImportedTable>>,
    leaving: Vec<Arc<ImportedTable>>,
    /// Subscribers to new tables.
    listeners: Vec<Sender<TableUpdate>>,
    /// Counts requests.
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

    /// The table made from `content`, stored unless it already is; `None` when there is no room.
    pub fn place(
        &self,
        content: &Arc<[u8]>,
        make: impl FnOnce() -> Vec<Row>,
    ) -> Option<Arc<ImportedTable>> {
        if let Some(placed) = self.store().find(content) {
            return Some(placed);
        }
        // Takes a while, so the store is not locked meanwhile.
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

    /// Stores table `number` in the same rows as another process has it. Tables that were in these rows
    /// are no longer used there. Returns whether it fits.
    pub fn mirror(&self, number: u64, first: usize, rows: Vec<Row>) -> bool {
        let mut store = self.store();
        let fits = first.checked_add(rows.len()).is_some_and(|end| end <= IMPORTED_ROWS);
        if !fits || number <= self.newest() {
            return false;
        }
        let end = first + rows.len();
        while let Some(index) =
            store.tables.iter().position(|table| table.first < end && first < table.end())
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

    /// Tables that are newer than number `known`, oldest first. They are not kept: while all of them were, there was no room
    /// for new ones.
    pub fn since(&self, known: u64) -> Vec<Weak<ImportedTable>> {
        newer(&self.store().tables, known).map(Arc::downgrade).collect()
    }

    /// Sends every new table to `listener` from now on. Returns the present ones.
    pub fn subscribe(&self, listener: Sender<TableUpdate>) -> Vec<Weak<ImportedTable>> {
        let mut store = self.store();
        store.listeners.push(listener);
        newer(&store.tables, 0).map(Arc::downgrade).collect()
    }

    /// Registers a reader. Returns the counter for [`Self::leave`].
    pub(super) fn enter(&self) -> usize {
        self.readers.enter()
    }

    pub(super) fn leave(&self, side: usize) {
        self.readers.leave(side);
    }

    /// Row `index`, if a table has it. Only between `enter` and `leave`.
    #[inline(always)]
    pub(super) fn row(&self, index: usize) -> Option<&Row> {
        let owner = self.owner(index)?;
        owner.rows.get(index.checked_sub(owner.first)?)
    }

    /// The table that row `index` belongs to. Only between `enter` and `leave`.
    #[inline(always)]
    pub(super) fn owner(&self, index: usize) -> Option<&ImportedTable> {
        let owner = self.owners.get(index)?.load(Ordering::Acquire);
        // SAFETY: points into an `Arc` that the store holds. The store drops it only after all readers
        // have left that were registered when the table was removed, and this reader is registered:
        // `Reading` is the only access to the tables.
        unsafe { owner.as_ref() }
    }

    fn store(&self) -> MutexGuard<'_, TableStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds room for so many rows, and evicts unused tables if there is none.
    fn make_room(&self, store: &mut TableStore, rows: usize) -> Option<usize> {
        loop {
            if let Some(first) = store.gap(rows) {
                return Some(first);
            }
            let oldest = store.least_recently_used()?;
            self.take(store, oldest);
        }
    }

    /// Stores a table in its rows, which are free, and notifies subscribers.
    fn put(&self, store: &mut TableStore, placed: ImportedTable) -> Arc<ImportedTable> {
        let placed = Arc::new(placed);
        for owner in &self.owners[placed.first..placed.end()] {
            owner.store(Arc::as_ptr(&placed).cast_mut(), Ordering::Release);
        }
        let after = store.tables.partition_point(|table| table.first < placed.first);
        store.tables.insert(after, Arc::clone(&placed));
        self.newest.store(placed.number, Ordering::Release);
        let send =
            |listener: &Sender<TableUpdate>| listener.send(Some(Arc::downgrade(&placed))).is_ok();
        store.listeners.retain(send);
        self.tidy(store);
        placed
    }

    /// Removes a table. Its memory is freed when no reader uses it any more.
    fn take(&self, store: &mut TableStore, index: usize) {
        let table = store.tables.remove(index);
        for owner in &self.owners[table.first..table.end()] {
            owner.store(null_mut(), Ordering::SeqCst);
        }
        store.taken.push(table);
    }

    /// Frees the removed tables that no reader uses any more.
    fn tidy(&self, store: &mut TableStore) {
        // Twice, because a table that was removed just now can often be freed at once.
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

    /// The first of so many consecutive free rows.
    fn gap(&self, rows: usize) -> Option<usize> {
        let starts = [0].into_iter().chain(self.tables.iter().map(|table| table.end()));
        let ends = self.tables.iter().map(|table| table.first);
        let mut gaps = starts.zip(ends.chain([IMPORTED_ROWS]));
        let (start, _) = gaps.find(|(start, end)| end - start >= rows)?;
        Some(start)
    }

    /// The unused table whose last request is the oldest.
    fn least_recently_used(&self) -> Option<usize> {
        let tables = self.tables.iter().enumerate();
        let left = tables.filter(|(_, table)| Arc::strong_count(table) == 1);
        let longest = left.min_by_key(|(_, table)| table.asked.load(Ordering::Relaxed));
        longest.map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests;
