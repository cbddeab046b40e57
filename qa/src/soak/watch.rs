//! Checks every frame that is played.

mod click;
mod levels;
mod timing;

use super::finding::{Finding, Kind};
pub(super) use click::{Bend, Click, ClickDetector, OUTSTANDING, SENSITIVITY};
use levels::{Flaw, Levels};
use std::collections::VecDeque;
use timing::{Onset, Timing};

/// Samples up to this level are silence.
const SILENCE: f32 = 1e-7;

/// Findings of one kind within so many seconds are reported once.
const APART: f64 = 0.1;

/// A click is reported so many seconds later, when everything that may explain it is known.
const VERDICT: f64 = 0.75;

/// The concealment of lost frames may look like a step of this size.
const CONCEALMENT: f32 = 1.0;

/// From this level on the limiter may be active. It causes transients of this size, for so many frames
/// before and after.
const LIMITED: f32 = 0.9;
const LIMITER: f32 = 0.025;
const RECOVERY: u64 = 4_096;

/// Frames in which something happened that explains clicks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disturbance {
    pub(super) from: u64,
    pub(super) to: u64,
    /// Whether the sound was cut there, because the device was lost.
    pub(super) cut: bool,
}

/// All checks of the sound.
pub(super) struct Watch {
    rate: f64,
    /// Seconds that were played before this run.
    past: f64,
    /// Frames heard.
    time: u64,
    pub(super) clicks: ClickDetector,
    pub(super) levels: Levels,
    timing: Timing,
    /// Spans of frames in which nothing may sound, in order.
    quiet: VecDeque<[u64; 2]>,
    /// Clicks that are not reported yet, and what may explain them.
    suspects: Vec<Click>,
    disturbances: Vec<Disturbance>,
    /// When each kind was last found.
    last: Vec<(Kind, u64)>,
    /// Notes after silence that were on time, and their largest delay in frames.
    pub(super) onsets: u64,
    pub(super) latest_onset: i64,
}

impl Watch {
    pub(super) fn new(rate: f64, past: f64) -> Self {
        Self {
            rate,
            past,
            time: 0,
            clicks: ClickDetector::new(),
            levels: Levels::new(rate),
            timing: Timing::default(),
            quiet: VecDeque::new(),
            suspects: Vec::new(),
            disturbances: Vec::new(),
            last: Vec::new(),
            onsets: 0,
            latest_onset: 0,
        }
    }

    /// Frames heard so far.
    pub(super) fn time(&self) -> u64 {
        self.time
    }

    /// Seconds of play at a frame.
    pub(super) fn seconds(&self, frame: u64) -> f64 {
        self.past + frame as f64 / self.rate
    }

    /// The sound itself may have a transient.
    pub(super) fn bend(&mut self, bend: Bend) {
        self.clicks.bend(bend);
    }

    /// A note should begin at this frame, after silence.
    pub(super) fn expect_onset(&mut self, frame: u64) {
        self.timing.expect(frame);
    }

    /// Nothing may be heard between two frames.
    pub(super) fn expect_quiet(&mut self, from: u64, to: u64) {
        self.quiet.push_back([from, to]);
    }

    /// Drops all expectations, because a fault happened.
    pub(super) fn forget_expectations(&mut self) {
        self.timing.forget();
        self.quiet.clear();
    }

    /// Something happened that explains clicks.
    pub(super) fn disturbance(&mut self, disturbance: Disturbance) {
        self.disturbances.push(disturbance);
    }

    /// Whether the smallest clicks would be found in the next so many frames.
    pub(super) fn is_keen(&self, frames: usize) -> bool {
        self.clicks.is_keen(self.time, self.time + frames as u64)
    }

    /// Checks frames, and adds what is wrong with them to `found`. Samples that are not numbers are set
    /// to 0.
    pub(super) fn hear(&mut self, frames: &mut [[f32; 2]], found: &mut Vec<Finding>) {
        self.allow_for_limiter(frames);
        for frame in frames.iter_mut() {
            if let Some(flaw) = self.levels.hear(frame) {
                self.add_flaw(flaw, found);
            }
            if let Some(onset) = self.timing.hear(self.time, frame) {
                self.add_onset(onset, found);
            }
            self.check_quiet(frame, found);
            self.time += 1;
        }
        self.clicks.hear(frames, &mut self.suspects);
        let known = self.time.saturating_sub((VERDICT * self.rate) as u64);
        self.judge(known, found);
    }

    fn allow_for_limiter(&mut self, frames: &[[f32; 2]]) {
        let loud = |frame: &[f32; 2]| frame.iter().any(|sample| sample.abs() > LIMITED);
        if let Some(first) = frames.iter().position(loud) {
            self.clicks.bend(Bend {
                from: (self.time + first as u64).saturating_sub(RECOVERY),
                to: self.time + frames.len() as u64 + RECOVERY,
                size: LIMITER,
            });
        }
    }

    /// Reports all clicks that are known, however recent.
    pub(super) fn finish(&mut self, found: &mut Vec<Finding>) {
        self.judge(u64::MAX, found);
    }

    fn add_flaw(&mut self, flaw: Flaw, found: &mut Vec<Finding>) {
        let (kind, size, text) = match flaw {
            Flaw::NotANumber => (Kind::NotANumber, 1.0, "a sample is not a number".to_owned()),
            Flaw::Clipped(level) => (
                Kind::Clipping,
                f64::from(level),
                format!("a sample reaches {level:.3}, above full scale"),
            ),
            Flaw::Dc(mean) => (Kind::Dc, mean, format!("the mean is {mean:.4}, not zero")),
        };
        self.add(self.time, kind, size, text, found);
    }

    fn add_onset(&mut self, onset: Onset, found: &mut Vec<Finding>) {
        let (size, text) = match onset {
            Onset::OnTime(frames) => {
                self.onsets += 1;
                self.latest_onset = self.latest_onset.max(frames);
                return;
            }
            Onset::Off(frames) => {
                let side = if frames < 0 { "early" } else { "late" };
                let text = format!("a note began {} frames too {side}", frames.abs());
                (frames as f64, text)
            }
            Onset::Missing => (0.0, "a note was not heard".to_owned()),
        };
        self.add(self.time, Kind::Timing, size, text, found);
    }

    fn check_quiet(&mut self, frame: &[f32; 2], found: &mut Vec<Finding>) {
        let Some(&[from, to]) = self.quiet.front() else {
            return;
        };
        if self.time >= to {
            self.quiet.pop_front();
        } else if self.time >= from {
            let level = frame[0].abs().max(frame[1].abs());
            if level > SILENCE {
                self.quiet.pop_front();
                let text = format!("sound of {level:.1e} where there must be silence");
                self.add(self.time, Kind::NotSilent, f64::from(level), text, found);
            }
        }
    }

    /// Reports the clicks before the frame `known`, except those that are explained.
    fn judge(&mut self, known: u64, found: &mut Vec<Finding>) {
        let due = self.suspects.partition_point(|click| click.frame < known);
        for click in self.suspects.drain(..due).collect::<Vec<_>>() {
            let explained = self
                .disturbances
                .iter()
                .filter(|disturbance| (disturbance.from..disturbance.to).contains(&click.frame))
                .any(|disturbance| disturbance.cut || click.size < CONCEALMENT);
            if explained || self.is_near_worse(click.frame) {
                continue;
            }
            let decibels = 20.0 * click.size.log10();
            let text = format!(
                "a click like a step of {decibels:.0} dBFS, where {:.0} dBFS are found",
                20.0 * click.threshold.log10()
            );
            self.add(click.frame, Kind::Click, f64::from(click.size), text, found);
        }
        self.disturbances.retain(|disturbance| disturbance.to >= known);
    }

    /// Whether a click there was already reported as something else.
    fn is_near_worse(&self, frame: u64) -> bool {
        let near = |&(kind, at): &(Kind, u64)| {
            matches!(kind, Kind::NotANumber | Kind::Clipping) && at.abs_diff(frame) < 1_024
        };
        self.last.iter().any(near)
    }

    fn add(&mut self, frame: u64, kind: Kind, size: f64, text: String, found: &mut Vec<Finding>) {
        let apart = (APART * self.rate) as u64;
        let last = self.last.iter_mut().find(|(other, _)| *other == kind);
        match last {
            Some((_, at)) if frame < *at + apart => {
                *at = frame;
                return;
            }
            Some((_, at)) => *at = frame,
            None => self.last.push((kind, frame)),
        }
        found.push(Finding::ours(self.seconds(frame), frame, kind, size, text));
    }
}
