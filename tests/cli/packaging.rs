//! What downloads contain: man pages and completions, and the scripts that install and uninstall.

use crate::harness::Folder;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script of `dist`.
fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("dist").join(name)
}

/// All files and folders below one.
fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[test]
fn every_command_has_a_man_page_and_shells_complete_it() {
    let folder = Folder::new();
    folder.succeed("shell-files share");
    let read = |place: &str| fs::read_to_string(folder.path("share").join(place)).unwrap();
    let help = folder.succeed("--help").stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands =
        listed.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let shells = [
        "bash-completion/completions/myriad",
        "zsh/site-functions/_myriad",
        "fish/vendor_completions.d/myriad.fish",
        "powershell/myriad.ps1",
    ];
    let mut count = 0;
    for command in commands {
        let page = read(&format!("man/man1/myriad-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
        for shell in shells {
            assert!(read(shell).contains(command), "{shell} has no {command}");
        }
        count += 1;
    }
    assert!(count >= 10, "{help}");
    assert_eq!(fs::read_dir(folder.path("share/man/man1")).unwrap().count(), count + 1);
    let bash = folder.path("share").join(shells[0]);
    assert!(Command::new("bash").arg("-n").arg(bash).status().unwrap().success());
    folder.fail("shell-files /dev/null/share", 1, "/dev/null/share");
}

/// An unpacked archive with small files in place of programs, and a home of a user.
struct Unpacked(Folder);

impl Unpacked {
    fn new() -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.path("home")).unwrap();
        let unpacked = Self(folder);
        unpacked.put("bin/myriad", "#!/bin/sh\necho myriad 1\n");
        unpacked.put("share/applications/myriad.desktop", "Exec=myriad play --window\n");
        unpacked.put("share/man/man1/myriad.1", "");
        unpacked.put("lib/vst3/Myriad.vst3/Contents/x86_64-linux/Myriad.so", "1");
        unpacked.put("lib/clap/Myriad.clap", "1");
        for name in ["install", "uninstall"] {
            fs::copy(script(name), unpacked.0.path("archive").join(name)).unwrap();
        }
        unpacked
    }

    fn put(&self, place: &str, text: &str) {
        let path = self.0.path("archive").join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn home(&self) -> PathBuf {
        self.0.path("home")
    }

    fn run(&self, script: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new("sh");
        command.arg(script).args(arguments).env_clear().env("HOME", self.home());
        command.env("PATH", "/usr/bin:/bin").output().unwrap()
    }

    fn install(&self) -> Output {
        self.run(&self.0.path("archive/install"), &[])
    }

    /// By the script that was installed, as the archive may be gone.
    fn uninstall(&self, arguments: &[&str]) -> Output {
        self.run(&self.home().join(".local/share/myriad/uninstall"), arguments)
    }
}

#[test]
fn uninstall_removes_what_install_made_and_nothing_else() {
    let unpacked = Unpacked::new();
    let home = unpacked.home();
    // Folders and files that were there before.
    fs::create_dir_all(home.join(".vst3/Other.vst3")).unwrap();
    fs::create_dir_all(home.join(".local/share/man")).unwrap();
    let before = tree(&home);
    for _ in 0..2 {
        let installed = unpacked.install();
        assert!(installed.status.success(), "{installed:?}");
    }
    assert!(home.join(".vst3/Myriad.vst3/Contents/x86_64-linux/Myriad.so").exists());
    assert!(home.join(".clap/Myriad.clap").exists());
    let entry = fs::read_to_string(home.join(".local/share/applications/myriad.desktop")).unwrap();
    assert_eq!(entry, format!("Exec=\"{}/.local/bin/myriad\" play --window\n", home.display()));
    // What a user makes stays, unless it is to go as well.
    let patch = home.join(".local/share/myriad/patches/mine.toml");
    fs::create_dir_all(patch.parent().unwrap()).unwrap();
    fs::write(&patch, "").unwrap();
    let removed = unpacked.uninstall(&[]);
    assert!(removed.status.success(), "{removed:?}");
    assert!(String::from_utf8_lossy(&removed.stdout).contains("yours, kept"), "{removed:?}");
    assert!(patch.exists());
    assert!(unpacked.install().status.success());
    assert!(unpacked.uninstall(&["--all"]).status.success());
    assert_eq!(tree(&home), before);
}

#[test]
fn a_newer_version_replaces_all_of_the_older_one() {
    let unpacked = Unpacked::new();
    unpacked.put("share/man/man1/myriad-old.1", "");
    assert!(unpacked.install().status.success());
    fs::remove_file(unpacked.0.path("archive/share/man/man1/myriad-old.1")).unwrap();
    unpacked.put("lib/clap/Myriad.clap", "2");
    assert!(unpacked.install().status.success());
    let home = unpacked.home();
    assert!(!home.join(".local/share/man/man1/myriad-old.1").exists());
    assert_eq!(fs::read_to_string(home.join(".clap/Myriad.clap")).unwrap(), "2");
}

#[test]
fn what_cannot_be_installed_is_one_line() {
    let unpacked = Unpacked::new();
    let check = |output: Output, code: i32, words: &str| {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(words), "{said}");
    };
    check(unpacked.run(&script("uninstall"), &[]), 1, "not installed");
    check(unpacked.run(&script("uninstall"), &["--most"]), 2, "--most");
    check(unpacked.run(&unpacked.0.path("archive/install"), &["--help"]), 2, "MYRIAD_PREFIX");
    fs::remove_file(unpacked.0.path("archive/bin/myriad")).unwrap();
    check(unpacked.install(), 1, "unpack the whole archive");
    assert_eq!(tree(&unpacked.home()), Vec::<PathBuf>::new());
}

#[test]
fn bundles_for_macos_say_what_they_are() {
    let folder = Folder::new();
    folder.put("library", "a library");
    for kind in ["vst3", "clap", "component"] {
        let mut bundle = Command::new("sh");
        bundle.arg(script("macos-bundle")).arg(kind).arg(folder.path("library"));
        assert!(bundle.arg(folder.path("")).status().unwrap().success());
        let contents = folder.path(&format!("Myriad.{kind}/Contents"));
        assert_eq!(fs::read_to_string(contents.join("MacOS/Myriad")).unwrap(), "a library");
        assert_eq!(fs::read_to_string(contents.join("PkgInfo")).unwrap(), "BNDL????");
        let plist =
            "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
        let mut python = Command::new("python3");
        let read = python.args(["-c", plist]).arg(contents.join("Info.plist")).output().unwrap();
        let list: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
        assert_eq!(list["CFBundleExecutable"], "Myriad", "{list}");
        assert_eq!(list["CFBundleVersion"], env!("CARGO_PKG_VERSION"), "{list}");
        assert_eq!(list["CFBundleIdentifier"], format!("org.myriad.myriad.{kind}"), "{list}");
        let component = &list["AudioComponents"][0];
        match kind {
            "component" => {
                assert_eq!(component["type"], "aumu", "{list}");
                assert_eq!(component["factoryFunction"], "GetPluginFactoryAUV2", "{list}");
                assert!(component["version"].as_u64().unwrap() >= 256, "{list}");
            }
            _ => assert!(component.is_null(), "{list}"),
        }
    }
}

#[test]
fn scripts_are_shell() {
    let folder = fs::read_dir(script("")).unwrap().map(|entry| entry.unwrap().path());
    let starts = |path: &Path| fs::read(path).unwrap_or_default();
    let scripts: Vec<_> = folder
        .filter(|path| path.is_file())
        .filter(|path| {
            starts(path).starts_with(b"#!/bin/sh")
                || starts(path).starts_with(b"#!/usr/bin/env bash")
        })
        .collect();
    assert!(scripts.len() >= 8, "{scripts:?}");
    for script in scripts {
        let checked = Command::new("bash").arg("-n").arg(&script).output().unwrap();
        assert!(checked.status.success(), "{checked:?}");
    }
}
