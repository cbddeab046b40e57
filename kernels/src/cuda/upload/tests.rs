//! Items that are there already are not packed again, and nobody can tell.

use super::*;
use myriad_engine::dsp::hash;
use myriad_engine::spectrum::{Cloud, STARTS};

const SLOTS: usize = 40;
const SLICES: usize = 4;

/// Memory that takes turns, as in flight slots do.
struct InFlightSlots {
    stages: Vec<(Vec<u32>, u64)>,
    /// Of one piece.
    words: usize,
    turn: usize,
    /// Forgets what is in the memory, so that everything is packed.
    forgets: bool,
    /// What was sent for the last block, and how often items were already there.
    sent: Vec<(Vec<u32>, Piece)>,
    repeats: usize,
}

impl InFlightSlots {
    fn new(layout: Layout, forgets: bool) -> Self {
        let pieces = layout.pieces(SLOTS * SLICES, SLICES);
        Self {
            stages: vec![(vec![0; pieces * layout.words], 0); 3],
            words: layout.words,
            turn: 0,
            forgets,
            sent: Vec::new(),
            repeats: 0,
        }
    }

    fn pack(&mut self, packer: &mut Packer, block: &VoiceBlock, turn: usize) {
        (self.turn, self.sent) = (turn, Vec::new());
        let (stage, list) = &mut self.stages[turn];
        if self.forgets {
            stage.fill(u32::MAX);
            *list = 0;
        }
        let held = *list;
        packer.pack(block, self).unwrap();
        self.repeats += usize::from(held == self.stages[turn].1);
    }
}

impl Carrier for InFlightSlots {
    type Error = ();

    fn list(&mut self) -> &mut u64 {
        &mut self.stages[self.turn].1
    }

    fn stage(&mut self, number: usize) -> Result<&mut [u32], ()> {
        let (stage, _) = &mut self.stages[self.turn];
        Ok(&mut stage[number * self.words..][..self.words])
    }

    fn send(&mut self, number: usize, piece: Piece) -> Result<(), ()> {
        let mut words = self.stage(number)?[..piece.words].to_vec();
        if piece.groups.is_none() {
            // Only the last piece brings the ends.
            let layout = Layout::new(SLOTS, 1);
            words[layout.ends_at..layout.items_at].fill(0);
        }
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
        let layout = Layout::new(SLOTS, items);
        let packers = || Packer::new(SLOTS, SLICES, layout);
        let (mut packer, mut thorough) = (packers(), packers());
        let (mut in_flight_slots, mut forgetful) = (
            InFlightSlots::new(layout, false),
            InFlightSlots::new(layout, true),
        );
        let mut block = VoiceBlock::new(SLOTS);
        for number in 0..400 {
            if number % 61 == 60 {
                packer.reset();
                thorough.reset();
            }
            write(&mut block, number, number / 15);
            // Mostly in turns.
            let turn = (number + number / 50) as usize % 3;
            in_flight_slots.pack(&mut packer, &block, turn);
            forgetful.pack(&mut thorough, &block, turn);
            assert_eq!(in_flight_slots.sent, forgetful.sent, "block {number}");
        }
        match items == SLOTS * SLICES {
            true => assert!(in_flight_slots.repeats > 50, "{}", in_flight_slots.repeats),
            false => assert_eq!(in_flight_slots.repeats, 0),
        }
        assert_eq!(forgetful.repeats, 0);
    }
}
