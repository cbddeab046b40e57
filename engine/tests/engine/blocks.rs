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
use std::sync::{Arc, Mutex};

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
    /// The ticks of all blocks.
    ticks: Arc<Mutex<Vec<usize>>>,
}

impl Ahead {
    fn new() -> Self {
        Self { inner: CpuRenderer::new(1), in_flight: VecDeque::new(), ticks: Arc::default() }
    }
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
        self.ticks.lock().unwrap().push(block.ticks());
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        self.inner.render(&block, buses)
    }
}

fn engine_ahead(patch: &Patch, offline: bool) -> Engine {
    let config = EngineConfig { offline, threads: 2, ..EngineConfig::default() };
    let mut engine = Engine::with_renderer(&config, Box::new(Ahead::new())).unwrap();
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
        for offline in [false, true] {
            let mut ahead = engine_ahead(patch, offline);
            let mut sizes = blocks.iter().map(|frames| frames * if offline { 10 } else { 1 }).cycle();
            prop_assert!(bits(play_in_blocks(&mut ahead, &events, FRAMES, &mut sizes)) == whole);
        }
        split.reset();
        prop_assert!(bits(play(&mut split, &events, FRAMES)) == whole);
    }
}

/// A device renders one half while the other is made; small loads are sent as they are asked for.
#[test]
fn large_loads_are_sent_in_two_chunks() {
    let mut patch = soft();
    patch.values.set(Param::UnisonVoices, 16.0);
    patch.values.set(Param::VoiceLimit, 128.0);
    let config = EngineConfig { clouds: 4_096, ..EngineConfig::default() };
    let renderer = Ahead::new();
    let ticks = Arc::clone(&renderer.ticks);
    let mut ahead = Engine::with_renderer(&config, Box::new(renderer)).unwrap();
    let mut plain = Engine::new(&config).unwrap();
    for engine in [&mut ahead, &mut plain] {
        engine.set_patch(0, &patch);
    }
    for (keys, block, expected) in [
        (20..30, 64, vec![2]),
        (30..100, 64, vec![2]),
        (0..0, 64, vec![1, 1]),
        (0..0, 240, vec![4, 3]),
    ] {
        let on = |key| Event { frame: 0, part: 0, kind: EventKind::NoteOn { key, velocity: 0.7 } };
        let events: Vec<Event> = keys.map(on).collect();
        let [heard, expected_sound] = [&mut ahead, &mut plain].map(|engine| {
            let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
            engine.render(&events, &mut left, &mut right);
            [left, right]
        });
        assert_eq!(std::mem::take(&mut *ticks.lock().unwrap()), expected);
        assert!(heard == expected_sound, "block of {block}");
    }
    assert!(ahead.counters().clouds > 1_024);
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

/// Chords that are held while others end, stolen voices, a kit and effects, with many chunks on their way at once.
#[test]
fn rendering_ahead_gives_the_same_bits() {
    let mut wide = with_all_effects(soft());
    wide.values.set(Param::UnisonVoices, 5.0);
    wide.values.set(Param::VoiceLimit, 6.0);
    let kit = factory::patches().iter().find(|patch| !patch.key_zones.is_empty()).unwrap();
    let patches = [&wide, kit, &factory::patches()[0], &factory::patches()[40], &wide];
    let on = |frame: u32, part: u8, key: u8| Event {
        frame,
        part,
        kind: EventKind::NoteOn { key, velocity: 0.7 },
    };
    let off = |frame: u32, part: u8, key: u8| Event {
        frame,
        part,
        kind: EventKind::NoteOff { key, velocity: 0.5 },
    };
    let parts = 0..patches.len() as u8;
    let chord = |at: u32| {
        let parts = parts.clone();
        parts.flat_map(move |part| [36, 43, 52, 60].map(|key| on(at, part, key + at as u8 % 7)))
    };
    let mut events: Vec<Event> = chord(5).collect();
    events.extend(parts.clone().map(|part| off(9_000, part, 36 + 5)));
    events.extend(chord(17_111));
    let render = |mut engine: Engine| {
        patches.iter().enumerate().for_each(|(part, patch)| engine.set_patch(part, patch));
        let (mut left, mut right) = (vec![0.0; 40_000], vec![0.0; 40_000]);
        engine.render(&events, &mut left, &mut right);
        // The stream goes on, in the middle of a tick.
        let (mut next_left, mut next_right) = (vec![0.0; 4_999], vec![0.0; 4_999]);
        engine.render(&[], &mut next_left, &mut next_right);
        assert!(engine.counters().voices_stolen > 0);
        let channels = [left, next_left, right, next_right].concat();
        channels.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let config = EngineConfig { parts: patches.len(), ..EngineConfig::default() };
    let plain = render(Engine::new(&config).unwrap());
    assert!(plain.iter().any(|&bits| bits != 0));
    for threads in [1, 2, 3, 7] {
        let config = EngineConfig { threads, offline: true, ..config };
        let ahead = Engine::with_renderer(&config, Box::new(Ahead::new())).unwrap();
        assert!(render(ahead) == plain, "{threads} threads");
    }
}
