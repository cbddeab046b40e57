//! Myriad as a VST3 and CLAP instrument.
//!
//! [`params`] are the host's parameters, made from the engine's table; [`state`] is what a project
//! saves; [`shared`] is the state that all threads of an instance share; [`player`] is the audio
//! thread. The editor uses [`params::MyriadParams`] and [`shared::Shared`] only.

pub mod clap;
pub mod controllers;
pub mod meters;
pub mod params;
pub mod player;
pub mod shared;
pub mod state;
pub mod synth;
pub mod vst3;

mod background;
mod editor;
mod events;
mod macro_names;
mod new_instance;
mod notes;
mod outputs;
mod settings;
mod transport;

pub use clap::clap_entry;
use editor::MyriadEditor;
use nice_plug::prelude::*;
use params::MyriadParams;
use player::Player;
use std::sync::Arc;
use synth::SynthConfig;

// The entry of the Audio Unit, which plays the CLAP plugin of this library.
#[cfg(all(target_os = "macos", feature = "audio-unit"))]
clap_wrapper::export_auv2!();

/// Tasks of the audio thread that other threads run.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// Reports knobs that a MIDI controller has moved to the host.
    NotifyHost,
    /// Makes the host read the names of the macros again.
    RenameMacros,
}

/// The highest sample rate of the engine. Validators ask for more; at such a rate an instance plays, but
/// too high.
const MAX_SAMPLE_RATE: f32 = 768_000.0;

/// One instance of the instrument.
pub struct Myriad {
    params: Arc<MyriadParams>,
    player: Player,
}

impl Default for Myriad {
    /// Hosts also make instances only to scan them, so this is fast.
    fn default() -> Self {
        let params = Arc::new(MyriadParams::new());
        Self { player: Player::new(params.clone()), params }
    }
}

impl Plugin for Myriad {
    const NAME: &'static str = "Myriad";
    const VENDOR: &'static str = "Myriad";
    const URL: &'static str = "";
    const EMAIL: &'static str = "";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    /// The main output alone, and with the others; see [`outputs`].
    const AUDIO_IO_LAYOUTS: &'static [AudioIOLayout] =
        &[outputs::MAIN_OUTPUT, outputs::ALL_OUTPUTS];
    /// VST3 hosts send wheels and pedals as hidden parameters only; see [`vst3`].
    const MIDI_INPUT: MidiConfig = MidiConfig::MidiCCs;
    const SAMPLE_ACCURATE_AUTOMATION: bool = true;
    const INPUT_EVENT_CAPACITY: usize = player::MAX_EVENTS;

    type Editor = MyriadEditor;
    type SysExMessage = ();
    type BackgroundTask = Task;

    fn task_executor(&mut self) -> TaskExecutor<Self> {
        let params = self.params.clone();
        Box::new(move |task| match task {
            Task::NotifyHost => params.notify_host(),
            Task::RenameMacros => params.shared.macro_names.tell_host(),
        })
    }

    fn editor(&mut self, executor: AsyncExecutor<Self>) -> Option<MyriadEditor> {
        let names = &self.params.shared.macro_names;
        names.set_request(move || executor.execute_gui(Task::RenameMacros));
        Some(MyriadEditor::new(self.params.clone()))
    }

    fn params(&self) -> Arc<dyn Params> {
        self.params.clone()
    }

    fn filter_state(state: &mut PluginState) {
        state::sanitise(state);
    }

    fn activate(
        &mut self,
        layout: &AudioIOLayout,
        config: &BufferConfig,
        context: &mut impl ActivateContext<Self>,
    ) -> bool {
        let synth_config = SynthConfig {
            sample_rate: config.sample_rate.min(MAX_SAMPLE_RATE),
            max_block: config.max_buffer_size as usize,
            offline: config.process_mode == ProcessMode::Offline,
            render_target: self.params.shared.render_target(),
            outputs: outputs::open(layout),
        };
        let Some(latency) = self.player.prepare(&synth_config) else {
            return false;
        };
        context.set_latency_samples(latency);
        context.set_current_voice_capacity(self.player.voice_capacity());
        true
    }

    fn deactivate(&mut self) {
        self.player.deactivate();
    }

    fn reset(&mut self) {
        self.player.reset();
    }

    fn process(
        &mut self,
        buffer: &mut Buffer,
        aux: &mut AuxiliaryBuffers,
        context: &mut impl ProcessContext<Self>,
    ) -> ProcessStatus {
        match buffer.as_slice() {
            [left, right] => {
                let status = self.player.process(left, right, context);
                self.player.fill_outputs(aux.outputs);
                status
            }
            _ => ProcessStatus::Error("Myriad has two outputs"),
        }
    }
}

impl ClapPlugin for Myriad {
    const CLAP_ID: &'static str = "org.myriad.myriad";
    const CLAP_DESCRIPTION: Option<&'static str> =
        Some("A synthesizer in which every sound is a cloud of partials");
    const CLAP_MANUAL_URL: Option<&'static str> = None;
    const CLAP_SUPPORT_URL: Option<&'static str> = None;
    const CLAP_FEATURES: &'static [ClapFeature] =
        &[ClapFeature::Instrument, ClapFeature::Synthesizer, ClapFeature::Stereo];
    const CLAP_POLY_MODULATION_CONFIG: Option<PolyModulationConfig> = Some(PolyModulationConfig {
        max_voice_capacity: synth::VOICES as u32,
        // Voices are identified by their key.
        supports_overlapping_voices: false,
    });

    fn remote_controls(&self, context: &mut impl RemoteControlsContext) {
        self.params.remote_controls(context);
    }
}

impl Vst3Plugin for Myriad {
    const VST3_CLASS_ID: [u8; 16] = *b"MyriadPartials01";
    const VST3_SUBCATEGORIES: &'static [Vst3SubCategory] =
        &[Vst3SubCategory::Instrument, Vst3SubCategory::Synth];
}
