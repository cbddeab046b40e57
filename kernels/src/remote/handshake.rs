//! The first words between the two processes: are we of one kind, and are you ready?
//!
//! They go through a socket. Later it tells each process when the other one is gone, and brings
//! tables ([`super::table_uploader`]).

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
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Raised whenever the layout of the shared memory or these words change.
const PROTOCOL: u64 = 3;

const HELLO: u64 = u64::from_be_bytes(*b"MYRIADAS");
const READY: u64 = u64::from_be_bytes(*b"MYRIADOK");
const REFUSED: u64 = u64::from_be_bytes(*b"MYRIADNO");

const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_BYTES: usize = 32;
const _: () = assert!(VERSION.len() <= VERSION_BYTES);

/// The most bytes of a refusal.
const LONGEST: usize = 1024;

/// Numbers of a greeting: those that must be equal on both sides, then the capacity.
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

/// Tells the other process who we are, what to be ready for, and where we will meet.
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
    // In a host that does not expect it, a signal about a broken pipe would end the host.
    match rustix::net::sendmsg(socket, &parts, &mut control, SendFlags::NOSIGNAL)? {
        BYTES => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Waits for the greeting and maps the memory. The outer error is for this process alone, because
/// nobody who would understand it is there; the inner one is for the other process.
pub(super) fn meet(socket: &UnixStream) -> io::Result<Result<SharedSegment, String>> {
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
    let is_one_of_us = received == BYTES
        && version == VERSION
        && kinds()
            .into_iter()
            .enumerate()
            .all(|(i, kind)| number(i) == kind);
    if !is_one_of_us {
        let found = format!("{version} (protocol {})", number(1));
        return Ok(Err(format!(
            "the render process is Myriad {VERSION} (protocol {PROTOCOL}), and was asked by {found}"
        )));
    }
    let capacity = Capacity {
        slots: number(KINDS) as usize,
        buses: number(KINDS + 1) as usize,
    };
    Ok(open(capacity, file))
}

fn open(capacity: Capacity, file: Option<OwnedFd>) -> Result<SharedSegment, String> {
    let layout = Layout::new(capacity).ok_or("the render process was asked for too much")?;
    let file = file.ok_or("the render process was given no memory")?;
    let memory = SharedMemory::open(&file, layout.words())
        .map_err(|error| format!("the render process cannot share memory: {error}"))?;
    Ok(SharedSegment { memory, layout })
}

/// Tells the other process that we are ready, or why not.
pub(super) fn reply(mut socket: &UnixStream, ready: Result<(), &str>) -> io::Result<()> {
    let text = ready.err().unwrap_or_default();
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let word = if ready.is_ok() { READY } else { REFUSED };
    socket.write_all(&[word, text.len() as u64].map(u64::to_le_bytes).concat())?;
    socket.write_all(text.as_bytes())
}

/// What the other process says: that it is ready, or why not. Waits as long as the socket does.
pub(super) fn hear(mut socket: &UnixStream) -> io::Result<Result<(), String>> {
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

/// Whether the other process has closed its end, which it does by dying.
pub(super) fn is_closed(socket: impl AsFd) -> bool {
    let mut byte = [0; 16];
    let received = rustix::net::recv(socket, &mut byte, RecvFlags::DONTWAIT);
    !matches!(
        received,
        Ok((1.., _)) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR)
    )
}
