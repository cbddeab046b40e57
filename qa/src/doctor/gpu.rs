//! The GPU: driver, memory, who else uses it, and what `auto` makes of it.

use super::Finding;
use myriad_engine::ThreadPolicy;
use myriad_engine::render::{Capacity, Renderer};
use myriad_kernels::cuda::CudaRenderer;
use myriad_player::gpu::{Gpu, GpuUser};
use myriad_player::renderer::{Kind, RendererArgs};

/// As an engine of usual size prepares its renderer.
const CAPACITY: Capacity = Capacity {
    slots: 2_048,
    buses: 4,
};

pub(super) fn examine(device: usize) -> Vec<Finding> {
    let mut findings = driver(device);
    findings.push(cuda(device));
    findings.push(choice(device));
    findings
}

/// What the driver's own library says.
fn driver(device: usize) -> Vec<Finding> {
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(reason) => {
            return vec![Finding::note(
                "driver",
                format!("no NVIDIA driver answers ({reason})"),
                "without an NVIDIA GPU that is as it should be: the processor renders. With one: \
                 install NVIDIA's driver, 530 or newer; in a container pass the GPU in (--gpus all)",
            )];
        }
    };
    let version = gpu
        .driver()
        .unwrap_or_else(|| "of unknown version".to_owned());
    let mut findings = vec![Finding::ok(
        "driver",
        format!("NVIDIA {version}, {} GPUs", gpu.count()),
    )];
    let index = device as u32;
    if let (Some(name), Some([all, free])) = (gpu.name(index), gpu.memory(index)) {
        let [all, free] = [all, free].map(|bytes| bytes >> 20);
        let clock = gpu.highest_clock_mhz(index);
        let clock = clock.map_or(String::new(), |mhz| format!(", up to {mhz} MHz"));
        let text = format!("{device}: {name}, {free} of {all} MiB free{clock}");
        findings.push(match free < 256 {
            true => Finding::warning("gpu", text, "others use its memory: close them"),
            false => Finding::ok("gpu", text),
        });
    }
    findings.push(users(&gpu.users(index)));
    if gpu.is_persistent(index) == Some(false) {
        findings.push(Finding::note(
            "gpu",
            "its driver is unloaded when nobody uses it, so the first start is slow",
            "sudo nvidia-smi -pm 1, or enable nvidia-persistenced",
        ));
    }
    findings
}

fn users(users: &[GpuUser]) -> Finding {
    if users.is_empty() {
        return Finding::ok("gpu", "nobody else uses it, as far as the driver tells");
    }
    let named = users.iter().take(5).map(|user| {
        let name = user.name.clone().unwrap_or_else(|| "?".to_owned());
        let memory = user.memory_bytes;
        let memory = memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
        format!("{name} ({}{memory})", user.pid)
    });
    Finding::note(
        "gpu",
        format!("others use it: {}", named.collect::<Vec<_>>().join(", ")),
        "their work delays ours; what computes for long is best ended before playing",
    )
}

/// Whether our renderer really starts on it.
fn cuda(device: usize) -> Finding {
    let mut renderer = CudaRenderer::new(device);
    match renderer.prepare(CAPACITY) {
        Ok(()) => {
            let counters = renderer.counters().cloned().unwrap_or_default();
            let (major, minor) = counters.capability;
            Finding::ok(
                "cuda",
                format!(
                    "renders: compute capability {major}.{minor}, {}, CUDA {}.{}, {} MiB of the GPU",
                    counters.code,
                    counters.driver / 1000,
                    counters.driver % 1000 / 10,
                    counters.device_bytes >> 20
                ),
            )
        }
        Err(error) => Finding::note(
            "cuda",
            format!("does not render: {error}"),
            "docs/CUDA.md lists what to do for each message; `myriad selftest --renderer cuda` checks more",
        ),
    }
}

/// Who would render, if nobody says anything.
fn choice(device: usize) -> Finding {
    let args = RendererArgs {
        renderer: Kind::Auto,
        device,
        recalibrate: false,
    };
    let (mut renderer, handle) = args.live(1, 48_000, ThreadPolicy::Normal);
    if let Err(error) = renderer.prepare(CAPACITY) {
        return Finding::broken(
            "renderer",
            format!("`auto` cannot start: {error}"),
            "--renderer cpu needs least; please report this",
        );
    }
    let report = handle.report();
    Finding::ok(
        "renderer",
        format!("`auto` begins with {}: {}", report.using, report.why),
    )
}
