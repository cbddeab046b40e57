//! New sounds from known ones: random changes, children of two patches, and morphs between four. All of it
//! is computed from patches alone, and repeats exactly with the same seed.

mod breed;
mod dice;
mod level;
mod morph;
mod random;
mod section;

pub use breed::breed;
pub use morph::{CORNERS, morph};
pub use random::randomise;
pub use section::{Section, load_into_layer};

#[cfg(test)]
mod tests;
