//! The layout of the shared memory, and how blocks and buses are written to it.
//!
//! There are two requests and two answers, used in turn, so that one block can be written while
//! another is rendered. Both sides validate everything that they read.

use super::error::ServiceFailure;
use super::memory::SharedMemory;
use myriad_engine::render::{Buses, Capacity, MAX_TICKS, Reason, TICK, VoiceBlock};
use myriad_engine::spectrum::{Cloud, Description, MAX_PARTIALS, Tables, UnisonCopy, tables};
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

/// Words before the clouds of a request and before the samples of an answer.
const HEAD: usize = 16;

/// Words of a unison copy with its slot, and of a description.
const COPY: usize = (size_of::<UnisonCopy>() + size_of::<u32>()) / size_of::<u64>();
const DESCRIPTION: usize = size_of::<Description>() / size_of::<u64>();

// Word indices in a request's head; from `COUNTS` on, a word per tick counts its clouds, and in the upper half its
// descriptions.
const NUMBER: usize = 0;
const RESET: usize = 1;
const TICKS: usize = 2;
const NEEDS: usize = 3;
const COUNTS: usize = 4;

// Word indices in an answer's head, after its number: the partials, or `FAILED` and a reason's length.
const PARTIALS: usize = 1;
const LENGTH: usize = 2;
const FAILED: u64 = u64::MAX;

const _: () = assert!(COUNTS + MAX_TICKS <= HEAD);
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
        let clouds = capacity.slots.checked_mul(MAX_TICKS * (COPY + DESCRIPTION))?;
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

    /// Words for unison copies in a request; the descriptions follow.
    fn copies(&self) -> usize {
        self.capacity.slots * MAX_TICKS * COPY
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
    /// Clouds and descriptions of each tick.
    pub(super) counts: [[u32; 2]; MAX_TICKS],
}

/// What a request holds, as it was written: tick by tick its descriptions, and its clouds in the order of their slots. Rows and
/// indices are not checked.
pub(super) struct Request<'a> {
    copies: slice::Iter<'a, [AtomicU64; COPY]>,
    descriptions: slice::Iter<'a, [AtomicU64; DESCRIPTION]>,
}

impl Request<'_> {
    /// The next description, as a cloud.
    #[inline(always)]
    pub(super) fn next_description(&mut self) -> Result<Cloud, ProtocolViolation> {
        let words = self.descriptions.next().ok_or("more descriptions than there is room")?;
        Ok(voice_of(words.each_ref().map(|word| word.load(Ordering::Relaxed))))
    }

    /// The slot of the next cloud, and what it has of its own. Its description has the index that it says among those
    /// of the tick.
    #[inline(always)]
    pub(super) fn next_copy(&mut self) -> Result<(usize, UnisonCopy), ProtocolViolation> {
        let words = self.copies.next().ok_or("more clouds than there is room")?;
        Ok(copy_of(words.each_ref().map(|word| word.load(Ordering::Relaxed))))
    }
}

/// Numbers the descriptions of a tick that are in use, in the order of their use.
#[derive(Debug)]
pub(super) struct Numbering {
    /// By the index in the block: the number, and in the upper half the stamp of the tick that it belongs to.
    numbers: Vec<u64>,
    stamp: u64,
    next: u32,
}

impl Numbering {
    /// For blocks of so many slots.
    pub(super) fn new(slots: usize) -> Self {
        Self { numbers: vec![0; slots.next_multiple_of(2)], stamp: 0, next: 0 }
    }

    fn start_tick(&mut self) {
        (self.stamp, self.next) = (self.stamp + 1, 0);
    }

    /// The number of a description, and whether it is new.
    fn number(&mut self, index: usize) -> (u32, bool) {
        let known = &mut self.numbers[index];
        let is_new = *known >> 32 != self.stamp;
        if is_new {
            *known = self.stamp << 32 | u64::from(self.next);
            self.next += 1;
        }
        (*known as u32, is_new)
    }
}

impl SharedSegment {
    /// Writes the sounding clouds, by tick, as request `number`; with `reset`, the service forgets the
    /// client's clouds first. Also writes the number of the newest imported table that the block needs; older
    /// tables arrive before it.
    pub(super) fn ask(
        &self,
        number: u32,
        reset: bool,
        block: &VoiceBlock,
        numbering: &mut Numbering,
    ) {
        let area = self.memory.words(self.layout.request(number));
        let (head, entries) = area.split_at(HEAD);
        let (copies, descriptions) = entries.split_at(self.layout.copies());
        let mut copies = copies.as_chunks::<COPY>().0.iter();
        let mut descriptions = descriptions.as_chunks::<DESCRIPTION>().0.iter();
        let (tables, mut needs) = (tables(), 0);
        for tick in 0..block.ticks() {
            numbering.start_tick();
            let mut count = 0;
            let clouds = block.slots().filter_map(|slot| Some((slot, block.copy(slot, tick)?)));
            for ((slot, copy), entry) in clouds.zip(&mut copies) {
                let (described, is_new) = numbering.number(copy.index());
                if is_new && let Some(entry) = descriptions.next() {
                    let voice = block.description(copy, tick).cloud();
                    needs = tables.number_of(&voice).max(needs);
                    let words = words_of(&voice);
                    entry
                        .iter()
                        .zip(words)
                        .for_each(|(to, word)| to.store(word, Ordering::Relaxed));
                }
                let words = copy_words(slot, described, copy);
                entry.iter().zip(words).for_each(|(to, word)| to.store(word, Ordering::Relaxed));
                count += 1;
            }
            put(head, COUNTS + tick, count | u64::from(numbering.next) << u32::BITS);
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
            true => {
                let both = get(head, COUNTS + tick);
                [both as u32, (both >> u32::BITS) as u32]
            }
            false => [0; 2],
        });
        Ok(RequestHead { ticks, reset: get(head, RESET) != 0, needs: get(head, NEEDS), counts })
    }

    /// What request `number` holds.
    pub(super) fn request(&self, number: u32) -> Request<'_> {
        let area = self.memory.words(self.layout.request(number));
        let (copies, descriptions) = area[HEAD..].split_at(self.layout.copies());
        Request {
            copies: copies.as_chunks().0.iter(),
            descriptions: descriptions.as_chunks().0.iter(),
        }
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

/// Two words of 32 bits.
fn joined(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << u32::BITS
}

fn divided(word: u64) -> [u32; 2] {
    [word as u32, (word >> u32::BITS) as u32]
}

/// What a voice's clouds share.
fn words_of(voice: &Cloud) -> [u64; DESCRIPTION] {
    let words = voice.to_words();
    std::array::from_fn(|pair| joined(words[2 * pair], words[2 * pair + 1]))
}

fn voice_of(words: [u64; DESCRIPTION]) -> Cloud {
    let mut all = Cloud::default().to_words();
    for (pair, word) in all.as_chunks_mut().0.iter_mut().zip(words) {
        *pair = divided(word);
    }
    Cloud::from_words(all)
}

/// A unison copy whose description has that number.
fn copy_words(slot: usize, described: u32, copy: &UnisonCopy) -> [u64; COPY] {
    let mirrored = copy.description & UnisonCopy::MIRRORED;
    let [from_left, from_right] = copy.gain_from.map(f32::to_bits);
    let [to_left, to_right] = copy.gain_to.map(f32::to_bits);
    [
        joined(slot as u32, described | mirrored),
        joined(copy.seed, copy.increment.to_bits()),
        joined(from_left, from_right),
        joined(to_left, to_right),
        joined(copy.phase, copy.band_clock),
    ]
}

fn copy_of(words: [u64; COPY]) -> (usize, UnisonCopy) {
    let [[slot, description], [seed, increment], gain_from, gain_to, [phase, band_clock]] =
        words.map(divided);
    let copy = UnisonCopy {
        description,
        seed,
        increment: f32::from_bits(increment),
        gain_from: gain_from.map(f32::from_bits),
        gain_to: gain_to.map(f32::from_bits),
        phase,
        band_clock,
    };
    (slot as usize, copy)
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
        block.start_section(Section { first_slot: 0, first_bus: 0, buses: 2 }, head.ticks);
        let mut reader = RequestReader::new(segment.layout.capacity());
        let _ = reader.read(&segment, number, &head, &ClientTables::new(), 0, &mut block);
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
