//! Copies the imported tables of a client to the service.
//!
//! They go through the socket, one after the other, as soon as they are imported: a thread on each side
//! does nothing else. A block names the newest table that it needs, and the service renders it when that
//! table has arrived; so a render thread never waits for a transfer.

use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{ImportedTable, MAX_PARTIALS, TableUpdate, imports};
use rustix::net::SendFlags;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};

/// Numbers before the rows of a table: its number, its first row, and how many rows it has.
pub(super) const HEAD: usize = 3;

/// Bytes of a row.
pub(super) const ROW: usize = MAX_PARTIALS * size_of::<f32>();

/// Rows that are sent at once.
pub(super) const ROWS_AT_ONCE: usize = 16;

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
        // Unblocks a send; the service then drops this client, as if its process had ended.
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
    for rows in table.rows.chunks(ROWS_AT_ONCE) {
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
