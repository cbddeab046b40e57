//! A block's work as a CUDA graph: fetch, render, mix, submitted in one call.
//!
//! There is one graph per number of ticks. Sizes are rounded up, and the device reads the exact
//! counts from the upload, so a graph is changed only when the rounded size changes.

use super::driver::{Event, Failed, Function, Shape, Stream, call};
use super::turn::Turn;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::mem::zeroed;
use std::ptr::null_mut;

/// A kernel with its arguments.
#[derive(Debug)]
pub(super) struct Kernel<'a> {
    pub(super) function: Function,
    pub(super) shape: Shape,
    /// Pointers to values of the types that the kernel takes; the graph copies the values.
    pub(super) arguments: &'a mut [*mut c_void],
}

impl Kernel<'_> {
    fn parameters(&mut self) -> sys::CUDA_KERNEL_NODE_PARAMS {
        // SAFETY: the struct is plain numbers and pointers that may be null.
        let mut node: sys::CUDA_KERNEL_NODE_PARAMS = unsafe { zeroed() };
        node.func = self.function.0;
        [node.gridDimX, node.gridDimY, node.gridDimZ] = self.shape.grid;
        [node.blockDimX, node.blockDimY, node.blockDimZ] = [self.shape.threads, 1, 1];
        node.kernelParams = self.arguments.as_mut_ptr();
        node
    }
}

/// Kernels of a graph.
pub(super) const KERNELS: usize = 3;

/// Recorded when a block begins, when its voices are fetched, when it is its turn to be rendered, and when it is mixed.
pub(super) type Marks = [Event; 4];

/// The events of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Events {
    /// When the block is rendered.
    pub(super) turn: Turn,
    /// Recorded when the block and all before it are rendered, before it is mixed.
    pub(super) rendered: Option<Event>,
    pub(super) marks: Option<Marks>,
}

/// The parts of a graph.
#[derive(Debug)]
pub(super) struct Work<'a> {
    /// In order: `fetch`, `render_clouds` and `mix`.
    pub(super) kernels: [Kernel<'a>; KERNELS],
    pub(super) events: Events,
}

/// A graph that can be replayed. It is dropped before its context, while the context is current.
#[derive(Debug)]
pub(super) struct Graph {
    /// Kept because its nodes identify the parts of the executable to change.
    graph: sys::CUgraph,
    executable: sys::CUgraphExec,
    kernels: [sys::CUgraphNode; KERNELS],
    /// Wait for events, before rendering and after it; null where nothing is waited for.
    waits: [sys::CUgraphNode; 2],
}

// SAFETY: handles may be used from any thread, one at a time.
unsafe impl Send for Graph {}

impl Graph {
    pub(super) fn new(work: Work<'_>, stream: Stream) -> Result<Self, Failed> {
        let mut graph = null_mut();
        call!(cuGraphCreate(&mut graph, 0))?;
        let mut made = Self {
            graph,
            executable: null_mut(),
            kernels: [null_mut(); KERNELS],
            waits: [null_mut(); 2],
        };
        let mut last = null_mut();
        let record = |last: &mut sys::CUgraphNode, event: Option<Event>| match event {
            Some(event) => after(last, |node, before, count| {
                call!(cuGraphAddEventRecordNode(node, graph, before, count, event.0))
            }),
            None => Ok(()),
        };
        let run = |last: &mut sys::CUgraphNode, mut kernel: Kernel<'_>| {
            let parameters = kernel.parameters();
            after(last, |node, before, count| {
                call!(cuGraphAddKernelNode_v2(node, graph, before, count, &parameters))
            })?;
            Ok(*last)
        };
        let events = work.events;
        let mark = |which: usize| events.marks.map(|marks| marks[which]);
        let [fetch, render, mix] = work.kernels;
        record(&mut last, mark(0))?;
        made.kernels[0] = run(&mut last, fetch)?;
        record(&mut last, mark(1))?;
        let wait = |last: &mut sys::CUgraphNode, which: usize| {
            let Some(turn) = events.turn.waits() else {
                return Ok(null_mut());
            };
            after(last, |node, before, count| {
                call!(cuGraphAddEventWaitNode(node, graph, before, count, turn[which].0))
            })?;
            Ok(*last)
        };
        made.waits[0] = wait(&mut last, 0)?;
        record(&mut last, mark(2))?;
        made.kernels[1] = run(&mut last, render)?;
        made.waits[1] = wait(&mut last, 1)?;
        record(&mut last, events.rendered)?;
        made.kernels[2] = run(&mut last, mix)?;
        record(&mut last, mark(3))?;
        call!(cuGraphInstantiateWithFlags(&mut made.executable, graph, 0))?;
        call!(cuGraphUpload(made.executable, stream.0))?;
        Ok(made)
    }

    /// Changes the sizes and arguments of the kernels, and which events they wait for.
    pub(super) fn change(&mut self, work: Work<'_>) -> Result<(), Failed> {
        for (event, node) in work.events.turn.waits().iter().flatten().zip(self.waits) {
            call!(cuGraphExecEventWaitNodeSetEvent(self.executable, node, event.0))?;
        }
        for (mut kernel, node) in work.kernels.into_iter().zip(self.kernels) {
            let parameters = kernel.parameters();
            call!(cuGraphExecKernelNodeSetParams_v2(self.executable, node, &parameters))?;
        }
        Ok(())
    }

    pub(super) fn launch(&self, stream: Stream) -> Result<(), Failed> {
        call!(cuGraphLaunch(self.executable, stream.0))
    }
}

/// Adds a node after `last`, if there is one, and stores it there.
fn after(
    last: &mut sys::CUgraphNode,
    add: impl FnOnce(*mut sys::CUgraphNode, *const sys::CUgraphNode, usize) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let (before, count) = (*last, usize::from(!last.is_null()));
    add(last, &before, count)
}

impl Drop for Graph {
    fn drop(&mut self) {
        // Nothing can be done about a failure.
        if !self.executable.is_null() {
            let _ = call!(cuGraphExecDestroy(self.executable));
        }
        let _ = call!(cuGraphDestroy(self.graph));
    }
}
