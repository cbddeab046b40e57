//! The render service: one process that renders on a GPU for all players and plugins of a user.
//!
//! A GPU serves one process at a time: two that render in turn wait for each other. So one process has
//! the GPU, and whatever its clients have submitted when the GPU is free becomes one launch. Clients
//! share memory with the service: `submit` writes clouds there, `collect` reads buses. A fault of the GPU
//! ends the service, never a client: clients get an error, go on by CPU, and start another service.
//!
//! - [`client`]: the renderer that players and plugins use;
//! - [`start`]: finds the service of this user, or starts it;
//! - [`handshake`], [`layout`], [`memory`], [`futex_counter`], [`robust_futex`]: what the two processes share;
//! - [`server`]: accepts clients; [`scheduler`]: combines their blocks and renders them; [`load`]: what each of them costs;
//!   [`warm_up`]: the first blocks, for nobody;
//! - [`table_uploader`] and [`tables`]: imported tables, at the client and in the service.
//!
//! Linux only: CUDA supports no other Unix.

mod client;
mod error;
mod futex_counter;
mod handshake;
mod layout;
mod load;
mod memory;
mod request_reader;
mod robust_futex;
mod scheduler;
mod server;
mod start;
mod status;
mod table_uploader;
mod tables;
mod warm_up;

pub use client::{ServiceOptions, ServiceRenderer};
pub use error::{ServeError, ServiceFailure, StartError};
pub use server::run;
pub use start::{Served, ServiceCommand, all_gpus, default_folder};
pub use status::{ClientStatus, ServiceStatus, status};

#[cfg(fuzzing)]
pub use layout::fuzz;

#[cfg(test)]
mod tests;
