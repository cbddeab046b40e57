//! Options that several commands share: how a device is paced, how the keys are tuned, and
//! what an MPE controller is expected to send.

use crate::failure::Failure;
use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::{InstanceSettings, ScaleSetting};
use myriad_library as library;
use std::path::PathBuf;
use std::sync::Arc;

/// `--rate`, `--buffer`, `--depth` and `--awake`.
#[derive(clap::Args)]
pub struct PacingArgs {
    /// Frames a second, from 8000 to 192000 [default: the device's]
    #[arg(short, long, value_name = "HZ")]
    #[arg(value_parser = clap::value_parser!(u32).range(8_000..=192_000))]
    pub rate: Option<u32>,

    /// Frames that the device asks for at a time, where the device allows a choice
    #[arg(short, long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8_192))]
    pub buffer: Option<u32>,

    /// Frames kept ready for the device: latency against underruns [default: by its buffer]
    #[arg(long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: Option<u32>,

    /// Let the threads that render spin instead of sleep. Takes two processors; for machines that
    /// wake up slowly, such as virtual ones
    #[arg(long)]
    pub awake: bool,
}

/// `--scale`, `--keyboard` and `--bend-range`.
#[derive(clap::Args)]
pub struct ScaleArgs {
    /// Tune the keys by a Scala scale, or by a built-in one: its name
    #[arg(long, value_name = "FILE.scl|NAME")]
    scale: Option<PathBuf>,

    /// Where the scale lies on the keyboard
    #[arg(long, value_name = "FILE.kbm", requires = "scale")]
    keyboard: Option<PathBuf>,

    /// Semitones of a full pitch bend, instead of the patch's
    #[arg(long, value_name = "SEMITONES")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=96))]
    bend_range: Option<u8>,
}

impl ScaleArgs {
    /// The settings of these options; what is not given is the patch's.
    ///
    /// # Errors
    /// When a file cannot be read or parsed.
    pub fn settings(&self) -> Result<InstanceSettings, Failure> {
        let bend_range = self.bend_range.map(f32::from);
        let settings = InstanceSettings { bend_range, ..InstanceSettings::default() };
        let Some(path) = &self.scale else {
            return Ok(settings);
        };
        let failed = |error: library::ScaleError| Failure::failed(error.to_string());
        let named = path.to_str().and_then(ScaleSetting::built_in);
        let scale = match named.filter(|_| !path.exists()) {
            Some(scale) => scale,
            None => library::read_scale(path).map_err(failed)?,
        };
        let scale = match &self.keyboard {
            Some(path) => library::read_keyboard(&scale, path).map_err(failed)?,
            None => scale,
        };
        Ok(InstanceSettings { tuning: Some(Arc::new(scale)), ..settings })
    }
}

/// `--mpe`, `--mpe-channels` and `--mpe-bend-range`.
#[derive(clap::Args)]
pub struct MpeArgs {
    /// Listen to an MPE controller, which plays each note on a channel of its own
    #[arg(long, value_enum, value_name = "ZONE")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "lower")]
    mpe: Option<Zone>,

    /// Its note channels, from 1 to 15 [default: 15]
    #[arg(long, value_name = "COUNT", requires = "mpe")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=15))]
    mpe_channels: Option<u8>,

    /// Semitones of a full bend of its notes, unless it says otherwise [default: 48]
    #[arg(long, value_name = "SEMITONES", requires = "mpe")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=96))]
    mpe_bend_range: Option<u8>,
}

/// Where the channels of an MPE controller are.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Zone {
    /// Channel 1 and those above it
    Lower,
    /// Channel 16 and those below it
    Upper,
}

impl MpeArgs {
    /// The settings of these options.
    pub fn settings(&self) -> MpeSettings {
        let usual = MpeSettings::default();
        MpeSettings {
            zone: match self.mpe {
                None => MpeZone::Off,
                Some(Zone::Lower) => MpeZone::Lower,
                Some(Zone::Upper) => MpeZone::Upper,
            },
            channels: self.mpe_channels.unwrap_or(usual.channels),
            bend_range: self.mpe_bend_range.unwrap_or(usual.bend_range),
        }
    }
}
