//! The layout of the shared memory, and how blocks and buses are written to it.
//!
//! There are two requests and two answers, used in turn, so that one block can be written while
//! another is rendered. Both sides validate everything that they read.

use super::error::ServiceFailure;
use super::memory::SharedMemory;
use myriad_engine::render::{Buses, Capacity, MAX_TICKS, Reason, TICK, VoiceBlock};
use myriad_engine::spectrum::{Cloud, MAX_PARTIALS, Tables, tables};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most slots of a service, and so of a client. A larger request is refused before its memory is mapped.
pub(super) const MAX_SLOTS: usize = 65_536;

/// Blocks that may be in flight.
pub(super) const DEPTH: usize = 2;

/// Futex counters: the client increments the first per request, the service the second per answer.
pub(super) const ASKED: usize = 0;
pub(super) const ANSWERED: usize = 1;

/// Words before the clouds of a request and before the samples of an answer.
const HEAD: usize = 16;

/// Words of a cloud, and of a cloud with its place.
const CLOUD: usize = size_of::<Cloud>() / size_of::<u64>();
const ENTRY: usize = 1 + CLOUD;

/// In the word before a cloud: its slot in the lower half, above it its description's index, and this bit for one that
/// is mirrored.
const MIRRORED: u64 = 1 << 63;

/// Where a cloud of a request belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CloudPlace {
    pub(super) tick: usize,
    pub(super) slot: usize,
    /// Unison copies of a voice have the same one. Below the number of slots.
    pub(super) description: usize,
    /// Whether left and right of its partials are exchanged, compared with other copies.
    pub(super) is_mirrored: bool,
}

impl CloudPlace {
    fn word(&self) -> u64 {
        let mirrored = if self.is_mirrored { MIRRORED } else { 0 };
        self.slot as u64 | (self.description as u64) << u32::BITS | mirrored
    }

    fn of_word(tick: usize, word: u64) -> Self {
        Self {
            tick,
            slot: word as u32 as usize,
            description: ((word & !MIRRORED) >> u32::BITS) as usize,
            is_mirrored: word & MIRRORED != 0,
        }
    }
}

// Word indices in a request's head; from `COUNTS` on, one word per tick counts its clouds.
const NUMBER: usize = 0;
const RESET: usize = 1;
const TICKS: usize = 2;
const NEEDS: usize = 3;
const COUNTS: usize = 4;

// Word indices in an answer's head, after its number: the partials, or `FAILED` and a reason's length.
const PARTIALS: usize = 1;
const LENGTH: usize = 2;
const FAILED: u64 = u64::MAX;

const _: () = assert!(COUNTS + MAX_TICKS <= HEAD && CLOUD * size_of::<u64>() == size_of::<Cloud>());
const _: () = assert!(Reason::LONGEST.is_multiple_of(8) && TICK.is_multiple_of(2));

/// Sizes of the areas, in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    capacity: Capacity,
    request: usize,
    answer: usize,
}

impl Layout {
    /// For renderers of `capacity`; `None` when the size overflows.
    pub(super) fn new(capacity: Capacity) -> Option<Self> {
        /// Areas do not share pages.
        const PAGE: usize = 4096 / size_of::<u64>();
        let clouds = capacity.slots.checked_mul(MAX_TICKS * ENTRY)?;
        let samples = capacity.buses.checked_mul(Buses::FRAMES)?;
        let area = |words: usize| {
            let words = words.max(Reason::LONGEST / 8).checked_add(HEAD)?;
            words.checked_next_multiple_of(PAGE)
        };
        let layout = Self { capacity, request: area(clouds)?, answer: area(samples)? };
        layout.request.checked_add(layout.answer)?.checked_mul(DEPTH)?;
        Some(layout)
    }

    /// Why a service of `most` slots refuses a request for more.
    pub(super) fn refusal(most: usize, slots: usize) -> String {
        format!("the render service holds {most} clouds, and {slots} clouds were asked for")
    }

    /// Words of all areas.
    pub(super) fn words(&self) -> usize {
        DEPTH * (self.request + self.answer)
    }

    pub(super) fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn request(&self, number: u32) -> Range<usize> {
        let start = number as usize % DEPTH * self.request;
        start..start + self.request
    }

    fn answer(&self, number: u32) -> Range<usize> {
        let start = DEPTH * self.request + number as usize % DEPTH * self.answer;
        start..start + self.answer
    }
}

/// Shared memory with its layout.
#[derive(Debug)]
pub(super) struct SharedSegment {
    pub(super) memory: SharedMemory,
    pub(super) layout: Layout,
}

pub(super) type ProtocolViolation = &'static str;

/// The head of a request, read once, because the client may change it at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) ticks: usize,
    /// Whether to forget the client's clouds first.
    pub(super) reset: bool,
    /// The number of the newest imported table that it needs.
    pub(super) needs: u64,
    /// Clouds of each tick.
    pub(super) counts: [u64; MAX_TICKS],
}

impl SharedSegment {
    /// Writes the sounding clouds, by tick, as request `number`; with `reset`, the service forgets the
    /// client's clouds first. Also writes the number of the newest imported table that the block needs; older
    /// tables arrive before it.
    pub(super) fn ask(&self, number: u32, reset: bool, block: &VoiceBlock) {
        let area = self.memory.words(self.layout.request(number));
        let (head, entries) = area.split_at(HEAD);
        let mut entries = entries.as_chunks::<ENTRY>().0.iter();
        let (tables, mut needs) = (tables(), 0);
        for tick in 0..block.ticks() {
            let clouds = block.slots().filter_map(|slot| {
                let copy = block.copy(slot, tick)?;
                let (description, is_mirrored) = (copy.index(), copy.is_mirrored());
                let place = CloudPlace { tick, slot, description, is_mirrored };
                Some((place, block.cloud(slot, tick)?))
            });
            let mut count = 0;
            for ((place, cloud), [first, words @ ..]) in clouds.zip(&mut entries) {
                needs = tables.number_of(&cloud).max(needs);
                first.store(place.word(), Ordering::Relaxed);
                for (word, value) in words.iter().zip(words_of(&cloud)) {
                    word.store(value, Ordering::Relaxed);
                }
                count += 1;
            }
            put(head, COUNTS + tick, count);
        }
        put(head, NEEDS, needs);
        put(head, TICKS, block.ticks() as u64);
        put(head, RESET, u64::from(reset));
        put(head, NUMBER, u64::from(number));
    }

    /// Reads the head of request `number`.
    pub(super) fn read_head(&self, number: u32) -> Result<RequestHead, ProtocolViolation> {
        let head = &self.memory.words(self.layout.request(number))[..HEAD];
        let ticks = get(head, TICKS);
        if get(head, NUMBER) != u64::from(number) || ticks > MAX_TICKS as u64 {
            return Err("a request that is none");
        }
        let ticks = ticks as usize;
        let counts = std::array::from_fn(|tick| match tick < ticks {
            true => get(head, COUNTS + tick),
            false => 0,
        });
        Ok(RequestHead { ticks, reset: get(head, RESET) != 0, needs: get(head, NEEDS), counts })
    }

    /// Calls `put` with every cloud of request `number`, tick by tick. Rows are not checked.
    pub(super) fn read_clouds(
        &self,
        number: u32,
        head: &RequestHead,
        mut put: impl FnMut(CloudPlace, Cloud) -> Result<(), ProtocolViolation>,
    ) -> Result<(), ProtocolViolation> {
        let area = self.memory.words(self.layout.request(number));
        let mut entries = area[HEAD..].as_chunks::<ENTRY>().0.iter();
        for (tick, &count) in head.counts.iter().enumerate() {
            let mut next = 0;
            for _ in 0..count {
                let [first, words @ ..] = entries.next().ok_or("more clouds than there is room")?;
                let place = CloudPlace::of_word(tick, first.load(Ordering::Relaxed));
                let slots = self.layout.capacity.slots;
                if !(next..slots).contains(&place.slot) {
                    return Err("slots that do not rise");
                }
                if place.description >= slots {
                    return Err("a cloud of no description");
                }
                next = place.slot + 1;
                let words = words.each_ref().map(|word| word.load(Ordering::Relaxed));
                put(place, cloud_of(words))?;
            }
        }
        Ok(())
    }

    /// Writes the rendered buses, from number `first_bus` on, as answer `number`.
    pub(super) fn answer(
        &self,
        number: u32,
        ticks: usize,
        partials: usize,
        buses: &Buses,
        first_bus: usize,
    ) {
        let area = self.memory.words(self.layout.answer(number));
        let (head, samples) = area.split_at(HEAD);
        let mut samples = samples.iter();
        for bus in first_bus..first_bus + self.layout.capacity.buses {
            for side in buses.bus(bus) {
                let pairs = side[..ticks * TICK].as_chunks::<2>().0;
                for (pair, word) in pairs.iter().zip(&mut samples) {
                    let [low, high] = pair.map(|sample| u64::from(sample.to_bits()));
                    word.store(low | high << 32, Ordering::Relaxed);
                }
            }
        }
        put(head, PARTIALS, partials as u64);
        put(head, NUMBER, u64::from(number));
    }

    /// Writes silence as answer `number`.
    pub(super) fn answer_silence(&self, number: u32, ticks: usize) {
        let area = self.memory.words(self.layout.answer(number));
        let (head, samples) = area.split_at(HEAD);
        let words = self.layout.capacity.buses * ticks * TICK;
        samples[..words].iter().for_each(|word| word.store(0, Ordering::Relaxed));
        put(head, PARTIALS, 0);
        put(head, NUMBER, u64::from(number));
    }

    /// Writes why rendering failed as answer `number`.
    pub(super) fn answer_failure(&self, number: u32, reason: &Reason) {
        let area = self.memory.words(self.layout.answer(number));
        let (head, words) = area.split_at(HEAD);
        for (word, bytes) in words.iter().zip(reason.bytes().as_chunks().0) {
            word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
        }
        put(head, LENGTH, reason.text().len() as u64);
        put(head, PARTIALS, FAILED);
        put(head, NUMBER, u64::from(number));
    }

    /// Reads answer `number`, which has `ticks` ticks. Returns the number of sounded partials.
    pub(super) fn read_answer(
        &self,
        number: u32,
        ticks: usize,
        buses: &mut Buses,
    ) -> Result<usize, ServiceFailure> {
        let violation = |what| Err(ServiceFailure::ProtocolViolation { what });
        let area = self.memory.words(self.layout.answer(number));
        let (head, words) = area.split_at(HEAD);
        if get(head, NUMBER) != u64::from(number) {
            return violation("an answer to something else");
        }
        let Capacity { slots, buses: count } = self.layout.capacity;
        let partials = get(head, PARTIALS);
        if partials == FAILED {
            let words = words[..Reason::LONGEST / 8].iter();
            let bytes = words.flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
            let reason = Reason::from_bytes(bytes, get(head, LENGTH) as usize);
            return Err(ServiceFailure::Failed(reason));
        }
        if partials > (slots * MAX_PARTIALS) as u64 {
            return violation("more partials than there can be");
        }
        let (mut words, mut are_numbers) = (words.iter(), true);
        for bus in 0..count.min(buses.count()) {
            for side in buses.bus_mut(bus) {
                let pairs = side[..ticks * TICK].as_chunks_mut::<2>().0;
                for (pair, word) in pairs.iter_mut().zip(&mut words) {
                    let word = word.load(Ordering::Relaxed);
                    *pair = [word as u32, (word >> 32) as u32].map(f32::from_bits);
                    are_numbers &= pair[0].is_finite() && pair[1].is_finite();
                }
            }
        }
        match are_numbers {
            true => Ok(partials as usize),
            false => violation("samples that are no numbers"),
        }
    }
}

fn put(words: &[AtomicU64], index: usize, value: u64) {
    words[index].store(value, Ordering::Relaxed);
}

fn get(words: &[AtomicU64], index: usize) -> u64 {
    words[index].load(Ordering::Relaxed)
}

fn words_of(cloud: &Cloud) -> [u64; CLOUD] {
    let words = cloud.to_words();
    std::array::from_fn(|pair| {
        u64::from(words[2 * pair]) | u64::from(words[2 * pair + 1]) << u32::BITS
    })
}

fn cloud_of(words: [u64; CLOUD]) -> Cloud {
    Cloud::from_words(std::array::from_fn(|word| match word % 2 {
        0 => words[word / 2] as u32,
        _ => (words[word / 2] >> u32::BITS) as u32,
    }))
}

/// Refuses a cloud whose indices would be out of bounds in a renderer.
pub(super) fn checked(
    cloud: Cloud,
    buses: usize,
    tables: &Tables,
) -> Result<Cloud, ProtocolViolation> {
    match () {
        () if cloud.bus as usize >= buses => Err("a cloud on a bus that is none"),
        () if cloud.first_frame as usize >= TICK => Err("a cloud that starts after its tick"),
        () if !tables.has_rows_of(&cloud) => Err("a cloud of no table"),
        // A fraction above the maximum is allowed: it rounds down.
        () if !(0.0..MAX_PARTIALS as f32 + 1.0).contains(&cloud.partials) => {
            Err("a cloud of too many partials")
        }
        () => Ok(cloud),
    }
}

/// Reads shared memory with any content as both sides do: for the fuzzer. The first byte is the number of the
/// request, the rest is repeated over the words of all areas.
#[cfg(fuzzing)]
#[allow(clippy::expect_used, reason = "a fuzzer stops where something is wrong")]
pub fn fuzz(bytes: &[u8]) {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let layout = Layout::new(Capacity { slots: 8, buses: 2 }).expect("a small layout");
    let (memory, _file) = SharedMemory::new(layout.words()).expect("memory");
    let segment = SharedSegment { memory, layout };
    let words = segment.memory.words(0..segment.layout.words());
    let number = u32::from(first);
    for area in [segment.layout.request(number), segment.layout.answer(number)] {
        for (word, bytes) in words[area].iter().zip(rest.chunks(8)) {
            let mut value = [0; 8];
            value[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(value), Ordering::Relaxed);
        }
    }
    // The number is what a client cannot get wrong, or else nothing is read.
    put(words, segment.layout.request(number).start, u64::from(number));
    put(words, segment.layout.answer(number).start, u64::from(number));
    let tables = tables();
    if let Ok(head) = segment.read_head(number) {
        let mut block = VoiceBlock::new(8);
        (0..head.ticks).for_each(|_| block.start_tick());
        let _ = segment.read_clouds(number, &head, |place, cloud| {
            let cloud = checked(cloud, 2, &tables)?;
            assert!(place.slot < 8 && place.description < 8);
            assert!(cloud.bus < 2 && (cloud.first_frame as usize) < TICK);
            Ok(())
        });
    }
    let mut buses = Buses::new(2);
    for ticks in 0..=MAX_TICKS {
        if segment.read_answer(number, ticks, &mut buses).is_ok() {
            assert!(buses.bus(1)[1].iter().all(|sample| sample.is_finite()));
        }
    }
}
