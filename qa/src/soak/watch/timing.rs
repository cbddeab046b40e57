//! From an event to its sound: a note out of silence must begin on its frame.

use std::collections::VecDeque;

/// A note begins within so many frames after its time: a sine's own first samples are nearly
/// nothing.
const TOLERANCE: u64 = 2;

/// Below this there is silence.
const NOTHING: f32 = 1e-7;

/// Frames of silence that must come before, or nobody can tell where the note begins.
const SILENCE: u64 = 960;

/// Frames after which a note that was not heard never will be.
const PATIENCE: u64 = 4_800;

/// What became of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onset {
    /// It began so many frames after its time, which is as it should be.
    OnTime(i64),
    /// So many frames too early or too late.
    Off(i64),
    /// It was not heard.
    Missing,
}

/// Waits for notes.
#[derive(Default)]
pub(super) struct Timing {
    /// Frames at which notes should be heard.
    expected: VecDeque<u64>,
    /// Frames of silence so far.
    silence: u64,
    /// Where the last sound out of silence began.
    began: Option<u64>,
}

impl Timing {
    /// A note should begin at this frame.
    pub(super) fn expect(&mut self, frame: u64) {
        self.expected.push_back(frame);
    }

    /// What was expected will not come, or not then: nothing is said about it.
    pub(super) fn forget(&mut self) {
        self.expected.clear();
    }

    /// Hears the frame at this time.
    pub(super) fn hear(&mut self, time: u64, frame: &[f32; 2]) -> Option<Onset> {
        match frame.iter().all(|sample| sample.abs() < NOTHING) {
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
            // In the middle of other sound it cannot be told from that.
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
        // Where something else sounds, nothing can be said.
        assert_eq!(heard(5_000, 0..30_000), []);
    }
}
