//! The arpeggiator: plays the held keys one after the other, in time with the song.

mod pattern;

use super::keys::KeyStack;
use super::{Part, Transport};
use crate::dsp::hash;
use crate::params::Param;
use crate::pool::CloudPool;
use crate::render::TICK;
use pattern::PatternStep;

/// Values of `arp.mode`.
const OFF: f32 = 0.0;
const DOWN: f32 = 2.0;
const UP_AND_DOWN: f32 = 3.0;
const AS_PLAYED: f32 = 4.0;
const RANDOM: f32 = 5.0;
const CHORD: f32 = 6.0;

/// Beats of a step, in the order of the `arp.rate` parameter's names.
pub(crate) const ARP_STEP_BEATS: [f64; 13] = [
    1.0,
    0.5,
    0.25,
    0.125,
    2.0 / 3.0,
    1.0 / 3.0,
    1.0 / 6.0,
    1.5,
    0.75,
    2.0,
    1.0 / 12.0,
    0.375,
    0.1875,
];

/// The held keys, and the notes that the arpeggiator plays of them.
#[derive(Debug, Default)]
pub(super) struct Arp {
    held: KeyStack,
    /// Number of keys that are physically down; with hold, released ones keep playing.
    down: usize,
    /// Beats until the next step, and until the notes of the last step end.
    until_step: f64,
    until_end: Option<f64>,
    /// Notes that sound.
    playing: KeyStack,
    step: usize,
    /// Steps that played, which is where the arpeggio is in its notes.
    played: usize,
    /// Random numbers that were drawn.
    drawn: u32,
    /// The frame of this tick at which the first key went down.
    begins_at: Option<u32>,
}

impl Arp {
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Part {
    /// A key goes down: it is played directly or given to the arpeggiator.
    pub(super) fn press(&mut self, key: u8, velocity: f32, frame: u32, pool: &mut CloudPool) {
        if !self.in_zone(key, velocity) {
            return;
        }
        if self.controls[Param::ArpMode] == OFF {
            return self.note_on(key, velocity, frame, pool);
        }
        let arp = &mut self.arp;
        if arp.down == 0 && self.controls[Param::ArpHold] != 0.0 {
            arp.held.clear();
        }
        if arp.held.is_empty() {
            (arp.begins_at, arp.step, arp.played) = (Some(frame), 0, 0);
        }
        arp.held.press(key.min(127), velocity);
        arp.down += 1;
    }

    /// A key goes up.
    pub(super) fn lift(&mut self, key: u8, velocity: f32, frame: u32, pool: &mut CloudPool) {
        self.arp.down = self.arp.down.saturating_sub(1);
        if self.controls[Param::ArpHold] == 0.0 {
            self.arp.held.lift(key);
        }
        // Also ends notes that were played before the arpeggiator was switched on.
        if self.controls[Param::ArpMode] == OFF || !self.arp.playing.holds(key) {
            self.note_off(key, velocity, frame, pool);
        }
    }

    /// Length of a step in beats; zero when the arpeggiator is off.
    pub(super) fn arp_step_seconds(&self, bpm: f32) -> f32 {
        match self.controls[Param::ArpMode] == OFF {
            true => 0.0,
            false => ARP_STEP_BEATS[self.controls[Param::ArpRate] as usize] as f32 * 60.0 / bpm,
        }
    }

    /// Whether it plays, or has a note to end.
    pub(super) fn is_arpeggiating(&self) -> bool {
        self.controls[Param::ArpMode] != OFF || !self.arp.playing.is_empty()
    }

    /// Plays the steps that fall into this tick.
    pub(super) fn arpeggiate(&mut self, transport: Transport, pool: &mut CloudPool) {
        let mode = self.controls[Param::ArpMode];
        if mode == OFF {
            self.arp.held.clear();
            self.end_step(0, pool);
            return;
        }
        let beats = f64::from(self.tick_seconds() * transport.bpm / 60.0);
        let frame = |until: f64| ((until / beats * TICK as f64) as u32).min(TICK as u32 - 1);
        let length = ARP_STEP_BEATS[self.controls[Param::ArpRate] as usize];
        if let Some(frame) = self.arp.begins_at.take() {
            self.arp.until_step = f64::from(frame) / TICK as f64 * beats;
        }
        let swing = f64::from(self.controls[Param::ArpSwing]) * length;
        loop {
            let step = match self.arp.held.is_empty() {
                true => f64::INFINITY,
                false => self.arp.until_step,
            };
            let end = self.arp.until_end.unwrap_or(f64::INFINITY);
            if end < beats && end <= step {
                self.end_step(frame(end), pool);
            } else if step < beats {
                // While a song runs, the pattern keeps to its bars.
                let number = match transport.beat {
                    Some(end) => ((end - beats + step) / length + 0.45).floor() as i64,
                    None => self.arp.step as i64,
                };
                let now = PatternStep::read(&self.controls, number);
                if !now.tie || self.arp.playing.is_empty() {
                    self.end_step(frame(step), pool);
                    if !now.tie && now.plays(&mut self.arp.drawn) {
                        self.begin_step(mode, now.velocity, frame(step), pool);
                    }
                }
                self.arp.step += 1;
                let gate = f64::from(self.controls[Param::ArpGate] * now.gate).min(0.98) * length;
                self.arp.until_end =
                    Some(match PatternStep::read(&self.controls, number + 1).tie {
                        // The next step decides; without one, the note ends nevertheless.
                        true => step + 2.0 * length,
                        false => step + gate,
                    });
                self.arp.until_step = match transport.beat {
                    // While a song runs, steps lie on its beat grid, whenever the key was pressed.
                    Some(end) => {
                        let begin = end - beats;
                        let next = ((begin + step) / length + 0.45).floor() + 1.0;
                        let late = if next as i64 % 2 == 0 { 0.0 } else { swing };
                        next * length + late - begin
                    }
                    // Swing delays every second step; the step after it is shorter by the same
                    // time.
                    None if self.arp.step % 2 == 1 => step + length + swing,
                    None => step + length - swing,
                };
            } else {
                break;
            }
        }
        self.arp.until_step -= beats;
        if let Some(end) = &mut self.arp.until_end {
            *end -= beats;
        }
    }

    fn end_step(&mut self, frame: u32, pool: &mut CloudPool) {
        self.arp.until_end = None;
        while let Some((key, _)) = self.arp.playing.top() {
            self.arp.playing.lift(key);
            self.note_off(key, 0.5, frame, pool);
        }
    }

    fn begin_step(&mut self, mode: f32, share: f32, frame: u32, pool: &mut CloudPool) {
        let step = self.arp.played;
        self.arp.played += 1;
        let octaves = self.controls[Param::ArpOctaves] as usize;
        let count = self.arp.held.len();
        let all = count * octaves;
        let place = match mode {
            DOWN => all - 1 - step % all,
            // Up and down again, without repeating the ends.
            UP_AND_DOWN if all > 1 => {
                let round = 2 * (all - 1);
                let at = step % round;
                at.min(round - at)
            }
            RANDOM => hash(step as u32 ^ 0xA59) as usize % all,
            _ => step % all,
        };
        let notes = match mode {
            CHORD => 0..count,
            _ => place % count..place % count + 1,
        };
        let octave = match mode {
            CHORD => step % octaves,
            _ => place / count,
        };
        for index in notes {
            let (key, velocity) = match mode {
                AS_PLAYED => self.arp.held.nth(index),
                _ => self.arp.held.nth_by_pitch(index),
            };
            let key = usize::from(key) + 12 * octave;
            if key < 128 {
                self.arp.playing.press(key as u8, velocity);
                self.note_on(key as u8, velocity * share, frame, pool);
            }
        }
    }
}
