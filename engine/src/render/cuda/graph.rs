//! A block's work as a CUDA graph: two uploads, render, mix, submitted in one call.
//!
//! One graph for every number of ticks. Sizes are rounded up, and the device reads the exact
//! counts from the upload, so a graph is changed only when the load moves to another size.

use super::driver::{Context, Event, Failed, Function, Shape, Stream, call};
use cudarc::driver::sys;
use std::ffi::c_void;
use std::mem::{MaybeUninit, zeroed};
use std::ptr::null_mut;

/// How much a replay covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Words of the upload.
    pub(super) upload_words: usize,
    /// The clouds to upload.
    pub(super) clouds: Copy,
    /// Blocks of the render kernel.
    pub(super) render_blocks: u32,
    /// Blocks of the mix kernel, a tick.
    pub(super) mix_blocks: u32,
}

/// A copy of rows of bytes from host to device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) host: *const c_void,
    /// Bytes from one row to the next.
    pub(super) host_pitch: usize,
    pub(super) device: sys::CUdeviceptr,
    pub(super) device_pitch: usize,
    /// Bytes of a row.
    pub(super) width: usize,
    pub(super) rows: usize,
}

impl Copy {
    pub(super) fn parameters(&self) -> sys::CUDA_MEMCPY3D {
        use sys::CUmemorytype_enum::{CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
        // SAFETY: all fields may be zero but for the two that are set before they are looked at.
        let mut copy = unsafe {
            let mut copy = MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
            (*copy.as_mut_ptr()).srcMemoryType = CU_MEMORYTYPE_HOST;
            (*copy.as_mut_ptr()).dstMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.assume_init()
        };
        copy.srcHost = self.host;
        copy.srcPitch = self.host_pitch;
        copy.dstDevice = self.device;
        copy.dstPitch = self.device_pitch;
        (copy.WidthInBytes, copy.Height, copy.Depth) = (self.width, self.rows, 1);
        copy
    }
}

/// A kernel with its arguments.
#[derive(Debug)]
pub(super) struct Kernel<'a> {
    pub(super) function: Function,
    pub(super) shape: Shape,
    /// Point to values of the types that the kernel takes; the graph copies them.
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

/// All that a graph is made of.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) upload: Copy,
    pub(super) clouds: Copy,
    pub(super) render: Kernel<'a>,
    pub(super) mix: Kernel<'a>,
    /// Passed at the start, after the uploads, and at the end.
    pub(super) marks: Option<[Event; 3]>,
}

/// A graph ready to be replayed. Dropped before its context, while that is current.
#[derive(Debug)]
pub(super) struct Graph {
    /// Kept because its nodes say which part of the executable to change.
    graph: sys::CUgraph,
    executable: sys::CUgraphExec,
    upload: sys::CUgraphNode,
    clouds: sys::CUgraphNode,
    render: sys::CUgraphNode,
    mix: sys::CUgraphNode,
    pub(super) size: Size,
}

// SAFETY: handles may be used from any thread, one at a time.
unsafe impl Send for Graph {}

impl Graph {
    pub(super) fn new(
        context: &Context,
        mut work: Work<'_>,
        size: Size,
        stream: Stream,
    ) -> Result<Self, Failed> {
        let mut graph = null_mut();
        call!(cuGraphCreate(&mut graph, 0))?;
        let mut chain = Chain {
            graph,
            before: [null_mut(); 2],
            count: 0,
        };
        let mark = |chain: &mut Chain, which: usize| match work.marks {
            Some(marks) => chain.mark(marks[which]),
            None => Ok(()),
        };
        mark(&mut chain, 0)?;
        let [upload, clouds] = chain.copies([&work.upload, &work.clouds], context)?;
        mark(&mut chain, 1)?;
        let render = chain.kernel(&mut work.render)?;
        let mix = chain.kernel(&mut work.mix)?;
        mark(&mut chain, 2)?;
        let mut executable = null_mut();
        call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0))?;
        call!(cuGraphUpload(executable, stream.0))?;
        Ok(Self {
            graph,
            executable,
            upload,
            clouds,
            render,
            mix,
            size,
        })
    }

    /// Changes what a replay covers.
    pub(super) fn resize(
        &mut self,
        context: &Context,
        mut work: Work<'_>,
        size: Size,
    ) -> Result<(), Failed> {
        let copies = [
            (
                self.upload,
                &work.upload,
                size.upload_words != self.size.upload_words,
            ),
            (self.clouds, &work.clouds, size.clouds != self.size.clouds),
        ];
        for (node, copy, differs) in copies {
            if differs {
                let (copy, context) = (copy.parameters(), context.handle());
                call!(cuGraphExecMemcpyNodeSetParams(
                    self.executable,
                    node,
                    &copy,
                    context
                ))?;
            }
        }
        if size.render_blocks != self.size.render_blocks {
            let kernel = work.render.parameters();
            call!(cuGraphExecKernelNodeSetParams_v2(
                self.executable,
                self.render,
                &kernel
            ))?;
        }
        if size.mix_blocks != self.size.mix_blocks {
            let kernel = work.mix.parameters();
            call!(cuGraphExecKernelNodeSetParams_v2(
                self.executable,
                self.mix,
                &kernel
            ))?;
        }
        self.size = size;
        Ok(())
    }

    pub(super) fn launch(&self, stream: Stream) -> Result<(), Failed> {
        call!(cuGraphLaunch(self.executable, stream.0))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // Nothing can be done about a failure.
        let _ = call!(cuGraphExecDestroy(self.executable));
        let _ = call!(cuGraphDestroy(self.graph));
    }
}

/// A graph under construction, one node after the other.
struct Chain {
    graph: sys::CUgraph,
    /// What the next node comes after.
    before: [sys::CUgraphNode; 2],
    count: usize,
}

impl Chain {
    /// Two copies side by side.
    fn copies(
        &mut self,
        copies: [&Copy; 2],
        context: &Context,
    ) -> Result<[sys::CUgraphNode; 2], Failed> {
        let mut nodes = [null_mut(); 2];
        for (node, copy) in nodes.iter_mut().zip(copies) {
            call!(cuGraphAddMemcpyNode(
                node,
                self.graph,
                self.before.as_ptr(),
                self.count,
                &copy.parameters(),
                context.handle()
            ))?;
        }
        (self.before, self.count) = (nodes, 2);
        Ok(nodes)
    }

    fn kernel(&mut self, kernel: &mut Kernel<'_>) -> Result<sys::CUgraphNode, Failed> {
        let mut node = null_mut();
        call!(cuGraphAddKernelNode_v2(
            &mut node,
            self.graph,
            self.before.as_ptr(),
            self.count,
            &kernel.parameters()
        ))?;
        self.came(node);
        Ok(node)
    }

    fn mark(&mut self, event: Event) -> Result<(), Failed> {
        let mut node = null_mut();
        call!(cuGraphAddEventRecordNode(
            &mut node,
            self.graph,
            self.before.as_ptr(),
            self.count,
            event.0
        ))?;
        self.came(node);
        Ok(())
    }

    fn came(&mut self, node: sys::CUgraphNode) {
        self.before[0] = node;
        self.count = 1;
    }
}
