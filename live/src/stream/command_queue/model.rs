//! Both ends of the exchange, in every order: everything that is sent comes back once or is still
//! held, there is always a place on the way back, and nothing is freed by the render side.

use super::{UNDER_WAY, WorkEnd, command_queue};
use myriad_engine::sync::model::{UnsafeCell, check, thread};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is sent: owns memory, which the render side changes in place.
struct Command {
    memory: UnsafeCell<u32>,
    maker: thread::ThreadId,
    freed: Arc<AtomicUsize>,
}

impl Command {
    fn new(freed: &Arc<AtomicUsize>) -> Self {
        Self {
            memory: UnsafeCell::new(0),
            maker: thread::current().id(),
            freed: Arc::clone(freed),
        }
    }

    fn change(&self) {
        // SAFETY: nobody else touches it meanwhile, which loom checks.
        self.memory.with_mut(|memory| unsafe { *memory += 1 });
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        let here = thread::current().id();
        assert_eq!(here, self.maker, "freed by the render side");
        self.change();
        self.freed.fetch_add(1, Relaxed);
    }
}

/// Follows one command, if there is one: keeps it, as an engine that fades in, and gives back the
/// one before.
fn follow(end: &mut WorkEnd<Command>, held: &mut Option<Command>) {
    if let Some(command) = end.take() {
        command.change();
        if let Some(overtaken) = held.replace(command) {
            end.give_back(overtaken);
        }
    }
}

#[test]
fn everything_comes_back_once() {
    const SENT: usize = UNDER_WAY + 2;
    check(None, || {
        let freed = Arc::new(AtomicUsize::new(0));
        let (mut control, mut work) = command_queue();
        let render = thread::spawn(move || {
            let mut held = None;
            (0..3).for_each(|_| follow(&mut work, &mut held));
            (work, held)
        });
        let mut refused = 0;
        for _ in 0..SENT {
            if let Err(command) = control.send(Command::new(&freed)) {
                assert_eq!(control.in_flight, UNDER_WAY, "refused with places left");
                refused += 1;
                drop(command);
            }
        }
        let (mut work, mut held) = render.join().expect("the render side has ended");
        // What is left, when the render side can follow.
        (0..UNDER_WAY).for_each(|_| follow(&mut work, &mut held));
        control.tidy();
        assert_eq!(control.in_flight, 1, "the last one is held");
        assert_eq!(freed.load(Relaxed), SENT - 1);
        assert!(refused <= SENT - UNDER_WAY, "there was room for these");
        drop(held);
        assert_eq!(freed.load(Relaxed), SENT);
    });
}
