//! Figures in Prometheus' text format (version 0.0.4).

use myriad_live::stream::Histogram;
use myriad_player::Session;
use myriad_player::gpu::GpuFigures;
use myriad_player::memory::resident_bytes;
use std::fmt::Write;

/// What is published of a session, beside what it tells itself.
pub(super) struct Figures<'a> {
    pub(super) gpu: Option<GpuFigures>,
    /// Findings of a soak, by kind.
    pub(super) findings: &'a [(&'static str, usize)],
}

impl Figures<'_> {
    /// Everything about `session`.
    pub(super) fn text(&self, session: &Session) -> String {
        let status = session.status();
        let device_manager = session.device_manager();
        let report = session.renderer_report();
        let mut text = Text(String::new());
        text.info(&[
            ("version", env!("CARGO_PKG_VERSION")),
            (
                "host",
                device_manager.device().map_or("none", |d| d.host().name()),
            ),
        ]);
        text.gauge(
            "running",
            "Whether the render thread lives.",
            f64::from(u8::from(status.running)),
        );
        text.gauge(
            "connected",
            "Whether the device is there, and not the clock in its place.",
            f64::from(u8::from(device_manager.is_connected())),
        );
        text.gauge(
            "sample_rate_hertz",
            "Frames a second of the engine.",
            f64::from(session.sample_rate()),
        );
        text.gauge(
            "latency_frames",
            "Frames from an event to its sound.",
            device_manager.latency() as f64,
        );
        text.gauge("voices", "Voices that sound.", status.engine.voices as f64);
        text.gauge(
            "partials",
            "Partials that sound.",
            status.engine.partials as f64,
        );
        text.gauge(
            "ring_fill_frames",
            "Frames that are ready for the device.",
            status.fill as f64,
        );
        text.gauge(
            "ring_depth_frames",
            "Frames that should be ready.",
            status.depth as f64,
        );
        text.renderer(report.using);
        text.counter(
            "frames_total",
            "Frames that the device asked for.",
            status.frames_asked,
        );
        text.counter(
            "frames_skipped_total",
            "Frames left out because they came too late.",
            status.frames_skipped,
        );
        text.counter(
            "underruns_total",
            "Times that the device found too few frames.",
            status.underruns,
        );
        text.counter(
            "deadline_misses_total",
            "Blocks whose rendering took longer than they sound.",
            status.slow_blocks,
        );
        text.counter(
            "device_xruns_total",
            "Blocks that the device itself says were late.",
            device_manager.xruns(),
        );
        text.counter(
            "device_losses_total",
            "Times that the device went away.",
            device_manager.losses(),
        );
        text.counter(
            "voices_stolen_total",
            "Voices that had to give way.",
            status.engine.voices_stolen,
        );
        text.counter(
            "events_late_total",
            "Events that came too late for their time.",
            status.events_late,
        );
        text.counter(
            "events_refused_total",
            "Events for which there was no room.",
            status.events_refused,
        );
        text.counter(
            "renders_failed_total",
            "Blocks that nobody rendered.",
            status.engine.renders_failed,
        );
        text.counter(
            "gpu_losses_total",
            "Times that the GPU was lost.",
            report.failover.losses,
        );
        text.counter(
            "gpu_returns_total",
            "Times that the GPU came back.",
            report.failover.returns,
        );
        text.histogram(&status.render_time);
        if let Some(bytes) = resident_bytes() {
            text.gauge(
                "resident_memory_bytes",
                "Memory of this process.",
                bytes as f64,
            );
        }
        let usage = session.usage();
        for (name, help, share) in [
            ("cpu_cores", "Processor time in use, in cores.", usage.cpu),
            (
                "steal_cores",
                "Processor time taken by the hypervisor, in cores.",
                usage.steal,
            ),
        ] {
            if let Some(share) = share {
                text.gauge(name, help, f64::from(share));
            }
        }
        if let Some(gpu) = &self.gpu {
            text.gpu(gpu);
        }
        if !self.findings.is_empty() {
            text.head("soak_findings_total", "Findings of a soak.", "counter");
            for (kind, count) in self.findings {
                text.line(
                    &format!("soak_findings_total{{kind=\"{kind}\"}}"),
                    *count as f64,
                );
            }
        }
        text.0
    }
}

struct Text(String);

impl Text {
    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(
            self.0,
            "# HELP myriad_{name} {help}\n# TYPE myriad_{name} {kind}"
        );
    }

    fn line(&mut self, name: &str, value: f64) {
        let _ = writeln!(self.0, "myriad_{name} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.head(name, help, "gauge");
        self.line(name, value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "counter");
        self.line(name, value as f64);
    }

    fn info(&mut self, labels: &[(&str, &str)]) {
        self.head("info", "What plays.", "gauge");
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}=\"{}\"", value.replace(['"', '\\', '\n'], "")))
            .collect();
        self.line(&format!("info{{{}}}", labels.join(",")), 1.0);
    }

    fn renderer(&mut self, using: &str) {
        self.head("renderer", "Who renders: 1 for the one that does.", "gauge");
        for name in ["cpu", "cuda"] {
            // What stands in for a GPU counts as one.
            let renders = (using == "cpu") == (name == "cpu");
            let value = f64::from(u8::from(renders));
            self.line(&format!("renderer{{name=\"{name}\"}}"), value);
        }
    }

    /// Shares of the deadline. The sum is as exact as the buckets are.
    fn histogram(&mut self, times: &Histogram) {
        let name = "render_time_ratio";
        self.head(
            name,
            "Rendering time as a share of the time that is rendered.",
            "histogram",
        );
        let (mut count, mut sum) = (0, 0.0);
        let last = times.counts.len() - 1;
        for (bucket, &blocks) in times.counts.iter().enumerate() {
            count += blocks;
            let lower = f64::from(Histogram::lower_edge(bucket));
            let upper = f64::from(Histogram::lower_edge(bucket + 1));
            sum += blocks as f64 * (lower + upper) / 2.0;
            if bucket < last {
                self.line(&format!("{name}_bucket{{le=\"{upper}\"}}"), count as f64);
            }
        }
        self.line(&format!("{name}_bucket{{le=\"+Inf\"}}"), count as f64);
        self.line(&format!("{name}_sum"), sum);
        self.line(&format!("{name}_count"), count as f64);
    }

    fn gpu(&mut self, gpu: &GpuFigures) {
        for (name, help, value) in [
            (
                "gpu_clock_hertz",
                "The GPU's clock.",
                gpu.clock_mhz.map(|mhz| 1e6 * f64::from(mhz)),
            ),
            (
                "gpu_temperature_celsius",
                "The GPU's temperature.",
                gpu.temperature_c.map(f64::from),
            ),
            ("gpu_power_watts", "The GPU's power.", gpu.power_w),
            (
                "gpu_utilisation_ratio",
                "Share of the time in which the GPU works.",
                gpu.utilisation,
            ),
            (
                "gpu_memory_bytes",
                "The GPU's memory in use by everybody.",
                gpu.memory_bytes.map(|bytes| bytes as f64),
            ),
            (
                "gpu_own_memory_bytes",
                "The GPU's memory in use by this process.",
                gpu.own_memory_bytes.map(|bytes| bytes as f64),
            ),
        ] {
            if let Some(value) = value {
                self.gauge(name, help, value);
            }
        }
    }
}
