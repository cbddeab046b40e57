//! The audio side makes no system call: so it cannot wait, take a contended lock, log, or wake a
//! thread. The kernel checks it: in strict seccomp mode a thread may only read, write and end; any
//! other call kills it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod lockstep;

use lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::Event;
use myriad_engine::render::CpuRenderer;
use myriad_live::stream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Whether `work` ends within `timeout` on a thread that may not make system calls.
fn without_system_calls(timeout: Duration, work: impl FnOnce() + Send + 'static) -> bool {
    let (began, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let flags = (Arc::clone(&began), Arc::clone(&done));
    std::thread::spawn(move || {
        // SAFETY: takes rights from this thread and touches no memory.
        let strict = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) };
        flags.0.store(strict == 0, Ordering::Release);
        if strict != 0 {
            return;
        }
        work();
        flags.1.store(true, Ordering::Release);
        // Leaving in the usual way would free memory, and make system calls for it.
        // SAFETY: ends this thread, which is not waited for; what it owns stays where it is.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    });
    // A killed thread never sets `done`.
    let start = Instant::now();
    while !done.load(Ordering::Acquire) && start.elapsed() < timeout {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(began.load(Ordering::Acquire), "no strict seccomp mode here");
    done.load(Ordering::Acquire)
}

#[test]
fn the_audio_side_makes_no_system_call() {
    let cpu = Box::new(CpuRenderer::new(1));
    let (control, mut audio) = stream::start(&config(96), cpu).unwrap();
    control.set_patch(0, soft()).unwrap();
    let events: Vec<Event> = (0..60)
        .map(|i| Event {
            frame: i,
            part: 0,
            kind: if i % 2 == 0 { on(30 + i as u8) } else { off(29 + i as u8) },
        })
        .collect();
    let (mut left, mut right) = (vec![0.0; 8_192], vec![0.0; 8_192]);
    // No pause: frames are missing and the queue of events runs over, while the render thread and
    // the control side do their work.
    assert!(without_system_calls(Duration::from_secs(60), move || {
        for size in [64, 1, 17, 96, 8_192].into_iter().cycle().take(20_000) {
            let block = ..size;
            audio.process(&events, &mut left[block], &mut right[block]);
        }
    }));
    let status = control.status();
    assert!(status.underruns > 0 && status.events_refused > 0, "{status:?}");
}

#[test]
fn a_contended_lock_is_detected() {
    static LOCK: Mutex<()> = Mutex::new(());
    let _held = LOCK.lock();
    let timeout = Duration::from_secs(2);
    assert!(!without_system_calls(timeout, || drop(LOCK.lock())));
}
