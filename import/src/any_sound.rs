//! Any sound to a patch: speech, loops, chords, drums, an extract of a song.
//!
//! The peaks of its spectrum, moment by moment, are played by partials of constant frequency, whose steps of
//! phase follow the peaks (McAulay and Quatieri, "Speech analysis/synthesis based on a sinusoidal
//! representation", 1986). A peak that moves goes from partial to partial. Noise is peaks too, which come and
//! go. docs/design/import.md says what that can do and what it cannot.

mod cells;
mod grid;
mod lines;
mod moments;
mod onsets;
mod peaks;

use super::sound::Sound;
use super::{ImportError, Imported, Progress, Recording, instrument, level};
use cells::Cells;
use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::tracks::{MAX_FRAMES, encode};
use myriad_engine::{Patch, Tracks};
use peaks::Peak;
use std::ops::Range;

/// Seconds between two frames of a short sound: eight ticks at 48 kHz.
const HOP: f64 = 256.0 / 48_000.0;

/// The rest of longer sounds is ignored, in seconds.
const LONGEST: f64 = 20.0;

/// Silence at the end that is no longer than this, in seconds, belongs to the sound: a loop has a length.
const PAUSE: f64 = 0.5;

/// The pitch of the key that plays a sound as it is: middle C.
const ROOT_HERTZ: f64 = 261.625_565_3;

/// Partials reach up to the highest peak within 80 dB of the loudest.
const HEARD: f64 = 1e-4;

/// The work of the analysis.
const FIND: Range<f32> = 0.1..0.9;

/// How much of a sound its level is measured by, in seconds.
const LEVEL_SECONDS: f64 = 4.0;

/// How much wider bands get, as a share of the knob, while Freeze slows the sound down: noise that stands still
/// would be a chord.
const FREEZE_BANDS: f32 = 0.6;

pub(super) fn import(
    sound: &Sound,
    region: Option<[f64; 2]>,
    name: &str,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    progress.step(FIND, 0, 1)?;
    let mut frames = sound.used(region)?;
    let rest = sound.samples.len() - frames[1];
    if region.is_none() && rest as f64 <= PAUSE * sound.rate {
        frames[1] += rest;
    }
    let from = frames[0] as f64 / sound.rate;
    let mut sound = sound.part(frames);
    sound.samples.truncate((LONGEST * sound.rate) as usize);
    remove_offset(&mut sound.samples);
    // A chosen part may be silent.
    sound.audible()?;
    let sound = sound.at_moderate_rate();
    if sound.seconds() < 0.02 {
        return Err(ImportError::TooShort("a sound has at least 0.02 seconds"));
    }
    // The last frame of a table is silent.
    let frames = ((sound.seconds() / HOP) as usize + 1).clamp(4, MAX_FRAMES - 1);
    let hop = sound.seconds() / (frames - 1) as f64;
    let (moments, onsets) = moments::find(&sound, frames, hop, FIND, progress)?;
    progress.step(FIND.end..1.0, 0, 1)?;
    let highest = highest(&moments).ok_or(ImportError::Silence)?;
    let cells = Cells::new(grid::frequencies(highest, hop, frames + 1), hop, &moments);
    let tracks = cells.tracks(ROOT_HERTZ);
    let partials = tracks.len();
    let bends = vec![0.0; frames + 1];
    let bytes = encode(ROOT_HERTZ, hop * frames as f64, &bends, &tracks);
    let mut patch = patch(name, bytes, partials, frames)?;
    patch.values.set(Param::SourceLoop, if ends_loud(&moments) { 1.0 } else { 0.0 });
    let heard = sound.seconds().min(LEVEL_SECONDS);
    let key = 69.0 + 12.0 * (ROOT_HERTZ / 440.0).log2() as f32;
    level::match_to(&mut patch, key, heard, sound.mean_square(heard))?;
    let findings = vec![
        ("key", format!("{key:.0} plays it as it is")),
        ("length", format!("{:.2} s", sound.seconds())),
        ("partials", format!("{partials} in {frames} frames of {:.1} ms", 1_000.0 * hop)),
        ("onsets", format!("{}", onsets.len())),
    ];
    let recording = Recording {
        hertz: ROOT_HERTZ,
        harmonic_db: 0.0,
        is_one_note: false,
        region: [from, from + sound.seconds()],
        partials: lines::draw(&moments, hop, from),
    };
    Ok(Imported { patch, findings, recording: Some(recording) })
}

/// Removes a constant offset, which is not heard, but would count as loudness.
fn remove_offset(samples: &mut [f32]) {
    let sum: f64 = samples.iter().map(|&x| f64::from(x)).sum();
    let mean = (sum / samples.len().max(1) as f64) as f32;
    samples.iter_mut().for_each(|x| *x -= mean);
}

/// The frequency of the highest peak that is heard; none in silence.
fn highest(moments: &[Vec<Peak>]) -> Option<f64> {
    let all = || moments.iter().flatten();
    let loudest = all().map(|peak| peak.level).fold(0.0, f64::max);
    all().filter(|peak| peak.level > HEARD * loudest).map(|peak| peak.hertz).reduce(f64::max)
}

/// Whether the sound is about as loud at its end as before, as loops and cuts are.
fn ends_loud(moments: &[Vec<Peak>]) -> bool {
    let power = |moments: &[Vec<Peak>]| {
        let sum: f64 = moments.iter().flatten().map(|peak| peak.level.powi(2)).sum();
        sum / moments.len().max(1) as f64
    };
    let last = moments.len() - moments.len().div_ceil(20);
    power(&moments[last..]) > 0.01 * power(moments)
}

/// The patch, with all of its parameters but the loop and the level.
fn patch(name: &str, bytes: Vec<u8>, partials: usize, frames: usize) -> Result<Patch, ImportError> {
    let mut patch = instrument::patch(name, Tracks::from_bytes(bytes)?, partials);
    patch.values.set(Param::SourceSpeed, 1.0);
    // Up to the last frame that sounds.
    patch.values.set(Param::SourceLoopEnd, (frames - 1) as f32 / frames as f32);
    instrument::add_macro(&mut patch, 0, "Freeze", Param::SourceSpeed, -1.0);
    instrument::add_macro(&mut patch, 1, "Formant", Param::SourceFormant, 1.0);
    instrument::add_macro(&mut patch, 2, "Bright", Param::ShapeTilt, 6.0);
    instrument::add_macro(&mut patch, 3, "Air", Param::ShapeBandwidth, 0.5);
    instrument::add_macro(&mut patch, 4, "Position", Param::SourcePosition, 1.0);
    patch.routes.push(Route {
        source: Source::Macro1,
        via: None,
        target: Param::ShapeBandwidth,
        amount: FREEZE_BANDS,
        curve: RouteCurve::default(),
    });
    Ok(patch)
}
