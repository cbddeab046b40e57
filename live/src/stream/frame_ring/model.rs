//! A model of both sides of the frame ring in every order: no frame is read before it is written, none is
//! overwritten while it is read, and left and right are of one time.

use super::FrameRing;
use myriad_engine::sync::model::{UnsafeCell, check, thread};
use std::sync::Arc;

/// The blocks use every slot of the ring twice.
const DEPTH: usize = 2;
const BLOCKS: [usize; 3] = [1, 2, 1];

/// The ring, and for each slot the time of its frame: loom detects when one side touches a slot
/// without synchronising with the other.
struct Ring {
    frame_ring: FrameRing,
    times: [UnsafeCell<u64>; DEPTH],
}

impl Ring {
    fn new() -> Self {
        Self {
            frame_ring: FrameRing::new(DEPTH, 0, 1),
            times: std::array::from_fn(|time| UnsafeCell::new(time as u64)),
        }
    }

    fn time(&self, at: u64) -> &UnsafeCell<u64> {
        &self.times[at as usize % DEPTH]
    }

    /// Takes a block as the audio side does: reads the frames that are ready.
    fn take(&self, at: u64, block: usize) {
        let ready = self.frame_ring.written().saturating_sub(at) as usize;
        for at in (at..).take(ready.min(block)) {
            // SAFETY: the render side does not write it meanwhile, which loom checks.
            let time = self.time(at).with(|time| unsafe { *time });
            assert_eq!(time, at, "a frame of another time");
            let (mut left, mut right) = ([f32::NAN], [f32::NAN]);
            self.frame_ring.read(0, at, &mut left, &mut right);
            assert_eq!((left[0], right[0]), frame(at));
        }
        self.frame_ring.ask(at, block);
    }

    /// Steps as the render side does: skips what is too late, and fills the ring.
    fn fill(&self, time: &mut u64) {
        let asked = self.frame_ring.asked();
        let is_block = |blocks: usize| {
            let end: usize = BLOCKS[..blocks].iter().sum();
            end as u64 == asked
        };
        if let Some(blocks) = (1..=BLOCKS.len()).find(|blocks| is_block(*blocks)) {
            let block = self.frame_ring.block();
            assert!(BLOCKS[blocks - 1..].contains(&block), "an older block");
        }
        *time = asked.max(*time);
        while *time < asked + DEPTH as u64 {
            // SAFETY: the audio side does not read it meanwhile, which loom checks.
            self.time(*time).with_mut(|at| unsafe { *at = *time });
            let (left, right) = frame(*time);
            self.frame_ring.write(0, *time, &[left], &[right]);
            *time += 1;
            self.frame_ring.publish(*time);
        }
    }
}

/// Left and right at a time: silence before the latency is over.
fn frame(time: u64) -> (f32, f32) {
    match time < DEPTH as u64 {
        true => (0.0, 0.0),
        false => (time as f32, -(time as f32)),
    }
}

#[test]
fn frames_are_read_whole_and_at_their_time() {
    check(None, || {
        let ring = Arc::new(Ring::new());
        let render = thread::spawn({
            let ring = Arc::clone(&ring);
            move || {
                let mut time = ring.frame_ring.written();
                (0..2).for_each(|_| ring.fill(&mut time));
                time
            }
        });
        let mut at = 0;
        for block in BLOCKS {
            ring.take(at, block);
            at += block as u64;
        }
        // The render side catches up however late it was, and the ring is full.
        let mut time = render.join().expect("the render side has ended");
        ring.fill(&mut time);
        assert_eq!(ring.frame_ring.fill(), DEPTH);
        ring.take(at, DEPTH);
    });
}
