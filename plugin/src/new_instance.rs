//! Finds the shared state of an instance that nice-plug makes, because its wrappers do not hand it out.

use crate::shared::Shared;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

thread_local! {
    /// The newest instance of this thread. It does not keep the instance alive.
    static NEWEST: RefCell<Weak<Shared>> = const { RefCell::new(Weak::new()) };
}

/// Called for every new instance.
pub(crate) fn announce(shared: &Arc<Shared>) {
    NEWEST.set(Arc::downgrade(shared));
}

/// Makes an instance of nice-plug, which does it on this thread; returns it and its shared state.
pub(crate) fn make<T>(make: impl FnOnce() -> T) -> (T, Arc<Shared>) {
    let made = make();
    let shared = NEWEST.take().upgrade();
    (made, shared.unwrap_or_else(|| Arc::new(Shared::new())))
}
