//! LFO shapes and harmonics, drawn with the mouse.

use super::opened::{Opened, until};
use super::using::{click, pause, saved_patch};
use crate::audio_thread::Playing;
use crate::host::*;
use myriad_engine::Patch;
use myriad_engine::tracks::DrawnTable;
use myriad_test_screen::{CONTROL, Screen};

/// Places in an editor of 1200 by 780 points.
const HARMONICS: [i16; 2] = [115, 421];
const MODULATION: [i16; 2] = [376, 421];
const STEPS: [i16; 2] = [699, 496];
/// Where nothing can be clicked on.
const ASIDE: [i16; 2] = [600, 779];

/// Clicks until it has been of use: a slow machine may not have drawn what is to be clicked on.
fn click_until(
    host: &mut Host,
    screen: &Screen,
    at: [i16; 2],
    what: &str,
    done: impl Fn(&mut Host) -> bool,
) {
    until(host, what, |host| {
        click(host, screen, at);
        pause(host, 500);
        done(host)
    });
}

/// Turns to the page of a tab, and waits until the tab is lit. It also is as long as the pointer is over it, so that goes away
/// before the tab is looked at, and a window that draws slowly is looked at twice.
fn turn_to(host: &mut Host, screen: &Screen, opened: &Opened, [x, y]: [i16; 2]) {
    // Below the letters.
    let colour = || screen.picture(opened.window).at([x as u32, y as u32 + 10]);
    let before = colour();
    let is_lit_without_pointer = |host: &mut Host| {
        screen.point(ASIDE);
        pause(host, 500);
        colour() != before
    };
    let is_lit = |host: &mut Host| is_lit_without_pointer(host) && is_lit_without_pointer(host);
    click_until(host, screen, [x, y], "the page is there", is_lit);
}

/// Drags over a canvas in one gesture.
fn stroke(host: &mut Host, screen: &Screen, from: [i16; 2], to: [i16; 2]) {
    screen.point(from);
    pause(host, 60);
    screen.press();
    pause(host, 60);
    for part in 1..=8 {
        let at = |i: usize| from[i] + (to[i] - from[i]) * part / 8;
        screen.point([at(0), at(1)]);
        pause(host, 40);
    }
    screen.release();
    pause(host, 60);
}

fn undo(screen: &Screen) {
    screen.strike(&[CONTROL, u32::from(b'z')]);
}

/// The heights of the first LFO.
fn heights(patch: &Patch) -> Vec<f32> {
    patch.drawings[0].points().iter().map(|point| point.y).collect()
}

fn drawn_table(host: &mut Host) -> Option<DrawnTable> {
    saved_patch(host).tracks[0].as_ref().and_then(|tracks| tracks.drawn())
}

/// What is drawn is in the project, and is undone stroke by stroke.
#[test]
fn steps_and_harmonics_are_drawn_saved_and_undone() {
    let screen = Screen::take();
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let opened = Opened::open(&mut host, &screen, 1.0);
    opened.until_drawn(&mut host, &screen);

    turn_to(&mut host, &screen, &opened, MODULATION);
    let what = "the wave is a sequence of steps";
    click_until(&mut host, &screen, STEPS, what, |host| heights(&saved_patch(host)).len() == 8);
    let before = saved_patch(&mut host).drawings;
    stroke(&mut host, &screen, [640, 562], [1_160, 518]);
    until(&mut host, "the steps rise", |host| {
        let heights = heights(&saved_patch(host));
        heights.is_sorted() && heights[0] < -0.6 && heights[7] > 0.6
    });
    screen.picture(opened.window).keep("plugin-lfo-steps");
    undo(&screen);
    until(&mut host, "the stroke is undone", |host| saved_patch(host).drawings == before);

    turn_to(&mut host, &screen, &opened, HARMONICS);
    assert!(drawn_table(&mut host).is_none());
    stroke(&mut host, &screen, [40, 600], [500, 510]);
    until(&mut host, "the table is drawn", |host| {
        let table = drawn_table(host);
        table.is_some_and(|table| {
            (0..table.frames()).any(|frame| {
                let frame = table.frame(frame);
                frame[0].level < 0.1 && frame[20].level > frame[10].level
            })
        })
    });
    screen.picture(opened.window).keep("plugin-harmonics");
    undo(&screen);
    until(&mut host, "the table is as it was", |host| drawn_table(host).is_none());
    opened.close(&mut host, &screen);
    playing.end(&mut host);
}
