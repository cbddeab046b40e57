//! Plays a patch and measures the sound.

use super::touch::MIDDLE;
use crate::analysis::thumbnail;
use myriad_engine::params::Param;
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, Values};
use myriad_measure::Meter;

const RATE: u32 = 48_000;
const SECOND: usize = RATE as usize;

/// Columns and rows of a spectrogram on the contact sheet.
pub(super) const PICTURE: [usize; 2] = [120, 72];

/// Plays one patch, once for each measurement.
pub(super) struct Listener<'a> {
    patch: &'a Patch,
}

/// Measurements of a short phrase.
pub(super) struct Phrase {
    pub(super) loudness_lufs: Option<f64>,
    pub(super) correlation: f32,
    /// How much louder left is than right.
    pub(super) balance_db: f32,
    pub(super) fingerprint: Fingerprint,
    pub(super) picture: Vec<f32>,
}

/// Measurements of a held note.
pub(super) struct Held {
    /// The level after three seconds relative to the loudest of the first.
    pub(super) left_db: f32,
    /// The steepest slope after the key is released, relative to the note's own; above 1 it is a click.
    pub(super) click: f32,
    pub(super) partials: usize,
}

/// The spectrum of a phrase over time, column after column.
#[derive(Default)]
pub(super) struct Fingerprint(Vec<f32>);

impl Fingerprint {
    /// The mean difference in decibels. Levels are relative to the loudest, and cut 60 dB below it.
    pub(super) fn distance(&self, other: &Fingerprint) -> f32 {
        let differences = self.0.iter().zip(&other.0).map(|(a, b)| (a - b).abs());
        differences.sum::<f32>() / self.0.len().max(1) as f32
    }

    fn new(sound: &Sound) -> Self {
        let mut levels = thumbnail([&sound.left, &sound.right], RATE, [12, 30]);
        let top = levels.iter().fold(f32::MIN, |top, &level| top.max(level));
        for level in &mut levels {
            *level = (*level - top).max(-60.0);
        }
        Self(levels)
    }
}

pub(super) struct Sound {
    pub(super) left: Vec<f32>,
    pub(super) right: Vec<f32>,
    partials: usize,
}

impl<'a> Listener<'a> {
    pub(super) fn new(patch: &'a Patch) -> Self {
        Self { patch }
    }

    fn play(&self, values: &Values, notes: &[Note], frames: usize) -> Sound {
        let patch = Patch { values: values.clone(), ..self.patch.clone() };
        let mut events: Vec<(usize, EventKind)> = Vec::new();
        for &Note(key, velocity, seconds) in notes {
            let [from, to] = seconds.map(|at| (at * SECOND as f32) as usize);
            events.push((from, EventKind::NoteOn { key, velocity }));
            events.push((to, EventKind::NoteOff { key, velocity: 0.5 }));
        }
        events.sort_by_key(|event| event.0);
        play(&patch, &events, frames)
    }

    /// The Cs in the patch's key range that are silent, or the key zones of a kit.
    pub(super) fn silent_keys(&self) -> Vec<u8> {
        let values = &self.patch.values;
        let (low, high) = (values[Param::ZoneLowKey], values[Param::ZoneHighKey]);
        let keys = (24..=108u8).step_by(12);
        let keys = keys.filter(|&key| (low..=high).contains(&f32::from(key)));
        let keys = match self.patch.key_zones.is_empty() {
            true => keys.collect(),
            false => super::touch::keys(self.patch),
        };
        keys.into_iter()
            .filter(|&key| {
                let sound = self.play(values, &[Note(key, 0.8, [0.0, 0.6])], 2 * SECOND / 3);
                peak(&sound.left).max(peak(&sound.right)) < 0.002
            })
            .collect()
    }

    pub(super) fn phrase(&self) -> Phrase {
        let notes = [
            Note(48, MIDDLE, [0.0, 0.8]),
            Note(55, MIDDLE, [0.6, 1.4]),
            Note(64, MIDDLE, [1.2, 2.4]),
            Note(72, MIDDLE, [1.8, 2.4]),
        ];
        let sound = self.play(&self.patch.values, &notes, 3 * SECOND);
        let mut meter = Meter::new(RATE);
        meter.add([&sound.left, &sound.right]);
        let [l, r] = [power(&sound.left), power(&sound.right)];
        let both = sound.left.iter().zip(&sound.right);
        let common = both.map(|(l, r)| f64::from(l * r)).sum::<f64>() / sound.left.len() as f64;
        Phrase {
            loudness_lufs: meter.loudness_lufs(),
            correlation: (common / (l * r).sqrt().max(1e-12)) as f32,
            balance_db: 10.0 * ((l + 1e-12) / (r + 1e-12)).log10() as f32,
            fingerprint: Fingerprint::new(&sound),
            picture: thumbnail([&sound.left, &sound.right], RATE, PICTURE),
        }
    }

    /// Peak in dBFS of eight notes at full velocity, and the DC offset.
    pub(super) fn chord(&self) -> (f32, f64) {
        let keys = [36, 48, 55, 60, 64, 67, 72, 84];
        let notes = keys.map(|key| Note(key, 1.0, [0.0, 1.0]));
        let sound = self.play(&self.patch.values, &notes, 3 * SECOND / 2);
        let loudest = peak(&sound.left).max(peak(&sound.right));
        let mean = sound.left.iter().map(|&x| f64::from(x)).sum::<f64>();
        (decibels(loudest), (mean / sound.left.len() as f64).abs())
    }

    pub(super) fn held(&self) -> Held {
        let released = 7 * SECOND / 2;
        let notes = [Note(60, 0.8, [0.0, 3.5])];
        let Sound { left, partials, .. } = self.play(&self.patch.values, &notes, 4 * SECOND);
        let windows: Vec<f64> = left[..released].chunks(SECOND / 4).map(power).collect();
        let early = windows[..6].iter().fold(0.0, |top: f64, &x| top.max(x));
        let late = windows[11..13].iter().fold(0.0, |top: f64, &x| top.max(x));
        let own = steepest(&left[released - SECOND / 2..released])
            .max(steepest(&left[released + SECOND / 10..]))
            .max(1e-4);
        let there = steepest(&left[released..released + SECOND / 20]);
        Held {
            left_db: 10.0 * ((late + 1e-12) / (early + 1e-12)).log10() as f32,
            click: there / (2.5 * own),
            partials,
        }
    }

    /// How many decibels each named macro changes between its ends.
    pub(super) fn macros(&self) -> Vec<(&'a str, f32)> {
        let used = self.patch.macro_names.iter().enumerate();
        used.filter(|(_, name)| !name.is_empty())
            .map(|(index, name)| {
                let param = Param::ALL[Param::Macro1 as usize + index];
                let heard = |value: f32| {
                    let mut values = self.patch.values.clone();
                    values.set(param, value);
                    let notes = [Note(48, 0.8, [0.0, 0.8]), Note(60, 0.8, [0.1, 0.8])];
                    let sound = self.play(&values, &notes, 3 * SECOND / 2);
                    let level = decibels((power(&sound.left) as f32).sqrt());
                    (Fingerprint::new(&sound), level)
                };
                let (low, high) = (heard(0.0), heard(1.0));
                let change = low.0.distance(&high.0).max((low.1 - high.1).abs());
                (name.as_str(), change)
            })
            .collect()
    }
}

/// Plays a patch; events are in the order of their frames.
pub(super) fn play(patch: &Patch, events: &[(usize, EventKind)], frames: usize) -> Sound {
    const BLOCK: usize = 1_024;
    let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    let mut partials = 0;
    // An engine of the default size is valid, so this does not fail.
    if let Ok(mut engine) = Engine::new(&config) {
        engine.set_patch(0, patch);
        for (index, (left, right)) in
            left.chunks_mut(BLOCK).zip(right.chunks_mut(BLOCK)).enumerate()
        {
            let block = index * BLOCK..(index + 1) * BLOCK;
            let now = events.iter().filter(|event| block.contains(&event.0));
            let event = |&(at, kind): &(usize, EventKind)| Event {
                frame: (at - block.start) as u32,
                part: 0,
                kind,
            };
            let now: Vec<Event> = now.map(event).collect();
            engine.render(&now, left, right);
            partials = partials.max(engine.counters().partials);
        }
    }
    Sound { left, right, partials }
}

/// A note from one second to another.
#[derive(Clone, Copy)]
struct Note(u8, f32, [f32; 2]);

fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |peak, x| peak.max(x.abs()))
}

fn power(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|&x| f64::from(x).powi(2)).sum();
    sum / samples.len().max(1) as f64
}

fn decibels(level: f32) -> f32 {
    20.0 * level.max(1e-9).log10()
}

fn steepest(samples: &[f32]) -> f32 {
    let steps = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    steps.fold(0.0, f32::max)
}
