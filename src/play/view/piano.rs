//! The piano keys: which are down, and which letters play them.

use super::keymap;
use super::theme;
use super::view_model::ViewModel;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Columns of a white key. A black key covers the columns on both sides of an edge.
const KEY: u16 = 3;

/// Semitones of the white keys in an octave.
const WHITE: [u8; 7] = [0, 2, 4, 5, 7, 9, 11];

const IVORY: Color = Color::Rgb(0xd9, 0xd2, 0xe6);
const EBONY: Color = Color::Rgb(0x1b, 0x16, 0x2e);
const SHADED_IVORY: Color = Color::Rgb(0xb4, 0xab, 0xc8);

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &ViewModel) {
    let count = area.width / KEY;
    if count == 0 || area.height < 2 {
        return;
    }
    let left = area.x + (area.width - count * KEY) / 2;
    let first = first_white(model, count);
    let upper = area.height - area.height / 2 - u16::from(area.height > 4);
    let keys = || (0..count).filter_map(|index| Some((left + index * KEY, white(first + index)?)));
    for (x, key) in keys() {
        let colour = match (pressed(model, key), (x - left) / KEY % 2) {
            (true, _) => theme::ACCENT,
            (_, 1) => SHADED_IVORY,
            _ => IVORY,
        };
        let body = Rect::new(x, area.y, KEY, area.height);
        buffer.set_style(body, Style::new().bg(colour));
        write(buffer, x + 1, area.bottom() - 1, key, model, EBONY);
    }
    for (x, key) in keys().take(usize::from(count) - 1) {
        let black = key + 1;
        if WHITE.contains(&(black % 12)) {
            continue;
        }
        let colour = match pressed(model, black) {
            true => theme::ACCENT,
            false => EBONY,
        };
        let body = Rect::new(x + KEY - 1, area.y, 2, upper);
        buffer.set_style(body, Style::new().bg(colour));
        write(buffer, body.x, body.bottom() - 1, black, model, theme::DIM);
    }
}

/// Draws the letter that plays a key.
fn write(buffer: &mut Buffer, x: u16, y: u16, key: u8, model: &ViewModel, colour: Color) {
    let letter = key.checked_sub(model.lowest).and_then(keymap::letter);
    let Some(letter) = letter else {
        return;
    };
    let colour = if pressed(model, key) { EBONY } else { colour };
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    buffer.set_string(x, y, letter.to_string(), style);
}

/// The first white key that is drawn; the keys with letters are in the middle.
fn first_white(model: &ViewModel, count: u16) -> u16 {
    let lowest = u16::from(model.lowest / 12) * 7;
    let letters = 17;
    let margin = count.saturating_sub(letters) / 2;
    // Whole octaves, so that a change of octave does not move the keys on a wide screen.
    lowest.saturating_sub(margin.div_ceil(7) * 7).min(75u16.saturating_sub(count))
}

/// The MIDI key of the white key with that number.
fn white(number: u16) -> Option<u8> {
    let key = number / 7 * 12 + u16::from(WHITE[usize::from(number % 7)]);
    (key < 128).then_some(key as u8)
}

fn pressed(model: &ViewModel, key: u8) -> bool {
    model.keys.get(usize::from(key)).copied().unwrap_or(false)
}
