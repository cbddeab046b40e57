//! `myriad import`: a recording or a wavetable becomes a patch.

use myriad_player::failure::Failure;
use myriad_player::import::{ImportError, Imported, Material, add_layer, import};
use myriad_player::{atomic_file, terminal};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  myriad import flute.wav                      a recording of one note becomes flute.toml
  myriad play --patch flute.toml               play it on every key
  myriad import flute.wav --with voice.wav     a flute that a knob turns into a voice
  myriad import bell.wav --pitch 312.5         when its pitch is hard to hear, say it
  myriad import waves.wav --wavetable          cycles of a wave, one after the other: a wavetable
  myriad import waves.wav --wavetable --cycle 600
                                               the same, so many samples a cycle";

/// Make a patch of a recorded note, or of a wavetable
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The WAV file: one note, or the cycles of a wavetable
    file: PathBuf,

    /// Where to write the patch [default: the file's name with .toml, in the current folder]
    #[arg(short, long, value_name = "FILE.toml")]
    output: Option<PathBuf>,

    /// What to call the patch [default: the file's name]
    #[arg(long)]
    name: Option<String>,

    /// Another file of the same kind, for the patch's second layer
    #[arg(long, value_name = "OTHER.wav")]
    with: Option<PathBuf>,

    /// What the second layer is to the first
    #[arg(long, value_enum, default_value_t = Layering::Morph, requires = "with")]
    layer: Layering,

    /// The pitch of the recording in Hertz [default: found by listening]
    #[arg(long, value_name = "HERTZ", conflicts_with = "wavetable")]
    pitch: Option<f64>,

    /// The file holds cycles of a wave
    #[arg(long)]
    wavetable: bool,

    /// Samples of a cycle [default: as the file says, else 2048, else the whole file]
    #[arg(long, value_name = "SAMPLES", requires = "wavetable")]
    cycle: Option<usize>,
}

/// Modes of the second layer, as `layer.mode` names them.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Layering {
    /// Beside the first
    Mix,
    /// What the first one turns into
    Morph,
    /// What the first one is multiplied with
    Multiply,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be read, holds nothing that can be imported, or the patch cannot be written.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args
        .pitch
        .is_some_and(|hertz| !(20.0..=5_000.0).contains(&hertz))
    {
        return Err(Failure::misuse("--pitch: expected 20 to 5000 Hertz"));
    }
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
    let name = args
        .name
        .clone()
        .unwrap_or_else(|| stem.clone().into_owned());
    let mut imported = import_file(args, &args.file, args.pitch, &name)?;
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

fn import_file(
    args: &Args,
    file: &Path,
    hertz: Option<f64>,
    name: &str,
) -> Result<Imported, Failure> {
    let material = match args.wavetable {
        true => Material::Wavetable { cycle: args.cycle },
        false => Material::Note { hertz },
    };
    import(file, material, name).map_err(|error| {
        let text = format!("{}: {error}", file.display());
        match error {
            ImportError::Misuse(_) => Failure::misuse(text),
            _ => Failure::failed(text),
        }
    })
}
