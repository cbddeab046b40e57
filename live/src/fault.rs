//! Fault injection: a renderer that fails on purpose, to test recovery without breaking a GPU.

use crate::supervised::MakeGpuRenderer;
use myriad_engine::Workers;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, Due, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_kernels::GpuError;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A fault of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    #[default]
    None,
    /// The device fails, like a lost context, until the renderer is prepared again. Preparing fails
    /// while this fault is set.
    Fail,
    /// The call does not return while this fault is set.
    Hang,
    /// Neither rendering nor preparing returns while this fault is set.
    HangInPrepare,
    /// The block takes this much longer.
    Slow(Duration),
    /// The call panics.
    Panic,
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
    /// A fault of the next block only.
    once: Option<Fault>,
    /// A fault that is set after this many more blocks.
    scheduled: Option<(u64, Fault)>,
}

impl Faults {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a fault from now on.
    pub fn set(&self, fault: Fault) {
        *self.state() = State { fault, ..State::default() };
        self.changed.notify_all();
    }

    /// Sets a fault from the `count`-th block on, counted from the next.
    pub fn set_at(&self, count: u64, fault: Fault) {
        self.state().scheduled = Some((count, fault));
    }

    /// Sets a fault for the next block only.
    pub fn set_once(&self, fault: Fault) {
        self.state().once = Some(fault);
    }

    /// The fault of the next block.
    fn next(&self) -> Fault {
        let mut state = self.state();
        if let Some((count, fault)) = &mut state.scheduled {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.fault = *fault;
                state.scheduled = None;
            }
        }
        state.once.take().unwrap_or(state.fault)
    }

    /// Does not return while `fault` is set.
    fn hang(&self, fault: Fault) {
        let mut state = self.state();
        while state.fault == fault {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A GPU that the CPU simulates, with faults.
pub fn simulated_gpu(threads: usize, faults: &Arc<Faults>) -> MakeGpuRenderer {
    let faults = Arc::clone(faults);
    Arc::new(move || {
        let cpu = Box::new(CpuRenderer::new(threads));
        Box::new(FaultRenderer::new(cpu, Arc::clone(&faults)))
    })
}

/// Breaks a renderer for real.
pub type BreakRenderer<R> = fn(&mut R) -> Result<(), RenderError>;

/// Forwards everything to another renderer, and injects faults.
pub struct FaultRenderer<R: Renderer + ?Sized = dyn Renderer> {
    inner: Box<R>,
    faults: Arc<Faults>,
    /// Without it a failure is only simulated.
    break_inner: Option<BreakRenderer<R>>,
    is_broken: bool,
}

impl<R: Renderer + ?Sized> FaultRenderer<R> {
    /// Wraps `inner`.
    pub fn new(inner: Box<R>, faults: Arc<Faults>) -> Self {
        Self { inner, faults, break_inner: None, is_broken: false }
    }

    /// Makes [`Fault::Fail`] break the other renderer for real.
    #[must_use]
    pub fn breaking(mut self, break_inner: BreakRenderer<R>) -> Self {
        self.break_inner = Some(break_inner);
        self
    }
}

impl<R: Renderer + ?Sized> Renderer for FaultRenderer<R> {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        let fault = self.faults.state().fault;
        match fault {
            Fault::Fail => {
                return Err(
                    GpuError::Call { call: "prepare", reason: "a fault was injected" }.into()
                );
            }
            Fault::HangInPrepare => self.faults.hang(fault),
            Fault::None | Fault::Hang | Fault::Slow(_) | Fault::Panic => {}
        }
        self.is_broken = false;
        self.inner.prepare(capacity)
    }

    fn workers(&self) -> Option<Arc<Workers>> {
        self.inner.workers()
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn begin_with(&mut self, slots: usize) {
        self.inner.begin_with(slots);
    }

    fn room(&self) -> usize {
        self.inner.room()
    }

    fn set_due(&mut self, due: Due) {
        self.inner.set_due(due);
    }

    fn limit_calls(&mut self, limit: Duration) -> bool {
        self.inner.limit_calls(limit)
    }

    fn is_asynchronous(&self) -> bool {
        self.inner.is_asynchronous()
    }

    fn is_finished(&mut self) -> bool {
        self.inner.is_finished()
    }

    fn expect(&mut self) {
        self.inner.expect();
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.inner.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        match (self.faults.next(), self.break_inner) {
            (Fault::None, _) => {}
            (Fault::Fail, Some(break_inner)) => break_inner(&mut self.inner)?,
            (Fault::Fail, None) => self.is_broken = true,
            (Fault::Slow(pause), _) => std::thread::sleep(pause),
            (fault @ (Fault::Hang | Fault::HangInPrepare), _) => self.faults.hang(fault),
            (Fault::Panic, _) => std::panic::resume_unwind(Box::new("a fault was injected")),
        }
        match self.is_broken {
            true => Err(RenderError::Call { call: "render", reason: "a fault was injected" }),
            false => self.inner.collect(buses),
        }
    }
}
