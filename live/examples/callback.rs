//! The audio callback alone, for counting its instructions: `benches/callback` runs this under
//! callgrind, which counts inside [`callback`] only.
//!
//!     callback VOICES BLOCK EVENTS CALLBACKS

#![allow(clippy::unwrap_used, reason = "a program for developers")]

use myriad_engine::render::CpuRenderer;
use myriad_engine::{EngineConfig, Event, EventKind, factory};
use myriad_live::stream::{self, AudioSide, StreamConfig};

/// What an audio device calls.
#[inline(never)]
fn callback(audio: &mut AudioSide, events: &[Event], left: &mut [f32], right: &mut [f32]) {
    audio.process(events, left, right);
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let &[voices, block, events, callbacks] = &numbers[..] else {
        panic!("callback VOICES BLOCK EVENTS CALLBACKS");
    };
    let config = StreamConfig {
        engine: EngineConfig { voices: 1_024, ..EngineConfig::default() },
        depth: StreamConfig::depth_for(block),
        ..StreamConfig::default()
    };
    let cpu = Box::new(CpuRenderer::new(1));
    let (control, mut audio, mut render) = stream::build(&config, cpu).unwrap();
    control.set_patch(0, factory::find("Aurora").unwrap()).unwrap();
    let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
    for voice in 0..voices {
        let key = (voice % 100) as u8 + 20;
        control.send(0, EventKind::NoteOn { key, velocity: 0.5 });
    }
    let wheel = Event { frame: 3, part: 0, kind: EventKind::Control { cc: 1, value: 0.5 } };
    let events = vec![wheel; events];
    for _ in 0..callbacks {
        callback(&mut audio, &events, &mut left, &mut right);
        render.step();
    }
    let status = control.status();
    assert_eq!(status.underruns, 0);
    assert!(left.iter().any(|&x| x != 0.0) == (voices > 0));
    println!("{} voices sounded", status.engine.voices);
}
