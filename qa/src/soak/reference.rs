//! Proof by reference: what was heard is compared, frame by frame, with what another engine renders from
//! the same events.
//!
//! The stream's render log says what its engine was given: patches, events on their frames, and where the
//! frames went. A second engine ([`replay`]) renders that again on a thread of its own, without a stream,
//! in blocks of other lengths, on the CPU and with one thread. The sound of both must be equal bit for bit
//! (with a GPU: as equal as renderers are to be), so that whatever happens between the engine and the
//! device is found, however quiet it is and whatever is played ([`compare`]). The events themselves are
//! compared with those that the generator sent ([`plan`]).

mod compare;
mod describe;
mod parity;
mod plan;
mod replay;
mod takeover;
#[cfg(test)]
mod tests;

use super::finding::{Finding, Kind};
use compare::{Comparison, Difference};
use myriad_engine::{EngineConfig, EventKind};
use myriad_live::stream::{LogEntry, Underrun};
use myriad_player::Session;
use parity::Parity;
use plan::Plan;
use replay::{Replay, Replayed};

/// Frames are compared so many seconds after they were heard, when all underruns before them are known.
const LAG: f64 = 1.0;

/// Seconds of sound that wait at most for a reference that is slower than real time; older ones are not
/// compared.
const BACKLOG: f64 = 60.0;

/// Seconds after which echoes and reverberation of what sounded have ended.
const TAIL: f64 = 10.0;

/// The reference of a run.
pub(super) struct Reference {
    replay: Replay,
    comparison: Comparison,
    /// With a GPU.
    parity: Option<Parity>,
    plan: Plan,
    rate: f64,
    /// Whether to wait for the reference, so that the same is found each time.
    waits: bool,
    /// No frame is compared before this time is heard, because an underrun lasts.
    held_until: u64,
    /// Whether renderers that take over can be rendered again, too.
    repeats_takeovers: bool,
    /// Whether the sound differs because another renderer plays it, or quiet partials are left out.
    is_other: bool,
    /// The tick of the last takeover.
    last_takeover: Option<u64>,
    /// Whether the log is incomplete, so that nothing can be compared any more.
    is_cut: bool,
    entries: Vec<LogEntry>,
}

impl Reference {
    /// A reference for `session`. In virtual time it is waited for. A GPU's sound is not that of the CPU to the
    /// bit, so what it becomes when a GPU is lost cannot be predicted to the bit either.
    ///
    /// # Errors
    /// When the engine or its thread cannot be started.
    pub(super) fn start(session: &Session, virtual_time: bool, gpu: bool) -> std::io::Result<Self> {
        let config = session.engine_config();
        let rate = f64::from(config.sample_rate);
        Ok(Self {
            replay: Replay::start(EngineConfig { threads: 1, ..config })?,
            comparison: Comparison::new(),
            parity: gpu.then(Parity::default),
            plan: Plan::default(),
            rate,
            waits: virtual_time,
            held_until: 0,
            repeats_takeovers: !gpu,
            is_other: false,
            last_takeover: None,
            is_cut: false,
            entries: Vec::new(),
        })
    }

    /// An event was sent for a frame of the stream.
    pub(super) fn expect(&mut self, time: u64, part: u8, kind: EventKind) {
        self.plan.expect(time, part, kind);
    }

    /// An underrun has ended.
    pub(super) fn underrun(&mut self, underrun: &Underrun) {
        self.comparison.underrun(underrun.at_frame, underrun.frames);
    }

    /// Frames that were compared.
    pub(super) fn compared(&self) -> u64 {
        self.comparison.compared()
    }

    /// Adds frames that were played, and compares those whose reference is known.
    pub(super) fn hear(
        &mut self,
        frames: &[[f32; 2]],
        session: &Session,
        seconds: impl Fn(u64) -> f64,
        found: &mut Vec<Finding>,
    ) {
        self.comparison.hear(frames);
        self.read_log(session, &seconds, found);
        let lag = (LAG * self.rate) as u64;
        let heard = self.comparison.heard();
        if session.status().in_underrun {
            self.held_until = heard + lag;
        }
        self.excuse_takeovers(session, heard, lag);
        if heard >= self.held_until {
            self.compare(heard.saturating_sub(lag), &seconds, found);
        }
        self.comparison.forget(heard.saturating_sub((BACKLOG * self.rate) as u64));
    }

    /// A renderer that takes over continues sounding notes with other phases (docs/design/
    /// supervised-renderer.md), which the reference does as well, where it can. One that is too slow leaves out
    /// partials. Where the sound must differ, differences are not counted until nothing sounds any more, and
    /// those frames not as compared.
    fn excuse_takeovers(&mut self, session: &Session, heard: u64, lag: u64) {
        self.is_other |= session.renderer_report().failover.partials_shed > 0;
        if self.is_other {
            let tail = match session.status().engine.clouds {
                0 => (TAIL * self.rate) as u64,
                _ => 0,
            };
            self.is_other = tail == 0;
            self.comparison.excuse(heard + lag + tail);
        }
    }

    /// Compares all that was heard.
    pub(super) fn finish(
        &mut self,
        session: &Session,
        seconds: impl Fn(u64) -> f64,
        found: &mut Vec<Finding>,
    ) {
        self.read_log(session, &seconds, found);
        self.replay.send(std::mem::take(&mut self.entries));
        let heard = self.comparison.heard();
        let lag = (LAG * self.rate) as u64;
        let end = match session.status().in_underrun {
            true => heard.saturating_sub(lag),
            false => heard,
        };
        self.waits = true;
        self.replay.finish();
        self.compare(end, &seconds, found);
        let last = self.comparison.finish();
        found.extend(last.map(|difference| finding(&difference, &seconds)));
        let missing = end.saturating_sub(self.comparison.at());
        if missing > 0 {
            let text = format!("{missing} frames have no reference to compare them with");
            found.push(Finding::ours(seconds(end), end, Kind::Stopped, missing as f64, text));
        }
    }

    /// Compares the events of the log with the plan, and passes on to the replay what was rendered.
    fn read_log(
        &mut self,
        session: &Session,
        seconds: &impl Fn(u64) -> f64,
        found: &mut Vec<Finding>,
    ) {
        let old = self.entries.len();
        let is_complete = session.read_log(&mut self.entries);
        for off in self.plan.check(&self.entries[old..]) {
            let (text, size) = (off.to_string(), off.frames());
            found.push(Finding::ours(seconds(off.time), off.time, Kind::Events, size, text));
        }
        let parity = self.parity.as_mut();
        if let Some(tolerance) = parity.and_then(|parity| parity.follow(&self.entries[old..])) {
            self.comparison.tolerance = tolerance;
        }
        self.read_takeovers(session);
        // The last batch may not be rendered yet, and so its takeovers not known.
        let is_batch = |entry: &LogEntry| matches!(entry, LogEntry::Batch { .. });
        let mut batches = (0..self.entries.len()).rev().filter(|&at| is_batch(&self.entries[at]));
        if let Some(last_rendered) = batches.nth(1) {
            self.replay.send(self.entries.drain(..=last_rendered).collect());
        }
        if !is_complete {
            self.is_cut = true;
        }
    }

    /// Passes takeovers on to the replay, or notes that the sound is another one.
    fn read_takeovers(&mut self, session: &Session) {
        for takeover in session.renderer_report().failover.takeovers {
            if self.last_takeover.is_none_or(|last| last < takeover.tick) {
                self.last_takeover = Some(takeover.tick);
                match self.repeats_takeovers {
                    true => self.replay.take_over(takeover),
                    false => self.is_other = true,
                }
            }
        }
    }

    /// Compares frames before `end`.
    fn compare(&mut self, end: u64, seconds: &impl Fn(u64) -> f64, found: &mut Vec<Finding>) {
        if self.is_cut {
            return;
        }
        while let Some(replayed) = self.replay.receive(self.waits && self.comparison.known() < end)
        {
            match replayed {
                Replayed::Frames { time, frames } => self.comparison.expect(time, &frames),
                Replayed::Connected { time } => self.comparison.connected(time),
            }
        }
        for difference in self.comparison.compare(end) {
            found.push(finding(&difference, seconds));
        }
    }
}

fn finding(difference: &Difference, seconds: &impl Fn(u64) -> f64) -> Finding {
    let at = difference.from;
    let (size, text) = (f64::from(difference.peak), difference.to_string());
    Finding::ours(seconds(at), at, Kind::Difference, size, text)
}
