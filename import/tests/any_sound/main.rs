//! Judges the import of any sound by what is played: speech, a drum loop, a chord and an extract of a song.

mod distance;
mod sounds;
mod vocoder;

use distance::{spectral, timing};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};
use myriad_import::{ImportError, Imported, Material, Options, Progress, Sound, import_sound};

const RATE: usize = 48_000;

/// The key that plays a sound as it is.
const ROOT: u8 = 60;

fn imported(samples: &[f32], material: Material) -> Result<Imported, ImportError> {
    let sound = Sound::new(RATE as f64, samples.to_vec())?;
    let options = Options { material, ..Options::default() };
    import_sound(&sound, &options, "test", &Progress::default())
}

/// Plays a patch at the velocity at which it is as loud as its source, so many semitones above its root key.
fn played(patch: &Patch, semitones: u8, seconds: f64) -> Vec<f32> {
    let mut patch = patch.clone();
    patch.values.set(Param::SourceLoop, 0.0);
    let key = patch.tracks[0].as_ref().map_or(60.0, |tracks| tracks.key());
    patch.values.set(Param::PitchTune, key - key.round());
    let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, &patch);
    let kind = EventKind::NoteOn { key: key.round() as u8 + semitones, velocity: 100.0 / 127.0 };
    let mut events = vec![Event { frame: 0, part: 0, kind }];
    let latency = engine.latency();
    let frames = (seconds * RATE as f64) as usize + latency;
    let mut out = Vec::new();
    while out.len() < frames {
        let (mut left, mut right) = ([0.0; 256], [0.0; 256]);
        engine.render(&events, &mut left, &mut right);
        events.clear();
        out.extend(left.iter().zip(&right).map(|(left, right)| 0.5 * (left + right)));
    }
    out[latency..frames].to_vec()
}

/// The distances of one way to play a sound: spectrum in decibels, onsets found, and how far off in
/// milliseconds; as it is, at half speed, and seven semitones higher.
fn judged(source: &[f32], heard: [&[f32]; 3]) -> String {
    let lower = vocoder::resampled(heard[2], 2.0_f64.powf(-7.0 / 12.0));
    let slower = [1.0, 2.0, 2.0_f64.powf(7.0 / 12.0)];
    let mut line = String::new();
    for (heard, slower) in [heard[0], heard[1], &lower].into_iter().zip(slower) {
        let distance::Timing { found, of, off_ms } = timing(source, heard, slower);
        let db = spectral(source, heard, slower);
        line += &format!(" | {db:5.1} dB {found:3}/{of:<3} {off_ms:4.1} ms");
    }
    line
}

fn three(patch: &Patch, from: f64, seconds: f64) -> [Vec<f32>; 3] {
    let mut slow = patch.clone();
    slow.values.set(Param::SourceSpeed, 0.5);
    let later = |heard: Vec<f32>, by: f64| {
        let silence = vec![0.0; (by * RATE as f64) as usize];
        silence.into_iter().chain(heard).collect()
    };
    let high = 2.0_f64.powf(-7.0 / 12.0);
    [
        later(played(patch, 0, seconds), from),
        later(played(&slow, 0, 2.0 * seconds), 2.0 * from),
        later(played(patch, 7, seconds), from + 0.0 * high),
    ]
}

#[test]
fn measurements() {
    let mut cases = sounds::all();
    if let Ok(files) = std::env::var("MYRIAD_SOUNDS") {
        cases.clear();
        cases.extend(files.split(',').map(|file| {
            if let Some(case) = sounds::all().into_iter().find(|case| case.name == file) { return case; }
            let mut reader = hound::WavReader::open(file).unwrap();
            let samples: Vec<f32> = reader.samples::<i16>().map(|x| f32::from(x.unwrap()) / 32_768.0).collect();
            let rate = f64::from(reader.spec().sample_rate);
            sounds::Case { name: file.to_owned(), samples: vocoder::resampled(&samples, rate / RATE as f64) }
        }));
    }
    for case in cases {
        let seconds = case.samples.len() as f64 / RATE as f64;
        let save = |what: &str, samples: &[f32]| {
            if let Ok(folder) = std::env::var("MYRIAD_SAVE") {
                let spec = hound::WavSpec { channels: 1, sample_rate: RATE as u32, bits_per_sample: 32, sample_format: hound::SampleFormat::Float };
                let stem = std::path::Path::new(&case.name).file_stem().unwrap().to_string_lossy().into_owned();
                let mut writer = hound::WavWriter::create(format!("{folder}/{stem}-{what}.wav"), spec).unwrap();
                samples.iter().for_each(|&x| writer.write_sample(x).unwrap());
                writer.finalize().unwrap();
            }
        };
        save("source", &case.samples);
        if std::env::var("ONSETS").is_ok() { println!("{:?}", distance::onsets(&case.samples)); }
        for (what, material) in [("note", Material::Note { hertz: None }), ("any", Material::AnySound)] {
            if what == "note" && std::env::var("MYRIAD_QUICK").is_ok() { continue; }
            let begin = std::time::Instant::now();
            match imported(&case.samples, material) {
                Ok(imported) => {
                    let took = begin.elapsed().as_secs_f64();
                    let from = imported.recording.as_ref().map_or(0.0, |recording| recording.region[0]);
                    let heard = three(&imported.patch, from, seconds);
                    if std::env::var("ONSETS").is_ok() { println!("{:?}", distance::onsets(&heard[0])); }
                    let line = judged(&case.samples, [&heard[0], &heard[1], &heard[2]]);
                    println!("{:10} {what:8}{line} {} kB {took:.1} s {:?}", case.name, imported.patch.to_toml().len() / 1000, imported.findings);
                    for (what2, heard) in ["plain", "slow", "high"].iter().zip(&heard) { save(&format!("{what}-{what2}"), heard); }
                }
                Err(error) => println!("{:10} {what:8} {error}", case.name),
            }
        }
        if std::env::var("MYRIAD_QUICK").is_err() {
        let high = 2.0_f64.powf(7.0 / 12.0);
        let slow = vocoder::stretched(&case.samples, 2.0);
        let higher = vocoder::resampled(&vocoder::stretched(&case.samples, high), high);
        let plain = vocoder::stretched(&case.samples, 1.0);
        println!("{:10} vocoder {}", case.name, judged(&case.samples, [&plain, &slow, &higher]));
        save("vocoder-slow", &slow);
        }
    }
}
