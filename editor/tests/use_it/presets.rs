//! Racks, envelopes, LFOs, tables and modulation, saved by themselves and loaded into other patches.

use super::*;

fn open_in<'a>(folder: &tempfile::TempDir, patch: &str, page: &str) -> Window<'a> {
    let library = Library::open(Some(folder.path().join("patches")));
    open_with(library, patch, page, Vec2::from(Editor::SIZE))
}

fn press(window: &mut Window<'_>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

/// Opens the menu, types a name and presses Enter.
fn save(window: &mut Window<'_>, menu: &str, name: &str) {
    press(window, menu);
    press(window, "Name of the preset");
    window.event(Event::Text(name.into()));
    window.run_steps(2);
    press(window, "Save");
}

/// A rack goes from one patch to another with its order, its switches and all values; the rest stays, and one undo
/// brings back what was there.
#[test]
fn a_rack_is_saved_and_loaded_into_another_patch() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_in(&folder, "Dyno Eighty", "Effects");
    save(&mut window, "Rack presets", "Wide hall");
    assert!(folder.path().join("racks/wide-hall.toml").is_file());
    let rack = window.state().host.patch();

    let mut window = open_in(&folder, "Night Bass", "Effects");
    let before = window.state().host.patch();
    let differs = |group: &str| {
        let mut params = Param::ALL.iter().filter(|param| param.info().group() == group);
        params.any(|&param| before.values[param] != rack.values[param])
    };
    assert!(
        ["chorus", "phaser", "reverb", "drive"].into_iter().any(differs),
        "a rack to tell apart"
    );
    press(&mut window, "Rack presets");
    press(&mut window, "Wide hall");
    let effects = ["reverb", "chorus", "delay", "drive", "eq"];
    for &param in Param::ALL {
        let group = param.info().group();
        if effects.contains(&group) {
            assert_eq!(value(&window, param), rack.values[param], "{}", param.info().id);
        }
        if ["source", "env1", "filter", "amp"].contains(&group) {
            assert_eq!(value(&window, param), before.values[param], "{}", param.info().id);
        }
    }
    assert_eq!(window.state().host.patch().name, before.name);
    assert_eq!(window.state().host.open_gestures, 0);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    for &param in Param::ALL {
        assert_eq!(value(&window, param), before.values[param], "{}", param.info().id);
    }
}

/// An envelope is loaded into another envelope, an LFO into another LFO.
#[test]
fn envelopes_and_lfos_go_from_any_place_to_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_in(&folder, PLAIN, "Modulation");
    window.state_mut().host.set(Param::Env1Attack, 0.321);
    window.state_mut().host.set(Param::Lfo1Rate, 7.5);
    window.run_steps(1);
    save(&mut window, "Envelope 1 presets", "Swell");
    save(&mut window, "LFO 1 presets", "Fast");
    press(&mut window, "Env 3");
    press(&mut window, "Envelope 3 presets");
    press(&mut window, "Swell");
    assert_eq!(value(&window, Param::Env3Attack), value(&window, Param::Env1Attack));
    press(&mut window, "LFO 2");
    press(&mut window, "LFO 2 presets");
    press(&mut window, "Fast");
    assert_eq!(value(&window, Param::Lfo2Rate), 7.5);
    // Deleted ones are kept in the wastebasket.
    press(&mut window, "LFO 2 presets");
    press(&mut window, "Delete Fast");
    assert!(window.query_by_label("Fast").is_none());
    assert!(folder.path().join("lfos/wastebasket/fast.toml").is_file());
}

#[test]
fn a_table_becomes_the_second_layer_and_bad_names_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_in(&folder, "Aurora", "Source");
    let table = value(&window, Param::SourceTable);
    press(&mut window, "Table 1 presets");
    press(&mut window, "Save");
    assert!(window.query_by_label_contains("a preset has a name").is_some());
    window.key_press(Key::Escape);
    window.run_steps(2);
    save(&mut window, "Table 1 presets", "Mine");
    let mut window = open_in(&folder, "Yowl Bass", "Layers");
    let mix = Param::LayerMode.info().parse("mix").unwrap();
    window.state_mut().host.set(Param::LayerMode, mix);
    window.run_steps(2);
    press(&mut window, "Table 2 presets");
    press(&mut window, "Mine");
    assert_eq!(value(&window, Param::LayerTable), table);
}

#[test]
fn all_modulation_is_a_preset_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_in(&folder, "Aurora", "Matrix");
    save(&mut window, "Modulation presets", "Drift");
    let routes = window.state().host.patch().routes.clone();
    assert!(!routes.is_empty());
    let mut window = open_in(&folder, PLAIN, "Matrix");
    press(&mut window, "Modulation presets");
    press(&mut window, "Drift");
    assert_eq!(window.state().host.patch().routes, routes);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert!(window.state().host.patch().routes.is_empty());
}
