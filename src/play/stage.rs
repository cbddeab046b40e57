//! The stage: where the engine's audio side waits for whatever device is there to play it.
//!
//! Devices come and go: they are unplugged, their server is restarted. So a device does not own
//! the sound. Its callback takes the [`Feed`] off the stage, fills a block, and puts it back; all
//! of that is a few atomic operations. A device that finds the stage empty plays silence.

use super::feed::Feed;
use crossbeam_queue::ArrayQueue;

/// Holds the feed while no callback is using it.
pub(crate) struct Stage(ArrayQueue<Box<Feed>>);

impl Stage {
    pub(crate) fn new() -> Self {
        Self(ArrayQueue::new(1))
    }

    /// Puts the feed where devices find it.
    pub(crate) fn enter(&self, feed: Box<Feed>) {
        // There is one feed, so there is room. Were there another, the stranger would be freed.
        drop(self.0.push(feed));
    }

    /// Takes the feed away from devices; none while a callback is using it.
    pub(crate) fn leave(&self) -> Option<Box<Feed>> {
        self.0.pop()
    }

    /// For callbacks: lets `play` have the feed for a block. False when there is none.
    pub(crate) fn perform(&self, play: impl FnOnce(&mut Feed)) -> bool {
        match self.0.pop() {
            Some(mut feed) => {
                play(&mut feed);
                self.enter(feed);
                true
            }
            None => false,
        }
    }
}
