//! The audio side under RealtimeSanitizer, which aborts on an allocation, a lock, a wait or I/O between
//! `__rtsan_realtime_enter` and `_exit`. `tests/rtsan/run` loads the sanitizer into it.
//!
//!     realtime                             a stream, and everything that happens to it
//!     realtime allocate|lock|write         a violation, which must be caught

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use myriad_engine::render::CpuRenderer;
use myriad_engine::{Event, EventKind, factory};
use myriad_live::stream::{self, AudioSide, StreamConfig};
use std::ffi::CStr;
use std::io::Write;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// The sanitizer's functions.
struct Sanitizer {
    enter: unsafe extern "C" fn(),
    exit: unsafe extern "C" fn(),
}

/// The sanitizer, if it is loaded.
static SANITIZER: LazyLock<Option<Sanitizer>> = LazyLock::new(|| {
    #[cfg(target_os = "linux")]
    // SAFETY: the names are those of functions of this type.
    unsafe {
        let find = |name: &CStr| {
            let function = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
            (!function.is_null())
                .then(|| std::mem::transmute::<_, unsafe extern "C" fn()>(function))
        };
        let enter = find(c"__rtsan_realtime_enter")?;
        Some(Sanitizer { enter, exit: find(c"__rtsan_realtime_exit")? })
    }
    #[cfg(not(target_os = "linux"))]
    None
});

/// Runs what must be safe for an audio thread.
fn in_real_time(work: impl FnOnce()) {
    let Some(Sanitizer { enter, exit }) = &*SANITIZER else {
        return work();
    };
    // SAFETY: they may be called on any thread, in this order.
    unsafe { enter() };
    work();
    // SAFETY: as above.
    unsafe { exit() };
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => everything(),
        Some("allocate") => in_real_time(|| drop(std::hint::black_box(vec![1u8; 4_096]))),
        Some("write") => in_real_time(|| drop(std::io::stderr().write(b"heard\n"))),
        Some("lock") => {
            // A lock that another thread holds: a free one costs no system call.
            static LOCK: Mutex<()> = Mutex::new(());
            let held = LOCK.lock();
            let waiting = std::thread::spawn(|| in_real_time(|| drop(LOCK.lock())));
            std::thread::sleep(Duration::from_millis(300));
            drop(held);
            drop(waiting.join());
        }
        Some(other) => panic!("no violation is called {other}"),
    }
}

/// The device's part: blocks of all sizes, with events, as fast as they come and paced.
fn play(audio: &mut AudioSide, sizes: &[usize], pause: Duration) {
    let event = |frame, kind| Event { frame, part: 0, kind };
    let events: Vec<Event> = (0..60)
        .map(|i| match i % 3 {
            0 => event(i, EventKind::NoteOn { key: 30 + i as u8, velocity: 0.7 }),
            1 => event(i, EventKind::NoteOff { key: 29 + i as u8, velocity: 0.5 }),
            _ => event(i, EventKind::Control { cc: 1, value: 0.5 }),
        })
        .collect();
    let (mut left, mut right) = (vec![0.0; 8_192], vec![0.0; 8_192]);
    for &size in sizes.iter().cycle().take(2_000) {
        let block = ..size;
        in_real_time(|| audio.process(&events, &mut left[block], &mut right[block]));
        std::thread::sleep(pause);
    }
}

fn everything() {
    let config = StreamConfig { depth: 96, ..StreamConfig::default() };
    let cpu = Box::new(CpuRenderer::new(1));
    let (control, mut audio) = stream::start(&config, cpu).unwrap();
    control.set_patch(0, factory::find("Aurora").unwrap()).unwrap();
    play(&mut audio, &[64], Duration::from_micros(1_000));
    // No pause: frames are missing all the time, and the queue of events runs over.
    play(&mut audio, &[64, 1, 17, 8_192, 96], Duration::ZERO);
    let mut other = control.connect(512).unwrap();
    play(&mut audio, &[64], Duration::ZERO);
    play(&mut other, &[480], Duration::from_micros(500));
    std::thread::scope(|scope| {
        scope.spawn(|| control.stop());
        play(&mut other, &[480], Duration::from_micros(500));
    });
    let status = control.status();
    assert!(status.underruns > 0 && status.events_refused > 0);
    println!(
        "8,000 callbacks, {} underruns, {} events refused",
        status.underruns, status.events_refused
    );
}
