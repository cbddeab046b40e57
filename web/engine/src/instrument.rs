//! One part of the engine, played by messages: the instrument in an AudioWorklet.

use crate::message::{Kind, Message};
use crate::points::Points;
use myriad_engine::mpe::Mpe;
use myriad_engine::render::CpuRenderer;
use myriad_engine::simd::Level;
use myriad_engine::{
    BoundedEvents, Engine, EngineConfig, EngineError, Event, EventKind, Expression, Patch, Snapshot,
};

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
    mpe: Mpe,
    /// The channel that each key was pressed on.
    channels: [Option<u8>; 128],
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
            mpe: Mpe::new(),
            channels: [None; 128],
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
        let (channel, frame) = (message.channel(), message.frame);
        let Some(kind) = message.kind() else {
            return;
        };
        let member = self.mpe.has(channel, false);
        match kind {
            Kind::NoteOn { key, velocity } if velocity > 0.0 => {
                self.push(frame, EventKind::NoteOn { key, velocity });
                self.channels[usize::from(key)] = Some(channel);
                if member {
                    self.express(frame, channel, Expression::Pitch);
                    self.express(frame, channel, Expression::Brightness);
                    self.press(frame, channel);
                }
            }
            Kind::NoteOn { key, velocity } | Kind::NoteOff { key, velocity } => {
                self.channels[usize::from(key)] = None;
                self.push(frame, EventKind::NoteOff { key, velocity });
            }
            Kind::Bend(bend) if member => {
                self.mpe.set_bend(channel, bend);
                self.express(frame, channel, Expression::Pitch);
            }
            Kind::Bend(bend) => self.push(frame, EventKind::PitchBend(bend)),
            Kind::Pressure(pressure) if member => {
                self.mpe.member(channel).pressure = pressure;
                self.press(frame, channel);
            }
            Kind::Pressure(pressure) => self.push(frame, EventKind::ChannelPressure(pressure)),
            Kind::KeyPressure { key, value } => {
                self.push(frame, EventKind::PolyPressure { key, value });
            }
            Kind::Control { cc, value } => self.control(frame, channel, cc, value),
            Kind::Param { param, value } => self.push(frame, EventKind::Param { param, value }),
            Kind::Panic => {
                self.channels = [None; 128];
                self.push(frame, EventKind::AllSoundOff);
            }
        }
    }

    fn control(&mut self, frame: u32, channel: u8, cc: u8, value: f32) {
        self.mpe.control(channel, cc, value, false);
        match (self.mpe.has(channel, false), cc) {
            (true, 74) => {
                self.mpe.member(channel).brightness = value;
                self.express(frame, channel, Expression::Brightness);
            }
            // MPE uses the registered parameters of note channels.
            (true, 6 | 38 | 100 | 101) => {}
            _ => self.push(frame, EventKind::Control { cc, value }),
        }
    }

    /// Sends the pitch or brightness of an MPE channel to its notes.
    fn express(&mut self, frame: u32, channel: u8, kind: Expression) {
        let value = match kind {
            Expression::Pitch => self.mpe.semitones(channel),
            _ => self.mpe.member(channel).brightness,
        };
        self.push_each(frame, channel, |key| EventKind::NoteExpression { key, kind, value });
    }

    /// Sends the pressure of an MPE channel to its notes.
    fn press(&mut self, frame: u32, channel: u8) {
        let value = self.mpe.member(channel).pressure;
        self.push_each(frame, channel, |key| EventKind::PolyPressure { key, value });
    }

    /// An event for each key that was pressed on the channel.
    fn push_each(&mut self, frame: u32, channel: u8, kind: impl Fn(u8) -> EventKind) {
        for key in 0..128 {
            if self.channels[usize::from(key)] == Some(channel) {
                self.push(frame, kind(key));
            }
        }
    }

    fn push(&mut self, frame: u32, kind: EventKind) {
        // When it is full a note-on is dropped, never a note-off.
        let _ = self.events.push(Event { frame, part: 0, kind });
    }
}
