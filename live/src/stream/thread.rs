//! The render thread: when it works and when it sleeps.
//!
//! The audio side never wakes it: that would be a system call in the audio callback, and one that
//! takes a lock of the scheduler. Instead it sleeps by the clock, until shortly before the next
//! block should be asked for, and then looks again and again until it has been. The price is
//! the length of such a nap, and two or three looks a block. A thread that is to stay awake looks
//! all the time.

use super::StreamError;
use super::render_side::RenderSide;
use myriad_engine::ThreadPolicy;
use myriad_engine::dsp::FlushDenormals;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::{Duration, Instant};

/// Starts it. When it ends it hands back what it owned.
pub(super) fn spawn(
    mut render: RenderSide,
    thread_policy: ThreadPolicy,
) -> Result<JoinHandle<RenderSide>, StreamError> {
    let thread = Builder::new().name("myriad-render".into()).spawn(move || {
        let shared = render.shared();
        shared.set_thread(std::thread::current());
        let (depth, rate) = render.pace();
        let raised = thread_policy.assume(depth, rate);
        shared.raised_priority.store(raised, Relaxed);
        let _flush = FlushDenormals::new();
        let mut rhythm = Rhythm::new();
        render.begin();
        while !render.has_ended() {
            let (block, rate) = render.pace();
            let block = Duration::from_secs_f32(block as f32 / rate);
            let asked = render.asked();
            rhythm.notice(asked, block, Instant::now());
            render.step();
            let now = Instant::now();
            let Some(rest) = rhythm.rest(render.asked(), block, now) else {
                continue;
            };
            match thread_policy {
                ThreadPolicy::Spinning => {
                    while render.asked() == asked && now.elapsed() < rest {
                        std::hint::spin_loop();
                    }
                }
                ThreadPolicy::Normal | ThreadPolicy::RealTime => {
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
    /// When it did, as far as can be told: it is noticed some time later.
    when: Instant,
}

impl Rhythm {
    /// Naps between looks: an eighth of a block, within these.
    const SHORTEST: Duration = Duration::from_micros(40);
    const LONGEST: Duration = Duration::from_millis(1);

    fn new() -> Self {
        Self {
            asked: 0,
            when: Instant::now(),
        }
    }

    /// Takes note of what the audio side has asked for until `now`, in blocks that last as long
    /// as `block`.
    fn notice(&mut self, asked: u64, block: Duration, now: Instant) {
        if self.asked == asked {
            return;
        }
        let expected = self.when + block;
        let late = now.saturating_duration_since(expected);
        // It asked in time, most likely, while we slept or rendered; but its clock is not ours.
        self.when = match Duration::ZERO < late && late < block {
            true => expected + late / 8,
            false => now,
        };
        self.asked = asked;
    }

    /// How long to sleep from `now` on; not at all when it has asked for more than was noticed
    /// before the last step, which may have come too early for it.
    fn rest(&self, asked: u64, block: Duration, now: Instant) -> Option<Duration> {
        let nap = (block / 8).clamp(Self::SHORTEST, Self::LONGEST);
        let rest = (self.when + block)
            .saturating_duration_since(now)
            .saturating_sub(nap)
            .max(nap);
        (asked == self.asked).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_until_shortly_before_the_next_block_and_then_naps() {
        let block = Duration::from_micros(1_600);
        // Devices whose clocks are not ours, and loads of which half fills the time.
        for (period, rendering) in [(1_600, 0), (1_600, 800), (1_592, 800), (1_608, 100)] {
            let start = Instant::now();
            let mut rhythm = Rhythm::new();
            let (mut now, mut asked, mut looks, mut latest) = (start, 0, 0, Duration::ZERO);
            for _ in 0..10_000 {
                now += rhythm.rest(asked, block, now).unwrap();
                looks += 1;
                let due = (now - start).as_micros() as u64 / period;
                rhythm.notice(due, block, now);
                if due != asked {
                    let since = (now - start) - Duration::from_micros(due * period);
                    // At first the rhythm is not known.
                    if due > 20 {
                        latest = latest.max(since);
                    }
                    assert!(due == asked + 1, "no block is slept through");
                    now += Duration::from_micros(rendering);
                }
                asked = due;
            }
            assert!(latest <= block / 4, "noticed {latest:?} late");
            assert!(looks <= 3 * asked, "{looks} looks for {asked} blocks");
        }
    }

    /// A block that is asked for just after the last look at what to render must not be slept over.
    #[test]
    fn it_does_not_sleep_when_more_was_asked_for_meanwhile() {
        let (mut rhythm, now) = (Rhythm::new(), Instant::now());
        let block = Duration::from_millis(1);
        rhythm.notice(64, block, now);
        assert!(rhythm.rest(64, block, now).is_some());
        assert_eq!(rhythm.rest(128, block, now), None);
    }

    #[test]
    fn it_does_not_spin_when_nobody_asks() {
        let rhythm = Rhythm::new();
        let later = Instant::now() + Duration::from_secs(10);
        let rest = rhythm.rest(0, Duration::from_millis(100), later);
        assert_eq!(rest, Some(Rhythm::LONGEST));
    }
}
