//! A model of both ends of the command queue in every order: every command is returned once or still
//! held, the return queue always has room, and the render side frees nothing.

use super::{CommandReceiver, MAX_IN_FLIGHT, command_queue};
use myriad_engine::sync::model::{UnsafeCell, check, thread};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A command that owns memory, which the render side changes in place.
struct Command {
    memory: UnsafeCell<u32>,
    maker: thread::ThreadId,
    freed: Arc<AtomicUsize>,
}

impl Command {
    fn new(freed: &Arc<AtomicUsize>) -> Self {
        Self { memory: UnsafeCell::new(0), maker: thread::current().id(), freed: Arc::clone(freed) }
    }

    fn change(&self) {
        // SAFETY: no other thread touches it meanwhile, which loom checks.
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

/// Takes one command, if there is one, keeps it, and returns the one before.
fn take_one(end: &mut CommandReceiver<Command>, held: &mut Option<Command>) {
    if let Some(command) = end.take() {
        command.change();
        if let Some(previous) = held.replace(command) {
            end.give_back(previous);
        }
    }
}

#[test]
fn every_command_is_returned_once() {
    const SENT: usize = MAX_IN_FLIGHT + 2;
    check(None, || {
        let freed = Arc::new(AtomicUsize::new(0));
        let (mut control, mut work) = command_queue();
        let render = thread::spawn(move || {
            let mut held = None;
            (0..3).for_each(|_| take_one(&mut work, &mut held));
            (work, held)
        });
        let mut refused = 0;
        for _ in 0..SENT {
            if let Err(command) = control.send(Command::new(&freed)) {
                assert_eq!(control.in_flight, MAX_IN_FLIGHT, "refused with room left");
                refused += 1;
                drop(command);
            }
        }
        let (mut work, mut held) = render.join().expect("the render side has ended");
        // The render side takes what is left.
        (0..MAX_IN_FLIGHT).for_each(|_| take_one(&mut work, &mut held));
        control.drop_returned();
        assert_eq!(control.in_flight, 1, "the last one is held");
        assert_eq!(freed.load(Relaxed), SENT - 1);
        assert!(refused <= SENT - MAX_IN_FLIGHT, "there was room for these");
        drop(held);
        assert_eq!(freed.load(Relaxed), SENT);
    });
}
