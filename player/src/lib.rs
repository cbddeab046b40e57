//! Myriad outside a host: the live session, devices, MIDI, songs and files, and what the program's
//! commands share.
//!
//! | folder | holds |
//! |---|---|
//! | `session` | an instrument that is running: stream, device, MIDI inputs, song, recording, meters |
//! | `device` | audio outputs, the callback that they call, and what happens when one is lost |
//! | `midi` | MIDI inputs, the routing of messages, learned controllers |
//! | `song` | MIDI files, the patch of each part, offline rendering |
//! | `analysis` | loudness, spectrograms, drawings |
//! | `audit` | measurements of patches |
//! | `files` | WAV, patch and trace files, written completely or not at all |
//! | `command_line` | options, errors and output that commands have in common |
//! | `system` | what the operating system says about processor, memory and GPU |

#![allow(missing_docs, reason = "a library of this workspace's programs alone")]

pub mod analysis;
pub mod audit;
mod command_line;
pub mod device;
mod files;
pub mod midi;
pub mod session;
pub mod song;
mod system;

pub use command_line::options::{MpeArgs, PacingArgs, ScaleArgs};
pub use command_line::{failure, interrupt, renderer, terminal};
pub use device::listing::Listing;
pub use device::{Device, DeviceRequest, Host};
pub use files::{atomic_file, input, trace, wav};
pub use midi::MACRO_PARAMS;
pub use session::{Load, Session, Setup, StartError, monitor};
pub use song::{assignment, render as song_render};
pub use system::{gpu, machine, memory};
