//! The names of the macros, which hosts and control surfaces show for the first eight parameters.
//!
//! They belong to the patch. nice-plug has one name for a parameter and never changes it, so `vst3.rs` and `clap.rs`
//! put these in its place, and tell the host when another patch has others.

use myriad_engine::patch::MACROS;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// The names of the macros of one instance.
#[derive(Default)]
pub(crate) struct MacroNames {
    /// Empty for macros without a name.
    names: Mutex<[String; MACROS]>,
    /// Leads to a call of [`MacroNames::tell_host`] on the host's main thread.
    request: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Makes the host read the names again.
    host: Mutex<Option<Arc<dyn Fn() + Send + Sync>>>,
}

impl MacroNames {
    /// The name of a parameter of the host, if it is a macro that has one.
    pub(crate) fn of(&self, index: usize) -> Option<String> {
        let names = self.names.lock();
        names.get(index).filter(|name| !name.is_empty()).cloned()
    }

    /// Sets the names of another patch. Not for the audio thread.
    pub(crate) fn set(&self, new: &[String; MACROS]) {
        let changed = {
            let mut names = self.names.lock();
            let changed = *names != *new;
            names.clone_from(new);
            changed
        };
        if let Some(request) = self.request.get().filter(|_| changed) {
            request();
        }
    }

    /// Sets how a call of [`MacroNames::tell_host`] is requested, once.
    pub(crate) fn set_request(&self, request: impl Fn() + Send + Sync + 'static) {
        // An instance has one editor, which is made once.
        let _ = self.request.set(Box::new(request));
    }

    /// Sets what makes the host read the names again.
    pub(crate) fn set_host(&self, host: Option<Arc<dyn Fn() + Send + Sync>>) {
        *self.host.lock() = host;
    }

    /// Makes the host read the names again. For its main thread.
    pub(crate) fn tell_host(&self) {
        // Not locked during the call, in which the host may ask for names.
        let host = self.host.lock().clone();
        if let Some(host) = host {
            host();
        }
    }
}
