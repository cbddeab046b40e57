//! Atomics for lock-free protocols: those of the standard library, or loom's under `--cfg loom`.
//!
//! Loom runs a model (`mod model` beside each protocol, `tests/models/run`) in every order of its
//! threads' steps, and has every load return every value that the memory model allows. It treats
//! `SeqCst` on a load or store as `AcqRel`, so protocols that need one order of all accesses use fences.

#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(not(loom))]
pub use std::sync::atomic;

/// What models are written with. Without loom they run as ordinary tests: a few times by themselves,
/// and under Miri (`tests/miri/run`), which finds races in what loom does not see.
pub mod model {
    #[cfg(loom)]
    pub use loom::{cell::UnsafeCell, thread};
    #[cfg(not(loom))]
    pub use std::thread;

    /// Runs `model` in all orders, or in those in which threads are interrupted so often at most.
    #[cfg(loom)]
    pub fn check(interruptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = interruptions;
        builder.check(model);
    }

    #[cfg(not(loom))]
    pub fn check(_: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
        let runs = if cfg!(miri) { 10 } else { 100 };
        (0..runs).for_each(|_| model());
    }

    /// A cell like loom's, without its checks.
    #[cfg(not(loom))]
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    // SAFETY: models promise that nobody writes what another thread touches; Miri checks it.
    #[cfg(not(loom))]
    unsafe impl<T: Send> Sync for UnsafeCell<T> {}

    #[cfg(not(loom))]
    impl<T> UnsafeCell<T> {
        pub const fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}
