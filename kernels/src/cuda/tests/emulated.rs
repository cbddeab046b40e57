//! Whole blocks, from packing to buses, with the kernels run thread by thread on the host.

use super::super::benchmark::{BarePartial, bare_partials, error_db};
use super::super::kernels::{MIX_GROUPS, MIXED_BLOCK, MIXED_SOUNDED, MIXED_WORDS};
use super::super::memory::{COPY_WORDS, DESCRIPTION_WORDS};
use super::super::upload::{Layout, MIX_SLOTS, Mix as MixSize, Packer, Piece, PieceSink};
use super::{kernels, table_rows};
use myriad_conformance::{CHECKS, Check, clients_do_not_matter};
use myriad_engine::render::{
    Buses, Capacity, MAX_TICKS, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use myriad_engine::spectrum::{MAX_PARTIALS, UnisonVoice};
use std::collections::VecDeque;
use std::mem::take;
use std::ptr::null_mut;
use std::sync::Arc;

const STEREO: usize = 2 * TICK;

/// Blocks that may be in flight.
const DEPTH: usize = 2;

/// Does what the CUDA renderer does, by the same packing and the same kernels. A block is mixed when it is collected, so
/// that with two blocks in flight the second is rendered before the first is mixed.
struct Emulated {
    /// Slices of a cloud.
    slices: usize,
    /// The most items of a piece: few, so that blocks have many pieces.
    piece_items: usize,
    packer: Option<Packer>,
    memory: Memory,
    /// Blocks that were submitted, oldest first.
    in_flight: VecDeque<InFlightSlot>,
    /// Slots without a block.
    idle: VecDeque<InFlightSlot>,
}

/// What the device has for each block in flight.
#[derive(Default)]
struct InFlightSlot {
    ticks: usize,
    number: u32,
    /// What the mix sums, if anything sounds.
    size: Option<MixSize>,
    /// The last upload of the block.
    upload: Vec<u32>,
    samples: Vec<f32>,
    routes: Vec<u32>,
    sounded: u32,
    taken: u32,
    sums: Vec<f32>,
    arrivals: Vec<u32>,
    mixed: Vec<u32>,
}

#[derive(Default)]
struct Memory {
    /// The block's voices.
    source: Vec<[UnisonVoice; MAX_TICKS]>,
    /// Where the list of voices is in a piece.
    list_at: usize,
    /// Slices into which clouds are cut.
    cut: usize,
    slots: usize,
    buses: usize,
    list: u64,
    overlaps: bool,
    stage: Vec<u32>,
    /// The slot of the block that is being submitted.
    slot: InFlightSlot,
    descriptions: Vec<u32>,
    copies: Vec<u32>,
    phases: Vec<u32>,
    levels: Vec<f32>,
    slices: Vec<[u32; 2]>,
    last_blocks: Vec<u32>,
}

type Fetch = unsafe extern "C" fn(
    *const u32,
    *mut u32,
    u32,
    *const u32,
    u32,
    u32,
    *const [UnisonVoice; MAX_TICKS],
    *mut u32,
    *mut u32,
    u32,
    u32,
    u32,
    u32,
);
type RenderClouds = unsafe extern "C" fn(
    *const u32,
    *const u32,
    *const u32,
    u32,
    *const f32,
    *mut u32,
    *mut f32,
    *mut [u32; 2],
    *mut u32,
    *mut f32,
    *mut u32,
    *mut u32,
    *mut u32,
    u32,
);
type Mix = unsafe extern "C" fn(
    u32,
    *const u32,
    *const f32,
    *const u32,
    *mut f32,
    *mut u32,
    *mut u32,
    *mut u32,
    *mut u32,
    u32,
    u32,
);

impl PieceSink for Memory {
    type Error = RenderError;

    fn list(&mut self) -> &mut u64 {
        &mut self.list
    }

    fn buffer(&mut self, _: usize) -> Result<&mut [u32], RenderError> {
        Ok(&mut self.stage)
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), RenderError> {
        let library = kernels(self.cut);
        let slot = &mut self.slot;
        // Every second block is rendered as one that overlaps the block before, which has one piece.
        self.overlaps ^= number == 0;
        let overlaps = self.overlaps && number == 0 && piece.mix.is_some();
        let taken = if overlaps { &raw mut slot.taken } else { null_mut() };
        slot.size = piece.mix.filter(|mix| mix.tiles > 0);
        let rows = table_rows();
        // SAFETY: the types are those of emulate.cpp, and the memory is as large as the CUDA
        // renderer's.
        unsafe {
            let fetch = library.get::<Fetch>(b"emulate_fetch").expect("is there");
            fetch(
                self.stage.as_ptr(),
                slot.upload.as_mut_ptr(),
                (piece.words / 2) as u32,
                self.stage[self.list_at..].as_ptr(),
                piece.voices.start as u32,
                piece.voices.len() as u32,
                self.source.as_ptr(),
                self.descriptions.as_mut_ptr(),
                self.copies.as_mut_ptr(),
                self.slots as u32,
                (rows.len() / MAX_PARTIALS) as u32,
                slot.ticks as u32,
                self.buses as u32,
            );
            let render = library.get::<RenderClouds>(b"emulate_render_clouds").expect("is there");
            render(
                slot.upload.as_ptr(),
                self.descriptions.as_ptr(),
                self.copies.as_ptr(),
                self.slots as u32,
                rows.as_ptr(),
                self.phases.as_mut_ptr(),
                self.levels.as_mut_ptr(),
                self.slices.as_mut_ptr(),
                self.last_blocks.as_mut_ptr(),
                slot.samples.as_mut_ptr(),
                slot.routes.as_mut_ptr(),
                &mut slot.sounded,
                taken,
                slot.ticks as u32,
            );
        }
        Ok(())
    }
}

impl InFlightSlot {
    fn new(capacity: Capacity, items: usize, layout: &Layout) -> Self {
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        Self {
            upload: vec![u32::MAX; layout.words],
            samples: vec![f32::NAN; items * MAX_TICKS * STEREO],
            routes: vec![0; items * MAX_TICKS],
            sums: vec![f32::NAN; MAX_TICKS * capacity.buses * blocks * (STEREO + 1)],
            arrivals: vec![0; 1 + capacity.buses * MAX_TICKS],
            mixed: vec![0; MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO],
            ..Self::default()
        }
    }

    fn mix(&mut self, size: MixSize, cut: usize, buses: usize) {
        let library = kernels(cut);
        // SAFETY: as above.
        unsafe {
            let mix = library.get::<Mix>(b"emulate_mix").expect("is there");
            mix(
                size.groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
                self.upload.as_ptr(),
                self.samples.as_ptr(),
                self.routes.as_ptr(),
                self.sums.as_mut_ptr(),
                self.arrivals.as_mut_ptr(),
                &mut self.sounded,
                &mut self.taken,
                self.mixed.as_mut_ptr(),
                self.ticks as u32,
                buses as u32,
            );
        }
    }
}

impl Renderer for Emulated {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        let items = capacity.slots * self.slices;
        let layout = Layout::new(capacity, self.piece_items.min(items));
        self.in_flight.clear();
        self.idle = (0..DEPTH).map(|_| InFlightSlot::new(capacity, items, &layout)).collect();
        self.packer = Some(Packer::new(capacity, self.slices, layout));
        self.memory = Memory {
            buses: capacity.buses,
            slots: capacity.slots,
            list_at: layout.list_at,
            cut: self.slices,
            stage: vec![0; layout.words],
            descriptions: vec![u32::MAX; MAX_TICKS * capacity.slots * DESCRIPTION_WORDS],
            copies: vec![u32::MAX; MAX_TICKS * capacity.slots * COPY_WORDS],
            phases: vec![0; capacity.slots * MAX_PARTIALS],
            levels: vec![f32::NAN; capacity.slots * MAX_PARTIALS],
            slices: vec![[0; 2]; items],
            last_blocks: vec![0; items],
            ..Memory::default()
        };
        Ok(())
    }

    fn reset(&mut self) {
        let mut discarded = Buses::new(self.memory.buses);
        while self.collect(&mut discarded).is_ok() {}
        self.packer.iter_mut().for_each(Packer::reset);
    }

    fn depth(&self) -> usize {
        DEPTH
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        let packer = self.packer.as_mut().ok_or(RenderError::NotPrepared)?;
        let memory = &mut self.memory;
        memory.slot = self.idle.pop_front().ok_or(RenderError::OutOfTurn)?;
        memory.slot.ticks = block.ticks();
        memory.source = block.memory().voices().to_vec();
        packer.pack(block, memory)?;
        memory.slot.number = packer.block;
        self.in_flight.push_back(take(&mut memory.slot));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let mut slot = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        buses.clear();
        let Some(size) = slot.size else {
            self.idle.push_back(slot);
            return Ok(0);
        };
        slot.mix(size, self.slices, self.memory.buses);
        let (header, samples) = slot.mixed.split_at(MIXED_WORDS);
        for bus in 0..self.memory.buses {
            for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                for (frame, out) in out.iter_mut().take(slot.ticks * TICK).enumerate() {
                    let (tick, frame) = (frame / TICK, frame % TICK);
                    let at = (tick * self.memory.buses + bus) * STEREO + side * TICK + frame;
                    *out = f32::from_bits(samples[at]);
                }
            }
        }
        assert_eq!(header[MIXED_BLOCK], slot.number);
        let sounded = header[MIXED_SOUNDED] as usize;
        self.idle.push_back(slot);
        Ok(sounded)
    }
}

fn emulated(slices: usize, piece_items: usize) -> Box<dyn Renderer> {
    Box::new(Emulated {
        slices,
        piece_items,
        packer: None,
        memory: Memory::default(),
        in_flight: VecDeque::new(),
        idle: VecDeque::new(),
    })
}

/// The checks that are quick enough for emulation.
fn conforms(name: &str, slices: usize, piece_items: usize) {
    let named = |check: &&Check| check.name == name;
    let check = CHECKS.iter().find(named).expect("a check");
    match (check.run)(&|| emulated(slices, piece_items)) {
        Ok(measured) => println!("{name}: {measured}"),
        Err(wrong) => panic!("{}: {wrong}", check.promise),
    }
}

#[test]
fn random_clouds_match_the_reference() {
    conforms("clouds", 2, 1 << 20);
}

#[test]
fn random_clouds_match_the_reference_in_smaller_slices_and_pieces() {
    conforms("clouds", 4, 12);
}

#[test]
fn blocks_in_flight_do_not_affect_each_other() {
    conforms("flight", 2, 12);
}

#[test]
fn clients_of_one_launch_do_not_affect_each_other() {
    println!("{}", clients_do_not_matter(&|| emulated(2, 1 << 20)).expect("the same bits"));
    println!("{}", clients_do_not_matter(&|| emulated(4, 40)).expect("the same bits"));
}

type BankAlone = unsafe extern "C" fn(*mut BarePartial, *mut f32, u32, u32);

#[test]
fn the_bare_bank_is_a_sum_of_sines() {
    const PARTIALS: usize = 512;
    const TICKS: usize = 4;
    let partials = bare_partials(PARTIALS, TICKS);
    let (mut moved, mut got) = (partials.clone(), vec![0.0_f32; TICKS * TICK]);
    let library = kernels(2);
    // SAFETY: the type is that of emulate.cpp; a warp has 512 partials and as many samples.
    unsafe {
        let bank = library.get::<BankAlone>(b"emulate_bank_alone").expect("is there");
        bank(moved.as_mut_ptr(), got.as_mut_ptr(), 1, TICKS as u32);
    }
    let db = error_db(&got, &partials);
    assert!(db < -115.0, "{db:.1} dB");
    let turn = partials[7][1].wrapping_mul((TICKS * TICK) as u32);
    assert_eq!(moved[7][0], partials[7][0].wrapping_add(turn));
}
