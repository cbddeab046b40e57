//! How the kernels are launched: which arguments and shapes a block has for them.

use super::driver::{Event, Failed, Function, Module, Shape, Stream};
use super::graph::{KERNELS, Kernel, Work};
use super::kernels::{
    self, FETCH_THREADS, MIX_BUSES, MIX_GROUPS, MIX_THREADS, RENDER_ITEMS, RENDER_THREADS,
};
use super::memory::{CLOUD, Memory, UPLOAD_WORDS};
use super::upload::Piece;
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::Capacity;
use std::ffi::c_void;

/// As uploads are, the slots whose clouds are fetched are rounded up to this,
const UPLOAD_SLOTS: usize = 64;

/// and blocks of the render kernel to this.
const RENDER_BLOCKS: u32 = 16;

/// The kernels of a GPU, and what all their launches share.
#[derive(Debug)]
pub(super) struct Launcher {
    /// `fetch`, `render_clouds` and `mix`.
    functions: [Function; KERNELS],
    fail: Function,
    memory: Memory,
    slots: usize,
    buses: usize,
}

/// A block's clouds in the host's memory, as the device sees them: `clouds[tick][slot]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CloudsAt {
    pub(super) address: CUdeviceptr,
    /// Slots of a tick.
    pub(super) slots: usize,
}

/// How much a launch covers; the device reads the exact counts from the upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    upload_words: usize,
    slots: usize,
    source: CloudsAt,
    render_blocks: u32,
    mix_blocks: u32,
}

impl Size {
    /// Of a block in which nothing sounds.
    pub(super) const NOTHING: Self = Self {
        upload_words: 0,
        slots: 0,
        source: CloudsAt {
            address: 0,
            slots: 0,
        },
        render_blocks: RENDER_BLOCKS,
        mix_blocks: 1,
    };

    /// Bytes that are fetched for `ticks` ticks.
    pub(super) fn bytes(&self, ticks: usize) -> usize {
        4 * self.upload_words + ticks * self.slots * CLOUD
    }
}

/// Where a launch finds and leaves what belongs to its block alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) ticks: usize,
    /// The upload, in the host's memory and in the device's.
    pub(super) host: CUdeviceptr,
    pub(super) device: CUdeviceptr,
    /// Which of the two rooms its clouds are in.
    pub(super) room: usize,
    /// What the device mixes, in the host's memory.
    pub(super) mixed: CUdeviceptr,
}

impl Launcher {
    /// Brings tables to the GPU that were imported after number `known`.
    pub(super) fn write_imported(&self, known: &mut u64) -> Result<(), Failed> {
        self.memory.write_imported(known)
    }

    pub(super) fn new(module: Module, memory: Memory, capacity: Capacity) -> Result<Self, Failed> {
        Ok(Self {
            functions: [
                module.function(kernels::FETCH)?,
                module.function(kernels::RENDER_CLOUDS)?,
                module.function(kernels::MIX)?,
            ],
            fail: module.function(kernels::FAIL)?,
            memory,
            slots: capacity.slots,
            buses: capacity.buses,
        })
    }

    /// What to launch for a block's last piece, given the groups of slots in use.
    pub(super) fn size(&self, piece: &Piece, groups: usize, source: CloudsAt) -> Size {
        let slots = piece.slots.end.next_multiple_of(UPLOAD_SLOTS);
        Size {
            upload_words: piece.words.next_multiple_of(UPLOAD_WORDS),
            slots: slots.min(self.slots).min(source.slots),
            source,
            render_blocks: render_blocks(piece).next_multiple_of(RENDER_BLOCKS),
            mix_blocks: groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
        }
    }

    /// Describes a block's work to `then`.
    pub(super) fn with_work<T>(
        &self,
        places: &Places,
        size: &Size,
        marks: Option<[Event; 3]>,
        then: impl FnOnce(Work<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let mut fetch = self.fetch_arguments(places, size);
        let mut render = self.render_arguments(places);
        let mut mix = self.mix_arguments(places);
        let most = (size.upload_words / 2).max(size.slots * CLOUD / 8) as u32;
        let fetch_blocks = most.div_ceil(FETCH_THREADS).max(1);
        let ticks = places.ticks as u32;
        let kernel = |index: usize, grid, threads, arguments| Kernel {
            function: self.functions[index],
            shape: Shape { grid, threads },
            arguments,
        };
        let [fetch, render, mix] = [
            &mut fetch.pointers()[..],
            &mut render.pointers(),
            &mut mix.pointers(),
        ];
        then(Work {
            kernels: [
                kernel(0, [fetch_blocks, 1 + ticks, 1], FETCH_THREADS, fetch),
                kernel(1, [size.render_blocks, 1, 1], RENDER_THREADS, render),
                kernel(2, self.mix_grid(places, size), MIX_THREADS, mix),
            ],
            marks,
        })
    }

    /// Renders one of several pieces.
    pub(super) fn render_piece(
        &self,
        stream: Stream,
        places: &Places,
        piece: &Piece,
    ) -> Result<(), Failed> {
        let shape = Shape {
            grid: [render_blocks(piece), 1, 1],
            threads: RENDER_THREADS,
        };
        let mut arguments = self.render_arguments(places);
        stream.launch(self.functions[1], shape, &mut arguments.pointers())
    }

    /// Mixes all pieces; `places` are the last one's, which brought the ends.
    pub(super) fn mix(&self, stream: Stream, places: &Places, size: &Size) -> Result<(), Failed> {
        let shape = Shape {
            grid: self.mix_grid(places, size),
            threads: MIX_THREADS,
        };
        let mut arguments = self.mix_arguments(places);
        stream.launch(self.functions[2], shape, &mut arguments.pointers())
    }

    /// Starts a kernel that fails.
    pub(super) fn fail(&self, stream: Stream) -> Result<(), Failed> {
        let shape = Shape {
            grid: [1; 3],
            threads: 1,
        };
        stream.launch(self.fail, shape, &mut [])
    }

    /// Where the clouds of `slot` in `tick` belong.
    pub(super) fn clouds_at(&self, places: &Places, tick: usize, slot: usize) -> CUdeviceptr {
        let offset = (tick * self.slots + slot) * CLOUD;
        self.memory.clouds[places.room] + offset as CUdeviceptr
    }

    fn mix_grid(&self, places: &Places, size: &Size) -> [u32; 3] {
        let tiles = self.buses.div_ceil(MIX_BUSES).max(1);
        [size.mix_blocks, places.ticks as u32, tiles as u32]
    }

    fn fetch_arguments(&self, places: &Places, size: &Size) -> FetchArguments {
        let pairs = |slots: usize| (slots * CLOUD / 8) as u32;
        FetchArguments {
            upload_from: places.host,
            upload: places.device,
            upload_pairs: (size.upload_words / 2) as u32,
            clouds_from: size.source.address,
            clouds: self.memory.clouds[places.room],
            cloud_pairs: pairs(size.slots),
            pitch_from: pairs(size.source.slots),
            pitch: pairs(self.slots),
        }
    }

    fn render_arguments(&self, places: &Places) -> RenderArguments {
        RenderArguments {
            upload: places.device,
            clouds: self.memory.clouds[places.room],
            slots: self.slots as u32,
            memory: self.memory,
            ticks: places.ticks as u32,
            buses: self.buses as u32,
        }
    }

    fn mix_arguments(&self, places: &Places) -> MixArguments {
        MixArguments {
            upload: places.device,
            memory: self.memory,
            mixed: places.mixed,
            ticks: places.ticks as u32,
            buses: self.buses as u32,
        }
    }
}

fn render_blocks(piece: &Piece) -> u32 {
    piece.items.div_ceil(RENDER_ITEMS) as u32
}

struct FetchArguments {
    upload_from: CUdeviceptr,
    upload: CUdeviceptr,
    upload_pairs: u32,
    clouds_from: CUdeviceptr,
    clouds: CUdeviceptr,
    cloud_pairs: u32,
    pitch_from: u32,
    pitch: u32,
}

impl FetchArguments {
    fn pointers(&mut self) -> [*mut c_void; 8] {
        [
            pointer(&mut self.upload_from),
            pointer(&mut self.upload),
            pointer(&mut self.upload_pairs),
            pointer(&mut self.clouds_from),
            pointer(&mut self.clouds),
            pointer(&mut self.cloud_pairs),
            pointer(&mut self.pitch_from),
            pointer(&mut self.pitch),
        ]
    }
}

struct RenderArguments {
    upload: CUdeviceptr,
    clouds: CUdeviceptr,
    slots: u32,
    memory: Memory,
    ticks: u32,
    buses: u32,
}

impl RenderArguments {
    fn pointers(&mut self) -> [*mut c_void; 13] {
        let memory = &mut self.memory;
        [
            pointer(&mut self.upload),
            pointer(&mut self.clouds),
            pointer(&mut self.slots),
            pointer(&mut memory.tables),
            pointer(&mut memory.table_rows),
            pointer(&mut memory.phases),
            pointer(&mut memory.levels),
            pointer(&mut memory.slices),
            pointer(&mut memory.samples),
            pointer(&mut memory.routes),
            pointer(&mut memory.sounded),
            pointer(&mut self.ticks),
            pointer(&mut self.buses),
        ]
    }
}

struct MixArguments {
    upload: CUdeviceptr,
    memory: Memory,
    mixed: CUdeviceptr,
    ticks: u32,
    buses: u32,
}

impl MixArguments {
    fn pointers(&mut self) -> [*mut c_void; 9] {
        let memory = &mut self.memory;
        [
            pointer(&mut self.upload),
            pointer(&mut memory.samples),
            pointer(&mut memory.routes),
            pointer(&mut memory.sums),
            pointer(&mut memory.arrivals),
            pointer(&mut memory.sounded),
            pointer(&mut self.mixed),
            pointer(&mut self.ticks),
            pointer(&mut self.buses),
        ]
    }
}

/// An argument, as the driver takes it.
pub(super) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
