//! The render thread: when it works and when it sleeps.
//!
//! The audio side never wakes it: that would be a system call in the audio callback, and one that
//! takes a lock of the scheduler. Instead it sleeps by the clock, until shortly before the next
//! block should be asked for, and then looks again and again until it has been. The price is
//! the length of such a nap, and two or three looks a block. A thread that is to stay awake looks
//! all the time.

use super::StreamError;
use super::render_side::RenderSide;
use crate::Readiness;
use crate::dsp::FlushDenormals;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::{Duration, Instant};

/// Starts it. When it ends it hands back what it owned.
pub(super) fn spawn(
    mut render: RenderSide,
    readiness: Readiness,
) -> Result<JoinHandle<RenderSide>, StreamError> {
    let thread = Builder::new().name("myriad-render".into()).spawn(move || {
        let shared = render.shared();
        shared.set_thread(std::thread::current());
        let (depth, rate) = render.pace();
        let raised = readiness.assume(depth, rate);
        shared.raised_priority.store(raised, Relaxed);
        let _flush = FlushDenormals::new();
        let mut rhythm = Rhythm::new();
        render.begin();
        while !render.has_ended() {
            render.step();
            let (block, rate) = render.pace();
            let block = Duration::from_secs_f32(block as f32 / rate);
            let (asked, now) = (render.asked(), Instant::now());
            let rest = rhythm.rest(asked, block, now);
            match readiness {
                Readiness::Awake => {
                    while render.asked() == asked && now.elapsed() < rest {
                        std::hint::spin_loop();
                    }
                }
                Readiness::Relaxed | Readiness::Raised => {
                    park_timeout(rest);
                    render.has_overslept(now.elapsed().saturating_sub(rest));
                }
            }
        }
        shared.ended.store(true, Relaxed);
        render
    });
    thread.map_err(StreamError::Thread)
}

/// When the audio side asked last, and so when it will ask again.
struct Rhythm {
    asked: u64,
    seen: Instant,
}

impl Rhythm {
    /// Naps between looks: an eighth of a block, within these.
    const SHORTEST: Duration = Duration::from_micros(40);
    const LONGEST: Duration = Duration::from_millis(1);

    fn new() -> Self {
        Self {
            asked: 0,
            seen: Instant::now(),
        }
    }

    /// How long to sleep, when `asked` is what the audio side has asked for until `now`, in blocks
    /// that last as long as `block`.
    fn rest(&mut self, asked: u64, block: Duration, now: Instant) -> Duration {
        let nap = (block / 8).clamp(Self::SHORTEST, Self::LONGEST);
        if self.asked != asked {
            (self.asked, self.seen) = (asked, now);
        }
        (self.seen + block)
            .saturating_duration_since(now)
            .saturating_sub(nap)
            .max(nap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_until_shortly_before_the_next_block_and_then_naps() {
        let block = Duration::from_micros(1_600);
        let start = Instant::now();
        let mut rhythm = Rhythm::new();
        let (mut now, mut asked, mut looks, mut latest) = (start, 0, 0u32, Duration::ZERO);
        // A device that asks every 1.6 ms, as seen through this rhythm.
        for _ in 0..10_000 {
            now += rhythm.rest(asked, block, now);
            looks += 1;
            let due = (now - start).as_micros() as u64 / 1_600;
            if due != asked {
                let since = (now - start) - block * due as u32;
                latest = latest.max(since);
                assert!(due == asked + 1, "no block is slept through");
            }
            asked = due;
        }
        assert!(latest <= block / 4, "noticed {latest:?} late");
        let blocks = asked as u32;
        assert!(looks <= 3 * blocks, "{looks} looks for {blocks} blocks");
    }

    #[test]
    fn it_does_not_spin_when_nobody_asks() {
        let mut rhythm = Rhythm::new();
        let later = Instant::now() + Duration::from_secs(10);
        let rest = rhythm.rest(0, Duration::from_millis(100), later);
        assert_eq!(rest, Rhythm::LONGEST);
    }
}
