//! The library in a window: packs, presets of a rack, other views, the light theme.

use super::opened::{Opened, until};
use super::using::{KEY, click, pause};
use crate::audio_thread::Playing;
use crate::host::*;
use myriad_library::{Library, PresetKind, write_pack};
use myriad_test_screen::Screen;
use std::path::PathBuf;

/// Places in an editor of 1200 by 780 points.
const SCOPE: [i16; 2] = [1013, 71];
const SPECTROGRAM: [i16; 2] = [1087, 71];
const CLOUD: [i16; 2] = [960, 71];
const THEME: [i16; 2] = [921, 71];
const RACK_PRESETS: [i16; 2] = [1172, 468];

/// The user's folder of these tests, empty.
fn user_folder() -> PathBuf {
    let folder = Library::user_folder().unwrap();
    let _ = std::fs::remove_dir_all(folder.parent().unwrap());
    folder
}

/// A host whose editor opens with a page.
fn host_with_page(page: &str) -> Host {
    let mut host = Host::new();
    let ui = serde_json::json!({ "page": page }).to_string();
    let state = with_fields(&mut host, &[("ui", ui)]);
    assert!(host.load(&*state));
    host
}

#[test]
fn the_output_is_seen_while_it_sounds_and_the_view_is_kept() {
    let screen = Screen::take();
    user_folder();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    for (place, view) in [(SCOPE, "Scope"), (SPECTROGRAM, "Spectrogram")] {
        click(&mut host, &screen, place);
        until(&mut host, "the view is kept", |host| {
            String::from_utf8_lossy(&host.save()).contains(view)
        });
        screen.point(KEY);
        pause(&mut host, 60);
        let silent = screen.picture(opened.window);
        screen.press();
        pause(&mut host, 900);
        let picture = screen.picture(opened.window);
        screen.release();
        picture.keep(&format!("plugin-{}", view.to_lowercase()));
        // Some of the middle of the view is brighter than in silence.
        let bright = |picture: &myriad_test_screen::Picture| {
            let points = (20..1_180).flat_map(|x| (100..340).step_by(4).map(move |y| [x, y]));
            points.filter(|at| picture.at(*at).into_iter().any(|part| part > 140)).count()
        };
        assert!(bright(&picture) > bright(&silent) + 50, "{view}");
    }
    opened.close(&mut host, &screen);
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    assert!(String::from_utf8_lossy(&host.save()).contains("Spectrogram"));
    click(&mut host, &screen, CLOUD);
    opened.close(&mut host, &screen);
    playing.end(&mut host);
}

#[test]
fn the_light_theme_is_that_of_every_instance() {
    let screen = Screen::take();
    let folder = user_folder();
    let is_light = |opened: &Opened, screen: &Screen| {
        let corner = screen.picture(opened.window).at([4, 400]);
        corner.into_iter().all(|part| part > 200)
    };
    let mut host = Host::new();
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    assert!(!is_light(&opened, &screen));
    click(&mut host, &screen, THEME);
    until(&mut host, "it is light", |_| is_light(&opened, &screen));
    screen.picture(opened.window).keep("plugin-light");
    opened.close(&mut host, &screen);
    let mut host = Host::new();
    let opened = Opened::open(&mut host, &screen, 1.0);
    until(&mut host, "another one is light too", |_| is_light(&opened, &screen));
    click(&mut host, &screen, THEME);
    until(&mut host, "it is dark again", |_| {
        std::fs::read_to_string(folder.join("theme.txt")).is_ok_and(|text| text == "dark\n")
    });
    opened.close(&mut host, &screen);
}

#[test]
fn a_dropped_pack_is_added_to_the_users_patches() {
    let screen = Screen::take();
    let folder = user_folder();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut from = Library::open(Some(elsewhere.path().join("patches")));
    from.save_new(&myriad_engine::factory::find("Tide").unwrap()).unwrap();
    let pack = elsewhere.path().join("Evening #1.zip");
    write_pack(&[from.own("Tide").unwrap()], &pack).unwrap();
    let mut host = Host::new();
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    assert!(screen.drop_file([600, 300], &pack, || ()));
    let added = folder.join("Evening -1").join("tide.toml");
    until(&mut host, "it is there", |_| added.is_file());
    pause(&mut host, 300);
    screen.picture(opened.window).keep("plugin-pack");
    opened.close(&mut host, &screen);
}

/// A name is typed and Enter saves the rack; a click loads it into another patch.
#[test]
fn a_rack_is_saved_by_its_menu() {
    let screen = Screen::take();
    user_folder();
    let mut host = host_with_page("Effects");
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    click(&mut host, &screen, RACK_PRESETS);
    pause(&mut host, 300);
    screen.picture(opened.window).keep("plugin-presets");
    // The field for the name has the focus.
    for letter in b"hall" {
        screen.strike(&[u32::from(*letter)]);
        pause(&mut host, 40);
    }
    screen.strike(&[ENTER]);
    let saved = || Library::open(Library::user_folder()).presets(PresetKind::Rack);
    until(&mut host, "it is saved", |_| saved().iter().any(|preset| preset.name == "hall"));
    opened.close(&mut host, &screen);
}

/// The X11 symbol of the key.
const ENTER: u32 = 0xff0d;
