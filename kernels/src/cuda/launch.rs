//! How the kernels are launched: the arguments and the grid of each for a block.

use super::driver::{Failed, Function, Module, Shape, Stream};
use super::graph::{Events, KERNELS, Kernel, Work};
use super::kernels::{
    self, FETCH_THREADS, FETCH_VOICES, MIX_GROUPS, MIX_THREADS, RENDER_ITEMS, RENDER_THREADS,
};
use super::memory::{Memory, QueueMemory, UPLOAD_WORDS};
use super::turn::{AT_ONCE, Turn};
use super::upload::{Layout, Mix, Piece, rounded};
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::render::Capacity;
use myriad_engine::spectrum::UnisonVoice;
use std::ffi::c_void;
use std::ops::Range;

/// Blocks of the render kernel are rounded up to a multiple of this, for the same reason.
const RENDER_BLOCKS: u32 = 16;

/// The kernels of a GPU, and the arguments that all launches share.
#[derive(Debug)]
pub(super) struct Launcher {
    /// `fetch`, `render_clouds` and `mix`.
    functions: [Function; KERNELS],
    fail: Function,
    /// Blocks of threads of a `render_clouds` that waits for clouds of others. The oldest one has room beside all that wait,
    /// so it goes on, and then those that wait for it.
    share: u32,
    pub(super) memory: Memory,
    layout: Layout,
    slots: usize,
    buses: usize,
}

/// How much a launch covers; the device reads the exact counts from the upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    upload_words: usize,
    /// The voices to fetch, and where they are.
    voices: usize,
    source: CUdeviceptr,
    render_blocks: u32,
    mix_blocks: u32,
    mix_tiles: u32,
}

impl Size {
    /// The size of a silent block.
    pub(super) const NOTHING: Self = Self {
        upload_words: 0,
        voices: 0,
        source: 0,
        render_blocks: RENDER_BLOCKS,
        mix_blocks: 1,
        mix_tiles: 1,
    };

    /// Bytes that are fetched for `ticks` ticks.
    pub(super) fn bytes(&self, ticks: usize) -> usize {
        4 * self.upload_words + ticks * self.voices * size_of::<UnisonVoice>()
    }
}

/// Addresses of what belongs to one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) ticks: usize,
    /// The upload, in the host's memory and in the device's.
    pub(super) host: CUdeviceptr,
    pub(super) device: CUdeviceptr,
    /// The buffers of its queue.
    pub(super) memory: QueueMemory,
    /// The mixed audio, in the host's memory.
    pub(super) mixed: CUdeviceptr,
}

impl Launcher {
    pub(super) fn new(
        module: Module,
        memory: Memory,
        layout: Layout,
        capacity: Capacity,
        processors: u32,
    ) -> Result<Self, Failed> {
        let render = module.function(kernels::RENDER_CLOUDS)?;
        let at_once = render.blocks_at_once(RENDER_THREADS)?;
        Ok(Self {
            functions: [module.function(kernels::FETCH)?, render, module.function(kernels::MIX)?],
            share: at_once.saturating_sub(1) / (AT_ONCE as u32 - 1) * processors,
            fail: module.function(kernels::FAIL)?,
            memory,
            layout,
            slots: capacity.slots,
            buses: capacity.buses,
        })
    }

    /// Whether a block may be rendered while the one before still is.
    pub(super) fn may_overlap(&self) -> bool {
        self.share > 0
    }

    /// The size of a launch for a block's last piece, given what it mixes and where its voices are.
    pub(super) fn size(&self, piece: &Piece, mix: Mix, source: CUdeviceptr) -> Size {
        let most_words = self.layout.words.next_multiple_of(UPLOAD_WORDS);
        Size {
            upload_words: rounded(piece.words, UPLOAD_WORDS).min(most_words),
            voices: piece.voices.len(),
            source,
            render_blocks: render_blocks(piece).next_multiple_of(RENDER_BLOCKS),
            mix_blocks: mix.groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
            mix_tiles: mix.tiles.next_power_of_two() as u32,
        }
    }

    /// Calls `then` with the three kernels of a block and its events.
    pub(super) fn with_work<T>(
        &self,
        places: &Places,
        size: &Size,
        events: Events,
        then: impl FnOnce(Work<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let mut fetch =
            self.fetch_arguments(places, size.upload_words, 0..size.voices, size.source);
        let mut render = self.render_arguments(places, events.turn);
        let mut mix = self.mix_arguments(places);
        let render_blocks = match events.turn {
            Turn::Alone | Turn::After(_) => size.render_blocks,
            Turn::Beside { .. } => size.render_blocks.min(self.share),
        };
        let kernel = |index: usize, grid, threads, arguments| Kernel {
            function: self.functions[index],
            shape: Shape { grid, threads },
            arguments,
        };
        let fetch_grid = Self::fetch_grid(size.upload_words, size.voices);
        then(Work {
            kernels: [
                kernel(0, fetch_grid, FETCH_THREADS, &mut pointers(&mut fetch)[..]),
                kernel(1, [render_blocks, 1, 1], RENDER_THREADS, &mut pointers(&mut render)),
                kernel(2, Self::mix_grid(places, size), MIX_THREADS, &mut pointers(&mut mix)),
            ],
            events,
        })
    }

    /// Fetches the voices of one of several pieces, whose upload is copied.
    pub(super) fn fetch_piece(
        &self,
        stream: Stream,
        places: &Places,
        piece: &Piece,
        source: CUdeviceptr,
    ) -> Result<(), Failed> {
        let grid = Self::fetch_grid(0, piece.voices.len());
        let shape = Shape { grid, threads: FETCH_THREADS };
        let mut arguments = self.fetch_arguments(places, 0, piece.voices.clone(), source);
        stream.launch(self.functions[0], shape, &mut pointers(&mut arguments))
    }

    /// Renders one of several pieces.
    pub(super) fn render_piece(
        &self,
        stream: Stream,
        places: &Places,
        piece: &Piece,
    ) -> Result<(), Failed> {
        let shape = Shape { grid: [render_blocks(piece), 1, 1], threads: RENDER_THREADS };
        let mut arguments = self.render_arguments(places, Turn::Alone);
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

    fn fetch_grid(upload_words: usize, voices: usize) -> [u32; 3] {
        let upload = (upload_words as u32 / 2).div_ceil(FETCH_THREADS);
        [(upload + voices.div_ceil(FETCH_VOICES) as u32).max(1), 1, 1]
    }

    fn mix_grid(places: &Places, size: &Size) -> [u32; 3] {
        [size.mix_blocks, places.ticks as u32, size.mix_tiles]
    }

    // Arguments in the order of the kernels' parameters, see `kernels/cuda/render.cu`.

    fn fetch_arguments(
        &self,
        places: &Places,
        upload_words: usize,
        voices: Range<usize>,
        source: CUdeviceptr,
    ) -> [u64; 13] {
        [
            places.host,
            places.device,
            (upload_words / 2) as u64,
            places.host + 4 * self.layout.list_at as u64,
            voices.start as u64,
            voices.len() as u64,
            source,
            places.memory.descriptions,
            places.memory.copies,
            self.slots as u64,
            self.memory.table_rows,
            places.ticks as u64,
            self.buses as u64,
        ]
    }

    fn render_arguments(&self, places: &Places, turn: Turn) -> [u64; 14] {
        let (memory, own) = (&self.memory, &places.memory);
        [
            places.device,
            own.descriptions,
            own.copies,
            self.slots as u64,
            memory.tables,
            memory.phases,
            memory.levels,
            memory.slices,
            memory.last_blocks,
            own.rendered.samples,
            own.rendered.routes,
            own.sounded,
            match turn {
                Turn::Alone | Turn::After(_) => 0,
                Turn::Beside { .. } => own.taken,
            },
            places.ticks as u64,
        ]
    }

    fn mix_arguments(&self, places: &Places) -> [u64; 10] {
        let own = &places.memory;
        [
            places.device,
            own.rendered.samples,
            own.rendered.routes,
            own.sums,
            own.arrivals,
            own.sounded,
            own.taken,
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
