//! Changes of the ratios of a table: partials snap to the notes of a scale, and each is detuned. Both
//! decide pitch, so every operation rounds once.

use super::{Cloud, band, math, number};
use crate::simd::Simd;

/// Scales and chords, as semitones above the root, in the order of the names of `partial.scale`.
pub const SCALES: [&[u8]; 16] = [
    &[0],
    &[0, 7],
    &[0, 4, 7],
    &[0, 3, 7],
    &[0, 5, 7],
    &[0, 4, 7, 11],
    &[0, 3, 7, 10],
    &[0, 4, 7, 10],
    &[0, 3, 6, 9],
    &[0, 2, 4, 7, 9],
    &[0, 3, 5, 7, 10],
    &[0, 2, 4, 5, 7, 9, 11],
    &[0, 2, 3, 5, 7, 8, 10],
    &[0, 2, 3, 5, 7, 8, 11],
    &[0, 2, 4, 6, 8, 10],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
];

/// Semitones of an octave, and the parts into which maps divide an octave: the border between two notes
/// is always between two parts.
const SEMITONES: usize = 12;
const PARTS: usize = 2 * SEMITONES;

/// The number of maps, one for every scale and distance to its root, and the number of all entries.
pub(super) const MAPS: usize = SCALES.len() * SEMITONES;
pub(super) const MAP_ENTRIES: usize = MAPS * PARTS;

/// The most octaves that a partial can be below ratio 1.
const BELOW: f32 = 8.0;

/// Units of [`Cloud::snap`] and [`Cloud::detune`], the latter for 24 bits of a hash.
const SNAP_UNIT: f32 = 1.0 / 65_536.0;
const DETUNE_UNIT: f32 = 1.0 / (1u64 << 42) as f32;

/// The map of a scale, relative to a note so many semitones above its root.
pub fn scale_map(scale: usize, above_root: i32) -> u8 {
    let above = above_root.rem_euclid(SEMITONES as i32) as usize;
    (scale.min(SCALES.len() - 1) * SEMITONES + above) as u8
}

/// Entry `index` of all maps: the note of the scale, in octaves, that is nearest to that part of an
/// octave.
pub(super) fn map_entry(index: usize) -> f32 {
    let (map, part) = (index / PARTS, index % PARTS);
    let Some(scale) = SCALES.get(map / SEMITONES) else {
        return 0.0;
    };
    let above_root = (map % SEMITONES) as f32;
    let here = 0.5 * part as f32 + 0.25;
    // The scale over several octaves, relative to the note.
    let octaves = [-12.0, 0.0, 12.0, 24.0];
    let notes = octaves
        .iter()
        .flat_map(|octave| scale.iter().map(move |&note| octave + f32::from(note) - above_root));
    let nearest = notes.min_by(|a, b| (a - here).abs().total_cmp(&(b - here).abs()));
    nearest.unwrap_or(0.0) / SEMITONES as f32
}

/// Ratios moved towards the nearest notes of the scale.
#[inline(always)]
pub(super) fn snapped<S: Simd>(s: S, cloud: &Cloud, maps: &[f32], ratio: S::F) -> S::F {
    let octaves = s.add(math::log2_exact(s, ratio), s.splat(BELOW));
    let octaves = s.max(octaves, s.splat(0.0));
    let within = s.sub(octaves, s.i_to_f(s.f_to_u(octaves)));
    let part = s.f_to_u(s.mul(within, s.splat(PARTS as f32)));
    let map = s.splat_u(u32::from(cloud.scale) * PARTS as u32);
    let note = s.gather(maps, s.add_u(map, part));
    let way = s.mul(s.sub(note, within), s.splat(f32::from(cloud.snap) * SNAP_UNIT));
    s.mul(ratio, math::exp2_exact(s, way))
}

/// Ratios, each detuned by its own random amount; the first partial stays.
#[inline(always)]
pub(super) fn detuned<S: Simd>(s: S, cloud: &Cloud, group: usize, ratio: S::F) -> S::F {
    let own = s.shr_u::<8>(band::own_hash(s, cloud, group));
    let share = s.sub(s.i_to_f(own), s.splat((1 << 23) as f32));
    let after_first = s.min(s.sub(number(s, group), s.splat(1.0)), s.splat(1.0));
    let depth = s.mul(after_first, s.splat(f32::from(cloud.detune) * DETUNE_UNIT));
    s.mul(ratio, math::exp2_exact(s, s.mul(share, depth)))
}
