//! A session: an instrument that is switched on, with everything that is plugged into it.

mod endurance;
mod playing;

use super::conductor::Conductor;
use super::device::{Backstage, DeviceError, Host, Wish};
use super::feed::{Feed, FeedCounters};
use super::gesture::Inbox;
use super::load::Load;
use super::midi::{MACRO_PARAMS, Router, learned, ports::Ports};
use super::monitor::Monitor;
use super::outlet::Outlet;
use super::processor_usage::{ProcessorUsage, Usage};
use super::recorder::{Recorder, Recording};
use super::stage::Stage;
use crate::cast::Cast;
use crate::failure::Failure;
use crate::machine::cores;
use crate::renderer::RendererArgs;
use crate::song::Song;
use crate::wav::WavError;
use myriad_engine::params::Param;
use myriad_engine::patch::MACROS;
use myriad_engine::render::Renderer;
use myriad_engine::{EngineConfig, GlimpseReceiver, Patch, Readiness, Tuning, Values};
use myriad_live::stream::{
    self, Control, RenderSide, StreamConfig, StreamError, StreamStatus, Underrun,
};
use myriad_live::{RendererHandle, RendererReport};
use ringbuf::traits::Split;
use ringbuf::{HeapCons, HeapRb};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often processor time is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The voices of a part, unless a load asks for more.
const VOICES: usize = 256;

/// How long those who listen to every frame may be busy with something else.
const EARS_SECONDS: usize = 8;

/// Makes a renderer: so many threads, so many frames a second, and how ready it should be.
pub type MakeRenderer =
    Box<dyn FnOnce(usize, u32, Readiness) -> (Box<dyn Renderer>, RendererHandle)>;

/// Threads for the CPU renderer: half of the processors, the rest is for everybody else. A load
/// that one can hold is left to one.
fn threads() -> usize {
    const MOST: usize = 8;
    (cores() / 2).clamp(1, MOST)
}

/// What a session begins with.
pub struct Setup {
    pub wish: Wish,
    /// Frames kept ready, when the user decides.
    pub depth: Option<usize>,
    pub song: Option<(Song, Cast)>,
    /// What hands play.
    pub live: Patch,
    /// Channels (from 0) with patches of their own.
    pub own: Vec<(u8, Patch)>,
    pub load: Option<Load>,
    pub record: Option<PathBuf>,
    pub renderer: RendererArgs,
    /// When the card is to be lost, for tests.
    pub lose_card: Option<Duration>,
    /// Whether somebody wants to hear every frame ([`Session::hear_frames`]); then none is recorded.
    pub listen: bool,
    /// How the keys are tuned.
    pub tuning: Tuning,
    /// Makes another renderer than `renderer` says.
    pub rig: Option<MakeRenderer>,
    /// Who is told how the session goes.
    pub observer: Option<Box<dyn Observer>>,
}

/// Is told how a session goes each time it is looked after: metrics are.
pub trait Observer: Send {
    /// A line for the user when the session begins.
    fn notice(&self) -> String;

    /// The session was looked after.
    fn tick(&mut self, session: &Session);

    /// What a soak has found so far, by kind.
    fn findings(&mut self, findings: Vec<(&'static str, usize)>);
}

impl Setup {
    /// A song, and hands free to play along.
    pub fn for_song(song: Song, cast: Cast, live: Patch, renderer: RendererArgs) -> Self {
        Self {
            wish: Wish::default(),
            depth: None,
            song: Some((song, cast)),
            live,
            own: Vec::new(),
            load: None,
            record: None,
            renderer,
            lose_card: None,
            listen: false,
            tuning: Tuning::default(),
            rig: None,
            observer: None,
        }
    }
}

/// Why a session cannot begin.
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

/// An instrument that is switched on.
pub struct Session {
    control: Control,
    /// Ours to step when the device has no time of its own; otherwise it has a thread.
    render: Option<RenderSide>,
    /// Every frame, for who asked to listen.
    ears: Option<HeapCons<[f32; 2]>>,
    observer: Option<Box<dyn Observer>>,
    renderer: RendererHandle,
    lose_card: Option<Duration>,
    /// How often a card was lost and came back, as far as was told.
    changes: [u64; 2],
    outlet: Outlet,
    router: Arc<Router>,
    inbox: Arc<Inbox>,
    ports: Ports,
    conductor: Option<Conductor>,
    recorder: Option<Recorder>,
    monitor: Monitor,
    counters: Arc<FeedCounters>,
    machine: ProcessorUsage,
    usage: Usage,
    next_look: Instant,
    started: Instant,
    /// The part that hands play, what it plays, and where its knobs are.
    live: u8,
    patch: Arc<Patch>,
    values: Values,
    /// Keys that are down.
    keys: [bool; 128],
    /// The parameter that waits for a controller.
    learning: Option<Param>,
    news: Vec<String>,
    underruns: Vec<Underrun>,
}

/// How a session went.
pub struct Ending {
    pub status: StreamStatus,
    pub recording: Option<Recording>,
    pub unrecorded: u64,
}

impl Session {
    /// Opens the device and lets it play.
    ///
    /// # Errors
    /// When there is no device, no engine for it, or nothing to record to.
    pub fn start(setup: Setup) -> Result<Self, StartError> {
        #[cfg(target_os = "linux")]
        let _silence = alsa::Output::local_error_handler();
        // Parts: those of the song, the hands', the channels' own, the load's.
        let mut patches: Vec<Patch> = Vec::new();
        if let Some((_, cast)) = &setup.song {
            patches.extend(cast.roles.iter().map(|role| role.patch.clone()));
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
            patches.push(load.patch(&setup.live));
        }

        let backstage = Backstage {
            stage: Arc::new(Stage::new()),
            router: Arc::new(Router::new(live, &own)),
            ticket: 0,
        };
        let router = Arc::clone(&backstage.router);
        let wanted_midi = setup.wish.midi.clone();
        let stepped = setup.wish.host == Some(Host::Virtual);
        let readiness = setup.wish.readiness();
        let spare_blocks = if setup.renderer.wants_card() { 2 } else { 0 };
        let mut outlet = Outlet::open(setup.wish, setup.depth, spare_blocks, backstage)?;
        let rate = outlet.engine_rate();
        let voices = setup.load.map_or(VOICES, |load| load.voices.max(VOICES));
        let config = StreamConfig {
            engine: EngineConfig {
                sample_rate: rate as f32,
                parts: patches.len(),
                voices,
                clouds: EngineConfig::default().clouds.max(2 * voices),
                tuning: setup.tuning,
                ..EngineConfig::default()
            },
            depth: outlet.depth(),
            readiness,
        };
        let (renderer, handle) = match setup.rig {
            Some(make) => make(threads(), rate, readiness),
            None => setup.renderer.live(threads(), rate, readiness),
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
        let (mut recorder, mut ears, mut tape) = (None, None, None);
        if setup.listen {
            let (ring, heard) = HeapRb::new(EARS_SECONDS * rate as usize).split();
            (ears, tape) = (Some(heard), Some(ring));
        } else if let Some(path) = &setup.record {
            let (begun, ring) = Recorder::start(path, rate)?;
            (recorder, tape) = (Some(begun), Some(ring));
        }
        let (tap, tapped) = HeapRb::new(rate as usize).split();
        let inbox = Arc::new(Inbox::new());
        let feed = Box::new(Feed::new(audio, rate, Arc::clone(&inbox), tap, tape));
        let counters = feed.counters();
        outlet.start(feed);
        let mut session = Self {
            control,
            render,
            ears,
            observer: setup.observer,
            renderer: handle,
            lose_card: setup.lose_card,
            changes: [0; 2],
            outlet,
            ports: Ports::new(wanted_midi, Arc::clone(&router), Arc::clone(&inbox)),
            router,
            inbox,
            conductor: setup
                .song
                .map(|(song, cast)| Conductor::new(&song, cast, rate)),
            recorder,
            monitor: Monitor::new(tapped, rate),
            counters,
            machine: ProcessorUsage::new(),
            usage: Usage::default(),
            next_look: Instant::now() + LOOK,
            started: Instant::now(),
            live,
            values: setup.live.values.clone(),
            patch: Arc::new(setup.live),
            keys: [false; 128],
            learning: None,
            news: Vec::new(),
            underruns: Vec::new(),
        };
        if let Some(observer) = &session.observer {
            session.news.push(observer.notice());
        }
        if let Some(path) = learned::path()
            && let Err(complaint) = learned::load(&path, &session.router)
        {
            session.news.push(complaint);
        }
        if let Some(load) = setup.load {
            load.press(&session.control, load_part);
        }
        Ok(session)
    }

    /// Does all that is due: devices, MIDI, the song, meters. To be called often.
    pub fn tick(&mut self) {
        let mut news = self.outlet.tick(&self.control, &self.counters);
        self.news.append(&mut news);
        self.news.append(&mut self.ports.poll());
        while let Some(heard) = self.router.next_heard() {
            self.hear(heard);
        }
        if let Some(conductor) = &mut self.conductor {
            conductor.tick(&self.control);
        }
        self.underruns.append(&mut self.control.underruns());
        self.monitor.update();
        self.check_recorder();
        if self
            .lose_card
            .take_if(|after| self.started.elapsed() >= *after)
            .is_some()
        {
            self.renderer.lose_card();
        }
        self.check_renderer();
        if Instant::now() >= self.next_look {
            self.next_look = Instant::now() + LOOK;
            self.usage = self.machine.look();
        }
        if let Some(mut observer) = self.observer.take() {
            observer.tick(self);
            self.observer = Some(observer);
        }
    }

    /// Ends it: fades out, stops the device, completes the recording.
    ///
    /// # Errors
    /// When the recording cannot be completed.
    pub fn finish(self) -> Result<Ending, Failure> {
        self.control.stop();
        // Nothing is asked for from here on, so that all counts agree.
        drop(self.outlet);
        let recording = self.recorder.map(Recorder::finish).transpose()?;
        Ok(Ending {
            status: self.control.status(),
            recording,
            unrecorded: self.counters.unrecorded.load(Ordering::Relaxed),
        })
    }

    /// Whether there is nothing left to play of the song.
    pub fn is_over(&self) -> bool {
        let sounding = self.control.status().engine.clouds;
        self.conductor
            .as_ref()
            .is_some_and(|conductor| conductor.is_over(&self.control, sounding))
    }

    /// Where the song is and how long it is, in seconds.
    pub fn song(&self) -> Option<[f64; 2]> {
        let conductor = self.conductor.as_ref()?;
        Some([conductor.position(&self.control), conductor.seconds()])
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

    pub fn outlet(&self) -> &Outlet {
        &self.outlet
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

    /// Who renders, and why.
    pub fn renderer_report(&self) -> RendererReport {
        self.renderer.report()
    }

    /// What hands play, to be seen; for the first who asks.
    pub fn watch(&self) -> Option<GlimpseReceiver> {
        let glimpses = self.control.glimpses()?;
        glimpses.watch(Some(usize::from(self.live)));
        Some(glimpses)
    }

    /// Who renders, and how often a card was lost.
    pub fn renderer(&self) -> (&'static str, u64) {
        let report = self.renderer.report();
        (report.using, report.failover.losses)
    }

    pub fn sample_rate(&self) -> u32 {
        self.outlet.engine_rate()
    }

    pub fn usage(&self) -> Usage {
        self.usage
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// MIDI messages that made no sense, and gestures that nothing picked up.
    pub fn ignored(&self) -> [u64; 2] {
        [self.router.malformed(), self.inbox.lost()]
    }

    pub fn recording(&self) -> Option<&std::path::Path> {
        self.recorder.as_ref().map(Recorder::path)
    }

    /// What happened since this was last asked.
    pub fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// The underruns since this was last asked.
    pub fn take_underruns(&mut self) -> Vec<Underrun> {
        std::mem::take(&mut self.underruns)
    }

    /// Tells about cards that are lost and come back.
    fn check_renderer(&mut self) {
        let report = self.renderer.report();
        let changes = [report.failover.losses, report.failover.returns];
        if changes != self.changes {
            self.changes = changes;
            let news = format!("rendering on {} now: {}", report.using, report.why);
            self.news.push(news);
        }
    }

    /// A recording that ended by itself is completed and told about.
    fn check_recorder(&mut self) {
        if !self.recorder.as_ref().is_some_and(Recorder::has_ended) {
            return;
        }
        match self.recorder.take().map(Recorder::finish) {
            Some(Ok(recording)) => self.news.push(format!(
                "{} is full: a WAV file holds no more than 4 GiB",
                recording.path.display()
            )),
            Some(Err(error)) => self.news.push(format!("recording ended: {error}")),
            None => {}
        }
    }
}
