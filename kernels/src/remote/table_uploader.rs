//! Tables that patches bring along, on their way to the other process.
//!
//! They go through the socket, one after the other, as soon as there are any: a thread on either side
//! does nothing else. A block says which of them it needs, and is rendered when that one has arrived;
//! so nobody who renders here ever waits for a table to be carried.

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

/// Numbers before the rows of a table: its own, its first row, and how many there are.
const HEAD: usize = 3;

/// Bytes of a row.
const ROW: usize = MAX_PARTIALS * size_of::<f32>();

/// Rows that are sent at once.
const LOAD: usize = 16;

/// Carries every table that comes, until it is dropped.
#[derive(Debug)]
pub(super) struct TableUploader {
    socket: Arc<UnixStream>,
    /// Where news come from, and the word that there will be none.
    news: Sender<TableUpdate>,
    thread: Option<JoinHandle<()>>,
}

impl TableUploader {
    /// Carries all tables there are, here and now, so that the first block has not to wait for them; and
    /// then those that come.
    pub(super) fn start(socket: &UnixStream) -> io::Result<Self> {
        let (news, mail) = channel::<TableUpdate>();
        for table in imports().tell(news.clone()) {
            send(socket, &table)?;
        }
        let socket = Arc::new(socket.try_clone()?);
        let way = Arc::clone(&socket);
        let carry = move || {
            // A way that is blocked for good is noticed by who waits for answers.
            while let Ok(Some(table)) = mail.recv()
                && send(&way, &table).is_ok()
            {}
        };
        let thread = thread::Builder::new().name("myriad-tables".into());
        Ok(Self {
            socket,
            news,
            thread: Some(thread.spawn(carry)?),
        })
    }
}

impl Drop for TableUploader {
    fn drop(&mut self) {
        // One that nobody hears has ended.
        let _ = self.news.send(None);
        // Ends whatever is being sent; the process at the other end takes it for our end.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            // What it has to say, nobody wants to hear any more.
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
    for rows in table.rows.chunks(LOAD) {
        let numbers = F32x16::flat(rows.as_flattened()).iter();
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        send_all(socket, &bytes)?;
    }
    Ok(())
}

fn send_all(socket: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // In a host that does not expect it, a signal about a broken pipe would end the host.
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Hears of tables and has them here as they are there, until the other end is closed or makes no sense.
pub(super) fn hear(socket: &UnixStream, arrivals: &Arrivals) -> io::Result<()> {
    let mut socket = BufReader::with_capacity(LOAD * ROW, socket);
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

/// The number of the last table that has arrived, to wait for.
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

    /// Waits until table `number` is here. They come in the order of their numbers.
    pub(super) fn wait_for(&self, number: u64) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing has panicked in there, so it is what it was.
        drop(self.changed.wait_while(last, |last| *last < number));
    }
}
