//! Renders a song offline, block after block, from the first note to silence.

use crate::assignment::PatchAssignment;
use crate::song::{Song, SongEvent};
use myriad_engine::render::Renderer;
use myriad_engine::{
    Counters, Engine, EngineConfig, EngineError, Event, EventKind, PitchSettings, Playable,
};
use std::time::{Duration, Instant};

/// The most frames rendered at a time: many blocks of a renderer, so that control, rendering and
/// effects overlap, and few enough to react to Ctrl-C.
const BLOCK: usize = 16_384;
const _: () = assert!(BLOCK <= Engine::MAX_STEM_FRAMES);

/// The same with a device, which is faster and has nothing to do at the end of each.
const DEVICE_BLOCK: usize = 262_144;

/// Blocks that take longer are halved, so that Ctrl-C is noticed: a GPU may be lost, and the processor go on.
const LONGEST: Duration = Duration::from_millis(500);

/// The same from the song's end on, so that the tail ends soon after the sound. All blocks are so many times as long.
const TAIL_BLOCK: usize = 4_096;
const _: () = assert!(BLOCK.is_multiple_of(TAIL_BLOCK) && DEVICE_BLOCK.is_multiple_of(TAIL_BLOCK));

/// The longest automatic tail.
pub const TAIL_LIMIT_SECONDS: f64 = 60.0;

/// The fade-out of a tail that is cut there.
const TAIL_FADE_SECONDS: f64 = 2.0;

/// How long rendering goes on after the song's end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// Until silence.
    Auto,
    /// Exactly so long.
    Seconds(f64),
}

pub struct Settings {
    pub sample_rate: u32,
    pub threads: usize,
    pub stems: bool,
    pub tail: Tail,
    /// What wins over the pitch settings of the patches.
    pub pitch: PitchSettings,
    /// The render is cut here at the latest.
    pub max_frames: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Complete,
    /// Faded out at the longest tail.
    TailCut,
    /// Cut at [`Settings::max_frames`].
    Full,
}

/// Clouds for all notes that the patches of a song can play at once, so that none is lost. A cloud
/// takes memory when it first sounds.
fn room(assignment: &PatchAssignment) -> usize {
    let most: usize = assignment.parts.iter().map(|assigned| assigned.patch.most_clouds()).sum();
    most.clamp(EngineConfig::default().clouds, MOST_CLOUDS)
}

/// More would not fit into the memory of a small GPU.
const MOST_CLOUDS: usize = 32_768;

/// A render in progress.
pub struct SongRender {
    engine: Engine,
    assignment: PatchAssignment,
    /// Frame, part and event, sorted by frame.
    score: Vec<(u64, u8, SongEvent)>,
    /// Index of the next entry of the score.
    next: usize,
    /// Frames that the engine has rendered; the output is [`Engine::latency`] behind.
    rendered: u64,
    latency: u64,
    /// The most frames at a time.
    block: usize,
    /// The song's last frame, without the tail.
    song_frames: u64,
    /// The last frame, and the ending when it is reached.
    limit: (u64, Ending),
    /// First frame and length of the fade-out.
    fade: Option<(u64, u64)>,
    stops_at_silence: bool,
    ending: Option<Ending>,
    peaks: Counters,
    events: Vec<Event>,
    mix: [Vec<f32>; 2],
    stems: Vec<[Vec<f32>; 2]>,
}

impl SongRender {
    /// # Errors
    /// When the engine cannot be set up.
    pub fn new(
        song: &Song,
        assignment: PatchAssignment,
        settings: &Settings,
        renderer: Box<dyn Renderer>,
    ) -> Result<Self, EngineError> {
        let config = EngineConfig {
            sample_rate: settings.sample_rate as f32,
            parts: song.parts.len(),
            clouds: room(&assignment),
            threads: settings.threads,
            stems: settings.stems,
            pitch: settings.pitch,
            offline: true,
            ..EngineConfig::default()
        };
        let mut engine = Engine::with_renderer(&config, renderer)?;
        for (part, assigned) in assignment.parts.iter().enumerate() {
            let mut patch = Playable::new(assigned.patch.clone()).complete()?;
            engine.exchange_patch(part, &mut patch);
        }
        let rate = f64::from(settings.sample_rate);
        let song_frames = frames_at(song.seconds, rate);
        let (tail_seconds, at_limit) = match settings.tail {
            Tail::Auto => (TAIL_LIMIT_SECONDS, Ending::TailCut),
            Tail::Seconds(seconds) => (seconds, Ending::Complete),
        };
        let end = song_frames + frames_at(tail_seconds, rate);
        let stops_at_silence = settings.tail == Tail::Auto;
        let limit = match end > settings.max_frames {
            true => (settings.max_frames, Ending::Full),
            false => (end, at_limit),
        };
        let fade_frames = frames_at(TAIL_FADE_SECONDS, rate);
        let fade_start = limit.0.saturating_sub(fade_frames).max(song_frames);
        let stem_count = if settings.stems { song.parts.len() } else { 0 };
        let mut song_render = Self {
            latency: engine.latency() as u64,
            block: if engine.renders_ahead() && !settings.stems { DEVICE_BLOCK } else { BLOCK },
            engine,
            assignment,
            score: score(song, song_frames, rate),
            next: 0,
            rendered: 0,
            song_frames,
            limit,
            fade: stops_at_silence.then_some((fade_start, limit.0.saturating_sub(fade_start))),
            stops_at_silence,
            ending: None,
            peaks: Counters::default(),
            events: Vec::new(),
            mix: Default::default(),
            stems: (0..stem_count).map(|_| Default::default()).collect(),
        };
        song_render.skip_latency();
        Ok(song_render)
    }

    /// Frames of the song itself, without its tail.
    pub fn song_frames(&self) -> u64 {
        self.song_frames
    }

    /// Frames returned so far.
    pub fn frames(&self) -> u64 {
        self.rendered.saturating_sub(self.latency)
    }

    pub fn assignment(&self) -> &PatchAssignment {
        &self.assignment
    }

    /// None until the render has ended.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The engine's counters, with the peaks of voices and partials.
    pub fn peaks(&self) -> Counters {
        self.peaks
    }

    /// Renders the next block; false at the end.
    pub fn next_block(&mut self) -> bool {
        let position = self.frames();
        let in_tail = self.stops_at_silence && position >= self.song_frames;
        if in_tail && self.next == self.score.len() && self.engine.is_silent() {
            self.ending = Some(Ending::Complete);
        } else if position >= self.limit.0 {
            self.ending = Some(self.limit.1);
        }
        if self.ending.is_some() {
            return false;
        }
        let of_song = self.song_frames.saturating_sub(position) / TAIL_BLOCK as u64;
        let most = (of_song * TAIL_BLOCK as u64).clamp(TAIL_BLOCK as u64, self.block as u64);
        let began = Instant::now();
        self.render((self.limit.0 - position).min(most) as usize);
        if began.elapsed() > LONGEST {
            self.block = (self.block / 2).max(BLOCK);
        }
        for (stem, part) in self.stems.iter_mut().zip(0..) {
            for (stem, rendered) in stem.iter_mut().zip(self.engine.stem(part)) {
                stem.clear();
                stem.extend_from_slice(rendered);
            }
        }
        self.apply_fade(position);
        true
    }

    /// Left and right of the last block, and every part's share of it, when stems were asked for. May be taken away: the next block
    /// is rendered into whatever is left there.
    pub fn sound(&mut self) -> (&mut [Vec<f32>; 2], &mut Vec<[Vec<f32>; 2]>) {
        (&mut self.mix, &mut self.stems)
    }

    /// Renders and discards the engine's latency, so that notes start at their exact times.
    fn skip_latency(&mut self) {
        while self.rendered < self.latency {
            self.render((self.latency - self.rendered).min(BLOCK as u64) as usize);
        }
    }

    /// Renders up to `most` frames; fewer when a patch changes within them.
    fn render(&mut self, most: usize) {
        self.events.clear();
        let mut frames = most;
        while let Some(&(frame, part, what)) = self.score.get(self.next) {
            let offset = frame.saturating_sub(self.rendered);
            if offset >= frames as u64 {
                break;
            }
            match what {
                SongEvent::Engine(kind) => {
                    self.events.push(Event { frame: offset as u32, part, kind })
                }
                SongEvent::Program(program) => {
                    let part = usize::from(part);
                    if let Some(patch) = self.assignment.after_program_change(part, program) {
                        if offset > 0 {
                            frames = offset as usize;
                            break;
                        }
                        self.engine.set_patch(part, &patch);
                    }
                }
            }
            self.next += 1;
        }
        let [left, right] = &mut self.mix;
        left.resize(frames, 0.0);
        right.resize(frames, 0.0);
        self.engine.render(&self.events, left, right);
        self.rendered += frames as u64;
        self.note_peaks();
    }

    fn note_peaks(&mut self) {
        let now = self.engine.counters();
        self.peaks = Counters {
            voices: self.peaks.voices.max(now.voices),
            partials: self.peaks.partials.max(now.partials),
            ..now
        };
    }

    fn apply_fade(&mut self, position: u64) {
        let Some((start, length)) = self.fade else {
            return;
        };
        if position + self.mix[0].len() as u64 <= start {
            return;
        }
        for channel in self.mix.iter_mut().chain(self.stems.iter_mut().flatten()) {
            for (sample, frame) in channel.iter_mut().zip(position..) {
                let faded = frame.saturating_sub(start) as f32 / length as f32;
                *sample *= 1.0 - faded;
            }
        }
    }
}

pub fn frames_at(seconds: f64, rate: f64) -> u64 {
    (seconds * rate).round() as u64
}

/// The song's events by frame, and at its end the release of all notes and pedals.
pub fn score(song: &Song, song_frames: u64, rate: f64) -> Vec<(u64, u8, SongEvent)> {
    let mut score: Vec<_> = song
        .events
        .iter()
        .map(|timed| (frames_at(timed.seconds, rate), timed.part, timed.event))
        .collect();
    const PEDALS: [u8; 2] = [64, 66];
    for part in 0..song.parts.len() as u8 {
        let release = PEDALS.map(|cc| EventKind::Control { cc, value: 0.0 });
        let kinds = release.into_iter().chain([EventKind::AllNotesOff]);
        score.extend(kinds.map(|kind| (song_frames, part, SongEvent::Engine(kind))));
    }
    score
}
