//! `myriad render`: renders a MIDI file to a WAV file.

mod outputs;
mod report;
mod writer;

use indicatif::ProgressBar;
use myriad_measure::Meter;
use myriad_player::ScaleArgs;
use myriad_player::assignment::{PatchAssignment, PatchRequest};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_player::machine::cores;
use myriad_player::renderer::{self, RendererArgs};
use myriad_player::song::{Song, estimate};
use myriad_player::song_render::{Settings, SongRender, Tail};
use myriad_player::terminal;
use myriad_player::trace::Tracer;
use myriad_player::wav::Bits;
use outputs::Outputs;
use report::Report;
use std::path::PathBuf;
use std::time::Instant;
use writer::Written;

const EXAMPLES: &str = "\
Examples:
  myriad render song.mid
      writes song.wav; the patches follow the tracks' names and General MIDI programs
  myriad render song.mid --patch Aurora -o pad.wav
      everything played by one patch (`myriad patches` lists them)
  myriad render song.mid --patch Aurora --patch 2='Night Bass' --patch 10=my-drums.toml
      channels 2 and 10 have patches of their own
  myriad render song.mid --sample-rate 96000 --bits 32f --stems
      for mixing: the mix and one file for each part; the parts add up to the mix
  myriad render loop.mid --tail 0 --json
      exactly as long as the MIDI file, with a report for scripts";

/// Render a MIDI file to a WAV file
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The MIDI file to play
    song: PathBuf,

    /// A patch's name or file, for all channels, or for one: CH=NAME. May be repeated
    #[arg(short, long = "patch", value_name = "[CH=]NAME|FILE")]
    patches: Vec<PatchRequest>,

    /// The file to write [default: the song's name with .wav, in the current folder]
    #[arg(short, long, value_name = "FILE.wav")]
    output: Option<PathBuf>,

    /// Frames a second, from 8000 to 192000
    #[arg(short = 'r', long, value_name = "HZ", default_value_t = 48_000)]
    #[arg(allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(8_000..=192_000))]
    sample_rate: u32,

    /// The sample format
    #[arg(short, long, value_enum, default_value = "24")]
    bits: Bits,

    /// Time after the song's end: `auto` is until silence, at most 60 seconds
    #[arg(short, long, value_name = "auto|SECONDS", default_value = "auto", value_parser = tail)]
    #[arg(allow_negative_numbers = true)]
    tail: Tail,

    /// Threads that render [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    #[command(flatten)]
    scale: ScaleArgs,

    #[command(flatten)]
    renderer: RendererArgs,

    /// Also write each part to a file of its own
    #[arg(long)]
    stems: bool,

    /// Write a time line of rendering, for ui.perfetto.dev or Chrome
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

fn tail(text: &str) -> Result<Tail, String> {
    match text.parse::<f64>() {
        _ if text.eq_ignore_ascii_case("auto") => Ok(Tail::Auto),
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(Tail::Seconds(seconds)),
        _ => Err("give `auto`, or seconds from 0 to 3600".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let song = Song::load(&args.song)
        .map_err(|error| Failure::failed(format!("{}: {error}", args.song.display())))?;
    let assignment = PatchAssignment::choose(&song, &args.patches)?;
    let mut notes: Vec<String> = assignment
        .idle_channels(&args.patches)
        .into_iter()
        .map(|channel| format!("channel {} has a patch but plays no notes", channel + 1))
        .collect();
    let target = outputs::target(&args.song, args.output.as_deref())?;
    let job = Job {
        name: args.song.display().to_string(),
        target,
        bits: args.bits,
        settings: Settings {
            sample_rate: args.sample_rate,
            threads: args.threads.map_or_else(cores, usize::from),
            stems: args.stems,
            tail: args.tail,
            pitch: args.scale.settings()?.pitch(),
            max_frames: args.bits.max_frames(),
        },
        renderer: args.renderer,
        progress: !args.quiet,
    };
    // Up to here Ctrl-C ends the program as usual, also while it waits for a file.
    interrupt::install();
    let tracer = Tracer::start(args.trace.as_deref())?;
    let rendered = job.render(&song, assignment);
    tracer.map_or(Ok(()), Tracer::finish)?;
    let mut report = rendered?;
    report.notes.append(&mut notes);
    if !args.quiet {
        for note in &report.notes {
            terminal::say(&format!("myriad: note: {note}"));
        }
    }
    match (args.json, args.quiet) {
        (true, _) => terminal::print_json(&report),
        (false, true) => Ok(()),
        (false, false) => terminal::print(&report.to_text()),
    }
}

/// The render of one song to one file and its stems.
pub(crate) struct Job {
    /// The name of the song in error messages.
    pub(crate) name: String,
    pub(crate) target: PathBuf,
    pub(crate) bits: Bits,
    pub(crate) settings: Settings,
    pub(crate) renderer: RendererArgs,
    /// Whether to show a progress bar.
    pub(crate) progress: bool,
}

impl Job {
    /// Renders the song, block by block, in memory of fixed size.
    ///
    /// # Errors
    /// When the song is too long for a WAV file, or the file cannot be written.
    pub(crate) fn render(
        &self,
        song: &Song,
        assignment: PatchAssignment,
    ) -> Result<Report, Failure> {
        self.check_length(song)?;
        let rate = self.settings.sample_rate;
        let piece = estimate::estimate(song, &assignment, rate);
        let (renderer, handle) = self.renderer.for_piece(self.settings.threads, piece);
        let mut song_render = SongRender::new(song, assignment, &self.settings, renderer)
            .map_err(|error| renderer::failure(&self.name, &error))?;
        let outputs = Outputs::create(self, song_render.assignment())?;
        let written = Written { outputs, meter: Meter::new(rate) };
        let bar = match self.progress {
            true => terminal::progress_bar(song_render.song_frames()),
            false => ProgressBar::hidden(),
        };
        let start = Instant::now();
        let Written { outputs, meter } = writer::with_writer(written, |writer| {
            while song_render.next_block() {
                interrupt::check()?;
                if !writer.write(&mut song_render) {
                    break;
                }
                bar.set_position(song_render.frames());
            }
            Ok(())
        })?;
        let stems = outputs.finish()?;
        drop(bar);
        Ok(Report::new(self, &song_render, &meter, &handle, stems, start.elapsed()))
    }

    /// Checks the length before any work is done.
    fn check_length(&self, song: &Song) -> Result<(), Failure> {
        let tail = match self.settings.tail {
            Tail::Auto => 0.0,
            Tail::Seconds(seconds) => seconds,
        };
        let rate = f64::from(self.settings.sample_rate);
        let frames = (song.seconds + tail) * rate;
        if frames <= self.settings.max_frames as f64 {
            return Ok(());
        }
        let longest = self.settings.max_frames as f64 / rate;
        Err(Failure::failed(format!(
            "{}: {} of {} audio at {rate} Hz is more than the 4 GiB a WAV file can hold ({}); \
             lower --sample-rate or --bits, or split the song",
            self.name,
            terminal::clock(song.seconds + tail),
            self.bits.label(),
            terminal::clock(longest),
        )))
    }
}
