//! Myriad outside a host: an instrument that is switched on (session, devices, MIDI), songs and files,
//! and what the program's commands share.

#![allow(missing_docs, reason = "a library of this workspace's programs alone")]

pub mod analysis;
pub mod cast;
pub mod conductor;
pub mod device;
pub mod failure;
pub mod feed;
pub mod gesture;
pub mod gpu;
pub mod interrupt;
pub mod library;
pub mod load;
pub mod machine;
pub mod memory;
pub mod midi;
pub mod monitor;
pub mod outlet;
pub mod pacing;
pub mod performance;
pub mod processor_usage;
pub mod recorder;
pub mod renderer;
pub mod resampler;
pub mod scale;
pub mod session;
pub mod song;
pub mod stage;
pub mod terminal;
pub mod trace;
pub mod unfinished;
pub mod wav;

pub use device::listing::Listing;
pub use device::{Device, Host, Wish};
pub use load::Load;
pub use midi::MACRO_PARAMS;
pub use pacing::PacingArgs;
pub use session::{Session, Setup, StartError};
