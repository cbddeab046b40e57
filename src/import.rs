//! `myriad import`: makes a patch from a recording, any other sound, a wavetable, a picture or an impulse
//! response.

use myriad_engine::Patch;
use myriad_import::{
    GivenAxes, ImportError, Imported, Material, PictureOptions, Progress, add_layer, import,
    import_impulse, import_picture, is_picture, read_picture,
};
use myriad_library as library;
use myriad_player::failure::Failure;
use myriad_player::{atomic_file, terminal};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  myriad import flute.wav                      make flute.toml from a recording of one note
  myriad play --patch flute.toml               play it
  myriad import flute.wav --with voice.wav     a macro morphs from the flute to the voice
  myriad import bell.wav --pitch 312.5         set the pitch, if it is not detected
  myriad import loop.wav                       speech, drums, a chord, a song: what is not one note is
                                               taken as any sound; middle C plays it as it is
  myriad import chord.wav --any-sound          the same, where it is taken for one note
  myriad import waves.wav --wavetable          a wavetable: cycles of a wave, one after the other
  myriad import waves.wav --wavetable --cycle 600
                                               the same, with 600 samples a cycle
  myriad import city.jpg                       a picture: left to right is time, up is pitch, bright
                                               is loud, red is left and blue is right
  myriad import city.jpg --seconds 10 --low 50 --high 5000
                                               the same, slower, in another range of pitches
  myriad import sketch.png --ink               dark lines on light paper
  myriad import church.wav --impulse --patch Aurora
                                               Aurora in the room of an impulse response

`myriad picture` makes a picture of what a patch plays; edit it, and import it again.";

/// Make a patch from a recorded note, any other sound, a wavetable, a picture or an impulse response
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The sound file (WAV, FLAC, AIFF, OGG, MP3): one note, any other sound, or the cycles of a wavetable; a picture (PNG, JPEG); or the WAV file of an impulse response
    file: PathBuf,

    /// The patch to write [default: the file's name with .toml, in the current folder]
    #[arg(short, long, value_name = "FILE.toml")]
    output: Option<PathBuf>,

    /// The patch's name [default: the file's name]
    #[arg(long)]
    name: Option<String>,

    /// Another file of the same kind, for the patch's second layer
    #[arg(long, value_name = "OTHER.wav")]
    with: Option<PathBuf>,

    /// How the second layer is combined with the first
    #[arg(long, value_enum, default_value_t = Layering::Morph, requires = "with")]
    layer: Layering,

    /// The pitch of the recording in Hertz [default: detected]
    #[arg(long, value_name = "HERTZ", conflicts_with = "wavetable")]
    pitch: Option<f64>,

    /// The file is not one note: speech, a loop, a chord, drums, an extract of a song, of up to 20 seconds. Keys change its pitch and not its time, middle C leaves it as it is [default: if little of it is one note]
    #[arg(long, conflicts_with_all = ["wavetable", "pitch"])]
    any_sound: bool,

    /// The file is a wavetable
    #[arg(long)]
    wavetable: bool,

    /// Samples of a cycle [default: as the file declares, else 2048, else the whole file]
    #[arg(long, value_name = "SAMPLES", requires = "wavetable")]
    cycle: Option<usize>,

    /// The file is an impulse response, mono or stereo, for the patch's convolver
    #[arg(long, conflicts_with_all = ["wavetable", "any_sound", "with", "pitch"])]
    impulse: bool,

    /// The patch that gets the impulse response [default: Init]
    #[arg(long, value_name = "NAME|FILE", requires = "impulse")]
    patch: Option<String>,

    #[command(flatten)]
    picture: PictureArgs,
}

/// Options for pictures. Defaults are those of a picture that `myriad picture` has saved, else these.
#[derive(clap::Args)]
#[command(next_help_heading = "Pictures")]
struct PictureArgs {
    /// Seconds from the first column to the last [default: 4]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// The pitch of the lower edge in Hertz [default: 27.5]
    #[arg(long, value_name = "HERTZ", allow_negative_numbers = true)]
    low: Option<f64>,

    /// The pitch of the upper edge in Hertz [default: 14080]
    #[arg(long, value_name = "HERTZ", allow_negative_numbers = true)]
    high: Option<f64>,

    /// The key that plays the pitches as they are drawn [default: 60]
    #[arg(long, value_name = "KEY", value_parser = clap::value_parser!(u8).range(0..=127))]
    key: Option<u8>,

    /// The most partials of a voice; fewer leave room for more moments in time [default: 1024]
    #[arg(long, value_name = "COUNT")]
    partials: Option<usize>,

    /// Dark on light: black is loud and white is silent
    #[arg(long)]
    ink: bool,

    /// Play it again and again while the key is held
    #[arg(long)]
    repeat: bool,
}

impl PictureArgs {
    fn options(&self) -> PictureOptions {
        let Self { seconds, low, high, key, partials, ink, repeat } = *self;
        let axes = GivenAxes { seconds, low, high, key, white_db: None };
        PictureOptions { axes, partials, ink, repeat }
    }
}

/// Modes of the second layer, as `layer.mode` names them.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Layering {
    /// Sounds together with the first
    Mix,
    /// The first morphs into it
    Morph,
    /// The spectra are multiplied
    Multiply,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.pitch.is_some_and(|hertz| !(20.0..=5_000.0).contains(&hertz)) {
        return Err(Failure::misuse("--pitch: expected 20 to 5000 Hertz"));
    }
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let name = args.name.clone().unwrap_or_else(|| stem.clone().into_owned());
    // An impulse response says itself why a picture is none.
    let is_picture = !args.impulse && is_picture(&args.file).map_err(failed(&args.file))?;
    let mut imported = match is_picture {
        _ if args.impulse => import_response(args, name.clone())?,
        true => import_drawn(args, &name)?,
        false => import_file(args, &args.file, args.pitch, &name)?,
    };
    if let Some(file) = &args.with {
        let other = import_file(args, file, None, &name)?;
        // Choice 0 of `layer.mode` is "off".
        add_layer(&mut imported.patch, other.patch, args.layer as u8 + 1);
        imported.findings.extend(other.findings);
    }
    let target = match &args.output {
        Some(path) => path.clone(),
        None => Path::new(&*stem).with_extension("toml"),
    };
    let text = imported.patch.to_toml();
    atomic_file::write(&target, text.as_bytes())
        .map_err(|error| Failure::failed(format!("{}: {error}", target.display())))?;
    let mut report = format!("{}\n", target.display());
    let size = ("size", format!("{} kB", text.len().div_ceil(1_000)));
    for (what, value) in imported.findings.into_iter().chain([size]) {
        report += &format!("  {what:<10} {value}\n");
    }
    terminal::print(&report)
}

/// The chosen patch with an impulse response. It keeps its name unless another is given.
fn import_response(args: &Args, name: String) -> Result<Imported, Failure> {
    let patch = match &args.patch {
        Some(request) => {
            let mut patch = library::resolve(request)?;
            patch.name = args.name.clone().unwrap_or(patch.name);
            patch
        }
        None => Patch { name, ..Patch::new() },
    };
    import_impulse(&args.file, patch).map_err(failed(&args.file))
}

fn import_drawn(args: &Args, name: &str) -> Result<Imported, Failure> {
    let others = [
        ("--with", args.with.is_some()),
        ("--pitch", args.pitch.is_some()),
        ("--any-sound", args.any_sound),
        ("--wavetable", args.wavetable),
    ];
    if let Some((option, _)) = others.into_iter().find(|(_, given)| *given) {
        let file = args.file.display();
        return Err(Failure::misuse(format!("{option}: is for sounds; {file} is a picture")));
    }
    let options = args.picture.options();
    let progress = Progress::default();
    read_picture(&args.file, options.ink, &progress)
        .and_then(|picture| import_picture(&picture, &options, name, &progress))
        .map_err(failed(&args.file))
}

/// Names the file. What could not be with any file is misuse.
fn failed(file: &Path) -> impl Fn(ImportError) -> Failure {
    move |error| {
        let text = format!("{}: {error}", file.display());
        match error {
            ImportError::Misuse(_) => Failure::misuse(text),
            _ => Failure::failed(text),
        }
    }
}

fn import_file(
    args: &Args,
    file: &Path,
    hertz: Option<f64>,
    name: &str,
) -> Result<Imported, Failure> {
    let material = match hertz {
        _ if args.wavetable => Material::Wavetable { cycle: args.cycle },
        _ if args.any_sound => Material::AnySound,
        Some(_) => Material::Note { hertz },
        None => Material::Detect,
    };
    if args.picture.options() != PictureOptions::default() {
        let options = "--seconds, --low, --high, --key, --partials, --ink and --repeat";
        let file = file.display();
        return Err(Failure::misuse(format!("{options} are for pictures; {file} is none")));
    }
    import(file, material, name).map_err(failed(file))
}
