//! What released versions promised: parameters, commands with their options, and keys of `--json` are still
//! there. `RECORD_VERSION=1` records those of this version, when it is released.

use crate::harness::Folder;
use crate::midi;
use myriad_engine::params::Param;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One file a version, one promise a line.
fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/released")
}

/// Everything that this version offers.
fn offered() -> BTreeSet<String> {
    let mut offered = BTreeSet::new();
    offered.extend(Param::ALL.iter().map(|param| format!("parameter {}", param.info().id)));
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    for command in commands(&folder.succeed("--help").stdout) {
        offered.insert(format!("command {command}"));
        let help = folder.succeed(&format!("{command} --help")).stdout;
        offered.extend(options(&help).map(|option| format!("option {command} {option}")));
    }
    let lines = [
        "render song.mid --patch Init --json",
        "inspect song.wav --no-picture --json",
        "patches --json",
        "play --list --json",
        "doctor --json",
    ];
    for line in lines {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.contains('.')).collect();
        // Some print an object a line.
        for json in serde_json::Deserializer::from_str(&folder.succeed(line).stdout).into_iter() {
            keys(&json.unwrap(), &format!("json {}:", words.join(" ")), &mut offered);
        }
    }
    offered
}

/// The commands that the help lists.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.map_while(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long options that a command's help lists.
fn options(help: &str) -> impl Iterator<Item = &str> {
    let lists = |line: &&str| line.trim_start().starts_with('-') && line.contains("--");
    help.lines().filter(lists).filter_map(|line| {
        let option =
            line.trim_start().split([' ', ',', '[', '=']).find(|word| word.starts_with("--"));
        option.filter(|option| *option != "--help")
    })
}

/// The paths of all keys; elements of lists have the same path.
fn keys(json: &Value, path: &str, found: &mut BTreeSet<String>) {
    match json {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = format!("{path} {key}");
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                keys(element, path, found);
            }
        }
        _ => {}
    }
}

#[test]
fn what_released_versions_offered_is_there() {
    let offered = offered();
    for kind in ["parameter", "command", "option", "json"] {
        let count = offered.iter().filter(|line| line.starts_with(kind)).count();
        assert!(count >= 10, "{count} of {kind}");
    }
    if std::env::var_os("RECORD_VERSION").is_some() {
        let lines: String = offered.iter().map(|line| format!("{line}\n")).collect();
        let name = format!("{}.txt", env!("CARGO_PKG_VERSION"));
        std::fs::write(fixtures().join(name), lines).unwrap();
    }
    let mut versions = 0;
    for entry in std::fs::read_dir(fixtures()).unwrap() {
        let path = entry.unwrap().path();
        let promised = std::fs::read_to_string(&path).unwrap();
        let gone: Vec<&str> = promised.lines().filter(|line| !offered.contains(*line)).collect();
        assert!(gone.is_empty(), "{}: gone: {gone:#?}", path.display());
        versions += 1;
    }
    assert!(versions > 0, "no version is recorded");
}
