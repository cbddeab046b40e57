//! A thread of the instance, for work that the audio thread asks for and must not do itself.
//!
//! nice-plug 0.4.2 has a thread for that, which all instances share. It ends for good when an instance is
//! removed that has still asked for something: the others then wait in vain, and the last one panics when it
//! is removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;

const NOTHING: u8 = 0;
const WORK: u8 = 1;
const END: u8 = 2;

/// The thread. It ends when this is dropped.
pub(crate) struct Background {
    /// What it is to do next.
    request: Arc<AtomicU8>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts it; it calls `work` whenever it is asked. None if the system has no thread to give.
    pub(crate) fn start(work: impl Fn() + Send + 'static) -> Option<Self> {
        let request = Arc::new(AtomicU8::new(NOTHING));
        let asked = Arc::clone(&request);
        let run = move || {
            loop {
                match asked.swap(NOTHING, Ordering::Acquire) {
                    NOTHING => std::thread::park(),
                    WORK => work(),
                    _ => return,
                }
            }
        };
        let thread =
            std::thread::Builder::new().name("myriad-background".into()).spawn(run).ok()?;
        Some(Self { request, thread: Some(thread) })
    }

    /// Has the work done soon, once for all who have asked until it begins. Neither waits nor allocates.
    pub(crate) fn ask(&self) {
        self.request(WORK);
    }

    fn request(&self, what: u8) {
        self.request.fetch_max(what, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Background {
    /// Waits for work under way: the host may unload this code right afterwards.
    fn drop(&mut self) {
        self.request(END);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Work that is asked for while it is done is done once more, and the thread ends with its owner.
    #[test]
    fn work_is_done_as_often_as_it_is_asked_for() {
        let (done, dones) = channel();
        let background = Background::start(move || {
            let _ = done.send(());
        });
        let background = background.unwrap();
        for _ in 0..100 {
            background.ask();
            dones.recv().unwrap();
        }
        drop(background);
        assert!(dones.recv().is_err(), "the thread has ended, and nothing was done twice");
    }
}
