//! Items that a buffer already holds are not packed again, and the uploads stay the same.

use super::*;
use myriad_engine::dsp::hash;
use myriad_engine::spectrum::{Cloud, STARTS};

const SLOTS: usize = 40;
const SLICES: usize = 4;
const CAPACITY: Capacity = Capacity { slots: SLOTS, buses: 2 };

/// Buffers that are used in turn, as in-flight slots are.
struct Buffers {
    buffers: Vec<(Vec<u32>, u64)>,
    /// Of one piece.
    words: usize,
    turn: usize,
    /// Whether buffers are overwritten before each block, so that everything is packed.
    forgets: bool,
    /// The uploads of the last block, and how often a buffer already held the items.
    sent: Vec<(Vec<u32>, Piece)>,
    repeats: usize,
}

impl Buffers {
    fn new(layout: Layout, forgets: bool) -> Self {
        let pieces = layout.pieces(SLOTS * SLICES, SLICES);
        Self {
            buffers: vec![(vec![0; pieces * layout.words], 0); 3],
            words: layout.words,
            turn: 0,
            forgets,
            sent: Vec::new(),
            repeats: 0,
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
        let words = self.buffer(number)?[..piece.words].to_vec();
        self.sent.push((words, piece));
        Ok(())
    }
}

/// Blocks of held chords that seldom change: slots come and go, start anew, and get fewer partials.
fn write(block: &mut VoiceBlock, number: u32, chord: u32) {
    block.clear();
    let starts = number.is_multiple_of(9);
    for tick in 0..2 {
        block.start_tick();
        for slot in (0..SLOTS as u32).filter(|slot| !hash(chord * 64 + slot).is_multiple_of(3)) {
            let random = hash(chord * 4096 + slot);
            block.push(
                slot,
                Cloud {
                    flags: if starts && tick == 0 { STARTS } else { 0 },
                    partials: (random % 1024) as f32,
                    ..Cloud::default()
                },
            );
        }
    }
}

#[test]
fn held_chords_are_packed_once() {
    // All in one piece, or every block in several.
    for items in [SLOTS * SLICES, 16] {
        let layout = Layout::new(CAPACITY, items);
        let packers = || Packer::new(CAPACITY, SLICES, layout);
        let (mut packer, mut thorough) = (packers(), packers());
        let [mut buffers, mut forgetful] =
            [false, true].map(|forgets| Buffers::new(layout, forgets));
        let mut block = VoiceBlock::new(SLOTS);
        for number in 0..400 {
            if number % 61 == 60 {
                packer.reset();
                thorough.reset();
            }
            write(&mut block, number, number / 15);
            // Mostly in turns.
            let turn = (number + number / 50) as usize % 3;
            buffers.pack(&mut packer, &block, turn);
            forgetful.pack(&mut thorough, &block, turn);
            assert_eq!(buffers.sent, forgetful.sent, "block {number}");
        }
        match items == SLOTS * SLICES {
            true => assert!(buffers.repeats > 50, "{}", buffers.repeats),
            false => assert_eq!(buffers.repeats, 0),
        }
        assert_eq!(forgetful.repeats, 0);
    }
}
