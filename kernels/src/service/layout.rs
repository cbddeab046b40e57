//! The layout of the shared memory, and how blocks and buses are written to it.
//!
//! There are two requests and two answers, used in turn, so that one block can be written while
//! another is rendered. Both sides validate everything that they read.

use super::error::ServiceFailure;
use super::memory::SharedMemory;
use myriad_engine::prefetch::prefetch;
use myriad_engine::render::{Buses, Capacity, MAX_TICKS, Reason, TICK, VoiceBlock};
use myriad_engine::spectrum::{Cloud, MAX_PARTIALS, Tables, UnisonVoice, tables};
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most slots of a service, and so of a client. A larger request is refused before its memory is mapped.
pub(super) const MAX_SLOTS: usize = 65_536;

/// Blocks that may be in flight.
pub(super) const DEPTH: usize = 2;

/// Futex counters: the client increments the first per request, the service the second per answer.
pub(super) const ASKED: usize = 0;
pub(super) const ANSWERED: usize = 1;

/// Words before the voices of a request and before the samples of an answer.
const HEAD: usize = 16;

/// Words of a voice in one tick. Before the first of them there is one for its first slot, and in the upper half a bit
/// for each tick that has it.
const VOICE: usize = UnisonVoice::PAIRS;

// Word indices in a request's head.
const NUMBER: usize = 0;
const RESET: usize = 1;
const TICKS: usize = 2;
const NEEDS: usize = 3;
const VOICES: usize = 4;

// Word indices in an answer's head, after its number: the partials, or `FAILED` and a reason's length.
const PARTIALS: usize = 1;
const LENGTH: usize = 2;
const FAILED: u64 = u64::MAX;

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
        let voices = capacity.slots.checked_mul(1 + MAX_TICKS * VOICE)?;
        let samples = capacity.buses.checked_mul(Buses::FRAMES)?;
        let area = |words: usize| {
            let words = words.max(Reason::LONGEST / 8).checked_add(HEAD)?;
            words.checked_next_multiple_of(PAGE)
        };
        let layout = Self { capacity, request: area(voices)?, answer: area(samples)? };
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
    /// Slots at which voices begin.
    pub(super) voices: u64,
}

/// What a request holds, as it was written: voices in the order of their first slots, each through its ticks. Nothing is
/// checked.
pub(super) struct Request<'a>(slice::Iter<'a, AtomicU64>);

impl Request<'_> {
    /// The slot of the next voices, and a bit for each tick that has one.
    #[inline(always)]
    pub(super) fn next_slot(&mut self) -> Result<(usize, u32), ProtocolViolation> {
        let word = self.0.next().ok_or(TOO_MANY)?.load(Ordering::Relaxed);
        Ok((word as u32 as usize, (word >> u32::BITS) as u32))
    }

    /// The voice of the next of these ticks.
    #[inline(always)]
    pub(super) fn next_voice(&mut self) -> Result<UnisonVoice, ProtocolViolation> {
        let (words, rest) = self.0.as_slice().split_first_chunk::<VOICE>().ok_or(TOO_MANY)?;
        self.0 = rest.iter();
        // The client's core has written them just now.
        prefetch(words.as_ptr().wrapping_add(AHEAD), FETCHED);
        let pairs = words.each_ref().map(|word| word.load(Ordering::Relaxed));
        Ok(UnisonVoice::from_pairs(pairs))
    }
}

/// Voices whose values are fetched ahead.
const VOICES_AHEAD: usize = 4;

/// How many words ahead is fetched, and how many bytes: those of a voice, and the rest of a cache line.
const AHEAD: usize = 128;
const FETCHED: usize = size_of::<UnisonVoice>() + 64;

const TOO_MANY: ProtocolViolation = "more voices than there is room";

impl SharedSegment {
    /// Writes the block's voices as request `number`; with `reset`, the service forgets the
    /// client's clouds first. Also writes the number of the newest imported table that the block needs; older
    /// tables arrive before it.
    pub(super) fn ask(&self, number: u32, reset: bool, block: &VoiceBlock) {
        let area = self.memory.words(self.layout.request(number));
        let (head, mut room) = area.split_at(HEAD);
        let (tables, mut needs, mut voices) = (tables(), 0, 0);
        let mut later_slots = block.first_slots().skip(VOICES_AHEAD);
        for slot in block.first_slots() {
            // The workers of the engine have written them just now.
            later_slots.next().into_iter().for_each(|slot| block.prefetch(slot));
            let ticks = u64::from(block.spans()[slot].ticks);
            let Some((first, rest)) = room.split_first() else {
                continue;
            };
            first.store(slot as u64 | ticks << u32::BITS, Ordering::Relaxed);
            (room, voices) = (rest, voices + 1);
            for voice in (0..block.ticks()).filter_map(|tick| block.voice(slot, tick)) {
                let Some((place, rest)) = room.split_first_chunk::<VOICE>() else {
                    continue;
                };
                room = rest;
                needs = tables.number_of(&voice.description.cloud()).max(needs);
                let pairs = place.iter().zip(voice.pairs());
                pairs.for_each(|(to, &pair)| to.store(pair, Ordering::Relaxed));
            }
        }
        put(head, VOICES, voices);
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
        Ok(RequestHead {
            ticks: ticks as usize,
            reset: get(head, RESET) != 0,
            needs: get(head, NEEDS),
            voices: get(head, VOICES),
        })
    }

    /// What request `number` holds.
    pub(super) fn request(&self, number: u32) -> Request<'_> {
        let area = self.memory.words(self.layout.request(number));
        Request(area[HEAD..].iter())
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

/// Refuses a cloud whose indices would be out of bounds in a renderer.
pub(super) fn check(cloud: &Cloud, buses: usize, tables: &Tables) -> Result<(), ProtocolViolation> {
    match () {
        () if cloud.bus as usize >= buses => Err("a cloud on a bus that is none"),
        () if cloud.first_frame as usize >= TICK => Err("a cloud that starts after its tick"),
        () if !tables.has_rows_of(cloud) => Err("a cloud of no table"),
        // A fraction above the maximum is allowed: it rounds down.
        () if !(0.0..MAX_PARTIALS as f32 + 1.0).contains(&cloud.partials) => {
            Err("a cloud of too many partials")
        }
        () => Ok(()),
    }
}

/// Reads shared memory with any content as both sides do: for the fuzzer. The first byte is the number of the
/// request, the rest is repeated over the words of all areas.
#[cfg(fuzzing)]
#[allow(clippy::expect_used, reason = "a fuzzer stops where something is wrong")]
pub fn fuzz(bytes: &[u8]) {
    use super::request_reader::RequestReader;
    use super::tables::ClientTables;
    use myriad_engine::render::Section;
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
    if let Ok(head) = segment.read_head(number) {
        let mut block = VoiceBlock::shared(64, 64);
        let section = Section { first_slot: 0, first_bus: 0, buses: 2 };
        if !block.start_section(section, head.ticks, head.voices as usize) {
            return;
        }
        let mut reader = RequestReader::new(segment.layout.capacity());
        for mut section in block.section_writers() {
            let _ = reader.read(&segment, number, &head, &ClientTables::new(), &mut section);
        }
        assert!(block.slots().all(|slot| slot < 8));
        for cloud in block.slots().flat_map(|slot| (0..head.ticks).map(move |tick| (slot, tick))) {
            let Some(cloud) = block.cloud(cloud.0, cloud.1) else {
                continue;
            };
            assert!(cloud.bus < 2 && (cloud.first_frame as usize) < TICK);
        }
    }
    let mut buses = Buses::new(2);
    for ticks in 0..=MAX_TICKS {
        if segment.read_answer(number, ticks, &mut buses).is_ok() {
            assert!(buses.bus(1)[1].iter().all(|sample| sample.is_finite()));
        }
    }
}
