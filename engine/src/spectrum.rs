//! The spectrum of a cloud: from its plain-data description to the pitch and level of every
//! partial, sixteen at a time.
//!
//! This is the only place where spectra are evaluated. The functions here are small and named,
//! and take nothing but a [`Cloud`] and table rows, because each has a CUDA counterpart of the
//! same name. What decides a partial's *pitch* uses only operations that round once (see
//! [`crate::simd::Simd`]), so that phases agree bit for bit on every machine for as long as a
//! note lasts; what decides its *level* may use fused operations.

mod band;
mod cloud;
pub mod dynamics;
mod filter;
mod imported;
pub mod math;
mod placement;
mod second;
mod tables;
pub mod unison;

pub use cloud::{Cloud, FRACTION, PARALLEL, STARTS, Second, TRACKS, TURN, fraction, of_fraction};
pub use filter::{CURVE_POINTS, Filter, FilterKind, Poles, Response};
pub use imported::IMPORTED_ROWS;
pub use imported::{ImportedTable, TableUpdate};
pub use placement::{SCALES, scale_map};
pub use second::SecondRows;
use tables::FORMANT_FRAMES;
pub use tables::{
    CloudRows, FORMANT_KEY, FRAMES, Place, Reading, Row, Table, Tables, TrackRows, tables,
};
pub use tables::{imports, push_row};
pub use unison::{Description, MAX_COPIES, Unison, UnisonVoice};

use crate::simd::{F32x16, LANES, Simd};

/// The most partials that one cloud can hold.
pub const MAX_PARTIALS: usize = 1024;

/// Groups of sixteen partials in the largest cloud.
pub const MAX_GROUPS: usize = MAX_PARTIALS / LANES;

/// From this fraction of the sample rate on, partials fade.
const FADE_START: f32 = 0.46 * TURN;
/// From this one on they are silent and their phase stops. Below Nyquist, so that a partial that
/// fades out within a tick never aliases.
pub const FADE_END: f32 = 0.495 * TURN;

/// Sixteen partials: how fast their phases turn, and how loud they are at the end of the tick.
#[derive(Clone, Copy)]
pub struct Partials<S: Simd> {
    /// Phase per sample; `2^32` is one turn.
    pub increment: S::U,
    /// Level, before the cloud's gain.
    pub level: S::F,
    /// The factor of the fade towards Nyquist, which `level` includes.
    pub fade: S::F,
}

/// Partials `16 × group + 1` and on of `cloud`, whose pitches are `frequency`.
#[inline(always)]
pub fn evaluate<S: Simd>(
    s: S,
    cloud: &Cloud,
    rows: &CloudRows<'_>,
    group: usize,
    frequency: S::F,
) -> Partials<S> {
    evaluate_copy(s, cloud, rows, group, frequency, voice_level(s, cloud, rows, group))
}

/// The levels of partials `16 × group + 1` and on as far as they are the same for all unison copies of a
/// voice: those before bands, filters, the gate and the fade towards Nyquist.
///
/// Features that a cloud does not use are skipped for the whole group, never lane by lane.
#[inline(always)]
pub fn voice_level<S: Simd>(s: S, cloud: &Cloud, rows: &CloudRows<'_>, group: usize) -> S::F {
    let mut level = read_level(s, cloud.formant, [rows.low, rows.high], cloud.morph, group);
    if let Some(second) = rows.second {
        level = second.level(s, cloud, group, level);
    }
    if cloud.contrast != 0 {
        level = dynamics::contrasted(s, cloud, level);
    }
    if cloud.partials < ((group + 1) * LANES) as f32 {
        level = s.mul(level, count_fade(s, cloud, group));
    }
    if cloud.parity != 0 {
        level = s.mul(level, parity(s, cloud));
    }
    if cloud.tilt != 0.0 || cloud.damping != 0.0 {
        let log2_ratio = log2_ratio(s, rows, group);
        level = s.mul(level, tilt_and_damping(s, cloud, log2_ratio));
    }
    level
}

/// Whether two ticks of a voice have the same shared levels: whether all that [`voice_level`] reads is equal. The rows
/// are those of the same tables.
#[inline(always)]
pub fn same_levels(a: &Cloud, b: &Cloud) -> bool {
    (a.flags & !STARTS, a.table, a.frame, a.second)
        == (b.flags & !STARTS, b.table, b.frame, b.second)
        && (a.morph, a.formant, a.contrast) == (b.morph, b.formant, b.contrast)
        && (a.partials, a.parity, a.tilt) == (b.partials, b.parity, b.tilt)
        && (a.damping, a.damping_slope) == (b.damping, b.damping_slope)
}

/// Whether two ticks of a voice have the same shared ratios: whether all that [`voice_ratio`] reads is equal. The bends
/// of tracks are never taken for equal.
#[inline(always)]
pub fn same_ratios(a: &Cloud, b: &Cloud) -> bool {
    !a.reads_tracks()
        && !b.reads_tracks()
        && (a.table, a.scale, a.snap) == (b.table, b.scale, b.snap)
        && (a.second.table, a.second.share) == (b.second.table, b.second.share)
        && (a.stretch, a.inharmonicity) == (b.stretch, b.inharmonicity)
}

/// The partials of a unison copy that has no bands and no gate, and at most a resonant filter, given the levels
/// that its voice has: [`evaluate_copy`] for most clouds.
#[inline(always)]
pub fn evaluate_plain_copy<S: Simd>(
    s: S,
    filter: Option<(Poles, f32)>,
    frequency: S::F,
    mut level: S::F,
) -> Partials<S> {
    if let Some((poles, inverse_cutoff)) = filter {
        level = s.mul(level, poles.gain(s, s.mul(frequency, s.splat(inverse_cutoff))));
    }
    below_nyquist(s, frequency, level)
}

/// The partials of one unison copy, given the levels that its voice has.
#[inline(always)]
pub fn evaluate_copy<S: Simd>(
    s: S,
    cloud: &Cloud,
    rows: &CloudRows<'_>,
    group: usize,
    mut frequency: S::F,
    mut level: S::F,
) -> Partials<S> {
    if cloud.bandwidth != 0.0 {
        let log2_ratio = log2_ratio(s, rows, group);
        let noise = rows.tracks.map(|tracks| s.load(&tracks.noise[group]));
        let (wandering, share) = band::wander(s, cloud, log2_ratio, noise, group, frequency);
        (frequency, level) = (wandering, s.mul(level, share));
    }
    if let Some(gain) = filter_gain(s, cloud, rows, frequency) {
        level = s.mul(level, gain);
    }
    if cloud.gate != 0 {
        level = dynamics::gated(s, cloud, level);
    }
    below_nyquist(s, frequency, level)
}

/// Whether none of these pitches fades towards Nyquist.
#[inline(always)]
pub fn is_below_fade<S: Simd>(s: S, frequency: S::F) -> bool {
    !s.any_greater(frequency, s.splat(FADE_START))
}

/// Partials of these pitches and levels, faded towards Nyquist.
#[inline(always)]
fn below_nyquist<S: Simd>(s: S, frequency: S::F, level: S::F) -> Partials<S> {
    if !is_below_fade(s, frequency) {
        let fade = nyquist_fade(s, frequency);
        Partials { increment: increment_or_rest(s, frequency), level: s.mul(level, fade), fade }
    } else {
        Partials { increment: s.f_to_u(frequency), level, fade: s.splat(1.0) }
    }
}

/// The gain of the filters of a cloud for partials of these pitches; `None` without filters.
#[inline(always)]
pub fn filter_gain<S: Simd>(
    s: S,
    cloud: &Cloud,
    rows: &CloudRows<'_>,
    frequency: S::F,
) -> Option<S::F> {
    // No closure: outside the function that enables the instructions, each operation would be a call.
    let mut all = None;
    for (filter, response) in cloud.filters.iter().zip(&rows.filters) {
        if response.is_open() {
            continue;
        }
        let gain = response.gain(s, filter.inverse_cutoff, frequency);
        all = Some(match all {
            None => gain,
            Some(first) => filter::both(s, first, gain, cloud.flags & PARALLEL != 0),
        });
    }
    all
}

/// Phase per sample of sixteen partials, as floats: their ratios, detuned, times the cloud's increment.
/// Rises with the partial's number, except for detuning.
#[inline(always)]
pub fn frequency<S: Simd>(s: S, cloud: &Cloud, rows: &CloudRows<'_>, group: usize) -> S::F {
    frequency_of_copy(s, cloud, group, voice_ratio(s, cloud, rows, group))
}

/// The same for a unison copy, given the ratios that its voice has.
#[inline(always)]
pub fn frequency_of_copy<S: Simd>(s: S, cloud: &Cloud, group: usize, mut ratio: S::F) -> S::F {
    if cloud.detune != 0 {
        ratio = placement::detuned(s, cloud, group, ratio);
    }
    s.mul(ratio, s.splat(cloud.increment))
}

/// The ratios of sixteen partials as far as they are the same for all unison copies of a voice: those of the
/// table, stretched, made stiff, and snapped to a scale.
#[inline(always)]
pub fn voice_ratio<S: Simd>(s: S, cloud: &Cloud, rows: &CloudRows<'_>, group: usize) -> S::F {
    let mut ratio = s.load(&rows.ratio[group]);
    if let Some(tracks) = rows.tracks {
        // The bend is constant between two frames, so that a track's phase is exact at every frame.
        ratio = s.add(ratio, s.mul(ratio, s.load(&tracks.bend[group])));
    }
    if let Some(second) = rows.second {
        ratio = second.ratio(s, group, ratio);
    }
    if cloud.stretch != 0.0 {
        let log2_ratio = log2_ratio(s, rows, group);
        let stretched = math::exp2_exact(s, s.mul(log2_ratio, s.splat(cloud.stretch)));
        ratio = s.mul(ratio, stretched);
    }
    if cloud.inharmonicity != 0.0 {
        // A stiff string: f(n) = n f0 sqrt(1 + B n²) (Fletcher 1964).
        let square = s.mul(s.mul(ratio, ratio), s.splat(cloud.inharmonicity));
        ratio = s.mul(ratio, s.sqrt(s.add(square, s.splat(1.0))));
    }
    if cloud.snap != 0 {
        ratio = placement::snapped(s, cloud, rows.maps, ratio);
    }
    ratio
}

/// The logarithms of the ratios, from the tables.
#[inline(always)]
fn log2_ratio<S: Simd>(s: S, rows: &CloudRows<'_>, group: usize) -> S::F {
    let log2_ratio = s.load(&rows.log2_ratio[group]);
    match rows.second {
        Some(second) => second.log2_ratio(s, group, log2_ratio),
        None => log2_ratio,
    }
}

/// The phase step of partials below the fade's end; above it the phase stops.
#[inline(always)]
pub fn increment_or_rest<S: Simd>(s: S, frequency: S::F) -> S::U {
    let limit = s.splat(FADE_END);
    s.keep_where_less(frequency, limit, s.f_to_u(s.min(frequency, limit)))
}

/// Partial numbers, from 1.
#[inline(always)]
fn number<S: Simd>(s: S, group: usize) -> S::F {
    const FIRST: F32x16 = F32x16([
        1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0,
    ]);
    s.add(s.load(&FIRST), s.splat((16 * group) as f32))
}

/// A table's level, interpolated between two frames; with a formant scale, read at `number × scale`,
/// so that peaks of the spectrum keep their frequencies when the pitch changes.
#[inline(always)]
fn read_level<S: Simd>(
    s: S,
    formant: f32,
    [low, high]: [&Row; 2],
    morph: f32,
    group: usize,
) -> S::F {
    let morph = s.splat(morph);
    if formant == 1.0 {
        let low = s.load(&low[group]);
        return s.fma(s.sub(s.load(&high[group]), low), morph, low);
    }
    let position =
        s.max(s.sub(s.mul(number(s, group), s.splat(formant)), s.splat(1.0)), s.splat(0.0));
    let position = s.min(position, s.splat(MAX_PARTIALS as f32));
    let index = s.f_to_u(position);
    let next = s.add_u(index, s.splat_u(1));
    let between = s.sub(position, s.i_to_f(index));
    let read = |row: &Row| {
        let row = F32x16::flat(row);
        let here = s.gather(row, index);
        s.fma(s.sub(s.gather(row, next), here), between, here)
    };
    let low = read(low);
    s.fma(s.sub(read(high), low), morph, low)
}

/// One for partials within the count, zero beyond; the last one fades, so that the count can
/// move smoothly.
#[inline(always)]
fn count_fade<S: Simd>(s: S, cloud: &Cloud, group: usize) -> S::F {
    let inside = s.sub(s.splat(cloud.partials + 1.0), number(s, group));
    s.min(s.max(inside, s.splat(0.0)), s.splat(1.0))
}

/// Levels of odd and even partials. Groups start at an odd number, so lanes alternate.
#[inline(always)]
fn parity<S: Simd>(s: S, cloud: &Cloud) -> S::F {
    let parity = of_fraction(cloud.parity);
    let (o, e) = (1.0 + parity.min(0.0), 1.0 - parity.max(0.0));
    s.load(&F32x16([o, e, o, e, o, e, o, e, o, e, o, e, o, e, o, e]))
}

/// A slope per octave above the first partial, and the decay of partials since the note began:
/// the higher, the faster, by the power `damping_slope`.
#[inline(always)]
fn tilt_and_damping<S: Simd>(s: S, cloud: &Cloud, log2_ratio: S::F) -> S::F {
    let mut exponent = s.mul(log2_ratio, s.splat(cloud.tilt));
    if cloud.damping != 0.0 {
        let speed = math::exp2(s, s.mul(log2_ratio, s.splat(cloud.damping_slope)));
        exponent = s.fnma(speed, s.splat(cloud.damping), exponent);
    }
    math::exp2(s, exponent)
}

/// From one to zero towards Nyquist.
#[inline(always)]
fn nyquist_fade<S: Simd>(s: S, frequency: S::F) -> S::F {
    const SLOPE: f32 = 1.0 / (FADE_END - FADE_START);
    let fade = s.fnma(frequency, s.splat(SLOPE), s.splat(FADE_END / (FADE_END - FADE_START)));
    s.min(s.max(fade, s.splat(0.0)), s.splat(1.0))
}

/// The phase at which partials of a cloud start: a hash of the cloud's seed and the partial's
/// number, scaled by the scatter; and, when the whole cloud starts, its phase so far, as if all
/// ratios were whole numbers. Tracks start with their recorded phases.
#[inline(always)]
pub fn first_phase<S: Simd>(s: S, cloud: &Cloud, rows: &CloudRows<'_>, group: usize) -> S::U {
    let number = s.f_to_u(number(s, group));
    let mut before = match cloud.flags & STARTS {
        0 => s.splat_u(0),
        _ => s.mul_u(number, s.splat_u(cloud.phase)),
    };
    if let Some(tracks) = rows.tracks {
        // Rows hold phases in 65,536ths of a turn.
        let recorded = s.shl_u::<16>(s.f_to_u(s.load(&tracks.phase[group])));
        before = s.add_u(before, recorded);
    }
    if cloud.scatter == 0 {
        return before;
    }
    let hash = band::own_hash(s, cloud, group);
    let scattered = s.mul_u(s.shr_u::<16>(hash), s.splat_u(u32::from(cloud.scatter)));
    s.add_u(scattered, before)
}

/// The same for one partial of a cloud with this seed and scatter.
pub fn first_phase_of(seed: u32, number: u32, scatter: u16) -> u32 {
    let x = number.wrapping_add(seed).wrapping_mul(0x9E37_79B1);
    (crate::dsp::hash(x) >> 16).wrapping_mul(u32::from(scatter))
}

#[cfg(test)]
mod tests;
