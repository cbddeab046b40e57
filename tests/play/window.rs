//! `myriad play --window`: the editor on a virtual display.

use crate::player::Player;
use myriad_test_screen::{CONTROL, Screen};
use std::time::{Duration, Instant};

/// A piano key in a window of 1200 by 780 points.
const KEY: [i16; 2] = [853, 752];

/// A key in the window sounds, and the window closes with the player.
#[test]
fn keys_in_the_window_sound() {
    let screen = Screen::take();
    let args = "--window --host clock --renderer cpu";
    let mut player = Player::start(args, &[]);
    let give_up = Instant::now() + Duration::from_mins(5);
    while screen.whole().colours() < 200 {
        assert!(Instant::now() < give_up, "no window");
        std::thread::sleep(Duration::from_millis(50));
    }
    screen.point(KEY);
    screen.press();
    player.wait_for("a key sounds", |line| line["voices"] == 1);
    screen.release();
    player.wait_for("it has ended", |line| line["voices"] == 0);
    assert_eq!(player.interrupt(), Some(0));
}

/// A recording and then a song that are dropped on the window: the song is played with its sound.
#[test]
fn dropped_files_are_played() {
    let screen = Screen::take();
    let mut player = Player::start("--window --host clock --renderer cpu", &[]);
    let give_up = Instant::now() + Duration::from_mins(5);
    while screen.whole().colours() < 200 {
        assert!(Instant::now() < give_up, "no window");
        std::thread::sleep(Duration::from_millis(50));
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let tone = std::path::PathBuf::from(format!("{root}import/fixtures/tone.mp3"));
    assert!(screen.drop_file([600, 300], &tone, || ()));
    while !screen.whole().shows_a_sound() {
        assert!(Instant::now() < give_up, "no import");
        std::thread::sleep(Duration::from_millis(50));
    }
    screen.whole().keep("player-import");
    // A note of two beats on channel 1.
    let song = player.path("song.mid");
    let bytes = b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk\0\0\0\x0d\0\x90\x3c\x64\x81\x40\x80\x3c\x40\0\xff\x2f\0";
    std::fs::write(&song, bytes).unwrap();
    assert!(screen.drop_file([600, 300], &song, || ()));
    player.wait_for("the song sounds", |line| line["voices"] == 1);
    player.wait_for("it has ended", |line| line["voices"] == 0);
    assert_eq!(player.interrupt(), Some(0));
}

/// Ctrl + makes everything in the window larger, and the window with it.
#[test]
fn the_window_is_zoomed_by_keys() {
    let screen = Screen::take();
    let mut player = Player::start("--window --host clock --renderer cpu", &[]);
    let give_up = Instant::now() + Duration::from_mins(5);
    while screen.whole().colours() < 200 {
        assert!(Instant::now() < give_up, "no window");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A click gives it the keyboard. Around the window the screen is black.
    let outside = [1_230, 40];
    assert_eq!(screen.whole().at(outside), [0; 3]);
    screen.point([600, 200]);
    screen.press();
    screen.release();
    std::thread::sleep(Duration::from_millis(300));
    screen.strike(&[CONTROL, u32::from(b'=')]);
    while screen.whole().at(outside) == [0; 3] {
        assert!(Instant::now() < give_up, "the window keeps its size");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(player.interrupt(), Some(0));
}

#[test]
fn a_missing_display_is_an_error() {
    let args = "--window --host clock";
    let mut player = Player::start_with(args, &[], &[("DISPLAY", "")]);
    assert_eq!(player.exit(), Some(1));
}
