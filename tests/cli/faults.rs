//! Faults from outside: the Nth call of a kind fails, for every N, while the program works. It must end with a
//! clear line or go on without what failed, and no file may be lost or half written under its name.
//!
//! A shim (`tests/faults/shim.c`) that is loaded into the program counts calls and lets them fail.

use crate::harness::{Folder, Run, ended};
use myriad_engine::Patch;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Calls that can fail. Failed allocations end a Rust program, so for them only files are checked.
/// When power is cut, files keep only what was synced.
const KINDS: [&str; 10] =
    ["open", "read", "write", "sync", "rename", "mmap", "thread", "socket", "alloc", "power"];

/// So many of all allocations fail, spread over the run.
const ALLOCATIONS: usize = 40;

/// Something that the program does.
struct Scenario {
    name: &'static str,
    line: &'static str,
    /// The files that it writes.
    outputs: &'static [&'static str],
    /// Whether the same run writes the same bytes.
    repeats: bool,
}

const SCENARIOS: [Scenario; 7] = [
    Scenario {
        name: "render",
        line: "render song.mid -p Init -o out.wav -t 0",
        outputs: &["out.wav"],
        repeats: true,
    },
    Scenario {
        name: "import",
        line: "import note.wav -o out.toml --pitch 440",
        outputs: &["out.toml"],
        repeats: true,
    },
    Scenario {
        name: "save a pack",
        line: "patches --export-pack pack.zip",
        outputs: &["pack.zip"],
        repeats: true,
    },
    Scenario {
        name: "save patches",
        line: "patches --import-pack two.zip",
        outputs: &["myriad/patches/two/dusk.toml", "myriad/patches/two/ebb.toml"],
        repeats: false,
    },
    Scenario {
        name: "record",
        line: "play --host clock --for 0.1 --record take.wav --plain",
        outputs: &["take.wav"],
        repeats: false,
    },
    Scenario {
        name: "soak",
        line: "soak --minutes 0.005 --seed 1 --report .",
        outputs: &["report.json", "report.html"],
        repeats: false,
    },
    Scenario {
        name: "service",
        line: "play --host clock --for 0.3 --renderer stand-in-service --plain",
        outputs: &[],
        repeats: false,
    },
];

/// What is under the name of an output before the program runs, where it may be replaced.
const OLD: &[u8] = b"what was there before";

/// The shim, and a pack of the user's patches.
struct Rig {
    shim: PathBuf,
    pack: Vec<u8>,
    _folder: Folder,
}

impl Rig {
    fn new() -> Self {
        let folder = Folder::new();
        let shim = folder.path("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-shared", "-fPIC", "-w", source, "-ldl", "-o"]).arg(&shim);
        assert!(compiler.status().unwrap().success());
        save_patches(&folder);
        folder.succeed("patches --export-pack two.zip");
        let pack = std::fs::read(folder.path("two.zip")).unwrap();
        Self { shim, pack, _folder: folder }
    }

    /// Runs a scenario with a fault, or counts calls without one. Returns the run and its folder.
    fn run(&self, scenario: &Scenario, fault: &str) -> (Run, Folder) {
        let folder = Folder::new();
        folder.put("song.mid", SONG).put("note.wav", note()).put("two.zip", &self.pack);
        save_patches(&folder);
        if scenario.repeats {
            for name in scenario.outputs {
                folder.put(name, OLD);
            }
        }
        // Not where the patches are: the service wants a folder of its own that nobody else may enter.
        let runtime = folder.path("runtime");
        std::fs::create_dir(&runtime).unwrap();
        let (shim, counts) = (self.shim.clone(), folder.path("counts"));
        let variables = [
            ("LD_PRELOAD", shim.into_os_string()),
            ("FAULT", fault.into()),
            ("FAULT_COUNTS", counts.into()),
            ("XDG_RUNTIME_DIR", runtime.into()),
            ("XDG_CACHE_HOME", folder.path("").into()),
        ];
        let run = ended(folder.spawn_with(scenario.line, &variables), scenario.line);
        (run, folder)
    }

    /// Runs without a fault: calls by kind, and what is written.
    fn counts(&self, scenario: &Scenario) -> (BTreeMap<String, usize>, Vec<Vec<u8>>) {
        let (run, folder) = self.run(scenario, "");
        assert_eq!(run.code, Some(0), "{}: {}", scenario.name, run.stderr);
        // Of several processes, the one with the most calls counts: a fault is one of each process.
        let mut counts = BTreeMap::new();
        for name in folder.files().iter().filter(|name| name.starts_with("counts.")) {
            for line in std::fs::read_to_string(folder.path(name)).unwrap().lines() {
                let (kind, count) = line.split_once(' ').unwrap();
                let most: &mut usize = counts.entry(kind.to_owned()).or_default();
                *most = count.parse::<usize>().unwrap().max(*most);
            }
        }
        let written = scenario.outputs.iter();
        let written = written.map(|name| std::fs::read(folder.path(name)).unwrap());
        (counts, written.collect())
    }

    /// Runs a scenario with a fault, and checks how it ends.
    fn check(&self, scenario: &Scenario, fault: &str, clean: &[Vec<u8>]) {
        let (run, folder) = self.run(scenario, fault);
        let what = format!("{} with {fault}: {:?}, {}", scenario.name, run.code, run.stderr);
        assert!(!run.stderr.contains("panicked"), "{what}");
        let ends_it = ["alloc", "power"].iter().any(|kind| fault.starts_with(kind));
        assert!(ends_it || matches!(run.code, Some(0..=2)), "{what}");
        if matches!(run.code, Some(1 | 2)) {
            assert!(run.stderr.lines().any(|line| line.starts_with("myriad: ")), "{what}");
        }
        for (name, clean) in scenario.outputs.iter().zip(clean) {
            let found = std::fs::read(folder.path(name)).ok();
            let is_whole = found.as_ref().is_some_and(|bytes| match scenario.repeats {
                true => bytes == clean,
                false => is_complete(name, bytes),
            });
            let is_old = match scenario.repeats {
                true => found.as_deref() == Some(OLD),
                false => found.is_none(),
            };
            match run.code {
                Some(0) => assert!(is_whole, "{name}: {what}"),
                _ => assert!(is_whole || is_old, "{name}: {what}"),
            }
        }
    }
}

/// Whether a file is one that can be used.
fn is_complete(name: &str, bytes: &[u8]) -> bool {
    match name.rsplit('.').next() {
        Some("wav") => hound::WavReader::new(bytes)
            .is_ok_and(|mut wav| wav.samples::<i32>().all(|sample| sample.is_ok())),
        Some("toml") => {
            std::str::from_utf8(bytes).is_ok_and(|text| Patch::parse(text, name).is_ok())
        }
        Some("json") => serde_json::from_slice::<serde_json::Value>(bytes).is_ok(),
        _ => bytes.ends_with(b"</html>\n"),
    }
}

/// Two patches of the user's own.
fn save_patches(folder: &Folder) {
    std::fs::create_dir_all(folder.path("myriad/patches")).unwrap();
    for name in ["dusk", "ebb"] {
        let text = format!("format = 3\nname = \"{name}\"\n[filter]\ntype = \"low-pass 24\"\n");
        folder.put(&format!("myriad/patches/{name}.toml"), text);
    }
}

/// A note of a quarter second.
const SONG: &[u8] =
    b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk\0\0\0\x0c\0\x90\x3c\x64\x30\x80\x3c\x40\0\xff\x2f\0";

/// A tenth of a second at 440 Hz, as a WAV file.
fn note() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut wav = hound::WavWriter::new(&mut bytes, spec).unwrap();
    for i in 0..1_200 {
        let sample = 16_000.0 * (i as f64 * std::f64::consts::TAU * 440.0 / 8_000.0).sin();
        wav.write_sample(sample as i16).unwrap();
    }
    wav.finalize().unwrap();
    bytes.into_inner()
}

/// The first and the last call of kinds that matter for files. `make faults` lets every call fail.
#[test]
fn nothing_is_lost_when_a_call_fails() {
    let rig = Rig::new();
    for scenario in &SCENARIOS[..4] {
        let (counts, clean) = rig.counts(scenario);
        for kind in ["open", "write", "sync", "rename", "thread", "power"] {
            let last = counts[kind];
            for call in [1.min(last), last] {
                if call > 0 {
                    rig.check(scenario, &format!("{kind}:{call}"), &clean);
                }
            }
        }
    }
}

/// Every call of every kind fails, alone and with all calls after it.
fn every_call_fails(scenario: &Scenario) {
    let rig = Rig::new();
    let (counts, clean) = rig.counts(scenario);
    let mut points = Vec::new();
    for kind in KINDS {
        let calls = counts[kind];
        let step = if kind == "alloc" { calls.div_ceil(ALLOCATIONS) } else { 1 };
        let failing: Vec<usize> = (1..=calls).step_by(step).collect();
        points.push(format!("{kind} {}", failing.len()));
        for call in failing {
            rig.check(scenario, &format!("{kind}:{call}"), &clean);
            if !["alloc", "power"].contains(&kind) {
                rig.check(scenario, &format!("{kind}:{call}+"), &clean);
            }
        }
    }
    println!("{}: {}", scenario.name, points.join(", "));
}

/// `make faults`: a test for each scenario.
mod every_call {
    macro_rules! tests {
        ($($test:ident: $number:expr),*) => {
            $(#[test]
            #[ignore = "takes minutes: make faults"]
            fn $test() {
                super::every_call_fails(&super::SCENARIOS[$number]);
            })*
        };
    }
    tests!(of_render: 0, of_import: 1, of_export: 2, of_save: 3, of_record: 4, of_soak: 5, of_service: 6);
}
