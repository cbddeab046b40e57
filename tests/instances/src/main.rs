//! A CLAP host that measures many instances of the plugin in one process, and compares them with one alone.
//!
//! It loads the built plugin as any host does, gives every instance the same held load, and calls all instances one
//! after the other from one audio thread, at the pace of the wall clock. It needs no sound device.

mod clock;
mod host;
mod measurement;
mod report;

use clap::Parser;
use host::Plugin;
use measurement::Measurement;
use myriad_engine::{Patch, factory};
use myriad_player::Load;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;

/// The most voices of an instance.
const MOST_VOICES: usize = 256;

/// Measures ten instances of the plugin in one process, and compares them with one alone.
///
/// Every instance holds the same load. All are called one after the other from one audio thread, at the pace of the
/// clock; no sound device is needed. For each one it says what renders, the time that the render thread takes for
/// a block (median and 99%, as shares of the block's period), the time that process() takes, and underruns with their
/// causes. The program of the render service, myriad-render-service, has to be beside the plugin.
///
/// The exit code is 0 if each of the instances is within 5 points of one alone, everything was rendered where it should
/// be, and every underrun is the machine's; 1 if not; 2 for wrong arguments.
#[derive(Parser)]
#[command(name = "plugin-instances", version, after_help = EXAMPLES)]
struct Args {
    /// The built plugin: Myriad.clap or libmyriad_plugin.so
    plugin: PathBuf,
    /// Instances that play together
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100), value_name = "COUNT")]
    instances: u16,
    /// How long is measured, for one and for all; the voices start before that
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// What each instance holds: VOICESxPARTIALS, or VOICESxCOPIESxPARTIALS
    #[arg(long, default_value = "128x64")]
    load: Load,
    /// The factory patch whose voices these are
    #[arg(long, default_value = "Velvet Tines", value_name = "NAME")]
    patch: String,
    /// Frames of a block
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(16..=4_096), value_name = "FRAMES")]
    buffer: u32,
    /// What renders
    #[arg(long, value_enum, default_value_t = Renderer::Cuda)]
    renderer: Renderer,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  plugin-instances target/bundled/Myriad.clap
  plugin-instances target/bundled/Myriad.clap --instances 20 --seconds 30 --json
  plugin-instances target/bundled/Myriad.clap --renderer cpu --instances 2 --load 8x64";

/// What renders. The names are those that a project of the plugin uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Renderer {
    /// An NVIDIA GPU, through the render service
    Cuda,
    /// The processor, inside process()
    Cpu,
    /// The processor in place of a GPU, through the render service, which takes four instances then
    StandInService,
}

impl Renderer {
    /// The word in the state of an instance.
    fn word(self) -> &'static str {
        match self {
            Renderer::Cuda => "cuda",
            Renderer::Cpu => "cpu",
            Renderer::StandInService => "stand-in-service",
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let patch = match load_patch(&args) {
        Ok(patch) => patch,
        Err(problem) => {
            eprintln!("plugin-instances: {problem}");
            return ExitCode::from(2);
        }
    };
    match measure(&args, &patch) {
        Ok(report) => {
            match args.json {
                true => println!("{}", report.to_json()),
                false => print!("{}", report.to_text()),
            }
            ExitCode::from(u8::from(!report.holds()))
        }
        Err(error) => {
            eprintln!("plugin-instances: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The patch with the load of an instance. Fails if the arguments do not fit.
fn load_patch(args: &Args) -> Result<Patch, String> {
    if args.load.voices > MOST_VOICES {
        return Err(format!("--load: an instance has up to {MOST_VOICES} voices"));
    }
    if !args.plugin.is_file() {
        return Err(format!("{} is no file; build it with plugin/bundle", args.plugin.display()));
    }
    match factory::find(&args.patch) {
        Some(patch) => Ok(args.load.patch(&patch)),
        None => Err(format!("--patch: there is no factory patch {:?}", args.patch)),
    }
}

/// Measures one alone, then all together.
fn measure(args: &Args, patch: &Patch) -> Result<Report, host::HostingError> {
    let plugin = Plugin::load(&args.plugin, patch, args.renderer)?;
    let measurement = Measurement { seconds: args.seconds, load: args.load, block: args.buffer };
    let alone = measurement.run(&plugin, 1)?;
    let together = measurement.run(&plugin, usize::from(args.instances))?;
    Ok(Report::new(args, alone, together))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Args::command().debug_assert();
        let args = Args::parse_from(["plugin-instances", "Myriad.clap"]);
        assert_eq!(args.load, Load { voices: 128, copies: 1, partials: 64 });
        assert!(load_patch(&args).is_err(), "there is no such file");
    }
}
