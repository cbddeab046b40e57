//! The engine as a WebAssembly module: what `web/page/local-worklet.js` and `web/page/catalogue.js` call.
//!
//! Numbers and pointers into the module's memory are all that crosses the border. An AudioWorklet has an
//! [`Instrument`] and the page a [`Catalogue`], each in a module instance of its own. Only `render`
//! and `instrument_meters` are called while sound plays; they never allocate.

mod catalogue;
mod instrument;
mod json;
#[cfg(target_arch = "wasm32")]
mod math;
mod message;

pub use catalogue::Catalogue;
pub use instrument::{Instrument, MAX_FRAMES};
pub use message::Message;

use std::ptr::null_mut;

/// Memory for `size` bytes of text that the caller writes and then passes on; `take` frees it.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(size: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; size].into_boxed_slice()).cast()
}

/// The text that was written to what `reserve` returned.
///
/// # Safety
/// `memory` came from `reserve(size)` and is not used again.
unsafe fn take(memory: *mut u8, size: usize) -> String {
    // SAFETY: the caller says so.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(memory, size)) };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An instrument at `sample_rate`, or null when the rate is out of range or there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn instrument_new(sample_rate: f32) -> *mut Instrument {
    Instrument::new(sample_rate).map_or(null_mut(), |instrument| Box::into_raw(instrument.into()))
}

/// Where its events are written, as words: see [`Message`].
///
/// # Safety
/// `instrument` came from `instrument_new`, here and below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn instrument_messages(instrument: *mut Instrument) -> *mut u32 {
    // SAFETY: the caller says so.
    unsafe { (*instrument).messages_mut().as_mut_ptr().cast() }
}

/// Plays the first `count` of the messages, renders `frames` frames, at most [`MAX_FRAMES`], and returns
/// where they are: the left side, then at [`MAX_FRAMES`] the right one. Never allocates.
///
/// # Safety
/// See `instrument_messages`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn instrument_render(
    instrument: *mut Instrument,
    count: usize,
    frames: usize,
) -> *const f32 {
    // SAFETY: the caller says so.
    unsafe { (*instrument).render(count, frames).as_ptr().cast() }
}

/// Measures what sounds and returns where the numbers are: see `myriad_engine::view::Points`. Never allocates.
///
/// # Safety
/// See `instrument_messages`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn instrument_meters(instrument: *mut Instrument) -> *const f32 {
    // SAFETY: the caller says so.
    unsafe { (*instrument).meters().as_ptr() }
}

/// Plays the patch in a text from `reserve`. Returns whether it is one; if not, nothing changes. Allocates.
///
/// # Safety
/// See `instrument_messages` and `take`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn instrument_patch(
    instrument: *mut Instrument,
    text: *mut u8,
    size: usize,
) -> bool {
    // SAFETY: the caller says so.
    unsafe { (*instrument).set_patch(&take(text, size)) }
}

/// The catalogue of parameters and patches.
#[unsafe(no_mangle)]
pub extern "C" fn catalogue_new() -> *mut Catalogue {
    Box::into_raw(Catalogue::default().into())
}

/// Answers a question in a text from `reserve`, and returns where the answer is, which stays until the
/// next question; `catalogue_size` says how long it is. See [`Catalogue::answer`].
///
/// # Safety
/// `catalogue` came from `catalogue_new`; see `take`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn catalogue_ask(
    catalogue: *mut Catalogue,
    text: *mut u8,
    size: usize,
) -> *const u8 {
    // SAFETY: the caller says so.
    unsafe { (*catalogue).ask(&take(text, size)).as_ptr() }
}

/// The length of the last answer.
///
/// # Safety
/// See `catalogue_ask`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn catalogue_size(catalogue: *mut Catalogue) -> usize {
    // SAFETY: the caller says so.
    unsafe { (*catalogue).last().len() }
}

/// Whether products are fused, without which the module for relaxed vectors is not exact enough.
#[unsafe(no_mangle)]
pub extern "C" fn fuses_products() -> bool {
    use myriad_engine::simd::{Level, Simd, Work};
    struct Fuses;
    impl Work for Fuses {
        type Output = bool;
        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> bool {
            // (1 + e)² is 1 + 2e + e²; the last term is lost unless the product is not rounded.
            let x = s.splat(std::hint::black_box(1.0 + f32::EPSILON));
            let product = s.mul(x, x);
            s.first(s.product_error(x, x, product)) != 0.0
        }
    }
    Level::best().dispatch(Fuses)
}
