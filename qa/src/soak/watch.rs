//! The watch: hears every frame that is played, and says what is wrong with it.

mod click;
mod levels;
mod timing;

use super::finding::{Finding, Kind};
pub(super) use click::{Bend, Click, ClickDetector, OUTSTANDING, SENSITIVITY};
use levels::{Flaw, Levels};
use std::collections::VecDeque;
use timing::{Onset, Timing};

/// What sounds louder than this does sound.
const SILENCE: f32 = 1e-7;

/// Findings of one kind within so many seconds are one.
const APART: f64 = 0.1;

/// A click is judged when it is known what else happened then: so many seconds later.
const VERDICT: f64 = 0.75;

/// What a fade over lost frames may look like: as a note that is there at once.
const SEAM: f32 = 1.0;

/// From this level on the limiter may be at work, which bends what it holds down; so much, and for so many
/// frames around.
const LIMITED: f32 = 0.9;
const LIMITER: f32 = 0.02;
const RECOVERY: u64 = 4_096;

/// A stretch of frames in which something happened that explains clicks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disturbance {
    pub(super) from: u64,
    pub(super) to: u64,
    /// Whether the sound was cut there, because who heard it is gone.
    pub(super) cut: bool,
}

/// Hears every frame.
pub(super) struct Watch {
    rate: f64,
    /// Seconds that were played before this leg.
    past: f64,
    /// Frames heard.
    time: u64,
    clicks: ClickDetector,
    levels: Levels,
    timing: Timing,
    /// Frames in which nothing may sound, in order.
    quiet: VecDeque<[u64; 2]>,
    /// Clicks that wait for their verdict, and what may excuse them.
    suspects: Vec<Click>,
    disturbances: Vec<Disturbance>,
    /// When each kind was last found.
    last: Vec<(Kind, u64)>,
    /// Notes out of silence: how many were heard, and their latest beginning in frames.
    pub(super) onsets: u64,
    pub(super) latest_onset: i64,
}

impl Watch {
    /// `past` are the seconds that were played before this leg of the soak.
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

    /// The sound may turn a corner.
    pub(super) fn bend(&mut self, bend: Bend) {
        self.clicks.bend(bend);
    }

    /// A note should be heard from this frame on, out of silence.
    pub(super) fn expect_onset(&mut self, frame: u64) {
        self.timing.expect(frame);
    }

    /// Nothing may be heard between two frames.
    pub(super) fn expect_quiet(&mut self, from: u64, to: u64) {
        self.quiet.push_back([from, to]);
    }

    /// Something happened that makes all expectations void.
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

    /// The share of the time in which the smallest clicks were found.
    pub(super) fn keenness(&self) -> f64 {
        self.clicks.keenness()
    }

    /// The loudest sample since this was last asked.
    pub(super) fn take_peak(&mut self) -> f32 {
        self.levels.take_peak()
    }

    /// Hears frames, and adds what is wrong with them to `found`. Samples that are no numbers are
    /// made silent.
    pub(super) fn hear(&mut self, frames: &mut [[f32; 2]], found: &mut Vec<Finding>) {
        self.mind_the_limiter(frames);
        for frame in frames.iter_mut() {
            if let Some(flaw) = self.levels.hear(frame) {
                self.tell_flaw(flaw, found);
            }
            if let Some(onset) = self.timing.hear(self.time, frame) {
                self.tell_onset(onset, found);
            }
            self.check_quiet(frame, found);
            self.time += 1;
        }
        self.clicks.hear(frames, &mut self.suspects);
        let known = self.time.saturating_sub((VERDICT * self.rate) as u64);
        self.judge(known, found);
    }

    fn mind_the_limiter(&mut self, frames: &[[f32; 2]]) {
        let loud = |frame: &[f32; 2]| frame.iter().any(|sample| sample.abs() > LIMITED);
        if let Some(first) = frames.iter().position(loud) {
            self.clicks.bend(Bend {
                from: (self.time + first as u64).saturating_sub(RECOVERY),
                to: self.time + frames.len() as u64 + RECOVERY,
                size: LIMITER,
            });
        }
    }

    /// Judges all clicks that are known, however recent.
    pub(super) fn finish(&mut self, found: &mut Vec<Finding>) {
        self.judge(u64::MAX, found);
    }

    fn tell_flaw(&mut self, flaw: Flaw, found: &mut Vec<Finding>) {
        let (kind, size, text) = match flaw {
            Flaw::NotANumber => (Kind::NotANumber, 1.0, "a sample is not a number".to_owned()),
            Flaw::Clipped(level) => (
                Kind::Clipping,
                f64::from(level),
                format!("a sample reaches {level:.3}, above full scale"),
            ),
            Flaw::Dc(mean) => (Kind::Dc, mean, format!("the mean is {mean:.4}, not zero")),
        };
        self.tell(self.time, kind, size, text, found);
    }

    fn tell_onset(&mut self, onset: Onset, found: &mut Vec<Finding>) {
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
        self.tell(self.time, Kind::Timing, size, text, found);
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
                self.tell(self.time, Kind::NotSilent, f64::from(level), text, found);
            }
        }
    }

    /// Judges clicks before the frame `known`.
    fn judge(&mut self, known: u64, found: &mut Vec<Finding>) {
        let due = self.suspects.partition_point(|click| click.frame < known);
        for click in self.suspects.drain(..due).collect::<Vec<_>>() {
            let excused = self
                .disturbances
                .iter()
                .filter(|disturbance| (disturbance.from..disturbance.to).contains(&click.frame))
                .any(|disturbance| disturbance.cut || click.size < SEAM);
            if excused || self.is_near_worse(click.frame) {
                continue;
            }
            let decibels = 20.0 * click.size.log10();
            let text = format!(
                "a click like a step of {decibels:.0} dBFS, where {:.0} dBFS are found",
                20.0 * click.threshold.log10()
            );
            self.tell(click.frame, Kind::Click, f64::from(click.size), text, found);
        }
        self.disturbances
            .retain(|disturbance| disturbance.to >= known);
    }

    /// Whether what clicks there was already told as something else.
    fn is_near_worse(&self, frame: u64) -> bool {
        let near = |&(kind, at): &(Kind, u64)| {
            matches!(kind, Kind::NotANumber | Kind::Clipping) && at.abs_diff(frame) < 1_024
        };
        self.last.iter().any(near)
    }

    fn tell(&mut self, frame: u64, kind: Kind, size: f64, text: String, found: &mut Vec<Finding>) {
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
