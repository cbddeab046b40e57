//! The same output, bit for bit, for any split of a stream into blocks, and after a reset.

mod common;

use common::*;
use myriad_engine::params::Param;
use myriad_engine::{EventKind, factory};
use proptest::prelude::*;

const FRAMES: usize = 6_000;

fn any_event() -> impl Strategy<Value = EventKind> {
    let unit = 0.0f32..1.0;
    prop_oneof![
        4 => (24u8..100, 0.1f32..1.0).prop_map(|(key, velocity)| EventKind::NoteOn { key, velocity }),
        2 => (24u8..100, unit.clone()).prop_map(|(key, velocity)| EventKind::NoteOff { key, velocity }),
        1 => (-1.0f32..1.0).prop_map(EventKind::PitchBend),
        1 => (prop_oneof![Just(1u8), Just(64), Just(66), Just(7)], unit.clone())
            .prop_map(|(cc, value)| EventKind::Control { cc, value }),
        1 => (0..Param::ALL.len(), unit).prop_map(|(index, scale)| {
            let param = Param::ALL[index];
            EventKind::Param { param, value: param.info().kind.from_scale(scale) }
        }),
        1 => Just(EventKind::AllSoundOff),
        1 => (60.0f32..180.0).prop_map(|bpm| EventKind::Transport { bpm, beat: 3.5 }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_bits(
        index in 0..factory::patches().len(),
        mut events in prop::collection::vec((0..FRAMES, any_event()), 1..40),
        blocks in prop::collection::vec(1usize..900, 1..50),
    ) {
        events.sort_by_key(|event| event.0);
        let patch = &factory::patches()[index];
        let bits = |out: [Vec<f32>; 2]| -> Vec<u32> {
            out.concat().into_iter().map(f32::to_bits).collect()
        };
        let whole = bits(play_in_blocks(&mut engine(patch), &events, FRAMES, &mut std::iter::once(FRAMES)));
        let mut split = engine(patch);
        let mut sizes = blocks.iter().copied().cycle();
        prop_assert!(bits(play_in_blocks(&mut split, &events, FRAMES, &mut sizes)) == whole);
        split.reset();
        prop_assert!(bits(play(&mut split, &events, FRAMES)) == whole);
    }
}
