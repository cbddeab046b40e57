//! Rendering on a GPU: a stream with a render thread of its own.

use super::pace::Pace;
use super::service_program::service_program;
use super::{PART, RenderTarget, RendererState, Synth, SynthConfig, SynthHandle, engine_config};
use myriad_engine::render::Renderer;
use myriad_engine::{
    Counters, EngineConfig, Event, EventKind, Patch, Playable, ThreadPolicy, Values,
};
use myriad_live::auto::Piece;
use myriad_live::stream::{self, AudioSide, Control, MAX_DEPTH, Room, StreamConfig, StreamError};
use myriad_live::supervised::Load;
use myriad_live::{Purpose, RendererChoice, RendererHandle, RendererKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Blocks of latency beyond what a CPU needs, for the round trip to a GPU.
const SPARE_BLOCKS: usize = 2;

/// Makes the renderer of a GPU.
pub(crate) type MakeGpu = dyn Fn(&SynthConfig) -> (Box<dyn Renderer>, RendererHandle) + Send;

/// A GPU of the machine, or its stand-in. It is not touched until it is prepared.
pub(crate) fn any_gpu(config: &SynthConfig) -> (Box<dyn Renderer>, RendererHandle) {
    let choice = RendererChoice {
        kind: match config.render_target {
            RenderTarget::StandInService => RendererKind::StandInService,
            RenderTarget::Cpu | RenderTarget::Gpu => RendererKind::Cuda,
        },
        device: None,
        threads: 1,
        purpose: purpose(config.offline, config.sample_rate),
        recalibrate: false,
        service: Some(service_program()),
    };
    choice.make()
}

/// Blocks have deadlines unless the host bounces.
pub(super) fn purpose(offline: bool, sample_rate: f32) -> Purpose {
    match offline {
        false => Purpose::Live { sample_rate, thread_policy: ThreadPolicy::RealTime },
        true => Purpose::Piece(Piece { load: Load::default(), blocks: 0 }),
    }
}

/// The audio thread's end of a stream.
pub(super) struct Threaded {
    config: SynthConfig,
    audio: AudioSide,
    /// Kept to stop the stream.
    control: Option<Arc<Control>>,
    pace: Pace,
    /// The clock that the host is compared with; tests inject their own.
    now: fn() -> Instant,
    /// The stream's time of the last event.
    last_event: u64,
    /// The stream's time of the last note-on of each key.
    pressed: [u64; 128],
}

impl Threaded {
    pub(super) fn new(
        config: &SynthConfig,
        patch: &Patch,
        gpu: &MakeGpu,
    ) -> Result<(Threaded, SynthHandle), StreamError> {
        let block = config.max_block.max(1);
        let depth = StreamConfig::depth_for(block) + SPARE_BLOCKS * block;
        let stream_config = StreamConfig {
            engine: EngineConfig { outputs: config.outputs, ..engine_config(config.sample_rate) },
            depth: depth.min(MAX_DEPTH),
            thread_policy: match config.offline {
                true => ThreadPolicy::Normal,
                false => ThreadPolicy::RealTime,
            },
            // A bounce waits for what it needs.
            room: if config.offline { Room::All } else { Room::Measured },
            log: false,
            follows_mts: true,
        };
        let (renderer, renderer_handle) = gpu(config);
        let (control, audio) = stream::start(&stream_config, renderer)?;
        control.play(PART, Playable::new(patch.clone()))?;
        let control = Arc::new(control);
        let handle = SynthHandle {
            snapshots: control.snapshots(),
            stream: Some(control.clone()),
            renderer: Box::new(move || state(&renderer_handle)),
            sample_rate: config.sample_rate,
        };
        let threaded = Threaded {
            config: *config,
            audio,
            control: Some(control),
            pace: Pace::new(config.offline),
            now: Instant::now,
            last_event: 0,
            pressed: [0; 128],
        };
        Ok((threaded, handle))
    }

    /// Whether what was rendered so far may not contain an event of that time yet.
    fn is_new(&self, time: u64) -> bool {
        time > 0 && self.audio.time() <= time + u64::from(self.latency())
    }
}

impl Synth for Threaded {
    fn suits(&self, config: &SynthConfig) -> bool {
        self.config == *config
    }

    fn is_threaded(&self) -> bool {
        true
    }

    fn sample_rate(&self) -> f32 {
        self.config.sample_rate
    }

    fn latency(&self) -> u32 {
        self.audio.latency() as u32
    }

    fn reset(&mut self, values: &Values) {
        self.audio.restart(PART, values);
        self.pace = Pace::new(self.config.offline);
        self.last_event = self.audio.time();
        self.pressed = [0; 128];
    }

    fn render(&mut self, events: &[Event], left: &mut [f32], right: &mut [f32]) {
        let end = self.audio.time() + left.len() as u64;
        if !events.is_empty() {
            self.last_event = end;
        }
        for event in events {
            if let EventKind::NoteOn { key, .. } = event.kind {
                self.pressed[usize::from(key & 127)] = end;
            }
        }
        let block = Duration::from_secs_f32(left.len() as f32 / self.config.sample_rate);
        let timeout = self.pace.timeout((self.now)(), block);
        if timeout.is_zero() {
            self.audio.process(events, left, right);
        } else {
            self.audio.process_waiting(events, left, right, timeout);
        }
        self.pace.end((self.now)());
    }

    fn output(&self, output: usize) -> [&[f32]; 2] {
        self.audio.output(output)
    }

    fn keys(&self) -> u128 {
        let pressed = self.pressed.iter().enumerate();
        let new = pressed.filter(|(_, time)| self.is_new(**time));
        new.fold(self.audio.keys(PART), |keys, (key, _)| keys | 1 << key)
    }

    fn tail(&self) -> Option<usize> {
        self.audio.tail()
    }

    fn is_silent(&self) -> bool {
        let until = self.audio.sounds_until();
        !self.is_new(self.last_event) && until.is_some_and(|time| self.audio.time() >= time)
    }

    fn counters(&self) -> Counters {
        self.audio.counters()
    }

    fn load(&self) -> Option<(f32, u64)> {
        Some((self.audio.load(), self.audio.underruns()))
    }

    #[cfg(test)]
    fn set_clock(&mut self, now: fn() -> Instant) {
        self.now = now;
        self.audio.set_clock(now);
    }
}

impl Drop for Threaded {
    fn drop(&mut self) {
        // Stopping a stream takes a moment, longer when its renderer hangs, so a thread does it.
        let control = self.control.take();
        let _ = std::thread::Builder::new().name("myriad-end".into()).spawn(move || drop(control));
    }
}

fn state(handle: &RendererHandle) -> RendererState {
    let report = handle.report();
    let name = match report.using {
        "cuda" => "GPU",
        "cpu" => "CPU",
        other => other,
    };
    RendererState {
        name: name.into(),
        why: report.why,
        stands_in: report.using == "cpu",
        losses: report.failover.losses,
    }
}
