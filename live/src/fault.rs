//! A renderer that fails on purpose, so that surviving it can be tested without breaking a GPU.

use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use myriad_kernels::GpuError;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What can go wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// Every block fails, and so does preparing. Like a lost context, it lasts until the renderer
    /// is prepared anew.
    Fail,
    /// The call does not return for as long as this fault is set.
    Hang,
    /// Nor does preparing.
    HangInPrepare,
    /// Every block takes so much longer.
    Slow(Duration),
}

/// Sets the faults of renderers, from any thread.
#[derive(Debug, Default)]
pub struct Faults {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    fault: Fault,
    /// A fault that strikes by itself, after so many more blocks.
    scheduled: Option<(u64, Fault)>,
}

impl Faults {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on.
    pub fn set(&self, fault: Fault) {
        *self.state() = State {
            fault,
            scheduled: None,
        };
        self.changed.notify_all();
    }

    /// From the `count`-th block on, counted from the next.
    pub fn set_at(&self, count: u64, fault: Fault) {
        self.state().scheduled = Some((count, fault));
    }

    /// The fault that now strikes a block.
    fn strike(&self) -> Fault {
        let mut state = self.state();
        if let Some((count, fault)) = &mut state.scheduled {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.fault = *fault;
                state.scheduled = None;
            }
        }
        state.fault
    }

    /// Does not return while `fault` is set.
    fn hang(&self, fault: Fault) {
        let mut state = self.state();
        while state.fault == fault {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Passes everything on to another renderer, until told to fail.
pub struct FaultRenderer {
    inner: Box<dyn Renderer>,
    faults: Arc<Faults>,
    /// Blocks that it takes at once; the other gets them one by one.
    depth: usize,
    in_flight: VecDeque<Arc<VoiceBlock>>,
    broken: bool,
}

impl FaultRenderer {
    /// Wraps `inner`, and takes `depth` blocks at once, as a GPU does.
    pub fn new(inner: Box<dyn Renderer>, depth: usize, faults: Arc<Faults>) -> Self {
        Self {
            inner,
            faults,
            depth,
            in_flight: VecDeque::with_capacity(depth),
            broken: false,
        }
    }
}

impl FaultRenderer {
    /// Fails from the next block on, until it is prepared anew.
    pub fn fail(&mut self) {
        self.broken = true;
    }
}

impl Renderer for FaultRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        let fault = self.faults.state().fault;
        match fault {
            Fault::Fail => {
                return Err(GpuError::Call {
                    call: "prepare",
                    reason: "a fault was injected",
                }
                .into());
            }
            Fault::HangInPrepare => self.faults.hang(fault),
            Fault::None | Fault::Hang | Fault::Slow(_) => {}
        }
        self.broken = false;
        self.in_flight.clear();
        self.inner.prepare(capacity)
    }

    fn reset(&mut self) {
        self.in_flight.clear();
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.in_flight.len() == self.depth {
            return Err(RenderError::OutOfTurn);
        }
        self.in_flight.push_back(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        match self.faults.strike() {
            Fault::None => {}
            Fault::Fail => self.broken = true,
            Fault::Slow(pause) => std::thread::sleep(pause),
            fault @ (Fault::Hang | Fault::HangInPrepare) => self.faults.hang(fault),
        }
        if self.broken {
            return Err(RenderError::Call {
                call: "render",
                reason: "a fault was injected",
            });
        }
        self.inner.render(&block, buses)
    }
}
