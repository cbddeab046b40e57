//! A wavetable to a patch: every cycle is one frame of a spectral table. It is played as partials, so it
//! does not alias at any pitch.

use super::sound::Sound;
use super::{ImportError, Imported, instrument};
use myriad_engine::Tracks;
use myriad_engine::params::Param;
use myriad_engine::tracks::{MAX_CELLS, MAX_FRAMES, PartialTrack, encode};
use std::f64::consts::TAU;

/// The default cycle length, in samples.
const CYCLE: usize = 2_048;

/// The range of cycle lengths, in samples.
const SHORTEST: usize = 8;
const LONGEST: usize = 1 << 16;

/// The most cycles of a wavetable, and how alike neighbours are on average.
const MOST_CYCLES: usize = 256;
const ALIKE: f64 = 0.6;

/// The pitch of the table, which has none of its own: key 45, where formants are not shifted.
const PITCH: f64 = 110.0;

/// Whether a sound looks like a wavetable: it declares its cycles, is shorter than any note, or consists
/// of cycles of the usual length that resemble their neighbours.
pub(super) fn is_likely(sound: &Sound) -> bool {
    let length = sound.samples.len();
    if sound.cycle.is_some() || (SHORTEST..=CYCLE).contains(&length) {
        return true;
    }
    let cycles: Vec<&[f32]> = sound.samples.chunks_exact(CYCLE).collect();
    if !length.is_multiple_of(CYCLE) || cycles.len() > MOST_CYCLES {
        return false;
    }
    let product =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum() };
    let likeness = |pair: &[&[f32]]| {
        let [a, b] = [pair[0], pair[1]];
        product(a, b) / (product(a, a) * product(b, b)).sqrt().max(1e-12)
    };
    let alike: f64 = cycles.windows(2).map(likeness).sum();
    alike > ALIKE * (cycles.len() - 1) as f64
}

pub(super) fn import(
    sound: &Sound,
    cycle: Option<usize>,
    name: &str,
) -> Result<Imported, ImportError> {
    let length = sound.samples.len();
    let cycle = cycle.or(sound.cycle).unwrap_or(match length % CYCLE {
        0 if length > 0 => CYCLE,
        _ => length,
    });
    if !(SHORTEST..=LONGEST).contains(&cycle) {
        let problem = format!(
            "a cycle has {SHORTEST} to {LONGEST} samples, not {cycle}; choose with --cycle"
        );
        return Err(ImportError::Misuse(problem));
    }
    let cycles: Vec<&[f32]> = sound.samples.chunks_exact(cycle).collect();
    if cycles.is_empty() {
        return Err(ImportError::TooShort("less than one cycle"));
    }
    let spectra: Vec<Vec<(f64, f64)>> = cycles.iter().map(|cycle| spectrum(cycle)).collect();
    let frames = cycles.len().clamp(2, MAX_FRAMES);
    let loudest = spectra.iter().flatten().fold(0.0, |top: f64, x| top.max(x.0));
    if loudest < 1e-6 {
        return Err(ImportError::Silence);
    }
    // Partials up to the last within 80 dB of the loudest.
    let count = |spectrum: &Vec<(f64, f64)>| {
        let last = spectrum.iter().rposition(|(level, _)| *level > 1e-4 * loudest);
        last.map_or(0, |last| last + 1)
    };
    let partials = spectra.iter().map(count).max().unwrap_or(0);
    let partials = partials.clamp(1, (MAX_CELLS / frames).min(1_024));
    // Of too many cycles, evenly spaced ones are used.
    let chosen = |frame: usize| &spectra[frame * (cycles.len() - 1) / (frames - 1)];
    let track = |n: usize| PartialTrack {
        ratio: (n + 1) as f64,
        noise: 0.0,
        levels: (0..frames).map(|frame| normalised(chosen(frame), n)).collect(),
        phases: phases(chosen(0), n, frames),
    };
    let tracks: Vec<PartialTrack> = (0..partials).map(track).collect();
    let tracks = Tracks::from_bytes(encode(PITCH, 1.0, &vec![0.0; frames], &tracks))?;
    let mut patch = instrument::patch(name, tracks, partials);
    instrument::add_macro(&mut patch, 0, "Position", Param::SourcePosition, 1.0);
    instrument::add_macro(&mut patch, 1, "Speed", Param::SourceSpeed, 1.0);
    patch.values.set(Param::SourceLoop, 2.0);
    let findings = vec![
        ("cycles", format!("{} of {cycle} samples", cycles.len())),
        ("partials", format!("{partials}")),
    ];
    Ok(Imported { patch, findings, recording: None })
}

/// Level and phase, in turns of a sine, of every harmonic of a cycle.
fn spectrum(cycle: &[f32]) -> Vec<(f64, f64)> {
    let mut input: Vec<f64> = cycle.iter().map(|&x| f64::from(x)).collect();
    let output = myriad_measure::forward(&mut input);
    let scale = 2.0 / cycle.len() as f64;
    // Without DC, and without Nyquist, which has no phase.
    let harmonics = output[1..cycle.len().div_ceil(2)].iter();
    harmonics.map(|x| (scale * x.norm(), x.arg() / TAU + 0.25)).collect()
}

/// The level of harmonic `n`, counted from 0, with the cycle normalised to the power of a sine, so that
/// the loudness is constant through the table.
fn normalised(spectrum: &[(f64, f64)], n: usize) -> f32 {
    let power: f64 = spectrum.iter().map(|(level, _)| level * level).sum();
    let level = spectrum.get(n).map_or(0.0, |(level, _)| *level);
    (level / power.sqrt().max(1e-9)) as f32
}

/// The phase of harmonic `n` at each frame.
fn phases(spectrum: &[(f64, f64)], n: usize, frames: usize) -> Vec<f64> {
    let first = spectrum.get(n).map_or(0.0, |(_, phase)| *phase);
    let turns = (n + 1) as f64 * PITCH / (frames - 1) as f64;
    (0..frames).map(|frame| first + turns * frame as f64).collect()
}
