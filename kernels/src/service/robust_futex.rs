//! A word in shared memory that the kernel marks when the service dies.
//!
//! A process that is killed gives back its memory first and closes its sockets afterwards. With a GPU that takes
//! milliseconds, in which its clients would wait in vain. A robust futex is marked before: the kernel looks through
//! the list of them when a thread ends.

use super::memory::{self, Mapping};
use rustix::fs::SealFlags;
use rustix::mm::ProtFlags;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the kernel sets in the word of a thread that ended.
const OWNER_DIED: u32 = 0x4000_0000;

/// The word is alone on its page.
const BYTES: usize = 4096;

/// The list of robust futexes of a thread, as the kernel reads it (`struct robust_list_head`).
#[repr(C)]
struct ListHead {
    first: *const ListEntry,
    /// From an entry to its word.
    word_offset: isize,
    pending: *const ListEntry,
}

#[repr(C)]
struct ListEntry {
    /// The list's head, after the last one.
    next: *const ListHead,
}

/// The only entry, and its list.
#[repr(C)]
struct List {
    head: ListHead,
    entry: ListEntry,
}

/// A word in memory that only the service can write.
#[derive(Debug)]
pub(super) struct RobustFutex(Mapping);

impl RobustFutex {
    /// For the service: the word, which belongs to nobody yet, and the file that clients map.
    pub(super) fn new() -> io::Result<(Self, OwnedFd)> {
        let file = memory::create(BYTES)?;
        let mapping = Mapping::new(&file, BYTES, ProtFlags::READ | ProtFlags::WRITE)?;
        // Whoever maps it from now on can only read it.
        let seals = SealFlags::FUTURE_WRITE | memory::SEALS;
        rustix::fs::fcntl_add_seals(&file, seals)?;
        Ok((Self(mapping), file))
    }

    /// For a client: the word of a service.
    pub(super) fn open(file: &OwnedFd) -> io::Result<Self> {
        memory::check(file, BYTES)?;
        Ok(Self(Mapping::new(file, BYTES, ProtFlags::READ)?))
    }

    /// Makes this thread the owner: the kernel marks the word when it ends, which is at once when the process is killed.
    /// The thread can have no other robust futex.
    pub(super) fn own(self) -> io::Result<()> {
        let word = self.word();
        word.store(rustix::thread::gettid().as_raw_pid() as u32, Ordering::Release);
        // Never freed, because the kernel reads it when the thread has ended.
        let list = Box::leak(Box::new(List {
            head: ListHead { first: std::ptr::null(), word_offset: 0, pending: std::ptr::null() },
            entry: ListEntry { next: std::ptr::null() },
        }));
        list.head.first = &list.entry;
        list.entry.next = &list.head;
        list.head.word_offset = word.as_ptr() as isize - list.head.first as isize;
        // SAFETY: the list and the word outlive the thread, because neither is ever freed.
        let outcome = unsafe {
            libc::syscall(libc::SYS_set_robust_list, &raw const list.head, size_of::<ListHead>())
        };
        // The mapping stays, too.
        std::mem::forget(self);
        match outcome {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Whether its owner has ended.
    pub(super) fn is_dead(&self) -> bool {
        self.word().load(Ordering::Acquire) & OWNER_DIED != 0
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: mapped, aligned to a page; any bits are a valid word.
        unsafe { &*self.0.start().cast() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn it_is_marked_when_its_thread_ends() {
        let (futex, file) = RobustFutex::new().unwrap();
        let watched = RobustFutex::open(&file).unwrap();
        assert!(!watched.is_dead(), "it has no owner yet");
        let ((owned, is_owned), (end, ended)) = (channel(), channel::<()>());
        let owner = thread::spawn(move || {
            futex.own().unwrap();
            owned.send(()).unwrap();
            ended.recv().unwrap();
        });
        is_owned.recv().unwrap();
        assert!(!watched.is_dead(), "it has an owner");
        end.send(()).unwrap();
        owner.join().unwrap();
        assert!(watched.is_dead());
    }

    #[test]
    fn clients_can_only_read_it() {
        let (_futex, file) = RobustFutex::new().unwrap();
        let writable = Mapping::new(&file, BYTES, ProtFlags::READ | ProtFlags::WRITE);
        assert_eq!(writable.unwrap_err().raw_os_error(), Some(Errno::PERM.raw_os_error()));
    }
}
