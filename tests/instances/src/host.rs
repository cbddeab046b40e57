//! The host's side of CLAP: loads the plugin, makes instances with a state, and reads their status.

use crate::Renderer;
use clack_extensions::preset_discovery::PluginPresetLoad;
use clack_extensions::preset_discovery::preset_data::Location;
use clack_extensions::state::PluginState;
use clack_host::extensions::prelude::{Extension, PluginExtensionSide, RawExtension};
use clack_host::prelude::*;
use clack_host::stream::OutputStream;
use clap_sys::plugin::clap_plugin;
use clap_sys::stream::clap_ostream;
use myriad_engine::Patch;
use serde::Deserialize;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

/// The id of the plugin.
const ID: &CStr = c"org.myriad.myriad";

/// Why instances could not be measured.
#[derive(Debug, Error)]
pub(crate) enum HostingError {
    #[error("the plugin cannot be loaded: {0}")]
    Load(String),
    #[error("the patch cannot be given to the plugin: {0}")]
    Patch(std::io::Error),
    #[error("an instance cannot be made: {0}")]
    Instance(String),
    #[error("an instance does not take its {0}")]
    Refused(&'static str),
    #[error("an instance has no extension {0}; is this another version of the plugin?")]
    NoExtension(&'static str),
    #[error("the status of an instance cannot be read: {0}")]
    Status(String),
    #[error("an instance does not play: {0}")]
    Process(String),
}

/// What instances ask of the host, from any thread.
pub(crate) struct Requests {
    callback: AtomicBool,
}

impl SharedHandler<'_> for Requests {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {
        self.callback.store(true, Relaxed);
    }
}

pub(crate) struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Requests;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

/// The loaded plugin, and what every instance of it gets.
pub(crate) struct Plugin {
    entry: PluginEntry,
    info: HostInfo,
    /// The patch as a file, because hosts load patches from files.
    patch: tempfile::NamedTempFile,
    renderer: Renderer,
}

impl Plugin {
    pub(crate) fn load(
        path: &Path,
        patch: &Patch,
        renderer: Renderer,
    ) -> Result<Self, HostingError> {
        // A name without a folder would be looked for among the libraries of the system.
        let path = std::path::absolute(path);
        let path = path.map_err(|error| HostingError::Load(error.to_string()))?;
        // SAFETY: the user asks for this file, and a plugin may do anything.
        let entry = unsafe { PluginEntry::load(path) };
        let entry = entry.map_err(|error| HostingError::Load(error.to_string()))?;
        let info = HostInfo::new("plugin-instances", "Myriad", "", env!("CARGO_PKG_VERSION"));
        let info = info.map_err(|error| HostingError::Load(error.to_string()))?;
        let file = tempfile::Builder::new().suffix(".toml").tempfile();
        let mut file = file.map_err(HostingError::Patch)?;
        file.write_all(patch.to_toml().as_bytes()).map_err(HostingError::Patch)?;
        Ok(Self { entry, info, patch: file, renderer })
    }

    /// An instance with the patch and the renderer; it is not activated.
    pub(crate) fn instance(&self) -> Result<Instance, HostingError> {
        let requests = |&(): &()| Requests { callback: false.into() };
        let instance = PluginInstance::<Host>::new(requests, |_| (), &self.entry, ID, &self.info);
        let plugin = instance.map_err(|error| HostingError::Instance(error.to_string()))?;
        let mut instance = Instance { plugin };
        instance.load_patch(self.patch.path())?;
        instance.choose(self.renderer)?;
        Ok(instance)
    }
}

/// An instance, on the main thread.
pub(crate) struct Instance {
    plugin: PluginInstance<Host>,
}

impl Instance {
    fn load_patch(&mut self, path: &Path) -> Result<(), HostingError> {
        let path = CString::new(path.as_os_str().as_encoded_bytes());
        let path = path.map_err(|_| HostingError::Refused("patch"))?;
        let preset_load: PluginPresetLoad = self.extension("clap.preset-load")?;
        let location = Location::File { path: &path };
        let loaded = preset_load.load_from_location(&self.plugin.plugin_handle(), location, None);
        loaded.map_err(|_| HostingError::Refused("patch"))
    }

    /// Chooses the renderer, as a project does: it is a field of the saved state, which is JSON behind its length.
    fn choose(&mut self, renderer: Renderer) -> Result<(), HostingError> {
        const REFUSED: HostingError = HostingError::Refused("state");
        const LENGTH: usize = size_of::<u64>();
        let state: PluginState = self.extension("clap.state")?;
        let mut saved = Vec::new();
        state.save(&self.plugin.plugin_handle(), &mut saved).map_err(|_| REFUSED)?;
        let json = saved.get(LENGTH..).ok_or(REFUSED)?;
        let mut project: serde_json::Value = serde_json::from_slice(json).map_err(|_| REFUSED)?;
        let fields = project.get_mut("fields").and_then(|fields| fields.as_object_mut());
        fields.ok_or(REFUSED)?.insert("renderer".into(), renderer.word().into());
        let json = project.to_string();
        let chosen = [&(json.len() as u64).to_le_bytes(), json.as_bytes()].concat();
        state.load(&self.plugin.plugin_handle(), &mut &*chosen).map_err(|_| REFUSED)
    }

    fn extension<E: Extension<ExtensionSide = PluginExtensionSide>>(
        &mut self,
        name: &'static str,
    ) -> Result<E, HostingError> {
        self.plugin.plugin_handle().get_extension().ok_or(HostingError::NoExtension(name))
    }

    /// Prepares it to play blocks of up to `block` frames. With a GPU this takes seconds.
    pub(crate) fn activate(
        &mut self,
        sample_rate: f64,
        block: u32,
    ) -> Result<StoppedPluginAudioProcessor<Host>, HostingError> {
        let config = PluginAudioConfiguration {
            sample_rate,
            min_frames_count: block,
            max_frames_count: block,
        };
        let activated = self.plugin.activate(|_, _| (), config);
        activated.map_err(|error| HostingError::Instance(error.to_string()))
    }

    pub(crate) fn deactivate(&mut self, processor: StoppedPluginAudioProcessor<Host>) {
        self.plugin.deactivate(processor);
    }

    /// Runs the callback on the main thread that the instance has asked for.
    pub(crate) fn idle(&mut self) {
        if self.plugin.access_shared_handler(|requests| requests.callback.swap(false, Relaxed)) {
            self.plugin.call_on_main_thread_callback();
        }
    }

    pub(crate) fn status(&mut self) -> Result<Status, HostingError> {
        let extension: PluginStatus = self.extension("org.myriad.status/1")?;
        let mut json = Vec::new();
        if !extension.write(&self.plugin.plugin_handle(), &mut json) {
            return Err(HostingError::Status("it was not written".to_owned()));
        }
        serde_json::from_slice(&json).map_err(|error| HostingError::Status(error.to_string()))
    }
}

/// The functions of the plugin's own extension, as `plugin/src/clap/status.rs` has them.
#[derive(Clone, Copy)]
#[repr(C)]
struct StatusFunctions {
    write: Option<unsafe extern "C" fn(*const clap_plugin, *const clap_ostream) -> bool>,
}

/// The plugin's own extension, which says how well an instance renders.
#[derive(Clone, Copy)]
struct PluginStatus(RawExtension<PluginExtensionSide, StatusFunctions>);

// SAFETY: the plugin's extension of this name has these functions.
unsafe impl Extension for PluginStatus {
    const IDENTIFIERS: &[&CStr] = &[c"org.myriad.status/1"];
    type ExtensionSide = PluginExtensionSide;

    unsafe fn from_raw(raw: RawExtension<PluginExtensionSide>) -> Self {
        // SAFETY: the caller promises that the pointer is that of the name.
        Self(unsafe { raw.cast() })
    }
}

impl PluginStatus {
    /// Whether the plugin has written its status.
    fn write(self, plugin: &PluginMainThreadHandle, to: &mut Vec<u8>) -> bool {
        let mut stream = OutputStream::from_writer(to);
        let Some(write) = plugin.use_extension(&self.0).write else {
            return false;
        };
        // SAFETY: the instance and the stream live for the call, and this is the main thread.
        unsafe { write(plugin.as_raw_ptr(), stream.as_raw_mut()) }
    }
}

/// What the extension says; `plugin/src/clap/status.rs` explains the fields.
#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    pub(crate) renderer: String,
    pub(crate) why: String,
    pub(crate) stands_in: bool,
    pub(crate) losses: u64,
    pub(crate) voices: usize,
    pub(crate) partials: usize,
    pub(crate) render_thread: Option<RenderThread>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RenderThread {
    pub(crate) raised_priority: bool,
    pub(crate) render_time: Vec<(usize, u64)>,
    pub(crate) underruns: u64,
    pub(crate) ended_underruns: Vec<Underrun>,
}

/// An underrun that has ended.
#[derive(Clone, Debug, Deserialize, serde::Serialize)]
pub(crate) struct Underrun {
    pub(crate) seconds: f64,
    pub(crate) frames: u64,
    pub(crate) cause: String,
    pub(crate) is_the_machines: bool,
}
