//! The names of the choices that parameters offer, as people read them and patches store them.

use crate::spectrum::Table;

pub(super) const TABLES: &[&str] = &[
    "saw", "square", "pulse", "organ", "vocal", "bell", "pluck", "bar", "glass", "blown", "brass",
    "bowed", "plate", "membrane", "gong", "digital", "noise", "strike string", "strike bar",
    "strike plate", "strike bell", "strike skin", "imported",
];
// After the families comes the table that a patch brings along.
const _: () = assert!(TABLES.len() == Table::ALL.len() + 1);
pub(super) const LAYERS: &[&str] = &["off", "mix", "morph", "multiply"];
pub(super) const LOOPS: &[&str] = &["off", "loop", "ping-pong"];

pub(super) const ROUTINGS: &[&str] = &["series", "parallel"];
pub(super) const SCALES: &[&str] = &[
    "octaves", "fifths", "major chord", "minor chord", "sus4 chord", "major 7", "minor 7",
    "dominant 7", "diminished", "pentatonic", "minor pentatonic", "major scale", "minor scale",
    "harmonic minor", "whole tone", "chromatic",
];
const _: () = assert!(SCALES.len() == crate::spectrum::SCALES.len());
pub(super) const ROOTS: &[&str] = &["key", "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
pub(super) const MATERIALS: &[&str] = &["off", "wood", "nylon", "glass", "steel", "bronze", "skin"];
pub(super) const LFO_SHAPES: &[&str] = &[
    "sine", "triangle", "saw up", "saw down", "square", "sample and hold", "smooth random",
    "pulse", "half sine", "drawn", "drawn steps",
];
pub(super) const LFO_SYNCS: &[&str] = &[
    "off", "4 bars", "2 bars", "1 bar", "1/2", "1/4", "1/8", "1/16", "1/4 triplet", "1/8 triplet",
    "1/4 dotted", "1/8 dotted",
    // Later ones are at the end, so that the numbers that projects and hosts store keep their meaning.
    "1/32", "1/2 triplet", "1/16 triplet", "1/32 triplet", "1/2 dotted", "1/16 dotted", "1/32 dotted",
];
/// The same without "off", by length.
pub(super) const DUCKER_SYNCS: &[&str] = &[
    "1 bar", "1/2", "1/4 dotted", "1/4", "1/4 triplet", "1/8 dotted", "1/8", "1/8 triplet", "1/16",
];
pub(super) const LFO_MODES: &[&str] = &["free", "retrigger"];
pub(super) const VOICE_MODES: &[&str] = &["poly", "mono", "legato"];
pub(super) const RETRIGGERS: &[&str] = &["layer", "restart"];

/// The computed impulse responses, then the one that a patch contains.
pub(super) const RESPONSES: &[&str] = &["room", "chamber", "hall", "plate", "spring", "cabinet", "imported"];
const _: () = assert!(RESPONSES.len() == crate::impulse::COMPUTED.len() + 1);

pub(super) const SWITCH: &[&str] = &["off", "on"];
pub(super) const DRIVES: &[&str] = &["soft", "warm", "hard", "fold"];
pub(super) const PHASER_STAGES: &[&str] = &["4", "6", "8", "12"];

pub(super) const GLIDES: &[&str] = &["time", "rate", "legato time", "legato rate"];
pub(super) const ARPS: &[&str] = &["off", "up", "down", "up-down", "as played", "random", "chord"];
pub(super) const ARP_RATES: &[&str] = &[
    "1/4", "1/8", "1/16", "1/32", "1/4 triplet", "1/8 triplet", "1/16 triplet", "1/4 dotted",
    "1/8 dotted", "1/2", "1/32 triplet", "1/16 dotted", "1/32 dotted",
];

/// What choices were called before, and what they are called now. Patches and projects that were
/// saved with an old name are still read; see [`Kind::parse`](super::Kind::parse).
pub(super) const FORMER_NAMES: &[(&str, &str)] = &[
    ("to and fro", "ping-pong"), ("hump", "half sine"), ("steps", "sample and hold"), ("drift", "smooth random"),
    ("note", "retrigger"), ("own", "off"), ("fourth chord", "sus4 chord"), ("whole tones", "whole tone"),
    ("semitones", "chromatic"), ("up and down", "up-down"), ("low 12", "low-pass 12"), ("low 24", "low-pass 24"),
    ("high 12", "high-pass 12"), ("high 24", "high-pass 24"), ("band 12", "band-pass 12"), ("band 24", "band-pass 24"),
];
