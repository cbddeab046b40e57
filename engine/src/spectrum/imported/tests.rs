//! Tables are added and evicted, and used ones stay.

use super::*;
use crate::simd::{F32x16, LANES};
use crate::spectrum::MAX_GROUPS;
use std::sync::mpsc::channel;
use std::thread;

/// Rows that all hold one number.
fn rows(count: usize, value: f32) -> Vec<Row> {
    vec![[F32x16([value; LANES]); MAX_GROUPS]; count]
}

fn place(tables: &ImportedTables, id: u32, count: usize) -> Option<Arc<ImportedTable>> {
    let content: Arc<[u8]> = id.to_le_bytes().into();
    tables.place(&content, || rows(count, id as f32))
}

/// The number that a row holds.
fn at(tables: &ImportedTables, index: usize) -> Option<f32> {
    let side = tables.enter();
    let value = tables.row(index).map(|row| row[0].0[0]);
    tables.leave(side);
    value
}

#[cfg(not(miri))] // There is not so much room.
#[test]
fn used_tables_stay_and_the_least_recently_used_are_evicted() {
    let tables = ImportedTables::new();
    let held = place(&tables, 0, 5_000).unwrap();
    for id in 1..=3 {
        place(&tables, id, 3_000).unwrap();
    }
    // Requested again, so that the second one is the least recently used.
    place(&tables, 1, 3_000).unwrap();
    let fourth = place(&tables, 4, 4_000).unwrap();
    assert_eq!(fourth.first, 8_000, "the second and the third were evicted");
    assert_eq!(at(&tables, 4_999), Some(0.0));
    assert_eq!(at(&tables, 5_000), Some(1.0));
    assert_eq!(at(&tables, 8_000), Some(4.0));
    assert_eq!(at(&tables, 12_000), None);
    assert_eq!(at(&tables, IMPORTED_ROWS), None);
    let more = place(&tables, 5, IMPORTED_ROWS - 5_000);
    assert!(more.is_none(), "the fourth is in use, and in the way");
    drop(fourth);
    let more = place(&tables, 5, IMPORTED_ROWS - 5_000).unwrap();
    assert_eq!((more.first, held.first), (5_000, 0));
    assert!(place(&tables, 6, 1).is_none());
}

/// A GPU that has just been prepared copies them, which takes a while.
#[cfg(not(miri))]
#[test]
fn there_is_room_for_a_table_while_a_renderer_copies_others() {
    let tables = ImportedTables::new();
    (0..2).for_each(|id| drop(place(&tables, id, IMPORTED_ROWS / 2).unwrap()));
    let copied = tables.since(0);
    assert!(place(&tables, 2, IMPORTED_ROWS / 2).is_some());
    assert_eq!(copied.len(), 2);
}

#[test]
fn thousands_of_tables_take_no_more_memory_than_there_is_room() {
    let tables = ImportedTables::new();
    for id in 0..5_000 {
        let placed = place(&tables, id, 1 + id as usize * 7 % 99).unwrap();
        assert_eq!(placed.number, u64::from(id) + 1);
        assert_eq!(at(&tables, placed.first), Some(id as f32));
        assert_eq!(at(&tables, placed.end() - 1), Some(id as f32));
        let store = tables.store();
        assert!(store.taken.is_empty() && store.leaving.is_empty());
    }
}

#[test]
fn no_table_is_freed_while_it_is_read() {
    let tables = ImportedTables::new();
    let weak = Arc::downgrade(&place(&tables, 0, IMPORTED_ROWS).unwrap());
    let side = tables.enter();
    let row = tables.row(77).unwrap();
    for id in 1..5 {
        place(&tables, id, IMPORTED_ROWS).unwrap();
    }
    assert_eq!(row[3].0[5], 0.0);
    assert!(weak.strong_count() > 0);
    tables.leave(side);
    place(&tables, 9, 10).unwrap();
    place(&tables, 10, 10).unwrap();
    assert_eq!(weak.strong_count(), 0);
}

/// Readers on several threads while tables come and go: every row they see is whole.
#[test]
fn readers_see_whole_tables_while_others_add_them() {
    let tables = ImportedTables::new();
    let count = if cfg!(miri) { 15 } else { 100 };
    thread::scope(|scope| {
        let bring = |seed: u32| {
            for id in 0..count {
                let placed = place(&tables, seed + id, IMPORTED_ROWS / 11).unwrap();
                assert_eq!(at(&tables, placed.first + 2), Some((seed + id) as f32));
            }
        };
        let bringing = [0, 10_000].map(|seed| scope.spawn(move || bring(seed)));
        while bringing.iter().any(|thread| !thread.is_finished()) {
            for index in (0..IMPORTED_ROWS).step_by(IMPORTED_ROWS / 32) {
                let side = tables.enter();
                if let Some(row) = tables.row(index) {
                    let first = row[0].0[0];
                    assert!(row.iter().all(|group| group.0 == [first; LANES]));
                }
                tables.leave(side);
            }
        }
    });
}

#[test]
fn a_mirror_has_the_same_tables() {
    let (tables, mirror) = (ImportedTables::new(), ImportedTables::new());
    let (sender, news) = channel();
    place(&tables, 100, 40).unwrap();
    let mut there = tables.subscribe(sender);
    for id in 0..300 {
        place(&tables, id, 200 + id as usize).unwrap();
        there.extend(news.try_iter().flatten());
        for table in there.drain(..).filter_map(|table| table.upgrade()) {
            assert!(mirror.mirror(table.number, table.first, table.rows.to_vec()));
        }
        for placed in tables.since(0).iter().filter_map(Weak::upgrade) {
            let last = placed.end() - 1;
            assert_eq!(at(&mirror, placed.first), at(&tables, placed.first));
            assert_eq!(at(&mirror, last), at(&tables, last));
        }
    }
    let newest = tables.newest();
    assert!(tables.since(newest).is_empty() && tables.since(newest - 1).len() == 1);
    // A table from before, or beyond the end.
    assert!(!mirror.mirror(newest, 0, rows(1, 0.0)));
    assert!(!mirror.mirror(newest + 1, IMPORTED_ROWS, rows(1, 0.0)));
}
