//! fundsp's sine bank: banks of 32 `sine()` nodes on one bus.
//! Arguments: number of banks, seconds of audio, and optionally a WAV file to write.

use fundsp::prelude32::*;
use fundsp::typenum::Unsigned;

const SAMPLE_RATE: f64 = 48_000.0;

/// Partials of one bank, as fundsp's type-level size.
type Bank = U32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [banks, seconds, wav @ ..] = args.as_slice() else {
        return Err("usage: fundsp-bank BANKS SECONDS [WAV]".into());
    };
    let banks: usize = banks.parse()?;
    let seconds: f64 = seconds.parse()?;
    let mut wav = match wav.first() {
        Some(path) => Some(hound::WavWriter::create(
            path,
            hound::WavSpec {
                channels: 1,
                sample_rate: SAMPLE_RATE as u32,
                bits_per_sample: 32,
                sample_format: hound::SampleFormat::Float,
            },
        )?),
        None => None,
    };

    // Inputs of each bank: pitch and level, which every partial scales by its own constant.
    // Partial i of a bank: 50 + 320 i Hz, level 1 - i / 64.
    let mut units: Vec<_> = (0..banks)
        .map(|bank| {
            let transpose = 2.0f32.powf(bank as f32 / banks as f32);
            let mut unit = busi::<Bank, _, _>(|i| {
                let hz = (50.0 + 320.0 * i as f32) * transpose;
                (mul(hz) >> sine()) * mul(1.0 - i as f32 / 64.0)
            });
            unit.set_sample_rate(SAMPLE_RATE);
            unit.allocate();
            unit
        })
        .collect();

    let mut controls = BufferVec::new(2);
    let mut rendered = BufferVec::new(1);
    let gain = 1.0 / (Bank::USIZE * banks) as f64;
    let mut heard = 0.0;
    for tick in 0..(seconds * SAMPLE_RATE) as usize / MAX_BUFFER_SIZE {
        let time = (tick * MAX_BUFFER_SIZE) as f64 / SAMPLE_RATE;
        let movement = (0.5 * std::f64::consts::TAU * time).sin();
        controls
            .channel_f32_mut(0)
            .fill((1.0 + 0.01 * movement) as f32);
        controls
            .channel_f32_mut(1)
            .fill(((0.75 + 0.25 * movement) * gain) as f32);

        let mut mix = [0.0f32; MAX_BUFFER_SIZE];
        for unit in &mut units {
            unit.process(
                MAX_BUFFER_SIZE,
                &controls.buffer_ref(),
                &mut rendered.buffer_mut(),
            );
            for (sum, sample) in mix.iter_mut().zip(rendered.channel_f32(0)) {
                *sum += sample;
            }
        }
        match &mut wav {
            Some(writer) => mix
                .iter()
                .try_for_each(|&sample| writer.write_sample(sample))?,
            None => heard += mix[0],
        }
    }
    // Uses the sum, so that the compiler cannot drop the rendering.
    std::hint::black_box(heard);
    if let Some(writer) = wav {
        writer.finalize()?;
    }
    Ok(())
}
