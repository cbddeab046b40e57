//! Compares frames that were heard with those that were expected.
//!
//! An underrun is expected sound too: the audio side continues what it played by a prediction that fades
//! out, is silent, and fades in again. All of that follows from the frames before it and from its span, so
//! it is compared like everything else.

use super::describe;
use myriad_engine::dsp::{FADE, HISTORY, continue_sound, fade_in};
use std::collections::VecDeque;
use std::fmt;

/// After so many equal frames a difference has ended.
const EQUAL: usize = 4_800;

/// A difference that lasts longer is reported, and again only after it has ended.
const LONGEST: usize = 24_000;

/// A span of frames that were not as expected.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    /// Its first frame, and the first after it.
    pub(super) from: u64,
    pub(super) to: u64,
    /// The largest difference of two samples.
    pub(super) peak: f32,
    /// What was heard instead, in words.
    what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (frames, decibels) = (self.to - self.from, 20.0 * self.peak.log10());
        let what = &self.what;
        write!(f, "{what}: {frames} frames differ from the reference, by up to {decibels:.0} dBFS")
    }
}

/// Both sounds, as far as they are not compared yet.
pub(super) struct Comparison {
    /// Samples that differ by no more are equal.
    pub(super) tolerance: f32,
    /// What was heard from `heard_from` on. The frames before `at` are compared, and kept for
    /// predictions.
    heard: VecDeque<[f32; 2]>,
    heard_from: u64,
    /// What is expected from `expected_from` on.
    expected: VecDeque<[f32; 2]>,
    expected_from: u64,
    /// The next frame to be compared.
    at: u64,
    compared: u64,
    /// Frames before this one may differ.
    excused_until: u64,
    /// First frames and lengths.
    underruns: VecDeque<(u64, u64)>,
    /// First frames of other audio sides.
    connections: VecDeque<u64>,
    concealment: Concealment,
    open: Option<Open>,
}

/// A difference that may go on.
struct Open {
    from: u64,
    peak: f32,
    /// Frames from its first on: heard and expected.
    frames: Vec<[[f32; 2]; 2]>,
    /// Equal frames since the last that differed.
    equal: usize,
    reported: bool,
}

impl Comparison {
    pub(super) fn new() -> Self {
        Self {
            tolerance: 0.0,
            heard: VecDeque::new(),
            heard_from: 0,
            expected: VecDeque::new(),
            expected_from: 0,
            at: 0,
            compared: 0,
            excused_until: 0,
            underruns: VecDeque::new(),
            connections: VecDeque::new(),
            concealment: Concealment::none(),
            open: None,
        }
    }

    /// Adds frames that were heard.
    pub(super) fn hear(&mut self, frames: &[[f32; 2]]) {
        self.heard.extend(frames);
    }

    /// Adds frames that are expected from `time` on. What lies between is silent.
    pub(super) fn expect(&mut self, time: u64, frames: &[[f32; 2]]) {
        let known = (time.saturating_sub(self.expected_from)) as usize;
        self.expected.resize(known, [0.0; 2]);
        self.expected.extend(frames);
    }

    /// Another audio side begins at `time`; frames that were expected later are not heard.
    pub(super) fn connected(&mut self, time: u64) {
        let known = time.saturating_sub(self.expected_from) as usize;
        self.expected.truncate(known);
        self.connections.push_back(time);
    }

    /// Frames before `until` that are not compared yet may differ.
    pub(super) fn excuse(&mut self, until: u64) {
        self.excused_until = self.excused_until.max(until);
    }

    /// An underrun.
    pub(super) fn underrun(&mut self, at: u64, frames: u64) {
        self.underruns.push_back((at, frames));
    }

    /// Frames heard so far.
    pub(super) fn heard(&self) -> u64 {
        self.heard_from + self.heard.len() as u64
    }

    /// All frames before this one are known.
    pub(super) fn known(&self) -> u64 {
        self.expected_from + self.expected.len() as u64
    }

    /// The next frame to be compared.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Frames compared so far.
    pub(super) fn compared(&self) -> u64 {
        self.compared
    }

    /// Leaves out all frames before `at` that are not compared yet.
    pub(super) fn forget(&mut self, at: u64) {
        if at > self.at {
            self.at = at;
            self.open = None;
            self.clear(at);
        }
    }

    /// Compares all known frames before `end`. Returns differences that have ended.
    pub(super) fn compare(&mut self, end: u64) -> Vec<Difference> {
        let mut found = Vec::new();
        let end = end.min(self.known()).min(self.heard());
        while self.at < end {
            let heard = self.heard[(self.at - self.heard_from) as usize];
            let expected = self.expected[(self.at - self.expected_from) as usize];
            let expected = self.with_concealment(expected);
            found.extend(self.add(heard, expected));
            self.compared += u64::from(self.at >= self.excused_until);
            self.at += 1;
        }
        self.clear(self.at);
        found
    }

    /// The difference that lasts at the end.
    pub(super) fn finish(&mut self) -> Option<Difference> {
        let open = self.open.take()?;
        (!open.reported).then(|| open.close())
    }

    /// Drops what was compared, but for the frames that a prediction needs.
    fn clear(&mut self, at: u64) {
        let from = at.saturating_sub(HISTORY as u64);
        let old = from.saturating_sub(self.heard_from).min(self.heard.len() as u64);
        self.heard.drain(..old as usize);
        self.heard_from += old;
        let old = at.saturating_sub(self.expected_from).min(self.expected.len() as u64);
        self.expected.drain(..old as usize);
        self.expected_from += old;
    }

    /// What the audio side makes of a frame.
    fn with_concealment(&mut self, frame: [f32; 2]) -> [f32; 2] {
        if self.connections.front().is_some_and(|time| *time <= self.at) {
            self.connections.pop_front();
            self.concealment = Concealment { side_began: self.at, ..Concealment::none() };
        }
        while self.underruns.front().is_some_and(|(at, _)| *at <= self.at) {
            let Some((at, frames)) = self.underruns.pop_front() else {
                break;
            };
            // One that ended before the last forgotten frame is over.
            if at + frames + FADE as u64 <= self.at {
                continue;
            }
            let before = (self.at - self.heard_from) as usize;
            let past = |side: usize| -> [f32; HISTORY] {
                std::array::from_fn(|i| {
                    let time = (self.at + i as u64).checked_sub(HISTORY as u64);
                    let is_heard = time.is_some_and(|time| time >= self.concealment.side_began);
                    let frame = (before + i).checked_sub(HISTORY).filter(|_| is_heard);
                    frame.map_or(0.0, |frame| self.heard[frame][side])
                })
            };
            self.concealment.begin([past(0), past(1)], at + frames);
        }
        self.concealment.next(self.at, frame)
    }

    fn add(&mut self, heard: [f32; 2], expected: [f32; 2]) -> Option<Difference> {
        let off = (0..2).map(|side| (heard[side] - expected[side]).abs());
        // Not a number is unlike everything.
        let off = off.fold(0.0, |a: f32, b| if b.is_nan() { f32::INFINITY } else { a.max(b) });
        let differs = off > self.tolerance && self.at >= self.excused_until;
        if self.open.is_none() {
            if !differs {
                return None;
            }
            let (frames, from) = (Vec::new(), self.at);
            self.open = Some(Open { from, peak: 0.0, frames, equal: 0, reported: false });
        }
        let open = self.open.as_mut()?;
        open.equal = if differs { 0 } else { open.equal + 1 };
        if open.frames.len() < LONGEST {
            open.peak = open.peak.max(off);
            open.frames.push([heard, expected]);
        }
        if open.equal >= EQUAL {
            let open = self.open.take()?;
            return (!open.reported).then(|| open.close());
        }
        if open.frames.len() == LONGEST && !open.reported {
            open.reported = true;
            return Some(open.close());
        }
        None
    }
}

impl Open {
    fn close(&self) -> Difference {
        let differing = self.frames.len() - self.equal.min(self.frames.len() - 1);
        Difference {
            from: self.from,
            to: self.from + differing as u64,
            peak: self.peak,
            what: describe::describe(&self.frames[..differing]),
        }
    }
}

/// What the audio side does around an underrun.
struct Concealment {
    prediction: [[f32; FADE]; 2],
    /// Frames of the prediction that have faded out.
    faded: usize,
    /// The first frame after the underrun.
    end: u64,
    faded_in: usize,
    /// The first frame of this audio side, which remembers nothing before it.
    side_began: u64,
}

impl Concealment {
    const fn none() -> Self {
        let prediction = [[0.0; FADE]; 2];
        Self { prediction, faded: FADE, end: 0, faded_in: FADE, side_began: 0 }
    }

    fn begin(&mut self, past: [[f32; HISTORY]; 2], end: u64) {
        for (past, prediction) in past.iter().zip(&mut self.prediction) {
            continue_sound(past, prediction);
        }
        (self.faded, self.end) = (0, end);
    }

    fn next(&mut self, at: u64, frame: [f32; 2]) -> [f32; 2] {
        let mut frame = if at < self.end { [0.0; 2] } else { frame };
        if at == self.end && at > 0 && self.end > self.side_began {
            self.faded_in = 0;
        }
        if at >= self.end && self.faded_in < FADE {
            frame = frame.map(|sample| sample * fade_in(self.faded_in));
            self.faded_in += 1;
        }
        if self.faded < FADE {
            let gain = 1.0 - fade_in(self.faded);
            for (sample, prediction) in frame.iter_mut().zip(&self.prediction) {
                *sample += prediction[self.faded] * gain;
            }
            self.faded += 1;
        }
        frame
    }
}
