//! `--trace`: time spans in a file that Perfetto (ui.perfetto.dev) and Chrome display.

use crate::atomic_file::AtomicFile;
use crate::failure::Failure;
use crate::terminal;
use myriad_engine::trace::{self, Span};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often spans are collected.
const PAUSE: Duration = Duration::from_millis(5);

/// The most spans in a file (about 200 MB): more make viewers slow.
const MOST: u64 = 2_000_000;

/// The tracks in the viewer, from top to bottom.
const TRACKS: [&str; 3] = ["render thread", "GPU thread", "GPU"];

/// A trace being written, on a thread of its own.
pub struct Tracer {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<u64>>,
}

impl Tracer {
    /// Begins to trace into `path`, if one is given. Must be called before renderers are made, because
    /// only those made later record GPU spans.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn start(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else {
            return Ok(None);
        };
        let fail = |error: io::Error| Failure::failed(format!("{}: {error}", path.display()));
        let (atomic_file, file) = AtomicFile::create(path).map_err(fail)?;
        trace::start();
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("trace".to_owned());
        let thread = thread.spawn(move || write(file, atomic_file, &stopped));
        Ok(Some(Self { path: path.to_owned(), stop, thread: thread.map_err(fail)? }))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), Failure> {
        self.stop.store(true, Ordering::Release);
        let written = match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let path = self.path.display();
        let spans = written.map_err(|error| Failure::failed(format!("{path}: {error}")))?;
        let full = if spans == MOST { ", and is full" } else { "" };
        let lost = match trace::lost() {
            0 => String::new(),
            lost => format!("; {lost} were lost"),
        };
        terminal::say(&format!("myriad: {path} has {spans} spans{full}{lost}"));
        Ok(())
    }
}

fn write(file: File, atomic_file: AtomicFile, stop: &AtomicBool) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    for (number, name) in TRACKS.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(
            out,
            "{comma}\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{number},\"name\":\"thread_name\",\"args\":{{\"name\":\"{name}\"}}}}"
        )?;
    }
    let mut count = 0;
    loop {
        // Read before the queue is drained, so that everything queued before the stop is written.
        let stopping = stop.load(Ordering::Acquire);
        while let Some(span) = trace::next() {
            if count < MOST {
                write_span(&mut out, &span)?;
                count += 1;
            }
        }
        if stopping {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    out.write_all(b"\n]}\n")?;
    out.into_inner()?;
    atomic_file.finish()?;
    Ok(count)
}

/// Writes a complete event; times are in microseconds.
fn write_span(out: &mut impl Write, span: &Span) -> io::Result<()> {
    let track = span.stage.track();
    let number = TRACKS.iter().position(|name| *name == track).unwrap_or(0);
    write!(
        out,
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{number},\"name\":\"{}\",\"ts\":{:.3},\"dur\":{:.3}}}",
        span.stage.name(),
        span.start.as_secs_f64() * 1e6,
        span.length.as_secs_f64() * 1e6
    )
}
