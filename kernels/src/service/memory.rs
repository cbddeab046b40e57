//! Memory that two processes share.
//!
//! A faulty process may write anywhere at any time, so all of it is atomic words: a value may be
//! invalid, but reading it is always sound.

use super::futex_counter::FutexCounter;
use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// Shared memory: two futex counters, then words.
#[derive(Debug)]
pub(super) struct SharedMemory {
    mapping: Mapping,
    words: usize,
}

/// The futex counters come first.
const FUTEX_COUNTERS: usize = 2;
const FUTEX_COUNTER_BYTES: usize = FUTEX_COUNTERS * size_of::<FutexCounter>();

impl SharedMemory {
    /// New zeroed memory, and the file that another process maps to share it.
    pub(super) fn new(words: usize) -> io::Result<(Self, OwnedFd)> {
        let file = create(Self::bytes(words)?)?;
        rustix::fs::fcntl_add_seals(&file, SEALS)?;
        Ok((Self::map(&file, words)?, file))
    }

    /// Memory that another process made.
    pub(super) fn open(file: &OwnedFd, words: usize) -> io::Result<Self> {
        check(file, Self::bytes(words)?)?;
        Self::map(file, words)
    }

    fn bytes(words: usize) -> io::Result<usize> {
        let bytes = words.checked_mul(size_of::<AtomicU64>());
        let bytes = bytes.and_then(|bytes| bytes.checked_add(FUTEX_COUNTER_BYTES));
        bytes.ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    fn map(file: &OwnedFd, words: usize) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        Ok(Self { mapping: Mapping::new(file, Self::bytes(words)?, access)?, words })
    }

    /// One of the futex counters.
    pub(super) fn futex_counter(&self, index: usize) -> &FutexCounter {
        assert!(index < FUTEX_COUNTERS);
        // SAFETY: the mapping starts with the counters on a page boundary; any bits are a valid counter.
        unsafe { &*self.mapping.start().cast::<FutexCounter>().add(index) }
    }

    /// A range of the words.
    pub(super) fn words(&self, range: Range<usize>) -> &[AtomicU64] {
        // SAFETY: that many words follow the futex counters, aligned; any bits are a valid word.
        let all = unsafe {
            let first = self.mapping.start().add(FUTEX_COUNTER_BYTES).cast::<AtomicU64>();
            std::slice::from_raw_parts(first, self.words)
        };
        &all[range]
    }
}

/// A mapping of a file. Whoever has one accesses it by atomic words alone.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: all access is atomic, and the memory is mapped as long as this struct lives.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// The first `bytes` bytes of a file.
    pub(super) fn new(file: &OwnedFd, bytes: usize, access: ProtFlags) -> io::Result<Self> {
        // Populated: the first blocks cause no page faults.
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a new mapping, at an address that the system chooses.
        let start =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), bytes, access, flags, file, 0) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, bytes })
    }

    /// Its first byte, on a page boundary.
    pub(super) fn start(&self) -> *const u8 {
        self.start.as_ptr()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with the same length, and no borrow of it is left.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// With them no process can remove a page that another one is about to access.
pub(super) const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

/// A file of zeroed memory, which is not sealed yet. It has no name, so that nothing is left behind when a process
/// dies. All pages are allocated now.
pub(super) fn create(bytes: usize) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("myriad", flags)?;
    rustix::fs::ftruncate(&file, bytes as u64)?;
    rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes as u64)?;
    Ok(file)
}

/// Refuses a file that is too small or could shrink.
pub(super) fn check(file: &OwnedFd, bytes: usize) -> io::Result<()> {
    let is_sealed = rustix::fs::fcntl_get_seals(file)?.contains(SealFlags::SHRINK);
    let is_large_enough = rustix::fs::fstat(file)?.st_size as u64 >= bytes as u64;
    match is_sealed && is_large_enough {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}
