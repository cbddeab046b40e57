//! What commands have in common: options, errors, Ctrl-C and output.

pub mod failure;
pub mod interrupt;
pub(crate) mod options;
pub mod renderer;
pub mod terminal;
