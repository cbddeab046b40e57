//! `myriad demo`: plays a demo song, or renders it where there is no audio device.

use crate::play;
use crate::render::Job;
use myriad_engine::PitchSettings;
use myriad_player::analysis::inspect;
use myriad_player::assignment::PatchAssignment;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_player::machine::cores;
use myriad_player::renderer::RendererArgs;
use myriad_player::song::Song;
use myriad_player::song_render::{Settings, Tail};
use myriad_player::terminal;
use myriad_player::wav::Bits;
use myriad_player::{Session, Setup, StartError};
use std::path::{Path, PathBuf};

/// The demo songs; `assets/songs` has the scripts that write them.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum DemoSong {
    /// Bells, rain, a groove and a choir
    Daybreak,
    /// Sequences, basses and leads at 112 beats a minute
    Motorway,
    /// Winds, strings, skins and voices, on foot, in three
    Procession,
}

impl DemoSong {
    pub(crate) fn read(self) -> Result<Song, Failure> {
        let bytes: &[u8] = match self {
            DemoSong::Daybreak => include_bytes!("../assets/songs/daybreak.mid"),
            DemoSong::Motorway => include_bytes!("../assets/songs/motorway.mid"),
            DemoSong::Procession => include_bytes!("../assets/songs/procession.mid"),
        };
        Song::parse(bytes).map_err(|error| Failure::failed(format!("demo: {error}")))
    }
}

/// Play a demo song, or render it where there is no audio device
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The song
    #[arg(value_enum, default_value = "daybreak")]
    song: DemoSong,

    /// Render to demo.wav and demo.png even when there is an audio device
    #[arg(long)]
    file: bool,

    #[command(flatten)]
    renderer: RendererArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    interrupt::install();
    let song = args.song.read()?;
    if !args.file {
        let assignment = PatchAssignment::choose(&song, &[])?;
        let setup = Setup {
            song: Some((song, assignment)),
            ..Setup::new(play::first_patch(), args.renderer)
        };
        match Session::start(setup) {
            Ok(session) => return play::run_session(session, play::Display::Terminal, None, None),
            Err(StartError::Device(_)) => {
                terminal::say("No audio device here: rendering the demo to demo.wav instead.");
            }
            // A renderer that the user asked for is not replaced by another.
            Err(error) => return Err(error.into()),
        }
    }
    render(&args.song.read()?, args.renderer)
}

fn render(song: &Song, renderer: RendererArgs) -> Result<(), Failure> {
    let bits = Bits::Int24;
    let job = Job {
        name: "demo".to_owned(),
        target: PathBuf::from("demo.wav"),
        bits,
        settings: Settings {
            sample_rate: 48_000,
            threads: cores(),
            stems: false,
            tail: Tail::Auto,
            pitch: PitchSettings::default(),
            max_frames: bits.max_frames(),
        },
        renderer,
        progress: true,
    };
    job.render(song, PatchAssignment::choose(song, &[])?)?;
    let findings = inspect(&job.target, Some(Path::new("demo.png")))?;
    terminal::print(&findings.to_text())
}
