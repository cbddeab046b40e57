//! Encodes analysed partials as the bytes of tracks.

use super::{BEND, FLOOR_DB, LEVEL_DB, MAGIC, STEP};

/// One partial, frame by frame.
#[derive(Clone, Debug, Default)]
pub struct PartialTrack {
    /// Its frequency, relative to the pitch of the whole.
    pub ratio: f64,
    /// How noisy it is, 0 to 1.
    pub noise: f32,
    /// Its level at each frame.
    pub levels: Vec<f32>,
    /// Its unwrapped phase at each frame, in turns; zero is the start of a sine.
    pub phases: Vec<f64>,
}

/// The bytes of tracks. Ratios relate to `pitch` in Hertz, `seconds` is the time from the first frame to
/// the last, and `bends` are the relative deviations of the pitch between each frame and the next. The
/// loudest frame gets the power of a sine.
///
/// Steps of phase are rounded so that their errors do not accumulate: every frame's phase is within
/// half a step of the original.
pub fn encode(pitch: f64, seconds: f64, bends: &[f64], partials: &[PartialTrack]) -> Vec<u8> {
    encode_relative(pitch, seconds, bends, partials, loudest(partials, bends.len()))
}

/// The same with this level as that of a sine, for tables that belong together. No level may be above it.
pub fn encode_relative(
    pitch: f64,
    seconds: f64,
    bends: &[f64],
    partials: &[PartialTrack],
    reference: f32,
) -> Vec<u8> {
    let frames = bends.len();
    let mut bytes = MAGIC.to_vec();
    bytes.extend((partials.len() as u16).to_le_bytes());
    bytes.extend((frames as u16).to_le_bytes());
    bytes.extend((pitch as f32).to_le_bytes());
    bytes.extend((seconds as f32).to_le_bytes());
    for partial in partials {
        let start = partial.phases.first().map_or(0.0, |phase| phase.rem_euclid(1.0));
        bytes.extend((partial.ratio as f32).to_le_bytes());
        bytes.extend(((start * 65_536.0).round() as u32 as u16).to_le_bytes());
        bytes.push((partial.noise.clamp(0.0, 1.0) * 255.0).round() as u8);
        bytes.push(0);
    }
    let unit = f64::from(BEND);
    let bends: Vec<i16> = bends.iter().map(|bend| (bend / unit).round() as i16).collect();
    bytes.extend(bends.iter().flat_map(|bend| bend.to_le_bytes()));

    let levels = (0..frames).flat_map(|frame| partials.iter().map(move |p| p.levels[frame]));
    bytes.extend(levels.map(|level| byte_of(level / reference)));

    let time = seconds / (frames - 1) as f64;
    let mut reached: Vec<f64> = partials.iter().map(|p| p.phases[0]).collect();
    for (frame, &bend) in bends.iter().enumerate() {
        let whole = 1.0 + f64::from(bend) * unit;
        for (partial, reached) in partials.iter().zip(&mut reached) {
            *reached += partial.ratio * pitch * whole * time;
            let wanted = partial.phases.get(frame + 1).copied().unwrap_or(*reached);
            let step = ((wanted - *reached) / STEP).round().clamp(-127.0, 127.0);
            *reached += step * STEP;
            bytes.push(step as i8 as u8);
        }
    }
    bytes
}

/// The level of a sine with the power of the loudest frame.
fn loudest(partials: &[PartialTrack], frames: usize) -> f32 {
    let power = |frame: usize| -> f32 { partials.iter().map(|p| p.levels[frame].powi(2)).sum() };
    (0..frames).map(power).fold(1e-20, f32::max).sqrt()
}

/// The byte for `level`, 0 to 1.
pub(super) fn byte_of(level: f32) -> u8 {
    let decibels = 20.0 * level.max(1e-9).log10();
    ((decibels - FLOOR_DB) / LEVEL_DB).round().clamp(0.0, 255.0) as u8
}
