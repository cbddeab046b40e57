//! `myriad soak`: a test over hours. A generator plays at random, every frame is checked, and a report
//! lists what was found.

mod clips;
mod event_sender;
mod finding;
mod generator;
mod inject;
mod journal;
mod page;
mod reference;
mod report;
mod rng;
mod run;
mod sampler;
mod summary;
mod watch;

use crate::metrics::Publisher;
use crate::stall_probe::StallProbes;
use clips::Clips;
use event_sender::EventSender;
use generator::SceneGenerator;
use indicatif::ProgressBar;
use inject::{Fault, Injector};
use journal::{Begin, Journal, SCHEMA};
use myriad_engine::dsp::FlushDenormals;
use myriad_engine::render::{MAX_TICKS, TICK};
use myriad_engine::{InstanceSettings, Patch};
use myriad_live::auto::Piece;
use myriad_live::fault::{FaultRenderer, Faults};
use myriad_live::supervised::Load as RenderLoad;
use myriad_player::failure::{Exit, Failure};
use myriad_player::renderer::{Kind as RendererKind, RendererArgs};
use myriad_player::trace::Tracer;
use myriad_player::{self as play, DeviceRequest, Host, Load, PacingArgs, Session, Setup};
use myriad_player::{interrupt, terminal};
use reference::Reference;
use report::{Report, Verdict};
use run::Run;
use sampler::Sampler;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use watch::Watch;

const EXAMPLES: &str = "\
Examples:
  myriad soak                                 one virtual hour, in a minute or two; exit code 0 if clean
  myriad soak --hours 8 --seed 7              eight virtual hours, the same each time; without --seed
                                              each soak plays something new and says with which seed
  myriad soak --device jack --minutes 30      half an hour of real time through a JACK server
  myriad soak --device clock --renderer cuda --buffer 64 --minutes 8 --inject gpu-loss
                                              a GPU that is lost again and again
  myriad soak --resume soak-report            go on where a soak was stopped

The folder of --report has report.html for people, report.json for machines (docs/SOAK.md), the
journal that both are made from, and the sound around everything that was found.";

/// A MIDI input that does not exist: a soak has none.
const NO_MIDI: &str = "\0";

/// Play at random for hours, watch everything, and report
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What the sound goes to
    #[arg(long, value_enum, default_value_t = Device::Virtual)]
    device: Device,

    /// How many hours to play
    #[arg(long, value_name = "N", value_parser = positive)]
    hours: Option<f64>,

    /// How many minutes, instead or besides [default: an hour in all]
    #[arg(long, value_name = "N", value_parser = positive)]
    minutes: Option<f64>,

    /// The seed of what is played [default: a fresh one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The folder for the report
    #[arg(long, value_name = "FOLDER", default_value = "soak-report")]
    report: PathBuf,

    /// Go on with the soak in this folder, as it was begun
    #[arg(long, value_name = "FOLDER")]
    #[arg(conflicts_with_all = ["device", "hours", "minutes", "seed", "report", "renderer", "gpu"])]
    #[arg(conflicts_with_all = ["buffer", "depth", "rate", "awake", "load", "inject"])]
    resume: Option<PathBuf>,

    /// Which renderer
    #[arg(long, value_enum, default_value_t = RendererKind::Cpu)]
    renderer: RendererKind,

    /// Which GPU, where there are several
    #[arg(long, alias = "card", value_name = "N", default_value_t = 0)]
    gpu: usize,

    #[command(flatten)]
    pacing: PacingArgs,

    /// The highest load of a load ramp
    #[arg(long, value_name = "VOICES[xPARTIALS]", default_value = "48x48", value_parser = ramp_load)]
    load: Load,

    /// A fault to inject, about once a minute. May be repeated
    #[arg(long, value_enum, value_name = "FAULT")]
    inject: Vec<Fault>,

    /// Write where time goes, for ui.perfetto.dev or Chrome
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,

    /// Serve figures for Prometheus: a port for this machine alone, or ADDRESS:PORT
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::metrics::address)]
    metrics: Option<SocketAddr>,

    /// Fail also when only the machine was at fault
    #[arg(long)]
    strict: bool,

    /// Print the report as JSON; without its samples and notes, which are in the folder
    #[arg(long)]
    json: bool,
}

/// What the sound goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    /// Nothing, as fast as can be: hours in minutes, the same each time
    Virtual,
    /// Nothing, paced by the clock
    Clock,
    /// A running JACK server
    Jack,
    /// The first device that works
    Default,
}

impl Device {
    fn host(self) -> Option<Host> {
        match self {
            Device::Virtual => Some(Host::Virtual),
            Device::Clock => Some(Host::Clock),
            Device::Jack => Some(Host::Jack),
            Device::Default => None,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 10_000.0 => Ok(number),
        _ => Err("give a number above 0, up to 10000".to_owned()),
    }
}

/// The name of a value on the command line.
fn name_of(value: impl clap::ValueEnum) -> String {
    let possible = value.to_possible_value();
    possible.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The value with this name on the command line.
fn value_of<T: clap::ValueEnum>(name: &str) -> Result<T, Failure> {
    T::from_str(name, false).map_err(|error| Failure::failed(format!("journal: {error}")))
}

/// Runs the command.
///
/// # Errors
/// When nothing can be played, the report cannot be written, or a fault of ours was found.
pub fn run(args: &Args) -> Result<(), Failure> {
    interrupt::install();
    let (begin, folder, report) = match &args.resume {
        Some(folder) => {
            let mut report = Report::new();
            journal::read(folder)?.iter().for_each(|line| report.add(line));
            let begin = report.settings.clone();
            let begin = begin.ok_or_else(|| Failure::failed("the journal has no beginning"))?;
            (begin, folder.clone(), report)
        }
        None => (args.begin()?, args.report.clone(), Report::new()),
    };
    if args.resume.is_none() && folder.join(journal::FILE).exists() {
        return Err(Failure::misuse(format!(
            "{} has a soak already: --resume goes on with it, --report takes another folder",
            folder.display()
        )));
    }
    // What is taken later would look like a leak.
    myriad_engine::render::take_memory_at_once();
    // First of all, so that whatever happens can be repeated.
    eprintln!("myriad: soak with --seed {}", begin.seed);
    let started = Instant::now();
    let tracer = Tracer::start(args.trace.as_deref())?;
    let soaked = soak(&begin, folder.clone(), report, args);
    tracer.map_or(Ok(()), Tracer::finish)?;
    let report = soaked?;
    let text = summary::text(&report, &folder, started.elapsed());
    match args.json {
        true => terminal::print_json(&report.short())?,
        false => terminal::print(&text)?,
    }
    match report.verdict {
        Verdict::Faulty => Err(Failure::failed(format!(
            "soak: faults were found; the same again: {}",
            begin.command()
        ))),
        Verdict::Disturbed if args.strict && report.machines > 0 => {
            Err(Failure::failed("soak: the machine was at fault"))
        }
        Verdict::Clean | Verdict::Disturbed => match report.complete {
            true => Ok(()),
            false => Err(Failure::new(
                Exit::Interrupted,
                format!("stopped; `myriad soak --resume {}` goes on", folder.display()),
            )),
        },
    }
}

impl Args {
    /// The first line of the journal.
    fn begin(&self) -> Result<Begin, Failure> {
        let injects = |fault| self.inject.contains(&fault);
        if injects(Fault::GpuLoss) && self.renderer == RendererKind::Cpu {
            return Err(Failure::misuse(
                "--inject gpu-loss needs a GPU to lose: --renderer cuda, or stand-in to rehearse",
            ));
        }
        if injects(Fault::DeviceLoss) && self.device == Device::Virtual {
            return Err(Failure::misuse(
                "--inject device-loss needs a device that can be lost: --device clock, jack or default",
            ));
        }
        let seconds = match (self.hours, self.minutes) {
            (None, None) => 3_600.0,
            (hours, minutes) => 3_600.0 * hours.unwrap_or(0.0) + 60.0 * minutes.unwrap_or(0.0),
        };
        Ok(Begin {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: self.seed.unwrap_or_else(fresh_seed),
            seconds,
            device: name_of(self.device),
            renderer: name_of(self.renderer),
            gpu: self.gpu,
            buffer: self.pacing.buffer,
            depth: self.pacing.depth,
            rate: self.pacing.rate,
            awake: self.pacing.awake,
            load: [self.load.voices, self.load.partials],
            inject: self.inject.iter().map(|&fault| name_of(fault)).collect(),
        })
    }
}

/// A seed that no soak had before, short enough to be typed.
fn fresh_seed() -> u64 {
    // The standard library's only source of randomness.
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The load of a ramp: one part, without unison.
fn ramp_load(text: &str) -> Result<Load, String> {
    let load: Load = text.parse()?;
    match load.copies == 1 && load.parts() == 1 {
        true => Ok(load),
        false => Err("give VOICES or VOICESxPARTIALS, up to 1024 voices".to_owned()),
    }
}

/// Plays a run: all of a soak, or the rest of it.
fn soak(begin: &Begin, folder: PathBuf, report: Report, args: &Args) -> Result<Report, Failure> {
    let device: Device = value_of(&begin.device)?;
    let stepped = device == Device::Virtual;
    // In virtual time this thread renders.
    let _flush = stepped.then(FlushDenormals::new);
    let faults: Result<Vec<Fault>, Failure> =
        begin.inject.iter().map(|name| value_of(name)).collect();
    let load = Load { voices: begin.load[0], copies: 1, partials: begin.load[1] };
    let stall = Arc::default();
    let mut setup = setup(begin, device, load, &stall)?;
    let gpu = setup.renderer.may_use_gpu();
    setup.observer = Publisher::start(args.metrics, gpu)?;
    let session = Session::start(setup)?;
    let on_gpu = match value_of::<RendererKind>(&begin.renderer)? {
        RendererKind::Cpu | RendererKind::StandIn | RendererKind::StandInService => false,
        RendererKind::Auto | RendererKind::Cuda => true,
    };
    let reference = Reference::start(&session, stepped, on_gpu);
    let reference = reference.map_err(|error| Failure::failed(format!("reference: {error}")))?;
    let rate = session.sample_rate();
    let generator = SceneGenerator { seed: begin.seed, rate: f64::from(rate), load };
    let past = report.seconds;
    let mut run = Run {
        event_sender: EventSender::new(generator, report.next_scene),
        watch: Watch::new(f64::from(rate), past),
        reference,
        clips: Clips::new(&folder, rate, report.clips()),
        injector: Injector::new(&faults?, begin.seed, begin.seconds, past, stall),
        sampler: Sampler::new(begin.seconds, past, gpu, !stepped),
        journal: Journal::open(&folder)?,
        folder,
        rate: f64::from(rate),
        seconds: begin.seconds,
        stepped,
        stall_probes: (!stepped).then(StallProbes::start).flatten(),
        block: session.device_manager().device().map_or(1, play::Device::block),
        device_changes: (0, session.device_manager().is_connected()),
        renders_failed: 0,
        heard: Vec::new(),
        found: Vec::new(),
        last_sample: Instant::now(),
        next_save: Instant::now() + Duration::from_secs(5),
        session,
        report,
    };
    run.begin(begin)?;
    let bar = match args.json {
        true => ProgressBar::hidden(),
        false => terminal::progress_bar(begin.seconds as u64),
    };
    run.play(|seconds, report| {
        bar.set_position(seconds as u64);
        bar.set_message(format!("{} findings", report.found()));
    })
    .inspect(|_| bar.finish_and_clear())
}

/// The session of a soak: four parts, no MIDI, and every frame can be checked.
fn setup(begin: &Begin, device: Device, load: Load, stall: &Arc<Faults>) -> Result<Setup, Failure> {
    let generator = SceneGenerator { seed: begin.seed, rate: 0.0, load };
    let renderer = RendererArgs {
        renderer: value_of(&begin.renderer)?,
        device: Some(begin.gpu),
        recalibrate: false,
    };
    let stall = Arc::clone(stall);
    let stepped = device == Device::Virtual;
    let piece = Piece {
        load: RenderLoad {
            ticks: MAX_TICKS,
            clouds: load.voices,
            partials: load.voices * load.partials,
        },
        blocks: (begin.seconds * 48_000.0) as u64 / (MAX_TICKS * TICK) as u64,
    };
    Ok(Setup {
        device_request: DeviceRequest {
            host: device.host(),
            rate: begin.rate,
            block: begin.buffer,
            midi: Some(NO_MIDI.to_owned()),
            name: None,
            awake: begin.awake,
        },
        depth: begin.depth.map(|frames| frames as usize),
        song: None,
        live: Patch::new(),
        own: EventSender::parts(&generator),
        load: None,
        record: None,
        renderer,
        lose_gpu: None,
        listen: true,
        settings: InstanceSettings::default(),
        observer: None,
        make_renderer: Some(Box::new(move |threads, rate, thread_policy| {
            // In virtual time there are no deadlines, so no load is shed.
            let (made, handle) = match stepped {
                true => renderer.for_piece(1, piece),
                false => renderer.live(threads, rate, thread_policy),
            };
            (Box::new(FaultRenderer::new(made, stall)), handle)
        })),
    })
}

#[cfg(test)]
mod tests;
