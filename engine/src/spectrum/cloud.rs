//! What a renderer is told about one cloud for one tick. Plain data, shared with CUDA.

/// One turn of phase, as a float.
pub const TURN: f32 = 4_294_967_296.0;

/// Flag: the cloud starts in this tick; phases are set, and levels start where they are.
pub const STARTS: u16 = 1;

/// Flag: the cloud's table is one of tracks, whose rows are in another order; see
/// [`TrackRows`](super::TrackRows).
pub const TRACKS: u16 = 2;

/// A cloud of partials during one tick: everything that changes from tick to tick, already
/// modulated. Levels and pitch are those of the tick's end; ramps lead there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Cloud {
    /// [`STARTS`], [`TRACKS`], or nothing.
    pub flags: u16,
    /// The frame of the tick at which the cloud starts to sound; zero but for its first tick.
    pub first_frame: u16,
    /// Which bus it is mixed into.
    pub bus: u16,
    /// How far the phases of partials are scattered when they start: 0 not at all, 65,535 over the
    /// whole turn.
    pub scatter: u16,
    /// Chooses these phases, and the noise of bands.
    pub seed: u32,
    /// How wide a band of noise ratio 1 is, as a share of its pitch; zero for a sine.
    pub bandwidth: f32,
    /// Ratio r has a band r to this power times as wide.
    pub band_growth: f32,
    /// The table's first row: its ratios, followed by their logarithms.
    pub table: u32,
    /// The row of the lower of two frames.
    pub frame: u32,
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
    /// Level of odd partials.
    pub odd: f32,
    /// Level of even partials.
    pub even: f32,
    /// Powers of two of level per octave of ratio.
    pub tilt: f32,
    /// Powers of two of level that ratio 1 has lost since the note began.
    pub damping: f32,
    /// Ratio r has lost r to this power times as much.
    pub damping_slope: f32,
    /// The spectral filter.
    pub filter: Filter,
    /// Gain of the left and right channel at the tick's start.
    pub gain_from: [f32; 2],
    /// Gain of the left and right channel at the tick's end.
    pub gain_to: [f32; 2],
    /// How far partials are spread between the channels at the tick's start, 0 to 1.
    pub width_from: f32,
    /// The same at the tick's end.
    pub width_to: f32,
    /// Where ratio 1 has come to at the tick's start, in `2^-32` turns. Only for who does not know:
    /// a renderer for which the cloud starts in the middle of its life.
    pub phase: u32,
    /// How far the noise of ratio 1 has come, in `2^-14` of its lattice; wraps. Sizes up to two lines
    /// of memory: then none is written in part.
    pub band_clock: u32,
}

/// Coefficients of the spectral filter's magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Filter {
    /// Two or four poles; none means no filter.
    pub poles: u32,
    /// One over the cutoff, which is in the unit of [`Cloud::increment`].
    pub inverse_cutoff: f32,
    /// One over the square of the resonance.
    pub inverse_q2: f32,
    /// Weights of 1, r² and r⁴ in the numerator.
    pub pass: [f32; 3],
}

// The layout that CUDA kernels rely on.
const _: () = assert!(size_of::<Cloud>() == 128);
const _: () = assert!(std::mem::offset_of!(Cloud, filter) == 72);
const _: () = assert!(std::mem::offset_of!(Cloud, gain_from) == 96);
