//! Any sound to a patch: speech, loops, chords, drums. The peaks of its spectrum through time, on a grid of
//! partials whose steps of phase follow them.

mod onsets;
mod peaks;

use super::sound::Sound;
use super::{ImportError, Imported, Progress, Recording, instrument, level};
use myriad_engine::Tracks;
use myriad_engine::params::Param;
use myriad_engine::tracks::{MAX_CELLS, MAX_FRAMES, PartialTrack, encode};
use peaks::Peak;
use std::ops::Range;

/// Seconds between two frames of a short sound: eight ticks at 48 kHz.
const HOP: f64 = 256.0 / 48_000.0;

/// The rest of longer sounds is ignored, in seconds.
const LONGEST: f64 = 20.0;

/// The pitch of the key that plays a sound as it is: middle C.
const ROOT_HERTZ: f64 = 261.625_565_3;

/// The highest frequency.
const HIGHEST: f64 = 20_000.0;

const FIND: Range<f32> = 0.1..0.9;

const LEVEL_SECONDS: f64 = 4.0;

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default)
}

pub(super) fn import(
    sound: &Sound,
    region: Option<[f64; 2]>,
    name: &str,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    progress.step(FIND, 0, 1)?;
    let frames = match region {
        Some(region) => {
            region.map(|time| ((time.max(0.0) * sound.rate) as usize).min(sound.samples.len()))
        }
        None => sound.audible()?,
    };
    let from = frames[0] as f64 / sound.rate;
    let mut sound = sound.part(frames);
    sound.audible()?;
    sound.samples.truncate((LONGEST * sound.rate) as usize);
    let sound = sound.at_moderate_rate();
    if sound.seconds() < 0.02 {
        return Err(ImportError::TooShort("a sound has at least 0.02 seconds"));
    }
    let analysis = Analysis::new(&sound, progress)?;
    let tracks = Tracks::from_bytes(analysis.encode())?;
    let key = tracks.key();
    let mut patch = instrument::patch(name, tracks, analysis.slots.len());
    patch.values.set(Param::SourceSpeed, 1.0);
    let heard = sound.seconds().min(LEVEL_SECONDS);
    level::match_to(&mut patch, key, heard, sound.mean_square(heard))?;
    let findings = vec![
        ("length", format!("{:.2} s", sound.seconds())),
        ("partials", format!("{} in {} frames of {:.1} ms", analysis.slots.len(), analysis.frames, 1_000.0 * analysis.hop)),
        ("onsets", format!("{}", analysis.onsets)),
    ];
    let recording = Recording {
        hertz: ROOT_HERTZ,
        harmonic_db: 100.0,
        region: [from, from + sound.seconds()],
        partials: Vec::new(),
    };
    Ok(Imported { patch, findings, recording: Some(recording) })
}

struct Analysis {
    hop: f64,
    frames: usize,
    /// The middles of the slots, in Hertz.
    slots: Vec<f64>,
    /// For each frame, slot by slot.
    cells: Vec<Vec<Option<Peak>>>,
    onsets: usize,
}

impl Analysis {
    fn new(sound: &Sound, progress: &Progress) -> Result<Self, ImportError> {
        let seconds = sound.seconds();
        let most = env("FRAMES", (MAX_FRAMES - 1) as f64) as usize;
        let frames = ((seconds / HOP) as usize + 1).clamp(4, most);
        let hop = seconds / (frames - 1) as f64;
        let onsets = onsets::find(sound);
        let slots = grid(hop, (MAX_CELLS / (frames + 1)).min(1_024));
        let mut cells = Vec::with_capacity(frames);
        for frame in 0..frames {
            progress.step(FIND, frame, frames)?;
            let moment = frame as f64 * hop * sound.rate;
            cells.push(moment_of(sound, moment, hop, &onsets, &slots));
        }
        Ok(Self { hop, frames, slots, cells, onsets: onsets.len() })
    }

    fn encode(&self) -> Vec<u8> {
        let track = |slot: usize| {
            let cell = |frame: usize| self.cells.get(frame).and_then(|cells| cells[slot]);
            let mut levels = Vec::with_capacity(self.frames + 1);
            let mut phases: Vec<f64> = Vec::with_capacity(self.frames + 1);
            for frame in 0..=self.frames {
                let predicted = phases.last().map(|last| last + self.slots[slot] * self.hop);
                let wanted = match (cell(frame), cell(frame + 1), frame.checked_sub(1).and_then(cell)) {
                    (Some(now), ..) => Some(now.phase),
                    (None, Some(next), _) => Some(next.phase - next.hertz * self.hop),
                    (None, None, Some(last)) => Some(last.phase + last.hertz * self.hop),
                    _ => None,
                };
                levels.push(cell(frame).map_or(0.0, |peak| peak.level as f32));
                let phase = match (wanted, predicted) {
                    (Some(wanted), Some(predicted)) => {
                        // From cosine to sine phase.
                        let wanted = wanted + 0.25;
                        wanted + (predicted - wanted).round()
                    }
                    (Some(wanted), None) => wanted + 0.25,
                    (None, Some(predicted)) => predicted,
                    (None, None) => 0.0,
                };
                phases.push(phase);
            }
            PartialTrack { ratio: self.slots[slot] / ROOT_HERTZ, noise: 1.0, levels, phases }
        };
        let tracks: Vec<PartialTrack> = (0..self.slots.len()).map(track).collect();
        encode(ROOT_HERTZ, self.hop * self.frames as f64, &vec![0.0; self.frames + 1], &tracks)
    }
}

/// The middles of at most `most` slots.
fn grid(hop: f64, most: usize) -> Vec<f64> {
    let widest = 1.0 / hop;
    // Spacing: `narrow` at first, in proportion to the frequency above, at last `wide`.
    let made = |scale: f64| {
        let mut slots = Vec::new();
        let mut at = 20.0;
        while at < HIGHEST && slots.len() < 4_096 {
            let narrow = env("NARROW", 25.0);
            let spacing = scale * (at / env("Q", 12.0)).clamp(narrow, (env("WIDE", 0.5) * widest).max(narrow));
            slots.push(at + 0.5 * spacing);
            at += spacing;
        }
        slots
    };
    let (mut low, mut high) = (1.0, 64.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        match made(middle).len() > most {
            true => low = middle,
            false => high = middle,
        }
    }
    match made(1.0).len() <= most {
        true => made(1.0),
        false => made(high),
    }
}

fn moment_of(sound: &Sound, moment: f64, hop: f64, onsets: &[usize], slots: &[f64]) -> Vec<Option<Peak>> {
    let bands = [
        (0.0..env("E1", 400.0), env("L1", 0.06)),
        (env("E1", 400.0)..env("E2", 2_000.0), env("L2", 0.04)),
        (env("E2", 2_000.0)..HIGHEST, env("L3", 0.03)),
    ];
    let mut cells: Vec<Option<Peak>> = vec![None; slots.len()];
    let after = onsets.partition_point(|&onset| onset as f64 <= moment);
    let begin = if after > 0 { onsets[after - 1] } else { 0 };
    let end = onsets.get(after).copied().unwrap_or(sound.samples.len());
    for (hertz, length) in bands {
        let length = length.max(env("PER_HOP", 2.0) * hop) * sound.rate;
        let half = 0.5 * length;
        let mut first = (moment - half).max(begin as f64) as usize;
        let mut last = ((moment + half) as usize).min(end);
        let least = ((env("SHORT", 0.3) * length) as usize).min(sound.samples.len());
        if last < first + least {
            // Rather what is after an onset than what is before one.
            if begin > 0 && end == sound.samples.len() || true {
                last = (first + least).min(sound.samples.len()).min(end.max(first+16));
                first = last.saturating_sub(least).max(if env("STRICT",0.0)>0.0 {begin} else {0});
            }
        }
        let size = (2 * length as usize).next_power_of_two();
        // The first frame after an onset hears all of it.
        let is_first = begin > 0 && moment - (begin as f64) < hop * sound.rate;
        let rise = match is_first && hertz.start >= env("SHARP", 1000.0) {
            true => (env("TAPER", 0.001) * sound.rate) as usize,
            false => (last - first) / 2,
        };
        for peak in peaks::find(sound, moment, first..last, rise, size, hertz) {
            let next = slots.partition_point(|&slot| slot < peak.hertz);
            let nearest = match next {
                0 => 0,
                _ if next == slots.len() => next - 1,
                _ if slots[next] - peak.hertz < peak.hertz - slots[next - 1] => next,
                _ => next - 1,
            };
            let cell = &mut cells[nearest];
            *cell = Some(match *cell {
                None => peak,
                Some(other) => {
                    let level = peak.level.hypot(other.level);
                    let louder = if peak.level > other.level { peak } else { other };
                    Peak { level, ..louder }
                }
            });
        }
    }
    cells
}
