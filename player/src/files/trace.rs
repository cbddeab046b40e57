//! `--trace`: where time goes, as a file that Perfetto (ui.perfetto.dev) and Chrome show.

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

/// Spans that a file holds: more make a viewer slow. About 200 MB.
const MOST: u64 = 2_000_000;

/// The lines of the picture, from top to bottom.
const TRACKS: [&str; 3] = ["render thread", "GPU thread", "GPU"];

/// Writes a trace as long as it lives.
pub struct Tracer {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<u64>>,
}

impl Tracer {
    /// Begins to trace into `path`, if one is given. To be called before renderers are made: what
    /// a GPU does is noted only by those made later.
    ///
    /// # Errors
    /// When nothing can be written there.
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
        Ok(Some(Self {
            path: path.to_owned(),
            stop,
            thread: thread.map_err(fail)?,
        }))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When the disk is full or gone.
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
        // Asked before the queue: what is in it when we are stopped is still written.
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

/// A complete event, in microseconds.
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
