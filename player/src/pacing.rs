//! `--buffer`, `--depth`, `--rate` and `--awake`: how a device is paced, for every command that has
//! one.

/// How a device is paced.
#[derive(clap::Args)]
pub struct PacingArgs {
    /// Frames a second, from 8000 to 192000 [default: the device's]
    #[arg(short, long, value_name = "HZ")]
    #[arg(value_parser = clap::value_parser!(u32).range(8_000..=192_000))]
    pub rate: Option<u32>,

    /// Frames that the device asks for at a time, where it can be told
    #[arg(short, long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8_192))]
    pub buffer: Option<u32>,

    /// Frames kept ready for the device: latency against underruns [default: by its buffer]
    #[arg(long, value_name = "FRAMES")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub depth: Option<u32>,

    /// Never let the threads that render sleep: takes two processors, for machines that wake up
    /// slowly, as virtual ones do
    #[arg(long)]
    pub awake: bool,
}
