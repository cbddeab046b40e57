//! The actions of the computer's keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    /// A note, in semitones above the lowest key.
    Note(u8),
    Octave(i32),
    Velocity(i32),
    /// Toggles the sustain pedal.
    Pedal,
    /// The next or the previous patch.
    Patch(i32),
    Search,
    /// The next or the previous macro.
    Select(i32),
    /// Changes the macro, in steps.
    Turn(f32),
    Learn,
    Forget,
    Panic,
    Help,
    /// Closes help and ends MIDI learn.
    Close,
    Quit,
}

/// Two rows of piano keys, as in trackers; the second starts an octave higher.
const ROWS: [&str; 2] = ["zsxdcvgbhnjm,", "q2w3er5t6y7ui9o0p"];

/// The letter that plays a semitone above the lowest key, from the upper row where both rows have it.
pub(super) fn letter(semitone: u8) -> Option<char> {
    let semitone = usize::from(semitone);
    let upper = semitone.checked_sub(12).and_then(|n| ROWS[1].chars().nth(n));
    upper.or_else(|| ROWS[0].chars().nth(semitone))
}

pub(super) fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'q' | 'd') => Some(Action::Quit),
            _ => None,
        };
    }
    let coarse = if key.modifiers.contains(KeyModifiers::SHIFT) { 8.0 } else { 1.0 };
    Some(match key.code {
        KeyCode::Left => Action::Select(-1),
        KeyCode::Right => Action::Select(1),
        KeyCode::Up => Action::Turn(coarse),
        KeyCode::Down => Action::Turn(-coarse),
        KeyCode::PageUp => Action::Patch(-1),
        KeyCode::PageDown => Action::Patch(1),
        KeyCode::Backspace | KeyCode::Delete => Action::Panic,
        KeyCode::Esc => Action::Close,
        KeyCode::Tab => Action::Search,
        KeyCode::F(1) => Action::Help,
        KeyCode::F(10) => Action::Quit,
        KeyCode::Char(' ') => Action::Pedal,
        KeyCode::Char('?') => Action::Help,
        KeyCode::Char('/') => Action::Search,
        KeyCode::Char('[') => Action::Patch(-1),
        KeyCode::Char(']') => Action::Patch(1),
        KeyCode::Char('-') => Action::Octave(-1),
        KeyCode::Char('=' | '+') => Action::Octave(1),
        KeyCode::Char(';') => Action::Velocity(-1),
        KeyCode::Char('\'') => Action::Velocity(1),
        KeyCode::Char('l') => Action::Learn,
        KeyCode::Char('L') => Action::Forget,
        KeyCode::Char(letter) => {
            let letter = letter.to_ascii_lowercase();
            let place = |row: &str| row.chars().position(|key| key == letter);
            let semitone = place(ROWS[0]).or_else(|| place(ROWS[1]).map(|place| place + 12))?;
            Action::Note(semitone as u8)
        }
        _ => return None,
    })
}

/// The keys that `?` shows.
pub(super) const HELP: &[(&str, &str)] = &[
    ("z s x d c …  ,", "play, lower octave"),
    ("q 2 w 3 e …  p", "play, upper octave"),
    ("-  =", "octave down, up"),
    (";  '", "softer, harder"),
    ("space", "sustain pedal"),
    ("/  or tab", "find a patch"),
    ("[  ]", "previous, next patch"),
    ("←  →", "choose a macro"),
    ("↑  ↓", "change it; with shift faster"),
    ("l", "MIDI learn: move a controller"),
    ("L", "remove its MIDI controller"),
    ("backspace", "panic: all sound off"),
    ("ctrl-c", "quit"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_play_notes() {
        let press = |letter| action(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
        assert_eq!(press('z'), Some(Action::Note(0)));
        assert_eq!(press('s'), Some(Action::Note(1)));
        assert_eq!(press(','), Some(Action::Note(12)));
        assert_eq!(press('q'), Some(Action::Note(12)));
        assert_eq!(press('p'), Some(Action::Note(28)));
        assert_eq!(press('l'), Some(Action::Learn));
        assert_eq!(letter(12), Some('q'));
        assert_eq!(letter(11), Some('m'));
        assert_eq!(letter(29), None);
    }
}
