//! The CLAP extension by which a host loads a patch into an instance.

use super::{Instance, c_string, preset_discovery, text};
use crate::state;
use clap_sys::ext::preset_load::*;
use clap_sys::factory::preset_discovery::clap_preset_discovery_location_kind;
use clap_sys::plugin::clap_plugin;
use std::ffi::{CStr, c_char, c_void};

static EXTENSION: clap_plugin_preset_load =
    clap_plugin_preset_load { from_location: Some(from_location) };

/// The extension, if `id` is its name.
pub(super) fn extension(id: &CStr) -> Option<*const c_void> {
    let known = id == CLAP_EXT_PRESET_LOAD || id == CLAP_EXT_PRESET_LOAD_COMPAT;
    known.then_some((&raw const EXTENSION).cast())
}

/// Loads a patch, on the host's main thread; the host is told what became of it. What plays stays if the
/// patch cannot be read.
unsafe extern "C" fn from_location(
    plugin: *const clap_plugin,
    kind: clap_preset_discovery_location_kind,
    location: *const c_char,
    load_key: *const c_char,
) -> bool {
    // SAFETY: the host gives its instance.
    let Some(instance) = (unsafe { Instance::of(plugin) }) else {
        return false;
    };
    // SAFETY: the host gives strings or null.
    let (place, key) = unsafe { (text(location), text(load_key)) };
    let loaded = preset_discovery::patch(kind, place, key).and_then(|patch| {
        let mut state = instance.wrapper().get_state_object();
        state::put_patch(&mut state, &patch);
        match instance.wrapper().set_state_inner(&mut state) {
            true => Ok(()),
            false => Err(format!("{} could not be loaded", patch.name)),
        }
    });
    // SAFETY: the names are those of this type.
    let host = unsafe {
        let current = instance.host_extension::<clap_host_preset_load>(CLAP_EXT_PRESET_LOAD);
        current.or_else(|| instance.host_extension(CLAP_EXT_PRESET_LOAD_COMPAT))
    };
    let Some(host) = host else {
        return loaded.is_ok();
    };
    match &loaded {
        Ok(()) => {
            if let Some(tell) = host.loaded {
                // SAFETY: the host gave these pointers.
                unsafe { tell(instance.host, kind, location, load_key) };
            }
        }
        Err(problem) => {
            if let Some(tell) = host.on_error {
                // No error of the operating system is known by its number here.
                let (os_error, message) = (0, c_string(problem));
                // SAFETY: as above; the message lives for the call.
                unsafe {
                    tell(instance.host, kind, location, load_key, os_error, message.as_ptr())
                };
            }
        }
    }
    loaded.is_ok()
}
