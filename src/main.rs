//! The `myriad` program: the command line.

mod demo;
mod import;
mod inspect;
mod patches;
mod picture;
mod play;
mod render;
#[cfg(target_os = "linux")]
mod render_service;
mod serve;
mod shell_files;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
#[cfg(target_os = "linux")]
use myriad_kernels::SUBCOMMAND;
use myriad_player::failure::Failure;
use myriad_qa::{bench, doctor, selftest, soak};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Try:
  myriad demo                                   play a song, or render demo.wav without an audio device
  myriad play                                   play live, with the computer's keys or MIDI
  myriad serve                                  play it from a browser, alone or with others
  myriad patches                                list the patches
  myriad render song.mid                        render a MIDI file to song.wav
  myriad render song.mid --patch 'Felt Grand'   the same, with one patch for all parts
  myriad import flute.wav                       make a patch from a recorded note
  myriad import city.jpg                        make a patch from a picture
  myriad picture Aurora                         draw what a patch plays: aurora.png
  myriad inspect song.wav                       length, peak, loudness and a spectrogram
  myriad bench --quick                          how many partials this machine renders
  myriad doctor                                 check this machine, with advice";

/// Myriad, a synthesizer in which every sound is a cloud of partials.
#[derive(Parser)]
#[command(name = "myriad", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Render(render::Args),
    Patches(patches::Args),
    Import(import::Args),
    Picture(picture::Args),
    Demo(demo::Args),
    Play(play::Args),
    Serve(serve::Args),
    Inspect(inspect::Args),
    Selftest(selftest::Args),
    Bench(bench::Args),
    Soak(Box<soak::Args>),
    Doctor(doctor::Args),
    #[cfg(target_os = "linux")]
    #[command(name = SUBCOMMAND, hide = true)]
    RenderService(render_service::Args),
    #[command(hide = true)]
    ShellFiles(shell_files::Args),
}

const HELP_WITHOUT_COMMAND: ErrorKind = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;

fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(help) if !help.use_stderr() || help.kind() == HELP_WITHOUT_COMMAND => {
            // Help that was asked for goes to standard output, other help to standard error.
            let _ = help.print();
            return ExitCode::from(if help.use_stderr() { 2 } else { 0 });
        }
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Render(args) => render::run(&args),
        Command::Patches(args) => patches::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Picture(args) => picture::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Soak(args) => soak::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        #[cfg(target_os = "linux")]
        Command::RenderService(args) => render_service::run(&args),
        Command::ShellFiles(args) => shell_files::run(&args),
    }
}
