//! What `inspect` finds out about a sound, and the drawing of pictures of sounds.

pub mod canvas;
pub mod colour;
mod inspect;
pub mod picture;

pub use inspect::{InspectError, inspect};
pub use myriad_measure::thumbnail;
