//! One part of the engine, played by messages: the instrument in an AudioWorklet.

use crate::message::Message;
use myriad_engine::mpe::Channels;
use myriad_engine::render::CpuRenderer;
use myriad_engine::simd::Level;
use myriad_engine::view::Points;
use myriad_engine::{BoundedEvents, Engine, EngineConfig, EngineError, Event, Patch, Snapshot};

/// The longest block.
pub const MAX_FRAMES: usize = 1_024;
/// Messages that may arrive with one block.
const MAX_MESSAGES: usize = 512;
/// Events for the engine: an MPE message becomes one for each note of its channel.
const MAX_EVENTS: usize = 4_096;

/// An instrument that plays one patch.
pub struct Instrument {
    engine: Engine,
    messages: Box<[Message; MAX_MESSAGES]>,
    events: BoundedEvents<Vec<Event>>,
    audio: Box<[[f32; MAX_FRAMES]; 2]>,
    channels: Channels,
    snapshot: Snapshot,
    points: Points,
    /// The loudest sample of each side since the last meters.
    peaks: [f32; 2],
}

impl Instrument {
    /// An instrument at `sample_rate`, which plays the default patch.
    ///
    /// # Errors
    /// When the rate is out of range or there is no memory.
    pub fn new(sample_rate: f32) -> Result<Self, EngineError> {
        Self::with_level(sample_rate, Level::best())
    }

    /// The same with chosen instructions, for comparisons.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_level(sample_rate: f32, level: Level) -> Result<Self, EngineError> {
        let config = EngineConfig { sample_rate, ..EngineConfig::default() };
        let renderer = Box::new(CpuRenderer::with_level(config.threads, level));
        Ok(Self {
            engine: Engine::with_renderer(&config, renderer)?,
            messages: Box::new([Message::default(); MAX_MESSAGES]),
            events: BoundedEvents::with_capacity(MAX_EVENTS),
            audio: Box::new([[0.0; MAX_FRAMES]; 2]),
            channels: Channels::new(),
            snapshot: Snapshot::new(),
            points: Points::new(),
            peaks: [0.0; 2],
        })
    }

    /// Plays another patch: sounding notes fade out within milliseconds. Returns whether the text is
    /// one; if not, nothing changes. Allocates.
    pub fn set_patch(&mut self, text: &str) -> bool {
        let patch = Patch::parse(text, "patch");
        if let Ok(patch) = &patch {
            self.engine.set_patch(0, patch);
        }
        patch.is_ok()
    }

    /// Where the messages of the next block are written.
    pub fn messages_mut(&mut self) -> &mut [Message; MAX_MESSAGES] {
        &mut self.messages
    }

    /// Plays the first `count` messages and renders `frames` frames of both sides. Never allocates.
    pub fn render(&mut self, count: usize, frames: usize) -> &[[f32; MAX_FRAMES]; 2] {
        for index in 0..count.min(MAX_MESSAGES) {
            self.play(self.messages[index]);
        }
        let frames = frames.min(MAX_FRAMES);
        let [left, right] = &mut *self.audio;
        let (left, right) = (&mut left[..frames], &mut right[..frames]);
        self.engine.render(self.events.store(), left, right);
        self.events.store_mut().clear();
        for (peak, side) in self.peaks.iter_mut().zip([left, right]) {
            *peak = side.iter().fold(*peak, |peak, sample| peak.max(sample.abs()));
        }
        &self.audio
    }

    /// Measures what sounds. Never allocates.
    pub fn meters(&mut self) -> &[f32] {
        self.engine.snapshot(0, &mut self.snapshot);
        let peaks = std::mem::take(&mut self.peaks);
        self.points.fill(&self.snapshot, self.engine.counters(), peaks)
    }

    fn play(&mut self, message: Message) {
        if let Some(kind) = message.kind() {
            let Self { channels, events, .. } = self;
            channels.play(message.channel(), kind, &mut |kind| {
                // When it is full a note-on is dropped, never a note-off.
                let _ = events.push(Event { frame: message.frame, part: 0, kind });
            });
        }
    }
}
