//! The imported tables of a client, as the service has them.
//!
//! Each client counts the rows of its tables by itself, so the service stores them wherever there is room,
//! the same table of several clients once, and translates the row numbers of clouds.

use super::table_uploader::{HEAD, ROW, ROWS_AT_ONCE};
use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{
    Cloud, IMPORTED_ROWS, ImportedTable, MAX_PARTIALS, Row, Second, imports, push_row, tables,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for room.
const ROOM_TIMEOUT: Duration = Duration::from_secs(1);

/// The imported tables of a client.
#[derive(Debug)]
pub(super) struct ClientTables {
    /// The number of the last table that has arrived.
    newest: AtomicU64,
    held: Mutex<Vec<Held>>,
    /// The first row that is not built in.
    first_row: u16,
}

#[derive(Debug)]
struct Held {
    /// Its rows, as the client counts imported rows.
    rows: Range<usize>,
    table: Arc<ImportedTable>,
}

impl ClientTables {
    pub(super) fn new() -> Self {
        let first_row = (tables().rows().len() / MAX_PARTIALS) as u16;
        Self { newest: AtomicU64::new(0), held: Mutex::default(), first_row }
    }

    /// Whether table `number` and all before it have arrived. Tables arrive in the order of their numbers.
    pub(super) fn has(&self, number: u64) -> bool {
        self.newest.load(Ordering::Acquire) >= number
    }

    /// Whether the cloud reads rows that are not built in.
    #[inline]
    pub(super) fn has_rows_of(&self, cloud: &Cloud) -> bool {
        let Second { table, frame, share, .. } = cloud.second;
        let seconds = if share == 0 { 0 } else { frame.max(table & !Second::TRACKS) };
        cloud.table.max(cloud.frame).max(seconds) >= self.first_row
    }

    /// The same cloud with the rows of this process, unless it reads a table that is not here.
    pub(super) fn translate(&self, mut cloud: Cloud) -> Option<Cloud> {
        cloud.table = self.row(cloud.table)?;
        cloud.frame = self.row(cloud.frame)?;
        let second = &mut cloud.second;
        if second.share != 0 {
            let tracks = second.table & Second::TRACKS;
            second.table = self.row(second.table & !Second::TRACKS)? | tracks;
            second.frame = self.row(second.frame)?;
        }
        Some(cloud)
    }

    fn held(&self) -> MutexGuard<'_, Vec<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, row: u16) -> Option<u16> {
        let Some(imported) = row.checked_sub(self.first_row) else {
            return Some(row);
        };
        let imported = usize::from(imported);
        let held = self.held();
        let held = held.iter().find(|held| held.rows.contains(&imported))?;
        Some(held.table.first_row() + (imported - held.rows.start) as u16)
    }

    /// Receives tables until the socket is closed or carries invalid data, or there is no room. Calls
    /// `arrived` after each.
    pub(super) fn receive(&self, socket: &UnixStream, arrived: impl Fn()) -> io::Result<()> {
        let mut socket = BufReader::with_capacity(ROWS_AT_ONCE * ROW, socket);
        loop {
            let mut head = [[0; 8]; HEAD];
            socket.read_exact(head.as_flattened_mut())?;
            let [number, first, count] = head.map(u64::from_le_bytes);
            if first > IMPORTED_ROWS as u64 || count > IMPORTED_ROWS as u64 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let rows = read_rows(&mut socket, count as usize)?;
            self.add(number, first as usize, rows)?;
            arrived();
        }
    }

    fn add(&self, number: u64, first: usize, rows: Vec<Row>) -> io::Result<()> {
        let taken = first..first + rows.len();
        // The client has dropped tables that had these rows before.
        self.held().retain(|held| held.rows.end <= taken.start || taken.end <= held.rows.start);
        let content: Arc<[u8]> = content_of(&rows).into();
        let start = Instant::now();
        let table = loop {
            if let Some(table) = imports().place(&content, || rows.clone()) {
                break table;
            }
            // Another client with the same tables may be about to drop its own.
            if start.elapsed() > ROOM_TIMEOUT {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            thread::sleep(ROOM_TIMEOUT / 200);
        };
        self.held().push(Held { rows: taken, table });
        self.newest.store(number, Ordering::Release);
        Ok(())
    }
}

/// A key that equal rows share.
fn content_of(rows: &[Row]) -> [u8; 16] {
    let mut keys = [0, 1].map(|salt: u64| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        hasher
    });
    for row in rows {
        for number in F32x16::flat(row) {
            keys.iter_mut().for_each(|key| key.write_u32(number.to_bits()));
        }
    }
    let [low, high] = keys.map(|key| u128::from(key.finish()));
    (low | high << 64).to_le_bytes()
}

fn read_rows(socket: &mut impl Read, count: usize) -> io::Result<Vec<Row>> {
    let mut rows = Vec::with_capacity(count);
    let mut bytes = [[0; size_of::<f32>()]; MAX_PARTIALS];
    for _ in 0..count {
        socket.read_exact(bytes.as_flattened_mut())?;
        push_row(&mut rows, |n| f32::from_le_bytes(bytes[n - 1]));
    }
    Ok(rows)
}
