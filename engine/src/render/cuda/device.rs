//! A prepared card: its memory, its kernels, and how a block goes through them.

use super::driver::{
    Card, Context, Event, Failed, Function, Module, Pinned, Registered, Shape, Stream,
};
use super::graph::{Copy, Graph, Kernel, Size, Work};
use super::kernels::{self, MIX_BUSES, MIX_GROUPS, MIXED_WORDS, RENDER_ITEMS};
use super::upload::{Carrier, Layout, MIX_SLOTS, Packer, Piece, SLICES};
use super::{CudaCounters, CudaOptions};
use crate::render::{Buses, Capacity, DeviceError, MAX_TICKS, RenderError, TICK, VoiceBlock};
use crate::spectrum::{Cloud, MAX_PARTIALS, tables};
use cudarc::driver::sys::CUdeviceptr;
use std::ffi::c_void;
use std::time::Instant;

/// The most items of one piece. Small enough that a large block has several, to overlap; large
/// enough to fill any card.
const PIECE_ITEMS: usize = 8_192;

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
    layout: Layout,
    slots: usize,
    buses: usize,
    /// Ticks of the block that is being sent.
    ticks: usize,
    /// Where its clouds are: `host[tick][slot]`, and how many slots a tick has there.
    clouds: *const Cloud,
    block_slots: usize,
    /// Whether the block that is being sent makes any sound.
    sounds: bool,
    render_clouds: Function,
    mix: Function,
    /// Pieces take turns; the first one's queue also mixes.
    stages: [Stage; 2],
    marks: [Event; 3],
    /// What the device has mixed.
    mixed: Pinned,
    memory: Memory,
    /// The block whose clouds are pinned, by its id.
    adopted: Option<(u64, Option<Registered>)>,
    /// By ticks, from one on; dropped before the context.
    graphs: Vec<Graph>,
    context: Context,
}

// SAFETY: the address of the clouds is only used within `render`, which holds the block.
unsafe impl Send for Link {}

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
    fn new(capacity: Capacity, layout: &Layout) -> Self {
        let items = capacity.slots * SLICES;
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        Self {
            clouds: MAX_TICKS * capacity.slots * CLOUD / 4,
            partials: capacity.slots * MAX_PARTIALS,
            slices: 2 * items,
            samples: items * MAX_TICKS * STEREO,
            routes: items * MAX_TICKS,
            sums: MAX_TICKS * capacity.buses * blocks * STEREO,
            arrivals: capacity.buses.div_ceil(MIX_BUSES) * MAX_TICKS,
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
        let items = (capacity.slots * SLICES).min(PIECE_ITEMS);
        let layout = Layout::new(capacity.slots, items);
        let words = Words::new(capacity, &layout);
        let refused = |failed: Failed, context: &Context| match failed.is_out_of_memory() {
            true => DeviceError::OutOfMemory {
                name: card.name.clone(),
                slots: capacity.slots,
                needed: (4 * words.device_total()) >> 20,
                free: (context.free_bytes() + context.device_bytes) >> 20,
            },
            false => failed.into(),
        };
        let (code, image) = kernels::image(card.capability);
        let module = Module::load(image)?;
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
                code,
                processors: card.processors,
                device_bytes: context.device_bytes,
                pinned_bytes: context.host_bytes,
                card: card.name,
                ..CudaCounters::default()
            },
            layout,
            slots: capacity.slots,
            buses: capacity.buses,
            ticks: 0,
            clouds: std::ptr::null(),
            block_slots: 0,
            sounds: false,
            render_clouds: module.function(kernels::RENDER_CLOUDS)?,
            mix: module.function(kernels::MIX)?,
            stages,
            marks: [Event::new()?, Event::new()?, Event::new()?],
            mixed,
            memory,
            adopted: None,
            graphs: Vec::with_capacity(MAX_TICKS),
            context,
        };
        link.warm_up()?;
        Ok(Self {
            packer: Packer::new(capacity.slots, layout),
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
        link.adopt(block);
        (link.ticks, link.sounds) = (block.ticks(), false);
        packer.pack(block, link)?;
        let submitted = Instant::now();
        if link.sounds {
            link.stages[0].stream.finish(link.options.deadline)?;
        }
        let partials = link.hand_over(buses);
        let counters = &mut link.counters;
        counters.renders += 1;
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
                    self.mix_pieces(number, self.size(&piece, groups).mix_blocks)?;
                }
                Ok(())
            }
        }
    }
}

impl Link {
    /// Pins the block's clouds, when it is another block than the last one.
    fn adopt(&mut self, block: &VoiceBlock) {
        self.clouds = block.clouds().as_ptr();
        self.block_slots = block.capacity();
        if self.adopted.as_ref().map(|(id, _)| *id) != Some(block.id()) {
            // The old one first: both may have had the same address.
            self.adopted = None;
            // Where it is refused, copies are slower, and that is all.
            let registered = Registered::new(block.clouds()).ok();
            self.adopted = Some((block.id(), registered));
        }
    }

    fn size(&self, piece: &Piece, groups: usize) -> Size {
        let render_blocks = piece.items.div_ceil(RENDER_ITEMS) as u32;
        Size {
            upload_words: piece.words.next_multiple_of(UPLOAD_WORDS),
            clouds: self.cloud_copy(0..piece.slots.end.next_multiple_of(UPLOAD_SLOTS)),
            render_blocks: render_blocks.next_multiple_of(RENDER_BLOCKS),
            mix_blocks: groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
        }
    }

    /// The copy of the clouds in `slots`, as far as there are any.
    fn cloud_copy(&self, slots: std::ops::Range<usize>) -> Copy {
        let end = slots.end.min(self.slots).min(self.block_slots);
        let start = slots.start.min(end);
        Copy {
            host: self.clouds.wrapping_add(start).cast(),
            host_pitch: self.block_slots * CLOUD,
            device: self.memory.clouds + (start * CLOUD) as CUdeviceptr,
            device_pitch: self.slots * CLOUD,
            width: (end - start) * CLOUD,
            rows: self.ticks,
        }
    }

    fn upload_copy(&self, stage: usize, words: usize) -> Copy {
        let stage = &self.stages[stage];
        Copy {
            host: stage.host.address(),
            host_pitch: 4 * words,
            device: stage.device,
            device_pitch: 4 * words,
            width: 4 * words,
            rows: 1,
        }
    }

    /// Loads code and makes graphs, so that the first block is as quick as any.
    fn warm_up(&mut self) -> Result<(), DeviceError> {
        for ticks in 1..=MAX_TICKS {
            self.ticks = ticks;
            let nothing = Size {
                upload_words: UPLOAD_WORDS,
                clouds: Copy {
                    // Any memory will do: no item, no cloud.
                    width: CLOUD,
                    rows: 1,
                    ..self.upload_copy(1, UPLOAD_WORDS)
                },
                render_blocks: RENDER_BLOCKS,
                mix_blocks: 1,
            };
            let stream = self.stages[0].stream;
            let graph = self.with_work(nothing, |context, work| {
                Graph::new(context, work, nothing, stream)
            })?;
            self.graphs.push(graph);
            self.send_all(nothing)?;
        }
        let deadline = std::time::Duration::from_secs(10);
        let finished = self.stages[0].stream.finish(deadline);
        finished.map_err(|_| DeviceError::Call {
            call: "warming up",
            reason: "the device does not finish",
        })
    }

    /// A block that fits into one piece.
    fn send_all(&mut self, size: Size) -> Result<(), Failed> {
        self.counters.upload_bytes = 4 * size.upload_words + size.clouds.width * size.clouds.rows;
        if !self.options.graph {
            return self.send_call_by_call(size);
        }
        let index = self.ticks - 1;
        if self.graphs[index].size != size {
            let mut graphs = std::mem::take(&mut self.graphs);
            let resized = self.with_work(size, |context, work| {
                graphs[index].resize(context, work, size)
            });
            self.graphs = graphs;
            resized?;
            self.counters.resizes += 1;
        }
        self.graphs[index].launch(self.stages[0].stream)
    }

    /// Describes a block's work to `then`.
    fn with_work<T>(
        &self,
        size: Size,
        then: impl FnOnce(&Context, Work<'_>) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let mut render = self.render_arguments(self.stages[0].device);
        let mut mix = self.mix_arguments(self.stages[0].device);
        let work = Work {
            upload: self.upload_copy(0, size.upload_words),
            clouds: size.clouds,
            render: Kernel {
                function: self.render_clouds,
                shape: self.render_shape(size.render_blocks),
                arguments: &mut render.pointers(),
            },
            mix: Kernel {
                function: self.mix,
                shape: self.mix_shape(size.mix_blocks),
                arguments: &mut mix.pointers(),
            },
            marks: self.options.stage_times.then_some(self.marks),
        };
        then(&self.context, work)
    }

    /// The same work without a graph, for comparison.
    fn send_call_by_call(&mut self, size: Size) -> Result<(), Failed> {
        let stream = self.stages[0].stream;
        self.mark(0)?;
        stream.copy(&self.upload_copy(0, size.upload_words))?;
        stream.copy(&size.clouds)?;
        self.mark(1)?;
        let mut render = self.render_arguments(self.stages[0].device);
        let shape = self.render_shape(size.render_blocks);
        stream.launch(self.render_clouds, shape, &mut render.pointers())?;
        self.mix(self.stages[0].device, size.mix_blocks)
    }

    /// One of several pieces: its upload overlaps what the one before computes.
    fn send_piece(&mut self, number: usize, piece: &Piece) -> Result<(), Failed> {
        if number == 0 {
            self.mark(0)?;
            self.mark(1)?;
            self.counters.upload_bytes = 0;
        }
        let upload = self.upload_copy(number % 2, piece.words);
        let clouds = self.cloud_copy(piece.slots.clone());
        self.counters.upload_bytes += upload.width + clouds.width * clouds.rows;
        let stage = &self.stages[number % 2];
        stage.stream.copy(&upload)?;
        stage.stream.copy(&clouds)?;
        stage.stream.record(stage.uploaded)?;
        let mut render = self.render_arguments(stage.device);
        let shape = self.render_shape(piece.items.div_ceil(RENDER_ITEMS) as u32);
        stage
            .stream
            .launch(self.render_clouds, shape, &mut render.pointers())?;
        stage.stream.record(stage.rendered)
    }

    /// Mixes all pieces once both queues have rendered theirs; the last one brought the ends.
    fn mix_pieces(&mut self, last: usize, blocks: u32) -> Result<(), Failed> {
        self.stages[0].stream.wait_for(self.stages[1].rendered)?;
        self.mix(self.stages[last % 2].device, blocks)
    }

    fn mix(&mut self, upload: CUdeviceptr, blocks: u32) -> Result<(), Failed> {
        let mut mix = self.mix_arguments(upload);
        let shape = self.mix_shape(blocks);
        let stream = self.stages[0].stream;
        stream.launch(self.mix, shape, &mut mix.pointers())?;
        self.mark(2)
    }

    fn mark(&self, which: usize) -> Result<(), Failed> {
        match self.options.stage_times {
            true => self.stages[0].stream.record(self.marks[which]),
            false => Ok(()),
        }
    }

    fn render_shape(&self, blocks: u32) -> Shape {
        Shape {
            grid: [blocks, 1, 1],
            threads: kernels::RENDER_THREADS,
        }
    }

    fn mix_shape(&self, blocks: u32) -> Shape {
        let tiles = self.buses.div_ceil(MIX_BUSES).max(1);
        Shape {
            grid: [blocks, self.ticks as u32, tiles as u32],
            threads: kernels::MIX_THREADS,
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
            ends: upload + 4 * self.layout.ends_at as CUdeviceptr,
            memory: self.memory,
            ticks: self.ticks as u32,
            buses: self.buses as u32,
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
        if self.sounds { header[0] as usize } else { 0 }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            self.graphs.clear();
            self.adopted = None;
        }
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
    ends: CUdeviceptr,
    memory: Memory,
    ticks: u32,
    buses: u32,
}

impl MixArguments {
    fn pointers(&mut self) -> [*mut c_void; 9] {
        let memory = &mut self.memory;
        [
            pointer(&mut self.ends),
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
