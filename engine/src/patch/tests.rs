//! Patches survive the round trip, old ones load, errors say where.

use super::*;
use crate::modulation::{EnvelopePoint, Point};
use crate::params::Param;

fn error(text: &str) -> String {
    Patch::parse(text, "my.toml").unwrap_err().to_string()
}

#[test]
fn every_embedded_patch_parses_and_survives_the_round_trip() {
    for (file, text) in factory::files() {
        let patch = Patch::parse(text, file).unwrap();
        assert_eq!(Patch::parse(&patch.to_toml(), file).unwrap(), patch);
        assert_eq!(factory::find(&patch.name.to_uppercase()), Some(patch));
    }
    assert!(factory::patches().len() >= 12);
    assert_eq!(factory::patches().len(), factory::files().len());
}

#[test]
fn errors_name_file_line_and_key() {
    let head = "format = 2\nname = \"x\"\n";
    for (body, expected) in [
        (
            "[filter]\ncutof = 3",
            "my.toml:4: filter.cutof: no such parameter; did you mean \"filter.cutoff\"?",
        ),
        ("[filter]\ncutoff = 3", "my.toml:4: filter.cutoff: 3 is outside 20 to 20000 Hz"),
        ("[filter]\ncutoff = nan", "my.toml:4: filter.cutoff: NaN is outside 20 to 20000 Hz"),
        ("[filter]\ncutoff = \"high\"", "my.toml:4: filter.cutoff: expected a number, found text"),
        ("[voice]\nmode = \"duo\"", "my.toml:4: voice.mode: \"duo\" is none of poly, mono, legato"),
        ("[[route]]\nfrom = \"lfo1\"\nto = \"pitch.tune\"", "my.toml:3: route.amount: missing"),
        ("[[route]]\nfrom = \"lfo9\"", "my.toml:4: from: no \"lfo9\"; did you mean \"lfo"),
        ("[[route]]\nto = \"voice.mode\"", "my.toml:4: to: voice.mode cannot be modulated"),
        ("[filter\n", "my.toml:3: "),
    ] {
        let error = error(&format!("{head}{body}"));
        assert!(error.starts_with(expected), "{error}\nexpected {expected}");
        assert!(!error.contains('\n'));
    }
    assert!(error("name = \"x\"").contains("format: missing"));
    assert!(error("format = 99\nname = \"x\"").contains("newer than this Myriad"));
    assert!(error("format = 2").contains("name: missing"));
}

#[test]
fn format_1_is_migrated() {
    let patch = Patch::parse(
        "format = 1\nname = \"Old\"\n[amp]\nvolume = -9.0\n[lfo2]\nmode = \"retrigger\"\n\
         [[route]]\nfrom = \"lfo2\"\nto = \"amp.volume\"\namount = 2.0\n",
        "old.toml",
    )
    .unwrap();
    assert_eq!(patch.values[Param::AmpLevel], -9.0);
    assert_eq!(patch.values[Param::Lfo2Mode], 1.0);
    assert_eq!(patch.routes[0].target, Param::AmpLevel);
}

/// Random edits of good patches: each either parses or fails with one line; nothing panics.
#[test]
fn damaged_patches_fail_with_one_line() {
    let mut state = 1u32;
    let mut random = |below: usize| {
        state = crate::dsp::hash(state.wrapping_add(0x9E37_79B9));
        state as usize % below
    };
    let snippets =
        ["[", "]]", "=", "\"", "\0", "1e999", "[[route]]\n", "format = 3\n", "é", "-inf"];
    let files = factory::files();
    let mut failed = 0;
    for _ in 0..2_000 {
        let (file, text) = files[random(files.len())];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + random(4) {
            let at = random(bytes.len().max(1));
            match random(4) {
                // Nothing is left to damage.
                0..=2 if bytes.is_empty() => {}
                0 => bytes[at] = random(256) as u8,
                1 => bytes.truncate(at + 1),
                2 => drop(bytes.remove(at)),
                _ => drop(bytes.splice(at..at, snippets[random(snippets.len())].bytes())),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = Patch::parse(&text, file) {
            failed += 1;
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }
    assert!(failed > 500, "the damage shows: {failed}");
}

#[test]
fn drawings_survive_the_round_trip_and_wrong_ones_say_where() {
    let text = "format = 2\nname = \"x\"\n[drawn]\nlfo2 = [0, 1, -0.5]\n";
    let patch = Patch::parse(text, "my.toml").unwrap();
    assert_eq!(patch.drawings[1], Drawing::new(&[0.0, 1.0, -0.5]));
    assert_eq!(Patch::parse(&patch.to_toml(), "again").unwrap(), patch);
    let text = text.replace("[0, 1, -0.5]", "[0, 1]\nlfo6_points = [0, -1, 0.3, 0.75, 1, -0.1]");
    let patch = Patch::parse(&text, "my.toml").unwrap();
    assert_eq!(patch.drawings[1], Drawing::new(&[0.0, 1.0]));
    let text = text.clone() + "env2 = [1, 0.1, 0.9, 0.25, 0.4, 0, -0.5]\n";
    let patch = Patch::parse(&text, "my.toml").unwrap();
    let point = |seconds, level, curve| EnvelopePoint { seconds, level, curve };
    let envelope = DrawnEnvelope::new(&[point(0.1, 0.9, 0.25), point(0.4, 0.0, -0.5)], 0);
    assert_eq!(patch.envelopes, [None, Some(envelope), None, None]);
    let [first, last] = [[0.0, -1.0, 0.3], [0.75, 1.0, -0.1]];
    let points = [first, last].map(|[x, y, curve]| Point { x, y, curve });
    assert_eq!(patch.drawings[5], Drawing::from_points(&points));
    assert_eq!(Patch::parse(&patch.to_toml(), "again").unwrap(), patch);
    for wrong in [
        "lfo9 = [0]",
        "lfo1 = [2]",
        "lfo1 = 3",
        "lfo1 = []",
        "lfo7_points = [0, 0, 0]",
        "lfo1_points = [0, 0]",
        "lfo1_points = [0, 2, 0]",
        "lfo1_points = [-0.1, 0, 0]",
        "env1 = [1, 0.1, 1, 0]",
        "env1 = [2, 0.1, 1, 0, 0.2, 0, 0]",
        "env1 = [1, 0.1, 1.5, 0, 0.2, 0, 0]",
        "env5 = [1, 0.1, 1, 0, 0.2, 0, 0]",
    ] {
        let text = format!("format = 2\nname = \"x\"\n[drawn]\n{wrong}\n");
        assert!(error(&text).starts_with("my.toml:4: drawn."), "{wrong}");
    }
}
