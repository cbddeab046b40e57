//! Flushes denormal numbers to zero: they would make quiet sounds slow to compute.

/// While this guard lives, the processor treats denormal floats of this thread as zero.
#[derive(Debug)]
pub struct FlushDenormals {
    before: Control,
    /// The setting belongs to the thread, so the guard must not move to another one.
    _not_send: std::marker::PhantomData<*const ()>,
}

#[cfg(target_arch = "x86_64")]
type Control = u32;
#[cfg(target_arch = "aarch64")]
type Control = u64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Control = ();

impl FlushDenormals {
    /// Flushes until dropped.
    pub fn new() -> Self {
        let before = read();
        #[cfg(target_arch = "x86_64")]
        write(before | 0x8040); // Flush to zero, and denormals are zero.
        #[cfg(target_arch = "aarch64")]
        write(before | 1 << 24); // Flush to zero.
        Self { before, _not_send: std::marker::PhantomData }
    }
}

impl Default for FlushDenormals {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for FlushDenormals {
    fn drop(&mut self) {
        write(self.before);
    }
}

// Assembly instead of intrinsics: the compiler must not move float operations on the
// assumption that it knows the control register.

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn read() -> Control {
    let mut control = 0;
    // SAFETY: stores the control register to a local variable.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut control, options(nostack)) };
    control
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn write(control: Control) {
    // SAFETY: only the two flush bits ever differ from what the register held.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &control, options(nostack)) };
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn read() -> Control {
    let control;
    // SAFETY: reads a control register.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack)) };
    control
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn write(control: Control) {
    // SAFETY: only the flush bit ever differs from what the register held.
    unsafe { std::arch::asm!("msr fpcr, {}", in(reg) control, options(nomem, nostack)) };
}

// Miri runs no assembly.
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn read() -> Control {
    Control::default()
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn write(_: Control) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn denormals_are_zero_while_the_guard_lives() {
        let halved = || black_box(f32::MIN_POSITIVE) * black_box(0.5);
        assert!(halved() > 0.0);
        let guard = FlushDenormals::new();
        assert!(halved() == 0.0);
        drop(guard);
        assert!(halved() > 0.0);
    }
}
