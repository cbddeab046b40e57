//! The CPU takes over from a lost GPU in the middle of a chord, and the click detector finds nothing.

use super::*;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, factory};
use myriad_live::fault::{Fault, simulated_gpu};
use myriad_live::supervised::SupervisedRenderer;
use watch::Click;

/// Frames that are rendered at once.
const BLOCK: usize = MAX_TICKS * TICK;

/// Blocks that are played after a loss, so that everything around it is judged.
const AFTER: u64 = 16;

/// Patches and chords of many partials, in which losses clicked when predictions had 32 coefficients: Init at block 148,
/// Swarm at 69, 87 and 146, like steps of up to -27 dBFS, and Tremolo Section at 175.
const CHORDS: [(&str, [u8; 4]); 3] = [
    ("Init", [40, 41, 47, 49]),
    ("Swarm", [40, 75, 53, 59]),
    ("Tremolo Section", [65, 48, 56, 41]),
];

/// The blocks at which the GPU is lost.
const PLACES: [u64; 7] = [69, 87, 104, 125, 146, 148, 175];

/// Calls the other renderer without a thread of its own, so that a busy machine does not wait for threads.
struct Direct(Box<dyn Renderer>);

impl Renderer for Direct {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.0.prepare(capacity)
    }

    fn limit_calls(&mut self, _: Duration) -> bool {
        true
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.0.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.0.collect(buses)
    }
}

/// Holds a chord for so many blocks. With `lost` the GPU fails at that block and stays lost.
fn chord(patch: &Patch, keys: [u8; 4], blocks: u64, lost: Option<u64>) -> Vec<[f32; 2]> {
    let faults = Arc::<Faults>::default();
    let gpu = simulated_gpu(1, &faults);
    let gpu = Arc::new(move || -> Box<dyn Renderer> { Box::new(Direct(gpu())) });
    let renderer = SupervisedRenderer::new(gpu, CpuRenderer::new(1));
    let report = renderer.report();
    let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
    let mut engine = Engine::with_renderer(&config, Box::new(renderer)).unwrap();
    engine.set_patch(0, patch);
    if let Some(block) = lost {
        faults.set_at(block + 1, Fault::Fail);
    }
    let velocity = 0.7;
    let on = |key| Event { frame: 0, part: 0, kind: EventKind::NoteOn { key, velocity } };
    let mut events: Vec<Event> = keys.map(on).into();
    let (mut sound, mut left, mut right) = (Vec::new(), [0.0; BLOCK], [0.0; BLOCK]);
    for _ in 0..blocks {
        engine.render(&events, &mut left, &mut right);
        events.clear();
        sound.extend(left.iter().zip(&right).map(|(&left, &right)| [left, right]));
    }
    assert_eq!(report.lock().unwrap().losses, u64::from(lost.is_some()), "{}", patch.name);
    sound
}

/// The clicks near a block.
fn clicks_at(block: u64, sound: &[[f32; 2]]) -> Vec<Click> {
    let mut clicks = Vec::new();
    ClickDetector::new().hear(sound, &mut clicks);
    clicks.retain(|click| click.frame.abs_diff(block * BLOCK as u64) < 2 * BLOCK as u64);
    clicks
}

#[test]
fn a_lost_gpu_does_not_click() {
    for (name, keys) in CHORDS {
        let patch = factory::find(name).unwrap();
        let clean = chord(&patch, keys, PLACES[PLACES.len() - 1] + AFTER, None);
        for block in PLACES {
            assert_eq!(clicks_at(block, &clean), [], "{name} without a loss, block {block}");
            let sound = chord(&patch, keys, block + AFTER, Some(block));
            let lost = sound.iter().zip(&clean).position(|(lost, clean)| lost != clean);
            let expected = block as usize * BLOCK..(block as usize + 2) * BLOCK;
            assert!(lost.is_some_and(|frame| expected.contains(&frame)), "{name}: {lost:?}");
            assert_eq!(clicks_at(block, &sound), [], "{name}, block {block}");
        }
    }
}
