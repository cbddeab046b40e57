//! How the kernels are launched: the arguments and the grid of each for a block.

use super::driver::{Event, Failed, Function, Module, Rows, Shape, Stream};
use super::graph::{KERNELS, Kernel, Work};
use super::kernels::{self, FETCH_THREADS, MIX_GROUPS, MIX_THREADS, RENDER_ITEMS, RENDER_THREADS};
use super::memory::{COPY, DESCRIPTION, Memory, UPLOAD_WORDS, row_slots};
use super::upload::{Mix, Piece};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::{Capacity, MAX_TICKS};
use std::ffi::c_void;
use std::ops::Range;

/// Fetched slots are rounded up to a multiple of this, so that graphs seldom change.
const UPLOAD_SLOTS: usize = 64;

/// Blocks of the render kernel are rounded up to a multiple of this, for the same reason.
const RENDER_BLOCKS: u32 = 16;

/// The kernels of a GPU, and the arguments that all launches share.
#[derive(Debug)]
pub(super) struct Launcher {
    /// `fetch`, `render_clouds` and `mix`.
    functions: [Function; KERNELS],
    fail: Function,
    pub(super) memory: Memory,
    slots: usize,
    buses: usize,
}

/// A block's clouds in the host's memory, as the device sees them: `descriptions[tick][index]`, then
/// `copies[tick][index]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CloudsAt {
    pub(super) address: CUdeviceptr,
    /// Of each per tick.
    pub(super) slots: usize,
}

impl CloudsAt {
    /// Bytes before a description.
    pub(super) fn description(&self, tick: usize, index: usize) -> usize {
        (tick * self.slots + index) * DESCRIPTION
    }

    /// Bytes before a copy.
    pub(super) fn copy(&self, tick: usize, index: usize) -> usize {
        MAX_TICKS * self.slots * DESCRIPTION + (tick * self.slots + index) * COPY
    }
}

/// How much a launch covers; the device reads the exact counts from the upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    upload_words: usize,
    descriptions: usize,
    slots: usize,
    source: CloudsAt,
    render_blocks: u32,
    mix_blocks: u32,
    mix_tiles: u32,
}

impl Size {
    /// The size of a silent block.
    pub(super) const NOTHING: Self = Self {
        upload_words: 0,
        descriptions: 0,
        slots: 0,
        source: CloudsAt { address: 0, slots: 0 },
        render_blocks: RENDER_BLOCKS,
        mix_blocks: 1,
        mix_tiles: 1,
    };

    /// Bytes that are fetched for `ticks` ticks.
    pub(super) fn bytes(&self, ticks: usize) -> usize {
        let clouds = self.descriptions * DESCRIPTION + self.slots * COPY;
        4 * self.upload_words + ticks * clouds
    }
}

/// Addresses of what belongs to one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) ticks: usize,
    /// The upload, in the host's memory and in the device's.
    pub(super) host: CUdeviceptr,
    pub(super) device: CUdeviceptr,
    /// Which of the two cloud buffers on the device the block uses.
    pub(super) room: usize,
    /// The mixed audio, in the host's memory.
    pub(super) mixed: CUdeviceptr,
}

impl Launcher {
    pub(super) fn new(module: Module, memory: Memory, capacity: Capacity) -> Result<Self, Failed> {
        Ok(Self {
            functions: [
                module.function(kernels::FETCH)?,
                module.function(kernels::RENDER_CLOUDS)?,
                module.function(kernels::MIX)?,
            ],
            fail: module.function(kernels::FAIL)?,
            memory,
            slots: row_slots(capacity),
            buses: capacity.buses,
        })
    }

    /// The size of a launch for a block's last piece, given what it mixes.
    pub(super) fn size(&self, piece: &Piece, mix: Mix, source: CloudsAt) -> Size {
        let rounded =
            |slots: usize| slots.next_multiple_of(UPLOAD_SLOTS).min(self.slots).min(source.slots);
        Size {
            upload_words: piece.words.next_multiple_of(UPLOAD_WORDS),
            descriptions: rounded(piece.descriptions),
            slots: rounded(piece.copies.end),
            source,
            render_blocks: render_blocks(piece).next_multiple_of(RENDER_BLOCKS),
            mix_blocks: mix.groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
            mix_tiles: mix.tiles.next_power_of_two() as u32,
        }
    }

    /// Calls `then` with the three kernels of a block.
    pub(super) fn with_work<T>(
        &self,
        places: &Places,
        size: &Size,
        marks: Option<[Event; 3]>,
        then: impl FnOnce(Work<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let clouds = (size.slots * COPY).max(size.descriptions * DESCRIPTION);
        let most = (size.upload_words / 2).max(clouds / 8) as u32;
        let fetch_blocks = most.div_ceil(FETCH_THREADS).max(1);
        let mut fetch = self.fetch_arguments(places, size);
        let (mut render, mut mix) = (self.render_arguments(places), self.mix_arguments(places));
        let kernel = |index: usize, grid, threads, arguments| Kernel {
            function: self.functions[index],
            shape: Shape { grid, threads },
            arguments,
        };
        let fetch_grid = [fetch_blocks, 1 + 2 * places.ticks as u32, 1];
        then(Work {
            kernels: [
                kernel(0, fetch_grid, FETCH_THREADS, &mut pointers(&mut fetch)[..]),
                kernel(1, [size.render_blocks, 1, 1], RENDER_THREADS, &mut pointers(&mut render)),
                kernel(2, Self::mix_grid(places, size), MIX_THREADS, &mut pointers(&mut mix)),
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
        let shape = Shape { grid: [render_blocks(piece), 1, 1], threads: RENDER_THREADS };
        let mut arguments = self.render_arguments(places);
        stream.launch(self.functions[1], shape, &mut pointers(&mut arguments))
    }

    /// Mixes all pieces; `places` are those of the last piece, which carries the ends of the groups.
    pub(super) fn mix(&self, stream: Stream, places: &Places, size: &Size) -> Result<(), Failed> {
        let shape = Shape { grid: Self::mix_grid(places, size), threads: MIX_THREADS };
        let mut arguments = self.mix_arguments(places);
        stream.launch(self.functions[2], shape, &mut pointers(&mut arguments))
    }

    /// Starts a kernel that fails.
    pub(super) fn fail(&self, stream: Stream) -> Result<(), Failed> {
        let shape = Shape { grid: [1; 3], threads: 1 };
        stream.launch(self.fail, shape, &mut [])
    }

    /// Some descriptions of every tick, to be copied to the device; `host` is the address of the block's clouds.
    pub(super) fn descriptions(
        &self,
        places: &Places,
        source: &CloudsAt,
        host: usize,
        range: Range<usize>,
    ) -> Rows {
        Rows {
            from: (host + source.description(0, range.start)) as *const c_void,
            pitch_from: source.slots * DESCRIPTION,
            to: self.memory.descriptions[places.room] + (range.start * DESCRIPTION) as CUdeviceptr,
            pitch: self.slots * DESCRIPTION,
            bytes: range.len() * DESCRIPTION,
            count: places.ticks,
        }
    }

    /// The same for copies.
    pub(super) fn copies(
        &self,
        places: &Places,
        source: &CloudsAt,
        host: usize,
        range: Range<usize>,
    ) -> Rows {
        Rows {
            from: (host + source.copy(0, range.start)) as *const c_void,
            pitch_from: source.slots * COPY,
            to: self.memory.copies[places.room] + (range.start * COPY) as CUdeviceptr,
            pitch: self.slots * COPY,
            bytes: range.len() * COPY,
            count: places.ticks,
        }
    }

    fn mix_grid(places: &Places, size: &Size) -> [u32; 3] {
        [size.mix_blocks, places.ticks as u32, size.mix_tiles]
    }

    // Arguments in the order of the kernels' parameters, see `kernels/cuda/render.cu`.

    fn fetch_arguments(&self, places: &Places, size: &Size) -> [u64; 13] {
        let pairs = |count: usize, bytes: usize| (count * bytes / 8) as u64;
        let source = &size.source;
        [
            places.host,
            places.device,
            (size.upload_words / 2) as u64,
            source.address + source.description(0, 0) as u64,
            self.memory.descriptions[places.room],
            pairs(size.descriptions, DESCRIPTION),
            pairs(source.slots, DESCRIPTION),
            pairs(self.slots, DESCRIPTION),
            source.address + source.copy(0, 0) as u64,
            self.memory.copies[places.room],
            pairs(size.slots, COPY),
            pairs(source.slots, COPY),
            pairs(self.slots, COPY),
        ]
    }

    fn render_arguments(&self, places: &Places) -> [u64; 14] {
        let memory = &self.memory;
        [
            places.device,
            memory.descriptions[places.room],
            memory.copies[places.room],
            self.slots as u64,
            memory.tables,
            memory.table_rows,
            memory.phases,
            memory.levels,
            memory.slices,
            memory.samples,
            memory.routes,
            memory.sounded,
            places.ticks as u64,
            self.buses as u64,
        ]
    }

    fn mix_arguments(&self, places: &Places) -> [u64; 9] {
        let memory = &self.memory;
        [
            places.device,
            memory.samples,
            memory.routes,
            memory.sums,
            memory.arrivals,
            memory.sounded,
            places.mixed,
            places.ticks as u64,
            self.buses as u64,
        ]
    }
}

fn render_blocks(piece: &Piece) -> u32 {
    piece.items.div_ceil(RENDER_ITEMS) as u32
}

/// Arguments as the driver takes them. Every argument has eight bytes here; of one that the kernel
/// declares with four, the driver reads the first four, which are the lower half.
pub(super) fn pointers<const N: usize>(arguments: &mut [u64; N]) -> [*mut c_void; N] {
    const { assert!(cfg!(target_endian = "little")) };
    arguments.each_mut().map(|argument| std::ptr::from_mut(argument).cast())
}
