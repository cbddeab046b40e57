//! A device without sound: a thread that asks for frames at the pace of the wall clock.
//!
//! For machines without an audio device, for long tests, and in place of a lost device.

use super::{
    DEFAULT_BLOCK, DEFAULT_RATE, Device, DeviceContext, DeviceError, DeviceInfo, DeviceRequest,
    Host,
};
use myriad_engine::ThreadPolicy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The sleep ends this much before a block is due, because it ends late by about as much.
const EARLY: Duration = Duration::from_micros(100);

/// The running clock.
pub(super) struct Clock {
    info: DeviceInfo,
    block: u32,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Blocks that were a whole block late, because the machine was busy. Like a real device the clock
    /// does not catch up after that.
    late: AtomicU64,
}

impl Clock {
    /// Starts the clock.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        device_request: &DeviceRequest,
        context: &DeviceContext,
    ) -> Result<Self, DeviceError> {
        let (rate, block) = (
            device_request.rate.unwrap_or(DEFAULT_RATE),
            device_request.block.unwrap_or(DEFAULT_BLOCK),
        );
        let shared = Arc::new(Shared::default());
        let (context, theirs) = (context.clone(), Arc::clone(&shared));
        let mut frames = [vec![0.0; block as usize], vec![0.0; block as usize]];
        let play = move || {
            let [left, right] = &mut frames;
            let (handoff, device_id) = (&context.handoff, context.device_id);
            handoff.with_callback(device_id, |callback| callback.fill(left, right));
        };
        let thread_policy = device_request.thread_policy();
        let tick = move || theirs.run(rate, block, thread_policy, play);
        let thread = std::thread::Builder::new().name("clock".to_owned());
        let thread = thread.spawn(tick).map_err(|error| DeviceError::Refused {
            host: Host::Clock.name(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            info: DeviceInfo { name: "no sound".to_owned(), host: Host::Clock, rate },
            block,
            shared,
            thread: Some(thread),
        })
    }
}

impl Shared {
    /// Deadlines are computed from the start, so that errors do not add up.
    fn run(&self, rate: u32, block: u32, thread_policy: ThreadPolicy, mut play: impl FnMut()) {
        thread_policy.assume(block as usize, rate as f32);
        let at =
            |count: u64| Duration::from_secs_f64(count as f64 * f64::from(block) / f64::from(rate));
        let period = at(1);
        let (mut start, mut count) = (Instant::now(), 0);
        while !self.stop.load(Ordering::Relaxed) {
            count += 1;
            let due = start + at(count);
            let rest = due.saturating_duration_since(Instant::now());
            if thread_policy != ThreadPolicy::Spinning {
                std::thread::sleep(rest.saturating_sub(EARLY));
            }
            while Instant::now() < due {
                std::hint::spin_loop();
            }
            let now = Instant::now();
            if now - due > period {
                self.late.fetch_add(1, Ordering::Relaxed);
                (start, count) = (now, 0);
            }
            play();
        }
    }
}

impl Device for Clock {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn block(&self) -> usize {
        self.block as usize
    }

    fn failure(&self) -> Option<String> {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        ended.then(|| "the clock has stopped".to_owned())
    }

    fn xruns(&self) -> u64 {
        self.shared.late.load(Ordering::Relaxed)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
