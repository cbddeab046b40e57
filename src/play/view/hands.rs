//! Hands on the computer's keyboard.
//!
//! Most terminals never say that a key went up. Where they do not, a tap is a short note, and a
//! key that is held repeats, which keeps its note alive.

use ratatui::crossterm::event::KeyEventKind;
use std::time::{Duration, Instant};

/// How long a tapped note lasts where nothing says when the key goes up: a little longer than
/// keyboards wait before they repeat.
const TAP: Duration = Duration::from_millis(700);

/// How long after its last repeat a held key counts as released.
const REPEAT: Duration = Duration::from_millis(160);

/// Presses further apart than repeats but closer than a keyboard's first one are taps.
const TAPPING: std::ops::Range<Duration> = Duration::from_millis(90)..Duration::from_millis(200);

/// What the instrument should do.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    Press(u8, f32),
    Release(u8),
}

/// Keys that are down, and where and how hard they play.
pub(super) struct Hands {
    /// Whether the terminal says when keys go up.
    releases: bool,
    /// The MIDI key of the lowest letter.
    lowest: u8,
    velocity: f32,
    pedal: bool,
    held: Vec<Held>,
}

struct Held {
    /// The letter, in semitones, whatever the octave was.
    semitone: u8,
    key: u8,
    last: Instant,
    until: Instant,
}

impl Hands {
    pub(super) fn new(releases: bool) -> Self {
        Self {
            releases,
            lowest: 48,
            velocity: 0.75,
            pedal: false,
            held: Vec::new(),
        }
    }

    pub(super) fn lowest(&self) -> u8 {
        self.lowest
    }

    pub(super) fn velocity(&self) -> f32 {
        self.velocity
    }

    pub(super) fn pedal(&self) -> bool {
        self.pedal
    }

    /// A letter goes down, repeats, or goes up.
    pub(super) fn play(&mut self, semitone: u8, kind: KeyEventKind, now: Instant) -> Vec<Change> {
        let held = self.held.iter().position(|held| held.semitone == semitone);
        match (kind, held) {
            (KeyEventKind::Release, Some(index)) => {
                vec![Change::Release(self.held.swap_remove(index).key)]
            }
            (KeyEventKind::Release, None) | (KeyEventKind::Repeat, Some(_)) => Vec::new(),
            (KeyEventKind::Press, Some(index)) if !self.releases => {
                let held = &mut self.held[index];
                let gap = now.saturating_duration_since(held.last);
                held.last = now;
                if TAPPING.contains(&gap) {
                    held.until = now + TAP;
                    let key = held.key;
                    return vec![Change::Release(key), Change::Press(key, self.velocity)];
                }
                held.until = now + REPEAT;
                Vec::new()
            }
            (_, Some(_)) => Vec::new(),
            (_, None) => {
                let key = self.lowest.saturating_add(semitone).min(127);
                self.held.push(Held {
                    semitone,
                    key,
                    last: now,
                    until: now + TAP,
                });
                vec![Change::Press(key, self.velocity)]
            }
        }
    }

    /// Keys whose time is over, where nothing says that they went up.
    pub(super) fn tired(&mut self, now: Instant) -> Vec<u8> {
        if self.releases {
            return Vec::new();
        }
        let over = self.held.extract_if(.., |held| now >= held.until);
        over.map(|held| held.key).collect()
    }

    pub(super) fn let_go(&mut self) {
        self.held.clear();
    }

    pub(super) fn shift(&mut self, octaves: i32) {
        let lowest = i32::from(self.lowest) + 12 * octaves;
        self.lowest = lowest.clamp(0, 96) as u8;
    }

    pub(super) fn harder(&mut self, steps: i32) {
        self.velocity = (self.velocity + steps as f32 / 16.0).clamp(1.0 / 16.0, 1.0);
    }

    /// Whether it is down now.
    pub(super) fn toggle_pedal(&mut self) -> bool {
        self.pedal = !self.pedal;
        self.pedal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn a_tap_ends_and_a_held_key_goes_on() {
        let start = Instant::now();
        let mut hands = Hands::new(false);
        let press =
            |hands: &mut Hands, millis| hands.play(0, KeyEventKind::Press, at(start, millis));
        assert_eq!(press(&mut hands, 0), [Change::Press(48, 0.75)]);
        for millis in (500..3_000).step_by(33) {
            assert_eq!(press(&mut hands, millis), []);
            assert!(hands.tired(at(start, millis)).is_empty());
        }
        assert_eq!(hands.tired(at(start, 3_300)), [48]);
        assert_eq!(press(&mut hands, 4_000), [Change::Press(48, 0.75)]);
        let again = [Change::Release(48), Change::Press(48, 0.75)];
        assert_eq!(press(&mut hands, 4_150), again);
        assert_eq!(hands.tired(at(start, 5_000)), [48]);
    }

    #[test]
    fn where_keys_go_up_notes_end_there_even_after_a_change_of_octave() {
        let now = Instant::now();
        let mut hands = Hands::new(true);
        let pressed = hands.play(4, KeyEventKind::Press, now);
        assert_eq!(pressed, [Change::Press(52, 0.75)]);
        hands.shift(1);
        assert_eq!(hands.play(4, KeyEventKind::Repeat, now), []);
        assert!(hands.tired(at(now, 60_000)).is_empty());
        let released = hands.play(4, KeyEventKind::Release, now);
        assert_eq!(released, [Change::Release(52)]);
        assert_eq!(hands.play(4, KeyEventKind::Release, now), []);
    }
}
