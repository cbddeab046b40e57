//! What a server is built for, and its limits.

use crate::access::Token;
use myriad_live::RendererChoice;
use std::net::SocketAddr;
use std::time::Duration;

/// Frames a second of every seat.
pub const RATE: u32 = 48_000;

/// What a server is built for.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// Where it listens. Port 0 chooses a free one.
    pub address: SocketAddr,
    /// What players must show; without one, anybody who reaches the address may play.
    pub player_token: Option<Token>,
    /// What the operator must show for its page and the metrics.
    pub operator_token: Option<Token>,
    /// Addresses of pages that may connect besides its own, as in `https://play.example.org`.
    pub origins: Vec<String>,
    /// The most seats.
    pub seats: usize,
    /// Whether everybody hears everybody.
    pub jam: bool,
    /// Frames of a packet, 64 to 1,024.
    pub block: usize,
    /// Threads that render.
    pub threads: usize,
    /// What renders.
    pub renderer: RendererChoice,
    /// The part of a core that rendering a seat may take before its quietest partials are left out, so that
    /// nobody takes what others need. `None` for no limit.
    pub share: Option<f32>,
    /// The patch of a new seat.
    pub patch: String,
    /// What connections may do.
    pub limits: Limits,
}

/// What connections may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections that are no seats yet, or never will be.
    pub visitors: usize,
    /// Messages a second of a seat, and in a burst.
    pub messages: (f64, f64),
    /// Bytes a second of a seat, and in a burst.
    pub bytes: (f64, f64),
    /// Patches a second of a seat, and in a burst.
    pub patches: (f64, f64),
    /// Messages with errors before a seat is taken away.
    pub errors: u32,
    /// Blocks that a seat may be behind, in rendering or in sending, before it goes on with the newest.
    pub behind: usize,
    /// Rounds that a jam waits for a seat that is late before it goes on without it.
    pub jam_wait: usize,
    /// How long a request may take.
    pub request: Duration,
    /// How long a seat may take no sound.
    pub slow: Duration,
    /// How long a seat may say nothing.
    pub silent: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            visitors: 256,
            messages: (1_000.0, 2_000.0),
            bytes: (256e3, 1e6),
            patches: (8.0, 16.0),
            errors: 20,
            behind: 8,
            jam_wait: 1,
            request: Duration::from_secs(5),
            slow: Duration::from_secs(3),
            silent: Duration::from_secs(15),
        }
    }
}

/// The most clouds and voices of a seat: what one visitor can ask of the machine.
pub(crate) const SEAT_CLOUDS: usize = 256;
pub(crate) const SEAT_VOICES: usize = 64;

/// The share of a core that a seat may take, unless another is asked for.
pub const SHARE: f32 = 0.25;
