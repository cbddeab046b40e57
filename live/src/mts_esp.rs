//! A client of MTS-ESP: follows the tuning that a master program sets for all instruments.
//!
//! Masters install a library, which every client of the machine loads. It has a table of the frequencies of
//! all keys, which the master may change at any time, and functions that say whether there is a master and
//! which keys are to be left out. Where no master was ever installed there is no library, and nothing
//! else happens. Tunings for single channels are not used: an engine's part has one tuning.

use libloading::Library;
use myriad_engine::Tuning;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable with the path of the library, where it is not at its usual place.
pub const LIBRARY_VARIABLE: &str = "MYRIAD_MTS_ESP_LIBRARY";

/// The functions of a loaded library. It stays loaded, because its table is read at any time.
struct MtsLibrary {
    path: PathBuf,
    register: unsafe extern "C" fn(),
    deregister: unsafe extern "C" fn(),
    has_master: unsafe extern "C" fn() -> bool,
    should_filter: Option<unsafe extern "C" fn(c_char, c_char) -> bool>,
    scale_name: Option<unsafe extern "C" fn() -> *const c_char>,
    /// The frequencies of 128 keys in Hertz, which the master may write at any time.
    table: *const f64,
    _library: Library,
}

// SAFETY: its functions may be called from any thread, as MTS-ESP's own client does, and the table is only
// read, one aligned number at a time.
unsafe impl Send for MtsLibrary {}
// SAFETY: as above.
unsafe impl Sync for MtsLibrary {}

/// The libraries that were loaded so far; one, except in tests.
static LOADED: Mutex<Vec<&'static MtsLibrary>> = Mutex::new(Vec::new());

/// The library at a path, loaded when it is first asked for; none if there is none.
fn load(path: &Path) -> Option<&'static MtsLibrary> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = loaded.iter().find(|library| library.path == path) {
        return Some(library);
    }
    if !path.exists() {
        return None;
    }
    // SAFETY: the file is where masters install their library, which is made to be loaded by instruments;
    // its functions have had these names and types since its first version.
    let library = unsafe {
        let library = Library::new(path).ok()?;
        let table: unsafe extern "C" fn() -> *const f64 =
            *library.get("MTS_GetTuningTable").ok()?;
        MtsLibrary {
            path: path.to_owned(),
            register: *library.get("MTS_RegisterClient").ok()?,
            deregister: *library.get("MTS_DeregisterClient").ok()?,
            has_master: *library.get("MTS_HasMaster").ok()?,
            should_filter: library.get("MTS_ShouldFilterNote").ok().map(|symbol| *symbol),
            scale_name: library.get("MTS_GetScaleName").ok().map(|symbol| *symbol),
            table: table(),
            _library: library,
        }
    };
    if library.table.is_null() || !library.table.is_aligned() {
        return None;
    }
    let library = Box::leak(Box::new(library));
    loaded.push(library);
    Some(library)
}

/// Where masters install the library on this system.
fn usual_path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE) {
        return Some(path.into());
    }
    if cfg!(target_os = "windows") {
        let folder = std::env::var_os("CommonProgramFiles")?;
        Some(PathBuf::from(folder).join("MTS-ESP").join("LIBMTS.dll"))
    } else if cfg!(target_os = "macos") {
        Some("/Library/Application Support/MTS-ESP/libMTS.dylib".into())
    } else {
        Some("/usr/local/lib/libMTS.so".into())
    }
}

/// The name of the master's scale, if there is a master. Locks; not for audio or render threads.
pub fn master_scale() -> Option<String> {
    let library = load(&usual_path()?)?;
    // SAFETY: the library is loaded; the name is a C string or null, and copied at once.
    unsafe {
        if !(library.has_master)() {
            return None;
        }
        let name = library.scale_name.map_or(std::ptr::null(), |name| name());
        match name.is_null() {
            true => Some(String::new()),
            false => Some(CStr::from_ptr(name).to_string_lossy().into_owned()),
        }
    }
}

/// A registered client.
pub struct MtsClient {
    library: &'static MtsLibrary,
    /// What was read last: the bits of the frequencies, and the keys that are left out; none without a
    /// master.
    seen: Option<([u64; 128], u128)>,
}

impl MtsClient {
    /// A client of the library at its usual place; none where it is not installed. Loads it if nobody has yet;
    /// not for audio or render threads.
    pub fn open() -> Option<Self> {
        Self::open_at(&usual_path()?)
    }

    /// The same with the library at `path`.
    pub fn open_at(path: &Path) -> Option<Self> {
        let library = load(path)?;
        // SAFETY: the library is loaded.
        unsafe { (library.register)() };
        Some(Self { library, seen: None })
    }

    /// What has changed since the last call: another tuning, or none because the master has gone. For
    /// render threads, once a block: never allocates, locks or waits.
    pub fn poll(&mut self) -> Option<Option<Tuning>> {
        let now = self.read();
        if now == self.seen {
            return None;
        }
        self.seen = now;
        Some(now.map(|(bits, silent)| Tuning::from_hertz(&bits.map(f64::from_bits), silent)))
    }

    fn read(&self) -> Option<([u64; 128], u128)> {
        // SAFETY: the library is loaded.
        if !unsafe { (self.library.has_master)() } {
            return None;
        }
        let mut bits = [0; 128];
        let mut silent = 0;
        for (key, bits) in bits.iter_mut().enumerate() {
            // SAFETY: the table has 128 entries and stays where it is. The master may write it meanwhile:
            // a volatile read of an aligned number is either the old or the new one.
            *bits = unsafe { self.library.table.add(key).read_volatile() }.to_bits();
            if let Some(should_filter) = self.library.should_filter {
                // SAFETY: the library is loaded. Channel -1 is any channel.
                silent |=
                    u128::from(unsafe { should_filter(key as c_char, -1i8 as c_char) }) << key;
            }
        }
        Some((bits, silent))
    }
}

impl Drop for MtsClient {
    fn drop(&mut self) {
        // SAFETY: the library is loaded.
        unsafe { (self.library.deregister)() };
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests;
