//! What passes between the engine and a renderer: clouds in, buses out.

use super::{MAX_TICKS, TICK};
use crate::spectrum::Cloud;

/// The clouds of a few ticks, by slot. Slots are the renderer's memory: a cloud keeps its slot
/// as long as it sounds.
#[derive(Debug)]
pub struct VoiceBlock {
    /// `clouds[slot × MAX_TICKS + tick]`, meaningful where `sounding` says so.
    clouds: Vec<Cloud>,
    /// For every slot, a bit for each tick in which its cloud sounds.
    sounding: Vec<u8>,
    /// A bit for every slot that sounds in any tick, so that slots are visited in order.
    slots: Vec<u64>,
    ticks: usize,
}

const _: () = assert!(MAX_TICKS <= u8::BITS as usize);

impl VoiceBlock {
    /// An empty block that can hold `slots` clouds.
    pub fn new(slots: usize) -> Self {
        Self {
            clouds: vec![Cloud::default(); slots * MAX_TICKS],
            sounding: vec![0; slots],
            slots: vec![0; slots.div_ceil(64)],
            ticks: 0,
        }
    }

    /// Forgets the clouds.
    pub fn clear(&mut self) {
        for (word, bits) in self.slots.iter_mut().enumerate() {
            for bit in bits_of(std::mem::take(bits)) {
                self.sounding[word * 64 + bit] = 0;
            }
        }
        self.ticks = 0;
    }

    /// Opens the next tick; clouds pushed from now on belong to it.
    pub fn start_tick(&mut self) {
        assert!(self.ticks < MAX_TICKS);
        self.ticks += 1;
    }

    /// Adds the cloud in `slot` to the current tick.
    pub fn push(&mut self, slot: u32, cloud: Cloud) {
        let (slot, tick) = (slot as usize, self.ticks - 1);
        self.clouds[slot * MAX_TICKS + tick] = cloud;
        self.sounding[slot] |= 1 << tick;
        self.slots[slot / 64] |= 1 << (slot % 64);
    }

    /// Ticks opened since the last clear.
    pub fn ticks(&self) -> usize {
        self.ticks
    }

    /// Whether there is room for another tick.
    pub fn is_full(&self) -> bool {
        self.ticks == MAX_TICKS
    }

    /// Slots that sound in any tick, in rising order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.slots.iter().enumerate();
        words.flat_map(|(word, &bits)| bits_of(bits).map(move |bit| word * 64 + bit))
    }

    /// The cloud of `slot` in `tick`, if it sounds.
    pub fn cloud(&self, slot: usize, tick: usize) -> Option<&Cloud> {
        (self.sounding[slot] >> tick & 1 == 1).then(|| &self.clouds[slot * MAX_TICKS + tick])
    }
}

fn bits_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            bit
        })
    })
}

/// Stereo buses of a few ticks.
#[derive(Debug)]
pub struct Buses {
    samples: Vec<f32>,
}

impl Buses {
    /// Frames of a bus.
    pub const FRAMES: usize = MAX_TICKS * TICK;

    /// Silent buses.
    pub fn new(buses: usize) -> Self {
        Self {
            samples: vec![0.0; buses * 2 * Self::FRAMES],
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.samples.len() / (2 * Self::FRAMES)
    }

    /// Left and right of `bus`.
    pub fn bus(&self, bus: usize) -> [&[f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at(Self::FRAMES);
        [left, right]
    }

    /// Left and right of `bus`, to write to.
    pub fn bus_mut(&mut self, bus: usize) -> [&mut [f32]; 2] {
        let (left, right) =
            self.samples[bus * 2 * Self::FRAMES..][..2 * Self::FRAMES].split_at_mut(Self::FRAMES);
        [left, right]
    }

    /// Silences every bus.
    pub fn clear(&mut self) {
        self.samples.fill(0.0);
    }
}
