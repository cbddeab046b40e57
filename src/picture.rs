//! `myriad picture`: draws what a patch plays, to edit the picture and import it again.

use myriad_import::{Axes, DrawOptions, ImportError, Progress, draw};
use myriad_library as library;
use myriad_player::failure::Failure;
use myriad_player::terminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  myriad picture Aurora                        four seconds of key 60, as aurora.png
  myriad picture Aurora --key 48 --seconds 8 --hold 5 -o pad.png
                                               another key, held for five of eight seconds
  myriad import pad.png                        make a patch from it, after you have edited it

Left to right is time and up is pitch; bright is loud, and each third of the brightness is 20 dB. Red is
left, blue is right, white is the centre. The picture shows the partials; effects are not in it.";

/// Draw what a patch plays, as a picture that `myriad import` makes a patch from
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The patch's name or file
    #[arg(value_name = "NAME|FILE")]
    patch: String,

    /// The picture to write [default: the patch's name with .png, in the current folder]
    #[arg(short, long, value_name = "FILE.png")]
    output: Option<PathBuf>,

    /// The key that is played; 60 is middle C
    #[arg(short, long, default_value_t = 60, value_parser = clap::value_parser!(u8).range(0..=127))]
    key: u8,

    /// How hard it is pressed
    #[arg(long, value_name = "1-127", default_value_t = 100, value_parser = clap::value_parser!(u8).range(1..=127))]
    velocity: u8,

    /// Seconds from the first column to the last
    #[arg(short, long, default_value_t = Axes::default().seconds, allow_negative_numbers = true)]
    seconds: f64,

    /// When the key is released, in seconds [default: not within the picture]
    #[arg(long, value_name = "SECONDS")]
    hold: Option<f64>,

    /// The pitch of the lower edge in Hertz
    #[arg(long, value_name = "HERTZ", default_value_t = Axes::default().low, allow_negative_numbers = true)]
    low: f64,

    /// The pitch of the upper edge in Hertz
    #[arg(long, value_name = "HERTZ", default_value_t = Axes::default().high, allow_negative_numbers = true)]
    high: f64,

    /// Columns and rows: with 500 columns none is lost when it is imported, and 2160 rows are 5 cents each
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "500x2160", value_parser = size)]
    size: [usize; 2],
}

fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once(['x', '×']);
    let number = |side: &str| side.trim().parse().ok();
    sides
        .and_then(|(width, height)| Some([number(width)?, number(height)?]))
        .ok_or_else(|| "give columns and rows, as in 500x2160".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let patch = library::resolve(&args.patch)?;
    let target = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.png", library::file_name(&patch.name))),
    };
    if !target.extension().is_some_and(|end| end.eq_ignore_ascii_case("png")) {
        let shown = target.display();
        return Err(Failure::misuse(format!(
            "{shown}: pictures are PNG files; end --output in .png"
        )));
    }
    let Args { key, seconds, low, high, hold, size, .. } = *args;
    let axes = Axes { seconds, low, high, key };
    let velocity = f32::from(args.velocity) / 127.0;
    let drawing = draw(&patch, &DrawOptions { axes, velocity, hold, size }, &Progress::default())
        .map_err(|error| match error {
        ImportError::Misuse(text) => Failure::misuse(text),
        error => Failure::failed(format!("{}: {error}", patch.name)),
    })?;
    drawing
        .save(&target)
        .map_err(|error| Failure::failed(format!("{}: {error}", target.display())))?;
    let [width, height] = size;
    terminal::print(&format!(
        "{}\n  picture    {width} × {height} pixels, {seconds} s, {low} to {high} Hz\n  key        {key}\n",
        target.display()
    ))
}
