//! The same output, bit for bit, for any split of a stream into blocks, after a reset, and with
//! several blocks in flight.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{Engine, EngineConfig, EventKind, Patch, factory};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

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

/// A renderer that, like a GPU, takes the next block while the last one is in flight.
struct Ahead {
    inner: CpuRenderer,
    in_flight: VecDeque<Arc<VoiceBlock>>,
}

impl Renderer for Ahead {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.inner.prepare(capacity)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        3
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        assert!(self.in_flight.len() < self.depth());
        self.in_flight.push_back(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        self.inner.render(&block, buses)
    }
}

fn engine_ahead(patch: &Patch) -> Engine {
    let renderer = Ahead { inner: CpuRenderer::new(1), in_flight: VecDeque::new() };
    let config = EngineConfig::default();
    let mut engine = Engine::with_renderer(&config, Box::new(renderer)).unwrap();
    engine.set_patch(0, patch);
    engine
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_bits(
        index in 0..factory::patches().len() + 4,
        mut events in prop::collection::vec((0..FRAMES, any_event()), 1..40),
        blocks in prop::collection::vec(1usize..900, 1..50),
    ) {
        events.sort_by_key(|event| event.0);
        let effects = with_all_effects(soft());
        let patch = factory::patches().get(index).unwrap_or(&effects);
        let bits = |out: [Vec<f32>; 2]| -> Vec<u32> {
            out.concat().into_iter().map(f32::to_bits).collect()
        };
        let whole = bits(play_in_blocks(&mut engine(patch), &events, FRAMES, &mut std::iter::once(FRAMES)));
        let mut split = engine(patch);
        let mut sizes = blocks.iter().copied().cycle();
        prop_assert!(bits(play_in_blocks(&mut split, &events, FRAMES, &mut sizes)) == whole);
        let mut ahead = engine_ahead(patch);
        let mut sizes = blocks.iter().copied().cycle();
        prop_assert!(bits(play_in_blocks(&mut ahead, &events, FRAMES, &mut sizes)) == whole);
        split.reset();
        prop_assert!(bits(play(&mut split, &events, FRAMES)) == whole);
    }
}
