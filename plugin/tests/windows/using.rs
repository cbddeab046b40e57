//! What people do with an editor: look, click, drag, type, resize, close, open again.

use super::opened::{Opened, until};
use crate::audio_thread::Playing;
use crate::host::*;
use clack_host::utils::ClapId;
use myriad_engine::Patch;
use myriad_test_screen::{CONTROL, ESCAPE, Screen};
use std::time::Duration;

/// Places in an editor of 1200 by 780 points.
pub(super) const KEY: [i16; 2] = [853, 752];
const POSITION: [i16; 2] = [312, 503];
const PATCH_NAME: [i16; 2] = [580, 25];
const NEXT_PATCH: [i16; 2] = [795, 25];
const UNDO: [i16; 2] = [160, 26];
const SEARCH: [i16; 2] = [150, 430];

/// Lets the editor draw; under load that takes a while, and `until` is for what matters.
pub(super) fn pause(host: &mut Host, millis: u64) {
    for _ in 0..millis.div_ceil(10) {
        host.idle();
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(super) fn click(host: &mut Host, screen: &Screen, at: [i16; 2]) {
    screen.point(at);
    pause(host, 60);
    screen.press();
    pause(host, 60);
    screen.release();
    pause(host, 60);
}

/// Drags the knob at a place in one gesture. Returns where its parameter was before.
fn drag(host: &mut Host, screen: &Screen, [x, y]: [i16; 2], up: i16, param: ClapId) -> f64 {
    let before = host.value(param);
    screen.point([x, y]);
    pause(host, 60);
    screen.press();
    // A press and a long move that fall into one frame of a slow machine are no drag, so there are small moves
    // on the knob until it follows.
    let mut moves = [8, 12].into_iter().cycle();
    until(host, "a knob follows the mouse", |host| {
        pause(host, 60);
        let near = moves.next().unwrap_or_default();
        screen.point([x, y - up.signum() * near]);
        host.value(param) != before
    });
    screen.point([x, y - up]);
    pause(host, 60);
    screen.release();
    pause(host, 60);
    before
}

/// The patch that a project would keep.
pub fn saved_patch(host: &mut Host) -> Patch {
    let state: serde_json::Value = serde_json::from_slice(&host.save()[8..]).unwrap();
    let patch = state["fields"]["patch"].as_str().unwrap();
    Patch::parse(patch, "the project").unwrap()
}

fn patch_name(host: &mut Host) -> String {
    saved_patch(host).name
}

#[test]
fn keys_sound_knobs_move_patches_load_and_all_of_it_can_be_undone() {
    let screen = Screen::take();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let opened = Opened::open(&mut host, &screen, 1.0);
    assert_eq!(opened.size, [1_200, 780]);
    opened.until_drawn(&mut host, &screen);

    // A key sounds while it is down.
    let heard = playing.heard.clone();
    screen.point(KEY);
    pause(&mut host, 100);
    screen.press();
    until(&mut host, "a key sounds", |_| heard.lock().unwrap().peak > 0.01);
    screen.release();
    until(&mut host, "it ends", |_| heard.lock().unwrap().peak == 0.0);

    // A knob moves in one gesture, and the host is told of it.
    let position = host.id("Source Position");
    let before = drag(&mut host, &screen, POSITION, 80, position);
    until(&mut host, "the gesture is over", |_| {
        heard.lock().unwrap().moved.last() == Some(&Gesture::End(position))
    });
    let after = host.value(position);
    let moved = std::mem::take(&mut heard.lock().unwrap().moved);
    assert_eq!(moved[0], Gesture::Begin(position));
    let told = |moved: &&Gesture| matches!(moved, Gesture::Begin(_) | Gesture::End(_));
    assert_eq!(moved.iter().filter(told).count(), 2, "{moved:?}");
    assert!(moved.contains(&Gesture::To(position, after)));

    // Undo and redo.
    screen.strike(&[CONTROL, u32::from(b'z')]);
    until(&mut host, "it is undone", |host| host.value(position) == before);
    screen.strike(&[CONTROL, u32::from(b'y')]);
    until(&mut host, "it is redone", |host| host.value(position) == after);

    // Another patch, for the host too, and back.
    let (name, values) = (patch_name(&mut host), host.values());
    click(&mut host, &screen, NEXT_PATCH);
    until(&mut host, "another patch plays", |host| patch_name(host) != name);
    until(&mut host, "its knobs are there", |host| host.values() != values);
    screen.strike(&[CONTROL, u32::from(b'z')]);
    until(&mut host, "the patch is back", |host| patch_name(host) == name);
    until(&mut host, "with its knobs", |host| host.values() == values);

    // The browser finds a patch by what is typed.
    click(&mut host, &screen, PATCH_NAME);
    click(&mut host, &screen, SEARCH);
    for letter in b"cathedral" {
        screen.strike(&[u32::from(*letter)]);
        pause(&mut host, 30);
    }
    pause(&mut host, 300);
    screen.picture(opened.window).keep("plugin-browser");
    screen.strike(&[ESCAPE]);
    opened.close(&mut host, &screen);
    playing.end(&mut host);
}

/// A recording that is dropped on the window sounds, and one undo brings the patch before it back. What
/// cannot be read is told in the window, and nothing is lost.
#[test]
fn a_dropped_recording_becomes_the_sound() {
    let screen = Screen::take();
    let mut host = Host::new();
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    let before = patch_name(&mut host);
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/fixtures");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Reed pipe #1.flac");
    std::fs::copy(format!("{fixtures}/tone.flac"), &file).unwrap();
    let took = screen.drop_file([600, 300], &file, || {
        std::thread::sleep(Duration::from_millis(300));
        screen.picture(opened.window).keep("plugin-hovering");
    });
    assert!(took);
    until(&mut host, "it is imported", |host| patch_name(host) == "Reed pipe #1");
    until(&mut host, "it is drawn", |_| screen.picture(opened.window).shows_a_sound());
    screen.picture(opened.window).keep("plugin-import");
    assert!(saved_patch(&mut host).tracks[0].is_some());

    let damaged = folder.path().join("damaged.wav");
    std::fs::write(&damaged, b"RIFF\x10\0\0\0WAVEfmt ").unwrap();
    assert!(screen.drop_file([600, 300], &damaged, || ()));
    pause(&mut host, 500);
    screen.picture(opened.window).keep("plugin-import-damaged");
    assert_eq!(patch_name(&mut host), "Reed pipe #1");
    click(&mut host, &screen, UNDO);
    until(&mut host, "it is undone", |host| patch_name(host) == before);
    opened.close(&mut host, &screen);
}

/// Hosts stop calling plugins that are bypassed, or whose audio engine is off; what is chosen then must
/// not be lost when the project is saved.
#[test]
fn a_patch_chosen_while_the_host_does_not_play_is_saved() {
    let screen = Screen::take();
    let mut host = Host::new();
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    let name = patch_name(&mut host);
    click(&mut host, &screen, NEXT_PATCH);
    until(&mut host, "another patch is there", |host| patch_name(host) != name);
    until(&mut host, "with all its values", |host| {
        let saved = saved_patch(host);
        let chosen = &myriad_engine::factory::find(&saved.name).unwrap();
        saved.values == chosen.values && saved.routes == chosen.routes
    });
    opened.close(&mut host, &screen);
}

/// A host may unload the plugin or exit right after it has closed the editor. The window's thread closes the
/// display last.
#[test]
fn a_closed_editor_has_closed_its_display() {
    let screen = Screen::take();
    let mut host = Host::new();
    let open_files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    // Threads of the tests before may still have files open: none has when the number stays the same.
    let mut before = open_files();
    let mut unchanged = 0;
    while unchanged < 20 {
        pause(&mut host, 50);
        let now = open_files();
        unchanged = if now == before { unchanged + 1 } else { 0 };
        before = now;
    }
    for _ in 0..20 {
        let opened = Opened::open(&mut host, &screen, 1.0);
        assert!(open_files() > before);
        opened.close(&mut host, &screen);
        assert_eq!(open_files(), before);
    }
}

/// Some hosts load an editor long before they show it; it must not stay empty then.
#[test]
fn an_editor_that_is_shown_late_is_drawn_and_follows_the_host() {
    let screen = Screen::take();
    let mut host = Host::new();
    let pause = Duration::from_millis(100);
    let opened = Opened::open_after(&mut host, &screen, 1.0, pause);
    opened.until_drawn(&mut host, &screen);
    let position = host.id("Source Position");
    let before = screen.picture(opened.window).pixels;
    host.flush(&[HostEvent::Set(position, 0.7)]);
    until(&mut host, "the knob is drawn anew", |_| screen.picture(opened.window).pixels != before);
    opened.close(&mut host, &screen);
}

#[test]
fn opened_used_and_closed_again_and_again_while_it_plays() {
    let screen = Screen::take();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let position = host.id("Source Position");
    for round in 0..50 {
        let mut opened = Opened::open(&mut host, &screen, 1.0);
        let blocks = playing.heard.lock().unwrap().blocks;
        opened.until_drawn(&mut host, &screen);
        click(&mut host, &screen, KEY);
        let up = if round % 2 == 0 { 60 } else { -60 };
        drag(&mut host, &screen, POSITION, up, position);
        screen.strike(&[u32::from(b'a')]);
        if round % 10 == 0 {
            opened.resize(&mut host, &screen, [1_400, 900]);
            pause(&mut host, 50);
            opened.resize(&mut host, &screen, [100, 100]);
            assert!(opened.size[0] > 900, "never smaller than can be used");
            opened.resize(&mut host, &screen, [1_200, 780]);
        }
        if round % 3 == 0 {
            // In the middle of a gesture.
            screen.point(POSITION);
            pause(&mut host, 30);
            screen.press();
            pause(&mut host, 30);
        }
        opened.close(&mut host, &screen);
        screen.release();
        assert!(playing.heard.lock().unwrap().blocks > blocks, "it plays on");
    }
    // Every gesture that began has ended, and no key hangs.
    let heard = playing.heard.clone();
    until(&mut host, "every key has ended", |_| heard.lock().unwrap().peak == 0.0);
    let count = |kind: fn(&Gesture) -> bool| {
        let moved = &heard.lock().unwrap().moved;
        moved.iter().filter(|moved| kind(moved)).count()
    };
    let begun = || count(|moved| matches!(moved, Gesture::Begin(_)));
    let ended = || count(|moved| matches!(moved, Gesture::End(_)));
    until(&mut host, "every gesture has ended", |_| begun() == ended());
    assert!(begun() >= 50, "{}", begun());
    playing.end(&mut host);
}

#[test]
fn ten_instances_with_open_editors_close_in_any_order() {
    let screen = Screen::take();
    let mut rng = Rng(7);
    let mut open: Vec<_> = (0..10)
        .map(|_| {
            let mut host = Host::new();
            let playing = Playing::start(&mut host);
            let opened = Opened::open(&mut host, &screen, 1.0);
            (host, playing, opened)
        })
        .collect();
    let (host, _, opened) = open.last_mut().unwrap();
    opened.until_drawn(host, &screen);
    while !open.is_empty() {
        let (mut host, playing, opened) = open.swap_remove(rng.below(open.len()));
        // Sound first or window first: hosts do both.
        match rng.below(2) {
            0 => {
                playing.end(&mut host);
                opened.close(&mut host, &screen);
            }
            _ => {
                opened.close(&mut host, &screen);
                playing.end(&mut host);
            }
        }
        let blocks: Vec<usize> =
            open.iter().map(|open| open.1.heard.lock().unwrap().blocks).collect();
        for ((host, playing, _), blocks) in open.iter_mut().zip(blocks) {
            until(host, "the others play on", |_| playing.heard.lock().unwrap().blocks > blocks);
        }
    }
}

#[test]
fn a_project_remembers_page_and_size_and_it_is_crisp_on_any_screen() {
    let screen = Screen::take();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let mut opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);
    click(&mut host, &screen, [183, 421]);
    opened.resize(&mut host, &screen, [1_300, 820]);
    until(&mut host, "the size is remembered", |host| {
        String::from_utf8_lossy(&host.save()).contains("1300")
    });
    opened.close(&mut host, &screen);
    let state = host.save();
    playing.end(&mut host);

    let mut host = Host::new();
    assert!(host.load(&*state));
    let opened = Opened::open(&mut host, &screen, 1.0);
    assert_eq!(opened.size, [1_300, 820]);
    opened.until_drawn(&mut host, &screen);
    assert_eq!(host.save(), state, "the page too");
    opened.close(&mut host, &screen);

    let mut host = Host::new();
    for (scale, name) in [(1.0, "plugin-100"), (2.0, "plugin-200")] {
        let playing = Playing::start(&mut host);
        let opened = Opened::open(&mut host, &screen, scale);
        assert_eq!(opened.size, [1_200, 780].map(|side| (f64::from(side) * scale) as u32));
        opened.until_drawn(&mut host, &screen);
        let [x, y] = KEY.map(|at| at * scale as i16);
        screen.point([x, y]);
        pause(&mut host, 60);
        screen.press();
        pause(&mut host, 700);
        screen.picture(opened.window).keep(name);
        screen.release();
        opened.close(&mut host, &screen);
        playing.end(&mut host);
    }
}
