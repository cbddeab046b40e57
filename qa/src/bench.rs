//! `myriad bench`: what this machine can render, on its cores and on its GPU.

mod candidate;
mod compare;
mod effects;
mod figure;
mod grid;
mod held;
mod load;
mod machine;
mod overlap;
mod played;
mod plots;
mod report;
mod round_trip;
mod rounds;
pub mod scenario;
mod serve;
mod songs;
mod start;
mod table;
mod text;

use candidate::Candidate;
use clap::ValueEnum;
use machine::Machine;
use myriad_kernels::cuda::CudaOptions;
use myriad_player::failure::{Exit, Failure};
use myriad_player::machine::cores;
use myriad_player::trace::Tracer;
use myriad_player::{interrupt, terminal};
use report::Report;
use rounds::Plan;
use start::Start;
use std::path::PathBuf;

/// The sample rate of everything that is measured.
const RATE: f64 = 48_000.0;

/// How long to measure in all, in seconds, by default and with `--quick`.
const USUAL: f64 = 180.0;
const QUICK: f64 = 13.0;

const EXAMPLES: &str = "\
Examples:
  myriad bench                              all of it, in about three minutes
  myriad bench --quick                      the same in fifteen seconds, less sure
  myriad bench --only held --only grid      what it holds, and from where on a GPU pays
  myriad bench --plots pictures             and pictures of it
  myriad bench --json > before.json         for later:
  myriad bench --compare before.json        what became slower or quicker, beyond noise

Run it on a machine that does nothing else. docs/BENCH.md says how things are measured, and what
the JSON means.";

/// Measure what this machine holds, on its cores and on its GPU
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Which renderers are measured
    #[arg(long, value_enum, default_value_t = Renderers::All)]
    renderer: Renderers,

    /// Which GPU, where there are several
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,

    /// Measure this section only. May be repeated
    #[arg(long, value_enum, value_name = "SECTION")]
    only: Vec<Section>,

    /// Fifteen seconds instead of three minutes, and fewer cases
    #[arg(short, long)]
    quick: bool,

    /// About how long to measure in all, from 0.1 to 3600 seconds
    #[arg(long, value_name = "SECONDS", conflicts_with = "quick", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// Write where time goes, for ui.perfetto.dev or Chrome
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,

    /// Draw pictures into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,

    /// Show the run that wrote this JSON instead of measuring
    #[arg(long, value_name = "RUN.json")]
    #[arg(conflicts_with_all = ["renderer", "device", "only", "quick", "seconds"])]
    from: Option<PathBuf>,

    /// Print a kept run as the tables of the README
    #[arg(long, requires = "from", conflicts_with = "json")]
    markdown: bool,

    /// Say what changed since the run that wrote this JSON
    #[arg(long, value_name = "OLD.json")]
    compare: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Renderers {
    /// This machine's cores and, where there is one, its GPU
    All,
    /// The cores: one, then all
    Cpu,
    /// An NVIDIA GPU
    Cuda,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Section {
    /// From nothing to the first block, and memory
    Start,
    /// Partials held in real time
    Held,
    /// Voices by partials, and the crossover
    Grid,
    /// Percentiles of blocks through the renderer
    RoundTrip,
    /// The same through the whole engine, 1,024 voices sounding
    Played,
    /// Songs, as times real time. Not part of a quick run
    Songs,
    /// What each effect costs on one core. Only when it is named
    Effects,
    /// Virtual players of `myriad serve` on the loopback. Only when it is named
    Serve,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("give seconds from 0.1 to 3600".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// When a renderer that was asked for is missing, a renderer fails, or a file cannot be read or
/// written.
pub fn run(args: &Args) -> Result<(), Failure> {
    interrupt::install();
    let before = args.compare.as_deref().map(Report::load).transpose()?;
    if let Some(folder) = &args.plots {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::failed(format!("{}: {error}", folder.display())))?;
    }
    let mut report = match &args.from {
        Some(path) => Report::load(path)?,
        None => {
            let tracer = Tracer::start(args.trace.as_deref())?;
            let measured = measure(args);
            tracer.map_or(Ok(()), Tracer::finish)?;
            measured?
        }
    };
    if args.markdown {
        return terminal::print(&report.markdown());
    }
    if args.from.is_some() && !args.json {
        terminal::print(&report.text())?;
    }
    if let Some(before) = &before {
        let (changes, compared) = compare::changes(before, &report);
        if before.machine != report.machine {
            terminal::say("myriad: note: the earlier run was on another machine or driver");
        }
        if !args.json {
            terminal::print(&text::changes(&changes, compared))?;
        }
        report.changes = Some(changes);
    }
    if args.json {
        terminal::print_json(&report)?;
    }
    if let Some(folder) = &args.plots {
        for path in plots::draw(&report, folder)? {
            terminal::say(&format!("myriad: drew {}", path.display()));
        }
    }
    match interrupt::requested() {
        true => Err(Failure::new(
            Exit::Interrupted,
            "interrupted; the figures are those measured until then",
        )),
        false => Ok(()),
    }
}

/// Measures section by section, and shows each as soon as it is done.
fn measure(args: &Args) -> Result<Report, Failure> {
    let usual = if args.quick { QUICK } else { USUAL };
    let seconds = args.seconds.unwrap_or(usual);
    let plan = Plan { seconds };
    let (candidates, mut starts, mut report) = start(args, seconds)?;
    for note in &report.notes {
        terminal::say(&format!("myriad: note: {note}"));
    }
    let show = |text: String| match args.json {
        true => Ok(()),
        false => terminal::print(&text),
    };
    show(report.head())?;
    for &section in Section::value_variants() {
        if interrupt::requested() || !(args.only.is_empty() || args.only.contains(&section)) {
            continue;
        }
        match section {
            Section::Start => {
                for (candidate, start) in candidates.iter().zip(&mut starts) {
                    start::again(candidate, start)?;
                }
                report.start = Some(std::mem::take(&mut starts));
            }
            Section::Held => {
                let gpu = report.machine.gpu.as_ref();
                report.held = Some(held::measure(&candidates, gpu, &plan)?);
            }
            Section::Grid => report.grid = Some(grid::measure(&candidates, &plan)?),
            Section::RoundTrip => {
                report.round_trip = Some(round_trip::measure(&candidates, &plan)?);
            }
            Section::Played => {
                report.played = Some(played::measure(&candidates, &plan)?);
                report.played_crossovers = played::crossovers(&candidates, &plan)?;
            }
            Section::Songs if args.only.is_empty() && plan.is_quick() => {}
            Section::Songs => report.songs = Some(songs::measure(&candidates, &plan)?),
            Section::Effects | Section::Serve if args.only.is_empty() => {}
            Section::Effects => report.effects = Some(effects::measure(&plan)?),
            Section::Serve => report.serve = Some(serve::measure(args.renderer, &plan)?),
        }
        show(report.section(section))?;
    }
    report.interrupted = interrupt::requested();
    Ok(report)
}

/// Starts every renderer that was asked for once. Returns those that work, how they started, and an
/// empty report.
fn start(args: &Args, seconds: f64) -> Result<(Vec<Candidate>, Vec<Start>, Report), Failure> {
    let mut wanted = Vec::new();
    if args.renderer != Renderers::Cuda {
        wanted.push(Candidate::Cpu { threads: 1 });
        if cores() > 1 {
            wanted.push(Candidate::Cpu { threads: cores() });
        }
    }
    if args.renderer != Renderers::Cpu {
        wanted.push(Candidate::Cuda {
            device: args.device,
            options: CudaOptions { stage_times: args.trace.is_some(), ..CudaOptions::default() },
        });
    }
    let (mut candidates, mut starts, mut gpu, mut notes) = (vec![], vec![], None, vec![]);
    for candidate in wanted {
        match start::first(&candidate) {
            Ok((start, its_gpu)) => {
                candidates.push(candidate);
                starts.push(start);
                gpu = gpu.or(its_gpu);
            }
            Err(reason) if !candidate.is_cuda() => return Err(Failure::failed(reason)),
            Err(reason) if args.renderer == Renderers::All => {
                notes.push(format!("CUDA is not measured: {reason}"));
            }
            Err(reason) => return Err(Failure::failed(format!("--renderer cuda: {reason}"))),
        }
    }
    let report = Report::new(Machine::new(cores(), gpu), seconds, notes);
    Ok((candidates, starts, report))
}

#[cfg(test)]
mod tests;
