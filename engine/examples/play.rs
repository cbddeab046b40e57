//! Plays a chord through the default output device, with cpal:
//!
//!     cargo run --release -p myriad-engine --features cpal --example play -- 'Glass Choir'

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use myriad_engine::{Synth, factory};
use std::error::Error;
use std::time::Duration;

/// Frames that are rendered at once, whatever the device asks for.
const BLOCK: usize = 64;

const CHORD: [u8; 4] = [48, 55, 64, 71];

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or("Aurora".into());
    let device = cpal::default_host().default_output_device().ok_or("no output device")?;
    let config = device.default_output_config()?.config();
    let channels = usize::from(config.channels);

    let mut synth = Synth::new(config.sample_rate as f32)?;
    let mut patches = factory::patches().iter();
    let patch = patches.find(|patch| patch.name == name).ok_or("no such patch")?;
    synth.set_patch(patch);
    CHORD.iter().for_each(|&key| synth.note_on(key, 0.7));

    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let mut used = BLOCK;
    let mut held = 4 * config.sample_rate as usize;
    let fill = move |output: &mut [f32], _: &cpal::OutputCallbackInfo| {
        for frame in output.chunks_mut(channels) {
            if used == BLOCK {
                if held < BLOCK {
                    CHORD.iter().for_each(|&key| synth.note_off(key));
                }
                held = held.saturating_sub(BLOCK);
                synth.render(&mut left, &mut right);
                used = 0;
            }
            frame.fill(0.0);
            frame[0] = left[used];
            frame[channels.min(2) - 1] = right[used];
            used += 1;
        }
    };
    let stream = device.build_output_stream(config, fill, |error| eprintln!("{error}"), None)?;
    stream.play()?;
    std::thread::sleep(Duration::from_secs(8));
    Ok(())
}
