//! The latest frames of an output, for displays: the audio thread writes them, a window reads them.

use std::sync::atomic::{AtomicU64, Ordering};

/// A ring buffer whose writer never waits and whose reader may miss frames. For one writer.
pub struct OutputTap {
    /// Both channels of a frame in one number, so that they belong together.
    frames: Box<[AtomicU64]>,
    /// Frames written so far.
    written: AtomicU64,
}

/// What a window has read.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The latest frames, at most [`Output::MAX_FRAMES`].
    pub frames: Vec<[f32; 2]>,
    /// Frames that there were so far, to tell how many are new.
    pub total: u64,
    /// Frames per second; zero before anything was played.
    pub sample_rate: f32,
}

impl Output {
    /// As many frames as are kept.
    pub const MAX_FRAMES: usize = 8_192;
}

/// Twice as long as what is read, so that the writer does not reach what is being read.
const LENGTH: usize = 2 * Output::MAX_FRAMES;

impl OutputTap {
    /// Without frames.
    pub fn new() -> Self {
        let frames = (0..LENGTH).map(|_| AtomicU64::new(0)).collect();
        Self { frames, written: AtomicU64::new(0) }
    }

    /// Adds frames. Neither waits nor allocates.
    pub fn write(&self, left: &[f32], right: &[f32]) {
        let start = self.written.load(Ordering::Relaxed);
        for (place, (left, right)) in (start..).zip(left.iter().zip(right)) {
            let bits = u64::from(left.to_bits()) << 32 | u64::from(right.to_bits());
            self.frames[place as usize % LENGTH].store(bits, Ordering::Relaxed);
        }
        let count = left.len().min(right.len()) as u64;
        self.written.store(start + count, Ordering::Release);
    }

    /// Copies the latest frames.
    pub fn read(&self, into: &mut Output) {
        into.total = self.written.load(Ordering::Acquire);
        into.frames.clear();
        for place in into.total.saturating_sub(Output::MAX_FRAMES as u64)..into.total {
            let bits = self.frames[place as usize % LENGTH].load(Ordering::Relaxed);
            into.frames.push([(bits >> 32) as u32, bits as u32].map(f32::from_bits));
        }
    }
}

impl Default for OutputTap {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_frames_are_read_in_order() {
        let tap = OutputTap::new();
        let mut output = Output::default();
        tap.read(&mut output);
        assert!(output.frames.is_empty() && output.total == 0);
        let mut sample = 0.0;
        for block in [1, 480, 8_191, 3, 8_192, 16_384, 100] {
            let left: Vec<f32> = (0..block).map(|index| sample + index as f32).collect();
            let right: Vec<f32> = left.iter().map(|x| -x).collect();
            tap.write(&left, &right);
            sample += block as f32;
            tap.read(&mut output);
            assert_eq!(output.total, sample as u64);
            let first = sample - output.frames.len() as f32;
            for (index, frame) in output.frames.iter().enumerate() {
                assert_eq!(*frame, [first + index as f32, -first - index as f32]);
            }
        }
        assert_eq!(output.frames.len(), Output::MAX_FRAMES);
    }

    /// A reader beside a writer never sees channels of different frames.
    #[test]
    fn frames_are_whole_while_they_are_written() {
        let tap = OutputTap::new();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for block in 0..4_000_u16 {
                    let left = [f32::from(block); 64];
                    tap.write(&left, &left.map(|x| -x));
                }
                done.store(true, Ordering::Release);
            });
            let mut output = Output::default();
            while !done.load(Ordering::Acquire) {
                tap.read(&mut output);
                assert!(output.frames.iter().all(|[left, right]| *left == -*right));
            }
        });
    }
}
