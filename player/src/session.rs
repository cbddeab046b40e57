//! A session: the running instrument with its device, MIDI inputs, song and recording.

mod load;
pub mod monitor;
mod playing;
mod recorder;
mod sequencer;
mod testing;

pub use load::Load;
pub use recorder::Recording;

use crate::assignment::PatchAssignment;
use crate::device::callback::{AudioCallback, CallbackCounters};
use crate::device::handoff::CallbackHandoff;
use crate::device::manager::DeviceManager;
use crate::device::{DeviceContext, DeviceError, DeviceRequest, Host};
use crate::failure::Failure;
use crate::machine::cores;
use crate::midi::gesture::GestureQueue;
use crate::midi::{MACRO_PARAMS, Router, learned, ports::Ports};
use crate::renderer::RendererArgs;
use crate::song::Song;
use crate::system::processor_usage::{ProcessorUsage, Usage};
use crate::wav::WavError;
use monitor::Monitor;
use myriad_engine::mpe::Channels;
use myriad_engine::params::Param;
use myriad_engine::patch::MACROS;
use myriad_engine::render::Renderer;
use myriad_engine::{
    EngineConfig, InstanceSettings, Patch, SnapshotReceiver, ThreadPolicy, Values,
};
use myriad_live::stream::{
    self, Control, RenderSide, Room, StreamConfig, StreamError, StreamStatus, Underrun,
};
use myriad_live::{RendererHandle, RendererReport};
use recorder::Recorder;
use ringbuf::traits::Split;
use ringbuf::{HeapCons, HeapRb};
use sequencer::SongSequencer;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often processor time is read.
const USAGE_PERIOD: Duration = Duration::from_millis(500);

/// The voices of the engine, unless a load asks for more.
const VOICES: usize = 256;

/// The ring buffer of [`Session::hear_frames`].
const LISTENER_SECONDS: usize = 8;

/// Makes a renderer for a number of threads, a sample rate and a thread policy.
pub type MakeRenderer =
    Box<dyn FnOnce(usize, u32, ThreadPolicy) -> (Box<dyn Renderer>, RendererHandle)>;

/// Threads of the CPU renderer, and of control: half of the processors.
fn threads() -> usize {
    const MOST: usize = 8;
    (cores() / 2).clamp(1, MOST)
}

pub struct Setup {
    pub device_request: DeviceRequest,
    /// Frames kept ready, when the user decides.
    pub depth: Option<usize>,
    pub song: Option<(Song, PatchAssignment)>,
    /// The patch of live playing.
    pub live: Patch,
    /// Channels (from 0) with patches of their own.
    pub own: Vec<(u8, Patch)>,
    pub load: Option<Load>,
    pub record: Option<PathBuf>,
    pub renderer: RendererArgs,
    /// When the GPU's context is destroyed, for tests.
    pub lose_gpu: Option<Duration>,
    /// Whether [`Session::hear_frames`] and [`Session::read_log`] are used; then nothing is recorded.
    pub listen: bool,
    /// Tuning, bend range and MPE.
    pub settings: InstanceSettings,
    /// Makes the renderer instead of `renderer`.
    pub make_renderer: Option<MakeRenderer>,
    pub observer: Option<Box<dyn Observer>>,
}

/// Observes a session at every tick, to publish metrics.
pub trait Observer: Send {
    /// A notice for the user at the start.
    fn notice(&self) -> String;

    fn tick(&mut self, session: &Session);

    /// What a soak test has found so far, by kind.
    fn findings(&mut self, findings: Vec<(&'static str, usize)>);
}

impl Setup {
    /// The defaults: live playing on the first device that works.
    pub fn new(live: Patch, renderer: RendererArgs) -> Self {
        Self {
            device_request: DeviceRequest::default(),
            depth: None,
            song: None,
            live,
            own: Vec::new(),
            load: None,
            record: None,
            renderer,
            lose_gpu: None,
            listen: false,
            settings: InstanceSettings::default(),
            make_renderer: None,
            observer: None,
        }
    }
}

/// Why a session cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Recording(#[from] WavError),
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Device(DeviceError::Unknown { .. }) => Failure::misuse(error),
            StartError::Stream(StreamError::Engine(error)) => {
                crate::renderer::failure(&"play", &error)
            }
            _ => Failure::failed(error),
        }
    }
}

/// The running instrument.
pub struct Session {
    control: Control,
    /// Stepped by us in virtual time; otherwise it runs on a thread of its own.
    render: Option<RenderSide>,
    /// Every frame, for [`hear_frames`](Self::hear_frames).
    listener: Option<HeapCons<[f32; 2]>>,
    observer: Option<Box<dyn Observer>>,
    renderer: RendererHandle,
    lose_gpu: Option<Duration>,
    /// Losses and returns of the GPU that the user was told of.
    gpu_changes: [u64; 2],
    device_manager: DeviceManager,
    router: Arc<Router>,
    gestures: Arc<GestureQueue>,
    ports: Ports,
    sequencer: Option<SongSequencer>,
    /// A song that the patch of live playing plays.
    accompaniment: Option<SongSequencer>,
    recorder: Option<Recorder>,
    /// The recording, when it has ended before the session.
    recording: Option<Result<Recording, WavError>>,
    monitor: Monitor,
    counters: Arc<CallbackCounters>,
    processor_usage: ProcessorUsage,
    usage: Usage,
    next_usage: Instant,
    started: Instant,
    /// The part of live playing, its patch, and the current values of its parameters.
    live: u8,
    patch: Arc<Patch>,
    values: Values,
    /// Tuning, bend range and MPE.
    settings: InstanceSettings,
    /// The channels of simulated MIDI messages.
    simulated: Mutex<Channels>,
    /// Keys that are down.
    keys: [bool; 128],
    /// The parameter in MIDI learn.
    learning: Option<Param>,
    /// Notices for the user.
    news: Vec<String>,
    underruns: Vec<Underrun>,
}

/// The result of a session.
pub struct Ending {
    pub status: StreamStatus,
    pub recording: Option<Recording>,
    pub unrecorded: u64,
}

impl Session {
    /// Opens the device and starts to play.
    ///
    /// # Errors
    /// When the device, the engine or the recording cannot be started.
    pub fn start(setup: Setup) -> Result<Self, StartError> {
        #[cfg(target_os = "linux")]
        let _silence = alsa::Output::local_error_handler();
        // Parts: those of the song, live playing, channels with patches of their own, the load.
        let mut patches: Vec<Patch> = Vec::new();
        if let Some((_, assignment)) = &setup.song {
            patches.extend(assignment.parts.iter().map(|part| part.patch.clone()));
        }
        let live = patches.len() as u8;
        patches.push(setup.live.clone());
        let mut own = Vec::new();
        for (channel, patch) in setup.own {
            own.push((channel, patches.len() as u8));
            patches.push(patch);
        }
        let load_part = patches.len() as u8;
        if let Some(load) = setup.load {
            patches.extend(vec![load.patch(&setup.live); load.parts()]);
        }

        let context = DeviceContext {
            handoff: Arc::<CallbackHandoff>::default(),
            router: Arc::new(Router::new(live, &own)),
            device_id: 0,
        };
        let router = Arc::clone(&context.router);
        router.set_mpe(setup.settings.mpe);
        let wanted_midi = setup.device_request.midi.clone();
        let stepped = setup.device_request.host == Some(Host::Virtual);
        let thread_policy = setup.device_request.thread_policy();
        let spare_blocks = if setup.renderer.wants_gpu() { 2 } else { 0 };
        let mut device_manager =
            DeviceManager::open(setup.device_request, setup.depth, spare_blocks, context)?;
        let rate = device_manager.engine_rate();
        let voices = setup.load.map_or(VOICES, |load| load.voices_a_part().max(VOICES));
        // A load is held whatever it takes, and a soak test plays the same on every machine.
        let (room, clouds) = match setup.load {
            Some(load) => {
                (Room::All, EngineConfig::default().clouds.max(2 * voices).max(load.clouds()))
            }
            None if setup.listen || stepped => (Room::All, EngineConfig::default().clouds),
            None => (Room::Measured, EngineConfig::MOST_LIVE_CLOUDS),
        };
        let config = StreamConfig {
            engine: EngineConfig {
                sample_rate: rate as f32,
                parts: patches.len(),
                voices,
                clouds,
                // Control uses the threads of the renderer.
                threads: threads(),
                pitch: setup.settings.pitch(),
                ..EngineConfig::default()
            },
            depth: device_manager.depth(),
            thread_policy,
            room,
            log: setup.listen,
            // What a soak test hears is compared with a reference.
            follows_mts: !setup.listen,
        };
        let (renderer, handle) = match setup.make_renderer {
            Some(make) => make(threads(), rate, thread_policy),
            None => setup.renderer.live(threads(), rate, thread_policy),
        };
        let (control, audio, mut render) = match stepped {
            true => stream::build(&config, renderer).map(|(c, a, r)| (c, a, Some(r)))?,
            false => stream::start(&config, renderer).map(|(c, a)| (c, a, None))?,
        };
        for (part, patch) in patches.into_iter().enumerate() {
            control.set_patch(part, patch)?;
        }
        render.iter_mut().for_each(|render| {
            render.step();
        });
        let (mut recorder, mut listener, mut record_ring) = (None, None, None);
        if setup.listen {
            let (ring, heard) = HeapRb::new(LISTENER_SECONDS * rate as usize).split();
            (listener, record_ring) = (Some(heard), Some(ring));
        } else if let Some(path) = &setup.record {
            let (begun, ring) = Recorder::start(path, rate)?;
            (recorder, record_ring) = (Some(begun), Some(ring));
        }
        let (tap, tapped) = HeapRb::new(rate as usize).split();
        let (gestures, receiver) = GestureQueue::new();
        let gestures = Arc::new(gestures);
        let callback = Box::new(AudioCallback::new(audio, rate, receiver, tap, record_ring));
        let counters = callback.counters();
        device_manager.start(callback);
        let mut session = Self {
            control,
            render,
            listener,
            observer: setup.observer,
            renderer: handle,
            lose_gpu: setup.lose_gpu,
            gpu_changes: [0; 2],
            device_manager,
            ports: Ports::new(wanted_midi, Arc::clone(&router), Arc::clone(&gestures)),
            router,
            gestures,
            sequencer: setup
                .song
                .map(|(song, assignment)| SongSequencer::new(&song, Some(assignment), rate)),
            accompaniment: None,
            recorder,
            recording: None,
            monitor: Monitor::new(tapped, rate),
            counters,
            processor_usage: ProcessorUsage::new(),
            usage: Usage::default(),
            next_usage: Instant::now() + USAGE_PERIOD,
            started: Instant::now(),
            live,
            values: setup.live.values.clone(),
            patch: Arc::new(setup.live),
            settings: setup.settings,
            simulated: Mutex::default(),
            keys: [false; 128],
            learning: None,
            news: Vec::new(),
            underruns: Vec::new(),
        };
        if let Some(observer) = &session.observer {
            session.news.push(observer.notice());
        }
        if let Some(path) = learned::path()
            && let Err(error) = learned::load(&path, &session.router)
        {
            session.news.push(error);
        }
        if let Some(load) = setup.load {
            load.press(&session.control, load_part);
        }
        Ok(session)
    }

    /// Does the work of the control thread: device, MIDI, song, meters. Must be called every few
    /// milliseconds.
    pub fn tick(&mut self) {
        let mut news = self.device_manager.tick(&self.control, &self.counters);
        self.news.append(&mut news);
        self.news.append(&mut self.ports.poll());
        while let Some(heard) = self.router.next_heard() {
            self.hear(heard);
        }
        if let Some(sequencer) = &mut self.sequencer {
            sequencer.tick(&self.control);
        }
        if let Some(sequencer) = &mut self.accompaniment {
            sequencer.tick(&self.control);
        }
        self.underruns.append(&mut self.control.underruns());
        self.monitor.update();
        self.check_recorder();
        if self.lose_gpu.take_if(|after| self.started.elapsed() >= *after).is_some() {
            self.renderer.lose_gpu();
        }
        self.check_renderer();
        if Instant::now() >= self.next_usage {
            self.next_usage = Instant::now() + USAGE_PERIOD;
            self.usage = self.processor_usage.read();
        }
        if let Some(mut observer) = self.observer.take() {
            observer.tick(self);
            self.observer = Some(observer);
        }
    }

    /// Fades out, stops the device, completes the recording.
    ///
    /// # Errors
    /// When the recording cannot be completed.
    pub fn finish(self) -> Result<Ending, Failure> {
        self.control.stop();
        // Stops the device first, so that the counters below agree.
        drop(self.device_manager);
        let recording = self.recorder.map(Recorder::finish).or(self.recording).transpose()?;
        Ok(Ending {
            status: self.control.status(),
            recording,
            unrecorded: self.counters.unrecorded.load(Ordering::Relaxed),
        })
    }

    /// Plays a song with the patch of live playing, from its beginning. The session does not end with it.
    pub fn play_along(&mut self, song: &Song) {
        self.control.send(self.live, myriad_engine::EventKind::AllNotesOff);
        let rate = self.device_manager.engine_rate();
        self.accompaniment = Some(SongSequencer::on_part(song, self.live, rate));
    }

    /// Whether the song is over.
    pub fn is_over(&self) -> bool {
        let sounding = self.control.status().engine.clouds;
        self.sequencer.as_ref().is_some_and(|sequencer| sequencer.is_over(&self.control, sounding))
    }

    /// Position and length of the song, in seconds.
    pub fn song(&self) -> Option<[f64; 2]> {
        let sequencer = self.sequencer.as_ref()?;
        Some([sequencer.position(&self.control), sequencer.seconds()])
    }

    pub fn patch(&self) -> &Arc<Patch> {
        &self.patch
    }

    pub fn macros(&self) -> [f32; MACROS] {
        MACRO_PARAMS.map(|param| self.values[param])
    }

    pub fn value(&self, param: Param) -> f32 {
        self.values[param]
    }

    pub fn keys(&self) -> &[bool; 128] {
        &self.keys
    }

    pub fn device_manager(&self) -> &DeviceManager {
        &self.device_manager
    }

    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    pub fn take_peaks(&mut self) -> [f32; 2] {
        self.monitor.take_peaks()
    }

    pub fn take_peak(&mut self) -> f32 {
        self.monitor.take_peak()
    }

    pub fn status(&self) -> StreamStatus {
        self.control.status()
    }

    pub fn renderer_report(&self) -> RendererReport {
        self.renderer.report()
    }

    /// Snapshots of the live part, for displays; none after the first call.
    pub fn watch(&self) -> Option<SnapshotReceiver> {
        let snapshots = self.control.snapshots()?;
        snapshots.watch(Some(usize::from(self.live)));
        Some(snapshots)
    }

    pub fn sample_rate(&self) -> u32 {
        self.device_manager.engine_rate()
    }

    pub fn usage(&self) -> Usage {
        self.usage
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Malformed MIDI messages, and events that found a queue full.
    pub fn ignored(&self) -> [u64; 2] {
        let refused = self.counters.events_refused.load(Ordering::Relaxed);
        [self.router.malformed(), self.gestures.lost() + refused]
    }

    pub fn recording(&self) -> Option<&std::path::Path> {
        self.recorder.as_ref().map(Recorder::path)
    }

    /// Notices for the user since the last call.
    pub fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Underruns since the last call.
    pub fn take_underruns(&mut self) -> Vec<Underrun> {
        std::mem::take(&mut self.underruns)
    }

    /// Adds a notice when the GPU was lost or is back.
    fn check_renderer(&mut self) {
        let report = self.renderer.report();
        let changes = [report.failover.losses, report.failover.returns];
        if changes != self.gpu_changes {
            self.gpu_changes = changes;
            let news = format!("rendering on {} now: {}", report.using, report.why);
            self.news.push(news);
        }
    }

    /// Adds a notice when a recording has ended by itself.
    fn check_recorder(&mut self) {
        let Some(recorder) = self.recorder.take_if(|recorder| recorder.has_ended()) else {
            return;
        };
        let path = recorder.path().display().to_string();
        let recording = recorder.finish();
        let reason = match &recording {
            Ok(recording) => recording.cut_short.clone().unwrap_or_default(),
            Err(error) => error.reason(),
        };
        self.news.push(format!("recording ended: {path}: {reason}"));
        self.recording = Some(recording);
    }
}
