//! A small CLAP host: `clap-host Myriad.clap` loads the file, plays a note for a second and prints the
//! peak, and how long it took to load and to activate. It needs nothing but the plugin, so it runs where no host is
//! installed.

use clack_host::events::Pckn;
use clack_host::events::event_types::{NoteOffEvent, NoteOnEvent};
use clack_host::prelude::*;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

const RATE: f64 = 48_000.0;
const BLOCK: usize = 480;
const BLOCKS: usize = 100;
/// The block in which the note ends.
const RELEASE: usize = 50;
const ID: &std::ffi::CStr = c"org.myriad.myriad";

struct Requests;

impl SharedHandler<'_> for Requests {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {}
}

struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Requests;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: clap-host PLUGIN.clap");
        return ExitCode::from(2);
    };
    match play(&path) {
        Ok(peak) if peak > 0.01 => {
            println!("{}: peak {peak:.3}", path.to_string_lossy());
            ExitCode::SUCCESS
        }
        Ok(peak) => {
            eprintln!("clap-host: the note is not heard: peak {peak}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("clap-host: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays a note; returns the peak of the sound.
fn play(path: &std::ffi::OsStr) -> Result<f32, Box<dyn Error>> {
    let start = Instant::now();
    // SAFETY: the user asks for this file, and a plugin may do anything.
    let entry = unsafe { PluginEntry::load(path) }?;
    let info = HostInfo::new("clap-host", "Myriad", "", "1")?;
    let mut instance = PluginInstance::<Host>::new(|()| Requests, |_| (), &entry, ID, &info)?;
    let config = PluginAudioConfiguration {
        sample_rate: RATE,
        min_frames_count: BLOCK as u32,
        max_frames_count: BLOCK as u32,
    };
    let loaded = start.elapsed();
    let processor = instance.activate(|_, _| (), config)?;
    println!("loaded in {loaded:.1?}, activated in {:.1?}", start.elapsed() - loaded);
    let (processor, peak) = std::thread::scope(|scope| {
        let audio = scope.spawn(move || -> Result<_, String> {
            let mut processor = processor.start_processing().map_err(|error| error.to_string())?;
            let mut peak = 0.0_f32;
            for block in 0..BLOCKS {
                peak = peak.max(play_block(&mut processor, block)?);
            }
            Ok((processor.stop_processing(), peak))
        });
        audio.join().map_err(|_| "the audio thread panicked".to_owned())?
    })?;
    instance.deactivate(processor);
    Ok(peak)
}

/// Plays a block with its events; returns the peak of its sound.
fn play_block(
    processor: &mut StartedPluginAudioProcessor<Host>,
    block: usize,
) -> Result<f32, String> {
    let mut events = EventBuffer::new();
    let note = Pckn::new(0u16, 0u16, 60u16, 1u32);
    match block {
        0 => events.push(&NoteOnEvent::new(0, note, 0.8)),
        RELEASE => events.push(&NoteOffEvent::new(0, note, 0.5)),
        _ => {}
    }
    let mut sound = [[0.0_f32; BLOCK]; 2];
    let mut ports = AudioPorts::with_capacity(2, 1);
    let mut outputs = ports.with_output_buffers([AudioPortBuffer {
        latency: 0,
        channels: AudioPortBufferType::f32_output_only(
            sound.iter_mut().map(|channel| channel.as_mut_slice()),
        ),
    }]);
    processor
        .process(
            &InputAudioBuffers::empty(),
            &mut outputs,
            &events.as_input(),
            &mut EventBuffer::new().as_output(),
            None,
            None,
        )
        .map_err(|error| error.to_string())?;
    if sound.as_flattened().iter().any(|sample| !sample.is_finite()) {
        return Err("the sound has values that are no numbers".to_owned());
    }
    Ok(sound.as_flattened().iter().fold(0.0, |peak, sample| sample.abs().max(peak)))
}
