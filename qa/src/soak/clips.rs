//! Writes the sound around findings to files.

use myriad_player::wav::{Bits, WavError, WavFile};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Seconds before and after.
const AROUND: f64 = 0.5;

/// Seconds of sound that are kept, because findings may be reported a second late.
const MEMORY: f64 = 3.0;

/// The most files of a soak.
const MOST: usize = 100;

/// Keeps the last seconds of sound, and writes parts of it to files.
pub(super) struct Clips {
    folder: PathBuf,
    rate: u32,
    /// The last frames, and the number of the first of them.
    memory: VecDeque<[f32; 2]>,
    start: u64,
    /// Files to be written once the sound after their frame was heard.
    wanted: Vec<(u64, PathBuf)>,
    count: usize,
}

impl Clips {
    /// Writes into `folder`, which may hold `count` clips already.
    pub(super) fn new(folder: &Path, rate: u32, count: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            rate,
            memory: VecDeque::new(),
            start: 0,
            wanted: Vec::new(),
            count,
        }
    }

    /// Requests the sound around `frame`. Returns the name of its file.
    pub(super) fn want(&mut self, frame: u64, name: &str) -> Option<String> {
        if self.count >= MOST {
            return None;
        }
        self.count += 1;
        let name = format!("{:04}-{}.wav", self.count, name.replace(' ', "-"));
        self.wanted.push((frame, self.folder.join(&name)));
        Some(name)
    }

    /// Adds frames.
    pub(super) fn hear(&mut self, frames: &[[f32; 2]]) -> Result<(), WavError> {
        self.memory.extend(frames);
        let after = (AROUND * f64::from(self.rate)) as u64;
        let end = self.start + self.memory.len() as u64;
        self.write(|frame| frame + after <= end)?;
        let most = (MEMORY * f64::from(self.rate)) as usize;
        let old = self.memory.len().saturating_sub(most);
        self.memory.drain(..old);
        self.start += old as u64;
        Ok(())
    }

    /// Writes all requested files, however little sound came after their frames.
    pub(super) fn finish(&mut self) -> Result<(), WavError> {
        self.write(|_| true)
    }

    fn write(&mut self, is_due: impl Fn(u64) -> bool) -> Result<(), WavError> {
        let around = (AROUND * f64::from(self.rate)) as u64;
        let wanted = std::mem::take(&mut self.wanted);
        for (frame, path) in wanted {
            if !is_due(frame) {
                self.wanted.push((frame, path));
                continue;
            }
            let place = |frame: u64| frame.saturating_sub(self.start) as usize;
            let to = place(frame + around).min(self.memory.len());
            let from = place(frame.saturating_sub(around)).min(to);
            let side = |side: usize| -> Vec<f32> {
                let frames = self.memory.range(from..to);
                frames.map(|frame| frame[side]).collect()
            };
            let mut file = WavFile::create(&path, self.rate, Bits::Int24, 0)?;
            file.write([&side(0), &side(1)])?;
            file.complete()?.publish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_has_the_sound_before_and_after() {
        let folder = tempfile::tempdir().unwrap();
        let rate = 8_000;
        let mut clips = Clips::new(folder.path(), rate, 7);
        let frame = |n: usize| [n as f32 / 65_536.0, 0.0];
        let sound: Vec<_> = (0..40_000).map(frame).collect();
        clips.hear(&sound[..20_000]).unwrap();
        let name = clips.want(18_000, "not a number").unwrap();
        assert_eq!(name, "0008-not-a-number.wav");
        let path = folder.path().join(name);
        clips.hear(&sound[20_000..21_000]).unwrap();
        assert!(!path.exists());
        clips.hear(&sound[21_000..]).unwrap();
        let mut wav = hound::WavReader::open(path).unwrap();
        let left: Vec<i32> = wav.samples().map(Result::unwrap).step_by(2).collect();
        let expected: Vec<i32> = (14_000..22_000).map(|n| n * 128).collect();
        assert!(left == expected);
    }
}
