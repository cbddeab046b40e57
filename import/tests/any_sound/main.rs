//! Judges the import of any sound by what is played: speech, a drum loop, a chord, an extract of a song.
//!
//! `cargo test -p myriad-import --test any_sound -- --nocapture` prints the table of docs/design/import.md.
//! With `--ignored` it does so for the WAV files in `MYRIAD_SOUNDS`, separated by commas, and writes what is
//! heard beside them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod distance;
mod robust;
mod sounds;
mod vocoder;

use distance::{Timing, spectral, timing};
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch};
use myriad_import::{ImportError, Imported, Material, Options, Progress, Sound, import_sound};
use sounds::Case;

const RATE: usize = 48_000;

/// How much higher a sound is played, in semitones.
const HIGHER: u8 = 7;

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

/// One way to play a sound, compared with it.
#[derive(Clone, Copy, Debug)]
struct Judged {
    db: f64,
    timing: Timing,
}

/// A sound as it is, at half speed, and higher.
struct Heard([Vec<f32>; 3]);

impl Heard {
    /// What an imported patch plays, with the silence before the part that it uses.
    fn of(imported: &Imported, seconds: f64) -> Self {
        let from = imported.recording.as_ref().map_or(0.0, |recording| recording.region[0]);
        let later = |by: f64, heard: Vec<f32>| {
            let silence = vec![0.0; (by * RATE as f64) as usize];
            silence.into_iter().chain(heard).collect()
        };
        let patch = &imported.patch;
        let mut slow = patch.clone();
        slow.values.set(Param::SourceSpeed, 0.5);
        Self([
            later(from, played(patch, 0, seconds)),
            later(2.0 * from, played(&slow, 0, 2.0 * seconds)),
            later(from, played(patch, HIGHER, seconds)),
        ])
    }

    /// What a phase vocoder makes of it.
    fn of_vocoder(samples: &[f32]) -> Self {
        let faster = ratio();
        Self([
            vocoder::stretched(samples, 1.0),
            vocoder::stretched(samples, 2.0),
            vocoder::resampled(&vocoder::stretched(samples, faster), faster),
        ])
    }

    fn judged(&self, source: &[f32]) -> [Judged; 3] {
        let Self([plain, slow, high]) = self;
        // Read at the speed that gives it its old pitch, it is longer.
        let lower = vocoder::resampled(high, 1.0 / ratio());
        [(plain, 1.0), (slow, 2.0), (&lower, ratio())].map(|(heard, slower)| Judged {
            db: spectral(source, heard, slower),
            timing: timing(source, heard, slower),
        })
    }
}

fn ratio() -> f64 {
    2.0_f64.powf(f64::from(HIGHER) / 12.0)
}

/// Imports a sound in one way, and prints how far from it the patch is.
fn judged_import(case: &Case, material: Material, what: &str) -> Option<[Judged; 3]> {
    let seconds = case.samples.len() as f64 / RATE as f64;
    match imported(&case.samples, material) {
        Ok(imported) => {
            let heard = Heard::of(&imported, seconds);
            case.keep(what, &heard.0);
            let judged = heard.judged(&case.samples);
            print(&case.name, what, &judged);
            Some(judged)
        }
        Err(error) => {
            println!("| {} | {what} | {error} |", case.name);
            None
        }
    }
}

fn print(name: &str, what: &str, judged: &[Judged]) {
    let mut line = format!("| {name} | {what} |");
    for Judged { db, timing: Timing { found, of, off_ms } } in judged {
        line += &format!(" {db:.1} dB, {found}/{of}, {off_ms:.1} ms |");
    }
    println!("{line}");
}

const HEAD: &str =
    "| sound | way | as it is | half speed | 7 semitones up |\n|---|---|---|---|---|";

/// Any sound comes back nearer to the original than as one note, with its onsets in time; and in another time
/// or pitch about as near as from a phase vocoder.
#[test]
fn any_sound_comes_back() {
    compare(sounds::short());
}

/// The same for the songs of the table in `docs/design/import.md`.
#[test]
#[ignore = "takes a minute: make properties"]
fn songs_come_back() {
    compare(sounds::songs());
}

fn compare(cases: Vec<Case>) {
    println!("{HEAD}");
    for case in cases {
        let note = judged_import(&case, Material::Note { hertz: None }, "one note");
        let any = judged_import(&case, Material::AnySound, "any sound").unwrap();
        let vocoder = Heard::of_vocoder(&case.samples).judged(&case.samples);
        print(&case.name, "phase vocoder", &vocoder);
        let name = &case.name;
        let [plain, slow, high] = any;
        assert!(note.is_none_or(|note| plain.db < 0.9 * note[0].db), "{name}: {plain:?}");
        assert!(plain.db < 6.5, "{name}: {plain:?}");
        // In twenty seconds frames are 39 ms apart.
        if case.samples.len() > 10 * RATE {
            assert!(3 * plain.timing.found > 2 * plain.timing.of, "{name}: {plain:?}");
            assert!(plain.timing.off_ms < 15.0, "{name}: {plain:?}");
            continue;
        }
        assert_eq!(plain.timing.found, plain.timing.of, "{name}: {plain:?}");
        assert!(plain.timing.off_ms < 10.0, "{name}: {plain:?}");
        for (any, vocoder) in [(slow, vocoder[1]), (high, vocoder[2])] {
            assert!(any.db < vocoder.db + 1.0, "{name}: {any:?}, {vocoder:?}");
            assert!(any.timing.off_ms < 12.0, "{name}: {any:?}");
            // Attacks are longer, too, in twice the time, and some are too soft then to be found.
            assert!(4 * any.timing.found >= 3 * any.timing.of, "{name}: {any:?}");
        }
    }
}

/// A voice that is played higher keeps its vowels if the formants are held, and has the new pitch.
#[test]
fn formants_can_be_held() {
    let speech = sounds::speech(3.0);
    let imported = imported(&speech, Material::AnySound).unwrap();
    let distance = |formant: f32| {
        let mut patch = imported.patch.clone();
        patch.values.set(Param::SourceFormant, formant);
        let from = imported.recording.as_ref().unwrap().region[0];
        let silence = vec![0.0; (from * RATE as f64) as usize];
        let heard: Vec<f32> = silence.into_iter().chain(played(&patch, HIGHER, 3.0)).collect();
        distance::envelope(&speech, &heard)
    };
    let [moved, held] = [0.0, 1.0].map(distance);
    println!("vowels are {moved:.1} dB off, with formants held {held:.1} dB");
    assert!(held < 0.6 * moved, "{moved:.1} dB, {held:.1} dB");
}

/// Speech and a drum loop are not one note; a clear note is, and its patch is that of before.
#[test]
fn the_kind_is_detected() {
    for case in sounds::short().iter().filter(|case| case.name != "chord") {
        let found = imported(&case.samples, Material::Detect).unwrap().recording.unwrap();
        assert!(!found.is_one_note && found.warning().is_none(), "{}", case.name);
        assert!(!found.partials.is_empty(), "{}", case.name);
    }
    let tone: Vec<f32> = (0..RATE)
        .map(|n| {
            let turns = 220.0 * n as f64 / RATE as f64;
            let partial =
                |k: i32| (std::f64::consts::TAU * f64::from(k) * turns).sin() / f64::from(k);
            0.2 * (1..20).map(partial).sum::<f64>() as f32
        })
        .collect();
    let [detected, note] = [Material::Detect, Material::Note { hertz: None }]
        .map(|material| imported(&tone, material).unwrap().patch.to_toml());
    assert!(detected == note);
}

/// Prints the same for files.
#[test]
#[ignore = "measures the files that MYRIAD_SOUNDS names"]
fn files() {
    println!("{HEAD}");
    for file in std::env::var("MYRIAD_SOUNDS").unwrap_or_default().split(',') {
        let case = sounds::read(file);
        judged_import(&case, Material::Note { hertz: None }, "one note");
        judged_import(&case, Material::AnySound, "any sound");
        let vocoder = Heard::of_vocoder(&case.samples);
        case.keep("phase vocoder", &vocoder.0);
        print(&case.name, "phase vocoder", &vocoder.judged(&case.samples));
    }
}
