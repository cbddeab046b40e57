//! Live playing: the stream from the render thread to the audio thread, the choice of a renderer, and
//! the supervision of a GPU that may be late or lost.

pub mod auto;
pub mod choice;
mod concealment;
mod cost_model;
pub mod fault;
pub mod mts_esp;
pub mod stream;
pub mod supervised;
mod workload;

pub use choice::{
    Purpose, RendererChoice, RendererHandle, RendererKind, RendererReport, ServiceLoad,
    ServiceProgram, service_load,
};
