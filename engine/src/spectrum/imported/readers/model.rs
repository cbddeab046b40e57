//! Tables are removed while readers use them, in every order: none is freed while it is read, and all
//! are freed in the end.

use super::Readers;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::model::{UnsafeCell, check, thread};
use std::sync::Arc;

/// One row, and the tables that it belongs to one after the other.
struct Model<const TABLES: usize> {
    readers: Readers,
    owner: AtomicUsize,
    /// Whether each table exists. Loom reports a free that is not ordered after its last read.
    tables: [UnsafeCell<bool>; TABLES],
}

/// The row belongs to no table.
const NO_OWNER: usize = usize::MAX;

impl<const TABLES: usize> Model<TABLES> {
    fn new() -> Self {
        Self {
            readers: Readers::default(),
            owner: AtomicUsize::new(0),
            tables: std::array::from_fn(|_| UnsafeCell::new(true)),
        }
    }

    fn read(&self) {
        let side = self.readers.enter();
        if let Some(table) = self.tables.get(self.owner.load(Ordering::Acquire)) {
            // SAFETY: no thread frees it meanwhile, which loom checks.
            let is_there = table.with(|is_there| unsafe { *is_there });
            assert!(is_there, "read after free");
        }
        self.readers.leave(side);
    }
}

/// The lists of `TableStore`.
#[derive(Default)]
struct TableStore {
    taken: Vec<usize>,
    leaving: Vec<usize>,
}

impl TableStore {
    /// As `ImportedTables::take` and `ImportedTables::put` do.
    fn replace<const TABLES: usize>(&mut self, model: &Model<TABLES>, table: usize) {
        model.owner.store(NO_OWNER, Ordering::Release);
        self.taken.push(table);
        model.owner.store(table + 1, Ordering::Release);
        self.tidy(model);
    }

    /// As `ImportedTables::tidy` does.
    fn tidy<const TABLES: usize>(&mut self, model: &Model<TABLES>) {
        for _ in 0..2 {
            if model.readers.have_left() {
                for table in self.leaving.drain(..) {
                    // SAFETY: no thread reads it meanwhile, which loom checks.
                    model.tables[table].with_mut(|is_there| unsafe { *is_there = false });
                }
                if !self.taken.is_empty() {
                    model.readers.turn();
                    std::mem::swap(&mut self.leaving, &mut self.taken);
                }
            }
        }
    }
}

/// `READERS` threads read while all tables but the last are replaced.
fn check_replacing<const TABLES: usize, const READERS: usize>(
    reads: usize,
    interruptions: Option<usize>,
) {
    check(interruptions, move || {
        let model = Arc::new(Model::<TABLES>::new());
        let readers: [_; READERS] = std::array::from_fn(|_| {
            let model = Arc::clone(&model);
            thread::spawn(move || (0..reads).for_each(|_| model.read()))
        });
        let mut store = TableStore::default();
        (0..TABLES - 1).for_each(|table| store.replace(&model, table));
        for reader in readers {
            reader.join().expect("the reader has ended");
        }
        store.tidy(&model);
        store.tidy(&model);
        assert!(store.taken.is_empty() && store.leaving.is_empty());
    });
}

#[test]
fn no_table_is_freed_while_it_is_read() {
    check_replacing::<2, 1>(1, None);
}

#[test]
fn no_table_is_freed_under_repeated_reads() {
    check_replacing::<3, 1>(2, Some(3));
}

#[test]
fn no_table_is_freed_under_two_readers() {
    check_replacing::<2, 2>(1, Some(3));
}
