//! The CLAP factory by which a host lists patches in its own browser, without an instance.
//!
//! Factory patches are inside the plugin, each known by its name (the load key). The user's own are files in a
//! folder, which the host looks through by itself; it asks for what it finds.

use super::{c_string, text};
use crate::Myriad;
use clap_sys::factory::preset_discovery::*;
use clap_sys::timestamp::{CLAP_TIMESTAMP_UNKNOWN, clap_timestamp};
use clap_sys::universal_plugin_id::clap_universal_plugin_id;
use clap_sys::version::CLAP_VERSION;
use myriad_engine::{Patch, factory};
use myriad_library::{self as library, Entry, Library};
use nice_plug::prelude::ClapPlugin;
use std::cell::OnceCell;
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::time::UNIX_EPOCH;

const PROVIDER_ID: &CStr = c"org.myriad.myriad.patches";

pub(super) static FACTORY: clap_preset_discovery_factory = clap_preset_discovery_factory {
    count: Some(count),
    get_descriptor: Some(get_descriptor),
    create: Some(create),
};

static DESCRIPTOR: clap_preset_discovery_provider_descriptor =
    clap_preset_discovery_provider_descriptor {
        clap_version: CLAP_VERSION,
        id: PROVIDER_ID.as_ptr(),
        name: c"Myriad patches".as_ptr(),
        vendor: c"Myriad".as_ptr(),
    };

unsafe extern "C" fn count(_factory: *const clap_preset_discovery_factory) -> u32 {
    1
}

unsafe extern "C" fn get_descriptor(
    _factory: *const clap_preset_discovery_factory,
    index: u32,
) -> *const clap_preset_discovery_provider_descriptor {
    match index {
        0 => &raw const DESCRIPTOR,
        _ => null(),
    }
}

/// Lists patches to one indexer of a host. The host gets a pointer to `provider`.
#[repr(C)]
struct Provider {
    provider: clap_preset_discovery_provider,
    indexer: *const clap_preset_discovery_indexer,
    /// Knows the favourites; opened when the first patch is asked for.
    library: OnceCell<Library>,
}

unsafe extern "C" fn create(
    _factory: *const clap_preset_discovery_factory,
    indexer: *const clap_preset_discovery_indexer,
    id: *const c_char,
) -> *const clap_preset_discovery_provider {
    // SAFETY: the host gives a string or null.
    if indexer.is_null() || unsafe { text(id) } != Some(PROVIDER_ID) {
        return null();
    }
    let provider = clap_preset_discovery_provider {
        desc: &raw const DESCRIPTOR,
        provider_data: std::ptr::null_mut(),
        init: Some(init),
        destroy: Some(destroy),
        get_metadata: Some(get_metadata),
        get_extension: Some(get_extension),
    };
    Box::into_raw(Box::new(Provider { provider, indexer, library: OnceCell::new() })).cast()
}

unsafe extern "C" fn destroy(provider: *const clap_preset_discovery_provider) {
    if !provider.is_null() {
        // SAFETY: it is the first field of what `create` made, and destroyed once.
        drop(unsafe { Box::from_raw(provider.cast_mut().cast::<Provider>()) });
    }
}

unsafe extern "C" fn get_extension(
    _provider: *const clap_preset_discovery_provider,
    _id: *const c_char,
) -> *const c_void {
    null()
}

/// Says which files are patches, and where patches are.
unsafe extern "C" fn init(provider: *const clap_preset_discovery_provider) -> bool {
    // SAFETY: it is null or the first field of what `create` made.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else {
        return false;
    };
    // SAFETY: the indexer lives as long as its provider.
    let Some(indexer) = (unsafe { provider.indexer.as_ref() }) else {
        return false;
    };
    let (Some(declare_filetype), Some(declare_location)) =
        (indexer.declare_filetype, indexer.declare_location)
    else {
        return false;
    };
    let filetype = clap_preset_discovery_filetype {
        name: c"Myriad patch".as_ptr(),
        description: c"A sound of Myriad, as text".as_ptr(),
        file_extension: c"toml".as_ptr(),
    };
    // SAFETY: the indexer lives, and the strings live for the calls.
    let mut accepted = unsafe { declare_filetype(indexer, &raw const filetype) };
    for Location { flags, name, folder } in locations(Library::user_folder()) {
        let folder = folder.map(|folder| c_string(&folder.to_string_lossy()));
        let location = clap_preset_discovery_location {
            flags,
            name: name.as_ptr(),
            kind: match folder {
                None => CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN,
                Some(_) => CLAP_PRESET_DISCOVERY_LOCATION_FILE,
            },
            location: folder.as_ref().map_or(null(), |folder| folder.as_ptr()),
        };
        // SAFETY: as above.
        accepted &= unsafe { declare_location(indexer, &raw const location) };
    }
    accepted
}

/// A place with patches.
#[derive(Debug, PartialEq)]
struct Location {
    flags: u32,
    name: &'static CStr,
    /// None for what is in the plugin itself.
    folder: Option<PathBuf>,
}

/// All places: the plugin, and the user's folder once something was saved there.
fn locations(folder: Option<PathBuf>) -> Vec<Location> {
    let factory = Location {
        flags: CLAP_PRESET_DISCOVERY_IS_FACTORY_CONTENT,
        name: c"Factory patches",
        folder: None,
    };
    let own = folder.filter(|folder| folder.is_dir()).map(|folder| Location {
        flags: CLAP_PRESET_DISCOVERY_IS_USER_CONTENT,
        name: c"Your patches",
        folder: Some(folder),
    });
    std::iter::once(factory).chain(own).collect()
}

/// The patch that a host means by a location and a load key.
pub(super) fn patch(
    kind: clap_preset_discovery_location_kind,
    location: Option<&CStr>,
    key: Option<&CStr>,
) -> Result<Patch, String> {
    match (kind, location, key) {
        (CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN, _, Some(key)) => {
            let name = key.to_string_lossy();
            library::named(&name).ok_or_else(|| format!("no factory patch is called '{name}'"))
        }
        (CLAP_PRESET_DISCOVERY_LOCATION_FILE, Some(file), _) => {
            let file = PathBuf::from(file.to_string_lossy().as_ref());
            library::load(&file).map_err(|error| error.to_string())
        }
        _ => Err("a patch needs the name of a factory patch, or a file".to_owned()),
    }
}

/// Describes the patches of a location: all of the plugin's own, or the one of a file.
unsafe extern "C" fn get_metadata(
    provider: *const clap_preset_discovery_provider,
    kind: clap_preset_discovery_location_kind,
    location: *const c_char,
    receiver: *const clap_preset_discovery_metadata_receiver,
) -> bool {
    // SAFETY: the host gives what `create` made, a receiver, and a string or null.
    let (provider, receiver, place) =
        unsafe { (provider.cast::<Provider>().as_ref(), receiver.as_ref(), text(location)) };
    let (Some(provider), Some(receiver)) = (provider, receiver) else {
        return false;
    };
    let library = provider.library.get_or_init(|| Library::open(Library::user_folder()));
    if kind == CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN {
        let mut entries = factory::patches().iter().map(Entry::factory);
        return entries.all(|entry| describe(receiver, &entry, library).is_some());
    }
    let file = place.map(|place| PathBuf::from(place.to_string_lossy().as_ref()));
    // The host looks through the wastebasket too, which is a folder among the others.
    if file.as_deref().is_some_and(library::is_deleted) {
        return true;
    }
    match patch(kind, place, None) {
        Ok(patch) => {
            let known = library.entries().iter().find(|entry| entry.file == file);
            let folder = known.map(|entry| entry.folder.clone()).unwrap_or_default();
            describe(receiver, &Entry { patch, file, folder }, library).is_some()
        }
        Err(problem) => {
            if let Some(on_error) = receiver.on_error {
                let message = c_string(&problem);
                // SAFETY: the receiver lives, and the message for the call.
                unsafe { on_error(receiver, 0, message.as_ptr()) };
            }
            false
        }
    }
}

/// Tells the host of one patch. None if it wants no more.
fn describe(
    receiver: &clap_preset_discovery_metadata_receiver,
    entry: &Entry,
    library: &Library,
) -> Option<()> {
    let patch = &entry.patch;
    let say = |tell: Option<unsafe extern "C" fn(*const _, *const c_char)>, text: &str| {
        if let (Some(tell), false) = (tell, text.is_empty()) {
            let text = c_string(text);
            // SAFETY: the receiver lives, and the text for the call.
            unsafe { tell(receiver, text.as_ptr()) };
        }
    };
    let name = c_string(&patch.name);
    let key = match entry.file {
        Some(_) => null(),
        None => name.as_ptr(),
    };
    // SAFETY: as above.
    if !unsafe { receiver.begin_preset?(receiver, name.as_ptr(), key) } {
        return None;
    }
    if let Some(add_plugin_id) = receiver.add_plugin_id {
        let id = c_string(Myriad::CLAP_ID);
        let id = clap_universal_plugin_id { abi: c"clap".as_ptr(), id: id.as_ptr() };
        // SAFETY: as above.
        unsafe { add_plugin_id(receiver, &raw const id) };
    }
    if let Some(set_flags) = receiver.set_flags {
        // SAFETY: as above.
        unsafe { set_flags(receiver, flags(entry, library)) };
    }
    say(receiver.add_creator, &patch.author);
    say(receiver.set_description, &patch.description);
    say(receiver.add_feature, &patch.category);
    patch.tags.iter().for_each(|tag| say(receiver.add_feature, tag));
    if let (Some(file), Some(set_timestamps)) = (&entry.file, receiver.set_timestamps) {
        // SAFETY: as above.
        unsafe { set_timestamps(receiver, CLAP_TIMESTAMP_UNKNOWN, written(file)) };
    }
    Some(())
}

fn flags(entry: &Entry, library: &Library) -> u32 {
    let content = match entry.file {
        Some(_) => CLAP_PRESET_DISCOVERY_IS_USER_CONTENT,
        None => CLAP_PRESET_DISCOVERY_IS_FACTORY_CONTENT,
    };
    match library.is_favourite(entry) {
        true => content | CLAP_PRESET_DISCOVERY_IS_FAVORITE,
        false => content,
    }
}

/// When a file was written, in seconds since 1970.
fn written(file: &Path) -> clap_timestamp {
    let time = file.metadata().and_then(|metadata| metadata.modified()).ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(CLAP_TIMESTAMP_UNKNOWN, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host would say that a folder which does not exist cannot be read.
    #[test]
    fn the_folder_of_the_user_is_listed_once_it_exists() {
        let folder = std::env::temp_dir();
        let places = locations(Some(folder.clone()));
        assert_eq!(places.len(), 2);
        assert_eq!(places[0].folder, None);
        assert_eq!(places[1].folder.as_ref(), Some(&folder));
        assert_eq!(locations(Some(folder.join("there is none"))).len(), 1);
        assert_eq!(locations(None).len(), 1);
    }
}
