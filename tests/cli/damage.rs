//! Damaged files: each gives a complete result or one line of error.

use crate::harness::Folder;
use crate::midi;

/// A deterministic random number generator: Marsaglia's xorshift.
struct Rng(u32);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}

fn damaged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] ^= 1 << rng.below(8),
            2 => bytes[at] = rng.below(256) as u8,
            3 => drop(bytes.remove(at.min(bytes.len() - 1))),
            4 => bytes.insert(at, rng.below(256) as u8),
            // A length far beyond the end of the file.
            _ => {
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
        }
        if bytes.len() < 2 {
            break;
        }
    }
    bytes
}

#[test]
fn damaged_songs() {
    let whole = midi::song(&[
        ("Lead", &[(0, 69, 0, 100), (0, 72, 100, 100)]),
        ("Bass", &[(1, 45, 0, 200)]),
    ]);
    let folder = Folder::new();
    let mut rng = Rng(0x5eed);
    let mut failures = 0;
    for round in 0..300 {
        folder.put("song.mid", damaged(&whole, &mut rng));
        let run = folder.run("render song.mid --sample-rate 8000 --tail 0 --threads 1 -q");
        match run.code {
            Some(0) => {
                assert_eq!(folder.files(), ["song.mid", "song.wav"], "round {round}");
                hound::WavReader::open(folder.path("song.wav")).unwrap();
                std::fs::remove_file(folder.path("song.wav")).unwrap();
            }
            Some(1) => {
                run.assert_one_line(round);
                assert!(run.stderr.starts_with("myriad: song.mid: "), "{}", run.stderr);
                assert_eq!(folder.files(), ["song.mid"], "round {round}");
                failures += 1;
            }
            code => panic!("round {round}: exit {code:?}: {}", run.stderr),
        }
    }
    assert!(failures > 100, "too few failures: {failures}");
}

/// Every possible truncation of a song is noticed.
#[test]
fn songs_cut_short() {
    let whole = midi::beep();
    let folder = Folder::new();
    for length in 0..whole.len() {
        folder.put("song.mid", &whole[..length]);
        folder.fail("render song.mid --threads 1", 1, "song.mid: ");
    }
}

#[test]
fn damaged_patches() {
    let folder = Folder::new();
    folder.put("song.mid", midi::song(&[("", &[(0, 69, 0, 100)])]));
    let patches = folder.succeed("patches --json").json();
    let first = patches[0]["name"].as_str().unwrap();
    let whole = folder.succeed(&format!("patches '{first}' --toml")).stdout.into_bytes();
    let mut rng = Rng(0xf00d);
    let mut failures = 0;
    for round in 0..200 {
        folder.put("patch.toml", damaged(&whole, &mut rng));
        let run = folder.run("patches patch.toml");
        match run.code {
            Some(0) => assert_eq!(run.stderr, "", "round {round}"),
            Some(1) => {
                run.assert_one_line(round);
                assert!(run.stderr.contains("patch.toml"), "{}", run.stderr);
                failures += 1;
            }
            code => panic!("round {round}: exit {code:?}: {}", run.stderr),
        }
    }
    assert!(failures > 50, "too few failures: {failures}");
}

#[test]
fn damaged_waves() {
    let folder = Folder::new();
    folder.put("song.mid", midi::song(&[("", &[(0, 69, 0, 100)])]));
    folder.succeed("render song.mid --tail 0 -o good.wav");
    let whole = std::fs::read(folder.path("good.wav")).unwrap();
    // Only the header is damaged, because samples may have any bytes.
    let (header, sound) = whole.split_at(80);
    let mut rng = Rng(0xcafe);
    for round in 0..100 {
        folder.put("bad.wav", [&damaged(header, &mut rng), sound].concat());
        let run = folder.run("inspect bad.wav --no-picture");
        match run.code {
            Some(0) => {}
            Some(1) => run.assert_one_line(round),
            code => panic!("round {round}: exit {code:?}: {}", run.stderr),
        }
    }
}

/// Opening a named pipe would wait for somebody at its other end.
#[cfg(unix)]
#[test]
fn named_pipes_are_refused() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep()).put("tone.scl", "t\n1\n2/1\n");
    folder.succeed("render song.mid -q");
    for name in ["pipe.mid", "pipe.wav", "pipe.toml", "pipe.scl", "pipe.png"] {
        let made = std::process::Command::new("mkfifo").arg(folder.path(name)).status().unwrap();
        assert!(made.success());
    }
    for line in [
        "render pipe.mid",
        "render song.mid -o pipe.wav",
        "render song.mid -p pipe.toml",
        "render song.mid --scale pipe.scl",
        "render song.mid --trace pipe.png",
        "play pipe.mid --host clock",
        "play --host clock --record pipe.wav",
        "patches pipe.toml",
        "inspect pipe.wav --no-picture",
        "inspect song.wav --picture pipe.png",
        "import pipe.wav",
    ] {
        folder.fail(line, 1, "a named pipe");
    }
}

/// What the shell puts in place of `<(command)` has somebody who writes.
#[cfg(target_os = "linux")]
#[test]
fn pipes_of_the_shell_are_read() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    let script = format!(
        "cat song.mid | '{}' render /dev/stdin -o out.wav -q",
        env!("CARGO_BIN_EXE_myriad")
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .status()
        .unwrap();
    assert!(status.success());
    assert!(folder.path("out.wav").exists());
}

/// A terminal obeys escape sequences, so names are shown without them.
#[cfg(unix)]
#[test]
fn escape_sequences_in_names_are_not_obeyed() {
    let folder = Folder::new();
    folder.put("a\u{1b}[31m.mid", midi::beep()).put("b\u{1b}[31m.mid", "no song");
    let run = folder.succeed("render a\u{1b}[31m.mid");
    assert!(run.stdout.starts_with("a\\u{1b}[31m.wav\n"), "{}", run.stdout);
    for line in ["render b\u{1b}[31m.mid", "render c\u{1b}[31m.mid"] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains("\\u{1b}[31m.mid: "), "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
}
