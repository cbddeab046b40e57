//! Myriad played live: the stream that carries sound from a render thread to an audio thread, which
//! renderer it uses, and what happens when that renderer is late or lost.

pub mod auto;
pub mod choice;
pub mod fault;
pub mod stream;
pub mod supervised;
mod workload;

pub use choice::{Purpose, RendererChoice, RendererHandle, RendererKind, RendererReport};
