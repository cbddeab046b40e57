//! Having the preferred renderer: making it, letting go of it, and trying again.

use super::Load;
use crate::attended::{Attended, Deadlines};
use crate::workload::workload;
use myriad_engine::render::{
    Buses, Capacity, PrepareError, Remedy, RenderError, Renderer, VoiceBlock,
};
use myriad_kernels::GpuError;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Ticks before a renderer that could not be had is tried again: two seconds at 48 kHz. Doubles
/// with every failure, so that a GPU that stays lost costs nothing.
const FIRST_REST: u64 = 3_000;
const LONGEST_REST: u64 = 64 * FIRST_REST;

/// A renderer that has played for so many ticks is steady again: half a minute at 48 kHz.
const STEADY: u64 = 45_000;

/// Where the preferred renderer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In this process.
    Here,
    /// In a process of its own, because the driver refuses this one.
    Apart,
}

/// Makes the renderer that is preferred, if there is such a one.
pub type MakePreferred = Arc<dyn Fn(Home) -> Option<Box<dyn Renderer>> + Send + Sync>;

/// The preferred renderer, whatever its state.
pub(super) struct Gpu {
    make: MakePreferred,
    pub(super) deadlines: Deadlines,
    capacity: Capacity,
    state: State,
    /// How long the next rest is.
    rest: u64,
    /// Ticks that it has played since it was last prepared.
    played: u64,
}

type Attempt = JoinHandle<Result<Box<Attended>, PrepareError>>;

enum State {
    /// It cannot be had, whatever is tried.
    Away,
    /// It will be tried again, after so many ticks, if it is wanted then. What was lost is let go
    /// of by the attempt.
    Resting(u64, Option<Box<Attended>>),
    /// It is being prepared on a thread of its own.
    Attempting(Attempt),
    /// It can render.
    Ready(Box<Attended>),
}

impl Gpu {
    pub(super) fn new(make: MakePreferred) -> Self {
        Self {
            make,
            deadlines: Deadlines::default(),
            capacity: Capacity { slots: 0, buses: 0 },
            state: State::Away,
            rest: 0,
            played: 0,
        }
    }

    /// Starts over, without a renderer but ready to try.
    pub(super) fn let_go(&mut self, capacity: Capacity) {
        self.capacity = capacity;
        self.state = State::Resting(0, None);
        (self.rest, self.played) = (0, 0);
    }

    /// Prepares it here and now.
    pub(super) fn prepare(&mut self) -> Result<(), PrepareError> {
        let ready = prepared(&self.make, self.capacity, self.deadlines)?;
        self.state = State::Ready(ready);
        Ok(())
    }

    /// Could not be prepared: tried again later, unless that is no use.
    pub(super) fn refuse(&mut self, error: &PrepareError) {
        self.state = match error.is_final() {
            true => State::Away,
            false => State::Resting(self.next_rest().max(FIRST_REST), None),
        };
    }

    /// Failed in the middle.
    pub(super) fn lose(&mut self) {
        if std::mem::take(&mut self.played) >= STEADY {
            self.rest = 0;
        }
        let lost = match std::mem::replace(&mut self.state, State::Away) {
            State::Ready(lost) => Some(lost),
            _ => None,
        };
        self.state = State::Resting(self.next_rest(), lost);
    }

    fn next_rest(&mut self) -> u64 {
        let rest = self.rest;
        self.rest = (2 * rest).clamp(FIRST_REST, LONGEST_REST);
        rest
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// Blocks that it takes at once, or will take.
    pub(super) fn depth(&self) -> usize {
        match &self.state {
            State::Ready(ready) => ready.depth(),
            State::Away => 1,
            State::Resting(..) | State::Attempting(_) => {
                (self.make)(Home::Here).map_or(1, |renderer| renderer.depth())
            }
        }
    }

    pub(super) fn reset(&mut self) {
        if let State::Ready(ready) = &mut self.state {
            ready.reset();
        }
    }

    pub(super) fn expect(&mut self) {
        if let State::Ready(ready) = &mut self.state {
            ready.expect();
        }
    }

    pub(super) fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        match &mut self.state {
            State::Ready(ready) => ready.submit(block),
            _ => Err(RenderError::NotPrepared),
        }
    }

    pub(super) fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        match &mut self.state {
            State::Ready(ready) => ready.collect(buses),
            _ => Err(RenderError::NotPrepared),
        }
    }

    /// Passes time: tries again when that is due and `wanted`. Says so when it was refused.
    pub(super) fn tend(&mut self, ticks: u64, wanted: bool) -> Option<PrepareError> {
        match &mut self.state {
            State::Away => {}
            State::Ready(_) => self.played = self.played.saturating_add(ticks),
            State::Resting(left, lost) => {
                *left = left.saturating_sub(ticks);
                if *left == 0 && wanted {
                    let lost = lost.take();
                    self.attempt(lost);
                }
            }
            State::Attempting(attempt) if attempt.is_finished() => {
                let State::Attempting(attempt) = std::mem::replace(&mut self.state, State::Away)
                else {
                    unreachable!("it was one a line ago");
                };
                let outcome = attempt.join().unwrap_or(Err(PrepareError::ThreadEnded));
                match outcome {
                    Ok(ready) => self.state = State::Ready(ready),
                    Err(error) => {
                        self.refuse(&error);
                        return Some(error);
                    }
                }
            }
            State::Attempting(_) => {}
        }
        None
    }

    /// Prepares it on a thread, which first lets go of what was lost: either may take long.
    fn attempt(&mut self, lost: Option<Box<Attended>>) {
        let make = Arc::clone(&self.make);
        let (capacity, deadlines) = (self.capacity, self.deadlines);
        let attempt = move || {
            drop(lost);
            prepared(&make, capacity, deadlines)
        };
        let thread = thread::Builder::new().name("myriad-return".into());
        self.state = match thread.spawn(attempt) {
            Ok(attempt) => State::Attempting(attempt),
            Err(_) => State::Resting(self.next_rest().max(FIRST_REST), None),
        };
    }
}

/// Has it render a moment before anybody relies on it: what fails or hangs does so here, and
/// what a driver puts off until first used is done.
fn try_out(renderer: &mut Attended, capacity: Capacity) -> Result<(), RenderError> {
    let moment = Load {
        ticks: 1,
        clouds: 1,
        partials: 1,
    };
    let block = Arc::new(workload(capacity.slots, moment, true));
    renderer.render(&block, &mut Buses::new(capacity.buses))?;
    renderer.reset();
    Ok(())
}

/// Makes and prepares it: in this process, or apart when the driver refuses this one.
fn prepared(
    make: &MakePreferred,
    capacity: Capacity,
    deadlines: Deadlines,
) -> Result<Box<Attended>, PrepareError> {
    let at = |renderer| -> Result<Box<Attended>, PrepareError> {
        // The first block may take as long as preparing.
        let patient = Deadlines {
            render: deadlines.prepare,
            ..deadlines
        };
        let mut attended = Box::new(Attended::new(renderer, patient));
        attended.prepare(capacity)?;
        try_out(&mut attended, capacity)?;
        attended.set_deadlines(deadlines);
        Ok(attended)
    };
    let here = make(Home::Here).ok_or(GpuError::NotBuilt)?;
    match at(here) {
        Err(refused) if refused.remedy() == Remedy::AnotherProcess => match make(Home::Apart) {
            Some(apart) => at(apart),
            None => Err(refused),
        },
        outcome => outcome,
    }
}
