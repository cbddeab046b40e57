//! The views of the editor.

pub(crate) mod arp;
pub(crate) mod axis;
pub(crate) mod browser;
pub(crate) mod cloud;
pub(crate) mod curve;
pub(crate) mod displays;
pub(crate) mod effects;
pub(crate) mod envelope;
pub(crate) mod explore;
pub(crate) mod filter;
pub(crate) mod harmonics;
pub(crate) mod header;
pub(crate) mod import;
pub(crate) mod kit;
pub(crate) mod layers;
pub(crate) mod lfo;
pub(crate) mod macros;
pub(crate) mod matrix;
pub(crate) mod output;
pub(crate) mod pages;
pub(crate) mod play;
pub(crate) mod presets;
pub(crate) mod sources;
pub(crate) mod table;
pub(crate) mod tuning;
