//! Items that a buffer already holds are not packed again, and the uploads stay the same.

use super::*;
use myriad_engine::dsp::hash;
use myriad_engine::spectrum::{Cloud, STARTS, UnisonVoice};
use std::array::from_fn;
use std::collections::HashMap;

const SLOTS: usize = 104;
const SLICES: usize = 4;
const CAPACITY: Capacity = Capacity { slots: SLOTS, buses: 2 };

/// Buffers that are used in turn, as in-flight slots are.
struct Buffers {
    buffers: Vec<(Vec<u32>, u64)>,
    /// Of one piece.
    words: usize,
    list_at: usize,
    turn: usize,
    /// Whether buffers are overwritten before each block, so that everything is packed.
    forgets: bool,
    /// The uploads of the last block, and how often a buffer already held the items.
    sent: Vec<(Vec<u32>, Piece)>,
    repeats: usize,
    /// The last block of every item, by slot and slice.
    last_blocks: HashMap<[u32; 2], u32>,
}

impl Buffers {
    fn new(layout: Layout, forgets: bool) -> Self {
        let pieces = layout.pieces(SLOTS * SLICES, SLICES);
        Self {
            buffers: vec![(vec![0; pieces * layout.words], 0); 3],
            words: layout.words,
            list_at: layout.list_at,
            turn: 0,
            forgets,
            sent: Vec::new(),
            repeats: 0,
            last_blocks: HashMap::new(),
        }
    }

    fn pack(&mut self, packer: &mut Packer, block: &VoiceBlock, turn: usize) {
        (self.turn, self.sent) = (turn, Vec::new());
        let (buffer, list) = &mut self.buffers[turn];
        if self.forgets {
            buffer.fill(u32::MAX);
            *list = 0;
        }
        let held = *list;
        packer.pack(block, self).unwrap();
        self.repeats += usize::from(held == self.buffers[turn].1);
        self.check_waits();
    }

    /// Every item says which block it has to wait for, or it would take over phases that are still written.
    fn check_waits(&mut self) {
        for (words, piece) in &self.sent {
            let (block, first_block) = (words[HEADER_BLOCK], words[HEADER_FIRST_BLOCK]);
            let (items, _) = words[HEADER_WORDS..].as_chunks::<ITEM_WORDS>();
            for &[slot, slice_and_ticks, _, since] in &items[..piece.items] {
                let after = if block == first_block { since } else { 1 };
                let slice = slice_and_ticks % SLICES as u32;
                let last = self.last_blocks.insert([slot, slice], block);
                let blocks = last.map(|last| block - last).filter(|&since| since < AT_ONCE as u32);
                assert_eq!(after, blocks.unwrap_or(0), "slot {slot}, slice {slice}, block {block}");
            }
        }
    }
}

impl PieceSink for Buffers {
    type Error = ();

    fn list(&mut self) -> &mut u64 {
        &mut self.buffers[self.turn].1
    }

    fn buffer(&mut self, number: usize) -> Result<&mut [u32], ()> {
        let (buffer, _) = &mut self.buffers[self.turn];
        Ok(&mut buffer[number * self.words..][..self.words])
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), ()> {
        let list_at = self.list_at;
        let words = self.buffer(number)?;
        let list = &words[list_at..][..piece.voices.len() * LISTED_WORDS];
        let sent = [&words[..piece.words], list].concat();
        self.sent.push((sent, piece));
        Ok(())
    }
}

/// The clouds of a tick of held chords that seldom change: slots come and go, start anew, and get fewer partials.
fn clouds(number: u32, chord: u32, tick: usize) -> impl Iterator<Item = (u32, Cloud)> {
    let starts = number.is_multiple_of(9) && tick == 0;
    let slots = 0..SLOTS as u32;
    slots.filter(move |slot| !hash(chord * 128 + slot).is_multiple_of(3)).map(move |slot| {
        let partials = (hash(chord * 4096 + slot) % 1024) as f32;
        let flags = if starts { STARTS } else { 0 };
        (slot, Cloud { flags, partials, ..Cloud::default() })
    })
}

fn write(block: &mut VoiceBlock, number: u32, chord: u32) {
    block.clear();
    for tick in 0..TICKS {
        block.start_tick();
        clouds(number, chord, tick).for_each(|(slot, cloud)| block.push(slot, cloud));
    }
}

/// The same of two clients, of whom the second is not always there.
fn write_shared(block: &mut VoiceBlock, number: u32, chord: u32) {
    block.clear();
    let clients = if number % 50 < 20 { 1 } else { 2 };
    let starts: [usize; 3] = from_fn(|client| client * Section::SLOTS);
    for (client, &first_slot) in starts[..clients].iter().enumerate() {
        let section = Section { first_slot, first_bus: client, buses: 1 };
        assert!(block.start_section(section, TICKS, Section::SLOTS.min(SLOTS - first_slot)));
    }
    for (client, mut section) in block.section_writers().enumerate() {
        let own = starts[client]..starts[client + 1];
        for tick in 0..TICKS {
            for (slot, cloud) in clouds(number, chord, tick) {
                if own.contains(&(slot as usize)) {
                    let slot = slot as usize - own.start;
                    assert!(section.put(tick, slot, &UnisonVoice::single(&cloud)));
                }
            }
        }
    }
}

const TICKS: usize = 2;

#[test]
fn held_chords_are_packed_once() {
    held_chords(&mut VoiceBlock::new(SLOTS), write);
}

#[test]
fn held_chords_of_several_clients_are_packed_once() {
    held_chords(&mut VoiceBlock::shared(SLOTS, SLOTS), write_shared);
}

fn held_chords(block: &mut VoiceBlock, write: fn(&mut VoiceBlock, u32, u32)) {
    // All in one piece, or every block in several.
    for items in [SLOTS * SLICES, 16] {
        let layout = Layout::new(CAPACITY, items);
        let packers = || Packer::new(CAPACITY, SLICES, layout);
        let (mut packer, mut thorough) = (packers(), packers());
        let [mut buffers, mut forgetful] =
            [false, true].map(|forgets| Buffers::new(layout, forgets));
        for number in 0..400 {
            if number % 61 == 60 {
                packer.reset();
                thorough.reset();
            }
            write(block, number, number / 15);
            // Mostly in turns.
            let turn = (number + number / 50) as usize % 3;
            buffers.pack(&mut packer, block, turn);
            forgetful.pack(&mut thorough, block, turn);
            assert_eq!(buffers.sent, forgetful.sent, "block {number}");
        }
        match items == SLOTS * SLICES {
            true => assert!(buffers.repeats > 50, "{}", buffers.repeats),
            false => assert_eq!(buffers.repeats, 0),
        }
        assert_eq!(forgetful.repeats, 0);
    }
}
