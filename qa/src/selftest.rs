//! `myriad selftest`: checks a renderer on this machine.

mod blocks;
mod chord;

use myriad_conformance::CHECKS;
use myriad_engine::render::{Capacity, CpuRenderer, Renderer};
use myriad_kernels::cuda::CudaRenderer;
use myriad_live::fault::{BreakRenderer, FaultRenderer, Faults};
use myriad_player::failure::Failure;
use myriad_player::renderer::{Kind, RendererArgs};
use myriad_player::terminal;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  myriad selftest                             the CPU renderer
  myriad selftest --renderer cuda             an NVIDIA GPU
  myriad selftest --renderer cuda --device 1  another one";

/// Check a renderer on this machine: accuracy, sameness, steady memory
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    // `auto` is the processor here: nothing is measured to choose by.
    #[command(flatten)]
    renderer: RendererArgs,

    /// Run this check only
    #[arg(long, value_name = "CHECK")]
    only: Option<String>,

    /// How many blocks to render in the memory check
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    renders: usize,
}

/// Runs the command.
///
/// # Errors
/// When the renderer cannot be used at all, or fails a check.
pub fn run(args: &Args) -> Result<(), Failure> {
    let device = args.renderer.device.unwrap_or(0);
    let cuda = args.renderer.renderer == Kind::Cuda;
    let make = || -> Box<dyn Renderer> {
        match cuda {
            false => Box::new(CpuRenderer::new(1)),
            true => Box::new(CudaRenderer::new(device)),
        }
    };
    // Fails here, once, and not in every check.
    let smallest = Capacity { slots: 1, buses: 1 };
    make().prepare(smallest).map_err(Failure::failed)?;

    let (mut broken, mut reported) = (0, 0);
    let mut report = |name: &str, promise: &str, measure: &dyn Fn() -> Result<String, String>| {
        if args.only.as_deref().is_some_and(|only| only != name) {
            return Ok(());
        }
        reported += 1;
        let start = Instant::now();
        let (verdict, measured) = match measure() {
            Ok(measured) => ("ok  ", measured),
            Err(measured) => {
                broken += 1;
                ("FAIL", format!("{measured}; promised: {promise}"))
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        terminal::print(&format!("{verdict}  {name:<9}  {seconds:6.1} s  {measured}\n"))
    };
    for check in CHECKS {
        report(check.name, check.promise, &|| (check.run)(&make))?;
    }
    report("memory", "memory stays flat however long one plays", &|| match cuda {
        false => blocks::memory(CpuRenderer::new(1), |_| 0, args.renders),
        true => {
            let renderer = CudaRenderer::new(device);
            blocks::memory(renderer, CudaRenderer::free_bytes, args.renders)
        }
    })?;
    let goes_on = "a chord goes on when its renderer fails, and nothing clicks";
    report("chord", goes_on, &|| match cuda {
        false => {
            let make = |faults| FaultRenderer::new(Box::new(CpuRenderer::new(1)), faults);
            chord::check(make, Arc::new(|| Box::new(CpuRenderer::new(1))))
        }
        true => {
            let make = breakable(device, CudaRenderer::lose_context);
            chord::check(make, args.renderer.gpu())
        }
    })?;
    if cuda {
        // In a process of its own, because the driver may refuse it afterwards.
        report("trap", goes_on, &|| match args.only {
            None => in_another_process(device, "trap"),
            Some(_) => {
                let make = breakable(device, CudaRenderer::provoke_failure);
                chord::check(make, args.renderer.gpu())
            }
        })?;
        report("loss", "a GPU that is lost is noticed, and taken back", &|| blocks::loss(device))?;
        // Last, because the driver may refuse this process afterwards.
        report("failure", "a GPU that fails is noticed, and the reason reported", &|| {
            blocks::trap(device)
        })?;
    }
    match broken {
        0 if reported == 0 => Err(Failure::misuse(format!(
            "no check of that name; there are {}, memory and chord, for CUDA also trap, loss and failure",
            CHECKS.iter().map(|check| check.name).collect::<Vec<_>>().join(", ")
        ))),
        0 => Ok(()),
        1 => Err(Failure::failed("selftest: one promise is broken")),
        _ => Err(Failure::failed(format!("selftest: {broken} promises are broken"))),
    }
}

/// Makes CUDA renderers that can be broken for real.
fn breakable(
    device: usize,
    break_it: BreakRenderer<CudaRenderer>,
) -> impl Fn(Arc<Faults>) -> FaultRenderer<CudaRenderer> {
    move |faults| {
        let cuda = Box::new(CudaRenderer::new(device));
        FaultRenderer::new(cuda, faults).breaking(break_it)
    }
}

/// Runs one check of a GPU in another process. Returns its result.
fn in_another_process(device: usize, check: &str) -> Result<String, String> {
    let myriad = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(myriad)
        .args(["selftest", "--renderer", "cuda", "--only", check])
        .args(["--device", &device.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    // "ok    trap         0.9 s  what was measured"
    let text = String::from_utf8_lossy(&output.stdout);
    let measured = text.split_once(" s  ").map_or("it said nothing", |(_, measured)| measured);
    match output.status.success() {
        true => Ok(measured.trim().to_owned()),
        false => Err(measured.trim().to_owned()),
    }
}
