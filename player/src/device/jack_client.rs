//! A client of a JACK server that takes part in its cycles, and may be closed at any time.
//!
//! libjack ends a client's thread with `pthread_cancel`, wherever it is: on a busy machine that is in the middle of a cycle. Then
//! glibc unwinds the thread's stack. Under `catch_unwind`, as the handlers of the `jack` crate run, that ends the whole process
//! ("FATAL: exception not rethrown"), and elsewhere destructors would run, or locks stay locked. So the callbacks are registered
//! here: a cycle cannot be cancelled, only the thread outside of it.

use jack::jack_sys::{self, jack_client_t};
use jack::{Client, Error, Frames, ProcessScope};
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// What a client does in each of the server's cycles, on its real-time thread.
pub trait Cycle: Send + 'static {
    fn run(&mut self, scope: &ProcessScope);
}

/// What the server has told its client.
#[derive(Default)]
pub struct Notifications {
    /// Whether the server has ended, or dropped the client.
    pub gone: AtomicBool,
    /// Whether the server asks as fast as it is answered, and waits for that.
    pub freewheels: AtomicBool,
    pub xruns: AtomicU64,
    /// Frames of a cycle.
    pub block: AtomicU32,
}

/// A client that takes part in the server's cycles, until it is dropped.
pub struct ActiveClient {
    // The first field, so that it is closed before what its threads use is freed.
    client: Client,
    _context: OwnedContext,
}

/// What the callbacks use. Only the server's real-time thread uses `cycle`; the rest never changes.
struct Context {
    client: *mut jack_client_t,
    cycle: Box<dyn Cycle>,
    notifications: Arc<Notifications>,
}

/// Frees a context that no callback uses any more.
struct OwnedContext(*mut Context);

// SAFETY: the pointer is only used to free the context, all parts of which may be freed on any thread.
unsafe impl Send for OwnedContext {}

impl Drop for OwnedContext {
    fn drop(&mut self) {
        // SAFETY: it was made by `Box::into_raw`, and the client is closed, so no callback runs.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl ActiveClient {
    /// Lets `client` take part in the server's cycles.
    ///
    /// # Errors
    /// When the server refuses; then the client is closed.
    pub fn activate(
        client: Client,
        cycle: impl Cycle,
        notifications: Arc<Notifications>,
    ) -> Result<Self, Error> {
        notifications.block.store(client.buffer_size(), Relaxed);
        let raw = client.raw();
        let context = Context { client: raw, cycle: Box::new(cycle), notifications };
        let context = Box::into_raw(Box::new(context));
        let active = Self { client, _context: OwnedContext(context) };
        let data = context.cast::<c_void>();
        // The type of libjack's callbacks does not say that they may unwind.
        type Declared = unsafe extern "C" fn(Frames, *mut c_void) -> c_int;
        type Unwinding = unsafe extern "C-unwind" fn(Frames, *mut c_void) -> c_int;
        // SAFETY: the client is open. The callbacks have the types that libjack declares, and use a context that is freed after
        // the client is closed. The two types of `process` are called in the same way; they differ in that a cancelled
        // thread may be unwound through one of them, to frames of libjack that expect it.
        let registered = unsafe {
            let process = std::mem::transmute::<Unwinding, Declared>(process);
            jack_sys::jack_on_info_shutdown(raw, Some(shutdown), data);
            [
                jack_sys::jack_set_process_callback(raw, Some(process), data),
                jack_sys::jack_set_buffer_size_callback(raw, Some(buffer_size), data),
                jack_sys::jack_set_freewheel_callback(raw, Some(freewheel), data),
                jack_sys::jack_set_xrun_callback(raw, Some(xrun), data),
            ]
        };
        if registered != [0; 4] {
            return Err(Error::CallbackRegistrationError);
        }
        // SAFETY: the client is open.
        match unsafe { jack_sys::jack_activate(raw) } {
            0 => Ok(active),
            _ => Err(Error::ClientActivationError),
        }
    }

    pub fn client(&self) -> &Client {
        &self.client
    }
}

unsafe extern "C-unwind" {
    /// Of the C library. A thread that was to be cancelled meanwhile is cancelled, and unwound, as soon as it may be.
    fn pthread_setcancelstate(state: c_int, previous: *mut c_int) -> c_int;
}

/// `PTHREAD_CANCEL_DISABLE`.
const NOT_CANCELLED: c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };

/// Runs a cycle that is not cancelled. Has nothing to drop, because the thread may be unwound from its last call.
unsafe extern "C-unwind" fn process(frames: Frames, context: *mut c_void) -> c_int {
    let mut previous = 0;
    // SAFETY: it only changes the state of this thread.
    unsafe { pthread_setcancelstate(NOT_CANCELLED, &raw mut previous) };
    // SAFETY: it is the context that this callback was registered with.
    let outcome = unsafe { run_cycle(frames, context.cast()) };
    // SAFETY: as before; no frame between this one and libjack's has anything to drop.
    unsafe { pthread_setcancelstate(previous, null_mut()) };
    outcome
}

/// Returns 0, or 1 for a panic: then libjack takes the client out of its cycles.
unsafe fn run_cycle(frames: Frames, context: *mut Context) -> c_int {
    // SAFETY: only this thread uses the cycle, and the client is open as long as its callbacks run.
    let (cycle, scope) =
        unsafe { (&mut *(*context).cycle, ProcessScope::from_raw(frames, (*context).client)) };
    catch_unwind(AssertUnwindSafe(|| cycle.run(&scope))).is_err().into()
}

/// # Safety
/// `context` is a context that is not freed while the reference is used.
unsafe fn notifications<'a>(context: *mut c_void) -> &'a Notifications {
    // SAFETY: the field never changes. No reference to the whole context is made: another thread may run a cycle.
    unsafe { &(*context.cast::<Context>()).notifications }
}

unsafe extern "C" fn shutdown(_: jack_sys::jack_status_t, _: *const c_char, context: *mut c_void) {
    // SAFETY: it is the context that this callback was registered with.
    unsafe { notifications(context) }.gone.store(true, Relaxed);
}

unsafe extern "C" fn buffer_size(frames: Frames, context: *mut c_void) -> c_int {
    // SAFETY: it is the context that this callback was registered with.
    unsafe { notifications(context) }.block.store(frames, Relaxed);
    0
}

unsafe extern "C" fn freewheel(starting: c_int, context: *mut c_void) {
    // SAFETY: it is the context that this callback was registered with.
    unsafe { notifications(context) }.freewheels.store(starting != 0, Relaxed);
}

unsafe extern "C" fn xrun(context: *mut c_void) -> c_int {
    // SAFETY: it is the context that this callback was registered with.
    unsafe { notifications(context) }.xruns.fetch_add(1, Relaxed);
    0
}
