//! The handshake of a client with the service: do their versions match, and is there room?
//!
//! It uses a socket. Afterwards the socket shows each side that the other one has ended, and it
//! carries tables ([`super::table_uploader`]).

use super::layout::{Layout, MAX_SLOTS, SharedSegment};
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
pub(super) const PROTOCOL: u64 = 9;

const HELLO: u64 = u64::from_be_bytes(*b"MYRIADAS");
const STATUS: u64 = u64::from_be_bytes(*b"MYRIADST");
const WELCOME: u64 = u64::from_be_bytes(*b"MYRIADHI");
const READY: u64 = u64::from_be_bytes(*b"MYRIADOK");
const REFUSED: u64 = u64::from_be_bytes(*b"MYRIADNO");

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
const VERSION_BYTES: usize = 32;
const _: () = assert!(VERSION.len() <= VERSION_BYTES);

/// The most bytes of a refusal.
const LONGEST: usize = 1024;

/// Numbers of a hello: those that must be equal on both sides, then the capacity, and whether the client
/// plays live.
const KINDS: usize = 6;
const NUMBERS: usize = KINDS + 3;
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

/// Sends the service our version, the capacity that we need, and the shared memory.
pub(super) fn send_hello(
    socket: &UnixStream,
    is_live: bool,
    capacity: Capacity,
    memory: BorrowedFd<'_>,
) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    let (numbers, version) = bytes.split_at_mut(8 * NUMBERS);
    let values = kinds().into_iter();
    let values = values.chain([capacity.slots as u64, capacity.buses as u64, u64::from(is_live)]);
    for (bytes, value) in numbers.as_chunks_mut().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
    version[..VERSION.len()].copy_from_slice(VERSION.as_bytes());
    send_with_files(socket, &bytes, &[memory])
}

/// Asks the service for its status, which is the text that follows.
pub(super) fn ask_status(mut socket: &UnixStream) -> io::Result<()> {
    socket.write_all(&STATUS.to_le_bytes())
}

/// What a connection asks for.
pub(super) enum Hello {
    /// To render in this memory, see [`open`].
    Client { capacity: Capacity, memory: Option<OwnedFd>, is_live: bool },
    /// The status of the service.
    Status,
    /// Something that is refused for this reason.
    Refused(String),
}

/// Waits for the hello. An error means that no Myriad program is at the other end.
pub(super) fn receive_hello(socket: &UnixStream) -> io::Result<Hello> {
    let mut bytes = [0; BYTES];
    let (received, [memory, _]) = receive_with_files(socket, &mut bytes)?;
    let numbers = bytes[..8 * NUMBERS].as_chunks().0;
    let number = |index: usize| u64::from_le_bytes(numbers[index]);
    if received == 8 && number(0) == STATUS {
        return Ok(Hello::Status);
    }
    if received < 16 || number(0) != HELLO {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let version = String::from_utf8_lossy(&bytes[8 * NUMBERS..]);
    let version = version.trim_end_matches('\0');
    let same = |(index, kind)| number(index) == kind;
    if received != BYTES || version != VERSION || !kinds().into_iter().enumerate().all(same) {
        let found = format!("{version} (protocol {})", number(1));
        return Ok(Hello::Refused(format!(
            "the render service is Myriad {VERSION} (protocol {PROTOCOL}), and was asked by {found}"
        )));
    }
    let capacity = Capacity { slots: number(KINDS) as usize, buses: number(KINDS + 1) as usize };
    let is_live = number(KINDS + 2) != 0;
    Ok(Hello::Client { capacity, memory, is_live })
}

/// Maps the memory that came with a hello. That takes long if it is much.
pub(super) fn open(capacity: Capacity, file: Option<OwnedFd>) -> Result<SharedSegment, String> {
    if capacity.slots > MAX_SLOTS {
        return Err(Layout::refusal(MAX_SLOTS, capacity.slots));
    }
    let layout = Layout::new(capacity).ok_or("the render service was asked for too much")?;
    let file = file.ok_or("the render service was given no memory")?;
    let memory = SharedMemory::open(&file, layout.words())
        .map_err(|error| format!("the render service cannot share memory: {error}"))?;
    Ok(SharedSegment { memory, layout })
}

/// Tells the client at once that the service is alive. Gives it the memory that wakes the service, and the robust futex
/// that shows its death.
pub(super) fn send_welcome(
    socket: &UnixStream,
    doorbell: BorrowedFd<'_>,
    robust_futex: BorrowedFd<'_>,
) -> io::Result<()> {
    send_with_files(socket, &WELCOME.to_le_bytes(), &[doorbell, robust_futex])
}

/// The first answer to a hello.
pub(super) enum Welcome {
    /// The service is alive.
    Files { doorbell: OwnedFd, robust_futex: OwnedFd },
    /// It refused for this reason.
    Refused(String),
}

/// Receives what [`send_welcome`] sent, or a refusal.
pub(super) fn receive_welcome(socket: &UnixStream) -> io::Result<Welcome> {
    let mut word = [0; 8];
    match receive_with_files(socket, &mut word)? {
        (8, [Some(doorbell), Some(robust_futex)]) if u64::from_le_bytes(word) == WELCOME => {
            Ok(Welcome::Files { doorbell, robust_futex })
        }
        (8, [None, _]) if u64::from_le_bytes(word) == REFUSED => {
            Ok(Welcome::Refused(text(socket)?))
        }
        (0, _) => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Tells the client that it may render, or why not.
pub(super) fn reply(mut socket: &UnixStream, ready: Result<(), &str>) -> io::Result<()> {
    let Err(reason) = ready else {
        return socket.write_all(&READY.to_le_bytes());
    };
    let reason = &reason[..reason.floor_char_boundary(LONGEST)];
    socket.write_all(&[REFUSED, reason.len() as u64].map(u64::to_le_bytes).concat())?;
    socket.write_all(reason.as_bytes())
}

/// Receives what [`reply`] sent. Waits at most for the socket's timeout.
pub(super) fn receive_reply(mut socket: &UnixStream) -> io::Result<Result<(), String>> {
    let mut word = [0; 8];
    socket.read_exact(&mut word)?;
    match u64::from_le_bytes(word) {
        READY => Ok(Ok(())),
        REFUSED => Ok(Err(text(socket)?)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The text of a refusal.
fn text(mut socket: &UnixStream) -> io::Result<String> {
    let mut length = [0; 8];
    socket.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST as u64 {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; length as usize];
    socket.read_exact(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The most files of a message.
const FILES: usize = 2;

fn send_with_files(socket: &UnixStream, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(files));
    let parts = [IoSlice::new(bytes)];
    // A broken pipe must not raise SIGPIPE, which would end a host that does not expect it.
    match rustix::net::sendmsg(socket, &parts, &mut control, SendFlags::NOSIGNAL)? {
        sent if sent == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Receives one message, and the files that came with it.
fn receive_with_files(
    socket: &UnixStream,
    bytes: &mut [u8],
) -> io::Result<(usize, [Option<OwnedFd>; FILES])> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(bytes)];
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = rustix::net::recvmsg(socket, &mut parts, &mut control, flags)?.bytes;
    let messages = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let mut files = messages.flatten();
    Ok((received, std::array::from_fn(|_| files.next())))
}
