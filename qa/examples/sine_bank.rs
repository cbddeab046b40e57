//! Holds a number of partials for a number of seconds, and says how long that took: Myriad's side
//! of the comparison in `benches/peers`.

use clap::Parser;
use myriad_engine::render::CpuRenderer;
use myriad_qa::bench::scenario;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// Renders partials through the whole engine on one thread, everything moving, and prints the time.
#[derive(Parser)]
struct Arguments {
    /// Partials, a multiple of 1,024: voices have that many each.
    #[arg(long, default_value_t = 65_536)]
    partials: usize,
    /// Seconds of audio.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Also write what was rendered, mono, for checking by ear or by spectrum.
    #[arg(long)]
    wav: Option<PathBuf>,
}

const PARTIALS_PER_VOICE: usize = 1024;
const RATE: u32 = 48_000;
const BLOCK: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { partials, seconds, wav } = Arguments::parse();
    if partials == 0 || !partials.is_multiple_of(PARTIALS_PER_VOICE) {
        return Err(format!("--partials must be a multiple of {PARTIALS_PER_VOICE}").into());
    }
    let voices = partials / PARTIALS_PER_VOICE;
    let renderer = Box::new(CpuRenderer::new(1));
    let mut engine = scenario::holding(voices, 1, PARTIALS_PER_VOICE, renderer)?;
    let blocks = (seconds * f64::from(RATE) / BLOCK as f64).round().max(1.0) as usize;
    let mut sound = Vec::with_capacity(if wav.is_some() { blocks * BLOCK } else { 0 });
    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let start = Instant::now();
    for _ in 0..blocks {
        engine.render(&[], &mut left, &mut right);
        if wav.is_some() {
            sound.extend_from_slice(&left);
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    let sounding = engine.counters().partials;
    if sounding != partials {
        return Err(format!("{sounding} partials sound, not {partials}").into());
    }
    if let Some(file) = wav {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: RATE,
            bits_per_sample: 32,
            sample_format: hound::SampleFormat::Float,
        };
        let mut writer = hound::WavWriter::create(file, spec)?;
        sound.iter().try_for_each(|&sample| writer.write_sample(sample))?;
        writer.finalize()?;
    }
    println!("{{\"partials\": {partials}, \"seconds\": {seconds}, \"elapsed_s\": {elapsed}}}");
    Ok(())
}
