//! One cloud for one tick. Plain data, shared with CUDA.

use super::Place;
use super::filter::Filter;
use super::unison::Description;

/// One turn of phase, as a float.
pub const TURN: f32 = 4_294_967_296.0;

/// Flag: the cloud starts in this tick; phases are set, and levels do not ramp.
pub const STARTS: u8 = 1;

/// Flag: the cloud's table is one of tracks, whose rows have another order; see
/// [`TrackRows`](super::TrackRows).
pub const TRACKS: u8 = 2;

/// Flag: the filters are in parallel, not in series.
pub const PARALLEL: u8 = 4;

/// The unit of fractions that clouds store in two bytes.
pub const FRACTION: f32 = 16_384.0;

/// A number from -2 to 2 as clouds store it in two bytes.
#[inline(always)]
pub fn fraction(x: f32) -> i16 {
    (x * FRACTION) as i16
}

/// The value of a [`fraction`].
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
    /// A [`fraction`]. Above zero, the position of levels and ratios between the first table and the
    /// second; below zero, levels are multiplied with this power of the second table's levels; at zero
    /// there is no second table.
    pub share: i16,
}

impl Second {
    /// The unit of its morph.
    pub const MORPH: f32 = 32_768.0;
    /// A bit of `table`: it is a table of tracks.
    pub const TRACKS: u16 = 1 << 15;

    /// The table at `place`, read at `position`, with this share.
    pub fn at(place: Place, position: f32, share: f32) -> Self {
        let (frame, morph) = place.frame_at(position);
        let tracks = if place.flags & TRACKS != 0 { Self::TRACKS } else { 0 };
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
/// Rarely used values take two bytes, so that a cloud fits into two cache lines; at zero they have no
/// effect and no cost. Up to the widths, unison copies of a voice have the same values, which are
/// stored once: see [`Description`].
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
    /// The notes that partials snap to: a scale and its root, see
    /// [`scale_map`](super::scale_map).
    pub scale: u8,
    /// How far the phases of partials are scattered when they start: 0 not at all, 65,535 over the
    /// whole turn.
    pub scatter: u16,
    /// The largest random detuning of a partial, in `2^-19` octaves.
    pub detune: u16,
    /// The bandwidth of the noise of ratio 1, as a fraction of its pitch; zero for a sine.
    pub bandwidth: f32,
    /// The table's first row: its ratios, followed by their logarithms.
    pub table: u16,
    /// The row of the lower of two frames.
    pub frame: u16,
    /// How far partials move to the nearest note of the scale, in `2^-16` of the distance.
    pub snap: u16,
    /// How slowly levels follow; see [`dynamics::part_of`](super::dynamics::part_of).
    pub smear: u16,
    /// Levels of the table, relative to the loudest, are raised to the power 1 + contrast / 8,192.
    pub contrast: i16,
    /// The level below which partials are silent, encoded as [`Cloud::smear`].
    pub gate: u16,
    /// Above zero, even partials are quieter; below zero, odd ones: a [`fraction`].
    pub parity: i16,
    /// The bandwidth of ratio r is multiplied by r to this power: a [`fraction`].
    pub band_growth: i16,
    /// The table of a second layer.
    pub second: Second,
    /// Position between that frame and the next, 0 to 1.
    pub morph: f32,
    /// The number of partials, at most 1,024; a fraction fades the last one.
    pub partials: f32,
    /// Partial n reads its level in the table at n times this.
    pub formant: f32,
    /// Ratios are raised to the power 1 + stretch.
    pub stretch: f32,
    /// The stiffness B of a string.
    pub inharmonicity: f32,
    /// The slope of the level per octave of ratio, in powers of two.
    pub tilt: f32,
    /// The decay of ratio 1 since the note began, in powers of two.
    pub damping: f32,
    /// The decay of ratio r is multiplied by r to this power.
    pub damping_slope: f32,
    /// The spectral filters.
    pub filters: [Filter; 2],
    /// The stereo width of the partials at the tick's start: a [`fraction`].
    pub width_from: i16,
    /// The same at the tick's end.
    pub width_to: i16,
    /// The seed of phases, detuning and the noise of bands.
    pub seed: u32,
    /// Phase per sample of ratio 1, in `2^-32` turns.
    pub increment: f32,
    /// Gain of the left and right channel at the tick's start.
    pub gain_from: [f32; 2],
    /// Gain of the left and right channel at the tick's end.
    pub gain_to: [f32; 2],
    /// The phase of ratio 1 at the tick's start, in `2^-32` turns. Only for a renderer that takes over
    /// a cloud in the middle of a note.
    pub phase: u32,
    /// The position of the noise of ratio 1 in its lattice, in `2^-14` points; wraps.
    pub band_clock: u32,
}

// The layout that CUDA kernels rely on.
const _: () = assert!(size_of::<Cloud>() == 128);
const _: () = assert!(std::mem::offset_of!(Cloud, morph) == 36);
const _: () = assert!(std::mem::offset_of!(Cloud, filters) == 68);
const _: () = assert!(std::mem::offset_of!(Cloud, seed) == size_of::<Description>());

impl Cloud {
    /// Whether any of its tables is one of tracks.
    pub(crate) fn reads_tracks(&self) -> bool {
        let Second { table, share, .. } = self.second;
        self.flags & TRACKS != 0 || share != 0 && table & Second::TRACKS != 0
    }

    /// Its numbers as words.
    pub fn to_words(&self) -> [u32; Self::WORDS] {
        // SAFETY: numbers without padding, of that size.
        unsafe { std::mem::transmute(*self) }
    }

    /// The cloud of these words, whatever they are.
    pub fn from_words(words: [u32; Self::WORDS]) -> Self {
        // SAFETY: as above, and any bits are valid numbers.
        unsafe { std::mem::transmute(words) }
    }

    pub(super) const WORDS: usize = 32;
}
