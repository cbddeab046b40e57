//! `myriad doctor`, on a machine without devices.

use crate::harness::Folder;

#[test]
fn every_problem_has_advice() {
    let folder = Folder::new();
    let examination = folder.succeed("doctor --json").json();
    assert_eq!(examination["schema"], 1);
    let findings = examination["findings"].as_array().unwrap();
    for finding in findings {
        let well = finding["state"] == "ok";
        assert_eq!(finding["advice"].is_null(), well, "{finding}");
        assert!(!finding["text"].as_str().unwrap().is_empty(), "{finding}");
    }
    for about in ["processor", "real time", "cuda", "renderer", "audio", "midi", "plugin"] {
        let found = findings.iter().any(|finding| finding["about"] == about);
        assert!(found || !cfg!(target_os = "linux"), "nothing about {about}");
    }
    // The harness hides all devices.
    let silent = |finding: &&serde_json::Value| finding["state"] == "broken";
    let broken: Vec<_> = findings.iter().filter(silent).collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0]["advice"].as_str().unwrap().contains("--host clock"));
}

#[test]
fn the_text_has_the_same_findings() {
    let folder = Folder::new();
    let text = folder.succeed("doctor").stdout;
    assert!(text.starts_with("Myriad "), "{text}");
    for words in ["ok    processor", "→ ", "`auto` begins with", "things looked at"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
