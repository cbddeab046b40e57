//! Notes from the computer's keyboard.
//!
//! Most terminals do not report the release of a key. There a tap is a short note, and the key repeats
//! of a held key prolong it.

use ratatui::crossterm::event::KeyEventKind;
use std::time::{Duration, Instant};

/// The length of a tapped note without release events: a little longer than the delay of the first key
/// repeat.
const TAP: Duration = Duration::from_millis(700);

/// A held key counts as released so long after its last repeat.
const REPEAT: Duration = Duration::from_millis(160);

/// Presses at such intervals are taps: slower than key repeats, faster than the first one.
const TAPPING: std::ops::Range<Duration> = Duration::from_millis(90)..Duration::from_millis(200);

/// A note to start or end.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    Press(u8, f32),
    Release(u8),
}

/// Keys that are down, octave and velocity.
pub(super) struct ComputerKeyboard {
    /// Whether the terminal reports releases.
    releases: bool,
    /// The MIDI key of the lowest letter.
    lowest: u8,
    velocity: f32,
    pedal: bool,
    held: Vec<Held>,
}

struct Held {
    /// The letter, in semitones above the lowest, whatever the octave was.
    semitone: u8,
    key: u8,
    last: Instant,
    until: Instant,
}

impl ComputerKeyboard {
    pub(super) fn new(releases: bool) -> Self {
        Self { releases, lowest: 48, velocity: 0.75, pedal: false, held: Vec::new() }
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

    /// Handles the press, repeat or release of a letter.
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
                self.held.push(Held { semitone, key, last: now, until: now + TAP });
                vec![Change::Press(key, self.velocity)]
            }
        }
    }

    /// Releases keys whose time is over, where the terminal reports no releases.
    pub(super) fn expired(&mut self, now: Instant) -> Vec<u8> {
        if self.releases {
            return Vec::new();
        }
        let over = self.held.extract_if(.., |held| now >= held.until);
        over.map(|held| held.key).collect()
    }

    pub(super) fn release_all(&mut self) {
        self.held.clear();
    }

    pub(super) fn shift_octave(&mut self, octaves: i32) {
        let lowest = i32::from(self.lowest) + 12 * octaves;
        self.lowest = lowest.clamp(0, 96) as u8;
    }

    pub(super) fn change_velocity(&mut self, steps: i32) {
        self.velocity = (self.velocity + steps as f32 / 16.0).clamp(1.0 / 16.0, 1.0);
    }

    /// Returns whether it is down now.
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
        let mut keyboard = ComputerKeyboard::new(false);
        let press = |keyboard: &mut ComputerKeyboard, millis| {
            keyboard.play(0, KeyEventKind::Press, at(start, millis))
        };
        assert_eq!(press(&mut keyboard, 0), [Change::Press(48, 0.75)]);
        for millis in (500..3_000).step_by(33) {
            assert_eq!(press(&mut keyboard, millis), []);
            assert!(keyboard.expired(at(start, millis)).is_empty());
        }
        assert_eq!(keyboard.expired(at(start, 3_300)), [48]);
        assert_eq!(press(&mut keyboard, 4_000), [Change::Press(48, 0.75)]);
        let again = [Change::Release(48), Change::Press(48, 0.75)];
        assert_eq!(press(&mut keyboard, 4_150), again);
        assert_eq!(keyboard.expired(at(start, 5_000)), [48]);
    }

    #[test]
    fn a_release_ends_its_note_after_a_change_of_octave() {
        let now = Instant::now();
        let mut keyboard = ComputerKeyboard::new(true);
        let pressed = keyboard.play(4, KeyEventKind::Press, now);
        assert_eq!(pressed, [Change::Press(52, 0.75)]);
        keyboard.shift_octave(1);
        assert_eq!(keyboard.play(4, KeyEventKind::Repeat, now), []);
        assert!(keyboard.expired(at(now, 60_000)).is_empty());
        let released = keyboard.play(4, KeyEventKind::Release, now);
        assert_eq!(released, [Change::Release(52)]);
        assert_eq!(keyboard.play(4, KeyEventKind::Release, now), []);
    }
}
