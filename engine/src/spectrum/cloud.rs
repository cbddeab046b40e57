//! What a renderer is told about one cloud for one tick. Plain data, shared with CUDA.

use super::Place;
use super::filter::Filter;

/// One turn of phase, as a float.
pub const TURN: f32 = 4_294_967_296.0;

/// Flag: the cloud starts in this tick; phases are set, and levels start where they are.
pub const STARTS: u8 = 1;

/// Flag: the cloud's table is one of tracks, whose rows are in another order; see
/// [`TrackRows`](super::TrackRows).
pub const TRACKS: u8 = 2;

/// Flag: the sound goes through both filters side by side, not through one after the other.
pub const PARALLEL: u8 = 4;

/// What fractions are counted in where clouds hold them in two bytes.
pub const FRACTION: f32 = 16_384.0;

/// A number from -2 to 2 as clouds hold it in two bytes.
#[inline(always)]
pub fn fraction(x: f32) -> i16 {
    (x * FRACTION) as i16
}

/// The number that two bytes of a cloud mean; see [`fraction`].
#[inline(always)]
pub fn of_fraction(x: i16) -> f32 {
    f32::from(x) * (1.0 / FRACTION)
}

/// A second table that partials also follow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Second {
    /// Its first row; with [`Second::TRACKS`] when it is one of tracks.
    pub table: u16,
    /// The row of the lower of two frames.
    pub frame: u16,
    /// Position between that frame and the next, in `1 / 32,768`.
    pub morph: u16,
    /// A [`fraction`]. Above zero how far levels and ratios are on the way to the second table; below
    /// zero the power of the second table's levels that levels are multiplied with; at zero there is
    /// none.
    pub share: i16,
}

impl Second {
    /// What its morph is counted in.
    pub const MORPH: f32 = 32_768.0;
    /// A bit of its table: it is one of tracks.
    pub const TRACKS: u16 = 1 << 15;

    /// The table at `place`, read at `position`, with this share.
    pub fn at(place: Place, position: f32, share: f32) -> Self {
        let (frame, morph) = place.frame_at(position);
        let tracks = if place.flags & TRACKS != 0 {
            Self::TRACKS
        } else {
            0
        };
        Self {
            table: place.first_row | tracks,
            frame,
            morph: (morph * Self::MORPH) as u16,
            share: fraction(share),
        }
    }
}

/// A cloud of partials during one tick: everything that changes from tick to tick, already
/// modulated. Levels and pitch are those of the tick's end; ramps lead there.
///
/// What few sounds use takes two bytes, so that all of it stays within two lines of memory; at zero
/// it does nothing and costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Cloud {
    /// [`STARTS`], [`TRACKS`], [`PARALLEL`]; above them the level that contrast leaves as it is, see
    /// [`dynamics::loudest_flags`](super::dynamics::loudest_flags).
    pub flags: u8,
    /// The frame of the tick at which the cloud starts to sound; zero but for its first tick.
    pub first_frame: u8,
    /// Which bus it is mixed into.
    pub bus: u8,
    /// The notes that partials are drawn to: a scale and its root, see
    /// [`scale_map`](super::scale_map).
    pub scale: u8,
    /// How far the phases of partials are scattered when they start: 0 not at all, 65,535 over the
    /// whole turn.
    pub scatter: u16,
    /// How far partials may be out of tune, each by its own share: in `2^-19` octaves.
    pub detune: u16,
    /// Chooses these phases, what is out of tune, and the noise of bands.
    pub seed: u32,
    /// How wide a band of noise ratio 1 is, as a share of its pitch; zero for a sine.
    pub bandwidth: f32,
    /// The table's first row: its ratios, followed by their logarithms.
    pub table: u16,
    /// The row of the lower of two frames.
    pub frame: u16,
    /// How far partials go to the nearest note of the scale, in `2^-16` of the way.
    pub snap: u16,
    /// How slowly levels follow; see [`dynamics::part_of`](super::dynamics::part_of).
    pub smear: u16,
    /// Levels of the table, as parts of the loudest, are raised to the power of one and so many
    /// `1 / 8,192` more.
    pub contrast: i16,
    /// The level below which partials are silent, written as [`Cloud::smear`] is.
    pub gate: u16,
    /// How far even partials fade, above zero, or odd ones below it: a [`fraction`].
    pub parity: i16,
    /// Ratio r has a band r to this power times as wide: a [`fraction`].
    pub band_growth: i16,
    /// The table of a second layer.
    pub second: Second,
    /// Position between that frame and the next, 0 to 1.
    pub morph: f32,
    /// How many partials, at most 1,024; a fraction lets the last one fade.
    pub partials: f32,
    /// Phase per sample of ratio 1, in `2^-32` turns.
    pub increment: f32,
    /// Where in the table partial n reads its level: at n times this.
    pub formant: f32,
    /// Ratios are raised to the power 1 + stretch.
    pub stretch: f32,
    /// The stiffness B of a string.
    pub inharmonicity: f32,
    /// Powers of two of level per octave of ratio.
    pub tilt: f32,
    /// Powers of two of level that ratio 1 has lost since the note began.
    pub damping: f32,
    /// Ratio r has lost r to this power times as much.
    pub damping_slope: f32,
    /// The spectral filters.
    pub filters: [Filter; 2],
    /// Gain of the left and right channel at the tick's start.
    pub gain_from: [f32; 2],
    /// Gain of the left and right channel at the tick's end.
    pub gain_to: [f32; 2],
    /// How far partials are spread between the channels at the tick's start: a [`fraction`].
    pub width_from: i16,
    /// The same at the tick's end.
    pub width_to: i16,
    /// Where ratio 1 has come to at the tick's start, in `2^-32` turns. Only for who does not know:
    /// a renderer for which the cloud starts in the middle of its life.
    pub phase: u32,
    /// How far the noise of ratio 1 has come, in `2^-14` of its lattice; wraps.
    pub band_clock: u32,
}

// The layout that CUDA kernels rely on.
const _: () = assert!(size_of::<Cloud>() == 128);
const _: () = assert!(std::mem::offset_of!(Cloud, morph) == 40);
const _: () = assert!(std::mem::offset_of!(Cloud, filters) == 76);
const _: () = assert!(std::mem::offset_of!(Cloud, gain_from) == 100);
