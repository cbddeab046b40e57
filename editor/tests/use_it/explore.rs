//! Comparing and exploring: the slots A and B, the list of steps, random sounds, children and the morph pad.

use super::*;
use myriad_library::explore::Section;

/// The sound with the knobs as they are.
fn sound(window: &Window<'_>) -> Patch {
    let host = &window.state().host;
    let mut patch = Patch::clone(&host.patch());
    Param::ALL.iter().for_each(|&param| patch.values.set(param, host.value(param)));
    patch
}

fn press(window: &mut Window<'_>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

fn undo(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
}

/// Chooses a step of the history.
fn go_to(window: &mut Window<'_>, step: &str) {
    press(window, "History");
    window.get_by_label(step).click_accesskit();
    window.run_steps(3);
}

/// Opens the browser and chooses an entry of the menu of a patch.
fn choose(window: &mut Window<'_>, patch: &str, entries: &[&str]) {
    window.state_mut().editor.show_browser(true);
    window.run_steps(2);
    press(window, "Search");
    window.event(Event::Text(patch.into()));
    window.run_steps(2);
    window.get_by_label(patch).click_secondary();
    window.run_steps(3);
    for entry in entries {
        window.get_by_label_contains(entry).click_accesskit();
        window.run_steps(4);
    }
}

#[test]
fn each_slot_keeps_its_edits_and_its_undo() {
    let mut window = open("Aurora", "Source");
    let knob = centre(&window, "Source Position");
    let start = sound(&window);
    press(&mut window, "Slot B");
    assert_eq!(sound(&window), start, "an unused slot begins with what is heard");
    drag(&mut window, knob, knob + vec2(0.0, 30.0), Modifiers::NONE);
    let in_b = sound(&window);
    assert_ne!(in_b, start);
    press(&mut window, "Slot A");
    assert_eq!(sound(&window), start);
    undo(&mut window);
    assert_eq!(sound(&window), start, "there is nothing to undo in A");
    press(&mut window, "Next patch");
    let in_a = sound(&window);
    assert_ne!(in_a.name, start.name);
    press(&mut window, "Slot B");
    assert_eq!(sound(&window), in_b);
    undo(&mut window);
    assert_eq!(sound(&window), start, "B undoes its own step");

    press(&mut window, "Copy B to A");
    press(&mut window, "Slot A");
    assert_eq!(sound(&window), start);
    undo(&mut window);
    assert_eq!(sound(&window), in_a, "a copy can be undone where it went");
}

/// The steps have names, and a click goes over many of them at once.
#[test]
fn a_click_in_the_history_goes_there() {
    let mut window = open("Aurora", "Source");
    let start = sound(&window);
    let knob = centre(&window, "Source Position");
    drag(&mut window, knob, knob + vec2(0.0, 30.0), Modifiers::NONE);
    let turned = sound(&window);
    press(&mut window, "Next patch");
    let loaded = sound(&window);
    let knob = centre(&window, "Unison Detune");
    drag(&mut window, knob, knob + vec2(0.0, 30.0), Modifiers::NONE);
    let end = sound(&window);

    let third = "3  Unison Detune";
    let second = format!("2  Loaded {}", loaded.name);
    go_to(&mut window, "0  Start");
    assert_eq!(sound(&window), start);
    go_to(&mut window, third);
    assert_eq!(sound(&window), end);
    go_to(&mut window, "1  Source Position");
    assert_eq!(sound(&window), turned);
    go_to(&mut window, &second);
    assert_eq!(sound(&window), loaded);
    // Steps of knobs alone, without a patch between.
    go_to(&mut window, third);
    assert_eq!(sound(&window), end);
    undo(&mut window);
    assert_eq!(sound(&window), loaded, "undo goes on from there");
    assert_eq!(window.state().host.open_gestures, 0);
}

#[test]
fn random_changes_spare_locked_sections_and_are_one_step() {
    let mut window = open("Aurora", "Explore");
    window.state_mut().editor.set_seed(7);
    let before = sound(&window);
    press(&mut window, "Lock Filter");
    press(&mut window, "Lock Effects");
    press(&mut window, "Lock Effects");
    let dial = centre(&window, "Random amount");
    drag(&mut window, dial, dial - vec2(0.0, 80.0), Modifiers::NONE);
    press(&mut window, "Randomise");
    let after = sound(&window);
    let is_same = |section: Section| {
        let mut copied = before.clone();
        section.copy(&after, &mut copied);
        copied == before
    };
    assert!(is_same(Section::Filter));
    assert!(!is_same(Section::Source) && !is_same(Section::Effects));
    press(&mut window, "Randomise");
    assert_ne!(sound(&window), after, "every press gives another sound");
    undo(&mut window);
    assert_eq!(sound(&window), after);
    undo(&mut window);
    assert_eq!(sound(&window), before);
}

#[test]
fn the_amount_is_turned_by_arrows_and_zero_changes_nothing() {
    let mut window = open("Aurora", "Explore");
    let before = sound(&window);
    window.get_by_label("Random amount").focus();
    window.run_steps(2);
    for _ in 0..60 {
        window.key_press(Key::ArrowDown);
        window.run_steps(1);
    }
    press(&mut window, "Randomise");
    assert_eq!(sound(&window), before);
    undo(&mut window);
    assert_eq!(sound(&window), before, "and there is no step");
}

#[test]
fn two_patches_are_bred_in_the_browser_and_again_on_the_page() {
    let mut window = open("Aurora", "Explore");
    window.state_mut().editor.set_seed(3);
    let before = sound(&window);
    choose(&mut window, "Felt Grand", &["Breed with current"]);
    let child = sound(&window);
    assert_eq!(child.name, "Aurora × Felt Grand");
    window.state_mut().editor.show_browser(false);
    window.run_steps(2);
    press(&mut window, "Breed again");
    let other = sound(&window);
    assert_eq!(other.name, child.name);
    assert_ne!(other, child);
    undo(&mut window);
    assert_eq!(sound(&window), child);
    undo(&mut window);
    assert_eq!(sound(&window), before);

    press(&mut window, "Choose a patch…");
    assert!(window.query_by_label("Search").is_some(), "the browser is open");
}

#[test]
fn the_pad_morphs_between_snapshots_in_one_step() {
    let mut window = open(PLAIN, "Explore");
    let pad = window.get_by_label("Morph pad").rect();
    let [left, right] = [pad.left_top(), pad.right_top()];
    let middle = pad.center();
    let cutoff = |window: &Window<'_>| value(window, Param::FilterCutoff);
    let set = |window: &mut Window<'_>, param, value| {
        window.state_mut().host.set(param, value);
        window.run_steps(1);
    };
    // Nothing to morph yet.
    let before = sound(&window);
    drag(&mut window, middle, right, Modifiers::NONE);
    assert_eq!(sound(&window), before);

    set(&mut window, Param::FilterCutoff, 100.0);
    let first = sound(&window);
    press(&mut window, "Store snapshot 1");
    set(&mut window, Param::FilterCutoff, 10_000.0);
    set(&mut window, Param::FilterType, 2.0);
    let second = sound(&window);
    press(&mut window, "Store snapshot 2");

    window.state_mut().host.note_on(60, 1.0);
    drag(&mut window, middle, left, Modifiers::NONE);
    assert_eq!(sound(&window), first);
    drag(&mut window, left, right, Modifiers::NONE);
    assert_eq!(sound(&window), second);
    drag(&mut window, right, middle, Modifiers::NONE);
    assert!((cutoff(&window) - 1_000.0).abs() < 20.0, "{}", cutoff(&window));
    assert_eq!(window.state().host.open_gestures, 0);
    for expected in [second.clone(), first.clone(), second.clone()] {
        undo(&mut window);
        assert_eq!(sound(&window), expected);
    }
    // A click on a corner goes there; a corner that was cleared has no say.
    press(&mut window, "Go to snapshot 1");
    assert_eq!(sound(&window), first);
    press(&mut window, "Clear snapshot 1");
    window.get_by_label("Morph pad").focus();
    window.run_steps(2);
    window.key_press(Key::ArrowDown);
    window.run_steps(2);
    assert_eq!(sound(&window), second);
}

/// Snapshots of different patches: routes follow, and data that parameters do not say is loaded.
#[test]
fn the_pad_morphs_between_different_patches() {
    let mut window = open("Aurora", "Explore");
    let pad = window.get_by_label("Morph pad").rect();
    let first = sound(&window);
    press(&mut window, "Store snapshot 1");
    window.state_mut().host.load(factory::find("Acoustic Kit").unwrap());
    window.run_steps(2);
    let second = sound(&window);
    press(&mut window, "Store snapshot 4");
    drag(&mut window, pad.right_bottom(), pad.left_top(), Modifiers::NONE);
    assert_eq!(sound(&window), first);
    drag(&mut window, pad.left_top(), pad.right_bottom(), Modifiers::NONE);
    assert_eq!(sound(&window), second);
    assert_eq!(window.state().host.open_gestures, 0);
}

/// A window that closes in the middle of a drag leaves no automation gesture open.
#[test]
fn closing_lets_go_of_the_pad() {
    let mut window = open(PLAIN, "Explore");
    press(&mut window, "Store snapshot 1");
    window.state_mut().host.set(Param::FilterCutoff, 10_000.0);
    window.run_steps(1);
    press(&mut window, "Store snapshot 2");
    let pad = window.get_by_label("Morph pad").rect();
    window.hover_at(pad.center());
    window.drag_at(pad.center());
    window.hover_at(pad.left_center());
    window.run_steps(2);
    assert!(window.state().host.open_gestures > 0);
    let fixture = window.state_mut();
    fixture.editor.closed(&mut fixture.host);
    assert_eq!(fixture.host.open_gestures, 0);
}

#[test]
fn only_a_section_of_a_patch_is_loaded() {
    let mut window = open("Aurora", "Source");
    let before = sound(&window);
    let other = factory::find("Dyno Eighty").unwrap();
    choose(&mut window, "Dyno Eighty", &["Load only", "Effects"]);
    let mut expected = before.clone();
    Section::Effects.copy(&other, &mut expected);
    assert_ne!(expected, before);
    assert_eq!(sound(&window), expected);
    undo(&mut window);
    assert_eq!(sound(&window), before);
}

#[test]
fn a_patch_is_loaded_into_the_second_layer() {
    let mut window = open("Aurora", "Source");
    let bell = factory::find("Cathedral Bell").unwrap();
    choose(&mut window, "Cathedral Bell", &["Load only", "As layer 2"]);
    assert_eq!(value(&window, Param::LayerTable), bell.values[Param::SourceTable]);
    assert_eq!(window.state().host.patch().name, "Aurora");
}

/// Nothing on the page or in the header lies on something else, or outside of the window.
#[test]
fn the_page_and_the_header_have_room_for_everything() {
    let locks = Section::RANDOM.iter().map(|section| format!("Lock {}", section.name()));
    let mut labels: Vec<String> = locks.collect();
    for number in 1..=4 {
        for word in ["Go to", "Store", "Clear"] {
            labels.push(format!("{word} snapshot {number}"));
        }
    }
    let others = [
        ["Random amount", "Randomise", "Mutation", "Choose a patch…", "Breed again", "Morph pad"],
        ["Undo", "Redo", "History", "Import", "Slot A", "Slot B"],
        ["Copy A to B", "Previous patch", "Browse patches", "Favourite", "Next patch", "Silence"],
    ];
    labels.extend(others.into_iter().flatten().map(String::from));
    let twice = [2.0 * Editor::SIZE[0], 2.0 * Editor::SIZE[1]];
    for size in [Editor::MIN_SIZE, Editor::SIZE, twice] {
        let mut window = open_sized("Aurora", "Explore", Vec2::from(size));
        for number in 1..=4 {
            press(&mut window, &format!("Store snapshot {number}"));
        }
        let version = concat!("Myriad ", env!("CARGO_PKG_VERSION"));
        let names = labels.iter().map(String::as_str).chain([version]);
        let places: Vec<(&str, Rect)> =
            names.map(|name| (name, window.get_by_label(name).rect().shrink(1.0))).collect();
        let whole = Rect::from_min_size(Pos2::ZERO, Vec2::from(size));
        for (index, (name, place)) in places.iter().enumerate() {
            assert!(
                place.is_positive() && whole.contains_rect(*place),
                "{size:?}: {name} {place:?}"
            );
            let other = places[..index].iter().find(|(_, other)| other.intersects(*place));
            assert!(other.is_none(), "{size:?}: {name} on {other:?}");
        }
        assert!(window.get_by_label("Browse patches").rect().width() > 150.0, "{size:?}");
    }
}
