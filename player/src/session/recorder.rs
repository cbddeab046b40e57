//! Records the output, on a thread of its own.

use crate::wav::{Bits, WavError, WavFile};
use ringbuf::traits::{Consumer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The ring buffer between callback and disk.
const RING_SECONDS: usize = 8;

const BITS: Bits = Bits::Int24;

const PAUSE: Duration = Duration::from_millis(10);

/// A recording in progress.
pub(super) struct Recorder {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Recording, WavError>>,
}

/// A recording that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub path: PathBuf,
    pub frames: u64,
    /// Why it ended before the session: the file or the disk is full.
    pub cut_short: Option<String>,
}

impl Recorder {
    /// Starts to record the frames that are pushed into the ring buffer.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(super) fn start(path: &Path, rate: u32) -> Result<(Self, HeapProd<[f32; 2]>), WavError> {
        let mut file = WavFile::create(path, rate, BITS, 0)?;
        let (record_ring, frames) = HeapRb::new(RING_SECONDS * rate as usize).split();
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, target) = (Arc::clone(&stop), path.to_owned());
        let work = move || {
            // A take cannot be repeated.
            file.keep();
            record(file, frames, target, &stopped)
        };
        let thread = std::thread::Builder::new().spawn(work);
        let thread = thread.map_err(|error| WavError::io(path, error))?;
        let recorder = Self { path: path.to_owned(), stop, thread };
        Ok((recorder, record_ring))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has ended by itself, because the file or the disk is full.
    pub(super) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Writes the rest and completes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn finish(self) -> Result<Recording, WavError> {
        self.stop.store(true, Ordering::Release);
        match self.thread.join() {
            Ok(recording) => recording,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn record(
    mut file: WavFile,
    frames: HeapCons<[f32; 2]>,
    path: PathBuf,
    stop: &AtomicBool,
) -> Result<Recording, WavError> {
    let written = write(&mut file, frames, stop).and_then(|ending| {
        file.flush()?;
        Ok(ending)
    });
    let (frames, cut_short) = match (written, file.keep_what_fits()) {
        (Ok(Ending::Stopped), Ok(frames)) => (frames, None),
        (Ok(Ending::Full), Ok(frames)) => {
            (frames, Some("a WAV file holds no more than 4 GiB".to_owned()))
        }
        (Err(error), Ok(frames)) => (frames, Some(error.reason())),
        (Err(error), Err(_)) | (Ok(_), Err(error)) => return Err(error),
    };
    Ok(Recording { path, frames, cut_short })
}

enum Ending {
    /// The session has ended.
    Stopped,
    /// A WAV file can hold no more.
    Full,
}

fn write(
    file: &mut WavFile,
    mut frames: HeapCons<[f32; 2]>,
    stop: &AtomicBool,
) -> Result<Ending, WavError> {
    let most = BITS.max_frames();
    let mut written = 0;
    let mut block = [[0.0; 2]; 4_096];
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        // Read before the ring buffer, so that all frames pushed before the stop are written.
        let stopping = stop.load(Ordering::Acquire);
        let room = (most - written).min(block.len() as u64) as usize;
        let count = frames.pop_slice(&mut block[..room]);
        match count {
            0 if room == 0 => return Ok(Ending::Full),
            0 if stopping => return Ok(Ending::Stopped),
            0 => {
                std::thread::sleep(PAUSE);
                continue;
            }
            _ => {}
        }
        left.clear();
        right.clear();
        left.extend(block[..count].iter().map(|frame| frame[0]));
        right.extend(block[..count].iter().map(|frame| frame[1]));
        file.write([&left, &right])?;
        written += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringbuf::traits::Producer;

    #[test]
    fn every_frame_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("take.wav");
        let (recorder, mut record_ring) = Recorder::start(&path, 8_000).unwrap();
        let sound = |n: usize| [n as f32 / 65_536.0, -(n as f32) / 65_536.0];
        let mut sent = 0;
        while sent < 30_000 {
            sent += record_ring.push_iter((sent..30_000).map(sound));
        }
        assert!(!path.exists(), "not before it is complete");
        let recording = recorder.finish().unwrap();
        assert_eq!((recording.frames, recording.cut_short), (30_000, None));
        let samples: Vec<i32> =
            hound::WavReader::open(&path).unwrap().samples().map(Result::unwrap).collect();
        let expected = |n: usize| [n as i32 * 128, n as i32 * -128];
        assert!((0..30_000).flat_map(expected).eq(samples));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_can_be_recorded_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("take.wav");
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        let (recorder, mut record_ring) = Recorder::start(&path, 8_000).unwrap();
        assert_eq!(record_ring.push_slice(&[[0.5; 2]; 1_000]), 1_000);
        let recording = recorder.finish().unwrap();
        assert_eq!((recording.frames, recording.cut_short), (1_000, None));
    }
}
