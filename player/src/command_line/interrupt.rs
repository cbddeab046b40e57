//! Ctrl-C: work stops at the next block, so that destructors remove incomplete files.

use crate::failure::{Exit, Failure};
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From here on, Ctrl-C and SIGTERM set a flag instead of ending the program at once.
pub fn install() {
    // Fails only where signals cannot be handled at all; then they end the program as usual.
    let _ = ctrlc::set_handler(|| REQUESTED.store(true, Ordering::Relaxed));
}

/// Whether the user has asked the program to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// # Errors
/// When the user has asked the program to stop.
pub fn check() -> Result<(), Failure> {
    match requested() {
        true => Err(Failure::new(Exit::Interrupted, "interrupted; no file was written")),
        false => Ok(()),
    }
}
