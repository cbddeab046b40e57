//! A block's work as a CUDA graph: upload, render, mix, download, submitted in one call.
//!
//! One graph for every number of ticks. Sizes are rounded up, and the device reads the exact
//! counts from the upload, so a graph is changed only when the load moves to another size.

use super::driver::{Context, Event, Failed, Function, Shape, Stream, call};
use cudarc::driver::sys;
use std::ffi::c_void;
use std::mem::zeroed;
use std::ptr::null_mut;

/// How much a replay covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// Words to upload.
    pub(super) upload_words: usize,
    /// Blocks of the render kernel.
    pub(super) render_blocks: u32,
    /// Blocks of the mix kernel, a tick.
    pub(super) mix_blocks: u32,
}

/// A copy between host and device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) host: *mut c_void,
    pub(super) device: sys::CUdeviceptr,
    pub(super) words: usize,
    pub(super) to_device: bool,
}

impl Copy {
    fn parameters(&self) -> sys::CUDA_MEMCPY3D {
        use sys::CUmemorytype_enum::{CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
        // SAFETY: the struct is plain numbers, pointers and enums for which zero is replaced below.
        let mut copy: sys::CUDA_MEMCPY3D = unsafe {
            let mut bytes = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
            (*bytes.as_mut_ptr()).srcMemoryType = CU_MEMORYTYPE_HOST;
            (*bytes.as_mut_ptr()).dstMemoryType = CU_MEMORYTYPE_DEVICE;
            bytes.assume_init()
        };
        copy.WidthInBytes = 4 * self.words;
        (copy.Height, copy.Depth) = (1, 1);
        if self.to_device {
            copy.srcHost = self.host;
            copy.dstDevice = self.device;
        } else {
            copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
            copy.srcDevice = self.device;
            copy.dstMemoryType = CU_MEMORYTYPE_HOST;
            copy.dstHost = self.host;
        }
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
    /// Missing when the device reads the host's memory itself.
    pub(super) upload: Option<Copy>,
    pub(super) render: Kernel<'a>,
    pub(super) mix: Kernel<'a>,
    pub(super) download: Copy,
    /// Passed at the start, after the upload, after the kernels, and at the end.
    pub(super) marks: Option<[Event; 4]>,
}

/// A graph ready to be replayed. Dropped before its context, while that is current.
#[derive(Debug)]
pub(super) struct Graph {
    /// Kept because its nodes say which part of the executable to change.
    graph: sys::CUgraph,
    executable: sys::CUgraphExec,
    upload: sys::CUgraphNode,
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
            last: null_mut(),
        };
        let mark = |chain: &mut Chain, which: usize| match work.marks {
            Some(marks) => chain.mark(marks[which]),
            None => Ok(()),
        };
        mark(&mut chain, 0)?;
        let upload = match &work.upload {
            Some(copy) => chain.copy(copy, context)?,
            None => null_mut(),
        };
        mark(&mut chain, 1)?;
        let render = chain.kernel(&mut work.render)?;
        let mix = chain.kernel(&mut work.mix)?;
        mark(&mut chain, 2)?;
        chain.copy(&work.download, context)?;
        mark(&mut chain, 3)?;
        let mut executable = null_mut();
        call!(cuGraphInstantiateWithFlags(&mut executable, graph, 0))?;
        call!(cuGraphUpload(executable, stream.0))?;
        Ok(Self {
            graph,
            executable,
            upload,
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
        if let Some(copy) = &work.upload
            && size.upload_words != self.size.upload_words
        {
            let copy = copy.parameters();
            call!(cuGraphExecMemcpyNodeSetParams(
                self.executable,
                self.upload,
                &copy,
                context.handle()
            ))?;
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
    last: sys::CUgraphNode,
}

impl Chain {
    fn copy(&mut self, copy: &Copy, context: &Context) -> Result<sys::CUgraphNode, Failed> {
        let (before, count, mut node) = (self.last, self.count(), null_mut());
        call!(cuGraphAddMemcpyNode(
            &mut node,
            self.graph,
            &before,
            count,
            &copy.parameters(),
            context.handle()
        ))?;
        self.last = node;
        Ok(node)
    }

    fn kernel(&mut self, kernel: &mut Kernel<'_>) -> Result<sys::CUgraphNode, Failed> {
        let (before, count, mut node) = (self.last, self.count(), null_mut());
        call!(cuGraphAddKernelNode_v2(
            &mut node,
            self.graph,
            &before,
            count,
            &kernel.parameters()
        ))?;
        self.last = node;
        Ok(node)
    }

    fn mark(&mut self, event: Event) -> Result<(), Failed> {
        let (before, count, mut node) = (self.last, self.count(), null_mut());
        call!(cuGraphAddEventRecordNode(
            &mut node, self.graph, &before, count, event.0
        ))?;
        self.last = node;
        Ok(())
    }

    /// Nodes that the next one comes after.
    fn count(&self) -> usize {
        usize::from(!self.last.is_null())
    }
}
