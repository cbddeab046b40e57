//! The engine: events in, sound out, tick by tick.
//!
//! Events are collected until the tick that they belong to is complete, then that tick is computed;
//! so the latency is one tick plus the limiter's look-ahead, for every block size. A tick depends
//! only on the events and their frames, so the same events give the same samples for every division
//! of the stream into blocks.

mod chunks;
mod control;
mod effects_job;
mod master;
mod outputs;
mod pipeline;
mod pitch;
mod retired_tables;
mod snapshot;
mod snapshots;

pub use outputs::OUTPUTS;
pub(crate) use outputs::OutputBuses;
pub use pitch::PitchSettings;
pub use snapshot::Snapshot;
pub use snapshots::{SnapshotReceiver, SnapshotSender, snapshots};

use crate::controls::Values;
use crate::dsp::FADE;
use crate::effects::PartEffects;
use crate::event::{BoundedEvents, Event, EventKind};
use crate::modulation::Route;
use crate::part::kit::Kit;
use crate::part::{Part, Transport};
use crate::patch::{Patch, Playable};
use crate::pool::CloudPool;
use crate::render::{
    BLOCKS_AHEAD, Capacity, CpuRenderer, Due, MOST_IN_FLIGHT, PrepareError, RenderError, Renderer,
    TICK, VoiceBlock,
};
use crate::tracks::TracksError;
use crate::tuning::Tuning;
use crate::workers::Workers;
use chunks::{Chunks, Output, Sink};
use master::Master;
use pipeline::{CHUNK_FRAMES, Counter};
use retired_tables::RetiredTables;
use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;
use std::sync::Arc;

/// The most chunks in flight when playing: more would only take memory.
const MOST_LIVE_CHUNKS: usize = 5;

/// Configuration of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineConfig {
    /// Frames per second, 1,000 to 768,000: hosts try more rates than devices have.
    pub sample_rate: f32,
    /// Parts, each with its own patch and bus; at most 64.
    pub parts: usize,
    /// The most voices of a part; at most 1,024.
    pub voices: usize,
    /// The most clouds at once: each voice needs one for each copy of its unison.
    pub clouds: usize,
    /// Threads that render, including the caller's.
    pub threads: usize,
    /// Whether [`Engine::stem`] is needed.
    pub stems: bool,
    /// Outputs besides the main one that are open, a bit each; see [`Engine::output`].
    pub outputs: u8,
    /// What wins over the pitch settings of the patches; see [`Engine::set_pitch_settings`].
    pub pitch: PitchSettings,
    /// Whether blocks are much longer than when playing. Then a device has several on their way, which takes memory.
    pub offline: bool,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            sample_rate: 48_000.0,
            parts: 1,
            voices: 256,
            clouds: Self::DEFAULT_CLOUDS,
            threads: 1,
            stems: false,
            outputs: 0,
            pitch: PitchSettings::default(),
            offline: false,
        }
    }
}

impl EngineConfig {
    const DEFAULT_CLOUDS: usize = 1_024;

    /// Slots of an engine of the default configuration.
    pub const DEFAULT_SLOTS: usize = 2 * Self::DEFAULT_CLOUDS;

    /// The most clouds of an engine that plays live. They take memory when they first sound, and [`Engine::set_room`] says how
    /// many there may be.
    pub const MOST_LIVE_CLOUDS: usize = 32_768;

    /// Buses for outputs besides the main one.
    const fn output_buses(&self) -> usize {
        if self.outputs == 0 { 0 } else { OUTPUTS }
    }

    /// The capacity that a renderer of such an engine must be prepared for.
    pub const fn capacity(&self) -> Capacity {
        Capacity {
            // Clouds that fade out keep their slots for a moment.
            slots: 2 * self.clouds,
            buses: self.parts + self.output_buses(),
        }
    }
}

/// Why an engine cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The sample rate is out of range.
    #[error("sample rate {0} is outside 1000 to 768000")]
    SampleRate(f32),
    /// A size is out of range.
    #[error("{what} must be 1 to {max}, not {value}")]
    Size {
        /// The size in question.
        what: &'static str,
        /// The requested value.
        value: usize,
        /// The largest possible value.
        max: usize,
    },
    /// The renderer could not be prepared.
    #[error(transparent)]
    Renderer(#[from] PrepareError),
    /// There is no room for a table of a patch.
    #[error(transparent)]
    Tables(#[from] TracksError),
}

/// Statistics of an engine, for meters and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Sounding voices.
    pub voices: usize,
    /// Sounding clouds, including those that fade out.
    pub clouds: usize,
    /// Partials rendered in the last tick.
    pub partials: usize,
    /// Voices that were stolen since the start.
    pub voices_stolen: u64,
    /// Notes for which there was no voice.
    pub notes_dropped: u64,
    /// Events beyond the capacity of a tick.
    pub events_dropped: u64,
    /// Blocks that the renderer failed to render; they were silent.
    pub renders_failed: u64,
}

/// Events that one tick can hold: six million a second.
const EVENTS_PER_TICK: usize = 4_096;

/// A synthesizer.
pub struct Engine {
    config: EngineConfig,
    parts: Vec<Part>,
    /// The patch of each part, for `reset`.
    patches: Vec<Playable>,
    /// Tables of former patches that still sound.
    retired_tables: RetiredTables,
    pool: CloudPool,
    /// Threads that help with control and effects.
    workers: Arc<Workers>,
    /// How many of them help at most.
    most_helpers: usize,
    chunks: Chunks,
    /// The effects of each part.
    effects: Vec<PartEffects>,
    output: Output,
    /// See [`pipeline`].
    done_by_task: Vec<Counter>,
    /// Events of the tick that is being collected, with their frame in it.
    pending: BoundedEvents<Vec<Event>>,
    /// Frames of that tick that have passed.
    passed: usize,
    transport: Transport,
    /// The tuning that another program sets, which wins over all others.
    followed: Option<Tuning>,
    events_dropped: u64,
}

impl Engine {
    /// An engine that renders on the CPU. Every part plays the default patch.
    ///
    /// # Errors
    /// When the configuration is out of range, or memory or threads are refused.
    pub fn new(config: &EngineConfig) -> Result<Engine, EngineError> {
        Self::with_renderer(config, Box::new(CpuRenderer::new(config.threads)))
    }

    /// An engine that renders with `renderer`.
    ///
    /// # Errors
    /// When the configuration is out of range, or the renderer cannot be prepared for it.
    pub fn with_renderer(
        config: &EngineConfig,
        mut renderer: Box<dyn Renderer>,
    ) -> Result<Engine, EngineError> {
        if !(1_000.0..=768_000.0).contains(&config.sample_rate) {
            return Err(EngineError::SampleRate(config.sample_rate));
        }
        for (what, value, max) in [
            ("parts", config.parts, 64 - config.output_buses()),
            ("voices", config.voices, 1_024),
            ("clouds", config.clouds, 65_536),
            ("threads", config.threads, 256),
        ] {
            if !(1..=max).contains(&value) {
                return Err(EngineError::Size { what, value, max });
            }
        }
        let capacity = config.capacity();
        renderer.prepare(capacity)?;
        let slots = capacity.slots;
        let most = if config.offline { MOST_IN_FLIGHT } else { MOST_LIVE_CHUNKS };
        let depth = renderer.depth().min(most);
        let part = |bus| {
            let mut part = Part::new(bus as u32, config.voices, config.sample_rate);
            part.set_pitch_settings(&config.pitch);
            part.outputs = OutputBuses::new(config.parts, config.outputs);
            part
        };
        let pool = CloudPool::new(slots, config.sample_rate);
        let workers = match renderer.workers() {
            Some(workers) => workers,
            None => Arc::new(
                Workers::start(config.threads - 1)
                    .map_err(|(index, source)| PrepareError::Thread { index, source })?,
            ),
        };
        Ok(Engine {
            config: *config,
            parts: (0..config.parts).map(part).collect(),
            patches: vec![Playable::new(Patch::new()); config.parts],
            retired_tables: RetiredTables::new(config.parts, pool.fade_ticks()),
            pool,
            // One is written while the others are in flight.
            chunks: Chunks::new(
                if config.offline && depth > 1 { BLOCKS_AHEAD } else { depth + 1 },
                || match config.offline {
                    true => VoiceBlock::in_large_pages(slots),
                    false => VoiceBlock::new(slots),
                },
                config.parts,
                capacity.buses,
            ),
            workers,
            // The thread that waits for a device has a core of its own, and so has the one that writes the output, unless
            // there are few: all wait for a helper that shares its core.
            most_helpers: match (depth > 1, config.threads) {
                (true, 9..) => config.threads - 3,
                (true, 5..) => config.threads - 2,
                _ => config.threads - 1,
            },
            effects: (0..config.parts).map(|_| PartEffects::new(config.sample_rate)).collect(),
            output: Output {
                renderer,
                depth,
                master: Master::new(config),
                partials: 0,
                renders_failed: 0,
                render_error: None,
            },
            done_by_task: (0..2 * config.parts).map(|_| Counter::default()).collect(),
            pending: BoundedEvents::with_capacity(EVENTS_PER_TICK),
            passed: 0,
            transport: Transport::STOPPED,
            followed: None,
            events_dropped: 0,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Latency from events to output in frames; constant.
    pub const fn latency(&self) -> usize {
        TICK + Master::LATENCY
    }

    /// Changes a part's patch: sounding notes fade out within milliseconds, new notes use the new
    /// patch. Parts that do not exist are ignored. Allocates; not for the audio thread. A table for
    /// which there is no room is replaced by a sawtooth; see [`Playable::complete`].
    pub fn set_patch(&mut self, part: usize, patch: &Patch) {
        let mut patch = Playable::new(patch.clone()).prepared(self.config.sample_rate);
        self.exchange_patch(part, &mut patch);
    }

    /// The same for audio and render threads: takes the new patch and gives back the old one, so
    /// that nothing is allocated or freed here.
    pub fn exchange_patch(&mut self, part: usize, patch: &mut Playable) {
        let outputs = OutputBuses::new(self.config.parts, self.config.outputs);
        if let Some(playing) = self.parts.get_mut(part) {
            if let Some(kit) = self.patches[part].kit_mut() {
                kit.fade_all(&mut self.pool);
            }
            playing.set_patch(patch, &mut self.pool);
            if let Some(kit) = patch.kit_mut() {
                kit.start(part as u32, outputs, self.config.sample_rate);
            }
            std::mem::swap(&mut self.patches[part], patch);
            self.effects[part].exchange_convolutions(self.patches[part].convolutions_mut());
            std::mem::swap(self.patches[part].convolutions_mut(), patch.convolutions_mut());
            self.retired_tables.hold(part, patch);
        }
    }

    /// Sets all of a part's parameters at once, without smoothing; [`Engine::reset`] returns to
    /// them. Never allocates.
    pub fn set_values(&mut self, part: usize, values: &Values) {
        if let Some(playing) = self.parts.get_mut(part) {
            playing.set_values(values);
            self.patches[part].values_mut().clone_from(values);
            if let Some(kit) = self.patches[part].kit_mut() {
                kit.set_macros(values);
            }
        }
    }

    /// Changes a part's routes while its notes sound, and leaves the old ones in `routes`, so that
    /// nothing is allocated or freed.
    pub fn swap_routes(&mut self, part: usize, routes: &mut Vec<Route>) {
        if let Some(playing) = self.parts.get_mut(part) {
            playing.set_routes(routes);
            std::mem::swap(self.patches[part].routes_mut(), routes);
        }
    }

    /// Changes a part's drawn waveforms and its tables to those of `patch` while its notes sound, and
    /// leaves the old ones there, so that nothing is allocated or freed.
    pub fn exchange_drawn(&mut self, part: usize, patch: &mut Playable) {
        if let Some(playing) = self.parts.get_mut(part) {
            playing.redraw(patch);
            self.patches[part].swap_drawn(patch);
            self.retired_tables.hold(part, patch);
        }
    }

    /// Back to the first sample: the next render is bit for bit like that of a new engine with
    /// the same patches.
    pub fn reset(&mut self) {
        self.pool.reset();
        self.output.renderer.reset();
        self.retired_tables.clear();
        self.effects.iter_mut().for_each(PartEffects::reset);
        self.output.master.reset();
        let outputs = OutputBuses::new(self.config.parts, self.config.outputs);
        for (index, (part, patch)) in self.parts.iter_mut().zip(&mut self.patches).enumerate() {
            part.reset(patch);
            if let Some(kit) = patch.kit_mut() {
                kit.start(index as u32, outputs, self.config.sample_rate);
            }
        }
        self.pending.store_mut().clear();
        self.passed = 0;
        self.transport = Transport::STOPPED;
        self.output.partials = 0;
        self.output.renders_failed = 0;
        self.output.render_error = None;
        self.events_dropped = 0;
    }

    /// Uses only so many slots for clouds that start from now on; those that fade out have slots as well. At first all of its
    /// configuration are used.
    pub fn set_room(&mut self, slots: usize) {
        self.pool.set_room(slots);
    }

    /// Slots that the renderer is ready for; see [`Renderer::room`].
    pub fn renderer_room(&self) -> usize {
        self.output.renderer.room()
    }

    /// Says when the sound of the next blocks is needed; see [`Renderer::set_due`].
    pub fn set_due(&mut self, due: Due) {
        self.output.renderer.set_due(due);
    }

    /// Renders the next `left.len()` frames. A long block is sent to the renderer in chunks, of
    /// which several may be in flight, so that modulation overlaps with rendering on a device, and with
    /// the effects of the chunk before.
    /// Events are in the order of their frames, which lie within the block; later ones count as its
    /// last frame. Never allocates or fails.
    ///
    /// # Panics
    /// When `left` and `right` differ in length.
    pub fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        assert_eq!(left.len(), right.len(), "left and right are of one length");
        self.output.master.start_block();
        let mut events = events.iter().peekable();
        let frames = left.len();
        let mut sink = Sink::new(left, right);
        let mut done = 0;
        while done < frames {
            let next_event = events.peek().map_or(frames, |event| event.frame as usize);
            let ahead = self.render_ahead(next_event.clamp(done, frames) - done, &mut sink);
            if ahead > 0 {
                done += ahead;
                self.mix(&mut sink);
                continue;
            }
            let chunk = self.chunk(frames, done);
            self.compute_chunk(&mut events, done..done + chunk, frames);
            self.submit(chunk);
            done += chunk;
            self.mix(&mut sink);
            if self.chunks.in_flight() >= self.output.depth {
                self.collect();
            }
        }
        while self.chunks.mixed < self.chunks.submitted {
            self.mix(&mut sink);
            self.collect();
        }
        // Nothing is in flight any more.
        self.retired_tables.release_rendered();
    }

    /// Whether a device renders, and not the threads of this process.
    pub fn renders_on_device(&self) -> bool {
        self.output.renderer.is_asynchronous()
    }

    /// Whether the next block may be begun before this one is finished ([`Engine::begin_block`]): a device renders, and it
    /// has not to be waited for.
    pub fn can_overlap(&self) -> bool {
        self.output.depth > 1 && self.renders_on_device() && self.retired_tables.is_empty()
    }

    /// The most frames of a block that is begun.
    pub const MAX_BEGUN_FRAMES: usize = CHUNK_FRAMES;

    /// Computes the next `frames` frames and sends them to the renderer, without waiting for them. When the renderer is nearly
    /// as slow as the music, the next block is computed while it renders this one. Two blocks may be begun; they are
    /// finished in order, with [`Engine::finish_block`], before anything else of the engine is changed or rendered.
    /// Events are those of [`Engine::render`]. Never allocates or fails.
    ///
    /// # Panics
    /// When it is a longer block than [`Engine::MAX_BEGUN_FRAMES`], or the third one.
    pub fn begin_block(&mut self, events: &[Event], frames: usize) {
        assert!(frames <= Self::MAX_BEGUN_FRAMES, "a block of one chunk");
        assert!(self.chunks.in_flight() < self.output.depth, "two blocks at most are begun");
        self.compute_chunk(&mut events.iter().peekable(), 0..frames, frames);
        self.submit(frames);
    }

    /// Whether the oldest block that was begun is rendered, so that finishing it does not wait.
    pub fn is_block_rendered(&mut self) -> bool {
        self.output.renderer.is_finished()
    }

    /// The sound of the oldest block that was begun, as long as it is.
    pub fn finish_block(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.output.master.start_block();
        self.collect();
        self.mix(&mut Sink::new(left, right));
        if self.chunks.in_flight() == 0 {
            self.retired_tables.release_rendered();
        }
    }

    /// Whether long blocks are rendered faster than short ones, because a device has many chunks of them on their way.
    pub fn renders_ahead(&self) -> bool {
        self.chunks.ring.len() == BLOCKS_AHEAD
    }

    /// The output of `part` in the last block, after the limiter, so that stems add up to the mix.
    /// Empty unless the configuration asked for stems; at most the first
    /// [`Engine::MAX_STEM_FRAMES`] frames of the block.
    pub fn stem(&self, part: usize) -> [&[f32]; 2] {
        self.output.master.stem(part)
    }

    /// The longest block of which stems are complete.
    pub const MAX_STEM_FRAMES: usize = 16_384;

    /// Whether nothing sounds any more and all sound has been output.
    pub fn is_silent(&self) -> bool {
        self.pool.sounding() == 0
            && self.pending.store().is_empty()
            && self.effects.iter().all(PartEffects::is_silent)
            && self.output.master.is_silent()
    }

    /// Frames until the output is silent when every key and pedal is released now; `None` when an
    /// arpeggiator holds its keys and never ends. It may be silent sooner.
    pub fn tail(&self) -> Option<usize> {
        let mut longest = 0.0f32;
        for (index, effects) in self.effects.iter().enumerate() {
            for part in self.playing(index) {
                longest = longest.max(part.tail(self.transport)? + effects.tail());
            }
        }
        let frames = longest * self.config.sample_rate;
        // A cut takes the time of a fade, however short the release.
        Some(frames.ceil() as usize + FADE + self.latency())
    }

    /// The keys of which a note sounds in `part`, or is about to, one bit each.
    pub fn keys(&self, part: usize) -> u128 {
        let playing = self.playing(part).fold(0, |keys, part| keys | part.keys());
        let starting = self.pending.store().iter().filter(|e| usize::from(e.part) == part);
        starting.fold(playing, |keys, event| match event.kind {
            EventKind::NoteOn { key, .. } => keys | 1 << (key & 127),
            _ => keys,
        })
    }

    /// Statistics.
    pub fn counters(&self) -> Counters {
        let playing = || (0..self.parts.len()).flat_map(|index| self.playing(index));
        let sum = |count: fn(&Part) -> u64| playing().map(count).sum();
        Counters {
            voices: playing().map(Part::sounding).sum(),
            clouds: self.pool.sounding(),
            partials: self.output.partials,
            voices_stolen: sum(|part| part.counters.stolen),
            notes_dropped: sum(|part| part.counters.dropped),
            events_dropped: self.events_dropped,
            renders_failed: self.output.renders_failed,
        }
    }

    /// Why the last block that failed was not rendered.
    pub fn render_error(&self) -> Option<RenderError> {
        self.output.render_error
    }

    /// A part and, when it plays a kit, those of its key zones.
    fn playing(&self, part: usize) -> impl Iterator<Item = &Part> {
        let kit = self.patches.get(part).and_then(Playable::kit);
        self.parts.get(part).into_iter().chain(kit.into_iter().flat_map(Kit::parts))
    }

    /// Computes the ticks of a chunk that has some frames of a block of `frames`, with their events.
    fn compute_chunk(
        &mut self,
        events: &mut Peekable<Iter<'_, Event>>,
        chunk: Range<usize>,
        frames: usize,
    ) {
        if self.passed + chunk.len() >= TICK && self.pool.sounding() > 0 {
            self.output.renderer.expect();
            self.expect_helpers((self.passed + chunk.len()) / TICK);
        }
        self.chunks.current().open();
        let (mut at, mut steady_ticks) = (chunk.start, 0);
        while at < chunk.end {
            let span = (TICK - self.passed).min(chunk.end - at);
            let end = at + span;
            while let Some(event) =
                events.next_if(|event| (event.frame as usize) < end || end == frames)
            {
                let in_span = (event.frame as usize).saturating_sub(at).min(span - 1);
                self.gather(Event { frame: (self.passed + in_span) as u32, ..*event });
            }
            self.passed += span;
            at += span;
            if self.passed == TICK {
                self.passed = 0;
                match self.pending.store().is_empty() && (steady_ticks > 0 || self.is_steady()) {
                    true => steady_ticks += 1,
                    false => {
                        self.compute_steady_ticks(std::mem::take(&mut steady_ticks));
                        self.compute_tick();
                    }
                }
            }
        }
        self.compute_steady_ticks(steady_ticks);
    }

    fn gather(&mut self, event: Event) {
        self.events_dropped += u64::from(!self.pending.push(event));
    }
}
