//! The handshake of the two processes: do their versions match, and is the child ready?
//!
//! It uses a socket. Afterwards the socket shows each process that the other one has ended, and it
//! carries tables ([`super::table_uploader`]).

use super::layout::{Layout, SharedSegment};
use super::memory::SharedMemory;
use myriad_engine::render::{Capacity, MAX_TICKS, TICK};
use myriad_engine::spectrum::{Cloud, tables};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Incremented whenever the layout of the shared memory or of these messages changes.
const PROTOCOL: u64 = 3;

const HELLO: u64 = u64::from_be_bytes(*b"MYRIADAS");
const READY: u64 = u64::from_be_bytes(*b"MYRIADOK");
const REFUSED: u64 = u64::from_be_bytes(*b"MYRIADNO");

const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_BYTES: usize = 32;
const _: () = assert!(VERSION.len() <= VERSION_BYTES);

/// The most bytes of a refusal.
const LONGEST: usize = 1024;

/// Numbers of a hello: those that must be equal on both sides, then the capacity.
const KINDS: usize = 6;
const NUMBERS: usize = KINDS + 2;
const BYTES: usize = VERSION_BYTES + 8 * NUMBERS;

fn kinds() -> [u64; KINDS] {
    [
        HELLO,
        PROTOCOL,
        size_of::<Cloud>() as u64,
        TICK as u64,
        MAX_TICKS as u64,
        tables().rows().len() as u64,
    ]
}

/// Sends the child our version, the capacity to prepare for, and the shared memory.
pub(super) fn send_hello(
    socket: &UnixStream,
    capacity: Capacity,
    memory: BorrowedFd<'_>,
) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    let (numbers, version) = bytes.split_at_mut(8 * NUMBERS);
    let values = kinds().into_iter();
    let values = values.chain([capacity.slots, capacity.buses].map(|n| n as u64));
    for (bytes, value) in numbers.as_chunks_mut().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
    version[..VERSION.len()].copy_from_slice(VERSION.as_bytes());
    let files = [memory];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&files));
    let parts = [IoSlice::new(&bytes)];
    // A broken pipe must not raise SIGPIPE, which would end a host that does not expect it.
    match rustix::net::sendmsg(socket, &parts, &mut control, SendFlags::NOSIGNAL)? {
        BYTES => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Waits for the hello and maps the memory. The outer error means that no Myriad process is at the
/// other end; the inner error is to be sent back as a refusal.
pub(super) fn receive_hello(socket: &UnixStream) -> io::Result<Result<SharedSegment, String>> {
    let mut bytes = [0; BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = rustix::net::recvmsg(socket, &mut parts, &mut control, flags)?.bytes;
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let numbers = bytes[..8 * NUMBERS].as_chunks().0;
    let number = |index: usize| u64::from_le_bytes(numbers[index]);
    if received < 16 || number(0) != HELLO {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let version = String::from_utf8_lossy(&bytes[8 * NUMBERS..]);
    let version = version.trim_end_matches('\0');
    let same = |(index, kind)| number(index) == kind;
    if received != BYTES || version != VERSION || !kinds().into_iter().enumerate().all(same) {
        let found = format!("{version} (protocol {})", number(1));
        return Ok(Err(format!(
            "the render process is Myriad {VERSION} (protocol {PROTOCOL}), and was asked by {found}"
        )));
    }
    let capacity = Capacity { slots: number(KINDS) as usize, buses: number(KINDS + 1) as usize };
    Ok(open(capacity, file))
}

fn open(capacity: Capacity, file: Option<OwnedFd>) -> Result<SharedSegment, String> {
    let layout = Layout::new(capacity).ok_or("the render process was asked for too much")?;
    let file = file.ok_or("the render process was given no memory")?;
    let memory = SharedMemory::open(&file, layout.words())
        .map_err(|error| format!("the render process cannot share memory: {error}"))?;
    Ok(SharedSegment { memory, layout })
}

/// Tells the parent that the child is ready, or why it is not.
pub(super) fn reply(mut socket: &UnixStream, ready: Result<(), &str>) -> io::Result<()> {
    let text = ready.err().unwrap_or_default();
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let word = if ready.is_ok() { READY } else { REFUSED };
    socket.write_all(&[word, text.len() as u64].map(u64::to_le_bytes).concat())?;
    socket.write_all(text.as_bytes())
}

/// Receives what [`reply`] sent. Waits at most for the socket's timeout.
pub(super) fn receive_reply(mut socket: &UnixStream) -> io::Result<Result<(), String>> {
    let mut words = [[0; 8]; 2];
    socket.read_exact(words.as_flattened_mut())?;
    match words.map(u64::from_le_bytes) {
        [READY, 0] => Ok(Ok(())),
        [REFUSED, length] if length <= LONGEST as u64 => {
            let mut text = vec![0; length as usize];
            socket.read_exact(&mut text)?;
            Ok(Err(String::from_utf8_lossy(&text).into_owned()))
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
