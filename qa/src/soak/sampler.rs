//! Takes measurements at intervals, for the plots of a report.

use super::journal::Sample;
use super::watch::Watch;
use myriad_live::stream::Histogram;
use myriad_player::Session;
use myriad_player::gpu::Gpu;
use myriad_player::memory::resident_bytes;
use std::time::Instant;

/// The most samples of a soak, so that a report of days is as large as one of an hour.
const MOST: f64 = 2_000.0;

/// The shortest time between two, in seconds of play.
const SHORTEST: f64 = 1.0;

/// Takes samples of a session.
pub(super) struct Sampler {
    interval: f64,
    next: f64,
    started: Instant,
    /// The GPU and its index, where there is one.
    gpu: Option<(Gpu, u32)>,
    /// Render times up to the last sample.
    last: Histogram,
    /// Where drift is measured from: frames and time.
    base: Option<(u64, Instant)>,
    has_clock: bool,
    heard: u64,
}

impl Sampler {
    /// For a soak of `seconds`, of which `past` are over. Drift is only measured for a device that has
    /// a clock of its own.
    pub(super) fn new(seconds: f64, past: f64, gpu: Option<usize>, has_clock: bool) -> Self {
        let interval = (seconds / MOST).max(SHORTEST);
        Self {
            interval,
            next: past + interval,
            started: Instant::now(),
            gpu: gpu.and_then(|gpu| Some((Gpu::open().ok()?, gpu as u32))),
            last: Histogram::default(),
            base: None,
            has_clock,
            heard: 0,
        }
    }

    /// A sample, if one is due.
    pub(super) fn take(&mut self, session: &mut Session, watch: &mut Watch) -> Option<Sample> {
        let seconds = watch.seconds(watch.time());
        if seconds < self.next {
            return None;
        }
        self.next += self.interval;
        Some(self.take_now(session, watch))
    }

    pub(super) fn has_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Frames heard at the last sample.
    pub(super) fn heard(&self) -> u64 {
        self.heard
    }

    /// A sample, whether due or not.
    pub(super) fn take_now(&mut self, session: &mut Session, watch: &mut Watch) -> Sample {
        let status = session.status();
        let since = Histogram {
            counts: std::array::from_fn(|bucket| {
                status.render_time.counts[bucket] - self.last.counts[bucket]
            }),
        };
        self.last = status.render_time.clone();
        let usage = session.usage();
        let renderer = session.renderer_report();
        self.heard = watch.time();
        Sample {
            seconds: watch.seconds(self.heard),
            wall_seconds: self.started.elapsed().as_secs_f64(),
            voices: status.engine.voices,
            partials: status.engine.partials,
            renderer: renderer.using.to_owned(),
            blocks: since.total(),
            load_median: since.quantile(0.5),
            load_99: since.quantile(0.99),
            load_999: since.quantile(0.999),
            slow_blocks: status.slow_blocks,
            underruns: status.underruns,
            xruns: session.device_manager().xruns(),
            frames_asked: status.frames_asked,
            frames_heard: self.heard,
            frames_compared: 0,
            drift_ppm: self.drift(status.frames_asked, f64::from(session.sample_rate())),
            peak: watch.levels.take_peak(),
            memory_bytes: resident_bytes(),
            cpu: usage.cpu,
            steal: usage.steal,
            lost: None,
            standstill_ms: None,
            losses: renderer.failover.losses,
            returns: renderer.failover.returns,
            onsets: watch.onsets,
            latest_onset: watch.latest_onset,
            keenness: watch.clicks.keenness(),
            gpu: self.gpu.as_ref().map(|(gpu, index)| gpu.figures(*index)),
        }
    }

    fn drift(&mut self, frames: u64, rate: f64) -> Option<f64> {
        /// Seconds over which the size of a device's blocks no longer matters.
        const LONG: f64 = 10.0;
        if !self.has_clock {
            return None;
        }
        let (first, since) = *self.base.get_or_insert_with(|| (frames, Instant::now()));
        let seconds = since.elapsed().as_secs_f64();
        let played = (frames - first) as f64 / rate;
        (seconds > LONG).then(|| (played / seconds - 1.0) * 1e6)
    }
}
