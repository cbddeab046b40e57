//! The library: loaded once, all of its functions looked up then, so that audio threads never do.

use libc::{c_int, c_void};
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

const NAME: &CStr = c"libasound.so.2";

/// A function's name and where its address is kept; null without the library.
pub(crate) type Entry = (&'static CStr, &'static AtomicPtr<c_void>);

/// Loads the library, unless that has been tried.
///
/// # Errors
/// Why it cannot be loaded, in the words of the dynamic linker.
pub fn load() -> Result<(), &'static str> {
    static RESULT: OnceLock<Result<(), String>> = OnceLock::new();
    RESULT
        .get_or_init(|| open(NAME, crate::functions::ENTRIES))
        .as_ref()
        .copied()
        .map_err(String::as_str)
}

/// Opens a library for good and looks all entries up. Functions that it lacks stay null.
fn open(name: &CStr, entries: &[Entry]) -> Result<(), String> {
    // SAFETY: the name ends with a zero. What the library does as it is loaded is its own.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        // SAFETY: after a failure it returns a message that ends with a zero, or null.
        let message = unsafe { libc::dlerror() };
        if message.is_null() {
            return Err(format!("{} cannot be loaded", name.to_string_lossy()));
        }
        // SAFETY: not null, and it stays until the next call of this thread.
        return Err(unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned());
    }
    for (name, address) in entries {
        // SAFETY: the library is open and never closed.
        address.store(unsafe { libc::dlsym(library, name.as_ptr()) }, Ordering::Release);
    }
    Ok(())
}

/// The address of a function, after loading the library; null without it.
pub(crate) fn address(kept: &AtomicPtr<c_void>) -> *mut c_void {
    let address = kept.load(Ordering::Acquire);
    if address.is_null() && load().is_ok() { kept.load(Ordering::Acquire) } else { address }
}

/// What a function returns without the library.
pub(crate) trait Missing {
    fn missing() -> Self;
}

macro_rules! missing {
    ($($kind:ty => $value:expr;)*) => {
        $(impl Missing for $kind {
            fn missing() -> Self {
                $value
            }
        })*
    };
}

// Signed numbers are errors where they are negative; unsigned ones are sizes, counts and choices.
missing! {
    () => ();
    c_int => -libc::ENOSYS;
    i64 => -i64::from(libc::ENOSYS);
    isize => -(libc::ENOSYS as isize);
    u8 => 0;
    u16 => 0;
    u32 => 0;
    u64 => 0;
    usize => 0;
    crate::snd_local_error_handler_t => None;
}

impl<T> Missing for *const T {
    fn missing() -> Self {
        std::ptr::null()
    }
}

impl<T> Missing for *mut T {
    fn missing() -> Self {
        std::ptr::null_mut()
    }
}

/// Defines functions that call those of the library, and `ENTRIES`, which lists them.
macro_rules! functions {
    ($(pub fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        mod addresses {
            use libc::c_void;
            use std::ptr::null_mut;
            use std::sync::atomic::AtomicPtr;
            $(#[allow(non_upper_case_globals)]
            pub(super) static $name: AtomicPtr<c_void> = AtomicPtr::new(null_mut());)*
        }

        pub(crate) const ENTRIES: &[crate::library::Entry] = &[
            $((
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name holds no zero"),
                },
                &addresses::$name,
            ),)*
        ];

        $(pub unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
            type Function = unsafe extern "C" fn($($kind),*) $(-> $result)?;
            let address = crate::library::address(&addresses::$name);
            if address.is_null() {
                return crate::library::Missing::missing();
            }
            // SAFETY: the library's function of this name has this type; arguments are the caller's.
            unsafe { std::mem::transmute::<*mut libc::c_void, Function>(address)($($argument),*) }
        })*
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_missing_library_is_named() {
        let error = open(c"libmyriad-none.so", &[]).unwrap_err();
        assert!(error.contains("libmyriad-none.so"), "{error}");
    }

    #[test]
    fn functions_are_found_by_name_and_others_stay_null() {
        static FOUND: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
        static ABSENT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
        let entries: [Entry; 2] = [(c"strlen", &FOUND), (c"snd_no_such_function", &ABSENT)];
        open(c"libc.so.6", &entries).unwrap();
        // SAFETY: C's function has this type, and the text ends with a zero.
        let length = unsafe {
            let strlen: unsafe extern "C" fn(*const libc::c_char) -> usize =
                std::mem::transmute(FOUND.load(Ordering::Acquire));
            strlen(c"partials".as_ptr())
        };
        assert_eq!(length, 8);
        assert!(ABSENT.load(Ordering::Acquire).is_null());
    }

    #[test]
    fn what_is_missing_fails() {
        assert!(c_int::missing() < 0);
        assert!(<*mut u8>::missing().is_null());
    }
}
