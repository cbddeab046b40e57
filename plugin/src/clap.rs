//! What a CLAP host looks for in the library: the entry, the factory that makes instances, and the one that
//! lists patches.
//!
//! As nice-plug's macro `nice_export_clap` writes it, with what nice-plug 0.4.2 lacks: preset discovery
//! ([`preset_discovery`]), preset loading ([`preset_load`]), and macros named as the patch does ([`params`]); and an
//! extension of our own, by which a host reads how well an instance renders ([`status`]).

mod params;
mod preset_discovery;
mod preset_load;
pub mod status;

use crate::Myriad;
use crate::new_instance;
use crate::shared::Shared;
use clap_sys::entry::clap_plugin_entry;
use clap_sys::ext::params::{CLAP_EXT_PARAMS, clap_plugin_params};
use clap_sys::factory::plugin_factory::{CLAP_PLUGIN_FACTORY_ID, clap_plugin_factory};
use clap_sys::factory::preset_discovery::{
    CLAP_PRESET_DISCOVERY_FACTORY_ID, CLAP_PRESET_DISCOVERY_FACTORY_ID_COMPAT,
};
use clap_sys::host::clap_host;
use clap_sys::plugin::{clap_plugin, clap_plugin_descriptor};
use clap_sys::version::{CLAP_VERSION, clap_version_is_compatible};
use nice_plug::wrapper::clap::{PluginDescriptor, Wrapper};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null;
use std::sync::{Arc, OnceLock};

/// The entry of this library.
#[allow(non_upper_case_globals, reason = "the name is that of the standard")]
#[unsafe(no_mangle)]
#[used]
pub static clap_entry: clap_plugin_entry = clap_plugin_entry {
    clap_version: CLAP_VERSION,
    init: Some(init),
    deinit: Some(deinit),
    get_factory: Some(get_factory),
};

unsafe extern "C" fn init(_path: *const c_char) -> bool {
    nice_plug::wrapper::setup_logger::<Myriad>();
    true
}

unsafe extern "C" fn deinit() {}

unsafe extern "C" fn get_factory(id: *const c_char) -> *const c_void {
    // SAFETY: the host gives a string or null.
    match unsafe { text(id) } {
        Some(id) if id == CLAP_PLUGIN_FACTORY_ID => (&raw const PLUGIN_FACTORY).cast(),
        Some(id)
            if id == CLAP_PRESET_DISCOVERY_FACTORY_ID
                || id == CLAP_PRESET_DISCOVERY_FACTORY_ID_COMPAT =>
        {
            (&raw const preset_discovery::FACTORY).cast()
        }
        _ => null(),
    }
}

static PLUGIN_FACTORY: clap_plugin_factory = clap_plugin_factory {
    get_plugin_count: Some(get_plugin_count),
    get_plugin_descriptor: Some(get_plugin_descriptor),
    create_plugin: Some(create_plugin),
};

fn descriptor() -> &'static PluginDescriptor {
    static DESCRIPTOR: OnceLock<PluginDescriptor> = OnceLock::new();
    DESCRIPTOR.get_or_init(PluginDescriptor::for_plugin::<Myriad>)
}

unsafe extern "C" fn get_plugin_count(_factory: *const clap_plugin_factory) -> u32 {
    1
}

unsafe extern "C" fn get_plugin_descriptor(
    _factory: *const clap_plugin_factory,
    index: u32,
) -> *const clap_plugin_descriptor {
    match index {
        0 => descriptor().clap_plugin_descriptor(),
        _ => null(),
    }
}

unsafe extern "C" fn create_plugin(
    _factory: *const clap_plugin_factory,
    host: *const clap_host,
    id: *const c_char,
) -> *const clap_plugin {
    // SAFETY: the host gives a string or null.
    let id = unsafe { text(id) };
    // SAFETY: a host that is not null is valid for as long as the instance.
    let compatible = !host.is_null() && clap_version_is_compatible(unsafe { (*host).clap_version });
    match compatible && id == Some(descriptor().clap_id()) {
        // SAFETY: as above.
        true => unsafe { Instance::create(host) },
        false => null(),
    }
}

/// An instance of nice-plug with more extensions. The host gets a pointer to `plugin`, whose functions
/// are those of nice-plug but for two.
#[repr(C)]
struct Instance {
    plugin: clap_plugin,
    /// The same as nice-plug has it.
    original: clap_plugin,
    host: *const clap_host,
    shared: Arc<Shared>,
    params: params::Extension,
}

impl Instance {
    /// Makes an instance; [`destroy`] ends it.
    ///
    /// # Safety
    /// `host` is valid until then.
    unsafe fn create(host: *const clap_host) -> *const clap_plugin {
        // SAFETY: the caller promises it. The count of the `Arc` goes down in nice-plug's `destroy`.
        let (wrapper, shared) = new_instance::make(|| unsafe { Wrapper::<Myriad>::new(host) });
        let wrapper = Arc::into_raw(wrapper);
        // SAFETY: the `Arc` was not dropped.
        let original = *unsafe { &*wrapper }.clap_plugin.borrow();
        let plugin =
            clap_plugin { get_extension: Some(get_extension), destroy: Some(destroy), ..original };
        params::tell_of_names(&shared.macro_names, host);
        let params = params::Extension::default();
        Box::into_raw(Box::new(Self { plugin, original, host, shared, params })).cast()
    }

    /// The instance that a host means.
    ///
    /// # Safety
    /// `plugin` is null or was made by [`Instance::create`] and not destroyed since.
    unsafe fn of<'a>(plugin: *const clap_plugin) -> Option<&'a Self> {
        // SAFETY: `plugin` is the first field.
        unsafe { plugin.cast::<Self>().as_ref() }
    }

    /// nice-plug's side of it.
    fn wrapper(&self) -> &Wrapper<Myriad> {
        // SAFETY: it lives until `destroy`.
        unsafe { &*self.original.plugin_data.cast::<Wrapper<Myriad>>() }
    }

    /// An extension of the host.
    ///
    /// # Safety
    /// `T` is the type of the extension. Not before the host has called `init`.
    unsafe fn host_extension<T>(&self, id: &CStr) -> Option<&T> {
        // SAFETY: the host lives as long as the instance.
        let get = unsafe { (*self.host).get_extension }?;
        // SAFETY: as above; the caller promises the type.
        unsafe { get(self.host, id.as_ptr()).cast::<T>().as_ref() }
    }
}

unsafe extern "C" fn get_extension(plugin: *const clap_plugin, id: *const c_char) -> *const c_void {
    // SAFETY: the host gives its instance, and a string or null.
    let (Some(instance), Some(name)) = (unsafe { Instance::of(plugin) }, unsafe { text(id) })
    else {
        return null();
    };
    if let Some(extension) = preset_load::extension(name).or_else(|| status::extension(name)) {
        return extension;
    }
    let original = match instance.original.get_extension {
        // SAFETY: nice-plug finds itself by `plugin_data`, which is the same.
        Some(get) => unsafe { get(plugin, id) },
        None => null(),
    };
    if name != CLAP_EXT_PARAMS {
        return original;
    }
    // SAFETY: the name is that of this type.
    let params = unsafe { original.cast::<clap_plugin_params>().as_ref() };
    instance.params.instead_of(params)
}

unsafe extern "C" fn destroy(plugin: *const clap_plugin) {
    if plugin.is_null() {
        return;
    }
    // SAFETY: the host destroys an instance once, and does not use it any more.
    let instance = unsafe { Box::from_raw(plugin.cast_mut().cast::<Instance>()) };
    instance.shared.macro_names.set_host(None);
    if let Some(destroy) = instance.original.destroy {
        // SAFETY: as above.
        unsafe { destroy(&raw const instance.plugin) };
    }
}

/// A string of the host.
///
/// # Safety
/// It is null or ends with a zero, and lives as long as it is used.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: it is not null, and the caller promises the rest.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// A string for the host, without zeros, which would end it.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}
