//! Calls of decoders that panic for some damaged files.

use std::cell::Cell;
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is of no interest to anybody.
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns; none if it panics, which is not reported then.
pub(crate) fn contained<T>(work: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                report(panic);
            }
        }));
    });
    CONTAINED.set(true);
    let outcome = catch_unwind(work);
    CONTAINED.set(false);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_result() {
        assert_eq!(contained(|| 7), Some(7));
        assert_eq!(contained(|| -> u8 { panic!("damaged") }), None);
        assert!(!CONTAINED.get());
        // Others are reported as before.
        assert!(catch_unwind(|| panic!("reported")).is_err());
    }
}
