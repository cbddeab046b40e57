//! A run of a soak: playing without a break, checked from its first frame to its last.

use super::clips::Clips;
use super::event_sender::EventSender;
use super::finding::{Finding, Kind};
use super::inject::{Fault, Injector, Orders, device_disturbance};
use super::journal::{self, Begin, Journal, Line, Sample};
use super::name_of;
use super::reference::Reference;
use super::report::{DRIVERS_SHARE, MOST_GROWTH, Report};
use super::sampler::Sampler;
use super::watch::{Disturbance, Watch};
use crate::stall_probe::StallProbes;
use myriad_live::stream::Underrun;
use myriad_player::Session;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// Seconds of playing between two checks.
const STEP: f64 = 0.01;

/// Steps between two checks of what takes longer to check.
const STATUS_STEPS: u64 = 5;

/// How often the report is written during a run.
const SAVING: Duration = Duration::from_secs(15);

/// Frames around lost ones in which the concealment may look like a click.
const FADE: u64 = 1_024;

/// Blocks before an underrun in which its cause may lie: the late block, the one in which it should have
/// been rendered, and what a server needs to catch up.
const BEFORE: f64 = 4.0;

/// A run in progress.
pub(super) struct Run {
    pub(super) session: Session,
    pub(super) event_sender: EventSender,
    pub(super) watch: Watch,
    pub(super) reference: Reference,
    pub(super) clips: Clips,
    pub(super) injector: Injector,
    pub(super) sampler: Sampler,
    pub(super) journal: Journal,
    pub(super) report: Report,
    pub(super) folder: PathBuf,
    pub(super) rate: f64,
    /// Seconds of play at which the soak ends.
    pub(super) seconds: f64,
    /// Whether time is virtual: this thread renders block after block.
    pub(super) stepped: bool,
    /// Measures stalls of the machine, in real time.
    pub(super) stall_probes: Option<StallProbes>,
    pub(super) block: usize,
    /// Device losses, whether a device is connected, and failed renders at the last check.
    pub(super) device_changes: (u64, bool),
    pub(super) renders_failed: u64,
    pub(super) heard: Vec<[f32; 2]>,
    pub(super) found: Vec<Finding>,
    pub(super) last_sample: Instant,
    pub(super) next_save: Instant,
}

impl Run {
    /// Writes the settings, and the machine and device of this run.
    pub(super) fn begin(&mut self, begin: &Begin) -> Result<(), Failure> {
        if self.report.settings.is_none() {
            self.write(&Line::Begin(begin.clone()))?;
        }
        let device = self.session.device_manager().device();
        let run = journal::Run {
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            seconds: self.report.seconds,
            scene: self.report.next_scene,
            machine: myriad_player::machine::line(),
            host: device.map_or("none", |device| device.host().name()).to_owned(),
            device: device.map_or_else(String::new, |device| device.name()),
            rate: self.session.sample_rate(),
            block: self.block,
            latency: self.session.stream_latency(),
        };
        self.write(&Line::Run(run))
    }

    /// Plays to the end, or until the user stops it. `progress` is called with the seconds played.
    pub(super) fn play(mut self, progress: impl Fn(f64, &Report)) -> Result<Report, Failure> {
        let mut step = 0u64;
        let why = loop {
            let seconds = self.watch.seconds(self.watch.time());
            if seconds >= self.seconds {
                break "complete";
            }
            if interrupt::requested() {
                break "stopped";
            }
            let orders = self.send(seconds)?;
            self.pass_time(&orders);
            self.check_sound()?;
            step += 1;
            if step.is_multiple_of(STATUS_STEPS) {
                self.check_status()?;
                progress(seconds, &self.report);
            }
            if !self.session.status().running && !self.stepped {
                let text = "the render thread is gone".to_owned();
                self.find(self.session.time(), Kind::Stopped, 1.0, text);
                break "broken";
            }
            self.write_findings()?;
            if Instant::now() >= self.next_save {
                self.next_save = Instant::now() + SAVING;
                self.report.save(&self.folder)?;
            }
        };
        self.end(why)
    }

    /// Sends what is to be played, and injects faults.
    fn send(&mut self, seconds: f64) -> Result<Orders, Failure> {
        if let Some((number, scene)) = self.event_sender.tick(&mut self.session, &mut self.watch) {
            let line = Line::Scene {
                seconds,
                number,
                name: scene.name.to_owned(),
                patch: scene.patch.clone(),
            };
            self.write(&line)?;
        }
        for (time, part, kind) in self.event_sender.take_planned() {
            self.reference.expect(time, part, kind);
        }
        let mut faults: Vec<Fault> = Vec::new();
        let (session, watch) = (&mut self.session, &mut self.watch);
        let inject = |fault| faults.push(fault);
        let orders = self.injector.tick(seconds, session, watch, inject);
        for fault in faults.into_iter().map(name_of) {
            self.write(&Line::Injected { seconds, fault })?;
        }
        if orders.clean_up {
            self.event_sender.clean_up(&mut self.session);
        }
        Ok(orders)
    }

    /// Lets time pass: sleeps, or renders in virtual time.
    fn pass_time(&mut self, orders: &Orders) {
        if !self.stepped {
            std::thread::sleep(Duration::from_secs_f64(STEP));
            return;
        }
        let blocks = |seconds: f64| (seconds * self.rate / self.block as f64).ceil() as usize;
        let (stalled, blocks) = (blocks(orders.stall.as_secs_f64()), blocks(STEP));
        for _ in 0..stalled {
            self.session.step_unrendered();
        }
        for _ in 0..blocks {
            self.session.step();
        }
    }

    /// Checks what was played.
    fn check_sound(&mut self) -> Result<(), Failure> {
        self.heard.clear();
        self.session.hear_frames(&mut self.heard);
        self.injector.add_click(&mut self.heard, &self.watch);
        let (watch, session) = (&self.watch, &self.session);
        self.reference.hear(&self.heard, session, |at| watch.seconds(at), &mut self.found);
        self.watch.hear(&mut self.heard, &mut self.found);
        self.clips.hear(&self.heard)?;
        if let Some(stuck) = self.event_sender.check_voices(&self.session, &self.watch) {
            self.found.push(stuck);
        }
        Ok(())
    }

    /// Maintains the session, and checks its counters.
    fn check_status(&mut self) -> Result<(), Failure> {
        self.session.tick();
        let now = self.session.time();
        let seconds = self.watch.seconds(now);
        for text in self.session.take_news() {
            self.write(&Line::Note { seconds, text })?;
        }
        for underrun in self.session.take_underruns() {
            self.notice_underrun(&underrun);
        }
        let device_manager = self.session.device_manager();
        let changes = (device_manager.losses(), device_manager.is_connected());
        if changes != self.device_changes {
            self.device_changes = changes;
            self.watch.disturbance(device_disturbance(now, self.rate));
            self.watch.forget_expectations();
        }
        let failed = self.session.status().engine.renders_failed;
        if failed > self.renders_failed {
            let blocks = failed - self.renders_failed;
            self.renders_failed = failed;
            let text = format!("{blocks} blocks were not rendered and were silent");
            self.find(now, Kind::RenderFailed, blocks as f64, text);
        }
        match self.sampler.take(&mut self.session, &mut self.watch) {
            Some(mut sample) => {
                sample.frames_compared = self.reference.compared();
                self.write_sample(sample)
            }
            None => Ok(()),
        }
    }

    fn write_sample(&mut self, mut sample: Sample) -> Result<(), Failure> {
        if let Some(stall_probes) = &self.stall_probes {
            let (since, now) = (self.last_sample, Instant::now());
            let lost = stall_probes.lost(since, now).as_secs_f64();
            sample.lost = Some(lost / (now - since).as_secs_f64().max(f64::EPSILON));
            sample.standstill_ms = Some(1000.0 * stall_probes.longest_since(since).as_secs_f64());
            self.last_sample = now;
        }
        if self.injector.takes_memory(sample.seconds) {
            sample.memory_bytes = None;
        }
        self.write(&Line::Sample(Box::new(sample)))
    }

    fn notice_underrun(&mut self, underrun: &Underrun) {
        self.watch.disturbance(Disturbance {
            from: underrun.at_frame.saturating_sub(FADE),
            to: underrun.at_frame + underrun.frames + FADE,
            cut: false,
        });
        self.watch.forget_expectations();
        self.reference.underrun(underrun);
        let seconds = self.watch.seconds(underrun.at_frame);
        let stalled = self.stalled(underrun);
        let finding = Finding::underrun(underrun, seconds, self.rate, stalled);
        self.found.push(finding);
    }

    /// For how long the machine stalled, from when the frames should have been rendered until the sound
    /// was back.
    fn stalled(&self, underrun: &Underrun) -> Duration {
        let Some(stall_probes) = &self.stall_probes else {
            return Duration::ZERO;
        };
        let missing = underrun.frames as f64 + BEFORE * underrun.block as f64;
        let to = self.session.stream_started() + underrun.at_time;
        let from = to.checked_sub(Duration::from_secs_f64(missing / self.rate));
        from.map_or(Duration::ZERO, |from| stall_probes.lost(from, to))
    }

    fn find(&mut self, frame: u64, kind: Kind, size: f64, text: String) {
        let seconds = self.watch.seconds(frame);
        self.found.push(Finding::ours(seconds, frame, kind, size, text));
    }

    /// Writes findings to the journal.
    fn write_findings(&mut self) -> Result<(), Failure> {
        for mut finding in std::mem::take(&mut self.found) {
            self.injector.judge(&mut finding);
            let is_heard = !matches!(finding.kind, Kind::Memory | Kind::GpuMemory);
            if is_heard {
                finding.clip = self.clips.want(finding.frame, finding.kind.name());
            }
            self.write(&Line::Finding(finding))?;
        }
        Ok(())
    }

    fn write(&mut self, line: &Line) -> Result<(), Failure> {
        self.journal.write(line)?;
        self.report.add(line);
        if let Line::Finding(_) = line {
            let counts = self.report.counts.iter();
            let counts = counts.map(|(kind, count)| (*kind, *count)).collect();
            self.session.tell_findings(counts);
        }
        Ok(())
    }

    /// Ends the run, with the checks that need its end.
    fn end(mut self, why: &str) -> Result<Report, Failure> {
        self.check_status()?;
        self.check_sound()?;
        self.watch.finish(&mut self.found);
        // Before the reference gives its memory back, which would hide as much growth.
        let mut last = self.sampler.take_now(&mut self.session, &mut self.watch);
        let (watch, session) = (&self.watch, &self.session);
        self.reference.finish(session, |at| watch.seconds(at), &mut self.found);
        last.frames_compared = self.reference.compared();
        self.write_sample(last)?;
        self.check_frames();
        self.check_memory();
        self.write_findings()?;
        self.clips.finish()?;
        self.write(&Line::End {
            seconds: self.watch.seconds(self.sampler.heard()),
            why: why.to_owned(),
        })?;
        self.report.save(&self.folder)?;
        self.session.finish()?;
        Ok(self.report)
    }

    /// Checks that every requested frame was heard, and was rendered or counted as skipped.
    fn check_frames(&mut self) {
        let status = self.session.status();
        let unheard = self.session.unheard();
        let now = self.session.time();
        if unheard > 0 {
            let text = format!("{unheard} frames were played but not checked");
            self.find(now, Kind::LostFrames, unheard as f64, text);
        }
        let (heard, asked) = (self.watch.time() + unheard, status.frames_asked);
        // A device with its own clock goes on while this counts.
        let in_flight = if self.stepped { 0 } else { self.rate as u64 };
        if heard > asked || heard + in_flight < asked {
            let text = format!("{asked} frames were asked for, {heard} heard");
            self.find(now, Kind::LostFrames, heard.abs_diff(asked) as f64, text);
        }
        let accounted = status.frames_rendered + status.frames_skipped;
        let changes = 1 + self.session.device_manager().losses();
        // Frames in flight, and those that each device started and ended with.
        let slack = changes * (4 * status.depth as u64 + 4_096);
        let off = accounted.abs_diff(asked);
        if off > slack {
            let text =
                format!("{asked} frames were asked for, {accounted} were rendered or left out");
            self.find(now, Kind::LostFrames, off as f64, text);
        }
    }

    fn check_memory(&mut self) {
        let returns = match self.sampler.has_gpu() {
            true => self.report.returns as f64,
            false => 0.0,
        };
        let allowed = MOST_GROWTH + returns * DRIVERS_SHARE;
        let own = self.report.memory_growth.filter(|bytes| *bytes > allowed);
        let gpu = self.report.gpu_memory_growth.filter(|bytes| *bytes > MOST_GROWTH);
        for (kind, growth, what) in
            [(Kind::Memory, own, "memory"), (Kind::GpuMemory, gpu, "the GPU's memory")]
        {
            if let Some(growth) = growth {
                let text = format!("{what} grew by {:.1} MiB", growth / 1024.0 / 1024.0);
                self.find(self.session.time(), kind, growth, text);
            }
        }
    }
}
