//! The whole of a block, from packing to buses, with the kernels run thread by thread on the host.

use super::super::kernels::{MIX_BUSES, MIX_GROUPS, MIXED_WORDS};
use super::super::upload::{Carrier, Layout, MIX_SLOTS, Packer, Piece, SLICES};
use super::kernels;
use crate::conformance::CHECKS;
use crate::render::{
    Buses, Capacity, MAX_TICKS, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use crate::spectrum::{Cloud, MAX_PARTIALS, tables};

const STEREO: usize = 2 * TICK;

/// Does what the CUDA renderer does, by the same packing and the same kernels.
struct Emulated {
    /// The most items of a piece: few, so that blocks have many pieces.
    piece_items: usize,
    packer: Option<Packer>,
    memory: Memory,
}

#[derive(Default)]
struct Memory {
    clouds: Vec<Cloud>,
    slots: usize,
    ends_at: usize,
    buses: usize,
    ticks: usize,
    sounds: bool,
    stage: Vec<u32>,
    phases: Vec<u32>,
    levels: Vec<f32>,
    slices: Vec<[u32; 2]>,
    samples: Vec<f32>,
    routes: Vec<u32>,
    sounded: u32,
    sums: Vec<f32>,
    arrivals: Vec<u32>,
    mixed: Vec<u32>,
}

type RenderClouds = unsafe extern "C" fn(
    *const u32,
    *const Cloud,
    u32,
    *const f32,
    u32,
    *mut u32,
    *mut f32,
    *mut [u32; 2],
    *mut f32,
    *mut u32,
    *mut u32,
    u32,
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
    u32,
    u32,
);

impl Carrier for Memory {
    type Error = RenderError;

    fn stage(&mut self, _: usize) -> Result<&mut [u32], RenderError> {
        Ok(&mut self.stage)
    }

    fn send(&mut self, _: usize, piece: Piece) -> Result<(), RenderError> {
        let library = kernels();
        // What is not sent does not arrive.
        self.stage[piece.words..].fill(u32::MAX);
        self.sounds |= piece.items > 0;
        let rows = tables().rows();
        // SAFETY: the types are those of emulate.cpp, and the memory is as large as the CUDA
        // renderer's.
        unsafe {
            let render = library
                .get::<RenderClouds>(b"emulate_render_clouds")
                .expect("is there");
            render(
                self.stage.as_ptr(),
                self.clouds.as_ptr(),
                self.slots as u32,
                rows.as_ptr(),
                (rows.len() / MAX_PARTIALS) as u32,
                self.phases.as_mut_ptr(),
                self.levels.as_mut_ptr(),
                self.slices.as_mut_ptr(),
                self.samples.as_mut_ptr(),
                self.routes.as_mut_ptr(),
                &mut self.sounded,
                self.ticks as u32,
                self.buses as u32,
            );
            if let Some(groups) = piece.groups {
                let mix = library.get::<Mix>(b"emulate_mix").expect("is there");
                mix(
                    groups.div_ceil(MIX_GROUPS).next_power_of_two() as u32,
                    self.stage[self.ends_at..].as_ptr(),
                    self.samples.as_ptr(),
                    self.routes.as_ptr(),
                    self.sums.as_mut_ptr(),
                    self.arrivals.as_mut_ptr(),
                    &mut self.sounded,
                    self.mixed.as_mut_ptr(),
                    self.ticks as u32,
                    self.buses as u32,
                );
            }
        }
        Ok(())
    }
}

impl Renderer for Emulated {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        let items = capacity.slots * SLICES;
        let layout = Layout::new(capacity.slots, self.piece_items.min(items));
        let blocks = capacity.slots.div_ceil(MIX_SLOTS * MIX_GROUPS);
        self.packer = Some(Packer::new(capacity.slots, layout));
        self.memory = Memory {
            ends_at: layout.ends_at,
            buses: capacity.buses,
            stage: vec![0; layout.words],
            phases: vec![0; capacity.slots * MAX_PARTIALS],
            levels: vec![f32::NAN; capacity.slots * MAX_PARTIALS],
            slices: vec![[0; 2]; items],
            samples: vec![f32::NAN; items * MAX_TICKS * STEREO],
            routes: vec![0; items * MAX_TICKS],
            sums: vec![f32::NAN; MAX_TICKS * capacity.buses * blocks * STEREO],
            arrivals: vec![0; capacity.buses.div_ceil(MIX_BUSES) * MAX_TICKS],
            mixed: vec![0; MIXED_WORDS + MAX_TICKS * capacity.buses * STEREO],
            ..Memory::default()
        };
        Ok(())
    }

    fn reset(&mut self) {
        self.packer.iter_mut().for_each(Packer::reset);
    }

    fn render(&mut self, block: &VoiceBlock, buses: &mut Buses) -> Result<usize, RenderError> {
        let packer = self.packer.as_mut().ok_or(RenderError::NotPrepared)?;
        let memory = &mut self.memory;
        (memory.ticks, memory.sounds) = (block.ticks(), false);
        memory.clouds.clear();
        memory.clouds.extend_from_slice(block.clouds());
        memory.slots = block.capacity();
        packer.pack(block, memory)?;
        buses.clear();
        if !memory.sounds {
            return Ok(0);
        }
        let (header, samples) = memory.mixed.split_at(MIXED_WORDS);
        for bus in 0..memory.buses {
            for (side, out) in buses.bus_mut(bus).into_iter().enumerate() {
                for (frame, out) in out.iter_mut().take(memory.ticks * TICK).enumerate() {
                    let (tick, frame) = (frame / TICK, frame % TICK);
                    let at = (tick * memory.buses + bus) * STEREO + side * TICK + frame;
                    *out = f32::from_bits(samples[at]);
                }
            }
        }
        Ok(header[0] as usize)
    }
}

fn emulated(piece_items: usize) -> Box<dyn Renderer> {
    Box::new(Emulated {
        piece_items,
        packer: None,
        memory: Memory::default(),
    })
}

/// The checks that are quick enough for emulation.
fn conforms(name: &str, piece_items: usize) {
    let check = CHECKS
        .iter()
        .find(|check| check.name == name)
        .expect("a check");
    match (check.run)(&|| emulated(piece_items)) {
        Ok(measured) => println!("{name}: {measured}"),
        Err(wrong) => panic!("{}: {wrong}", check.promise),
    }
}

#[test]
fn random_clouds_match_the_reference() {
    conforms("clouds", 1 << 20);
}

#[test]
fn random_clouds_match_the_reference_in_pieces() {
    conforms("clouds", 12);
}
