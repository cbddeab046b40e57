//! Prepares the GPU renderer, prepares it again after a loss, and prepares another one when it has too little room.

use super::Load;
use super::watchdog::{WatchdogConfig, watched};
use crate::workload::workload;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Ticks before a GPU that failed is tried again: two seconds at 48 kHz. Doubles with every failure,
/// so that a GPU that stays lost costs nothing.
const FIRST_BACKOFF: u64 = 3_000;
const LONGEST_BACKOFF: u64 = 64 * FIRST_BACKOFF;

/// The longest after a loss by which nothing was lost but time: the GPU came a little late, and is probably well.
const LATE_BACKOFF: u64 = 4 * FIRST_BACKOFF;

/// When half of its slots are in use, a renderer for so many times as many is prepared, which then replaces it.
const GROWTH: usize = 4;

/// Ticks after which that is tried again, when there is no room for more.
const GROW_AGAIN: u64 = 8 * FIRST_BACKOFF;

/// Ticks after which a GPU counts as reliable again: half a minute at 48 kHz.
const RELIABLE: u64 = 45_000;

/// Makes a GPU renderer.
pub type MakeGpuRenderer = Arc<dyn Fn() -> Box<dyn Renderer> + Send + Sync>;

/// The GPU renderer in any state.
pub(super) struct Recovery {
    make: MakeGpuRenderer,
    pub(super) watchdog: WatchdogConfig,
    /// The most that it may be prepared for.
    capacity: Capacity,
    /// Slots that it is prepared for at first.
    first_room: usize,
    /// Slots that the renderer is prepared for, or will be.
    room: usize,
    state: State,
    larger: Larger,
    /// Ticks of the next wait.
    backoff: u64,
    /// Ticks that it has rendered since it was last prepared.
    played: u64,
}

/// A renderer with more room.
enum Larger {
    /// It is not needed, or not tried for so many ticks.
    None { ticks_left: u64 },
    /// A thread prepares it.
    Preparing(Attempt, usize),
    /// It replaces the other one when it has taken over its clouds.
    Ready(Box<dyn Renderer>, usize),
}

impl Default for Larger {
    /// It is tried when it is needed.
    fn default() -> Self {
        Larger::None { ticks_left: 0 }
    }
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
            first_room: usize::MAX,
            room: 0,
            state: State::Unavailable,
            larger: Larger::default(),
            backoff: 0,
            played: 0,
        }
    }

    /// It is prepared for so many slots at first, and for more when they are needed: who uses a render service has memory
    /// for all of them, and others need some as well.
    pub(super) fn begin_with(&mut self, slots: usize) {
        self.first_room = slots;
    }

    /// Resets to the state before the first attempt.
    pub(super) fn start_over(&mut self, capacity: Capacity) {
        self.capacity = capacity;
        self.room = capacity.slots.min(self.first_room);
        self.larger = Larger::default();
        (self.backoff, self.played) = (0, 0);
        self.wait(0, None);
    }

    /// Prepares it on this thread.
    pub(super) fn prepare(&mut self) -> Result<(), PrepareError> {
        let ready = prepared(&self.make, self.capacity_of(self.room), self.watchdog)?;
        self.state = State::Ready(ready);
        Ok(())
    }

    fn capacity_of(&self, slots: usize) -> Capacity {
        Capacity { slots, ..self.capacity }
    }

    /// Slots that the renderer is prepared for, or will be.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// The renderer with more room, when it can take over.
    pub(super) fn larger(&mut self) -> Option<&mut dyn Renderer> {
        match &mut self.larger {
            Larger::Ready(larger, _) => Some(&mut **larger),
            _ => None,
        }
    }

    /// Replaces the renderer by the one with more room.
    pub(super) fn adopt_larger(&mut self) {
        match std::mem::take(&mut self.larger) {
            Larger::Ready(larger, room) => {
                let replaced = std::mem::replace(&mut self.state, State::Ready(larger));
                self.room = room;
                drop_in_background(replaced);
            }
            other => self.larger = other,
        }
    }

    /// Prepares a renderer with more room, if `in_use` slots are too many for the present one.
    fn grow(&mut self, in_use: usize) {
        let most = self.capacity.slots;
        if in_use <= self.room / 2 || self.room >= most {
            return;
        }
        let room = self.room.max(in_use).saturating_mul(GROWTH).min(most);
        match self.state {
            // It is not prepared yet.
            State::Waiting { .. } => self.room = room,
            State::Ready(_) => {
                let (make, watchdog) = (Arc::clone(&self.make), self.watchdog);
                let capacity = self.capacity_of(room);
                let thread = thread::Builder::new().name("myriad-growth".into());
                self.larger = match thread.spawn(move || prepared(&make, capacity, watchdog)) {
                    Ok(attempt) => Larger::Preparing(attempt, room),
                    Err(_) => Larger::None { ticks_left: GROW_AGAIN },
                };
            }
            State::Unavailable | State::Preparing(_) => {}
        }
    }

    /// Lets `ticks` pass in which slots up to `in_use` sounded. Begins to prepare a renderer with more room, if it is needed.
    fn poll_larger(&mut self, ticks: u64, in_use: usize) {
        match &mut self.larger {
            Larger::None { ticks_left } => {
                *ticks_left = ticks_left.saturating_sub(ticks);
                if *ticks_left == 0 {
                    self.grow(in_use);
                }
            }
            Larger::Preparing(attempt, _) if !attempt.is_finished() => {}
            Larger::Preparing(..) => {
                let attempt = std::mem::take(&mut self.larger);
                let Larger::Preparing(attempt, room) = attempt else {
                    unreachable!("it was one a line ago");
                };
                // There is no room for more, for example. The present one goes on.
                self.larger = match attempt.join() {
                    Ok(Ok(larger)) => Larger::Ready(larger, room),
                    _ => Larger::None { ticks_left: GROW_AGAIN },
                };
            }
            Larger::Ready(..) => {}
        }
    }

    /// Handles a failed attempt: it is tried again later, unless the error is final.
    pub(super) fn refuse(&mut self, error: &PrepareError) {
        match error.is_final() {
            true => self.state = State::Unavailable,
            false => self.back_off(FIRST_BACKOFF, LONGEST_BACKOFF, None),
        }
    }

    /// Handles a loss, which may be only that the GPU was `late` and not waited for. The first time, and after it was
    /// reliable, it is tried again at once.
    pub(super) fn lose(&mut self, late: bool) {
        if std::mem::take(&mut self.played) >= RELIABLE {
            self.backoff = 0;
        }
        let lost = match std::mem::replace(&mut self.state, State::Unavailable) {
            State::Ready(lost) => Some(lost),
            _ => None,
        };
        // It uses the same GPU.
        if let Larger::Ready(larger, _) = std::mem::take(&mut self.larger) {
            drop_in_background(larger);
        }
        let longest = if late { LATE_BACKOFF } else { LONGEST_BACKOFF };
        self.back_off(0, longest, lost);
    }

    /// Waits for some ticks, and twice as long the next time.
    fn back_off(&mut self, shortest: u64, longest: u64, lost: Option<Box<dyn Renderer>>) {
        let ticks = self.backoff.clamp(shortest, longest);
        self.backoff = (2 * self.backoff).clamp(FIRST_BACKOFF, longest);
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

    /// Limits how long it may take for a block from now on.
    pub(super) fn limit_calls(&mut self, limit: Duration) {
        self.ready().map(|ready| ready.limit_calls(limit));
        self.larger().map(|larger| larger.limit_calls(limit));
    }

    /// Whether one is ready that renders while the caller does something else.
    pub(super) fn is_asynchronous(&self) -> bool {
        matches!(&self.state, State::Ready(ready) if ready.is_asynchronous())
    }

    /// Whether it is never tried again.
    pub(super) fn is_unavailable(&self) -> bool {
        matches!(self.state, State::Unavailable)
    }

    /// Lets `ticks` pass in which slots up to `in_use` sounded. Tries again when that is due and `wanted`. Returns the error of
    /// an attempt.
    pub(super) fn poll(&mut self, ticks: u64, wanted: bool, in_use: usize) -> Option<PrepareError> {
        self.poll_larger(ticks, in_use);
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
        let (capacity, watchdog) = (self.capacity_of(self.room), self.watchdog);
        let attempt = move || {
            drop(lost);
            prepared(&make, capacity, watchdog)
        };
        let thread = thread::Builder::new().name("myriad-recovery".into());
        match thread.spawn(attempt) {
            Ok(attempt) => self.state = State::Preparing(attempt),
            Err(_) => self.back_off(FIRST_BACKOFF, LONGEST_BACKOFF, None),
        }
    }
}

/// Drops a renderer, which may take long, on a thread of its own.
fn drop_in_background(renderer: impl Send + 'static) {
    // Where there is no thread, it is dropped here.
    let _ = thread::Builder::new().name("myriad-drop".into()).spawn(move || drop(renderer));
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

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::render::CpuRenderer;

    #[test]
    fn a_gpu_that_was_only_late_is_tried_again_sooner() {
        let mut recovery = Recovery::new(Arc::new(|| Box::new(CpuRenderer::new(1))));
        let mut waits = |late| {
            [(); 9].map(|()| {
                recovery.lose(late);
                match recovery.state {
                    State::Waiting { ticks_left, .. } => ticks_left / FIRST_BACKOFF,
                    _ => panic!("it does not wait"),
                }
            })
        };
        assert_eq!(waits(true), [0, 1, 2, 4, 4, 4, 4, 4, 4]);
        assert_eq!(waits(false), [4, 8, 16, 32, 64, 64, 64, 64, 64]);
        assert_eq!(waits(true), [4; 9]);
    }
}
