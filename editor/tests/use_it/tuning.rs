//! Tests of the tuning panel.

use super::*;
use egui::accesskit::Role;
use myriad_engine::mpe::MpeZone;

/// Opens a menu and chooses an entry of it.
fn choose(window: &mut Window<'_>, menu: &str, entry: &str) {
    window.get_by_label(menu).click();
    window.run_steps(3);
    window.get_by_label(entry).click();
    window.run_steps(3);
}

#[test]
fn a_patch_is_tuned_and_undone() {
    let mut window = open(PLAIN, "Play");
    choose(&mut window, "Patch scale", "Werckmeister III");
    let scale = |window: &Window<'_>| {
        let patch = window.state().host.patch();
        patch.tuning.as_ref().map(|scale| scale.name().to_owned())
    };
    assert_eq!(scale(&window).as_deref(), Some("Werckmeister III"));
    assert_eq!(window.state().host.settings().tuning, None);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(scale(&window), None);
}

#[test]
fn settings_of_the_instance_are_changed() {
    let mut window = open(PLAIN, "Play");
    choose(&mut window, "Scale", "Pythagorean");
    choose(&mut window, "Bend range", "7 st");
    choose(&mut window, "MPE", "upper zone");
    choose(&mut window, "MPE channels", "14");
    choose(&mut window, "MPE bend", "24 st");
    choose(&mut window, "MTS-ESP", "ignored");
    let settings = window.state().host.settings();
    assert_eq!(settings.tuning.as_ref().unwrap().name(), "Pythagorean");
    assert_eq!(settings.bend_range, Some(7.0));
    assert_eq!(settings.mpe.zone, MpeZone::Upper);
    assert_eq!((settings.mpe.channels, settings.mpe.bend_range), (14, 24));
    assert!(!settings.follows_mts);
    choose(&mut window, "Bend range", "as the patch");
    assert_eq!(window.state().host.settings().bend_range, None);
}

/// Files are named: a scale, then its keyboard map; a bad one is refused with a reason.
#[test]
fn files_tune_the_patch() {
    let folder = std::env::temp_dir().join(format!("myriad-scales-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("fifths.scl", "Fifths\n1\n3/2\n"),
        ("a.kbm", "0\n0\n127\n69\n69\n432.0\n1\n"),
        ("bad.scl", "Bad\nmany\n"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    for (names, expected) in [
        (&["a.kbm"][..], None),
        (&["fifths.scl"], Some(("fifths", false))),
        (&["fifths.scl", "a.kbm"], Some(("fifths", true))),
        (&["fifths.scl", "bad.scl"], Some(("fifths", false))),
    ] {
        let mut window = open(PLAIN, "Play");
        for name in names {
            window.get_by_label("Patch scale").click();
            window.run_steps(3);
            window.get_by_role(Role::TextInput).focus();
            window.run_steps(2);
            window.event(Event::Text(folder.join(name).to_str().unwrap().into()));
            window.run_steps(2);
            window.key_press(Key::Enter);
            window.run_steps(3);
            window.key_press(Key::Escape);
            window.run_steps(2);
        }
        let patch = window.state().host.patch();
        let scale = patch.tuning.as_ref();
        let got = scale.map(|scale| (scale.name(), scale.keyboard().is_some()));
        assert_eq!(got, expected, "{names:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
