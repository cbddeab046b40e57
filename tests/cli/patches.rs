//! `myriad patches`.

use crate::harness::Folder;
use crate::midi;

#[test]
fn lists_and_shows_every_patch() {
    let folder = Folder::new();
    let text = folder.succeed("patches").stdout;
    let list = folder.succeed("patches --json").json();
    let list = list.as_array().unwrap();
    assert!(list.len() >= 160, "{}", list.len());
    for patch in list {
        let name = patch["name"].as_str().unwrap();
        assert!(text.contains(name));
        assert!(!patch["category"].as_str().unwrap().is_empty(), "{name}");
        let show = format!("patches '{name}'");
        assert!(folder.succeed(&show).stdout.contains(name));
        assert_eq!(folder.succeed(&(show + " --json")).json()["name"], name);
    }
}

/// What the editor has saved is found by its name, listed and rendered.
#[test]
fn saved_patches_are_known_by_name() {
    let folder = Folder::new();
    let own = folder.path("myriad/patches");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(
        own.join("mus-test.toml"),
        "format = 3\nname = \"Mus Test\"\ncategory = \"bass\"\n",
    )
    .unwrap();
    assert!(folder.succeed("patches 'mus test'").stdout.starts_with("Mus Test"));
    let list = folder.succeed("patches --json --category bass").json();
    let saved: Vec<_> =
        list.as_array().unwrap().iter().filter(|patch| !patch["file"].is_null()).collect();
    assert_eq!(saved.len(), 1, "{saved:?}");
    assert_eq!(saved[0]["name"], "Mus Test");
    folder.put("song.mid", midi::beep());
    folder.succeed("render song.mid -p 'Mus Test' --tail 0 -q");
    folder.fail("patches 'Mus Tets'", 2, "did you mean 'Mus Test'?");
}

#[test]
fn a_category_filters_the_list() {
    let folder = Folder::new();
    let list = folder.succeed("patches --json").json();
    let category = list[0]["category"].as_str().unwrap();
    let wanted = category.to_uppercase();
    let some = folder.succeed(&format!("patches --json --category {wanted}")).json();
    let some = some.as_array().unwrap();
    assert!(!some.is_empty());
    assert!(some.iter().all(|patch| patch["category"] == category));
}

#[test]
fn a_patch_printed_as_toml_is_the_same_patch() {
    let folder = Folder::new();
    let list = folder.succeed("patches --json").json();
    for patch in list.as_array().unwrap() {
        let name = patch["name"].as_str().unwrap();
        let toml = folder.succeed(&format!("patches '{name}' --toml")).stdout;
        folder.put("mine.toml", &toml);
        assert_eq!(folder.succeed("patches mine.toml --toml").stdout, toml, "{name}");
    }
}

#[test]
fn a_misspelt_name_is_understood() {
    let folder = Folder::new();
    let list = folder.succeed("patches --json").json();
    let names = list.as_array().unwrap().iter().map(|patch| patch["name"].as_str().unwrap());
    let name = names.max_by_key(|name| name.len()).unwrap();
    let (head, tail) = name.split_at(name.len() - 2);
    let misspelt = format!("{head}x{tail}");
    let hint = format!("did you mean '{name}'?");
    folder.fail(&format!("patches '{misspelt}'"), 2, &hint);
    let line = format!("render song.mid -p '{misspelt}'");
    folder.fail(&line, 1, "song.mid");
}

/// `myriad patches | head -1` prints no error.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Folder::new().spawn("patches --json");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn an_audit_finds_the_problems_of_a_patch() {
    let folder = Folder::new();
    let report = folder.succeed("patches 'Music Box' --audit --json --sheet all.png");
    let report = report.json();
    assert_eq!(report.as_array().unwrap().len(), 1);
    let found = &report[0];
    assert_eq!(found["name"], "Music Box");
    assert_eq!(found["problems"].as_array().unwrap().len(), 0, "{found}");
    assert!(found["loudness_lufs"].as_f64().unwrap() < -10.0, "{found}");
    // A bell that is held dies away.
    assert!(found["held_db"].as_f64().unwrap() < -6.0, "{found}");
    let picture = std::fs::read(folder.path("all.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));

    // A pad that dies away, ignores velocity, and has a macro without a route.
    let broken = "format = 3\nname = \"Broken\"\ncategory = \"pad\"\n\
        [amp]\nvelocity = 0.0\n[env1]\ndecay = 0.2\nsustain = 0.0\n[macro_names]\n1 = \"Nothing\"\n";
    folder.put("broken.toml", broken);
    let run = folder.run("patches broken.toml --audit");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(run.stderr, "myriad: 1 of 1 patches have problems\n");
    for words in [
        "dies away",
        "velocity",
        "macro Nothing does nothing",
        "no description",
        "no author",
        "no tags",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

#[test]
fn a_sheet_needs_an_audit() {
    let folder = Folder::new();
    folder.fail("patches --sheet all.png", 2, "--audit");
    folder.fail("patches Nobody --audit", 2, "no patch is called");
}

/// A folder of patches becomes one file, and comes out of it on another machine.
#[test]
fn patches_travel_in_packs() {
    let folder = Folder::new();
    let own = folder.path("myriad/patches");
    std::fs::create_dir_all(own.join("Slow")).unwrap();
    for (file, name, category) in [
        ("dusk.toml", "Dusk", "bass"),
        ("Slow/ebb.toml", "Ebb", "pad"),
        ("Slow/flow.toml", "Flow", "pad"),
    ] {
        let text = format!("format = 3\nname = \"{name}\"\ncategory = \"{category}\"\n");
        std::fs::write(own.join(file), text).unwrap();
    }
    let list = folder.succeed("patches --folder Slow --json").json();
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(list[0]["folder"], "Slow");
    folder.fail("patches --folder Fast", 2, "there are Slow");
    assert!(folder.succeed("patches --export-pack all.zip").stdout.starts_with("3 patches"));
    folder.succeed("patches --export-pack slow.zip --folder Slow");
    folder.succeed("patches --export-pack one.zip Aurora");
    folder.fail("patches --export-pack none.zip --category bell", 2, "none of your own");

    let other = Folder::new();
    for pack in ["all.zip", "slow.zip", "one.zip"] {
        other.put(pack, std::fs::read(folder.path(pack)).unwrap());
        other.succeed(&format!("patches --import-pack {pack}"));
    }
    for file in ["all/dusk", "all/Slow/ebb", "all/Slow/flow", "slow/ebb", "slow/flow", "one/aurora"]
    {
        assert!(other.path(&format!("myriad/patches/{file}.toml")).is_file(), "{file}");
    }
    let again = other.succeed("patches --import-pack all.zip").stdout;
    assert_eq!(again, "0 patches added to the folder all, 3 patches there already.\n");
    other.put("text.zip", "hello");
    other.fail("patches --import-pack text.zip", 1, "text.zip: not a pack");
}
