//! Stall probes: threads that only wake up and count, one on every processor, with a priority above
//! all threads of Myriad. When a probe wakes late or counts slowly, no thread of Myriad was the
//! reason: the machine itself stalled, by its hypervisor, its kernel, or a clock that was turned down.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a probe wakes.
const PERIOD: Duration = Duration::from_micros(250);

/// Waking up takes some time on every machine; longer than this is a stall.
const MOMENT: Duration = Duration::from_micros(100);

/// How far a probe counts: a few microseconds, in registers alone, so that only the processor's own
/// speed matters.
const COUNT: u64 = 2_000;

/// Counting may take so many times as long as the quickest count; more than that is a slow machine.
const USUAL: f64 = 1.5;

/// How many losses of a processor are kept.
const REMEMBERED: usize = 20_000;

/// Stall probes on all processors. Their threads end when this is dropped.
pub struct StallProbes {
    logs: Vec<Arc<ProbeLog>>,
    threads: Vec<JoinHandle<()>>,
}

/// What one probe recorded.
#[derive(Default)]
struct ProbeLog {
    losses: Mutex<VecDeque<Loss>>,
    closed: AtomicBool,
}

/// A time span of which a processor lost a share.
#[derive(Clone, Copy, Debug)]
struct Loss {
    from: Instant,
    to: Instant,
    /// 1 when the processor stood still, less when it was slow.
    share: f64,
}

impl Loss {
    /// How much of a time span was lost.
    fn within(&self, from: Instant, to: Instant) -> Duration {
        let both = self.to.min(to);
        let both = both.saturating_duration_since(self.from.max(from));
        both.mul_f64(self.share)
    }
}

impl StallProbes {
    /// Starts the probes; `None` where threads may not have a priority above those that play.
    pub fn start() -> Option<Self> {
        let mut stall_probes = Self { logs: Vec::new(), threads: Vec::new() };
        for processor in 0..myriad_player::machine::cores() {
            let log = Arc::new(ProbeLog::default());
            let own = Arc::clone(&log);
            let (sender, receiver) = std::sync::mpsc::sync_channel(1);
            let thread = std::thread::Builder::new()
                .name(format!("stall probe {processor}"))
                .spawn(move || {
                    let placed = system::raise(processor);
                    let _ = sender.send(placed);
                    if placed {
                        own.watch();
                    }
                });
            stall_probes.threads.push(thread.ok()?);
            stall_probes.logs.push(log);
            if !receiver.recv().unwrap_or(false) {
                return None;
            }
        }
        Some(stall_probes)
    }

    /// How much of a time span the processor that lost most has lost.
    pub fn lost(&self, from: Instant, to: Instant) -> Duration {
        let on_one = |log: &Arc<ProbeLog>| {
            let losses = log.losses();
            let late = losses.iter().rev().take_while(|loss| loss.to > from);
            late.map(|loss| loss.within(from, to)).sum::<Duration>()
        };
        self.logs.iter().map(on_one).max().unwrap_or_default()
    }

    /// The longest time that a processor stood still since then.
    pub fn longest_since(&self, from: Instant) -> Duration {
        let on_one = |log: &Arc<ProbeLog>| {
            let losses = log.losses();
            let late = losses.iter().rev().take_while(|loss| loss.to > from);
            let still = late.filter(|loss| loss.share == 1.0);
            still.map(|loss| loss.to - loss.from).max()
        };
        let longest = self.logs.iter().filter_map(on_one);
        longest.max().unwrap_or_default()
    }
}

impl Drop for StallProbes {
    fn drop(&mut self) {
        for log in &self.logs {
            log.closed.store(true, Ordering::Relaxed);
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl ProbeLog {
    /// Notes what was lost: a witness that was to wake at `due` woke then, and took so long to count.
    fn judge(&self, due: Instant, woke: Instant, took: Duration, quickest: &mut Duration) {
        *quickest = took.min(*quickest);
        if woke > due + MOMENT {
            self.note(due, woke, 1.0);
        }
        let pace = quickest.as_secs_f64() / took.as_secs_f64();
        if pace < 1.0 / USUAL {
            self.note(woke, woke + PERIOD, 1.0 - pace);
        }
    }

    fn watch(&self) {
        let mut quickest = Duration::MAX;
        let mut due = Instant::now() + PERIOD;
        while !self.closed.load(Ordering::Relaxed) {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let woke = Instant::now();
            count();
            self.judge(due, woke, woke.elapsed(), &mut quickest);
            due = woke + PERIOD;
        }
    }

    fn note(&self, from: Instant, to: Instant, share: f64) {
        let mut losses = self.losses();
        if losses.len() == REMEMBERED {
            losses.pop_front();
        }
        losses.push_back(Loss { from, to, share });
    }

    fn losses(&self) -> MutexGuard<'_, VecDeque<Loss>> {
        let locked = self.losses.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that is always the same, each step of which depends on the one before.
fn count() {
    let mut x = black_box(1u64);
    for _ in 0..COUNT {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
    black_box(x);
}

#[cfg(target_os = "linux")]
mod system {
    /// The lowest priority that counts: JACK's own threads are below it, and so are ours.
    const ABOVE: i32 = 80;

    /// Pins this thread to a processor and gives it a priority above all others there. Returns
    /// whether the system allowed both.
    pub(super) fn raise(processor: usize) -> bool {
        // SAFETY: plain calls about this thread; the set and the parameter are ours and live
        // through them, and all bits of a set of processors may be zero.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor, &mut set);
            let tied = libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
            let highest = libc::sched_get_priority_max(libc::SCHED_FIFO);
            let raised = (ABOVE..=highest).rev().any(|priority| {
                let parameters = libc::sched_param { sched_priority: priority };
                libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0
            });
            tied == 0 && raised
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Not implemented for this system.
    pub(super) fn raise(_processor: usize) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_time_counts_and_only_the_worst_processor() {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let log = |losses: &[(u64, u64, f64)]| {
            let log = ProbeLog::default();
            for &(from, to, share) in losses {
                log.note(at(from), at(to), share);
            }
            Arc::new(log)
        };
        let stall_probes = StallProbes {
            logs: vec![log(&[(10, 20, 1.0), (30, 34, 1.0), (40, 60, 0.25)]), log(&[(15, 18, 1.0)])],
            threads: Vec::new(),
        };
        let lost = |from, to| stall_probes.lost(at(from), at(to)).as_millis();
        assert_eq!(lost(0, 100), 19);
        assert_eq!(lost(12, 32), 10);
        assert_eq!(lost(21, 29), 0);
        assert_eq!(lost(40, 48), 2);
        assert_eq!(stall_probes.longest_since(at(25)).as_millis(), 4);
        assert_eq!(stall_probes.longest_since(at(35)).as_millis(), 0);
    }

    #[test]
    fn late_wakeups_and_slow_counting_are_losses() {
        let zero = Instant::now();
        let at = |micros| zero + Duration::from_micros(micros);
        let log = Arc::new(ProbeLog::default());
        let mut quickest = Duration::MAX;
        let mut judge = |due, woke, took| {
            let took = Duration::from_micros(took);
            log.judge(at(due), at(woke), took, &mut quickest);
        };
        judge(250, 310, 4);
        judge(560, 660, 5);
        let stall_probes = StallProbes { logs: vec![Arc::clone(&log)], threads: Vec::new() };
        assert_eq!(stall_probes.longest_since(zero), Duration::ZERO);
        judge(1_000, 21_000, 4);
        assert_eq!(stall_probes.longest_since(zero).as_millis(), 20);
        // Half the pace: half of the period is lost.
        judge(30_000, 30_000, 8);
        assert_eq!(stall_probes.lost(at(30_000), at(40_000)), PERIOD / 2);
    }

    /// A thread of the same priority keeps the probe from its processor, and the probe notices.
    #[test]
    #[ignore = "needs the right to real-time priority: cargo test taken_away -- --ignored"]
    fn a_processor_that_is_taken_away_is_noticed() {
        let stall_probes = StallProbes::start().unwrap();
        let from = Instant::now();
        let taken = Duration::from_millis(20);
        let thief = std::thread::spawn(move || {
            assert!(system::raise(0));
            let began = Instant::now();
            while began.elapsed() < taken {}
        });
        thief.join().unwrap();
        let give_up = Instant::now() + Duration::from_secs(10);
        while stall_probes.longest_since(from) < taken / 2 {
            assert!(Instant::now() < give_up, "nothing was noticed");
            std::thread::yield_now();
        }
        assert!(stall_probes.lost(from, Instant::now()) >= taken / 2);
    }
}
