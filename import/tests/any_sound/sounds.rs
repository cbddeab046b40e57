//! The sounds that the import is judged by, made by the engine itself or by a synthetic voice.

use crate::RATE;
use crate::vocoder::resampled;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, factory};
use std::f64::consts::TAU;
use std::path::PathBuf;

/// A sound with its name.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) samples: Vec<f32>,
    /// The file that it was read from.
    file: Option<PathBuf>,
}

impl Case {
    /// Writes what is heard of a file beside it.
    pub(crate) fn keep(&self, what: &str, heard: &[Vec<f32>; 3]) {
        let Some(file) = &self.file else {
            return;
        };
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: RATE as u32,
            bits_per_sample: 32,
            sample_format: hound::SampleFormat::Float,
        };
        for (how, samples) in ["as it is", "slow", "high"].iter().zip(heard) {
            let target = file.with_extension(format!("{what} {how}.wav"));
            let mut writer = hound::WavWriter::create(target, spec).unwrap();
            samples.iter().for_each(|&x| writer.write_sample(x).unwrap());
            writer.finalize().unwrap();
        }
    }
}

/// Reads a WAV file of 16 bits; its channels are mixed.
pub(crate) fn read(file: &str) -> Case {
    let mut reader = hound::WavReader::open(file).unwrap();
    let hound::WavSpec { channels, sample_rate, .. } = reader.spec();
    let all: Vec<f32> = reader.samples::<i16>().map(|x| f32::from(x.unwrap()) / 32_768.0).collect();
    let mixed =
        all.chunks_exact(channels.into()).map(|x| x.iter().sum::<f32>() / f32::from(channels));
    let samples = resampled(&mixed.collect::<Vec<f32>>(), f64::from(sample_rate) / RATE as f64);
    Case { name: file.to_owned(), samples, file: Some(file.into()) }
}

/// A note of a part: beat, part, key, velocity, beats.
type Note = (f64, u8, u8, f32, f64);

fn case(name: &str, samples: Vec<f32>) -> Case {
    Case { name: name.to_owned(), samples, file: None }
}

/// Speech, a drum loop and a chord.
pub(crate) fn short() -> Vec<Case> {
    vec![
        case("speech", speech(3.0)),
        case("drum loop", played(&["Acoustic Kit"], &beat(0), 96.0, 5.0)),
        case("chord", played(&["Felt Grand"], &chord(), 60.0, 4.0)),
    ]
}

/// Extracts of a song.
pub(crate) fn songs() -> Vec<Case> {
    vec![case("song", song(8.0)), case("long song", song(20.0))]
}

/// A song of drums, bass and an electric piano.
pub(crate) fn song(seconds: f64) -> Vec<f32> {
    const CHORDS: [(u8, [u8; 4]); 4] = [
        (38, [53, 57, 60, 64]),
        (31, [53, 57, 59, 64]),
        (36, [52, 55, 59, 62]),
        (33, [49, 55, 58, 64]),
    ];
    let mut notes = Vec::new();
    for bar in 0..8 {
        let start = 4.0 * bar as f64;
        if bar % 2 == 0 {
            let later = |(at, part, key, velocity, beats)| (start + at, part, key, velocity, beats);
            notes.extend(beat(0).into_iter().map(later));
        }
        let (root, chord) = CHORDS[bar % 4];
        notes.extend([0.0, 1.5, 2.5].map(|beat| (start + beat, 1, root, 0.8, 0.9)));
        for key in chord {
            notes.extend([0.0, 2.5].map(|beat| (start + beat, 2, key, 0.6, 1.4)));
        }
    }
    played(&["Acoustic Kit", "Fretless Mood", "Suitcase"], &notes, 96.0, seconds)
}

/// Two bars of a drum kit.
fn beat(part: u8) -> Vec<Note> {
    let mut notes = Vec::new();
    for bar in [0.0, 4.0] {
        for eighth in 0..8 {
            let velocity = if eighth % 2 == 0 { 0.66 } else { 0.41 };
            notes.push((bar + 0.5 * f64::from(eighth), part, 42, velocity, 0.2));
        }
        notes.extend([0.0, 1.75, 2.5].map(|beat| (bar + beat, part, 36, 0.8, 0.2)));
        notes.extend([1.0, 3.0].map(|beat| (bar + beat, part, 38, 0.82, 0.2)));
    }
    notes
}

fn chord() -> Vec<Note> {
    [45, 52, 57, 60, 64].map(|key| (0.0, 0, key, 0.7, 3.0)).to_vec()
}

fn played(patches: &[&str], notes: &[Note], tempo: f64, seconds: f64) -> Vec<f32> {
    let config =
        EngineConfig { sample_rate: RATE as f32, parts: patches.len(), ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    for (part, name) in patches.iter().enumerate() {
        engine.set_patch(part, &factory::find(name).unwrap());
    }
    let frame = |beat: f64| (beat * 60.0 / tempo * RATE as f64) as usize;
    let mut events: Vec<(usize, u8, EventKind)> = Vec::new();
    for &(at, part, key, velocity, beats) in notes {
        events.push((frame(at), part, EventKind::NoteOn { key, velocity }));
        events.push((frame(at + beats), part, EventKind::NoteOff { key, velocity: 0.5 }));
    }
    events.sort_by_key(|event| event.0);
    let latency = engine.latency();
    let frames = (seconds * RATE as f64) as usize + latency;
    let mut out = Vec::new();
    while out.len() < frames {
        let block = out.len()..out.len() + 256;
        let now: Vec<Event> = events
            .iter()
            .filter(|(at, ..)| block.contains(at))
            .map(|&(at, part, kind)| Event { frame: (at - block.start) as u32, part, kind })
            .collect();
        let (mut left, mut right) = ([0.0; 256], [0.0; 256]);
        engine.render(&now, &mut left, &mut right);
        out.extend(left.iter().zip(&right).map(|(left, right)| 0.5 * (left + right)));
    }
    out[latency..frames].to_vec()
}

/// A synthetic voice: glottal pulses of a moving pitch through three moving formants, with hiss for
/// the consonants between the vowels.
pub(crate) fn speech(seconds: f64) -> Vec<f32> {
    const VOWELS: [[f64; 3]; 4] = [
        [730.0, 1_090.0, 2_440.0],
        [270.0, 2_290.0, 3_010.0],
        [570.0, 840.0, 2_410.0],
        [530.0, 1_840.0, 2_480.0],
    ];
    let frames = (seconds * RATE as f64) as usize;
    let mut hiss = noise();
    let (mut phase, mut resonators, mut last) = (0.0, [[0.0; 2]; 4], 0.0);
    let mut out = Vec::with_capacity(frames);
    for n in 0..frames {
        let t = n as f64 / RATE as f64;
        // A syllable has a consonant, a vowel that glides to the next one, and a short pause.
        let syllable = t / 0.24;
        let (which, way) = (syllable as usize, syllable.fract());
        let [from, to] = [which, which + 1].map(|index| VOWELS[index % VOWELS.len()]);
        let pitch = 120.0 + 25.0 * (1.9 * t).sin() - 8.0 * t + 18.0 * (0.5 - way);
        phase += pitch / RATE as f64;
        let opens = phase >= 1.0;
        phase = phase.fract();
        let voiced = ((way - 0.3) / 0.05).clamp(0.0, 1.0) * ((0.92 - way) / 0.05).clamp(0.0, 1.0);
        let fricative = if (0.05..0.3).contains(&way) { 1.0 } else { 0.0 };
        let source = if opens { voiced } else { 0.0 } + 0.002 * voiced * hiss();
        let mut voice = 0.0;
        for (index, state) in resonators[..3].iter_mut().enumerate() {
            let hertz =
                from[index] + (to[index] - from[index]) * ((way - 0.4) / 0.5).clamp(0.0, 1.0);
            voice += resonated(state, source, hertz, 60.0 + 0.04 * hertz) / (1.0 + index as f64);
        }
        let high = [5_200.0, 3_400.0][which % 2];
        let white = hiss();
        let sharp = resonated(&mut resonators[3], fricative * (white - last), high, 1_500.0);
        last = white;
        out.push((0.6 * voice + 0.05 * sharp) as f32);
    }
    let peak = out.iter().fold(1e-9_f32, |peak, x| peak.max(x.abs()));
    out.iter().map(|x| 0.5 * x / peak).collect()
}

/// A resonator of two poles.
fn resonated(state: &mut [f64; 2], input: f64, hertz: f64, width: f64) -> f64 {
    let radius = (-std::f64::consts::PI * width / RATE as f64).exp();
    let angle = TAU * hertz / RATE as f64;
    let gain = 1.0 - radius;
    let now = gain * input + 2.0 * radius * angle.cos() * state[0] - radius * radius * state[1];
    *state = [now, state[0]];
    now
}

/// White noise from -1 to 1, the same every time.
pub(crate) fn noise() -> impl FnMut() -> f64 {
    let mut state = 1_u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        2.0 * f64::from(state >> 8) / f64::from(1 << 24) - 1.0
    }
}
