//! Figures in Prometheus' text format (version 0.0.4).

use myriad_live::ServiceLoad;
use myriad_live::stream::Histogram;
use myriad_player::Session;
use myriad_player::gpu::GpuFigures;
use myriad_player::memory::resident_bytes;
use std::fmt::Write;

/// Writes one figure a line: its type, name, help and value. A value of `None` is left out.
macro_rules! figures {
    ($text:ident: $($kind:ident $name:ident $help:literal $value:expr;)*) => {
        $($text.figure(stringify!($kind), stringify!($name), $help, $value);)*
    };
}

/// Everything about a session; `findings` are those of a soak, by kind.
pub(super) fn figures(
    session: &Session,
    gpu: Option<GpuFigures>,
    service: Option<ServiceLoad>,
    findings: &[(&'static str, usize)],
) -> String {
    let status = session.status();
    let engine = &status.engine;
    let devices = session.device_manager();
    let report = session.renderer_report();
    let usage = session.usage();
    let gpu = gpu.unwrap_or_default();
    let mut text = Text(String::new());
    text.info(devices.device().map_or("none", |device| device.host().name()));
    figures! { text:
        gauge running "Whether the render thread lives." f64::from(status.running);
        gauge connected "Whether the device is there, and not the clock in its place."
            f64::from(devices.is_connected());
        gauge sample_rate_hertz "Frames a second of the engine." f64::from(session.sample_rate());
        gauge latency_frames "Frames from an event to its sound." devices.latency() as f64;
        gauge voices "Voices that sound." engine.voices as f64;
        gauge partials "Partials that sound." engine.partials as f64;
        gauge ring_fill_frames "Frames that are ready for the device." status.fill as f64;
        gauge ring_depth_frames "Frames that should be ready." status.depth as f64;
    }
    text.renderer(report.using);
    figures! { text:
        counter frames_total "Frames that the device asked for." status.frames_asked as f64;
        counter frames_skipped_total "Frames left out because they came too late."
            status.frames_skipped as f64;
        counter underruns_total "Times that the device found too few frames."
            status.underruns as f64;
        counter deadline_misses_total "Blocks whose rendering took longer than they sound."
            status.slow_blocks as f64;
        counter device_xruns_total "Blocks that were late according to the device."
            devices.xruns() as f64;
        counter device_losses_total "Times that the device went away." devices.losses() as f64;
        counter voices_stolen_total "Voices that had to give way." engine.voices_stolen as f64;
        counter events_late_total "Events that came too late for their time."
            status.events_late as f64;
        counter events_refused_total "Events for which there was no room."
            status.events_refused as f64;
        counter renders_failed_total "Blocks that no renderer rendered." engine.renders_failed as f64;
        counter gpu_losses_total "Times that the GPU was lost." report.failover.losses as f64;
        counter gpu_returns_total "Times that the GPU came back." report.failover.returns as f64;
    }
    text.histogram(&status.render_time);
    figures! { text:
        gauge resident_memory_bytes "Memory of this process." resident_bytes().map(|bytes| bytes as f64);
        gauge cpu_cores "Processor time in use, in cores." usage.cpu.map(f64::from);
        gauge steal_cores "Processor time taken by the hypervisor, in cores."
            usage.steal.map(f64::from);
        gauge gpu_clock_hertz "The GPU's clock." gpu.clock_mhz.map(|mhz| 1e6 * f64::from(mhz));
        gauge gpu_temperature_celsius "The GPU's temperature." gpu.temperature_c.map(f64::from);
        gauge gpu_power_watts "The GPU's power." gpu.power_w;
        gauge gpu_utilisation_ratio "Share of the time in which the GPU works." gpu.utilisation;
        gauge gpu_memory_bytes "The GPU's memory in use by all programs."
            gpu.memory_bytes.map(|bytes| bytes as f64);
        gauge gpu_own_memory_bytes "The GPU's memory in use by this process."
            gpu.own_memory_bytes.map(|bytes| bytes as f64);
        gauge service_clients "Players and plugins that share the render service of the GPU."
            service.map(|service| service.clients as f64);
        gauge service_busy_ratio "Share of the time in which the GPU renders for all of them."
            service.map(|service| service.busy);
    }
    if !findings.is_empty() {
        text.head("counter", "soak_findings_total", "Findings of a soak.");
        for (kind, count) in findings {
            let name = format!("soak_findings_total{{kind=\"{kind}\"}}");
            text.line(&name, *count as f64);
        }
    }
    text.0
}

struct Text(String);

impl Text {
    fn head(&mut self, kind: &str, name: &str, help: &str) {
        let name = format!("myriad_{name}");
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, value: f64) {
        let _ = writeln!(self.0, "myriad_{name} {value}");
    }

    fn figure(&mut self, kind: &str, name: &str, help: &str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into() {
            self.head(kind, name, help);
            self.line(name, value);
        }
    }

    fn info(&mut self, host: &str) {
        self.head("gauge", "info", "What plays.");
        let version = env!("CARGO_PKG_VERSION");
        let host = host.replace(['"', '\\', '\n'], "");
        self.line(&format!("info{{version=\"{version}\",host=\"{host}\"}}"), 1.0);
    }

    fn renderer(&mut self, using: &str) {
        self.head("gauge", "renderer", "The renderer in use: 1 for the one that renders.");
        for name in ["cpu", "cuda"] {
            // A simulated GPU counts as one.
            let value = f64::from((using == "cpu") == (name == "cpu"));
            self.line(&format!("renderer{{name=\"{name}\"}}"), value);
        }
    }

    /// Shares of the deadline, in half octaves. The sum is as exact as the buckets are.
    fn histogram(&mut self, times: &Histogram) {
        let name = "render_time_ratio";
        let help = "Rendering time as a share of the time that is rendered.";
        self.head("histogram", name, help);
        let (mut count, mut sum) = (0, 0.0);
        const TOGETHER: usize = 8;
        let last = times.counts.len() - 1;
        for (bucket, &blocks) in times.counts.iter().enumerate() {
            count += blocks;
            let lower = f64::from(Histogram::lower_edge(bucket));
            let upper = f64::from(Histogram::lower_edge(bucket + 1));
            sum += blocks as f64 * (lower + upper) / 2.0;
            if bucket % TOGETHER == 0 && bucket < last {
                self.line(&format!("{name}_bucket{{le=\"{upper}\"}}"), count as f64);
            }
        }
        self.line(&format!("{name}_bucket{{le=\"+Inf\"}}"), count as f64);
        self.line(&format!("{name}_sum"), sum);
        self.line(&format!("{name}_count"), count as f64);
    }
}
