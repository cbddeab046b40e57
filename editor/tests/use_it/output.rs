//! The oscilloscope and the spectrogram in the place of the cloud.

use super::*;

/// Each view is drawn while notes sound and in silence, at every size; the cloud comes back with its handles.
#[test]
fn the_output_is_seen_in_three_ways() {
    for size in [Editor::MIN_SIZE, Editor::SIZE, [300.0, 200.0]] {
        let mut window = open_sized("Aurora", "Source", Vec2::from(size));
        for view in ["Scope", "Spectrogram", "Cloud"] {
            window.get_by_label(view).click_accesskit();
            window.run_steps(3);
            assert_eq!(window.state().editor.view(), view);
            let has_handle = window.query_by_label("Filter handle").is_some();
            assert_eq!(has_handle, view == "Cloud", "{view} {size:?}");
            window.state_mut().host.note_on(48, 1.0);
            window.run_steps(30);
            window.state_mut().host.note_off(48);
            window.run_steps(10);
        }
    }
}

/// An editor that is closed and opened again has new textures.
#[test]
fn a_spectrogram_survives_a_new_window() {
    let mut window = open("Aurora", "Source");
    window.state_mut().editor.show_view("Spectrogram");
    window.state_mut().editor.show_view("no such view");
    assert_eq!(window.state().editor.view(), "Spectrogram");
    window.state_mut().host.note_on(60, 1.0);
    window.run_steps(20);
    window.state_mut().editor.opened();
    window.run_steps(20);
}

/// The theme is the user's: another window has it too.
#[test]
fn the_light_theme_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let library = Library::open(Some(folder.path().into()));
        open_with(library, "Aurora", "Source", Vec2::from(Editor::SIZE))
    };
    let mut window = open();
    window.get_by_label("Light theme").click();
    window.run_steps(3);
    assert!(window.query_by_label("Light theme").is_none());
    let mut window = open();
    window.state_mut().host.note_on(48, 1.0);
    window.run_steps(5);
    // A menu is light too: it is another layer.
    window.get_by_label("Browse patches").click();
    window.run_steps(3);
    window.get_by_label("Sort patches").click();
    window.run_steps(3);
    window.get_by_label("Dark theme").click();
    window.run_steps(3);
    assert_eq!(std::fs::read_to_string(folder.path().join("theme.txt")).unwrap(), "dark\n");
}
