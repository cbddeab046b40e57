//! The CLAP extension by which a host lists parameters: nice-plug's, with macros named as the patch does.

use super::Instance;
use crate::macro_names::MacroNames;
use clap_sys::ext::params::*;
use clap_sys::host::clap_host;
use clap_sys::plugin::clap_plugin;
use std::ffi::{c_char, c_void};
use std::ptr::{from_ref, null};
use std::sync::{Arc, OnceLock};

/// The extension of one instance.
#[derive(Default)]
pub(super) struct Extension(OnceLock<Both>);

struct Both {
    original: clap_plugin_params,
    /// Its functions but for one.
    ours: clap_plugin_params,
}

impl Extension {
    /// What the host gets instead of nice-plug's extension.
    pub(super) fn instead_of(&self, original: Option<&clap_plugin_params>) -> *const c_void {
        let Some(&original) = original else {
            return null();
        };
        let ours = clap_plugin_params { get_info: Some(get_info), ..original };
        from_ref(&self.0.get_or_init(|| Both { original, ours }).ours).cast()
    }
}

unsafe extern "C" fn get_info(
    plugin: *const clap_plugin,
    index: u32,
    info: *mut clap_param_info,
) -> bool {
    // SAFETY: the host gives its instance.
    let Some(instance) = (unsafe { Instance::of(plugin) }) else {
        return false;
    };
    let original = instance.params.0.get().and_then(|both| both.original.get_info);
    // SAFETY: the host promises what nice-plug asks for.
    if !original.is_some_and(|get_info| unsafe { get_info(plugin, index, info) }) {
        return false;
    }
    if let Some(name) = instance.shared.macro_names.of(index as usize) {
        // SAFETY: nice-plug has written to it.
        put_text(unsafe { &mut (*info).name }, &name);
    }
    true
}

/// Writes a text and the zero that ends it, as much of it as fits.
fn put_text(to: &mut [c_char], text: &str) {
    let whole = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let end = whole.take_while(|&end| end < to.len()).last().unwrap_or(0);
    for (to, &from) in to.iter_mut().zip(&text.as_bytes()[..end]) {
        *to = from as c_char;
    }
    to[end] = 0;
}

/// Makes the host read names again when they change.
pub(super) fn tell_of_names(names: &MacroNames, host: *const clap_host) {
    struct Host(*const clap_host);
    // SAFETY: it is used on the host's main thread only, and not after the instance is destroyed.
    unsafe impl Send for Host {}
    // SAFETY: as above.
    unsafe impl Sync for Host {}
    impl Host {
        fn rescan(&self) {
            // SAFETY: it is valid while the instance lives; the extension has this type.
            unsafe {
                let Some(get) = (*self.0).get_extension else { return };
                let params = get(self.0, CLAP_EXT_PARAMS.as_ptr()).cast::<clap_host_params>();
                if let Some(rescan) = params.as_ref().and_then(|params| params.rescan) {
                    rescan(self.0, CLAP_PARAM_RESCAN_INFO);
                }
            }
        }
    }
    let host = Host(host);
    names.set_host(Some(Arc::new(move || host.rescan())));
}
