//! Myriad played by many through the network: every visitor has a seat, an instrument of its own that is
//! rendered here and heard in a browser as a stream.
//!
//! [docs/design/serve.md](../../docs/design/serve.md) explains time, the protocol and the limits.

mod access;
pub mod client;
mod clock;
mod config;
mod connection;
mod datagrams;
mod event_clock;
mod http;
mod jam;
mod jitter_buffer;
pub mod load_test;
mod packets;
mod pages;
mod pool;
pub mod protocol;
mod rate_limit;
mod seat;
mod server;
mod status;

pub use access::{SHORTEST_TOKEN, Token, TokenError};
pub use config::{Limits, RATE, SHARE, ServeConfig};
pub use event_clock::EventClock;
pub use jitter_buffer::JitterBuffer;
pub use server::{ServeError, Server};
pub use status::{GpuStatus, SeatStatus, Status};
