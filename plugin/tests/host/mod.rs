//! A small CLAP host with one instance. It checks what every host may expect.

use clack_extensions::gui::{GuiSize, HostGui, HostGuiImpl};
use clack_extensions::latency::{HostLatency, HostLatencyImpl, PluginLatency};
use clack_extensions::params::*;
use clack_extensions::preset_discovery::HostPresetLoadImpl;
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::state::PluginState;
use clack_extensions::thread_check::{HostThreadCheck, HostThreadCheckImpl};
use clack_extensions::voice_info::{HostVoiceInfo, HostVoiceInfoImpl};
use clack_host::events::event_types::*;
use clack_host::events::{EventFlags, EventHeader, Match, Pckn};
use clack_host::prelude::*;
use clack_host::process::ProcessStatus;
use clack_host::utils::{BeatTime, SecondsTime};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::ThreadId;

pub const RATE: f64 = 48_000.0;
pub const ID: &std::ffi::CStr = c"org.myriad.myriad";

/// Requests of the plugin, from any thread.
pub struct HostRequests {
    pub restart: AtomicBool,
    /// The requested window size, packed; zero for none.
    pub resize: AtomicU64,
    callback: AtomicBool,
    main: ThreadId,
}

impl SharedHandler<'_> for HostRequests {
    fn request_restart(&self) {
        self.restart.store(true, SeqCst);
    }
    fn request_process(&self) {}
    fn request_callback(&self) {
        self.callback.store(true, SeqCst);
    }
}

impl HostParamsImplShared for HostRequests {
    fn request_flush(&self) {}
}

impl HostGuiImpl for HostRequests {
    fn resize_hints_changed(&self) {}
    fn request_resize(&self, size: GuiSize) -> Result<(), HostError> {
        self.resize.store(size.pack_to_u64(), SeqCst);
        Ok(())
    }
    fn request_show(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn request_hide(&self) -> Result<(), HostError> {
        Ok(())
    }
    fn closed(&self, _was_destroyed: bool) {
        panic!("windows close when we say so");
    }
}

impl HostThreadCheckImpl for HostRequests {
    fn is_main_thread(&self) -> bool {
        std::thread::current().id() == self.main
    }
    fn is_audio_thread(&self) -> bool {
        !self.is_main_thread()
    }
}

/// Notifications of the plugin on the main thread.
#[derive(Default)]
pub struct HostNotifications {
    rescanned: Cell<bool>,
    /// How often names of parameters have changed.
    pub renamed: Cell<usize>,
    /// What became of each patch that the plugin was to load.
    loads: RefCell<Vec<Result<(), String>>>,
}

impl MainThreadHandler<'_> for HostNotifications {}

impl HostParamsImplMainThread for HostNotifications {
    fn rescan(&self, flags: ParamRescanFlags) {
        if flags == ParamRescanFlags::INFO {
            self.renamed.update(|times| times + 1);
            return;
        }
        assert_eq!(flags, ParamRescanFlags::VALUES);
        self.rescanned.set(true);
    }
    fn clear(&self, _id: ClapId, _flags: ParamClearFlags) {}
}

impl HostPresetLoadImpl for HostNotifications {
    fn on_error(&self, _: Location, _: Option<&CStr>, _os_error: i32, message: Option<&CStr>) {
        let message = message.unwrap_or_default().to_str().unwrap();
        self.loads.borrow_mut().push(Err(message.to_owned()));
    }
    fn loaded(&self, _: Location, _: Option<&CStr>) {
        self.loads.borrow_mut().push(Ok(()));
    }
}

impl HostLatencyImpl for HostNotifications {
    fn changed(&self) {}
}

impl HostVoiceInfoImpl for HostNotifications {
    fn changed(&self) {}
}

pub struct TestHost;

impl HostHandlers for TestHost {
    type Shared<'a> = HostRequests;
    type MainThread<'a> = HostNotifications;
    type AudioProcessor<'a> = ();

    fn declare_extensions(builder: &mut HostExtensions<Self>, _: &HostRequests) {
        builder
            .register::<HostParams>()
            .register::<HostGui>()
            .register::<HostLatency>()
            .register::<HostPresetLoad>()
            .register::<HostThreadCheck>()
            .register::<HostVoiceInfo>();
    }
}

/// An event for the plugin.
#[derive(Clone, Copy, Debug)]
pub enum HostEvent {
    On(Pckn, f64),
    Off(Pckn),
    Choke(Pckn),
    Midi([u8; 3]),
    Set(ClapId, f64),
    Modulate(ClapId, Pckn, f64),
    Express(Pckn, NoteExpressionType, f64),
    /// The transport: tempo and beat.
    Song(f64, f64),
}

impl HostEvent {
    pub fn push(self, time: u32, buffer: &mut EventBuffer) {
        match self {
            HostEvent::On(note, velocity) => buffer.push(&NoteOnEvent::new(time, note, velocity)),
            HostEvent::Off(note) => buffer.push(&NoteOffEvent::new(time, note, 0.5)),
            HostEvent::Choke(note) => buffer.push(&NoteChokeEvent::new(time, note)),
            HostEvent::Midi(data) => buffer.push(&MidiEvent::new(time, 0, data)),
            HostEvent::Set(id, value) => {
                buffer.push(&ParamValueEvent::new(time, id, Pckn::match_all(), value));
            }
            HostEvent::Modulate(id, note, amount) => {
                buffer.push(&ParamModEvent::new(time, id, note, amount));
            }
            HostEvent::Song(tempo, beat) => buffer.push(&song(time, tempo, beat)),
            HostEvent::Express(note, kind, value) => {
                buffer.push(&NoteExpressionEvent::new(time, note, kind, value));
            }
        }
    }
}

/// A song that plays.
pub fn song(time: u32, tempo: f64, beat: f64) -> TransportEvent {
    let (beats, seconds) = (BeatTime::from_float, SecondsTime::from_float);
    TransportEvent {
        header: EventHeader::new_core(time, EventFlags::empty()),
        flags: TransportFlags::HAS_TEMPO
            | TransportFlags::HAS_BEATS_TIMELINE
            | TransportFlags::IS_PLAYING,
        song_pos_beats: beats(beat),
        song_pos_seconds: seconds(0.0),
        tempo,
        tempo_inc: 0.0,
        loop_start_beats: beats(0.0),
        loop_end_beats: beats(0.0),
        loop_start_seconds: seconds(0.0),
        loop_end_seconds: seconds(0.0),
        bar_start: beats(0.0),
        bar_number: 0,
        time_signature_numerator: 4,
        time_signature_denominator: 4,
    }
}

pub fn note(id: u32, key: u16) -> Pckn {
    Pckn::new(0u16, 0u16, key, id)
}

pub fn on(key: u16) -> HostEvent {
    HostEvent::On(note(u32::from(key), key), 0.8)
}

pub fn off(key: u16) -> HostEvent {
    HostEvent::Off(Pckn::new(0u16, 0u16, key, Match::All))
}

/// A gesture that the plugin reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gesture {
    Begin(ClapId),
    To(ClapId, f64),
    End(ClapId),
}

/// The output, ended notes and gestures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Played {
    pub sound: [Vec<f32>; 2],
    pub ended: Vec<Pckn>,
    pub moved: Vec<Gesture>,
    pub last: Option<ProcessStatus>,
}

pub struct Host {
    pub instance: PluginInstance<TestHost>,
    pub rate: f64,
    pub max_block: u32,
}

impl Host {
    pub fn new() -> Self {
        // SAFETY: the entry is that of the plugin this test is linked with.
        let entry = unsafe { PluginEntry::load_from_raw(&myriad_plugin::clap_entry, c"") };
        Self::from_entry(&entry.unwrap())
    }

    pub fn from_entry(entry: &PluginEntry) -> Self {
        let info = HostInfo::new("Test", "Myriad", "", "1").unwrap();
        let main = std::thread::current().id();
        let requests = move |_: &()| HostRequests {
            restart: false.into(),
            resize: 0.into(),
            callback: false.into(),
            main,
        };
        let instance = PluginInstance::<TestHost>::new(
            requests,
            |_| HostNotifications::default(),
            entry,
            ID,
            &info,
        )
        .unwrap();
        Self { instance, rate: RATE, max_block: 8_192 }
    }

    pub fn extension<
        E: clack_host::extensions::Extension<
                ExtensionSide = clack_host::extensions::PluginExtensionSide,
            >,
    >(
        &mut self,
    ) -> E {
        self.instance.plugin_handle().get_extension().unwrap()
    }

    /// Runs the callback that the plugin has requested on the main thread.
    pub fn idle(&mut self) {
        if self.instance.access_shared_handler(|requests| requests.callback.swap(false, SeqCst)) {
            self.instance.call_on_main_thread_callback();
        }
    }

    pub fn latency(&mut self) -> u32 {
        let latency: PluginLatency = self.extension();
        latency.get(&self.instance.plugin_handle())
    }

    /// Activates, plays blocks of the given sizes, deactivates. Events are at frames of the whole.
    pub fn play(&mut self, blocks: &[usize], events: &[(usize, HostEvent)]) -> Played {
        let config = PluginAudioConfiguration {
            sample_rate: self.rate,
            min_frames_count: 1,
            max_frames_count: self.max_block,
        };
        let processor = self.instance.activate(|_, _| (), config).unwrap();
        let (processor, played) = std::thread::scope(|scope| {
            let audio = scope.spawn(|| {
                let mut processor = processor.start_processing().unwrap();
                let played = play_blocks(&mut processor, blocks, events);
                (processor.stop_processing(), played)
            });
            audio.join().unwrap()
        });
        self.instance.deactivate(processor);
        self.idle();
        played
    }

    pub fn params(&mut self) -> Vec<Info> {
        let params: PluginParams = self.extension();
        let plugin = self.instance.plugin_handle();
        let info = |index| {
            let mut buffer = ParamInfoBuffer::new();
            let info = params.get_info(&plugin, index, &mut buffer).unwrap();
            Info {
                id: info.id,
                flags: info.flags,
                name: String::from_utf8(info.name.to_vec()).unwrap(),
                module: String::from_utf8(info.module.to_vec()).unwrap(),
                range: info.min_value..=info.max_value,
                default: info.default_value,
            }
        };
        (0..params.count(&plugin)).map(info).collect()
    }

    pub fn id(&mut self, name: &str) -> ClapId {
        let found = self.params().into_iter().find(|info| info.name == name);
        found.unwrap_or_else(|| panic!("no {name}")).id
    }

    pub fn value(&mut self, id: ClapId) -> f64 {
        let params: PluginParams = self.extension();
        params.get_value(&self.instance.plugin_handle(), id).unwrap()
    }

    pub fn values(&mut self) -> Vec<f64> {
        let params = self.params();
        params.iter().map(|info| self.value(info.id)).collect()
    }

    pub fn text(&mut self, id: ClapId, value: f64) -> String {
        let params: PluginParams = self.extension();
        let mut buffer = [0; 256];
        let text = params.value_to_text(&self.instance.plugin_handle(), id, value, &mut buffer);
        String::from_utf8(text.unwrap().to_vec()).unwrap()
    }

    pub fn read(&mut self, id: ClapId, text: &str) -> Option<f64> {
        let params: PluginParams = self.extension();
        let text = CString::new(text).unwrap();
        params.text_to_value(&self.instance.plugin_handle(), id, &text)
    }

    /// Changes parameters while nothing plays.
    pub fn flush(&mut self, events: &[HostEvent]) {
        let params: PluginParams = self.extension();
        let (mut input, mut output) = (EventBuffer::new(), EventBuffer::new());
        events.iter().for_each(|event| event.push(0, &mut input));
        let mut plugin = self.instance.inactive_plugin_handle().unwrap();
        params.flush(&mut plugin, &input.as_input(), &mut output.as_output());
        self.idle();
    }

    pub fn save(&mut self) -> Vec<u8> {
        let mut saved = Vec::new();
        self.save_to(&mut saved);
        saved
    }

    pub fn save_to(&mut self, writer: &mut impl Write) {
        let state: PluginState = self.extension();
        state.save(&self.instance.plugin_handle(), writer).unwrap();
    }

    /// Loads a state. Returns whether the plugin accepted it.
    pub fn load(&mut self, mut saved: impl Read) -> bool {
        let state: PluginState = self.extension();
        self.instance.access_handler(|notifications| notifications.rescanned.set(false));
        let taken = state.load(&self.instance.plugin_handle(), &mut saved).is_ok();
        self.idle();
        let rescanned = self.instance.access_handler(|notifications| notifications.rescanned.get());
        assert_eq!(rescanned, taken, "a taken state is told to the host");
        taken
    }

    /// Loads a patch by the host's own browser. Fails with what the plugin says.
    pub fn load_preset(&mut self, location: Location, key: Option<&CStr>) -> Result<(), String> {
        let preset_load: PluginPresetLoad = self.extension();
        let loaded =
            preset_load.load_from_location(&self.instance.plugin_handle(), location, key).is_ok();
        self.idle();
        let told = self.instance.access_handler(|told| told.loads.borrow_mut().pop());
        let told = told.unwrap();
        assert_eq!(told.is_ok(), loaded);
        told
    }
}

/// A state as the plugin writes it for CLAP hosts: its length, then its JSON.
pub fn with_length(json: &str) -> Vec<u8> {
    [&(json.len() as u64).to_le_bytes(), json.as_bytes()].concat()
}

/// The host's state with other fields.
pub fn with_fields(host: &mut Host, fields: &[(&str, String)]) -> Vec<u8> {
    let saved = host.save();
    let mut state: serde_json::Value = serde_json::from_slice(&saved[8..]).unwrap();
    for (name, text) in fields {
        state["fields"][name] = text.clone().into();
    }
    with_length(&state.to_string())
}

/// A parameter as the plugin describes it.
#[derive(Clone, Debug)]
pub struct Info {
    pub id: ClapId,
    pub flags: ParamInfoFlags,
    pub name: String,
    pub module: String,
    pub range: std::ops::RangeInclusive<f64>,
    pub default: f64,
}

/// What output buffers hold before the plugin writes them.
const UNWRITTEN: f32 = f32::from_bits(0x7FC0_5A5A);

pub fn play_blocks(
    processor: &mut StartedPluginAudioProcessor<TestHost>,
    blocks: &[usize],
    events: &[(usize, HostEvent)],
) -> Played {
    let mut played = Played::default();
    let mut events = events.iter().peekable();
    let mut start = 0;
    for &frames in blocks {
        let mut input = EventBuffer::new();
        while let Some((at, say)) = events.next_if(|(at, _)| *at < start + frames) {
            say.push((at - start) as u32, &mut input);
        }
        let [left, right] = play_block(processor, frames, &input, None, &mut played);
        played.sound[0].extend(left);
        played.sound[1].extend(right);
        start += frames;
    }
    played
}

/// One block, and the checks that hold for every one.
pub fn play_block(
    processor: &mut StartedPluginAudioProcessor<TestHost>,
    frames: usize,
    input: &EventBuffer,
    transport: Option<&TransportEvent>,
    played: &mut Played,
) -> [Vec<f32>; 2] {
    // Longer than the block, to check that nothing is written behind it.
    let mut sound = [vec![UNWRITTEN; frames + 8], vec![UNWRITTEN; frames + 8]];
    let mut ports = AudioPorts::with_capacity(2, 1);
    let mut output = EventBuffer::new();
    let mut outputs = ports.with_output_buffers([AudioPortBuffer {
        latency: 0,
        channels: AudioPortBufferType::f32_output_only(
            sound.iter_mut().map(|channel| &mut channel[..frames]),
        ),
    }]);
    let status = processor
        .process(
            &InputAudioBuffers::empty(),
            &mut outputs,
            &input.as_input(),
            &mut output.as_output(),
            None,
            transport,
        )
        .unwrap();
    played.last = Some(status);
    let mut last = 0;
    for event in &output {
        let time = event.header().time();
        assert!(time >= last && (time as usize) < frames, "events in order and in the block");
        last = time;
        if let Some(end) = event.as_event::<NoteEndEvent>() {
            played.ended.push(end.pckn());
        }
        let begun = event.as_event::<ParamGestureBeginEvent>();
        let moved = event.as_event::<ParamValueEvent>();
        let ended = event.as_event::<ParamGestureEndEvent>();
        let begun = begun.and_then(|event| Some(Gesture::Begin(event.param_id()?)));
        let moved = moved.and_then(|event| Some(Gesture::To(event.param_id()?, event.value())));
        let ended = ended.and_then(|event| Some(Gesture::End(event.param_id()?)));
        played.moved.extend(begun.or(moved).or(ended));
    }
    for channel in &mut sound {
        let behind = channel.split_off(frames);
        assert!(behind.iter().all(|x| x.to_bits() == UNWRITTEN.to_bits()), "written behind");
        for x in &*channel {
            assert!(x.is_finite() && !x.is_subnormal() && x.abs() <= 1.0, "{x}");
        }
    }
    sound
}

/// Blocks of one size.
pub fn blocks(size: usize, frames: usize) -> Vec<usize> {
    let rest = frames % size;
    let whole = std::iter::repeat_n(size, frames / size);
    whole.chain((rest > 0).then_some(rest)).collect()
}

pub fn peak(sound: &[f32]) -> f32 {
    sound.iter().fold(0.0, |peak, x| x.abs().max(peak))
}

/// A deterministic random number generator.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    pub fn unit(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 24)
    }
}
