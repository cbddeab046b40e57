//! The parameter table: every parameter of the instrument, declared once.
//!
//! Patches, modulation, the command line, the plugin, the editor and the manual read this table.
//! To add a parameter, add a row here and use its [`Param`] where it takes effect.

mod kind;

pub use kind::{Curve, Kind, Unit};

use crate::spectrum::{FilterKind, Table};
use kind::{choice, number, whole};

/// What the table says about one parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Stable id, `group.name`: what patches and hosts remember.
    pub id: &'static str,
    /// What people see.
    pub name: &'static str,
    /// Its values.
    pub kind: Kind,
    /// The value of a fresh patch.
    pub default: f32,
    /// Whether routes can reach it.
    pub modulated: bool,
    /// Whether routes move it for the whole part and not voice by voice: effects. The newest note
    /// speaks for all then.
    pub shared: bool,
    /// One sentence for tooltips and the manual.
    pub help: &'static str,
}

impl ParamInfo {
    /// The part of the id before the dot.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }

    /// The part of the id after the dot.
    pub fn key(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(_, key)| key)
    }

    /// The value as people read it, with its unit.
    pub fn format(&self, value: f32) -> String {
        self.kind.format(value)
    }

    /// Reads a value as people write it; see [`Kind::parse`].
    pub fn parse(&self, text: &str) -> Option<f32> {
        self.kind.parse(text)
    }

    /// The nearest value that the parameter can have.
    pub fn clamp(&self, value: f32) -> f32 {
        match value.is_nan() {
            true => self.default,
            false => self.kind.clamp(value),
        }
    }

    const fn modulated(mut self) -> Self {
        self.modulated = true;
        self
    }

    const fn shared(mut self) -> Self {
        (self.modulated, self.shared) = (true, true);
        self
    }
}

macro_rules! table {
    ($($param:ident = $row:expr;)*) => {
        /// A parameter, by name. Its number is its row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        #[allow(missing_docs)] // Every variant's row says what it is.
        pub enum Param { $($param),* }

        /// Every parameter, in order.
        pub static TABLE: &[ParamInfo] = &[$($row),*];

        impl Param {
            /// Every parameter, in order.
            pub const ALL: &[Param] = &[$(Param::$param),*];
        }
    };
}

table! {
    SourceTable = choice("source.table", "Table", TABLES, 0,
        "The family of spectra that the partials take their levels and ratios from.");
    SourcePosition = number("source.position", "Position", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5,
        "Where in the table: morphs between its frames.").modulated();
    SourceSpeed = number("source.speed", "Speed", -4.0, 4.0, Curve::Linear, Unit::Plain, 0.0,
        "How fast the position moves on by itself: 1 is the speed of the recording, 0 stands still, below zero goes back.").modulated();
    SourceLoop = choice("source.loop", "Loop", LOOPS, 0,
        "What a position that moves by itself does at the end of the loop: goes on to the table's end and rests, starts the loop again, or turns round.");
    SourceLoopStart = number("source.loop_start", "Loop start", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Where in the table the loop begins.");
    SourceLoopEnd = number("source.loop_end", "Loop end", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Where in the table the loop ends.");
    SourcePartials = number("source.partials", "Partials", 1.0, 1024.0, Curve::Exponential, Unit::Plain, 256.0,
        "How many partials a voice has; those above hearing are never rendered.").modulated();
    SourceFormant = number("source.formant", "Formant hold", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Keeps the peaks of the spectrum in place while the pitch moves, as a throat or a body does.").modulated();
    SourceScatter = number("source.scatter", "Phase scatter", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Starts partials at random phases: from a sharp waveform to a soft cloud.");
    ShapeStretch = number("shape.stretch", "Stretch", -0.5, 0.5, Curve::Linear, Unit::Percent, 0.0,
        "Spreads partials apart or pulls them together: ratio to the power of 1 + stretch.").modulated();
    ShapeStiffness = number("shape.stiffness", "Stiffness", 0.0, 0.05, Curve::Power(3), Unit::Plain, 0.0,
        "Sharpens high partials as the stiffness of a string does.").modulated();
    ShapeParity = number("shape.parity", "Parity", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Above zero even partials fade, towards hollow; below zero odd ones do, towards the octave.").modulated();
    ShapeTilt = number("shape.tilt", "Tilt", -24.0, 12.0, Curve::Linear, Unit::DecibelsPerOctave, 0.0,
        "Tips the spectrum: darker below zero, brighter above.").modulated();
    ShapeWidth = number("shape.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Spreads the partials of a voice between left and right; the first stays in the middle.").modulated();
    ShapeBalance = number("shape.balance", "Balance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Makes up for the loudness that tilt and formant hold add or take.");
    ShapeBandwidth = number("shape.bandwidth", "Bandwidth", 0.0, 1200.0, Curve::Power(3), Unit::Cents, 0.0,
        "Makes every partial a band of noise, so wide: from a line over a choir to wind.").modulated();
    ShapeBandGrowth = number("shape.band_growth", "Band growth", 0.0, 2.0, Curve::Linear, Unit::Plain, 1.0,
        "How bands widen with their pitch: at 0 all as wide in Hertz, at 1 in cents, above it more.").modulated();
    PartialDetune = number("partial.detune", "Detune", 0.0, 100.0, Curve::Power(2), Unit::Cents, 0.0,
        "Puts every partial but the first out of tune, each by its own share of this.").modulated();
    PartialScale = choice("partial.scale", "Snap to", SCALES, 2,
        "The chord or scale that partials are drawn to.");
    PartialSnap = number("partial.snap", "Snap", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Draws partials to the nearest notes of a chord or scale.").modulated();
    PartialRoot = choice("partial.root", "Root", ROOTS, 0,
        "Its root: the note that is played, or the same one for all keys.");
    DynamicsContrast = number("dynamics.contrast", "Contrast", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Above zero only what is loud in the table is left; below zero all partials come up.").modulated();
    DynamicsGate = number("dynamics.gate", "Gate", -96.0, 0.0, Curve::Linear, Unit::Decibels, -96.0,
        "Partials below this level are silent; as a note dies away they drop out one by one.").modulated();
    DynamicsSmear = number("dynamics.smear", "Smear", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0,
        "How long every partial takes to come to a new level: spectra flow into each other.").modulated();
    DynamicsFreeze = number("dynamics.freeze", "Freeze", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Holds the level of every partial as it is: nothing decays and nothing moves but the pitch.").modulated();
    DecayRate = number("decay.rate", "Decay rate", 0.0, 200.0, Curve::Power(3), Unit::DecibelsPerSecond, 0.0,
        "How fast the first partial dies away by itself.").modulated();
    DecaySlope = number("decay.slope", "Decay slope", 0.0, 2.0, Curve::Linear, Unit::Plain, 0.7,
        "How much faster high partials die: the rate goes with the ratio to this power.").modulated();
    StrikeHardness = number("strike.hardness", "Hardness", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "How hard the mallet is: a soft one leaves out the highs.").modulated();
    StrikeMaterial = choice("strike.material", "Material", MATERIALS, 0,
        "What is struck: how fast it dies away, and its highs, on every key; own leaves that to the decay's knobs.");
    FilterType = choice("filter.type", "Filter", FILTERS, 0,
        "The shape of the spectral filter, and its poles.");
    FilterCutoff = number("filter.cutoff", "Cutoff", 20.0, 20_000.0, Curve::Exponential, Unit::Hertz, 2_000.0,
        "The filter's frequency.").modulated();
    FilterResonance = number("filter.resonance", "Resonance", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.1,
        "The peak at the cutoff, up to 24 dB. It cannot become unstable.").modulated();
    FilterForm = number("filter.form", "Form", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, FORM).modulated();
    FilterKey = number("filter.key", "Key follow", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far the cutoff follows the keyboard, from middle C.");
    Filter2Type = choice("filter2.type", "Filter 2", FILTERS, 0,
        "The shape of the second filter, and its poles.");
    Filter2Cutoff = number("filter2.cutoff", "Cutoff", 20.0, 20_000.0, Curve::Exponential, Unit::Hertz, 1_000.0,
        "The second filter's frequency.").modulated();
    Filter2Resonance = number("filter2.resonance", "Resonance", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.1,
        "The peak at its cutoff, up to 24 dB.").modulated();
    Filter2Form = number("filter2.form", "Form", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, FORM).modulated();
    Filter2Key = number("filter2.key", "Key follow", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far its cutoff follows the keyboard, from middle C.");
    Filter2Routing = choice("filter2.routing", "Routing", ROUTINGS, 0,
        "Through both filters one after the other, or side by side.");
    Curve1 = number("curve.1", "3 below", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve2 = number("curve.2", "2 below", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve3 = number("curve.3", "1 below", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve4 = number("curve.4", "Middle", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve5 = number("curve.5", "1 above", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve6 = number("curve.6", "2 above", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve7 = number("curve.7", "3 above", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    UnisonVoices = whole("unison.voices", "Unison", 1, 16, 1,
        "Copies of the whole cloud per note.");
    UnisonDetune = number("unison.detune", "Detune", 0.0, 100.0, Curve::Power(2), Unit::Cents, 12.0,
        "How far the outermost copies are out of tune.").modulated();
    UnisonSpread = number("unison.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.7,
        "How far the copies are panned apart.").modulated();
    UnisonColour = number("unison.colour", "Colour", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How unlike the copies are: from large and dark to small and bright, filters and all.").modulated();
    UnisonEntry = number("unison.entry", "Entry", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0,
        "Time until the last of the copies has joined, one after the other.").modulated();
    PitchTranspose = whole("pitch.transpose", "Transpose", -48, 48, 0,
        "Semitones added to every note played from now on.");
    PitchTune = number("pitch.tune", "Tune", -24.0, 24.0, Curve::Linear, Unit::Semitones, 0.0,
        "Tuning in semitones, and the target for vibrato and pitch sweeps.").modulated();
    PitchGlide = number("pitch.glide", "Glide", 0.0, 5.0, Curve::Power(3), Unit::Seconds, 0.0,
        "Time to slide from the last note to the next.");
    PitchGlideMode = choice("pitch.glide_mode", "Glide mode", GLIDES, 0,
        "The same time for every distance, or for every octave; always, or only from a key that is still down.");
    PitchBend = number("pitch.bend", "Bend range", 0.0, 48.0, Curve::Linear, Unit::Semitones, 2.0,
        "How far the pitch wheel bends.");
    AmpLevel = number("amp.level", "Level", -60.0, 12.0, Curve::Linear, Unit::Decibels, -6.0,
        "Level of every voice.").modulated();
    AmpPan = number("amp.pan", "Pan", -1.0, 1.0, Curve::Linear, Unit::Pan, 0.0,
        "Place of every voice between left and right.").modulated();
    AmpVelocity = number("amp.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6,
        "How much softer a soft note is.");
    AmpVelocityCurve = number("amp.velocity_curve", "Touch", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How keys answer: above zero soft touches count for more, below zero for less.");
    Env1Delay = number("env1.delay", "Delay", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, DELAY);
    Env1Attack = number("env1.attack", "Attack", 0.0, 20.0, Curve::Power(4), Unit::Seconds, 0.005, ATTACK);
    Env1Hold = number("env1.hold", "Hold", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, HOLD);
    Env1Decay = number("env1.decay", "Decay", 0.001, 60.0, Curve::Power(4), Unit::Seconds, 0.5, DECAY);
    Env1Sustain = number("env1.sustain", "Sustain", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.8, SUSTAIN);
    Env1Release = number("env1.release", "Release", 0.002, 60.0, Curve::Power(4), Unit::Seconds, 0.2, RELEASE);
    Env1AttackCurve = number("env1.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, ATTACK_CURVE);
    Env1DecayCurve = number("env1.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, DECAY_CURVE);
    Env1ReleaseCurve = number("env1.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, RELEASE_CURVE);
    Env1Slope = number("env1.slope", "Slope", 0.0, 60.0, Curve::Power(4), Unit::Seconds, 0.0, SLOPE);
    Env1Break = number("env1.break", "Break", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, BREAK);
    Env1Loop = choice("env1.loop", "Loop", SWITCH, 0, LOOP);
    Env1Speed = number("env1.speed", "Speed", 0.1, 10.0, Curve::Exponential, Unit::Plain, 1.0, SPEED).modulated();
    Env2Delay = number("env2.delay", "Delay", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, DELAY);
    Env2Attack = number("env2.attack", "Attack", 0.0, 20.0, Curve::Power(4), Unit::Seconds, 0.005, ATTACK);
    Env2Hold = number("env2.hold", "Hold", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, HOLD);
    Env2Decay = number("env2.decay", "Decay", 0.001, 60.0, Curve::Power(4), Unit::Seconds, 0.5, DECAY);
    Env2Sustain = number("env2.sustain", "Sustain", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, SUSTAIN);
    Env2Release = number("env2.release", "Release", 0.002, 60.0, Curve::Power(4), Unit::Seconds, 0.2, RELEASE);
    Env2AttackCurve = number("env2.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, ATTACK_CURVE);
    Env2DecayCurve = number("env2.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, DECAY_CURVE);
    Env2ReleaseCurve = number("env2.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, RELEASE_CURVE);
    Env2Slope = number("env2.slope", "Slope", 0.0, 60.0, Curve::Power(4), Unit::Seconds, 0.0, SLOPE);
    Env2Break = number("env2.break", "Break", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, BREAK);
    Env2Loop = choice("env2.loop", "Loop", SWITCH, 0, LOOP);
    Env2Speed = number("env2.speed", "Speed", 0.1, 10.0, Curve::Exponential, Unit::Plain, 1.0, SPEED).modulated();
    Env3Delay = number("env3.delay", "Delay", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, DELAY);
    Env3Attack = number("env3.attack", "Attack", 0.0, 20.0, Curve::Power(4), Unit::Seconds, 0.005, ATTACK);
    Env3Hold = number("env3.hold", "Hold", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, HOLD);
    Env3Decay = number("env3.decay", "Decay", 0.001, 60.0, Curve::Power(4), Unit::Seconds, 0.5, DECAY);
    Env3Sustain = number("env3.sustain", "Sustain", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, SUSTAIN);
    Env3Release = number("env3.release", "Release", 0.002, 60.0, Curve::Power(4), Unit::Seconds, 0.2, RELEASE);
    Env3AttackCurve = number("env3.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, ATTACK_CURVE);
    Env3DecayCurve = number("env3.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, DECAY_CURVE);
    Env3ReleaseCurve = number("env3.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, RELEASE_CURVE);
    Env3Slope = number("env3.slope", "Slope", 0.0, 60.0, Curve::Power(4), Unit::Seconds, 0.0, SLOPE);
    Env3Break = number("env3.break", "Break", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, BREAK);
    Env3Loop = choice("env3.loop", "Loop", SWITCH, 0, LOOP);
    Env3Speed = number("env3.speed", "Speed", 0.1, 10.0, Curve::Exponential, Unit::Plain, 1.0, SPEED).modulated();
    Env4Delay = number("env4.delay", "Delay", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, DELAY);
    Env4Attack = number("env4.attack", "Attack", 0.0, 20.0, Curve::Power(4), Unit::Seconds, 0.005, ATTACK);
    Env4Hold = number("env4.hold", "Hold", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, HOLD);
    Env4Decay = number("env4.decay", "Decay", 0.001, 60.0, Curve::Power(4), Unit::Seconds, 0.5, DECAY);
    Env4Sustain = number("env4.sustain", "Sustain", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, SUSTAIN);
    Env4Release = number("env4.release", "Release", 0.002, 60.0, Curve::Power(4), Unit::Seconds, 0.2, RELEASE);
    Env4AttackCurve = number("env4.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, ATTACK_CURVE);
    Env4DecayCurve = number("env4.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, DECAY_CURVE);
    Env4ReleaseCurve = number("env4.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, RELEASE_CURVE);
    Env4Slope = number("env4.slope", "Slope", 0.0, 60.0, Curve::Power(4), Unit::Seconds, 0.0, SLOPE);
    Env4Break = number("env4.break", "Break", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, BREAK);
    Env4Loop = choice("env4.loop", "Loop", SWITCH, 0, LOOP);
    Env4Speed = number("env4.speed", "Speed", 0.1, 10.0, Curve::Exponential, Unit::Plain, 1.0, SPEED).modulated();
    Lfo1Shape = choice("lfo1.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo1Rate = number("lfo1.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 5.0, LFO_RATE).modulated();
    Lfo1Sync = choice("lfo1.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo1Mode = choice("lfo1.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo1Phase = number("lfo1.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo1Fade = number("lfo1.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo1Spread = number("lfo1.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Lfo2Shape = choice("lfo2.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo2Rate = number("lfo2.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 0.5, LFO_RATE).modulated();
    Lfo2Sync = choice("lfo2.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo2Mode = choice("lfo2.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo2Phase = number("lfo2.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo2Fade = number("lfo2.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo2Spread = number("lfo2.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Lfo3Shape = choice("lfo3.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo3Rate = number("lfo3.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 0.1, LFO_RATE).modulated();
    Lfo3Sync = choice("lfo3.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo3Mode = choice("lfo3.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo3Phase = number("lfo3.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo3Fade = number("lfo3.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo3Spread = number("lfo3.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Lfo4Shape = choice("lfo4.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo4Rate = number("lfo4.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 1.0, LFO_RATE).modulated();
    Lfo4Sync = choice("lfo4.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo4Mode = choice("lfo4.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo4Phase = number("lfo4.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo4Fade = number("lfo4.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo4Spread = number("lfo4.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Lfo5Shape = choice("lfo5.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo5Rate = number("lfo5.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 2.0, LFO_RATE).modulated();
    Lfo5Sync = choice("lfo5.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo5Mode = choice("lfo5.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo5Phase = number("lfo5.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo5Fade = number("lfo5.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo5Spread = number("lfo5.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Lfo6Shape = choice("lfo6.shape", "Shape", LFO_SHAPES, 0, LFO_SHAPE);
    Lfo6Rate = number("lfo6.rate", "Rate", 0.01, 50.0, Curve::Exponential, Unit::Hertz, 4.0, LFO_RATE).modulated();
    Lfo6Sync = choice("lfo6.sync", "Sync", LFO_SYNCS, 0, LFO_SYNC);
    Lfo6Mode = choice("lfo6.mode", "Mode", LFO_MODES, 0, LFO_MODE);
    Lfo6Phase = number("lfo6.phase", "Phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_PHASE);
    Lfo6Fade = number("lfo6.fade", "Fade in", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, LFO_FADE);
    Lfo6Spread = number("lfo6.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, LFO_SPREAD);
    Macro1 = number("macro.1", "Macro 1", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro2 = number("macro.2", "Macro 2", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro3 = number("macro.3", "Macro 3", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro4 = number("macro.4", "Macro 4", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro5 = number("macro.5", "Macro 5", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro6 = number("macro.6", "Macro 6", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro7 = number("macro.7", "Macro 7", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    Macro8 = number("macro.8", "Macro 8", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0, MACRO);
    VoiceMode = choice("voice.mode", "Mode", VOICE_MODES, 0,
        "Poly; mono, each note starting anew; legato, tied notes sliding on without a new attack.");
    VoiceLimit = whole("voice.limit", "Voices", 1, 1024, 32,
        "The most notes at once; beyond, released and then quiet ones give way.");
    VoiceRetrigger = choice("voice.retrigger", "Same key", RETRIGGERS, 0,
        "A key played again while it sounds: layer a new voice over the old, or restart it.");
    ZoneLowKey = whole("zone.low_key", "Low key", 0, 127, 0, "Keys below are not played.");
    ZoneHighKey = whole("zone.high_key", "High key", 0, 127, 127, "Keys above are not played.");
    ZoneLowVelocity = number("zone.low_velocity", "Softest", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Softer notes are not played.");
    ZoneHighVelocity = number("zone.high_velocity", "Hardest", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Harder notes are not played.");
    Chord1 = whole("chord.1", "Note 2", -36, 36, 0, CHORD);
    Chord2 = whole("chord.2", "Note 3", -36, 36, 0, CHORD);
    Chord3 = whole("chord.3", "Note 4", -36, 36, 0, CHORD);
    Chord4 = whole("chord.4", "Note 5", -36, 36, 0, CHORD);
    ArpMode = choice("arp.mode", "Arp", ARPS, 0, "Plays the keys that are held one after the other, in time.");
    ArpRate = choice("arp.rate", "Rate", ARP_RATES, 2, "How long a step is, in notes of the song's tempo.");
    ArpOctaves = whole("arp.octaves", "Octaves", 1, 4, 1, "Over how many octaves the keys are repeated.");
    ArpGate = number("arp.gate", "Gate", 0.05, 1.0, Curve::Linear, Unit::Percent, 0.6, "How much of its step a note sounds.");
    ArpSwing = number("arp.swing", "Swing", 0.0, 0.5, Curve::Linear, Unit::Percent, 0.0, "How late every second step is.");
    ArpHold = choice("arp.hold", "Hold", SWITCH, 0, "Goes on when keys are let go, until others are played.");
    DriveOn = choice("drive.on", "Drive", SWITCH, 0, "Bends the waveform, at eight times the sample rate.");
    DrivePlace = whole("drive.place", "Place", 1, 9, 1, PLACE);
    DriveType = choice("drive.type", "Curve", DRIVES, 0,
        "Soft; warm, which also brings even partials; hard; fold, which turns peaks over.");
    DriveAmount = number("drive.amount", "Amount", 0.0, 36.0, Curve::Linear, Unit::Decibels, 12.0,
        "How hard it is driven; the level of a few notes stays as it is.").shared();
    DriveTone = number("drive.tone", "Tone", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 20_000.0,
        "Where the highs of the driven sound begin to fall.").shared();
    DriveMix = number("drive.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    DriveLevel = number("drive.level", "Level", -24.0, 12.0, Curve::Linear, Unit::Decibels, 0.0,
        "Level of the driven sound.").shared();
    EqOn = choice("eq.on", "Eq", SWITCH, 0, "A low shelf, two bells and a high shelf.");
    EqPlace = whole("eq.place", "Place", 1, 9, 2, PLACE);
    EqLowFrequency = number("eq.low_frequency", "Low", 20.0, 1_000.0, Curve::Exponential, Unit::Hertz, 120.0,
        "Below this the low shelf works.").shared();
    EqLowGain = number("eq.low_gain", "Low gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0,
        "What the low shelf adds.").shared();
    EqMid1Frequency = number("eq.mid1_frequency", "Mid 1", 40.0, 16_000.0, Curve::Exponential, Unit::Hertz, 500.0, BELL).shared();
    EqMid1Gain = number("eq.mid1_gain", "Mid 1 gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0, BELL_GAIN).shared();
    EqMid1Q = number("eq.mid1_q", "Mid 1 Q", 0.2, 10.0, Curve::Exponential, Unit::Plain, 1.0, BELL_Q).shared();
    EqMid2Frequency = number("eq.mid2_frequency", "Mid 2", 40.0, 16_000.0, Curve::Exponential, Unit::Hertz, 2_500.0, BELL).shared();
    EqMid2Gain = number("eq.mid2_gain", "Mid 2 gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0, BELL_GAIN).shared();
    EqMid2Q = number("eq.mid2_q", "Mid 2 Q", 0.2, 10.0, Curve::Exponential, Unit::Plain, 1.0, BELL_Q).shared();
    EqHighFrequency = number("eq.high_frequency", "High", 1_000.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Above this the high shelf works.").shared();
    EqHighGain = number("eq.high_gain", "High gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0,
        "What the high shelf adds.").shared();
    CompressorOn = choice("compressor.on", "Compressor", SWITCH, 0, "Makes what is loud quieter.");
    CompressorPlace = whole("compressor.place", "Place", 1, 9, 3, PLACE);
    CompressorThreshold = number("compressor.threshold", "Threshold", -60.0, 0.0, Curve::Linear, Unit::Decibels, -18.0,
        "The level from which on it works.").shared();
    CompressorRatio = number("compressor.ratio", "Ratio", 1.0, 20.0, Curve::Exponential, Unit::Plain, 3.0,
        "Decibels above the threshold that become one.").shared();
    CompressorAttack = number("compressor.attack", "Attack", 0.000_1, 0.2, Curve::Power(3), Unit::Seconds, 0.01,
        "Time to get quieter.").shared();
    CompressorRelease = number("compressor.release", "Release", 0.01, 2.0, Curve::Power(3), Unit::Seconds, 0.15,
        "Time to get louder again.").shared();
    CompressorKnee = number("compressor.knee", "Knee", 0.0, 24.0, Curve::Linear, Unit::Decibels, 6.0,
        "How softly it sets in around the threshold.").shared();
    CompressorGain = number("compressor.gain", "Gain", 0.0, 24.0, Curve::Linear, Unit::Decibels, 0.0,
        "Makes up for what was taken.").shared();
    CompressorMix = number("compressor.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    ChorusOn = choice("chorus.on", "Chorus", SWITCH, 0, "Three voices a side, each a little late and never in tune for long.");
    ChorusPlace = whole("chorus.place", "Place", 1, 9, 4, PLACE);
    ChorusRate = number("chorus.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.5, SWEEP_RATE).shared();
    ChorusDepth = number("chorus.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.4, SWEEP_DEPTH).shared();
    ChorusWidth = number("chorus.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, SWEEP_WIDTH).shared();
    ChorusMix = number("chorus.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    PhaserOn = choice("phaser.on", "Phaser", SWITCH, 0, "Notches that wander through the sound.");
    PhaserPlace = whole("phaser.place", "Place", 1, 9, 5, PLACE);
    PhaserStages = choice("phaser.stages", "Stages", PHASER_STAGES, 1, "Two of them make a notch.");
    PhaserRate = number("phaser.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.3, SWEEP_RATE).shared();
    PhaserCentre = number("phaser.centre", "Centre", 80.0, 8_000.0, Curve::Exponential, Unit::Hertz, 900.0,
        "The frequency that the notches wander about.").shared();
    PhaserDepth = number("phaser.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, SWEEP_DEPTH).shared();
    PhaserFeedback = number("phaser.feedback", "Feedback", -0.95, 0.95, Curve::Linear, Unit::Percent, 0.3, FEEDBACK).shared();
    PhaserWidth = number("phaser.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, SWEEP_WIDTH).shared();
    PhaserMix = number("phaser.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    FlangerOn = choice("flanger.on", "Flanger", SWITCH, 0, "A comb that wanders through the sound.");
    FlangerPlace = whole("flanger.place", "Place", 1, 9, 6, PLACE);
    FlangerRate = number("flanger.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.2, SWEEP_RATE).shared();
    FlangerDelay = number("flanger.delay", "Delay", 0.000_2, 0.01, Curve::Power(2), Unit::Seconds, 0.002,
        "How late the copy is.").shared();
    FlangerDepth = number("flanger.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6, SWEEP_DEPTH).shared();
    FlangerFeedback = number("flanger.feedback", "Feedback", -0.95, 0.95, Curve::Linear, Unit::Percent, 0.5, FEEDBACK).shared();
    FlangerWidth = number("flanger.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.3, SWEEP_WIDTH).shared();
    FlangerMix = number("flanger.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    DelayOn = choice("delay.on", "Delay", SWITCH, 0, "Echoes.");
    DelayPlace = whole("delay.place", "Place", 1, 9, 7, PLACE);
    DelayTime = number("delay.time", "Time", 0.001, 2.0, Curve::Power(3), Unit::Seconds, 0.35,
        "Time from echo to echo, when not synced.").shared();
    DelaySync = choice("delay.sync", "Sync", LFO_SYNCS, 0,
        "The same in notes of the song's tempo; halved until it is below two seconds.");
    DelayFeedback = number("delay.feedback", "Feedback", 0.0, 0.98, Curve::Linear, Unit::Percent, 0.4,
        "What is left of an echo in the next.").shared();
    DelayLowCut = number("delay.low_cut", "Low cut", 20.0, 2_000.0, Curve::Exponential, Unit::Hertz, 120.0,
        "Below this every echo is thinner than the last.").shared();
    DelayHighCut = number("delay.high_cut", "High cut", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Above this every echo is darker than the last.").shared();
    DelayPingPong = number("delay.ping_pong", "Ping-pong", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "From echoes on their own side to echoes from side to side.").shared();
    DelayMix = number("delay.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.25, BALANCE).shared();
    ReverbOn = choice("reverb.on", "Reverb", SWITCH, 0, "A room, from a chamber to a cathedral and beyond.");
    ReverbPlace = whole("reverb.place", "Place", 1, 9, 8, PLACE);
    ReverbSize = number("reverb.size", "Size", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6,
        "How far apart the walls are.").shared();
    ReverbDecay = number("reverb.decay", "Decay", 0.1, 60.0, Curve::Exponential, Unit::Seconds, 2.0,
        "Time until it has fallen by 60 dB.").shared();
    ReverbWait = number("reverb.wait", "Pre-delay", 0.0, 0.25, Curve::Power(2), Unit::Seconds, 0.01,
        "Time before the room answers.").shared();
    ReverbDamp = number("reverb.damp", "Damp", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Above this the room swallows more.").shared();
    ReverbLowCut = number("reverb.low_cut", "Low cut", 20.0, 1_000.0, Curve::Exponential, Unit::Hertz, 80.0,
        "Below this nothing goes into the room.").shared();
    ReverbDrift = number("reverb.drift", "Drift", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.3,
        "How much the walls sway: smoother, then singing.").shared();
    ReverbWidth = number("reverb.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "From a room in the middle to one all around.").shared();
    ReverbMix = number("reverb.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.25, BALANCE).shared();
    LimiterOn = choice("limiter.on", "Limiter", SWITCH, 0, "Holds the sound below a ceiling, without delay.");
    LimiterPlace = whole("limiter.place", "Place", 1, 9, 9, PLACE);
    LimiterGain = number("limiter.gain", "Gain", 0.0, 24.0, Curve::Linear, Unit::Decibels, 0.0,
        "Level before the ceiling.").shared();
    LimiterCeiling = number("limiter.ceiling", "Ceiling", -24.0, 0.0, Curve::Linear, Unit::Decibels, -1.0,
        "Nothing is louder than this.").shared();
    LimiterRelease = number("limiter.release", "Release", 0.01, 2.0, Curve::Power(3), Unit::Seconds, 0.2,
        "Time to get louder again.").shared();
    OutputGain = number("output.gain", "Gain", -60.0, 12.0, Curve::Linear, Unit::Decibels, 0.0,
        "Level of the patch as a whole.");
}

/// Number of parameters.
pub const COUNT: usize = Param::ALL.len();

const TABLES: &[&str] = &[
    "saw",
    "square",
    "pulse",
    "organ",
    "vocal",
    "bell",
    "pluck",
    "bar",
    "glass",
    "blown",
    "brass",
    "bowed",
    "plate",
    "membrane",
    "gong",
    "digital",
    "noise",
    "strike string",
    "strike bar",
    "strike plate",
    "strike bell",
    "strike skin",
    "imported",
];
/// After the families comes what a patch brings along.
const _: () = assert!(TABLES.len() == Table::ALL.len() + 1);
const LOOPS: &[&str] = &["off", "loop", "to and fro"];

const FILTERS: &[&str] = &[
    "off",
    "low 12",
    "low 24",
    "high 12",
    "high 24",
    "band 12",
    "band 24",
    "notch",
    "peak",
    "low shelf",
    "high shelf",
    "comb",
    "odd comb",
    "phaser",
    "formant",
    "drawn",
];
const _: () = assert!(FILTERS.len() == FilterKind::ALL.len());
const ROUTINGS: &[&str] = &["series", "parallel"];
const SCALES: &[&str] = &[
    "octaves",
    "fifths",
    "major chord",
    "minor chord",
    "fourth chord",
    "major 7",
    "minor 7",
    "dominant 7",
    "diminished",
    "pentatonic",
    "minor pentatonic",
    "major scale",
    "minor scale",
    "harmonic minor",
    "whole tones",
    "semitones",
];
const _: () = assert!(SCALES.len() == crate::spectrum::SCALES.len());
const ROOTS: &[&str] = &[
    "key", "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B",
];
const MATERIALS: &[&str] = &["own", "wood", "nylon", "glass", "steel", "bronze", "skin"];
const LFO_SHAPES: &[&str] = &[
    "sine",
    "triangle",
    "saw up",
    "saw down",
    "square",
    "steps",
    "drift",
    "pulse",
    "hump",
    "drawn",
    "drawn steps",
];
const LFO_SYNCS: &[&str] = &[
    "off",
    "4 bars",
    "2 bars",
    "1 bar",
    "1/2",
    "1/4",
    "1/8",
    "1/16",
    "1/4 triplet",
    "1/8 triplet",
    "1/4 dotted",
    "1/8 dotted",
];
const LFO_MODES: &[&str] = &["free", "note"];
const VOICE_MODES: &[&str] = &["poly", "mono", "legato"];
const RETRIGGERS: &[&str] = &["layer", "restart"];

const SWITCH: &[&str] = &["off", "on"];
const DRIVES: &[&str] = &["soft", "warm", "hard", "fold"];
const PHASER_STAGES: &[&str] = &["4", "6", "8", "12"];

const GLIDES: &[&str] = &["time", "rate", "legato time", "legato rate"];
const ARPS: &[&str] = &[
    "off",
    "up",
    "down",
    "up and down",
    "as played",
    "random",
    "chord",
];
const ARP_RATES: &[&str] = &[
    "1/4",
    "1/8",
    "1/16",
    "1/32",
    "1/4 triplet",
    "1/8 triplet",
    "1/16 triplet",
    "1/4 dotted",
    "1/8 dotted",
];

const FORM: &str = "The vowel of a formant, how blunt the high teeth of a comb are, how close the gaps of a phaser.";
const POINT: &str = "The height of the drawn curve, so many octaves from the cutoff.";
const CHORD: &str =
    "Semitones from the key to another note that it also plays; at zero there is none.";
const PLACE: &str =
    "Where in the order of effects; of two with the same place, the one that comes first here.";
const MIX: &str = "From the sound as it was to the effect alone.";
const BALANCE: &str = "The sound as it was, both whole in the middle, the effect alone.";
const BELL: &str = "The middle of the bell.";
const BELL_GAIN: &str = "What the bell adds.";
const BELL_Q: &str = "How narrow the bell is.";
const SWEEP_RATE: &str = "How often it goes to and fro in a second.";
const SWEEP_DEPTH: &str = "How far it goes.";
const SWEEP_WIDTH: &str = "How far apart left and right are on their way.";
const FEEDBACK: &str = "What goes round again; below zero upside down.";
const DELAY: &str = "Time before the envelope starts.";
const ATTACK: &str = "Time to rise to the top.";
const HOLD: &str = "Time at the top.";
const DECAY: &str = "Time to fall to the sustain level.";
const SUSTAIN: &str = "Level while the key is held.";
const RELEASE: &str = "Time to fall to silence after the key is let go.";
const ATTACK_CURVE: &str = "Above zero fast first, below zero slow first.";
const DECAY_CURVE: &str = "Above zero fast first, below zero slow first.";
const RELEASE_CURVE: &str = "Above zero fast first, below zero slow first.";
const LFO_SHAPE: &str =
    "The wave; steps and drift are random; the last two are drawn in the patch.";
const LFO_RATE: &str = "Cycles per second, when not synced.";
const LFO_SYNC: &str = "Cycle length in bars or notes of the song's tempo.";
const LFO_MODE: &str = "Free runs on for all voices; note starts afresh with every note.";
const LFO_PHASE: &str = "Where in the cycle it starts.";
const SLOPE: &str =
    "Time of a second decay, from the break to the sustain level; at zero there is none.";
const BREAK: &str = "Level at which the decay turns into the slope.";
const LOOP: &str =
    "While the key is held, starts again at the attack instead of resting at the sustain level.";
const SPEED: &str =
    "All times are divided by this: keys, velocity or anything else can make it faster.";
const LFO_SPREAD: &str = "How far apart notes start in the cycle, each at a place of its own.";
const LFO_FADE: &str = "Time for the movement to grow after the note starts.";
const MACRO: &str = "A knob of the patch's own; routes say what it does.";

impl Param {
    /// Its row in the table.
    pub fn info(self) -> &'static ParamInfo {
        &TABLE[self as usize]
    }

    /// The parameter with this id.
    pub fn by_id(id: &str) -> Option<Param> {
        let index = TABLE.iter().position(|row| row.id == id)?;
        Some(Param::ALL[index])
    }

    /// The parameter `offset` rows further down, for groups that repeat (envelopes, LFOs).
    pub(crate) fn offset(self, offset: usize) -> Param {
        Param::ALL[self as usize + offset]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_have_a_group() {
        let ids: HashSet<_> = TABLE.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), COUNT);
        assert!(TABLE.iter().all(|row| row.id.contains('.')));
    }

    #[test]
    fn defaults_are_in_range_and_survive_the_scale() {
        for row in TABLE {
            assert_eq!(row.clamp(row.default), row.default, "{}", row.id);
            let back = row.kind.from_scale(row.kind.to_scale(row.default));
            assert!(
                (back - row.default).abs() < 1e-3 * row.default.abs().max(1.0),
                "{}",
                row.id
            );
        }
    }

    #[test]
    fn what_is_written_is_read_back_to_what_is_written_the_same() {
        for row in TABLE {
            for step in 0..=2_000 {
                let text = row.format(row.kind.from_scale(step as f32 / 2_000.0));
                let read = row
                    .parse(&text)
                    .unwrap_or_else(|| panic!("{} {text}", row.id));
                let knob = row.kind.from_scale(row.kind.to_scale(read));
                assert_eq!(row.format(knob), text, "{}", row.id);
            }
        }
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        let read = |param: Param, text| param.info().parse(text);
        assert_eq!(read(Param::FilterCutoff, "1.5 kHz"), Some(1_500.0));
        assert_eq!(read(Param::FilterCutoff, " 440 "), Some(440.0));
        assert_eq!(read(Param::Env1Attack, "20ms"), Some(0.02));
        assert_eq!(read(Param::Env1Attack, "2 s"), Some(2.0));
        assert_eq!(read(Param::AmpPan, "30% Left"), Some(-0.3));
        assert_eq!(read(Param::AmpPan, "centre"), Some(0.0));
        assert_eq!(read(Param::AmpLevel, "-3 dB"), Some(-3.0));
        assert_eq!(read(Param::AmpLevel, "100"), Some(12.0));
        assert_eq!(read(Param::SourceTable, "Bell"), Some(5.0));
        assert_eq!(read(Param::PitchTranspose, "-12"), Some(-12.0));
        for nonsense in ["", "loud", "nan", "3 apples", "--", "1e9"] {
            assert_eq!(read(Param::AmpLevel, nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn tables_are_named_as_the_parameter_names_them() {
        for (name, table) in TABLES.iter().zip(Table::ALL) {
            assert_eq!(name.replace(' ', ""), format!("{table:?}").to_lowercase());
        }
    }
}
