//! Damaged files that are dropped on the editor: one line in the window, and nothing is lost.

use super::import::{drop_file, fixture, note, until_imported};
use super::*;
use std::path::Path;

/// The most memory of the process at any time, above what it had before.
const MOST_MEGABYTES: f64 = 500.0;

/// Files of all kinds in turn, changed here and there: as many as `FUZZ_CASES` says, or 120.
#[test]
fn damaged_files_are_lines() {
    let cases = std::env::var("FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    let count: usize = cases.unwrap_or(120);
    let folder = tempfile::tempdir().unwrap();
    let originals = originals(folder.path());
    let mut window = open("Aurora", "Source");
    // Bytes that are no text have no glyphs either.
    window.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    let mut random = Random(1);
    let (before, mut refused) = (most_megabytes(), 0);
    for round in 0..count {
        let (name, original) = &originals[round % originals.len()];
        let file = folder.path().join(name);
        std::fs::write(&file, random.damaged(original)).unwrap();
        let sound = window.state().host.patch();
        drop_file(&mut window, &file);
        until_imported(&mut window);
        let line = note(&window);
        let line = line.as_deref().unwrap_or_default();
        assert!(!line.contains('\n'), "{round}, {name}: {line}");
        // What cannot be read is said, and changes nothing. Some damage is harmless: then it is another sound.
        if line.contains(name) {
            assert_eq!(window.state().host.patch(), sound, "{round}, {name}: {line}");
            refused += 1;
        }
        if round % 500 == 499 {
            println!("{} files, {refused} refused, {:.0} MB", round + 1, most_megabytes());
        }
    }
    assert!(refused > count / 10, "only {refused} of {count} were refused");
    let more = most_megabytes() - before;
    assert!(more < MOST_MEGABYTES, "{more} MB");
    // It still works.
    drop_file(&mut window, &fixture("tone.flac"));
    until_imported(&mut window);
    assert!(window.state().host.patch().tracks[0].is_some(), "a whole file is imported after them");
}

/// Whole files of all kinds that can be dropped.
fn originals(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let patch = factory::find("Tide").unwrap();
    let pack = folder.join("pack.zip");
    let mut library = Library::open(Some(folder.join("library")));
    library.save_new(&patch).unwrap();
    let own: Vec<_> = library.entries().iter().filter(|entry| entry.file.is_some()).collect();
    myriad_library::write_pack(&own, &pack).unwrap();
    let mut files = vec![
        ("a.toml".to_owned(), patch.to_toml().into_bytes()),
        ("a.scl".to_owned(), b"! x.scl\nx\n 3\n 9/8\n 3/2\n 2/1\n".to_vec()),
        ("a.kbm".to_owned(), b"0\n0\n127\n69\n69\n432.0\n1\n".to_vec()),
        ("a.mid".to_owned(), b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk\0\0\0\x04\0\xff\x2f\0".to_vec()),
        ("a.wav".to_owned(), wav()),
        ("a.zip".to_owned(), std::fs::read(pack).unwrap()),
    ];
    for name in ["tone.flac", "tone.aiff", "tone.ogg", "tone.mp3", "plain.png", "drawing.jpg"] {
        files.push((name.to_owned(), std::fs::read(fixture(name)).unwrap()));
    }
    files
}

/// A tenth of a second of a tone, in 16 bits.
fn wav() -> Vec<u8> {
    let samples: Vec<u8> = (0..4_800)
        .flat_map(|n| ((8_000.0 * (n as f32 * 0.0576).sin()) as i16).to_le_bytes())
        .collect();
    let format = b"fmt \x10\0\0\0\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0";
    let length = (samples.len() as u32).to_le_bytes();
    [b"RIFF\0\0\0\0WAVE", &format[..], b"data", &length, &samples].concat()
}

struct Random(u64);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }

    /// A copy with one to four changes: a byte, a bit, a large number, a part twice, or the end cut off. Half of them
    /// are in the first 64 bytes, where files say how large they are.
    fn damaged(&mut self, original: &[u8]) -> Vec<u8> {
        let mut bytes = original.to_vec();
        for _ in 0..1 + self.below(4) {
            let reach = if self.below(2) == 0 { bytes.len().min(64) } else { bytes.len() };
            let at = self.below(reach);
            let rest = bytes.len() - at;
            match self.below(5) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xFF),
                3 => {
                    let part = bytes[at..at + self.below(rest.min(256))].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => bytes.truncate(at + 1),
            }
        }
        bytes
    }
}

/// The most memory that this process ever had; zero where the system does not say.
fn most_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.map(|line| line.trim().trim_end_matches(" kB"));
    kilobytes.and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) / 1_000.0
}
