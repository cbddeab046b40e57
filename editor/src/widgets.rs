//! Widgets. Every widget of a parameter goes through [`control::interact`], so that all of them can
//! be dragged, turned by the wheel or the arrow keys, typed into, reset, automated and modulated in
//! the same way.

pub(crate) mod brush;
pub(crate) mod button;
pub(crate) mod chip;
pub(crate) mod choice;
pub(crate) mod control;
pub(crate) mod dial;
pub(crate) mod entry;
pub(crate) mod field;
pub(crate) mod keyboard;
pub(crate) mod knob;
pub(crate) mod menu;
pub(crate) mod meter;
pub(crate) mod points;
pub(crate) mod strip;
