//! Packs: nothing is lost, nothing is replaced, and nothing leaves the folder.

use super::*;
use myriad_engine::factory;
use std::fs;

fn library(folder: &Path) -> Library {
    Library::open(Some(folder.join("patches")))
}

/// Patches of the user's: two at the top, of one name, and one in a folder.
fn filled(folder: &Path) -> Library {
    let mut library = library(folder);
    let mut patch = factory::find("Aurora").unwrap();
    patch.name = "Dusk".into();
    library.save_new(&patch).unwrap();
    patch.description = "The second".into();
    library.save_new(&patch).unwrap();
    patch.name = "Ebb".into();
    library.save_new(&patch).unwrap();
    let ebb = library.own("Ebb").unwrap().clone();
    library.move_to(&ebb, "Slow").unwrap();
    library
}

fn own(library: &Library) -> Vec<&Entry> {
    library.entries().iter().filter(|entry| entry.file.is_some()).collect()
}

fn ids(library: &Library) -> Vec<String> {
    let mut ids: Vec<String> = own(library).into_iter().map(Entry::id).collect();
    ids.sort();
    ids
}

/// An archive with these files.
fn zip(path: &Path, files: &[(&str, &[u8])]) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    fs::write(path, writer.finish().unwrap().into_inner()).unwrap();
}

#[test]
fn a_pack_brings_every_patch_to_another_library() {
    let temporary = tempfile::tempdir().unwrap();
    let from = filled(&temporary.path().join("from"));
    let pack = temporary.path().join("Evening sounds.zip");
    write_pack(&own(&from), &pack).unwrap();
    let mut to = filled(&temporary.path().join("to"));
    let report = to.import_pack(&pack).unwrap();
    assert_eq!(report.sentence(), "3 patches added to the folder Evening sounds.");
    let folder = "Evening sounds";
    let expected = [
        format!("{folder}/Slow/ebb.toml"),
        format!("{folder}/dusk-2.toml"),
        format!("{folder}/dusk.toml"),
        "Slow/ebb.toml".into(),
        "dusk-2.toml".into(),
        "dusk.toml".into(),
    ];
    assert_eq!(ids(&to), expected);
    for entry in own(&from) {
        let same = |other: &&Entry| other.patch == entry.patch;
        assert_eq!(own(&to).into_iter().filter(same).count(), 2, "{}", entry.id());
    }
    // The same pack again adds nothing; a changed patch comes beside the one that is there.
    let report = to.import_pack(&pack).unwrap();
    assert_eq!((report.added, report.known), (0, 3));
    let mut changed = own(&from)[0].clone();
    changed.patch.description = "Changed".into();
    write_pack(&[&changed], &pack).unwrap();
    let report = to.import_pack(&pack).unwrap();
    assert_eq!((report.added, report.known), (1, 0));
    assert_eq!(own(&to).len(), 7);
}

/// Patches that are in one folder are a pack of that folder.
#[test]
fn the_same_patches_give_the_same_file() {
    let temporary = tempfile::tempdir().unwrap();
    let library = filled(temporary.path());
    let slow: Vec<&Entry> =
        own(&library).into_iter().filter(|entry| entry.folder == "Slow").collect();
    let packs = ["a.zip", "b.zip"].map(|name| temporary.path().join(name));
    for pack in &packs {
        write_pack(&slow, pack).unwrap();
    }
    assert_eq!(fs::read(&packs[0]).unwrap(), fs::read(&packs[1]).unwrap());
    let archive = ZipArchive::new(fs::File::open(&packs[0]).unwrap()).unwrap();
    let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, ["ebb.toml"]);
    assert!(matches!(write_pack(&[], &packs[0]), Err(PackError::NothingChosen)));
}

#[test]
fn files_of_a_pack_stay_in_its_folder() {
    let temporary = tempfile::tempdir().unwrap();
    let mut library = library(temporary.path());
    let patch = factory::find("Tide").unwrap().to_toml();
    let pack = temporary.path().join("..zip");
    let names = ["../../evil.toml", "/etc/evil.toml", "C:\\evil.toml", "a/../../../evil.toml"];
    let mut files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (*name, patch.as_bytes())).collect();
    files.extend([("readme.txt", &b"hello"[..]), (".DS_Store", b"\xff"), ("x/bin.toml", b"\xff")]);
    zip(&pack, &files);
    let report = library.import_pack(&pack).unwrap();
    assert_eq!(report.added + report.known, 4);
    assert_eq!(report.left_out.len(), 2, "{:?}", report.left_out);
    let root = temporary.path().join("patches");
    assert!(own(&library).iter().all(|entry| entry.file.as_ref().unwrap().starts_with(&root)));
    let outside = fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(outside, 2, "the pack and the folder of patches");
}

#[test]
fn what_is_no_pack_is_refused_in_one_line_and_changes_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let mut library = filled(temporary.path());
    let before = ids(&library);
    let path = |name: &str| temporary.path().join(name);
    fs::write(path("text.zip"), "not an archive").unwrap();
    zip(&path("empty.zip"), &[]);
    zip(&path("other.zip"), &[("song.mid", b"MThd"), ("a.toml", b"volume = 3")]);
    // Many zeros: 64 files of 5 MiB each.
    let zeros = vec![0; 5 << 20];
    let names: Vec<String> = (0..64).map(|index| format!("{index}.toml")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &zeros[..])).collect();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        writer.start_file(name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    fs::write(path("bomb.zip"), writer.finish().unwrap().into_inner()).unwrap();
    for (name, expected) in [
        ("text.zip", "not a pack"),
        ("empty.zip", "no patch in it"),
        ("other.zip", "no patch in it"),
        ("bomb.zip", "more than"),
        ("missing.zip", ""),
    ] {
        let error = library.import_pack(&path(name)).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    // A damaged archive: every prefix of a good one.
    write_pack(&own(&library), &path("good.zip")).unwrap();
    let good = fs::read(path("good.zip")).unwrap();
    for length in (0..good.len()).step_by(97) {
        fs::write(path("cut.zip"), &good[..length]).unwrap();
        assert!(library.import_pack(&path("cut.zip")).is_err(), "{length} bytes");
    }
    assert_eq!(ids(&library), before);
}
