//! The GPU: its driver, its memory, other programs that use it, and what `auto` chooses.

use super::{Finding, State};
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{Capacity, Renderer};
use myriad_kernels::cuda::CudaRenderer;
use myriad_live::{ServiceLoad, service_load};
use myriad_player::gpu::{Gpu, GpuUser};
use myriad_player::renderer::{Kind, RendererArgs};

/// The capacity for which an engine of usual size prepares its renderer.
const CAPACITY: Capacity = Capacity { slots: 2_048, buses: 4 };

pub(super) fn examine(device: usize) -> Vec<Finding> {
    let mut findings = driver(device);
    findings.push(cuda(device));
    findings.extend(service(device));
    findings.push(choice(device));
    findings
}

/// What NVML, the driver's management library, reports.
fn driver(device: usize) -> Vec<Finding> {
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(reason) => {
            let text = format!("no NVIDIA driver answers ({reason})");
            return vec![Finding::ok("driver", text).with(
                State::Note,
                "without an NVIDIA GPU that is as it should be: the processor renders. With one: \
                 install NVIDIA's driver, 530 or newer; in a container pass the GPU in (--gpus all)",
            )];
        }
    };
    let version = gpu.driver();
    let version = version.unwrap_or_else(|| "of unknown version".to_owned());
    let text = format!("NVIDIA {version}, {} GPUs", gpu.count());
    let mut findings = vec![Finding::ok("driver", text)];
    let index = device as u32;
    if let (Some(name), Some([all, free])) = (gpu.name(index), gpu.memory(index)) {
        let [all, free] = [all, free].map(|bytes| bytes >> 20);
        let clock = gpu.highest_clock_mhz(index);
        let clock = clock.map_or(String::new(), |mhz| format!(", up to {mhz} MHz"));
        let text = format!("{device}: {name}, {free} of {all} MiB free{clock}");
        let finding = Finding::ok("gpu", text);
        findings.push(finding.warn_if(free < 256, "others use its memory: close them"));
    }
    findings.push(users(&gpu.users(index)));
    if gpu.is_persistent(index) == Some(false) {
        let text = "its driver is unloaded when no program uses it, so the first start is slow";
        let advice = "sudo nvidia-smi -pm 1, or enable nvidia-persistenced";
        findings.push(Finding::ok("gpu", text).with(State::Note, advice));
    }
    findings
}

/// Other programs that use the GPU.
fn users(users: &[GpuUser]) -> Finding {
    if users.is_empty() {
        return Finding::ok("gpu", "no other program uses it, as far as the driver knows");
    }
    let named = users.iter().take(5).map(|user| {
        let memory = user.memory_bytes;
        let memory = memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
        format!("{} ({}{memory})", user.name.as_deref().unwrap_or("?"), user.pid)
    });
    let text = format!("others use it: {}", named.collect::<Vec<_>>().join(", "));
    Finding::ok("gpu", text).with(
        State::Note,
        "their work delays ours; what computes for long is best ended before playing",
    )
}

/// Whether our renderer starts on the GPU.
fn cuda(device: usize) -> Finding {
    let mut renderer = CudaRenderer::new(device);
    if let Err(error) = renderer.prepare(CAPACITY) {
        return Finding::ok("cuda", format!("does not render: {error}")).with(
            State::Note,
            "docs/CUDA.md lists what to do for each message; `myriad selftest --renderer cuda` checks more",
        );
    }
    let counters = renderer.counters().cloned().unwrap_or_default();
    let (major, minor) = counters.capability;
    let text = format!(
        "renders: compute capability {major}.{minor}, {}, CUDA {}.{}, {} MiB of the GPU",
        counters.code,
        counters.driver / 1000,
        counters.driver % 1000 / 10,
        counters.device_bytes >> 20
    );
    Finding::ok("cuda", text)
}

/// Who shares the GPU through the render service, where it runs.
fn service(device: usize) -> Option<Finding> {
    let ServiceLoad { clients, busy } = service_load(device)?;
    let text = format!("{clients} players and plugins share it, busy {:.0}%", 100.0 * busy);
    Some(Finding::ok("service", text))
}

/// The renderer that `auto` chooses.
fn choice(device: usize) -> Finding {
    let args = RendererArgs { renderer: Kind::Auto, device: Some(device), recalibrate: false };
    let (mut renderer, handle) = args.live(1, 48_000, ThreadPolicy::Normal);
    if let Err(error) = renderer.prepare(CAPACITY) {
        let text = format!("`auto` cannot start: {error}");
        let advice = "--renderer cpu needs least; please report this";
        return Finding::ok("renderer", text).with(State::Broken, advice);
    }
    let report = handle.report();
    let text = format!("`auto` begins with {}: {}", report.using, report.why);
    Finding::ok("renderer", text)
}
