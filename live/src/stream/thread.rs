//! The render thread: when it works and when it sleeps.
//!
//! The audio side never wakes it: that would be a system call in the audio callback, which takes a
//! lock of the scheduler. Instead it sleeps by the clock until shortly before the next callback is
//! due, and then polls in short intervals. This costs one poll interval of latency, and two or three
//! polls a block. With [`ThreadPolicy::Spinning`] it polls all the time.

use super::StreamError;
use super::render_side::RenderSide;
use myriad_engine::ThreadPolicy;
use myriad_engine::dsp::FlushDenormals;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::{Duration, Instant};

/// Starts it. When it ends it returns the render side, to be dropped elsewhere.
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
        let mut timer = CallbackTimer::default();
        render.begin();
        while !render.has_ended() {
            let (block, rate) = render.pace();
            let block = Duration::from_secs_f32(block as f32 / rate);
            let asked = render.asked();
            timer.observe(asked, block, Instant::now());
            render.observe_callback(timer.last.as_ref().map(|last| last.time));
            render.step();
            let now = Instant::now();
            let Some(sleep_time) = timer.sleep_time(render.asked(), block, now) else {
                continue;
            };
            match thread_policy {
                ThreadPolicy::Spinning => {
                    while render.asked() == asked && now.elapsed() < sleep_time {
                        std::hint::spin_loop();
                    }
                }
                ThreadPolicy::Normal | ThreadPolicy::RealTime => {
                    park_timeout(sleep_time);
                    render.has_overslept(now.elapsed().saturating_sub(sleep_time));
                }
            }
        }
        shared.ended.store(true, Relaxed);
        render
    });
    thread.map_err(StreamError::Thread)
}

/// Estimates when the next audio callback is due. Before the first one, that may be at any time.
#[derive(Default)]
struct CallbackTimer {
    last: Option<Callback>,
}

/// A callback that was observed some time later.
struct Callback {
    /// The frames asked for until then.
    asked: u64,
    /// Its estimated time.
    time: Instant,
}

impl CallbackTimer {
    /// Limits of the poll interval, which is an eighth of a block.
    const SHORTEST: Duration = Duration::from_micros(40);
    const LONGEST: Duration = Duration::from_millis(1);

    /// The frames asked for until the last callback.
    fn asked(&self) -> Option<u64> {
        self.last.as_ref().map(|last| last.asked)
    }

    /// Records the frames `asked` for until `now`, in blocks of the duration `block`.
    fn observe(&mut self, asked: Option<u64>, block: Duration, now: Instant) {
        if self.asked() == asked {
            return;
        }
        let estimate = |last: &Callback| {
            let expected = last.time + block;
            let late = now.saturating_duration_since(expected);
            // The callback was probably on time, while this thread slept or rendered. An eighth of the
            // difference follows the drift of the device's clock.
            match Duration::ZERO < late && late < block {
                true => expected + late / 8,
                false => now,
            }
        };
        let time = self.last.as_ref().map_or(now, estimate);
        self.last = asked.map(|asked| Callback { asked, time });
    }

    /// How long to sleep from `now` on; none when a callback came since the last observation, which
    /// the last step may have missed.
    fn sleep_time(&self, asked: Option<u64>, block: Duration, now: Instant) -> Option<Duration> {
        let interval = (block / 8).clamp(Self::SHORTEST, Self::LONGEST);
        let due = self.last.as_ref().map_or(now, |last| last.time + block);
        let sleep_time = due.saturating_duration_since(now).saturating_sub(interval).max(interval);
        (asked == self.asked()).then_some(sleep_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_until_shortly_before_the_next_callback_and_then_polls() {
        let block = Duration::from_micros(1_600);
        // Devices with other clocks, and loads of up to half the time.
        for (period, rendering) in [(1_600, 0), (1_600, 800), (1_592, 800), (1_608, 100)] {
            let start = Instant::now();
            let mut timer = CallbackTimer::default();
            let (mut now, mut asked, mut polls, mut latest) = (start, 0, 0, Duration::ZERO);
            timer.observe(Some(0), block, now);
            for _ in 0..10_000 {
                now += timer.sleep_time(Some(asked), block, now).unwrap();
                polls += 1;
                let due = (now - start).as_micros() as u64 / period;
                timer.observe(Some(due), block, now);
                if due != asked {
                    let since = (now - start) - Duration::from_micros(due * period);
                    // At first the period is not known.
                    if due > 20 {
                        latest = latest.max(since);
                    }
                    assert!(due == asked + 1, "no callback is missed");
                    now += Duration::from_micros(rendering);
                }
                asked = due;
            }
            assert!(latest <= block / 4, "observed {latest:?} late");
            assert!(polls <= 3 * asked, "{polls} polls for {asked} blocks");
        }
    }

    /// A callback right after the last step must not wait until the next sleep ends.
    #[test]
    fn does_not_sleep_after_an_unobserved_callback() {
        let (mut timer, now) = (CallbackTimer::default(), Instant::now());
        let block = Duration::from_millis(1);
        timer.observe(Some(64), block, now);
        assert!(timer.sleep_time(Some(64), block, now).is_some());
        assert_eq!(timer.sleep_time(Some(128), block, now), None);
    }

    /// Else it would sleep for most of the ring's depth while a device takes its first blocks.
    #[test]
    fn polls_until_the_first_callback_of_a_device() {
        let (mut timer, now) = (CallbackTimer::default(), Instant::now());
        let depth = Duration::from_micros(4_000);
        let poll = Some(depth / 8);
        assert_eq!(timer.sleep_time(None, depth, now), poll);
        timer.observe(Some(64), depth, now);
        assert!(timer.sleep_time(Some(64), depth, now) > poll);
        // Another device takes over.
        timer.observe(None, depth, now);
        assert_eq!(timer.sleep_time(None, depth, now), poll);
    }

    #[test]
    fn sleeps_when_no_callbacks_come() {
        let (mut timer, now) = (CallbackTimer::default(), Instant::now());
        timer.observe(Some(0), Duration::from_millis(100), now);
        let later = now + Duration::from_secs(10);
        let sleep_time = timer.sleep_time(Some(0), Duration::from_millis(100), later);
        assert_eq!(sleep_time, Some(CallbackTimer::LONGEST));
    }
}
