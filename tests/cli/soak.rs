//! `myriad soak`: its report, resuming, and the detection of injected faults.

use crate::harness::{Folder, Run};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

fn report(folder: &Folder, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.path(name).join("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The report of a clean run has the documented shape, and the page needs no other files.
#[test]
fn a_clean_run_is_reported_clean() {
    let folder = Folder::new();
    let run = folder.succeed("soak --minutes 2 --seed 21");
    assert!(run.stdout.starts_with("Clean: nothing was found"), "{}", run.stdout);
    let report = report(&folder, "soak-report");
    assert_eq!(report["schema"], 1);
    assert_eq!(report["verdict"], "clean");
    assert_eq!(report["complete"], true);
    assert_eq!(report["findings"], Value::Array(Vec::new()));
    let seconds = report["seconds"].as_f64().unwrap();
    assert!((120.0..121.0).contains(&seconds), "{seconds}");
    assert_eq!(report["frames_compared"], report["frames"]);
    assert!(report["onsets"].as_u64().unwrap() > 0, "notes were timed");
    assert!(report["keenness"].as_f64().unwrap() > 0.4);
    assert!(report["samples"].as_array().unwrap().len() > 100);
    let growth = report["memory_growth"].as_f64().unwrap();
    assert!(growth < 10.0 * 1024.0 * 1024.0, "{growth}");
    assert_eq!(report["settings"]["seed"], 21);
    assert_eq!(report["legs"][0]["host"], "virtual");
    let page = std::fs::read_to_string(folder.path("soak-report/report.html")).unwrap();
    assert!(page.contains("<h1>Clean") && page.contains("<svg"));
    assert!(!page.contains("<script") && !page.contains("<link"));
    // Another soak does not write over it.
    folder.fail("soak --minutes 1", 2, "--resume");
}

/// An injected click is found, attributed to the injection, and kept as a sound file; an injected stall
/// causes no click.
#[test]
fn injected_faults_are_found_and_attributed() {
    let folder = Folder::new();
    let line = "soak --seed 1 --minutes 0.5 --json --report r --inject click --inject stall";
    let run = folder.succeed(line);
    let printed = run.json();
    assert_eq!(printed["verdict"], "disturbed");
    assert_eq!(printed["samples"], Value::Array(Vec::new()));
    let report = report(&folder, "r");
    let findings = report["findings"].as_array().unwrap();
    let of = |kind: &str| findings.iter().filter(|finding| finding["kind"] == kind).count();
    assert_eq!(of("click"), 1, "{findings:?}");
    // The reference finds the click, and that the stall was faded over as it should be.
    assert_eq!(of("difference"), 1, "{findings:?}");
    assert!(of("underrun") >= 1, "{findings:?}");
    for finding in findings {
        assert_eq!(finding["blame"], "injected", "{finding}");
        let clip = folder.path("r").join(finding["clip"].as_str().unwrap());
        let wav = hound::WavReader::open(clip).unwrap();
        assert!(wav.duration() > 20_000);
    }
    let page = std::fs::read_to_string(folder.path("r/report.html")).unwrap();
    assert!(page.contains("data:audio/wav;base64,"));
}

/// Without a seed each soak has one of its own, which it says first.
#[test]
fn soaks_have_fresh_seeds() {
    let seed = || {
        let folder = Folder::new();
        // Whatever it finds: this test decides the same each time.
        let said = folder.run("soak --minutes 0.01").stderr;
        let seed = said.lines().next().and_then(|line| line.rsplit(' ').next()?.parse().ok());
        let seed: u64 = seed.unwrap();
        assert_eq!(report(&folder, "soak-report")["settings"]["seed"], seed);
        seed
    };
    assert_ne!(seed(), seed());
}

/// A simulated GPU is lost and comes back, without a click.
#[test]
fn a_lost_gpu_is_reported_and_does_not_click() {
    let folder = Folder::new();
    let line = "soak --seed 1 --minutes 0.5 --renderer stand-in --inject gpu-loss --json";
    let run = folder.succeed(line);
    let report = run.json();
    assert_eq!(report["verdict"], "clean", "{report}");
    assert!(report["losses"].as_u64() >= Some(1), "{report}");
    assert_eq!(report["losses"], report["returns"], "{report}");
}

/// An interrupted run has a report; resumed, it plays the rest, and the report covers both.
#[cfg(unix)]
#[test]
fn an_interrupted_soak_can_be_resumed() {
    let folder = Folder::new();
    let mut child = folder.spawn("soak --seed 1 --hours 2 --report r");
    let journal = folder.path("r/journal.jsonl");
    let played = || std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("sample"));
    while !played() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("--resume r"), "{}", run.stderr);
    let first = report(&folder, "r");
    assert_eq!(first["complete"], false);
    // The journal is edited to ask for a shorter run, and to end in an incomplete line as after a crash.
    let text = std::fs::read_to_string(&journal).unwrap();
    let seconds = first["seconds"].as_f64().unwrap() + 5.0;
    let text = text.replacen("\"seconds\":7200.0", &format!("\"seconds\":{seconds}"), 1);
    std::fs::write(&journal, text + "{\"line\":\"sam").unwrap();
    folder.succeed("soak --resume r");
    let both = report(&folder, "r");
    assert_eq!((&both["complete"], &both["verdict"]), (&Value::Bool(true), &Value::from("clean")));
    assert_eq!(both["legs"].as_array().unwrap().len(), 2);
    assert!(both["frames"].as_u64() > first["frames"].as_u64());
    folder.fail("soak --resume nowhere", 1, "journal.jsonl");
    // A journal that asks for more than any soak takes is not begun.
    let text = std::fs::read_to_string(&journal).unwrap();
    let endless = text.replacen(&format!("\"seconds\":{seconds}"), "\"seconds\":1e308", 1);
    assert_ne!(endless, text);
    std::fs::write(&journal, endless).unwrap();
    folder.fail("soak --resume r", 1, "line 1: no soak takes so long");
}

#[test]
fn misuse_is_one_line() {
    let folder = Folder::new();
    let cases: &[(&str, &str)] = &[
        ("soak --inject gpu-loss", "--renderer cuda"),
        ("soak --inject device-loss", "--device clock"),
        ("soak --inject rain", "gpu-loss"),
        ("soak --hours 0", "above 0"),
        ("soak --resume r --seed 2", "--seed"),
    ];
    for (line, words) in cases {
        folder.fail(line, 2, words);
    }
}
