//! A renderer that takes over in the middle of notes, as a GPU does that returns.

use super::sameness::{Expected, change, engine, expected, play_events};
use super::{MakeRenderer, PARITY_DB, below, peak_difference_db, reference};
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use myriad_engine::{Engine, EventKind, factory};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

/// Ticks before it.
const TICKS: usize = 62;

/// Frames of the blocks, as when playing live: two ticks.
const BLOCK: usize = 64;

const FRAMES: usize = 4_096;

/// A chord that moves while the other renderer takes over.
fn play(engine: &mut Engine) -> Result<Vec<f32>, String> {
    let on = |key, velocity| EventKind::NoteOn { key, velocity };
    let events = [
        (5, on(40, 0.9)),
        (37, on(64, 0.6)),
        (1_500, EventKind::PitchBend(0.7)),
        (1_900, on(57, 0.8)),
        (2_500, EventKind::NoteOff { key: 64, velocity: 0.5 }),
    ];
    play_events(engine, &events, FRAMES, |_| BLOCK)
}

/// Is silent for [`TICKS`] ticks; then the renderer takes over.
struct Late {
    inner: Box<dyn Renderer>,
    passed: usize,
    introduced: Arc<VoiceBlock>,
    /// Whether the blocks in flight are rendered.
    in_flight: VecDeque<bool>,
}

fn late(inner: Box<dyn Renderer>) -> Box<dyn Renderer> {
    let introduced = Arc::new(VoiceBlock::new(0));
    Box::new(Late { inner, passed: 0, introduced, in_flight: VecDeque::new() })
}

impl Renderer for Late {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.introduced = Arc::new(VoiceBlock::new(capacity.slots));
        self.inner.prepare(capacity)
    }

    fn reset(&mut self) {
        (self.passed, self.in_flight) = (0, VecDeque::new());
        self.inner.reset();
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        let is_rendered = self.passed >= TICKS;
        if is_rendered {
            if self.passed < TICKS + block.ticks() {
                block.introduce(&mut self.introduced);
                self.inner.submit(&self.introduced)?;
            } else {
                self.inner.submit(block)?;
            }
        }
        self.passed += block.ticks();
        self.in_flight.push_back(is_rendered);
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        match self.in_flight.pop_front() {
            Some(true) => self.inner.collect(buses),
            Some(false) => {
                buses.clear();
                Ok(0)
            }
            None => Err(RenderError::OutOfTurn),
        }
    }
}

pub(super) fn patches_are_taken_over(make: MakeRenderer<'_>) -> Result<String, String> {
    static KNOWN: LazyLock<Vec<Expected>> =
        LazyLock::new(|| factory::patches().iter().map(|_| Expected::new()).collect());
    let mut worst = (f64::NEG_INFINITY, "");
    let mut late_reference = Some(engine(&|| late(reference()), &factory::patches()[0])?);
    let mut engine = engine(&|| late(make()), &factory::patches()[0])?;
    for (patch, known) in factory::patches().iter().zip(KNOWN.iter()) {
        let expected = expected(known, &mut late_reference, patch, play)?;
        change(&mut engine, patch);
        let db = peak_difference_db(expected, &play(&mut engine)?);
        if db > worst.0 {
            worst = (db, &patch.name);
        }
    }
    let measured = format!("{:.1} dBFS at worst ({})", worst.0, worst.1);
    below(PARITY_DB, worst.0, measured)
}
