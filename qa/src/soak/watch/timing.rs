//! Latency: a note after silence must begin on its frame.

use std::collections::VecDeque;

/// A note begins within so many frames after its time, because a sine's first samples are nearly 0.
const TOLERANCE: u64 = 2;

/// Samples below this level are silence.
const SILENT_LEVEL: f32 = 1e-7;

/// Frames of silence that are needed before a note to measure its beginning.
const SILENCE: u64 = 960;

/// Frames after which a note is missing.
const PATIENCE: u64 = 4_800;

/// The result for a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onset {
    /// It began so many frames after its time, within the tolerance.
    OnTime(i64),
    /// So many frames too early or too late.
    Off(i64),
    /// It was not heard.
    Missing,
}

/// Checks when notes begin.
#[derive(Default)]
pub(super) struct Timing {
    /// Frames at which notes should be heard.
    expected: VecDeque<u64>,
    /// Frames of silence so far.
    silence: u64,
    /// Where the last sound after silence began.
    began: Option<u64>,
}

impl Timing {
    /// A note should begin at this frame.
    pub(super) fn expect(&mut self, frame: u64) {
        self.expected.push_back(frame);
    }

    /// Drops all expected notes.
    pub(super) fn forget(&mut self) {
        self.expected.clear();
    }

    /// Checks the frame at this time.
    pub(super) fn hear(&mut self, time: u64, frame: &[f32; 2]) -> Option<Onset> {
        match frame.iter().all(|sample| sample.abs() < SILENT_LEVEL) {
            true => self.silence += 1,
            false => {
                if self.silence >= SILENCE {
                    self.began = Some(time);
                }
                self.silence = 0;
            }
        }
        let due = *self.expected.front()?;
        if let Some(began) = self.began
            && began + PATIENCE > due
        {
            self.expected.pop_front();
            self.began = None;
            let off = began as i64 - due as i64;
            return Some(match (0..=TOLERANCE as i64).contains(&off) {
                true => Onset::OnTime(off),
                false => Onset::Off(off),
            });
        }
        if time > due + PATIENCE {
            self.expected.pop_front();
            // Within other sound a note cannot be found.
            return (self.silence >= PATIENCE).then_some(Onset::Missing);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(due: u64, sound: std::ops::Range<u64>) -> Vec<Onset> {
        let mut timing = Timing::default();
        timing.expect(due);
        (0..30_000)
            .filter_map(|time| {
                let level = if sound.contains(&time) { 0.1 } else { 0.0 };
                timing.hear(time, &[level, 0.0])
            })
            .collect()
    }

    #[test]
    fn a_note_is_on_time_off_or_missing() {
        assert_eq!(heard(5_000, 5_000..6_000), [Onset::OnTime(0)]);
        assert_eq!(heard(5_000, 5_002..6_000), [Onset::OnTime(2)]);
        assert_eq!(heard(5_000, 5_032..6_000), [Onset::Off(32)]);
        assert_eq!(heard(5_000, 4_936..6_000), [Onset::Off(-64)]);
        assert_eq!(heard(5_000, 0..0), [Onset::Missing]);
        // Within other sound there is no result.
        assert_eq!(heard(5_000, 0..30_000), []);
    }
}
