//! The rows of the parameter table, one a parameter, in the order in which hosts and the manual list them.

use super::choices::*;
use super::kind::{choice, number, whole};
use super::{Curve, ParamInfo, Unit};
use crate::spectrum::FilterKind;

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
        "How fast the position moves by itself: 1 is the speed of the recording, 0 stops it, negative values play backwards.").modulated();
    SourceLoop = choice("source.loop", "Loop", LOOPS, 0,
        "Loop mode of a position that moves by itself: off plays to the end of the table and stops there, loop starts again at the loop start, ping-pong plays forwards and backwards in turn.");
    SourceLoopStart = number("source.loop_start", "Loop start", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Where in the table the loop begins.");
    SourceLoopEnd = number("source.loop_end", "Loop end", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Where in the table the loop ends.");
    SourcePartials = number("source.partials", "Partials", 1.0, 1024.0, Curve::Exponential, Unit::Plain, 256.0,
        "How many partials a voice has; partials above the audible range are not rendered.").modulated();
    SourceFormant = number("source.formant", "Formant hold", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Keeps the formants at the same frequencies while the pitch changes, as a throat or an instrument body does.").modulated();
    SourceScatter = number("source.scatter", "Random phase", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Randomises the start phase of the partials: from a sharp waveform to a soft one.");
    LayerMode = choice("layer.mode", "Layer 2", LAYERS, 0,
        "The second layer: mix plays it together with the first, morph moves the first towards it, multiply multiplies the levels of the first by it.");
    LayerTable = choice("layer.table", "Table", TABLES, 4,
        "The family of spectra of the second layer.");
    LayerPosition = number("layer.position", "Position", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5,
        "Where in its table: morphs between its frames.").modulated();
    LayerSpeed = number("layer.speed", "Speed", -4.0, 4.0, Curve::Linear, Unit::Plain, 0.0,
        "How fast its position moves on by itself; it loops as the first layer's does.").modulated();
    LayerBlend = number("layer.blend", "Blend", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5,
        "From the first layer alone to the second alone; in multiply mode, to the product.").modulated();
    LayerTune = number("layer.tune", "Tune", -36.0, 36.0, Curve::Linear, Unit::Semitones, 0.0,
        "Semitones from the first layer to the second, in mix mode.").modulated();
    LayerPartials = number("layer.partials", "Partials", 1.0, 1024.0, Curve::Exponential, Unit::Plain, 256.0,
        "How many partials it has, in mix mode.").modulated();
    LayerFormant = number("layer.formant", "Formant hold", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Keeps its formants at the same frequencies while the pitch changes, in mix mode.").modulated();
    LayerTilt = number("layer.tilt", "Tilt", -24.0, 12.0, Curve::Linear, Unit::DecibelsPerOctave, 0.0,
        "Tilts its spectrum, in addition to the tilt of the shape, in mix mode.").modulated();
    LayerBandwidth = number("layer.bandwidth", "Bandwidth", 0.0, 1200.0, Curve::Power(3), Unit::Cents, 0.0,
        "Turns its partials into noise bands of this width, in mix mode.").modulated();
    LayerPan = number("layer.pan", "Pan", -1.0, 1.0, Curve::Linear, Unit::Pan, 0.0,
        "Its pan relative to the first layer, in mix mode.").modulated();
    LayerSpread = number("layer.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far the layers are panned apart, in mix mode: the first to the left, the second to the right.").modulated();
    LayerHardness = number("layer.hardness", "Hardness", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "How hard its mallet is, in mix mode.").modulated();
    LayerMaterial = choice("layer.material", "Material", MATERIALS, 0,
        "The material that is struck, in mix mode; off uses the decay rate and slope instead.");
    LayerOutput = whole("layer.output", "Output", 0, 8, 0,
        "The output of the plugin that it is heard on, without the effects, in mix mode; 0 is the main one, also where the host has not opened the output.");
    ShapeStretch = number("shape.stretch", "Stretch", -0.5, 0.5, Curve::Linear, Unit::Percent, 0.0,
        "Spreads partials apart or pulls them together: ratio to the power of 1 + stretch.").modulated();
    ShapeStiffness = number("shape.stiffness", "Stiffness", 0.0, 0.05, Curve::Power(3), Unit::Plain, 0.0,
        "Sharpens high partials as the stiffness of a string does.").modulated();
    ShapeParity = number("shape.parity", "Odd/even", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Positive values fade out the even partials, for a hollow sound; negative values fade out the odd ones.").modulated();
    ShapeTilt = number("shape.tilt", "Tilt", -24.0, 12.0, Curve::Linear, Unit::DecibelsPerOctave, 0.0,
        "Tilts the spectrum: negative values are darker, positive ones brighter.").modulated();
    ShapeWidth = number("shape.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Stereo width: pans the partials of a voice apart; the first stays in the centre.").modulated();
    ShapeBalance = number("shape.balance", "Auto gain", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Compensates for the change of loudness that tilt and formant hold cause.");
    ShapeBandwidth = number("shape.bandwidth", "Bandwidth", 0.0, 1200.0, Curve::Power(3), Unit::Cents, 0.0,
        "Turns every partial into a noise band of this width: from a sine to a choir to wind.").modulated();
    ShapeBandGrowth = number("shape.band_growth", "Band growth", 0.0, 2.0, Curve::Linear, Unit::Plain, 1.0,
        "How noise bands widen with frequency: at 0 all have the same width in Hertz, at 1 the same in cents, above 1 high ones are wider still.").modulated();
    PartialDetune = number("partial.detune", "Detune", 0.0, 100.0, Curve::Power(2), Unit::Cents, 0.0,
        "Detunes every partial but the first, each by a random share of this.").modulated();
    PartialScale = choice("partial.scale", "Snap to", SCALES, 2,
        "The chord or scale that partials are quantised to.");
    PartialSnap = number("partial.snap", "Snap", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far partials are moved towards the nearest notes of the chord or scale.").modulated();
    PartialRoot = choice("partial.root", "Root", ROOTS, 0,
        "Root note of the chord or scale: the key that is played, or a fixed note.");
    DynamicsContrast = number("dynamics.contrast", "Contrast", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Positive values keep only the loud partials of the table; negative values bring up the quiet ones.").modulated();
    DynamicsGate = number("dynamics.gate", "Gate", -96.0, 0.0, Curve::Linear, Unit::Decibels, -96.0,
        "Partials below this level are silent; as a note decays they drop out one by one.").modulated();
    DynamicsSmear = number("dynamics.smear", "Smear", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0,
        "Time that every partial takes to reach a new level: smooths changes of the spectrum.").modulated();
    DynamicsFreeze = number("dynamics.freeze", "Freeze", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Holds the level of every partial as it is: only the pitch still changes.").modulated();
    DecayRate = number("decay.rate", "Decay rate", 0.0, 200.0, Curve::Power(3), Unit::DecibelsPerSecond, 0.0,
        "How fast the first partial decays.").modulated();
    DecaySlope = number("decay.slope", "Decay slope", 0.0, 2.0, Curve::Linear, Unit::Plain, 0.7,
        "How much faster high partials decay: the rate is proportional to the frequency ratio to this power.").modulated();
    StrikeHardness = number("strike.hardness", "Hardness", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "How hard the mallet is: a soft one excites fewer high partials.").modulated();
    StrikeMaterial = choice("strike.material", "Material", MATERIALS, 0,
        "The material that is struck: sets the decay of low and high partials for every key; off uses the decay rate and slope instead.");
    FilterType = choice("filter.type", "Filter", FilterKind::NAMES, 0,
        "The type of the spectral filter, and its slope in dB per octave.");
    FilterCutoff = number("filter.cutoff", "Cutoff", 20.0, 20_000.0, Curve::Exponential, Unit::Hertz, 2_000.0,
        "Cutoff frequency.").modulated();
    FilterResonance = number("filter.resonance", "Resonance", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.1,
        "Height of the peak at the cutoff, up to 24 dB. The filter cannot become unstable.").modulated();
    FilterForm = number("filter.form", "Morph", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, FORM).modulated();
    FilterKey = number("filter.key", "Key follow", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far the cutoff follows the keyboard, from middle C.");
    Filter2Type = choice("filter2.type", "Filter 2", FilterKind::NAMES, 0,
        "The type of the second filter, and its slope in dB per octave.");
    Filter2Cutoff = number("filter2.cutoff", "Cutoff", 20.0, 20_000.0, Curve::Exponential, Unit::Hertz, 1_000.0,
        "Cutoff frequency of the second filter.").modulated();
    Filter2Resonance = number("filter2.resonance", "Resonance", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.1,
        "Height of the peak at its cutoff, up to 24 dB.").modulated();
    Filter2Form = number("filter2.form", "Morph", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, FORM).modulated();
    Filter2Key = number("filter2.key", "Key follow", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How far its cutoff follows the keyboard, from middle C.");
    Filter2Routing = choice("filter2.routing", "Routing", ROUTINGS, 0,
        "Both filters in series, or in parallel.");
    Curve1 = number("curve.1", "3 oct down", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve2 = number("curve.2", "2 oct down", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve3 = number("curve.3", "1 oct down", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve4 = number("curve.4", "0 oct", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve5 = number("curve.5", "1 oct up", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve6 = number("curve.6", "2 oct up", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    Curve7 = number("curve.7", "3 oct up", -48.0, 12.0, Curve::Linear, Unit::Decibels, 0.0, POINT).modulated();
    UnisonVoices = whole("unison.voices", "Unison", 1, 16, 1,
        "Number of unison copies of every note.");
    UnisonDetune = number("unison.detune", "Detune", 0.0, 100.0, Curve::Power(2), Unit::Cents, 12.0,
        "How far the outermost copies are detuned.").modulated();
    UnisonSpread = number("unison.spread", "Spread", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.7,
        "How far the copies are panned apart.").modulated();
    UnisonColour = number("unison.colour", "Variation", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "How different the timbre of the copies is: from darker to brighter, with formants and filters shifted.").modulated();
    UnisonEntry = number("unison.entry", "Stagger", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0,
        "Time from the first copy to the last: the copies start one after the other.").modulated();
    PitchTranspose = whole("pitch.transpose", "Transpose", -48, 48, 0,
        "Semitones added to every new note.");
    PitchTune = number("pitch.tune", "Tune", -24.0, 24.0, Curve::Linear, Unit::Semitones, 0.0,
        "Tuning in semitones, and the target for vibrato and pitch sweeps.").modulated();
    PitchGlide = number("pitch.glide", "Glide", 0.0, 5.0, Curve::Power(3), Unit::Seconds, 0.0,
        "Glide (portamento) time from the last note to the next.");
    PitchGlideMode = choice("pitch.glide_mode", "Glide mode", GLIDES, 0,
        "Constant time, or constant rate (time per octave); always, or only when notes are played legato.");
    PitchBend = number("pitch.bend", "Bend range", 0.0, 48.0, Curve::Linear, Unit::Semitones, 2.0,
        "Range of the pitch wheel.");
    AmpLevel = number("amp.level", "Level", -60.0, 12.0, Curve::Linear, Unit::Decibels, -6.0,
        "Level of every voice.").modulated();
    AmpPan = number("amp.pan", "Pan", -1.0, 1.0, Curve::Linear, Unit::Pan, 0.0,
        "Stereo pan of every voice.").modulated();
    AmpVelocity = number("amp.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6,
        "Velocity sensitivity: how much quieter soft notes are.");
    AmpVelocityCurve = number("amp.velocity_curve", "Velocity curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Velocity curve: positive values make soft notes louder, negative values make them softer.");
    Env1Delay = number("env1.delay", "Delay", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, DELAY);
    Env1Attack = number("env1.attack", "Attack", 0.0, 20.0, Curve::Power(4), Unit::Seconds, 0.005, ATTACK);
    Env1Hold = number("env1.hold", "Hold", 0.0, 10.0, Curve::Power(3), Unit::Seconds, 0.0, HOLD);
    Env1Decay = number("env1.decay", "Decay", 0.001, 60.0, Curve::Power(4), Unit::Seconds, 0.5, DECAY);
    Env1Sustain = number("env1.sustain", "Sustain", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.8, SUSTAIN);
    Env1Release = number("env1.release", "Release", 0.002, 60.0, Curve::Power(4), Unit::Seconds, 0.2, RELEASE);
    Env1AttackCurve = number("env1.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, CURVE);
    Env1DecayCurve = number("env1.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
    Env1ReleaseCurve = number("env1.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
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
    Env2AttackCurve = number("env2.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, CURVE);
    Env2DecayCurve = number("env2.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
    Env2ReleaseCurve = number("env2.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
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
    Env3AttackCurve = number("env3.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, CURVE);
    Env3DecayCurve = number("env3.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
    Env3ReleaseCurve = number("env3.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
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
    Env4AttackCurve = number("env4.attack_curve", "Attack curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.2, CURVE);
    Env4DecayCurve = number("env4.decay_curve", "Decay curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
    Env4ReleaseCurve = number("env4.release_curve", "Release curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.6, CURVE);
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
        "Poly; mono, every note retriggers the envelopes; legato, tied notes do not retrigger them.");
    VoiceLimit = whole("voice.limit", "Voices", 1, 1024, 32,
        "Polyphony: the most notes at once. Beyond it, released notes and then the quietest are stolen.");
    VoiceRetrigger = choice("voice.retrigger", "Retrigger", RETRIGGERS, 0,
        "What a key does that is played again while its note sounds: layer a new voice over the old one, or restart it.");
    ZoneLowKey = whole("zone.low_key", "Low key", 0, 127, 0, "Lowest key of the zone.");
    ZoneHighKey = whole("zone.high_key", "High key", 0, 127, 127, "Highest key of the zone.");
    ZoneLowVelocity = number("zone.low_velocity", "Low velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Lowest velocity of the zone.");
    ZoneHighVelocity = number("zone.high_velocity", "High velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Highest velocity of the zone.");
    Chord1 = whole("chord.1", "Note 2", -36, 36, 0, CHORD);
    Chord2 = whole("chord.2", "Note 3", -36, 36, 0, CHORD);
    Chord3 = whole("chord.3", "Note 4", -36, 36, 0, CHORD);
    Chord4 = whole("chord.4", "Note 5", -36, 36, 0, CHORD);
    ArpMode = choice("arp.mode", "Arp", ARPS, 0, "Arpeggiator: plays the held keys one after the other, in time with the song.");
    ArpRate = choice("arp.rate", "Rate", ARP_RATES, 2, "Length of a step in note values.");
    ArpOctaves = whole("arp.octaves", "Octaves", 1, 4, 1, "Octave range of the arpeggio.");
    ArpGate = number("arp.gate", "Gate", 0.05, 1.0, Curve::Linear, Unit::Percent, 0.6, "Length of a note relative to its step.");
    ArpSwing = number("arp.swing", "Swing", 0.0, 0.5, Curve::Linear, Unit::Percent, 0.0, "How far every second step is delayed.");
    ArpHold = choice("arp.hold", "Hold", SWITCH, 0, "Keeps playing after the keys are released, until other keys are played.");
    ArpPattern = whole("arp.pattern", "Pattern", 0, 16, 0, "Steps of the pattern, which gives every step its own velocity, gate, tie and chance; 0 is off.");
    Step1Velocity = number("step1.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step1Gate = number("step1.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step1Chance = number("step1.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step1Tie = choice("step1.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step2Velocity = number("step2.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step2Gate = number("step2.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step2Chance = number("step2.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step2Tie = choice("step2.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step3Velocity = number("step3.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step3Gate = number("step3.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step3Chance = number("step3.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step3Tie = choice("step3.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step4Velocity = number("step4.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step4Gate = number("step4.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step4Chance = number("step4.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step4Tie = choice("step4.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step5Velocity = number("step5.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step5Gate = number("step5.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step5Chance = number("step5.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step5Tie = choice("step5.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step6Velocity = number("step6.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step6Gate = number("step6.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step6Chance = number("step6.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step6Tie = choice("step6.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step7Velocity = number("step7.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step7Gate = number("step7.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step7Chance = number("step7.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step7Tie = choice("step7.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step8Velocity = number("step8.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step8Gate = number("step8.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step8Chance = number("step8.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step8Tie = choice("step8.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step9Velocity = number("step9.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step9Gate = number("step9.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step9Chance = number("step9.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step9Tie = choice("step9.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step10Velocity = number("step10.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step10Gate = number("step10.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step10Chance = number("step10.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step10Tie = choice("step10.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step11Velocity = number("step11.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step11Gate = number("step11.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step11Chance = number("step11.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step11Tie = choice("step11.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step12Velocity = number("step12.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step12Gate = number("step12.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step12Chance = number("step12.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step12Tie = choice("step12.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step13Velocity = number("step13.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step13Gate = number("step13.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step13Chance = number("step13.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step13Tie = choice("step13.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step14Velocity = number("step14.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step14Gate = number("step14.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step14Chance = number("step14.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step14Tie = choice("step14.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step15Velocity = number("step15.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step15Gate = number("step15.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step15Chance = number("step15.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step15Tie = choice("step15.tie", "Tie", SWITCH, 0, STEP_TIE);
    Step16Velocity = number("step16.velocity", "Velocity", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_VELOCITY);
    Step16Gate = number("step16.gate", "Gate", 0.05, 2.0, Curve::Linear, Unit::Percent, 1.0, STEP_GATE);
    Step16Chance = number("step16.chance", "Chance", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, STEP_CHANCE);
    Step16Tie = choice("step16.tie", "Tie", SWITCH, 0, STEP_TIE);
    DriveOn = choice("drive.on", "Drive", SWITCH, 0, "Waveshaper with eight times oversampling.");
    DrivePlace = whole("drive.place", "Order", 1, 14, 1, ORDER);
    DriveType = choice("drive.type", "Type", DRIVES, 0,
        "Soft clipping; warm, asymmetric with even harmonics; hard clipping; fold, a wavefolder.");
    DriveAmount = number("drive.amount", "Amount", 0.0, 36.0, Curve::Linear, Unit::Decibels, 12.0,
        "Input gain of the waveshaper; the output level is compensated.").shared();
    DriveTone = number("drive.tone", "Tone", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 20_000.0,
        "Cutoff of the low-pass after the waveshaper.").shared();
    DriveMix = number("drive.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    DriveLevel = number("drive.level", "Level", -24.0, 12.0, Curve::Linear, Unit::Decibels, 0.0,
        "Output level of the drive.").shared();
    CrusherOn = choice("crusher.on", "Crusher", SWITCH, 0, "Bit crusher: lowers the resolution and the sample rate. It aliases on purpose: that is its sound.");
    CrusherPlace = whole("crusher.place", "Order", 1, 14, 1, ORDER);
    CrusherBits = number("crusher.bits", "Bits", 1.0, 16.0, Curve::Linear, Unit::Plain, 8.0,
        "Resolution; what is quieter than its smallest step is silent.").shared();
    CrusherRate = number("crusher.rate", "Sample rate", 200.0, 48_000.0, Curve::Exponential, Unit::Hertz, 12_000.0,
        "Sample rate; from the rate of the output on it is not lowered.").shared();
    CrusherMix = number("crusher.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    EqOn = choice("eq.on", "EQ", SWITCH, 0, "Equaliser: a low shelf, two bells and a high shelf.");
    EqPlace = whole("eq.place", "Order", 1, 14, 2, ORDER);
    EqLowFrequency = number("eq.low_frequency", "Low freq", 20.0, 1_000.0, Curve::Exponential, Unit::Hertz, 120.0,
        "Frequency of the low shelf.").shared();
    EqLowGain = number("eq.low_gain", "Low gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0,
        "Gain of the low shelf.").shared();
    EqMid1Frequency = number("eq.mid1_frequency", "Mid 1 freq", 40.0, 16_000.0, Curve::Exponential, Unit::Hertz, 500.0, BELL).shared();
    EqMid1Gain = number("eq.mid1_gain", "Mid 1 gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0, BELL_GAIN).shared();
    EqMid1Q = number("eq.mid1_q", "Mid 1 Q", 0.2, 10.0, Curve::Exponential, Unit::Plain, 1.0, BELL_Q).shared();
    EqMid2Frequency = number("eq.mid2_frequency", "Mid 2 freq", 40.0, 16_000.0, Curve::Exponential, Unit::Hertz, 2_500.0, BELL).shared();
    EqMid2Gain = number("eq.mid2_gain", "Mid 2 gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0, BELL_GAIN).shared();
    EqMid2Q = number("eq.mid2_q", "Mid 2 Q", 0.2, 10.0, Curve::Exponential, Unit::Plain, 1.0, BELL_Q).shared();
    EqHighFrequency = number("eq.high_frequency", "High freq", 1_000.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Frequency of the high shelf.").shared();
    EqHighGain = number("eq.high_gain", "High gain", -18.0, 18.0, Curve::Linear, Unit::Decibels, 0.0,
        "Gain of the high shelf.").shared();
    CompressorOn = choice("compressor.on", "Compressor", SWITCH, 0, "Reduces the level of loud passages.");
    CompressorPlace = whole("compressor.place", "Order", 1, 14, 3, ORDER);
    CompressorThreshold = number("compressor.threshold", "Threshold", -60.0, 0.0, Curve::Linear, Unit::Decibels, -18.0,
        "Level above which the gain is reduced.").shared();
    CompressorRatio = number("compressor.ratio", "Ratio", 1.0, 20.0, Curve::Exponential, Unit::Plain, 3.0,
        "Ratio of input to output decibels above the threshold.").shared();
    CompressorAttack = number("compressor.attack", "Attack", 0.000_1, 0.2, Curve::Power(3), Unit::Seconds, 0.01,
        "Time to reduce the gain.").shared();
    CompressorRelease = number("compressor.release", "Release", 0.01, 2.0, Curve::Power(3), Unit::Seconds, 0.15,
        "Time for the gain to recover.").shared();
    CompressorKnee = number("compressor.knee", "Knee", 0.0, 24.0, Curve::Linear, Unit::Decibels, 6.0,
        "Width of the soft knee around the threshold.").shared();
    CompressorGain = number("compressor.gain", "Makeup gain", 0.0, 24.0, Curve::Linear, Unit::Decibels, 0.0,
        "Gain after the compressor.").shared();
    CompressorMix = number("compressor.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    MultibandOn = choice("multiband.on", "Multiband", SWITCH, 0, "Multiband compressor: three bands, each with its own threshold and gain.");
    MultibandPlace = whole("multiband.place", "Order", 1, 14, 3, ORDER);
    MultibandLowSplit = number("multiband.low_split", "Low split", 40.0, 1_000.0, Curve::Exponential, Unit::Hertz, 150.0,
        "Crossover from the low band to the middle one.").shared();
    MultibandHighSplit = number("multiband.high_split", "High split", 1_000.0, 12_000.0, Curve::Exponential, Unit::Hertz, 2_500.0,
        "Crossover from the middle band to the high one.").shared();
    MultibandLowThreshold = number("multiband.low_threshold", "Low threshold", -60.0, 0.0, Curve::Linear, Unit::Decibels, -24.0, BAND_THRESHOLD).shared();
    MultibandMidThreshold = number("multiband.mid_threshold", "Mid threshold", -60.0, 0.0, Curve::Linear, Unit::Decibels, -24.0, BAND_THRESHOLD).shared();
    MultibandHighThreshold = number("multiband.high_threshold", "High threshold", -60.0, 0.0, Curve::Linear, Unit::Decibels, -30.0, BAND_THRESHOLD).shared();
    MultibandLowGain = number("multiband.low_gain", "Low gain", -24.0, 24.0, Curve::Linear, Unit::Decibels, 0.0, BAND_GAIN).shared();
    MultibandMidGain = number("multiband.mid_gain", "Mid gain", -24.0, 24.0, Curve::Linear, Unit::Decibels, 0.0, BAND_GAIN).shared();
    MultibandHighGain = number("multiband.high_gain", "High gain", -24.0, 24.0, Curve::Linear, Unit::Decibels, 0.0, BAND_GAIN).shared();
    MultibandRatio = number("multiband.ratio", "Ratio", 1.0, 20.0, Curve::Exponential, Unit::Plain, 3.0,
        "Ratio of input to output decibels above the thresholds.").shared();
    MultibandAttack = number("multiband.attack", "Attack", 0.000_1, 0.2, Curve::Power(3), Unit::Seconds, 0.01,
        "Time to reduce the gain.").shared();
    MultibandRelease = number("multiband.release", "Release", 0.01, 2.0, Curve::Power(3), Unit::Seconds, 0.15,
        "Time for the gain to recover.").shared();
    MultibandMix = number("multiband.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    ShifterOn = choice("shifter.on", "Shifter", SWITCH, 0, "Frequency shifter: moves all frequencies by the same number of Hertz, so that harmonic sounds become bell-like.");
    ShifterPlace = whole("shifter.place", "Order", 1, 14, 4, ORDER);
    ShifterShift = number("shifter.shift", "Shift", -2_000.0, 2_000.0, Curve::Linear, Unit::Hertz, 0.0,
        "By how much; what falls below zero comes back up from there.").shared();
    ShifterFine = number("shifter.fine", "Fine", -10.0, 10.0, Curve::Linear, Unit::Hertz, 1.0,
        "Added to the shift: slow beating and rising or falling combs.").shared();
    ShifterFeedback = number("shifter.feedback", "Feedback", 0.0, 0.9, Curve::Linear, Unit::Percent, 0.0,
        "How much of the output is shifted again.").shared();
    ShifterWidth = number("shifter.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Stereo width: at 50% the right side is not shifted, at 100% in the other direction.").shared();
    ShifterMix = number("shifter.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, MIX).shared();
    ChorusOn = choice("chorus.on", "Chorus", SWITCH, 0, "Three modulated delays for each side.");
    ChorusPlace = whole("chorus.place", "Order", 1, 14, 4, ORDER);
    ChorusRate = number("chorus.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.5, SWEEP_RATE).shared();
    ChorusDepth = number("chorus.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.4, SWEEP_DEPTH).shared();
    ChorusWidth = number("chorus.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0, SWEEP_WIDTH).shared();
    ChorusMix = number("chorus.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    PhaserOn = choice("phaser.on", "Phaser", SWITCH, 0, "All-pass stages that sweep notches through the sound.");
    PhaserPlace = whole("phaser.place", "Order", 1, 14, 5, ORDER);
    PhaserStages = choice("phaser.stages", "Stages", PHASER_STAGES, 1, "Number of all-pass stages; two make a notch.");
    PhaserRate = number("phaser.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.3, SWEEP_RATE).shared();
    PhaserCentre = number("phaser.centre", "Centre", 80.0, 8_000.0, Curve::Exponential, Unit::Hertz, 900.0,
        "Centre frequency of the sweep.").shared();
    PhaserDepth = number("phaser.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, SWEEP_DEPTH).shared();
    PhaserFeedback = number("phaser.feedback", "Feedback", -0.95, 0.95, Curve::Linear, Unit::Percent, 0.3, FEEDBACK).shared();
    PhaserWidth = number("phaser.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, SWEEP_WIDTH).shared();
    PhaserMix = number("phaser.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    FlangerOn = choice("flanger.on", "Flanger", SWITCH, 0, "A short modulated delay: sweeps a comb filter through the sound.");
    FlangerPlace = whole("flanger.place", "Order", 1, 14, 6, ORDER);
    FlangerRate = number("flanger.rate", "Rate", 0.02, 8.0, Curve::Exponential, Unit::Hertz, 0.2, SWEEP_RATE).shared();
    FlangerDelay = number("flanger.delay", "Delay", 0.000_2, 0.01, Curve::Power(2), Unit::Seconds, 0.002,
        "Delay time at the centre of the sweep.").shared();
    FlangerDepth = number("flanger.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6, SWEEP_DEPTH).shared();
    FlangerFeedback = number("flanger.feedback", "Feedback", -0.95, 0.95, Curve::Linear, Unit::Percent, 0.5, FEEDBACK).shared();
    FlangerWidth = number("flanger.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.3, SWEEP_WIDTH).shared();
    FlangerMix = number("flanger.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.5, MIX).shared();
    DelayOn = choice("delay.on", "Delay", SWITCH, 0, "Stereo delay.");
    DelayPlace = whole("delay.place", "Order", 1, 14, 7, ORDER);
    DelayTime = number("delay.time", "Time", 0.001, 2.0, Curve::Power(3), Unit::Seconds, 0.35,
        "Delay time, when not synced.").shared();
    DelaySync = choice("delay.sync", "Sync", LFO_SYNCS, 0,
        "Delay time in note values; halved until it is below two seconds.");
    DelayFeedback = number("delay.feedback", "Feedback", 0.0, 0.98, Curve::Linear, Unit::Percent, 0.4,
        "How much of each echo is fed back.").shared();
    DelayLowCut = number("delay.low_cut", "Low cut", 20.0, 2_000.0, Curve::Exponential, Unit::Hertz, 120.0,
        "High-pass in the feedback path.").shared();
    DelayHighCut = number("delay.high_cut", "High cut", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Low-pass in the feedback path.").shared();
    DelayPingPong = number("delay.ping_pong", "Ping-pong", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "From echoes that stay on their side to echoes that alternate between left and right.").shared();
    DelayMix = number("delay.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.25, BALANCE).shared();
    ReverbOn = choice("reverb.on", "Reverb", SWITCH, 0, "Reverb, from a chamber to a cathedral and beyond.");
    ReverbPlace = whole("reverb.place", "Order", 1, 14, 8, ORDER);
    ReverbSize = number("reverb.size", "Size", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.6,
        "Size of the room.").shared();
    ReverbDecay = number("reverb.decay", "Decay", 0.1, 60.0, Curve::Exponential, Unit::Seconds, 2.0,
        "Decay time: until the reverb has fallen by 60 dB.").shared();
    ReverbWait = number("reverb.wait", "Pre-delay", 0.0, 0.25, Curve::Power(2), Unit::Seconds, 0.01,
        "Time before the reverb starts.").shared();
    ReverbDamp = number("reverb.damp", "Damping", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 6_000.0,
        "Frequency above which the reverb decays faster.").shared();
    ReverbLowCut = number("reverb.low_cut", "Low cut", 20.0, 1_000.0, Curve::Exponential, Unit::Hertz, 80.0,
        "High-pass before the reverb.").shared();
    ReverbDrift = number("reverb.drift", "Modulation", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.3,
        "Modulation of the delay lines: smoother tails, at high values a chorus.").shared();
    ReverbWidth = number("reverb.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Stereo width of the reverb.").shared();
    ReverbMix = number("reverb.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.25, BALANCE).shared();
    ConvolverOn = choice("convolver.on", "Convolver", SWITCH, 0, "Convolution: plays the sound through the impulse response of a room, a device, or anything else, without latency.");
    ConvolverPlace = whole("convolver.place", "Order", 1, 14, 8, ORDER);
    ConvolverResponse = choice("convolver.response", "Response", RESPONSES, 2,
        "The impulse response; imported is the one that the patch contains.");
    ConvolverLength = number("convolver.length", "Length", 0.05, 1.0, Curve::Exponential, Unit::Percent, 1.0,
        "Decay time of the response, of its own.").shared();
    ConvolverWait = number("convolver.wait", "Pre-delay", 0.0, 0.25, Curve::Power(2), Unit::Seconds, 0.0,
        "Time before the response starts.").shared();
    ConvolverLowCut = number("convolver.low_cut", "Low cut", 20.0, 1_000.0, Curve::Exponential, Unit::Hertz, 20.0,
        "High-pass before the response.").shared();
    ConvolverTone = number("convolver.tone", "Tone", 500.0, 20_000.0, Curve::Exponential, Unit::Hertz, 20_000.0,
        "Low-pass before the response.").shared();
    ConvolverWidth = number("convolver.width", "Width", 0.0, 1.0, Curve::Linear, Unit::Percent, 1.0,
        "Stereo width of the response.").shared();
    ConvolverMix = number("convolver.mix", "Mix", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.25, BALANCE).shared();
    DuckerOn = choice("ducker.on", "Ducker", SWITCH, 0, "Ducking envelope: the level dips with every beat, as if a kick drum drove a compressor.");
    DuckerPlace = whole("ducker.place", "Order", 1, 14, 9, ORDER);
    DuckerSync = choice("ducker.sync", "Rate", DUCKER_SYNCS, 3,
        "How often the level dips, in note values.");
    DuckerDepth = number("ducker.depth", "Depth", 0.0, 1.0, Curve::Linear, Unit::Percent, 0.8,
        "How far it dips: at 100% to silence.").shared();
    DuckerAttack = number("ducker.attack", "Attack", 0.002, 0.1, Curve::Power(2), Unit::Seconds, 0.005,
        "Time to dip.").shared();
    DuckerHold = number("ducker.hold", "Hold", 0.0, 0.9, Curve::Linear, Unit::Percent, 0.1,
        "How long it stays down, relative to the note value.").shared();
    DuckerRelease = number("ducker.release", "Release", 0.05, 1.0, Curve::Linear, Unit::Percent, 0.6,
        "How long it takes to recover, relative to the note value.").shared();
    DuckerCurve = number("ducker.curve", "Curve", -1.0, 1.0, Curve::Linear, Unit::Percent, 0.0,
        "Curve of the recovery: positive values start fast, negative values start slowly.").shared();
    LimiterOn = choice("limiter.on", "Limiter", SWITCH, 0, "Keeps the level below the ceiling, without latency.");
    LimiterPlace = whole("limiter.place", "Order", 1, 14, 9, ORDER);
    LimiterGain = number("limiter.gain", "Gain", 0.0, 24.0, Curve::Linear, Unit::Decibels, 0.0,
        "Input gain.").shared();
    LimiterCeiling = number("limiter.ceiling", "Ceiling", -24.0, 0.0, Curve::Linear, Unit::Decibels, -1.0,
        "Maximum output level.").shared();
    LimiterRelease = number("limiter.release", "Release", 0.01, 2.0, Curve::Power(3), Unit::Seconds, 0.2,
        "Time for the gain to recover.").shared();
    OutputGain = number("output.gain", "Gain", -60.0, 12.0, Curve::Linear, Unit::Decibels, 0.0,
        "Level of the patch as a whole.");
}

const FORM: &str =
    "Formant: the vowel. Comb: damping of the high peaks. Phaser: number of notches in an octave.";
const POINT: &str = "Height of the drawn filter curve, this far from the cutoff.";
const CHORD: &str = "Semitones from the key to an additional note; zero is off.";
const STEP_VELOCITY: &str =
    "Velocity of this step of the arpeggiator's pattern, relative to that of the key; 0 is a rest.";
const STEP_GATE: &str = "Length of this step's note, relative to the arpeggiator's gate.";
const STEP_CHANCE: &str = "How likely this step is to play; otherwise it is a rest.";
const STEP_TIE: &str =
    "Holds the note of the step before through this one, instead of playing another.";
const ORDER: &str =
    "Position in the effect chain; effects with the same number keep the order of this list.";
const MIX: &str = "Dry/wet mix.";
const BALANCE: &str = "Dry/wet mix; at 50% both have full level.";
const BELL: &str = "Centre frequency of the bell.";
const BELL_GAIN: &str = "Gain of the bell.";
const BELL_Q: &str = "Q of the bell: higher is narrower.";
const BAND_THRESHOLD: &str = "Level above which the gain of this band is reduced.";
const BAND_GAIN: &str = "Gain of this band after its compressor.";
const SWEEP_RATE: &str = "Speed of the modulation.";
const SWEEP_DEPTH: &str = "Depth of the modulation.";
const SWEEP_WIDTH: &str =
    "Stereo width: phase difference of the modulation between left and right.";
const FEEDBACK: &str = "How much of the output is fed back; negative values invert it.";
const DELAY: &str = "Time before the envelope starts.";
const ATTACK: &str = "Time to rise to the maximum.";
const HOLD: &str = "Time at the maximum.";
const DECAY: &str = "Time to fall to the sustain level.";
const SUSTAIN: &str = "Level while the key is held.";
const RELEASE: &str = "Time to fall to silence after the key is released.";
const CURVE: &str = "Curve of the stage: positive values start fast, negative values start slowly.";
const LFO_SHAPE: &str = "Waveform; drawn and drawn steps are waveforms of the patch.";
const LFO_RATE: &str = "Cycles per second, when not synced.";
const LFO_SYNC: &str = "Length of a cycle in bars or note values.";
const LFO_MODE: &str = "Free runs on, the same for all voices; retrigger starts with every note.";
const LFO_PHASE: &str = "Start phase.";
const SLOPE: &str =
    "Time of a second decay, from the break level to the sustain level; zero is off.";
const BREAK: &str = "Level at which the decay ends and the slope begins.";
const LOOP: &str =
    "While the key is held, repeats from the attack instead of holding the sustain level.";
const SPEED: &str = "All times of the envelope are divided by this.";
const LFO_SPREAD: &str = "How different the start phases of notes are.";
const LFO_FADE: &str = "Time for the LFO to fade in after the note starts.";
const MACRO: &str = "Macro knob of the patch; its routes say what it moves.";
