//! A prepared card: its memory, its kernels, and how a block goes through them.

use super::driver::{
    Card, Context, Event, Failed, Function, Module, Pinned, Registered, Shape, Stream,
};
use super::graph::{Graph, KERNELS, Kernel, Work};
use super::kernels::{
    self, MIX_BUSES, MIX_GROUPS, MIXED_BLOCK, MIXED_SOUNDED, MIXED_WORDS, RENDER_ITEMS,
};
use super::upload::{Carrier, Layout, MIX_SLOTS, Packer, Piece};
use super::{CudaCounters, CudaOptions};
use crate::render::{Buses, Capacity, DeviceError, MAX_TICKS, RenderError, TICK, VoiceBlock};
use crate::spectrum::{Cloud, MAX_PARTIALS, tables};
use cudarc::driver::sys::CUdeviceptr;
use std::ffi::c_void;
use std::ops::Range;
use std::time::Instant;

/// The most items of one piece. Small enough that a large block has several, to overlap; large
/// enough to fill any card.
const PIECE_ITEMS: usize = 16_384;

/// Samples of a tick, both sides.
const STEREO: usize = 2 * TICK;

/// What is uploaded is rounded up to this, so that graphs seldom change.
const UPLOAD_WORDS: usize = 1_024;
const UPLOAD_SLOTS: usize = 64;

/// So are blocks of the render kernel.
const RENDER_BLOCKS: u32 = 16;

/// Bytes of a cloud.
const CLOUD: usize = size_of::<Cloud>();

#[derive(Debug)]
pub(super) struct Device {
    packer: Packer,
    link: Link,
}

/// The card and everything on it.
#[derive(Debug)]
struct Link {
    options: CudaOptions,
    counters: CudaCounters,
    slots: usize,
    buses: usize,
    /// Ticks of the block that is being sent.
    ticks: usize,
    source: Source,
    /// Whether the block that is being sent makes any sound.
    sounds: bool,
    /// `fetch`, `render_clouds` and `mix`.
    functions: [Function; KERNELS],
    fail: Function,
    /// Pieces take turns; the first one's queue also mixes.
    stages: [Stage; 2],
    marks: [Event; 3],
    /// What the device has mixed.
    mixed: Pinned,
    memory: Memory,
    /// By ticks, from one on, and what they cover; dropped before the context.
    graphs: Vec<(Graph, Size)>,
    context: Context,
}

/// The block that is being sent: `clouds[tick][slot]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Source {
    /// The id of the block, whose memory is pinned.
    block: Option<u64>,
    /// Where its clouds are for the host, and for the device.
    host: usize,
    device: CUdeviceptr,
    /// Slots of a tick.
    slots: usize,
}

/// How much a replay covers: what its kernels are launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    upload_words: usize,
    slots: usize,
    source: Source,
    render_blocks: u32,
    mix_blocks: u32,
}

#[derive(Debug)]
struct Stage {
    stream: Stream,
    host: Pinned,
    device: CUdeviceptr,
    uploaded: Event,
    rendered: Event,
}

/// Device memory, as `kernels/` describe it.
#[derive(Clone, Copy, Debug)]
struct Memory {
    clouds: CUdeviceptr,
    tables: CUdeviceptr,
    table_rows: u32,
    phases: CUdeviceptr,
    levels: CUdeviceptr,
    slices: CUdeviceptr,
    samples: CUdeviceptr,
    routes: CUdeviceptr,
    sounded: CUdeviceptr,
    sums: CUdeviceptr,
    arrivals: CUdeviceptr,
    /// In the host's memory.
    mixed: CUdeviceptr,
}

/// Words of each part of the memory.
struct Words {
    clouds: usize,
    partials: usize,
    slices: usize,
    samples: usize,
    routes: usize,
    sums: usize,
    arrivals: usize,
    mixed: usize,
    stage: usize,
}

impl Words {
    fn new(capacity: Capacity, slices: usize, layout: &Layout) -> Self {
        let items = capacity.slots * slices;
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        Self {
            clouds: MAX_TICKS * capacity.slots * CLOUD / 4,
            partials: capacity.slots * MAX_PARTIALS,
            slices: 2 * items,
            samples: items * MAX_TICKS * STEREO,
            routes: items * MAX_TICKS,
            sums: MAX_TICKS * capacity.buses * blocks * STEREO,
            arrivals: 1 + capacity.buses.div_ceil(MIX_BUSES) * MAX_TICKS,
            mixed: MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO,
            stage: layout.words.next_multiple_of(UPLOAD_WORDS),
        }
    }

    fn device_total(&self) -> usize {
        let once = self.clouds + self.slices + self.samples + self.routes + self.sums;
        2 * self.partials + once + 2 * self.stage + tables().rows().len()
    }
}

impl Device {
    pub(super) fn new(
        index: usize,
        capacity: Capacity,
        options: CudaOptions,
    ) -> Result<Self, DeviceError> {
        let card = Card::find(index)?;
        let (mut context, _current) = Context::new(&card)?;
        let image = kernels::image(card.capability);
        let items = (capacity.slots * image.slices).min(PIECE_ITEMS);
        let layout = Layout::new(capacity.slots, items);
        let words = Words::new(capacity, image.slices, &layout);
        let refused = |failed: Failed, context: &Context| match failed.is_out_of_memory() {
            true => DeviceError::OutOfMemory {
                name: card.name.clone(),
                slots: capacity.slots,
                needed: (4 * words.device_total()) >> 20,
                free: (context.free_bytes() + context.device_bytes) >> 20,
            },
            false => failed.into(),
        };
        let module = Module::load(image.bytes)?;
        let mixed = context.pinned_words(words.mixed)?;
        let memory = Memory::new(&mut context, &words, mixed.address() as CUdeviceptr)
            .map_err(|failed| refused(failed, &context))?;
        let mut stage = || -> Result<Stage, Failed> {
            Ok(Stage {
                stream: Stream::new()?,
                host: context.pinned_words(words.stage)?,
                device: context.device_words(words.stage)?,
                uploaded: Event::new()?,
                rendered: Event::new()?,
            })
        };
        let stages = stage()
            .and_then(|first| Ok([first, stage()?]))
            .map_err(|failed| refused(failed, &context))?;
        let mut link = Link {
            options,
            counters: CudaCounters {
                code: image.name,
                driver: card.driver,
                capability: card.capability,
                processors: card.processors,
                kilohertz: card.kilohertz,
                device_bytes: context.device_bytes,
                pinned_bytes: context.host_bytes,
                card: card.name,
                ..CudaCounters::default()
            },
            slots: capacity.slots,
            buses: capacity.buses,
            ticks: 0,
            source: Source::default(),
            sounds: false,
            functions: [
                module.function(kernels::FETCH)?,
                module.function(kernels::RENDER_CLOUDS)?,
                module.function(kernels::MIX)?,
            ],
            fail: module.function(kernels::FAIL)?,
            stages,
            marks: [Event::new()?, Event::new()?, Event::new()?],
            mixed,
            memory,
            graphs: Vec::with_capacity(MAX_TICKS),
            context,
        };
        link.warm_up()?;
        Ok(Self {
            packer: Packer::new(capacity.slots, image.slices, layout),
            link,
        })
    }

    pub(super) fn counters(&self) -> &CudaCounters {
        &self.link.counters
    }

    pub(super) fn free_bytes(&self) -> usize {
        match self.link.context.make_current() {
            Ok(_current) => self.link.context.free_bytes(),
            Err(_) => 0,
        }
    }

    /// Starts a kernel that fails.
    pub(super) fn provoke_failure(&self) -> Result<(), RenderError> {
        let _current = self.link.context.make_current()?;
        let shape = Shape {
            grid: [1; 3],
            threads: 1,
        };
        let stream = self.link.stages[0].stream;
        Ok(stream.launch(self.link.fail, shape, &mut [])?)
    }

    /// Says that the device hangs, so that nobody waits for it any more.
    pub(super) fn give_up(&self) {
        self.link.context.give_up();
    }

    pub(super) fn reset(&mut self) {
        self.packer.reset();
    }

    pub(super) fn render(
        &mut self,
        block: &VoiceBlock,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        let Self { packer, link } = self;
        if block.ticks() == 0 {
            return Ok(0);
        }
        let start = Instant::now();
        let _current = link.context.make_current()?;
        link.adopt(block)?;
        (link.ticks, link.sounds) = (block.ticks(), false);
        packer.pack(block, link)?;
        let submitted = Instant::now();
        if link.sounds {
            link.finish(packer.block)?;
        }
        let partials = link.hand_over(buses);
        let counters = &mut link.counters;
        counters.renders += 1;
        counters.download_bytes = match link.sounds {
            true => 4 * (MIXED_WORDS + link.ticks * link.buses * STEREO),
            false => 0,
        };
        counters.times.submit = microseconds(submitted - start);
        counters.times.wait = microseconds(submitted.elapsed());
        if link.options.stage_times && link.sounds {
            let [start, uploaded, end] = link.marks;
            counters.times.upload = start.microseconds_to(uploaded)?;
            counters.times.compute = uploaded.microseconds_to(end)?;
        }
        Ok(partials)
    }
}

fn microseconds(time: std::time::Duration) -> f32 {
    time.as_secs_f32() * 1e6
}

impl Memory {
    fn new(context: &mut Context, words: &Words, mixed: CUdeviceptr) -> Result<Self, Failed> {
        let rows = tables().rows();
        let memory = Self {
            clouds: context.device_words(words.clouds)?,
            tables: context.device_words(rows.len())?,
            table_rows: (rows.len() / MAX_PARTIALS) as u32,
            phases: context.device_words(words.partials)?,
            levels: context.device_words(words.partials)?,
            slices: context.device_words(words.slices)?,
            samples: context.device_words(words.samples)?,
            routes: context.device_words(words.routes)?,
            sounded: context.device_words(1)?,
            sums: context.device_words(words.sums)?,
            arrivals: context.device_words(words.arrivals)?,
            // Host and device share one address space on every system we run on.
            mixed,
        };
        Context::write(memory.tables, rows)?;
        Ok(memory)
    }
}

impl Carrier for Link {
    type Error = RenderError;

    fn stage(&mut self, number: usize) -> Result<&mut [u32], RenderError> {
        let stage = &mut self.stages[number % 2];
        if number >= 2 {
            stage.uploaded.wait(self.options.deadline)?;
        }
        Ok(stage.host.words_mut())
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), RenderError> {
        self.counters.pieces += 1;
        match (number, piece.groups) {
            (0, Some(_)) if piece.items == 0 => Ok(()),
            (0, Some(groups)) => {
                self.sounds = true;
                self.send_all(self.size(&piece, groups))?;
                Ok(())
            }
            (_, groups) => {
                self.sounds = true;
                self.send_piece(number, &piece)?;
                if let Some(groups) = groups {
                    self.mix_pieces(number, &self.size(&piece, groups))?;
                }
                Ok(())
            }
        }
    }
}

impl Link {
    /// Pins the block's clouds, when it is another block than the last one.
    fn adopt(&mut self, block: &VoiceBlock) -> Result<(), Failed> {
        if self.source.block == Some(block.id()) {
            return Ok(());
        }
        self.source = Source::default();
        let clouds = block.clouds();
        // Another renderer may have had it before.
        clouds.set_pin(None);
        let registered = Registered::new(&self.context, clouds.bytes())?;
        self.source = Source {
            block: Some(block.id()),
            host: clouds.as_ptr() as usize,
            device: registered.address,
            slots: block.capacity(),
        };
        clouds.set_pin(Some(Box::new(registered)));
        Ok(())
    }

    fn size(&self, piece: &Piece, groups: usize) -> Size {
        let render_blocks = piece.items.div_ceil(RENDER_ITEMS) as u32;
        Size {
            upload_words: piece.words.next_multiple_of(UPLOAD_WORDS),
            slots: self
                .slots_of(0..piece.slots.end.next_multiple_of(UPLOAD_SLOTS))
                .end,
            source: self.source,
            render_blocks: render_blocks.next_multiple_of(RENDER_BLOCKS),
            mix_blocks: groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
        }
    }

    /// Those of `slots` that exist on both sides.
    fn slots_of(&self, slots: Range<usize>) -> Range<usize> {
        let end = slots.end.min(self.slots).min(self.source.slots);
        slots.start.min(end)..end
    }

    /// Loads code and makes graphs, so that the first block is as quick as any.
    fn warm_up(&mut self) -> Result<(), DeviceError> {
        let nothing = Size {
            upload_words: UPLOAD_WORDS,
            slots: 0,
            source: Source::default(),
            render_blocks: RENDER_BLOCKS,
            mix_blocks: 1,
        };
        let stream = self.stages[0].stream;
        for ticks in 1..=MAX_TICKS {
            self.ticks = ticks;
            let graph = self.with_work(&nothing, |work| Graph::new(work, stream))?;
            self.graphs.push((graph, nothing));
            self.send_all(nothing)?;
        }
        let deadline = std::time::Duration::from_secs(10);
        let finished = stream.finish(deadline);
        finished.map_err(|_| DeviceError::Call {
            call: "warming up",
            reason: "the device does not finish",
        })
    }

    /// A block that fits into one piece.
    fn send_all(&mut self, size: Size) -> Result<(), Failed> {
        self.counters.upload_bytes = 4 * size.upload_words + self.ticks * size.slots * CLOUD;
        let stream = self.stages[0].stream;
        if !self.options.graph {
            return self.send_call_by_call(size, stream);
        }
        let mut graphs = std::mem::take(&mut self.graphs);
        let (graph, covered) = &mut graphs[self.ticks - 1];
        let mut outcome = Ok(());
        if *covered != size {
            outcome = self.with_work(&size, |work| graph.change(work));
            *covered = size;
            self.counters.resizes += 1;
        }
        outcome = outcome.and_then(|()| graph.launch(stream));
        self.graphs = graphs;
        outcome
    }

    /// Describes a block's work to `then`.
    fn with_work<T>(
        &self,
        size: &Size,
        then: impl FnOnce(Work<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let upload = self.stages[0].device;
        let mut fetch = self.fetch_arguments(size);
        let mut render = self.render_arguments(upload);
        let mut mix = self.mix_arguments(upload);
        let shapes = self.shapes(size);
        let kernel = |index: usize, arguments| Kernel {
            function: self.functions[index],
            shape: shapes[index],
            arguments,
        };
        then(Work {
            kernels: [
                kernel(0, &mut fetch.pointers()),
                kernel(1, &mut render.pointers()),
                kernel(2, &mut mix.pointers()),
            ],
            marks: self.options.stage_times.then_some(self.marks),
        })
    }

    /// The same work without a graph, for comparison.
    fn send_call_by_call(&mut self, size: Size, stream: Stream) -> Result<(), Failed> {
        self.with_work(&size, |work| {
            self.mark(0)?;
            for (index, kernel) in work.kernels.into_iter().enumerate() {
                stream.launch(kernel.function, kernel.shape, kernel.arguments)?;
                if index == 0 {
                    self.mark(1)?;
                }
            }
            self.mark(2)
        })
    }

    /// One of several pieces: its upload overlaps what the one before computes.
    fn send_piece(&mut self, number: usize, piece: &Piece) -> Result<(), Failed> {
        if number == 0 {
            self.mark(0)?;
            self.mark(1)?;
            self.counters.upload_bytes = 0;
        }
        let slots = self.slots_of(piece.slots.clone());
        self.counters.upload_bytes += 4 * piece.words + self.ticks * slots.len() * CLOUD;
        let stage = &self.stages[number % 2];
        let stream = stage.stream;
        stream.copy(stage.device, stage.host.address(), 4 * piece.words)?;
        for tick in 0..self.ticks {
            let from = self.source.host + (tick * self.source.slots + slots.start) * CLOUD;
            let to = (tick * self.slots + slots.start) * CLOUD;
            let to = self.memory.clouds + to as CUdeviceptr;
            stream.copy(to, from as *const c_void, slots.len() * CLOUD)?;
        }
        stream.record(stage.uploaded)?;
        let mut render = self.render_arguments(stage.device);
        let shape = Shape {
            grid: [piece.items.div_ceil(RENDER_ITEMS) as u32, 1, 1],
            threads: kernels::RENDER_THREADS,
        };
        stream.launch(self.functions[1], shape, &mut render.pointers())?;
        stream.record(stage.rendered)
    }

    /// Mixes all pieces once both queues have rendered theirs; the last one brought the ends.
    fn mix_pieces(&mut self, last: usize, size: &Size) -> Result<(), Failed> {
        let stream = self.stages[0].stream;
        stream.wait_for(self.stages[1].rendered)?;
        let mut mix = self.mix_arguments(self.stages[last % 2].device);
        let [_, _, shape] = self.shapes(size);
        stream.launch(self.functions[2], shape, &mut mix.pointers())?;
        self.mark(2)
    }

    fn mark(&self, which: usize) -> Result<(), Failed> {
        match self.options.stage_times {
            true => self.stages[0].stream.record(self.marks[which]),
            false => Ok(()),
        }
    }

    /// Shapes of the three kernels.
    fn shapes(&self, size: &Size) -> [Shape; KERNELS] {
        let most = (size.upload_words / 2).max(size.slots * CLOUD / 8) as u32;
        let tiles = self.buses.div_ceil(MIX_BUSES).max(1) as u32;
        let ticks = self.ticks as u32;
        let shape = |grid, threads| Shape { grid, threads };
        [
            shape(
                [most.div_ceil(kernels::FETCH_THREADS), 1 + ticks, 1],
                kernels::FETCH_THREADS,
            ),
            shape([size.render_blocks, 1, 1], kernels::RENDER_THREADS),
            shape([size.mix_blocks, ticks, tiles], kernels::MIX_THREADS),
        ]
    }

    fn fetch_arguments(&self, size: &Size) -> FetchArguments {
        let pairs = |slots: usize| (slots * CLOUD / 8) as u32;
        FetchArguments {
            // Host and device share one address space on every system we run on.
            upload_from: self.stages[0].host.address() as CUdeviceptr,
            upload: self.stages[0].device,
            upload_pairs: (size.upload_words / 2) as u32,
            clouds_from: size.source.device,
            clouds: self.memory.clouds,
            cloud_pairs: pairs(size.slots),
            pitch_from: pairs(size.source.slots),
            pitch: pairs(self.slots),
        }
    }

    fn render_arguments(&self, upload: CUdeviceptr) -> RenderArguments {
        RenderArguments {
            upload,
            slots: self.slots as u32,
            memory: self.memory,
            ticks: self.ticks as u32,
            buses: self.buses as u32,
        }
    }

    fn mix_arguments(&self, upload: CUdeviceptr) -> MixArguments {
        MixArguments {
            upload,
            memory: self.memory,
            ticks: self.ticks as u32,
            buses: self.buses as u32,
        }
    }

    /// Waits for the device to say that it is done with `block`. It writes that to our memory,
    /// which is quicker to look at than to ask the driver; the driver knows about failures.
    fn finish(&self, block: u32) -> Result<(), RenderError> {
        const LOOKS: usize = 2_000;
        let stream = self.stages[0].stream;
        if self.options.stage_times {
            return stream.finish(self.options.deadline);
        }
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if self.mixed.look(MIXED_BLOCK) == block {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            stream.check()?;
            if start.elapsed() > self.options.deadline {
                return Err(RenderError::Late {
                    milliseconds: self.options.deadline.as_millis() as u64,
                });
            }
        }
    }

    /// Copies what the device mixed into `buses`. Returns the partials it sounded.
    fn hand_over(&self, buses: &mut Buses) -> usize {
        let (header, samples) = self.mixed.words().split_at(MIXED_WORDS);
        for bus in 0..buses.count() {
            for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                for (tick, out) in out.chunks_exact_mut(TICK).take(self.ticks).enumerate() {
                    let at = (tick * self.buses + bus) * STEREO + side * TICK;
                    match samples.get(at..at + TICK) {
                        Some(samples) if self.sounds && bus < self.buses => {
                            let samples = samples.iter().map(|&bits| f32::from_bits(bits));
                            out.iter_mut().zip(samples).for_each(|(out, x)| *out = x);
                        }
                        _ => out.fill(0.0),
                    }
                }
            }
        }
        if self.sounds {
            header[MIXED_SOUNDED] as usize
        } else {
            0
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            self.graphs.clear();
        }
    }
}

/// Arguments of `fetch`.
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

/// Arguments of `render_clouds`.
struct RenderArguments {
    upload: CUdeviceptr,
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
            pointer(&mut memory.clouds),
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

/// Arguments of `mix`.
struct MixArguments {
    upload: CUdeviceptr,
    memory: Memory,
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
            pointer(&mut memory.mixed),
            pointer(&mut self.ticks),
            pointer(&mut self.buses),
        ]
    }
}

pub(super) fn pointer<T>(value: &mut T) -> *mut c_void {
    std::ptr::from_mut(value).cast()
}
