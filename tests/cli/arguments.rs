//! Wrong command lines: one line on standard error, exit code 2.

use crate::harness::Folder;
use crate::midi;

#[test]
fn misuse_is_one_line() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    let cases: &[(&str, &str)] = &[
        ("sing", "unrecognized subcommand"),
        ("rendr song.mid", "render"),
        ("render", "<SONG>"),
        ("render song.mid --loud", "--loud"),
        ("render song.mid more.mid", "more.mid"),
        ("render song.mid --sample-rate 7999", "8000"),
        ("render song.mid --sample-rate 192001", "192000"),
        ("render song.mid --sample-rate fast", "fast"),
        ("render song.mid --sample-rate -1", "-1"),
        ("render song.mid --bits 12", "32f"),
        ("render song.mid --tail -1", "tail"),
        ("render song.mid --tail nan", "auto"),
        ("render song.mid --tail inf", "auto"),
        ("render song.mid --threads 0", "threads"),
        ("render song.mid --patch 17=Organ", "1 to 16"),
        ("render song.mid --patch 0=Organ", "1 to 16"),
        ("render song.mid --patch ''", "name or file"),
        ("render song.mid --patch 3=", "name or file"),
        ("render song.mid --patch 'no such patch'", "no patch is called"),
        ("render song.mid --patch '9=no such patch'", "no patch is called"),
        ("render song.mid -o song.mp3", ".wav"),
        ("render song.mid -o -", ".wav"),
        ("render song.mid -o song.mid", "the song itself"),
        ("patches 'no such patch'", "no patch is called"),
        ("patches --category 'no such category'", "there are"),
        ("patches a b", "b"),
        ("inspect", "<FILE>"),
        ("inspect a.wav --picture a.jpg", ".png"),
        ("inspect a.wav --picture a.png --no-picture", "--no-picture"),
        ("demo --loud", "--loud"),
        ("demo polka", "procession"),
        ("play --demo=polka", "procession"),
        ("play --keyboard map.kbm", "--scale"),
        ("play --patch 'no such patch'", "no patch is called"),
        ("play --patch '2=no such patch'", "no patch is called"),
        ("play -p Aurora -p Tide", "twice"),
        ("play --host gramophone", "gramophone"),
        ("play --rate 1000", "1000"),
        ("play --buffer 0", "0"),
        ("play --load many", "voices go from 1"),
        ("play --for ever", "seconds"),
        ("play --record take.mp3", ".wav"),
        ("play --plain --json", "--json"),
        ("play song.mid --demo", "--demo"),
        ("bench --renderer abacus", "cuda"),
        ("bench --only luck", "round-trip"),
        ("bench --seconds 0", "0.1 to 3600"),
        ("bench --seconds -1", "0.1 to 3600"),
        ("bench --seconds nan", "0.1 to 3600"),
        ("bench --seconds 1 --quick", "--quick"),
        ("bench --from a.json --only held", "--only"),
        ("render song.mid --renderer abacus", "abacus"),
        ("render song.mid --device one", "one"),
    ];
    for (line, words) in cases {
        folder.fail(line, 2, words);
    }
}

#[test]
fn the_same_patch_option_twice_is_misuse() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    let patches = folder.succeed("patches --json").json();
    let name = patches[0]["name"].as_str().unwrap();
    for name in [name, &format!("1={name}")] {
        let line = format!("render song.mid -p '{name}' -p '{name}'");
        folder.fail(&line, 2, "twice");
    }
}

#[test]
fn failure_is_one_line() {
    let folder = Folder::new();
    folder.put("song.mid", midi::beep());
    folder.put("text.mid", "this is not music");
    folder.put("empty.mid", "");
    folder.put("silent.mid", midi::song(&[("", &[])]));
    folder.put("bad.toml", "]]]] not toml");
    folder.put("wrong.toml", "format = 2\nname = \"x\"\nnonsense_key = 3\n");
    folder.put("binary.toml", [0xff, 0xfe, 0x00]);
    folder.put("list.json", "[1, 2]");
    folder.put("new.json", "{\"schema\": 99}");
    folder.put("half.json", "{\"schema\": 1}");
    std::fs::create_dir(folder.path("folder.wav")).unwrap();
    let cases: &[(&str, &str)] = &[
        ("render missing.mid", "missing.mid: "),
        ("render .", ".: "),
        ("render text.mid", "text.mid: not a MIDI file"),
        ("render empty.mid", "empty.mid: not a MIDI file"),
        ("render silent.mid", "silent.mid: has no notes"),
        ("render song.mid -p missing.toml", "missing.toml: "),
        ("render song.mid -p bad.toml", "bad.toml"),
        ("render song.mid -p wrong.toml", "nonsense_key"),
        ("render song.mid -p binary.toml", "binary.toml: not a text file"),
        ("render song.mid -p 2=bad.toml", "bad.toml"),
        ("render song.mid -o no/such/folder.wav", "no/such/folder.wav: "),
        ("render song.mid -o folder.wav", "folder.wav: "),
        // No machine has that many GPUs.
        ("render song.mid --renderer cuda --device 99", "--renderer cuda: no "),
        ("demo --file --renderer cuda --device 99", "--renderer cuda: no "),
        ("play missing.mid", "missing.mid: "),
        ("play --for 1", "no audio device works here"),
        ("play --host jack", "no server is running"),
        ("play --host clock --record no/such/take.wav", "no/such/take.wav: "),
        ("play --host clock --renderer cuda --device 99", "--renderer cuda: no "),
        ("inspect missing.wav", "missing.wav: "),
        ("inspect song.mid", "song.mid: not a WAV file"),
        ("inspect empty.mid", "empty.mid: "),
        ("patches missing.toml", "missing.toml: "),
        ("patches bad.toml", "bad.toml"),
        ("bench --from missing.json", "missing.json: "),
        ("bench --from text.mid", "text.mid: not a report"),
        ("bench --compare list.json", "list.json: not a report"),
        ("bench --compare new.json", "new.json: has schema 99"),
        ("bench --from half.json", "half.json: "),
        ("bench --plots song.mid", "song.mid: "),
    ];
    for (line, words) in cases {
        folder.fail(line, 1, words);
    }
}

#[test]
fn help_has_examples() {
    let folder = Folder::new();
    for command in ["render", "patches", "inspect", "play", "bench"] {
        let help = folder.succeed(&format!("{command} --help")).stdout;
        assert!(help.contains("Examples:") && help.contains(&format!("myriad {command}")));
    }
    assert!(folder.succeed("--help").stdout.contains("myriad render song.mid"));
    let bare = folder.run("");
    assert_eq!(bare.code, Some(2));
    assert!(bare.stderr.contains("Usage: myriad"));
}
