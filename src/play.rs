//! `myriad play`: plays live from the keyboard and MIDI, or plays a song.

mod report;
mod view;
mod window;

use crate::demo::DemoSong;
use myriad_engine::{InstanceSettings, Patch};
use myriad_library as library;
use myriad_player::assignment::{PatchAssignment, PatchRequest, check_unique_channels};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_player::renderer::RendererArgs;
use myriad_player::session::{Ending, Recording};
use myriad_player::song::Song;
use myriad_player::trace::Tracer;
use myriad_player::{
    DeviceRequest, Host, Load, MpeArgs, PacingArgs, ScaleArgs, Session, Setup, device,
};
use myriad_player::{terminal, wav};
use myriad_qa::metrics::Publisher;
use report::{Lines, Style};
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  myriad play                                 play with the computer's keys or a MIDI keyboard
  myriad play --window                        the same with the editor, in a window
  myriad play --patch 'Felt Grand'            start with that patch
  myriad play song.mid --record take.wav      play a song, play along, record it
  myriad play --list                          list outputs and MIDI inputs
  myriad play --host jack --plain             through JACK, with one line of status a second
  myriad play --host clock --load 512x64 --for 60 --json
                                              measure a load, without sound";

/// The patch of live playing by default.
const FIRST_PATCH: &str = "Velvet Tines";

/// The period of ticks without a view.
const PAUSE: Duration = Duration::from_millis(10);

/// Play live: with the computer's keys, from MIDI, or a song
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A MIDI file to play
    song: Option<PathBuf>,

    /// Play a demo song, the first unless another is named: --demo=motorway
    #[arg(long, value_enum, value_name = "SONG", conflicts_with = "song")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "daybreak")]
    demo: Option<DemoSong>,

    /// A patch's name or file, for live playing and all channels, or for one: CH=NAME. May be repeated
    #[arg(short, long = "patch", value_name = "[CH=]NAME|FILE")]
    patches: Vec<PatchRequest>,

    /// List devices and MIDI inputs
    #[arg(short, long)]
    list: bool,

    /// The sound system [default: JACK if it runs, else PulseAudio or PipeWire, else ALSA]
    #[arg(long, value_enum)]
    host: Option<Host>,

    /// The device: any part of its name
    #[arg(short, long, value_name = "NAME")]
    output: Option<String>,

    #[command(flatten)]
    pacing: PacingArgs,

    /// Listen to this MIDI input only: any part of its name
    #[arg(short, long, value_name = "NAME")]
    midi: Option<String>,

    /// Record what is played
    #[arg(long, value_name = "FILE.wav")]
    record: Option<PathBuf>,

    #[command(flatten)]
    scale: ScaleArgs,

    #[command(flatten)]
    mpe: MpeArgs,

    #[command(flatten)]
    renderer: RendererArgs,

    /// Hold so many voices, each of so many unison copies with so many partials, for measurements
    #[arg(long, value_name = "VOICES[[xCOPIES]xPARTIALS]")]
    load: Option<Load>,

    /// End after so many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Destroy the GPU's context after so many seconds, to test that the sound goes on
    #[arg(long, alias = "lose-card", value_name = "SECONDS", value_parser = seconds, hide = true)]
    lose_gpu: Option<Duration>,

    /// Write a time line of rendering, for ui.perfetto.dev or Chrome
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,

    /// Serve metrics for Prometheus: a port of this machine, or ADDRESS:PORT
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = myriad_qa::metrics::address)]
    metrics: Option<SocketAddr>,

    /// Open the editor in a window
    #[arg(long)]
    window: bool,

    /// One line a second instead of the view, for logs
    #[arg(long, conflicts_with = "json")]
    plain: bool,

    /// One JSON object a line, for scripts; with --list, one for all
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => {
            Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
        }
        _ => Err("give a number of seconds".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.list {
        return device::listing::print(args.json);
    }
    let song = match (&args.song, args.demo) {
        (Some(path), _) => Some(
            Song::load(path)
                .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?,
        ),
        (None, Some(demo)) => Some(demo.read()?),
        (None, None) => None,
    };
    if let Some(path) = &args.record
        && !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("wav"))
    {
        let path = path.display();
        return Err(Failure::misuse(format!(
            "{path}: recordings are WAV files; end --record in .wav"
        )));
    }
    check_unique_channels(&args.patches)?;
    let general = args.patches.iter().find(|request| request.channel.is_none());
    let live = match general {
        Some(request) => library::resolve(&request.patch)?,
        None => first_patch(),
    };
    let mut own = Vec::new();
    let song = match song {
        Some(song) => {
            let assignment = PatchAssignment::choose(&song, &args.patches)?;
            Some((song, assignment))
        }
        None => {
            for request in &args.patches {
                if let Some(channel) = request.channel {
                    own.push((channel, library::resolve(&request.patch)?));
                }
            }
            None
        }
    };
    let setup = Setup {
        device_request: DeviceRequest {
            host: args.host,
            name: args.output.clone(),
            rate: args.pacing.rate,
            block: args.pacing.buffer,
            midi: args.midi.clone(),
            awake: args.pacing.awake,
        },
        depth: args.pacing.depth.map(|frames| frames as usize),
        song,
        own,
        load: args.load,
        record: args.record.clone(),
        lose_gpu: args.lose_gpu,
        settings: InstanceSettings { mpe: args.mpe.settings(), ..args.scale.settings()? },
        observer: Publisher::start(args.metrics, args.renderer.may_use_gpu())?,
        ..Setup::new(live, args.renderer)
    };
    let style = match (args.json, args.plain) {
        (true, _) => Some(Style::Json),
        (_, true) => Some(Style::Plain),
        _ => None,
    };
    // Up to here Ctrl-C ends the program as usual, also while it waits for a file.
    interrupt::install();
    // Without a recording, the current folder is where an earlier one may be.
    wav::recover_beside(args.record.as_deref().unwrap_or(Path::new("take.wav")));
    let tracer = Tracer::start(args.trace.as_deref())?;
    let session = Session::start(setup)?;
    let display = match args.window {
        true => Display::Window,
        false => Display::Terminal,
    };
    let played = run_session(session, display, style, args.seconds);
    tracer.map_or(Ok(()), Tracer::finish).and(played)
}

/// Where a session is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Display {
    /// In the terminal, or as lines when standard output is no terminal.
    Terminal,
    /// In a window, and as lines when those are asked for.
    Window,
}

/// Plays until the song is over, the time is up, or the user quits.
pub(crate) fn run_session(
    mut session: Session,
    display: Display,
    style: Option<Style>,
    limit: Option<Duration>,
) -> Result<(), Failure> {
    // Until this is dropped, ALSA prints no messages about missing devices.
    #[cfg(target_os = "linux")]
    let _silence = alsa::Output::local_error_handler();
    // The view needs a terminal for input and output.
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let done = |session: &Session| {
        interrupt::requested()
            || session.is_over()
            || limit.is_some_and(|limit| session.elapsed() >= limit)
    };
    let outcome = match (display, style) {
        (Display::Window, style) => {
            let lines = style.map_or_else(Lines::of_events, Lines::steady);
            let shared_session = Arc::new(window::SharedSession::new(session));
            let outcome = window::run(&shared_session, lines, done);
            let Some(back) = shared_session.take() else {
                return outcome;
            };
            session = back;
            outcome
        }
        (Display::Terminal, None) if terminal => view::run(&mut session, done),
        (Display::Terminal, style) => {
            let lines = Lines::steady(style.unwrap_or(Style::Plain));
            write_lines(&mut session, lines, done)
        }
    };
    let (seconds, rate) = (session.elapsed().as_secs_f64(), session.sample_rate());
    // The recording is completed before an error is returned.
    let ending = session.finish()?;
    outcome?;
    style.unwrap_or(Style::Plain).end(seconds, &ending)?;
    check_recording(&ending, rate)
}

/// A recording that lacks the end of the session is a failure.
fn check_recording(ending: &Ending, rate: u32) -> Result<(), Failure> {
    let Some(Recording { path, frames, cut_short: Some(reason) }) = &ending.recording else {
        return Ok(());
    };
    let kept = terminal::clock(*frames as f64 / f64::from(rate));
    Err(Failure::failed(format!("{}: {reason}; its first {kept} are kept", path.display())))
}

/// The patch of live playing by default.
pub(crate) fn first_patch() -> Patch {
    library::named(FIRST_PATCH).unwrap_or_else(library::default_patch)
}

fn write_lines(
    session: &mut Session,
    mut lines: Lines,
    done: impl Fn(&Session) -> bool,
) -> Result<(), Failure> {
    while !done(session) {
        session.tick();
        lines.write(session)?;
        std::thread::sleep(PAUSE);
    }
    lines.write(session)
}
