//! Spectral filters: the gain that the level of a partial is multiplied with, by its frequency. A filter
//! is only a magnitude here, so it cannot ring, become unstable or alias.
//!
//! To add a kind of filter, add a row at the end of the table below and its case in
//! [`Filter::from_knobs`], [`Response::of`] and [`Response::gain`] where the resonant filter (the
//! default case) does not fit, all in this file; and the same in its GPU twin, `kernels/cuda/filter.cuh`.
//! The parameters, the editor, the plugin and the conformance tests read the table.

use super::{FORMANT_FRAMES, Row, Tables, math};
use crate::dsp::fast;
use crate::simd::{F32x16, Simd};

macro_rules! kinds {
    ($($(#[$attribute:meta])* $kind:ident $name:literal;)*) => {
        /// Kinds of filters. Clouds hold the number of a kind, patches its name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(u8)]
        pub enum FilterKind { $($(#[$attribute])* $kind),* }

        impl FilterKind {
            /// All of them, by number.
            pub const ALL: &[FilterKind] = &[$(FilterKind::$kind),*];
            /// Their names, the choices of the `filter.type` parameters.
            pub const NAMES: &[&str] = &[$($name),*];
        }
    };
}

kinds! {
    /// No filter.
    #[default]
    Open "off";
    /// Two poles and a resonant peak at the cutoff, as the next five have it.
    Low12 "low-pass 12";
    /// Four poles.
    Low24 "low-pass 24";
    /// Two poles.
    High12 "high-pass 12";
    /// Four poles.
    High24 "high-pass 24";
    /// Two poles.
    Band12 "band-pass 12";
    /// Four poles.
    Band24 "band-pass 24";
    /// A notch at the cutoff.
    Notch "notch";
    /// A peak at the cutoff.
    Peak "peak";
    /// Frequencies below the cutoff are boosted or cut.
    LowShelf "low shelf";
    /// Frequencies above the cutoff are boosted or cut.
    HighShelf "high shelf";
    /// Peaks at every multiple of the cutoff.
    Comb "comb";
    /// Peaks half way between the multiples of the cutoff.
    OddComb "odd comb";
    /// Notches at equal intervals of pitch.
    Phaser "phaser";
    /// A vowel.
    Formant "formant";
    /// A curve through seven points.
    Drawn "drawn";
}

impl FilterKind {
    /// Whether it has poles and a peak at the cutoff, and needs no other parameters.
    #[inline(always)]
    pub(crate) fn is_resonant(self) -> bool {
        use FilterKind::*;
        matches!(self, Low12 | Low24 | High12 | High24 | Band12 | Band24 | Notch | Peak)
    }
}

/// Points of a drawn curve. They are an octave apart, and the fourth is at the cutoff.
pub const CURVE_POINTS: usize = 7;
/// Octaves from the first of them to the cutoff.
const POINTS_BELOW: f32 = 3.0;
/// The byte of a point at 0 dB, and the steps per decibel.
const POINT_ZERO: f32 = 192.0;
const POINTS_PER_DB: f32 = 4.0;
/// Powers of two of gain from each byte to the next.
const POINT_STEP: f32 = std::f32::consts::LOG2_10 / 20.0 / POINTS_PER_DB;

/// Octaves from the start of a row of a curve to the cutoff, and entries per octave.
pub(super) const OCTAVES_BELOW: f32 = 6.0;
pub(super) const PER_OCTAVE: f32 = 100.0;

/// Units of [`Filter::comb`]'s damping and of [`Filter::phaser`]'s density.
const DAMPING_UNIT: f32 = 1.0 / 65_536.0;
const DENSITY_UNIT: f32 = 1.0 / 8_192.0;

/// Bits of a vowel's position between two frames.
const VOWEL_BITS: u32 = 11;

/// A filter as clouds store it: its kind, its cutoff, and the parameters of that kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Filter {
    /// One over the cutoff, which is in the unit of [`Cloud::increment`](super::Cloud::increment).
    pub inverse_cutoff: f32,
    /// The kind in the lowest byte. Above it the points of a curve, a byte each; or a parameter in
    /// the upper half of the first word and a float in the second.
    words: [u32; 2],
}

const _: () = assert!(size_of::<Filter>() == 12);

impl Filter {
    fn new(kind: FilterKind, inverse_cutoff: f32, half: u16, float: f32) -> Self {
        Self { inverse_cutoff, words: [kind as u32 | u32::from(half) << 16, float.to_bits()] }
    }

    /// The filter of `kind` for the values of its parameters. `peak` is the gain at the cutoff that the
    /// resonance stands for; the others are read only by the kinds that need them.
    #[inline]
    pub(crate) fn from_knobs(
        kind: FilterKind,
        inverse_cutoff: f32,
        peak: f32,
        resonance: impl Fn() -> f32,
        form: impl Fn() -> f32,
        point_db: impl Fn(usize) -> f32,
    ) -> Self {
        // Up to peaks of 18 dB.
        let feedback = || 0.97 * (1.0 - (1.0 - resonance()).powi(2));
        match kind {
            FilterKind::Open => Filter::default(),
            FilterKind::Comb | FilterKind::OddComb => {
                let damping = 0.3 * form() * form();
                Filter::comb(kind, inverse_cutoff, feedback(), damping)
            }
            // From one notch in two octaves to four in one.
            FilterKind::Phaser => {
                Filter::phaser(inverse_cutoff, feedback(), fast::exp2(3.0 * form() - 1.0))
            }
            FilterKind::Formant => Filter::formant(inverse_cutoff, 0.7 + resonance(), form()),
            FilterKind::Drawn => Filter::drawn(inverse_cutoff, std::array::from_fn(point_db)),
            // From -24 to +24 dB.
            FilterKind::LowShelf | FilterKind::HighShelf => {
                Filter::poles(kind, inverse_cutoff, fast::exp2(8.0 * resonance() - 4.0))
            }
            _ => Filter::poles(kind, inverse_cutoff, peak),
        }
    }

    /// A filter with poles, whose response at the cutoff is `peak`; or a shelf with that gain.
    pub fn poles(kind: FilterKind, inverse_cutoff: f32, peak: f32) -> Self {
        Self::new(kind, inverse_cutoff, 0, peak)
    }

    /// The words of a filter. Those of a filter with poles are the inverse cutoff, the kind, and the peak.
    pub(crate) const WORDS: usize = size_of::<Filter>() / size_of::<u32>();

    /// A comb, with feedback from 0 to below 1. Damping, 0 to 1, lowers its higher peaks.
    pub fn comb(kind: FilterKind, inverse_cutoff: f32, feedback: f32, damping: f32) -> Self {
        let damping = (damping / DAMPING_UNIT) as u16;
        Self::new(kind, inverse_cutoff, damping, feedback)
    }

    /// A phaser; `density` is the number of notches per octave, below 8.
    pub fn phaser(inverse_cutoff: f32, feedback: f32, density: f32) -> Self {
        let density = (density / DENSITY_UNIT) as u16;
        Self::new(FilterKind::Phaser, inverse_cutoff, density, feedback)
    }

    /// A vowel from 0 to 1; its formants have the frequencies of a singer when the cutoff is 1 kHz, and
    /// their levels at a depth of 1.
    pub fn formant(inverse_cutoff: f32, depth: f32, vowel: f32) -> Self {
        let vowel = (vowel * 65_535.0) as u16;
        Self::new(FilterKind::Formant, inverse_cutoff, vowel, depth)
    }

    /// A curve through these points, in decibels from -48 to 12.
    pub fn drawn(inverse_cutoff: f32, points_db: [f32; CURVE_POINTS]) -> Self {
        let mut bytes = [FilterKind::Drawn as u8; 8];
        for (byte, decibels) in bytes[1..].iter_mut().zip(points_db) {
            *byte = (decibels * POINTS_PER_DB + POINT_ZERO + 0.5) as u8;
        }
        let [a, b, c, d, e, f, g, h] = bytes;
        Self { inverse_cutoff, words: [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes) }
    }

    /// Its kind; an unknown number is no filter.
    #[inline(always)]
    pub fn kind(&self) -> FilterKind {
        let number = (self.words[0] & 0xFF) as usize;
        FilterKind::ALL.get(number).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn half(&self) -> u16 {
        (self.words[0] >> 16) as u16
    }

    #[inline(always)]
    fn float(&self) -> f32 {
        f32::from_bits(self.words[1])
    }

    fn points(&self) -> [f32; CURVE_POINTS] {
        let [low, high] = self.words.map(u64::from);
        let bytes = low | high << 32;
        std::array::from_fn(|i| f32::from((bytes >> (8 * (i + 1))) as u8))
    }
}

/// The coefficients of a filter for a tick.
#[derive(Clone, Copy, Debug)]
pub enum Response<'a> {
    /// No filter.
    Open,
    /// A resonant filter.
    Poles(Poles),
    /// Ripples at equal distances of frequency.
    Comb {
        /// The feedback at the first peak.
        feedback: f32,
        /// How much lower each next peak is.
        damping: f32,
        /// The position of the first peak in steps.
        offset: f32,
    },
    /// Ripples at equal distances of pitch, with notches.
    Phaser {
        /// The feedback.
        feedback: f32,
        /// Notches per octave.
        density: f32,
    },
    /// Between two curves: powers of two of gain, over octaves.
    Formant {
        /// The curve below the vowel.
        low: &'a Row,
        /// The curve above.
        high: &'a Row,
        /// The position between them.
        morph: f32,
        /// The factor of the curve.
        depth: f32,
    },
    /// Through points, in the unit of their bytes.
    Drawn([f32; CURVE_POINTS]),
}

/// The coefficients of a resonant filter.
#[derive(Clone, Copy, Debug)]
pub struct Poles {
    /// Whether it has two poles instead of four.
    two: bool,
    /// One over the square of the resonance.
    inverse_q2: f32,
    /// Weights of 1, r² and r⁴ in the numerator.
    pass: [f32; 3],
}

impl<'a> Response<'a> {
    /// The response of `filter`.
    #[inline(always)]
    pub(super) fn of(filter: &Filter, tables: &'a Tables) -> Self {
        match filter.kind() {
            FilterKind::Open => Response::Open,
            FilterKind::Comb | FilterKind::OddComb => Response::Comb {
                feedback: filter.float(),
                damping: f32::from(filter.half()) * DAMPING_UNIT,
                offset: match filter.kind() {
                    FilterKind::OddComb => 0.5,
                    _ => 0.0,
                },
            },
            FilterKind::Phaser => Response::Phaser {
                feedback: filter.float(),
                density: f32::from(filter.half()) * DENSITY_UNIT,
            },
            FilterKind::Formant => {
                let (frame, between) = (filter.half() >> VOWEL_BITS, (1 << VOWEL_BITS) - 1);
                Response::Formant {
                    low: tables.formant(frame),
                    high: tables.formant(frame + 1),
                    morph: f32::from(filter.half() & between) / (1 << VOWEL_BITS) as f32,
                    depth: filter.float(),
                }
            }
            FilterKind::Drawn => Response::Drawn(filter.points()),
            kind => Response::Poles(Poles::new(kind, filter.float())),
        }
    }

    /// Whether there is no filter.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        matches!(self, Response::Open)
    }

    /// The gain of sixteen partials.
    #[inline(always)]
    pub fn gain<S: Simd>(&self, s: S, inverse_cutoff: f32, frequency: S::F) -> S::F {
        let r = s.mul(frequency, s.splat(inverse_cutoff));
        match *self {
            Response::Open => s.splat(1.0),
            Response::Poles(poles) => poles.gain(s, r),
            Response::Comb { feedback, damping, offset } => {
                let blunt = s.fma(r, s.splat(damping), s.splat(1.0));
                let feedback = s.div(s.splat(feedback), blunt);
                let x = math::from_whole(s, s.sub(r, s.splat(offset)));
                s.sqrt(ripple_response(s, feedback, x))
            }
            Response::Phaser { feedback, density } => {
                let steps = s.mul(math::log2_exact(s, r), s.splat(density));
                let x = math::from_whole(s, steps);
                let ripple = ripple_response(s, s.splat(feedback), x);
                let open = s.fnma(s.max(x, s.sub(s.splat(0.0), x)), s.splat(2.0), s.splat(1.0));
                s.mul(s.sqrt(ripple), math::quarter_sine(s, open))
            }
            Response::Formant { low, high, morph, depth } => {
                let octaves = s.add(math::log2_exact(s, r), s.splat(OCTAVES_BELOW));
                let curve = between_rows(s, low, high, morph, octaves);
                math::exp2(s, s.mul(curve, s.splat(depth)))
            }
            Response::Drawn(points) => drawn_response(s, &points, r),
        }
    }
}

/// The gain of both filters, in series or in parallel.
#[inline(always)]
pub(super) fn both<S: Simd>(s: S, a: S::F, b: S::F, parallel: bool) -> S::F {
    match parallel {
        true => s.mul(s.add(a, b), s.splat(0.5)),
        false => s.mul(a, b),
    }
}

impl Poles {
    #[inline(always)]
    fn new(kind: FilterKind, peak: f32) -> Self {
        use FilterKind::*;
        let two = matches!(kind, Low12 | High12 | Band12 | LowShelf | HighShelf);
        // Two poles have the resonance Q at the cutoff, four have Q².
        let inverse_q2 = match kind {
            // A double pole: (1 + r²)².
            LowShelf | HighShelf => 4.0,
            _ if two => 1.0 / (peak * peak),
            _ => 1.0 / peak,
        };
        let pass = match kind {
            High12 | High24 => [0.0, 0.0, 1.0],
            Band12 | Band24 => [0.0, inverse_q2, 0.0],
            Notch => [1.0, -2.0, 1.0],
            Peak => [1.0, -2.0 + inverse_q2 * (1.0 + peak), 1.0],
            LowShelf => [peak * peak, 2.0 * peak, 1.0],
            HighShelf => [1.0, 2.0 * peak, peak * peak],
            _ => [1.0, 0.0, 0.0],
        };
        Self { two, inverse_q2, pass }
    }

    /// No less than the magnitude at r and above, where that falls; infinite elsewhere.
    #[inline(always)]
    pub(crate) fn most_above(&self, r: f32) -> f32 {
        /// For rounding errors.
        const MARGIN: f32 = 1.001;
        let [p0, p1, p2] = self.pass;
        // Those of high-pass filters, notches, peaks and shelves do not fall to zero.
        if r < 1.0 || p2 != 0.0 {
            return f32::INFINITY;
        }
        let r2 = (r * r).min(MOST_R2);
        let detour = 1.0 - r2;
        let pair = MARGIN * (p0 + p1 * r2) / (r2 * self.inverse_q2 + detour * detour);
        if self.two { pair.sqrt() } else { pair }
    }

    /// The magnitude. With r = f / cutoff, a pair of two-poles has
    /// `(p0 + p1 r² + p2 r⁴) / ((1 - r²)² + r² / Q²)`; one has its square root.
    #[inline(always)]
    pub fn gain<S: Simd>(&self, s: S, r: S::F) -> S::F {
        let r2 = s.min(s.mul(r, r), s.splat(MOST_R2));
        let [p0, p1, p2] = self.pass;
        let above = s.fma(s.fma(r2, s.splat(p2), s.splat(p1)), r2, s.splat(p0));
        let detour = s.sub(s.splat(1.0), r2);
        let below = s.fma(r2, s.splat(self.inverse_q2), s.mul(detour, detour));
        let pair = s.quotient(above, s.max(below, s.splat(LEAST)));
        match self.two {
            true => s.sqrt(pair),
            false => pair,
        }
    }
}

/// Bounds of the terms of a resonant filter, far from what can be heard, so that none overflows.
const MOST_R2: f32 = 1e14;
const LEAST: f32 = 1e-30;

/// The squared magnitude of a delay with feedback g, x turns from a peak, with the average power
/// kept at 1: `(1 - g²) / ((1 - g)² + 4 g sin²(πx))`.
#[inline(always)]
fn ripple_response<S: Simd>(s: S, feedback: S::F, x: S::F) -> S::F {
    let one = s.splat(1.0);
    let sine = math::quarter_sine(s, s.add(x, x));
    let rest = s.sub(one, feedback);
    let valley = s.mul(s.mul(s.splat(4.0), feedback), s.mul(sine, sine));
    s.div(s.mul(rest, s.add(one, feedback)), s.fma(rest, rest, valley))
}

/// Two rows read at `octaves` after their start, interpolated.
#[inline(always)]
fn between_rows<S: Simd>(s: S, low: &Row, high: &Row, morph: f32, octaves: S::F) -> S::F {
    let end = s.splat((super::MAX_PARTIALS - 1) as f32);
    let at = s.mul(octaves, s.splat(PER_OCTAVE));
    let at = s.min(s.max(at, s.splat(0.0)), end);
    let index = s.f_to_u(at);
    let next = s.add_u(index, s.splat_u(1));
    let between = s.sub(at, s.i_to_f(index));
    let low = read(s, low, index, next, between);
    let high = read(s, high, index, next, between);
    s.fma(s.sub(high, low), s.splat(morph), low)
}

/// A row interpolated between two entries.
#[inline(always)]
fn read<S: Simd>(s: S, row: &Row, index: S::U, next: S::U, between: S::F) -> S::F {
    let row = F32x16::flat(row);
    let here = s.gather(row, index);
    s.fma(s.sub(s.gather(row, next), here), between, here)
}

/// A smooth curve through points, flat before the first and after the last.
#[inline(always)]
fn drawn_response<S: Simd>(s: S, points: &[f32; CURVE_POINTS], r: S::F) -> S::F {
    let at = s.add(math::log2_exact(s, r), s.splat(POINTS_BELOW));
    let at = s.min(s.max(at, s.splat(0.0)), s.splat((CURVE_POINTS - 1) as f32));
    let index = s.f_to_u(at);
    let next = s.add_u(index, s.splat_u(1));
    let x = s.sub(at, s.i_to_f(index));
    // Smoothstep, 3x² - 2x³: flat at both ends.
    let way = s.mul(s.mul(x, x), s.fnma(x, s.splat(2.0), s.splat(3.0)));
    let here = s.gather(points, index);
    let height = s.fma(s.sub(s.gather(points, next), here), way, here);
    let powers = s.mul(s.sub(height, s.splat(POINT_ZERO)), s.splat(POINT_STEP));
    math::exp2(s, powers)
}

// Every vowel has a next frame to interpolate to.
const _: () = assert!((u16::MAX >> VOWEL_BITS) as usize + 1 < FORMANT_FRAMES);
