//! Myriad outside a host: an instrument that is switched on (session, devices, MIDI), songs and files,
//! and what the program's commands share.

#![allow(missing_docs, reason = "a library of this workspace's programs alone")]

pub mod analysis;
pub mod assignment;
pub mod atomic_file;
pub mod callback;
pub mod device;
pub mod device_manager;
pub mod failure;
pub mod gesture;
pub mod gpu;
pub mod handoff;
pub mod interrupt;
pub mod library;
pub mod load;
pub mod machine;
pub mod memory;
pub mod midi;
pub mod monitor;
pub mod pacing;
pub mod processor_usage;
pub mod recorder;
pub mod renderer;
pub mod resampler;
pub mod scale;
pub mod sequencer;
pub mod session;
pub mod song;
pub mod song_render;
pub mod terminal;
pub mod trace;
pub mod wav;

pub use device::listing::Listing;
pub use device::{Device, DeviceRequest, Host};
pub use load::Load;
pub use midi::MACRO_PARAMS;
pub use pacing::PacingArgs;
pub use session::{Session, Setup, StartError};
