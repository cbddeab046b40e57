//! `myriad inspect`: measures a WAV file and draws its spectrogram.

use myriad_player::analysis::inspect;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_player::terminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  myriad inspect song.wav                      measure it, and draw song.png
  myriad inspect song.wav --picture art.png    draw another file
  myriad inspect song.wav --no-picture --json  measure only, for a script";

/// Measure a WAV file and draw its spectrogram
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The WAV file
    file: PathBuf,

    /// The picture to write [default: the file's name with .png, in the current folder]
    #[arg(short, long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    /// Write no picture
    #[arg(long, conflicts_with = "picture")]
    no_picture: bool,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    interrupt::install();
    let picture = match (&args.picture, args.no_picture) {
        (_, true) => None,
        (Some(path), _) => Some(path.clone()),
        (None, _) => {
            let name = args.file.file_name().unwrap_or_default();
            Some(PathBuf::from(name).with_extension("png"))
        }
    };
    if let Some(path) = &picture
        && !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"))
    {
        let shown = path.display();
        return Err(Failure::misuse(format!(
            "{shown}: pictures are PNG files; end --picture in .png"
        )));
    }
    let findings = inspect(&args.file, picture.as_deref())?;
    match args.json {
        true => terminal::print_json(&findings)?,
        false => terminal::print(&findings.to_text())?,
    }
    findings.check()
}
