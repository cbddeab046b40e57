//! A machine without ALSA's library: everything but playing through ALSA works.

use crate::harness::Folder;
use crate::midi;

#[test]
fn the_program_starts_renders_and_lists() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    for line in ["--help", "patches", "render song.mid --patch Init", "play --host clock --for 0.2"]
    {
        let run = folder.run_without_alsa(line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    }
    assert!(folder.path("song.wav").exists());
    let listing = folder.run_without_alsa("play --list").stdout;
    assert!(listing.contains("- ALSA       ALSA: its library is not installed"), "{listing}");
}

#[test]
fn the_doctor_says_what_to_install() {
    let folder = Folder::new();
    let said = folder.run_without_alsa("doctor --json").json();
    let findings = said["findings"].as_array().unwrap();
    let alsa = |finding: &&serde_json::Value| finding["text"].as_str().unwrap().starts_with("ALSA");
    let advice = findings.iter().find(alsa).unwrap()["advice"].as_str().unwrap();
    assert!(advice.contains("apt install libasound2"), "{advice}");
}

#[test]
fn playing_through_alsa_fails_with_one_line() {
    let folder = Folder::new();
    for line in ["play --host alsa", "play"] {
        let run = folder.run_without_alsa(line);
        assert_eq!(run.code, Some(1), "{line}: {}", run.stderr);
        run.assert_one_line(line);
        assert!(
            run.stderr.contains("ALSA: its library is not installed"),
            "{line}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("libasound.so.2"), "{line}: {}", run.stderr);
    }
}
