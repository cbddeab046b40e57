//! A recorded note to a patch: partials over time, and the residual as noise.

use super::partials::{self, Partial, PitchTrack};
use super::sound::Sound;
use super::{ImportError, Imported, Progress, Recording, instrument, level, overview, pitch};
use myriad_engine::Tracks;
use myriad_engine::params::Param;
use myriad_engine::tracks::{MAX_CELLS, MAX_FRAMES, PartialTrack, encode};
use std::ops::Range;

/// Seconds between two frames of a short sound: eight ticks at 48 kHz.
const HOP: f64 = 256.0 / 48_000.0;

/// The rest of longer recordings is ignored, in seconds.
const LONGEST: f64 = 20.0;

/// How much of the work each part is.
const PITCH: Range<f32> = 0.1..0.2;
const REFINE: Range<f32> = 0.2..0.3;
const FIND: Range<f32> = 0.3..0.9;

/// The deviation of a band's level, relative to its noise.
const BAND_DEVIATION: f64 = 0.44;

/// How much of a recording its level is measured by, in seconds.
const LEVEL_SECONDS: f64 = 4.0;

pub(super) fn import(
    sound: &Sound,
    hertz: Option<f64>,
    region: Option<[f64; 2]>,
    name: &str,
    progress: &Progress,
) -> Result<Imported, ImportError> {
    progress.step(PITCH, 0, 1)?;
    let frames = sound.used(region)?;
    let from = frames[0] as f64 / sound.rate;
    let mut sound = sound.part(frames);
    // A chosen part may be silent.
    sound.audible()?;
    sound.samples.truncate((LONGEST * sound.rate) as usize);
    let sound = sound.at_moderate_rate();
    if sound.seconds() < 0.05 {
        return Err(ImportError::TooShort("a recording has at least 0.05 seconds"));
    }
    let hertz = hertz.or_else(|| pitch::of_sound(&sound));
    let analysis = analyse(&sound, hertz.ok_or(ImportError::NoPitch)?, progress)?;
    let tracks = Tracks::from_bytes(analysis.encode())?;
    let key = tracks.key();
    let mut patch = instrument::patch(name, tracks, analysis.partials.len());
    patch.values.set(Param::SourceSpeed, 1.0);
    if analysis.sustains() {
        patch.values.set(Param::SourceLoop, 2.0);
        patch.values.set(Param::SourceLoopStart, 0.4);
        patch.values.set(Param::SourceLoopEnd, 0.8);
    }
    if analysis.snr() < 45.0 {
        // Bands are half as wide as the distance between partials.
        patch.values.set(Param::ShapeBandwidth, 702.0);
    }
    let heard = sound.seconds().min(LEVEL_SECONDS);
    level::match_to(&mut patch, key, heard, sound.mean_square(heard))?;
    instrument::add_macro(&mut patch, 0, "Freeze", Param::SourceSpeed, -1.0);
    instrument::add_macro(&mut patch, 1, "Formant", Param::SourceFormant, 1.0);
    instrument::add_macro(&mut patch, 2, "Bright", Param::ShapeTilt, 6.0);
    instrument::add_macro(&mut patch, 3, "Air", Param::ShapeBandwidth, 0.3);
    let findings = vec![
        ("pitch", format!("{:.2} Hz, key {key:.2}", analysis.pitch())),
        ("length", format!("{:.2} s", sound.seconds())),
        (
            "partials",
            format!(
                "{} in {} frames of {:.1} ms",
                analysis.partials.len(),
                analysis.track.frames(),
                1_000.0 * analysis.track.hop
            ),
        ),
        ("harmonic", format!("{:.1} dB above the residual", analysis.snr())),
    ];
    let recording = Recording {
        hertz: analysis.pitch(),
        harmonic_db: analysis.snr(),
        is_one_note: true,
        region: [from, from + sound.seconds()],
        partials: overview::lines(&analysis.track, &analysis.partials, from),
    };
    Ok(Imported { patch, findings, recording: Some(recording) })
}

pub(super) struct Analysis {
    pub(super) track: PitchTrack,
    pub(super) partials: Vec<Partial>,
    /// Relative level of the noise around each partial.
    noise: Vec<f64>,
    /// Powers of the partials and of the residual, without the attack.
    harmonic: f64,
    residual: f64,
}

pub(super) fn analyse(
    sound: &Sound,
    hertz: f64,
    progress: &Progress,
) -> Result<Analysis, ImportError> {
    let frames = ((sound.seconds() / HOP) as usize + 1).clamp(4, MAX_FRAMES);
    let hop = sound.seconds() / (frames - 1) as f64;
    let mut track = PitchTrack { hop, pitches: pitch::track(sound, hertz, frames, hop) };
    for round in 0..2 {
        progress.step(REFINE, round, 2)?;
        partials::refine(sound, &mut track);
    }
    let most = (MAX_CELLS / frames).min(1_024);
    let partials = partials::find(sound, &track, most, |n, of| progress.step(FIND, n, of))?;
    progress.step(FIND.end..1.0, 0, 1)?;
    let harmonic = partials::sum(sound, &track, &partials);
    let residual: Vec<f32> = sound.samples.iter().zip(&harmonic).map(|(a, b)| a - b).collect();
    let steady = (0.05 * sound.rate) as usize..(0.9 * sound.samples.len() as f64) as usize;
    let power = |samples: &[f32]| -> f64 {
        let inside = samples.get(steady.clone()).unwrap_or_default();
        inside.iter().map(|&x| f64::from(x).powi(2)).sum()
    };
    let noise = noise(sound, &track, &partials, &residual);
    let [harmonic, residual] = [power(&harmonic), power(&residual)];
    Ok(Analysis { harmonic, residual, track, partials, noise })
}

/// For every partial, the level of the residual around it, relative to its own.
fn noise(sound: &Sound, track: &PitchTrack, partials: &[Partial], residual: &[f32]) -> Vec<f64> {
    let mut input: Vec<f64> = residual.iter().map(|&x| f64::from(x)).collect();
    let spectrum = myriad_measure::forward(&mut input);
    let bin = sound.rate / residual.len() as f64;
    let scale = 2.0 / (residual.len() as f64).powi(2);
    let around = |partial: &Partial| {
        let pitch = track.median();
        let place = |ratio: f64| ((ratio * pitch / bin) as usize).min(spectrum.len());
        let (low, high) = (place(partial.ratio - 0.5), place(partial.ratio + 0.5));
        let around: f64 = spectrum[low..high].iter().map(|x| x.norm_sqr()).sum();
        let own = partial.power() / partial.levels.len() as f64 / 2.0;
        (around * scale / own.max(1e-30)).sqrt()
    };
    partials.iter().map(around).collect()
}

impl Analysis {
    pub(super) fn pitch(&self) -> f64 {
        self.track.median()
    }

    /// Decibels from the residual to the partials.
    pub(super) fn snr(&self) -> f64 {
        10.0 * (self.harmonic.max(1e-30) / self.residual.max(1e-30)).log10()
    }

    /// Whether it sustains: it is about as loud late as in its middle.
    fn sustains(&self) -> bool {
        let frames = self.track.frames();
        let power = |share: f64| -> f64 {
            let frame = (share * frames as f64) as usize;
            self.partials.iter().map(|p| p.levels[frame].powi(2)).sum()
        };
        power(0.8) > 0.1 * power(0.4)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let (pitch, phases) = (self.pitch(), self.track.phases());
        let frames = self.track.frames();
        let bends: Vec<f64> = self.track.pitches.iter().map(|p| p / pitch - 1.0).collect();
        let encoded = |(partial, noise): (&Partial, &f64)| PartialTrack {
            ratio: partial.ratio,
            noise: (noise / BAND_DEVIATION) as f32,
            levels: partial.levels.iter().map(|&level| level as f32).collect(),
            // From cosine to sine phase.
            phases: (0..frames)
                .map(|frame| partial.ratio * phases[frame] + partial.phase_offsets[frame] + 0.25)
                .collect(),
        };
        let tracks: Vec<PartialTrack> =
            self.partials.iter().zip(&self.noise).map(encoded).collect();
        encode(pitch, self.track.hop * (frames - 1) as f64, &bends, &tracks)
    }
}
