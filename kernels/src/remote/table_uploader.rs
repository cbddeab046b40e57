//! Copies imported tables to the child process.
//!
//! They go through the socket, one after the other, as soon as they are imported: a thread on each side
//! does nothing else. A block names the newest table that it needs, and the child renders it when that
//! table has arrived; so the render thread of the parent never waits for a transfer.

use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{
    IMPORTED_ROWS, ImportedTable, MAX_PARTIALS, Row, TableUpdate, imports, push_row,
};
use rustix::net::SendFlags;
use std::io::{self, BufReader, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};

/// Numbers before the rows of a table: its number, its first row, and how many rows it has.
const HEAD: usize = 3;

/// Bytes of a row.
const ROW: usize = MAX_PARTIALS * size_of::<f32>();

/// Rows that are sent at once.
const BATCH: usize = 16;

/// Sends every imported table, until it is dropped.
#[derive(Debug)]
pub(super) struct TableUploader {
    socket: Arc<UnixStream>,
    /// Ends the thread: the imported tables hold the other sender of this channel.
    updates: Sender<TableUpdate>,
    thread: Option<JoinHandle<()>>,
}

impl TableUploader {
    /// Sends all present tables now, so that the first block does not wait for them, and later ones
    /// from a thread.
    pub(super) fn start(socket: &UnixStream) -> io::Result<Self> {
        let (updates, receiver) = channel::<TableUpdate>();
        for table in imports().subscribe(updates.clone()) {
            send(socket, &table)?;
        }
        let socket = Arc::new(socket.try_clone()?);
        let to = Arc::clone(&socket);
        let upload = move || {
            // The deadline of the answers detects a socket that stays blocked.
            while let Ok(Some(table)) = receiver.recv()
                && send(&to, &table).is_ok()
            {}
        };
        let thread = thread::Builder::new().name("myriad-tables".into());
        Ok(Self { socket, updates, thread: Some(thread.spawn(upload)?) })
    }
}

impl Drop for TableUploader {
    fn drop(&mut self) {
        // Fails when the thread has already ended.
        let _ = self.updates.send(None);
        // Unblocks a send; the child then ends, as if this process had.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            // A panic there needs no report: the connection is closed.
            let _ = thread.join();
        }
    }
}

fn send(socket: &UnixStream, table: &Weak<ImportedTable>) -> io::Result<()> {
    let Some(table) = table.upgrade() else {
        return Ok(());
    };
    let head = [table.number, table.first as u64, table.rows.len() as u64];
    send_all(socket, &head.map(u64::to_le_bytes).concat())?;
    for rows in table.rows.chunks(BATCH) {
        let numbers = F32x16::flat(rows.as_flattened()).iter();
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        send_all(socket, &bytes)?;
    }
    Ok(())
}

fn send_all(socket: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // A broken pipe must not raise SIGPIPE, which would end a host that does not expect it.
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Receives tables and stores them as the parent does, until the socket is closed or carries invalid data.
pub(super) fn receive(socket: &UnixStream, arrivals: &Arrivals) -> io::Result<()> {
    let mut socket = BufReader::with_capacity(BATCH * ROW, socket);
    loop {
        let mut head = [[0; 8]; HEAD];
        socket.read_exact(head.as_flattened_mut())?;
        let [number, first, count] = head.map(u64::from_le_bytes);
        if first > IMPORTED_ROWS as u64 || count > IMPORTED_ROWS as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let rows = read_rows(&mut socket, count as usize)?;
        if !imports().mirror(number, first as usize, rows) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        arrivals.note(number);
    }
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

/// The number of the last table that has arrived.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    last: Mutex<u64>,
    changed: Condvar,
}

impl Arrivals {
    fn note(&self, number: u64) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = number;
        self.changed.notify_all();
    }

    /// Waits until table `number` has arrived. Tables arrive in the order of their numbers.
    pub(super) fn wait_for(&self, number: u64) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // A poisoned lock is harmless: nothing panics while it is held.
        drop(self.changed.wait_while(last, |last| *last < number));
    }
}
