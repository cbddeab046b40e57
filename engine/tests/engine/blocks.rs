//! The same output, bit for bit, for any split of a stream into blocks, after a reset, and with
//! several blocks in flight.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, factory};
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

/// Many voices in one part and a few in others, with unison, effects and an arpeggiator: parts,
/// chunks of voices and effects are computed in parallel.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut wide = with_all_effects(soft());
    wide.values.set(Param::UnisonVoices, 5.0);
    wide.values.set(Param::VoiceLimit, 128.0);
    let mut arpeggio = wide.clone();
    arpeggio.values.set(Param::ArpMode, 1.0);
    let patches = [&wide, &arpeggio, &factory::patches()[0], &factory::patches()[40]];
    let render = |threads: usize| {
        let config = EngineConfig { parts: 4, clouds: 2_048, threads, ..EngineConfig::default() };
        let mut engine = Engine::new(&config).unwrap();
        patches.iter().enumerate().for_each(|(part, patch)| engine.set_patch(part, patch));
        let on = |frame: u32, part: u8, key: u8| Event {
            frame,
            part,
            kind: EventKind::NoteOn { key, velocity: 0.7 },
        };
        let mut events: Vec<Event> = (0..90).map(|n| on(u32::from(n), 0, 20 + n)).collect();
        events.extend((1..4).flat_map(|part| [40, 47, 52].map(|key| on(100, part, key))));
        let (mut left, mut right) = (vec![0.0; 12_000], vec![0.0; 12_000]);
        engine.render(&events, &mut left, &mut right);
        assert!(engine.counters().clouds > 450, "{:?}", engine.counters());
        left.extend(right);
        left.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let alone = render(1);
    assert!(alone.iter().any(|&bits| bits != 0));
    for threads in [2, 3, 7] {
        assert!(render(threads) == alone, "{threads} threads");
    }
}
