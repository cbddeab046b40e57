//! What an open editor costs while no note plays and nothing moves.

use super::opened::Opened;
use crate::audio_thread::Playing;
use crate::host::*;
use myriad_test_screen::Screen;
use std::time::{Duration, Instant};

/// Processor time of all threads of this process so far.
fn spent() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is ours, and this clock exists on Linux.
    let answer = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(answer, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The share of a core that this process takes for a while, in percent.
fn share(host: &mut Host, seconds: f32) -> f32 {
    let (began, before) = (Instant::now(), spent());
    while began.elapsed().as_secs_f32() < seconds {
        host.idle();
        std::thread::sleep(Duration::from_millis(50));
    }
    100.0 * (spent() - before).as_secs_f32() / began.elapsed().as_secs_f32()
}

/// Reports; machines are too different for more. `IDLE_SECONDS=20 cargo test -p myriad-plugin --test
/// window idle -- --nocapture` measures for longer.
#[test]
fn idle_editor_cpu_use() {
    let seconds = std::env::var("IDLE_SECONDS").ok();
    let seconds = seconds.map_or(2.0, |seconds| seconds.parse().unwrap());
    let screen = Screen::take();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let closed = share(&mut host, seconds);
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    // Windows open with a few frames; what comes after them is rest.
    share(&mut host, 2.0);
    let open = share(&mut host, seconds);
    opened.close(&mut host, &screen);
    let again = share(&mut host, seconds);
    playing.end(&mut host);
    println!(
        "idle for {seconds} s, drawn by the processor: {closed:.1}% of a core without the editor, \
         {open:.1}% with it open, {again:.1}% after it has closed"
    );
}
