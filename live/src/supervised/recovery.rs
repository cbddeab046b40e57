//! Prepares the GPU renderer, and prepares it again after a loss.

use super::Load;
use super::watchdog::{WatchdogConfig, watched};
use crate::workload::workload;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Ticks before a GPU that failed is tried again: two seconds at 48 kHz. Doubles with every failure,
/// so that a GPU that stays lost costs nothing.
const FIRST_BACKOFF: u64 = 3_000;
const LONGEST_BACKOFF: u64 = 64 * FIRST_BACKOFF;

/// Ticks after which a GPU counts as reliable again: half a minute at 48 kHz.
const RELIABLE: u64 = 45_000;

/// Makes a GPU renderer.
pub type MakeGpuRenderer = Arc<dyn Fn() -> Box<dyn Renderer> + Send + Sync>;

/// The GPU renderer in any state.
pub(super) struct Recovery {
    make: MakeGpuRenderer,
    pub(super) watchdog: WatchdogConfig,
    capacity: Capacity,
    state: State,
    /// Ticks of the next wait.
    backoff: u64,
    /// Ticks that it has rendered since it was last prepared.
    played: u64,
}

type Attempt = JoinHandle<Result<Box<dyn Renderer>, PrepareError>>;

enum State {
    /// There is none, and trying again is useless.
    Unavailable,
    /// It is tried again when the time is over and it is wanted.
    Waiting {
        ticks_left: u64,
        /// The next attempt drops the lost renderer, because that may take long.
        lost: Option<Box<dyn Renderer>>,
    },
    /// A thread prepares it.
    Preparing(Attempt),
    Ready(Box<dyn Renderer>),
}

impl Recovery {
    pub(super) fn new(make: MakeGpuRenderer) -> Self {
        Self {
            make,
            watchdog: WatchdogConfig::default(),
            capacity: Capacity { slots: 0, buses: 0 },
            state: State::Unavailable,
            backoff: 0,
            played: 0,
        }
    }

    /// Resets to the state before the first attempt.
    pub(super) fn start_over(&mut self, capacity: Capacity) {
        self.capacity = capacity;
        (self.backoff, self.played) = (0, 0);
        self.wait(0, None);
    }

    /// Prepares it on this thread.
    pub(super) fn prepare(&mut self) -> Result<(), PrepareError> {
        let ready = prepared(&self.make, self.capacity, self.watchdog)?;
        self.state = State::Ready(ready);
        Ok(())
    }

    /// Handles a failed attempt: it is tried again later, unless the error is final.
    pub(super) fn refuse(&mut self, error: &PrepareError) {
        match error.is_final() {
            true => self.state = State::Unavailable,
            false => self.back_off(FIRST_BACKOFF, None),
        }
    }

    /// Handles a loss. The first time, and after it was reliable, it is tried again at once.
    pub(super) fn lose(&mut self) {
        if std::mem::take(&mut self.played) >= RELIABLE {
            self.backoff = 0;
        }
        let lost = match std::mem::replace(&mut self.state, State::Unavailable) {
            State::Ready(lost) => Some(lost),
            _ => None,
        };
        self.back_off(0, lost);
    }

    /// Waits for at least `at_least` ticks, and twice as long the next time.
    fn back_off(&mut self, at_least: u64, lost: Option<Box<dyn Renderer>>) {
        let ticks = self.backoff.max(at_least);
        self.backoff = (2 * self.backoff).clamp(FIRST_BACKOFF, LONGEST_BACKOFF);
        self.wait(ticks, lost);
    }

    fn wait(&mut self, ticks_left: u64, lost: Option<Box<dyn Renderer>>) {
        self.state = State::Waiting { ticks_left, lost };
    }

    /// The renderer, when it can render.
    pub(super) fn ready(&mut self) -> Option<&mut dyn Renderer> {
        match &mut self.state {
            State::Ready(ready) => Some(&mut **ready),
            _ => None,
        }
    }

    /// Whether one is ready that renders while the caller does something else.
    pub(super) fn is_asynchronous(&self) -> bool {
        matches!(&self.state, State::Ready(ready) if ready.is_asynchronous())
    }

    /// Whether it is never tried again.
    pub(super) fn is_unavailable(&self) -> bool {
        matches!(self.state, State::Unavailable)
    }

    /// Lets `ticks` pass. Tries again when that is due and `wanted`. Returns the error of an attempt.
    pub(super) fn poll(&mut self, ticks: u64, wanted: bool) -> Option<PrepareError> {
        match &mut self.state {
            State::Unavailable => {}
            State::Ready(_) => self.played = self.played.saturating_add(ticks),
            State::Waiting { ticks_left, lost } => {
                *ticks_left = ticks_left.saturating_sub(ticks);
                if *ticks_left == 0 && wanted {
                    let lost = lost.take();
                    self.prepare_in_background(lost);
                }
            }
            State::Preparing(attempt) if !attempt.is_finished() => {}
            State::Preparing(_) => {
                let state = std::mem::replace(&mut self.state, State::Unavailable);
                let State::Preparing(attempt) = state else {
                    unreachable!("it was one a line ago");
                };
                match attempt.join().unwrap_or(Err(PrepareError::ThreadEnded)) {
                    Ok(ready) => self.state = State::Ready(ready),
                    Err(error) => {
                        self.refuse(&error);
                        return Some(error);
                    }
                }
            }
        }
        None
    }

    /// Prepares it on a thread, which first drops the lost renderer. Both may take long.
    fn prepare_in_background(&mut self, lost: Option<Box<dyn Renderer>>) {
        let make = Arc::clone(&self.make);
        let (capacity, watchdog) = (self.capacity, self.watchdog);
        let attempt = move || {
            drop(lost);
            prepared(&make, capacity, watchdog)
        };
        let thread = thread::Builder::new().name("myriad-recovery".into());
        match thread.spawn(attempt) {
            Ok(attempt) => self.state = State::Preparing(attempt),
            Err(_) => self.back_off(FIRST_BACKOFF, None),
        }
    }
}

/// Makes and prepares it.
fn prepared(
    make: &MakeGpuRenderer,
    capacity: Capacity,
    watchdog: WatchdogConfig,
) -> Result<Box<dyn Renderer>, PrepareError> {
    // The first block may take as long as preparing.
    let patient = WatchdogConfig { render_timeout: watchdog.prepare_timeout, ..watchdog };
    let mut renderer = watched(make(), patient);
    renderer.prepare(capacity)?;
    try_out(&mut *renderer, capacity)?;
    renderer.limit_calls(watchdog.render_timeout);
    Ok(renderer)
}

/// Renders a test block: failures and hangs occur here, and so does what a driver initialises at the
/// first use.
fn try_out(renderer: &mut dyn Renderer, capacity: Capacity) -> Result<(), RenderError> {
    let load = Load { ticks: 1, clouds: 1, partials: 1 };
    let block = Arc::new(workload(capacity.slots, load, true));
    renderer.render(&block, &mut Buses::new(capacity.buses))?;
    renderer.reset();
    Ok(())
}
