//! Golden renders: patches sound as they did when someone last listened. Those with a file in
//! `golden/` are held to it: an empty file there, regenerated, makes another one so.
//!
//! After a change of sound that is meant, listen, then regenerate:
//! `REGENERATE_GOLDEN=1 cargo test -p myriad-engine --test golden`

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};
use myriad_conformance::testing::*;
use myriad_engine::{Engine, EngineConfig, Patch, factory};
use std::path::{Path, PathBuf};

/// How far a render may be from its golden one: the file's 16 bits leave -96 dB, and other
/// processors round differently.
const TOLERANCE_DB: f32 = -84.0;

const GOLDEN_RATE: u32 = 16_000;

fn render(patch: &myriad_engine::Patch) -> Vec<f32> {
    let config = EngineConfig { sample_rate: GOLDEN_RATE as f32, ..EngineConfig::default() };
    let mut engine = Engine::new(&config).unwrap();
    engine.set_patch(0, patch);
    let events =
        [(0, on(45)), (1_000, on(64)), (2_000, cc(1, 0.6)), (8_000, off(45)), (9_000, off(64))];
    let [left, right] = play(&mut engine, &events, GOLDEN_RATE as usize);
    left.into_iter().zip(right).flat_map(|(left, right)| [left, right]).collect()
}

#[test]
fn patches_sound_as_they_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let regenerate = std::env::var_os("REGENERATE_GOLDEN").is_some();
    let mut held = 0;
    for patch in factory::patches() {
        let file = folder.join(format!("{}.wav", patch.name.to_lowercase().replace(' ', "-")));
        if !file.exists() {
            continue;
        }
        held += 1;
        let got = render(patch);
        if regenerate {
            let spec = WavSpec {
                channels: 2,
                sample_rate: GOLDEN_RATE,
                bits_per_sample: 16,
                sample_format: SampleFormat::Int,
            };
            let mut writer = WavWriter::create(&file, spec).unwrap();
            let quantise = |x: &f32| (x * 32_767.0).round() as i16;
            got.iter().for_each(|x| writer.write_sample(quantise(x)).unwrap());
            writer.finalize().unwrap();
        }
        compare(&patch.name, &got, &file);
    }
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(held, files, "every golden render is of a patch");
}

/// Patches that were saved before the factory library got its touch: files of a user keep their sound,
/// whatever becomes of the factory patch that they were copied from. These renders are never
/// regenerated.
#[test]
fn saved_patches_keep_their_sound() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/saved");
    let mut formats = [0; 2];
    for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "toml") {
            let text = std::fs::read_to_string(&file).unwrap();
            formats[usize::from(text.starts_with("format = 3"))] += 1;
            let patch = Patch::parse(&text, "saved").unwrap();
            compare(&patch.name, &render(&patch), &file.with_extension("wav"));
        }
    }
    assert!(formats.iter().all(|&count| count > 0), "of formats 2 and 3: {formats:?}");
}

fn compare(name: &str, got: &[f32], file: &Path) {
    let golden: Vec<f32> = WavReader::open(file)
        .unwrap_or_else(|error| panic!("{}: {error}; regenerate it", file.display()))
        .samples::<i16>()
        .map(|x| f32::from(x.unwrap()) / 32_767.0)
        .collect();
    assert_eq!(golden.len(), got.len());
    let difference: Vec<f32> = got.iter().zip(&golden).map(|(a, b)| a - b).collect();
    let level = db(rms(&difference));
    assert!(level < TOLERANCE_DB, "{name} differs by {level:.1} dBFS");
}
