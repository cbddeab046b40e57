//! The view model: everything that the view shows, as plain data, so that tests can draw it.

use super::View;
use myriad_engine::patch::MACROS;
use myriad_live::stream::Histogram;
use myriad_player::midi::MACRO_PARAMS;
use myriad_player::monitor::{BANDS, Level};
use myriad_player::session::Session;

/// Everything that the view shows.
pub(super) struct ViewModel {
    /// Name, category, description.
    pub(super) patch: [String; 3],
    /// Host, device, sample rate and block size.
    pub(super) device: String,
    pub(super) connected: bool,
    /// Milliseconds from a key to its sound.
    pub(super) latency_ms: f64,
    pub(super) meters: [Level; 2],
    pub(super) bands: [f32; BANDS],
    pub(super) figures: Figures,
    pub(super) render_time: Histogram,
    pub(super) macros: [Macro; MACROS],
    pub(super) selected: usize,
    pub(super) learning: bool,
    pub(super) keys: [bool; 128],
    /// The MIDI key of the lowest letter.
    pub(super) lowest: u8,
    pub(super) velocity: f32,
    pub(super) pedal: bool,
    /// Position and length of the song, in seconds.
    pub(super) song: Option<[f64; 2]>,
    pub(super) recording: bool,
    pub(super) news: Option<String>,
    pub(super) browser: Option<Browsing>,
    pub(super) help: bool,
}

#[derive(Clone, Default)]
pub(super) struct Figures {
    pub(super) renderer: String,
    pub(super) voices: usize,
    pub(super) partials: usize,
    pub(super) fill: usize,
    pub(super) depth: usize,
    pub(super) underruns: u64,
    pub(super) xruns: u64,
    pub(super) cpu: Option<f32>,
}

#[derive(Clone, Default)]
pub(super) struct Macro {
    /// Empty when the patch does not use it.
    pub(super) name: String,
    pub(super) value: f32,
    /// The MIDI controller that moves it.
    pub(super) controller: Option<u8>,
}

/// The patch browser.
pub(super) struct Browsing {
    pub(super) query: String,
    /// Name, category, description.
    pub(super) rows: Vec<[String; 3]>,
    pub(super) at: usize,
}

impl ViewModel {
    pub(super) fn of(session: &Session, view: &View) -> Self {
        let status = session.status();
        let device_manager = session.device_manager();
        let patch = session.patch();
        let (device, latency_ms) = match device_manager.device() {
            None => ("no device".to_owned(), 0.0),
            Some(device) => {
                let rate = f64::from(device.rate());
                let text = format!(
                    "{} {} · {} kHz · {}",
                    device.host().name(),
                    device.name(),
                    rate / 1000.0,
                    device.block()
                );
                (text, device_manager.latency() as f64 / rate * 1000.0)
            }
        };
        Self {
            patch: [&patch.name, &patch.category, &patch.description].map(String::clone),
            device,
            connected: device_manager.is_connected(),
            latency_ms,
            meters: session.monitor().meters(),
            bands: *session.monitor().bands(),
            figures: Figures {
                renderer: session.renderer_report().using.to_uppercase(),
                voices: status.engine.voices,
                partials: status.engine.partials,
                fill: status.fill,
                depth: status.depth,
                underruns: status.underruns,
                xruns: device_manager.xruns(),
                cpu: session.usage().cpu,
            },
            render_time: status.render_time,
            macros: std::array::from_fn(|index| Macro {
                name: patch.macro_names[index].clone(),
                value: session.macros()[index],
                controller: session.controller_of(MACRO_PARAMS[index]),
            }),
            selected: view.selected,
            learning: session.learning().is_some(),
            keys: *session.keys(),
            lowest: view.keyboard.lowest(),
            velocity: view.keyboard.velocity(),
            pedal: view.keyboard.pedal(),
            song: session.song(),
            recording: session.recording().is_some(),
            news: view.news.as_ref().map(|(_, text)| text.clone()),
            browser: view.browser.as_ref().map(super::Browser::view),
            help: view.help,
        }
    }
}
