//! Rendering beside the host's call: a stream, with a GPU behind it.

use super::pace::Pace;
use super::{PART, RendererState, SynthHandle, Terms, engine_config};
use myriad_engine::render::Renderer;
use myriad_engine::{Counters, Event, EventKind, Patch, Playable, ThreadPolicy, Values};
use myriad_live::auto::Piece;
use myriad_live::stream::{self, AudioSide, Control, MAX_DEPTH, StreamConfig, StreamError};
use myriad_live::supervised::Load;
use myriad_live::{Purpose, RendererChoice, RendererHandle, RendererKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Blocks beyond what a processor would need: a GPU is asked, computes, and answers.
const SPARE_BLOCKS: usize = 2;

/// Makes the renderer of a GPU, for certain terms.
pub(crate) type MakeGpu = dyn Fn(&Terms) -> (Box<dyn Renderer>, RendererHandle) + Send;

/// The first GPU there is. Nothing of it is touched until it is prepared.
pub(crate) fn real_gpu(terms: &Terms) -> (Box<dyn Renderer>, RendererHandle) {
    let choice = RendererChoice {
        kind: RendererKind::Cuda,
        device: 0,
        threads: 1,
        purpose: purpose(terms.offline, terms.sample_rate),
        recalibrate: false,
        // A plugin has no program of its own to start again.
        server: None,
    };
    choice.make()
}

/// Blocks must be on time while somebody listens; else they may take as long as they need.
pub(super) fn purpose(offline: bool, sample_rate: f32) -> Purpose {
    match offline {
        false => Purpose::Live { sample_rate, thread_policy: ThreadPolicy::RealTime },
        true => Purpose::Piece(Piece { load: Load::default(), blocks: 0 }),
    }
}

/// The host's end of a stream.
pub(crate) struct Threaded {
    terms: Terms,
    audio: AudioSide,
    /// Kept for its end only.
    control: Option<Arc<Control>>,
    pace: Pace,
    /// The clock that the host is compared with.
    now: fn() -> Instant,
    /// The stream's time when something was last heard of the host.
    last_event: u64,
    /// And when each key was last pressed.
    pressed: [u64; 128],
}

impl Threaded {
    pub(super) fn new(
        terms: &Terms,
        patch: &Patch,
        gpu: &MakeGpu,
    ) -> Result<(Threaded, SynthHandle), StreamError> {
        let block = terms.max_block.max(1);
        let depth = StreamConfig::depth_for(block) + SPARE_BLOCKS * block;
        let config = StreamConfig {
            engine: engine_config(terms.sample_rate),
            depth: depth.min(MAX_DEPTH),
            thread_policy: match terms.offline {
                true => ThreadPolicy::Normal,
                false => ThreadPolicy::RealTime,
            },
        };
        let (renderer, handle) = gpu(terms);
        let (control, audio) = stream::start(&config, renderer)?;
        control.play(PART, Playable::new(patch.clone()))?;
        let control = Arc::new(control);
        let synth_handle = SynthHandle {
            snapshots: control.snapshots(),
            stream: Some(control.clone()),
            renderer: Box::new(move || state(&handle)),
        };
        let threaded = Threaded {
            terms: *terms,
            audio,
            control: Some(control),
            pace: Pace::new(terms.offline),
            now: Instant::now,
            last_event: 0,
            pressed: [0; 128],
        };
        Ok((threaded, synth_handle))
    }

    /// Goes by another clock.
    #[cfg(test)]
    pub(super) fn set_clock(&mut self, now: fn() -> Instant) {
        self.now = now;
        self.audio.set_clock(now);
    }

    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(super) fn latency(&self) -> u32 {
        self.audio.latency() as u32
    }

    pub(super) fn reset(&mut self, values: &Values) {
        self.audio.restart(PART, values);
        self.pace = Pace::new(self.terms.offline);
        self.last_event = self.audio.time();
        self.pressed = [0; 128];
    }

    pub(super) fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        let end = self.audio.time() + left.len() as u64;
        if !events.is_empty() {
            self.last_event = end;
        }
        for event in events {
            if let EventKind::NoteOn { key, .. } = event.kind {
                self.pressed[usize::from(key & 127)] = end;
            }
        }
        let block = Duration::from_secs_f32(left.len() as f32 / self.terms.sample_rate);
        let patience = self.pace.patience((self.now)(), block);
        if patience.is_zero() {
            self.audio.process(events, left, right);
        } else {
            self.audio.process_waiting(events, left, right, patience);
        }
        self.pace.end((self.now)());
    }

    /// Whether nothing sounds, and nothing that the host has said will.
    pub(super) fn is_silent(&self) -> bool {
        let until = self.audio.sounds_until();
        !self.is_new(self.last_event) && until.is_some_and(|time| self.audio.time() >= time)
    }

    /// Whether the other thread may not have heard yet what happened at that time.
    fn is_new(&self, time: u64) -> bool {
        time > 0 && self.audio.time() <= time + u64::from(self.latency())
    }

    pub(super) fn keys(&self) -> u128 {
        let pressed = self.pressed.iter().enumerate();
        let new = pressed.filter(|(_, time)| self.is_new(**time));
        new.fold(self.audio.keys(PART), |keys, (key, _)| keys | 1 << key)
    }

    pub(super) fn tail(&self) -> Option<usize> {
        self.audio.tail()
    }

    pub(super) fn counters(&self) -> Counters {
        self.audio.counters()
    }

    pub(super) fn load(&self) -> (f32, u64) {
        (self.audio.load(), self.audio.underruns())
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        // A stream takes a moment to end, longer when its renderer hangs. Nobody waits for it.
        let control = self.control.take();
        let _ = std::thread::Builder::new().name("myriad-end".into()).spawn(move || drop(control));
    }
}

fn state(handle: &RendererHandle) -> RendererState {
    let report = handle.report();
    let gpu = report.using == "cuda";
    RendererState { name: if gpu { "GPU" } else { "CPU" }.into(), why: report.why, stands_in: !gpu }
}
