//! The browser: patches are played, saved, renamed, deleted, rated.

use super::*;
use std::path::Path;

fn browse<'a>(folder: &Path, patch: &str) -> Window<'a> {
    let library = Library::open(Some(folder.into()));
    let mut window = open_with(library, patch, "Source", Vec2::from(Editor::SIZE));
    window.state_mut().editor.show_browser(true);
    window.run_steps(3);
    window
}

fn press(window: &mut Window<'_>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

fn choose(window: &mut Window<'_>, card: &str, entry: &str) {
    window.get_by_label(card).click_secondary();
    window.run_steps(3);
    window.get_by_label(entry).click_accesskit();
    window.run_steps(4);
}

fn search(window: &mut Window<'_>, text: &str) {
    press(window, "Search");
    window.event(Event::Text(text.into()));
    window.run_steps(2);
}

fn read(folder: &Path, file: &str) -> Patch {
    Patch::parse(&std::fs::read_to_string(folder.join(file)).unwrap(), file).unwrap()
}

/// A user's patch said "Myriad" as its author, and a second one of its name replaced the first.
#[test]
fn saving_asks_for_everything_and_replaces_nothing_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = browse(folder.path(), "Aurora");
    let save = |window: &mut Window<'_>| {
        press(window, "Save as…");
        for (field, text) in [
            ("Patch name", "Dusk"),
            ("Patch category", "Bass"),
            ("Patch tags", "Warm, low , "),
            ("Patch author", "Ada"),
            ("Patch comment", "For evenings"),
        ] {
            press(window, field);
            window.key_press_modifiers(Modifiers::COMMAND, Key::A);
            window.event(Event::Text(text.into()));
            window.run_steps(2);
        }
        press(window, "Save");
    };
    save(&mut window);
    let saved = read(folder.path(), "dusk.toml");
    assert_eq!(
        (saved.name.as_str(), saved.category.as_str(), saved.author.as_str()),
        ("Dusk", "bass", "Ada")
    );
    assert_eq!(
        (saved.tags.join("+"), saved.description.as_str()),
        ("warm+low".into(), "For evenings")
    );

    save(&mut window);
    press(&mut window, "Keep both");
    assert_eq!(read(folder.path(), "dusk-2.toml").name, "Dusk");
    press(&mut window, "Save as…");
    press(&mut window, "Save");
    press(&mut window, "Cancel");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "two patches and the author");
}

#[test]
fn patches_are_renamed_duplicated_deleted_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = browse(folder.path(), "Aurora");
    search(&mut window, "Aurora");
    choose(&mut window, "Aurora", "Duplicate");
    assert_eq!(read(folder.path(), "aurora-2.toml").name, "Aurora 2");
    choose(&mut window, "Aurora 2", "Rename");
    window.event(Event::Text("Aurora mine".into()));
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(read(folder.path(), "aurora-2.toml").name, "Aurora mine");
    choose(&mut window, "Aurora mine", "Delete");
    assert!(!folder.path().join("aurora-2.toml").exists());
    assert!(window.query_by_label("Aurora mine").is_none());
    press(&mut window, "Restore");
    assert_eq!(read(folder.path(), "aurora-2.toml").name, "Aurora mine");
    choose(&mut window, "Aurora mine", "4 stars");
    let ratings = std::fs::read_to_string(folder.path().join("ratings.txt")).unwrap();
    assert_eq!(ratings, "4 aurora-2.toml\n");
}

#[test]
fn a_click_plays_a_phrase_unless_it_is_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = browse(folder.path(), "Aurora");
    search(&mut window, "Tide");
    let keys = |window: &mut Window<'_>| {
        let mut snapshot = Snapshot::new();
        window.state_mut().host.snapshot(&mut snapshot);
        snapshot.keys.count_ones()
    };
    press(&mut window, "Tide");
    assert_eq!(window.state().host.patch().name, "Tide");
    assert!(keys(&mut window) > 0);
    window.run_steps(120);
    assert_eq!(keys(&mut window), 0, "it ends");
    press(&mut window, "Audition");
    press(&mut window, "Tide");
    assert_eq!(keys(&mut window), 0);
    let recent = std::fs::read_to_string(folder.path().join("recent.txt")).unwrap();
    assert_eq!(recent, "Tide\n");
}

#[test]
fn a_patch_is_reverted_and_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = browse(folder.path(), "Aurora");
    let before = value(&window, Param::SourcePosition);
    window.state_mut().host.set(Param::SourcePosition, 0.123);
    window.run_steps(1);
    press(&mut window, "Revert");
    assert_eq!(value(&window, Param::SourcePosition), before);
    press(&mut window, "New");
    assert_eq!(window.state().host.patch().name, "Init");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(window.state().host.patch().name, "Aurora");
}

/// Patches lie in folders: shown, filtered by, and moved between.
#[test]
fn patches_are_moved_to_folders_and_listed_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = browse(folder.path(), "Aurora");
    search(&mut window, "Aurora");
    choose(&mut window, "Aurora", "Duplicate");
    window.get_by_label("Aurora 2").click_secondary();
    window.run_steps(3);
    window.get_by_label_contains("Move to…").click_accesskit();
    window.run_steps(4);
    window.get_by_label("New folder").click_accesskit();
    window.run_steps(4);
    window.event(Event::Text("Slow".into()));
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert_eq!(read(folder.path(), "Slow/aurora-2.toml").name, "Aurora 2");
    press(&mut window, "Folder Slow");
    assert!(window.query_by_label("Aurora 2").is_some());
    assert!(window.query_by_label("Aurora").is_none(), "it is in no folder");
    press(&mut window, "Packs");
    assert!(window.query_by_label("Export 1 patch of yours…").is_some());
    assert!(window.query_by_label("Import a pack…").is_some());
}
