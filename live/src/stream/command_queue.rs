//! A queue of commands to the render side, and a return queue for the memory that they replace.
//!
//! Memory is allocated and freed on the control side only. The return queue has room for all commands
//! in flight, so returning one cannot fail.

#[cfg(test)]
mod model;
#[cfg(loom)]
mod ring;

#[cfg(loom)]
use ring::{HeapCons, HeapProd, HeapRb};
#[cfg(not(loom))]
use ringbuf::traits::{Consumer, Producer, Split};
#[cfg(not(loom))]
use ringbuf::{HeapCons, HeapProd, HeapRb};

/// The most commands that are sent and not yet returned. Few in models, so that they fill the queue.
const MAX_IN_FLIGHT: usize = if cfg!(loom) { 2 } else { 64 };

/// The control side's end.
pub(super) struct CommandSender<T> {
    commands: HeapProd<T>,
    returned: HeapCons<T>,
    in_flight: usize,
}

/// The render side's end. It returns every command that it takes, or another in its place.
pub(super) struct CommandReceiver<T> {
    commands: HeapCons<T>,
    returned: HeapProd<T>,
}

pub(super) fn command_queue<T>() -> (CommandSender<T>, CommandReceiver<T>) {
    let (command_in, command_out) = HeapRb::new(MAX_IN_FLIGHT).split();
    let (return_in, return_out) = HeapRb::new(MAX_IN_FLIGHT).split();
    let control = CommandSender { commands: command_in, returned: return_out, in_flight: 0 };
    let work = CommandReceiver { commands: command_out, returned: return_in };
    (control, work)
}

impl<T> CommandSender<T> {
    /// Drops the commands that were returned.
    pub(super) fn drop_returned(&mut self) {
        self.in_flight -= self.returned.clear();
    }

    /// Sends `item`, unless too many are in flight.
    pub(super) fn send(&mut self, item: T) -> Result<(), T> {
        self.drop_returned();
        if self.in_flight == MAX_IN_FLIGHT {
            return Err(item);
        }
        self.commands.try_push(item)?;
        self.in_flight += 1;
        Ok(())
    }
}

impl<T> CommandReceiver<T> {
    pub(super) fn take(&mut self) -> Option<T> {
        self.commands.try_pop()
    }

    pub(super) fn give_back(&mut self, item: T) {
        if let Err(item) = self.returned.try_push(item) {
            debug_assert!(false, "the return queue has room for all");
            // A leak is better than freeing memory on this thread.
            std::mem::forget(item);
        }
    }
}
