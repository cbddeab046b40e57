//! `--metrics`: figures for Prometheus, over HTTP.
//!
//! A thread answers requests with the text that was published last. The main thread publishes once
//! a second; audio and render threads take no part.

mod server;
mod text;

#[cfg(fuzzing)]
pub use server::fuzz;

use myriad_live::service_load;
use myriad_player::Session;
use myriad_player::failure::Failure;
use myriad_player::gpu::Gpu;
use myriad_player::session::Observer;
use server::Server;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// How often figures are published.
const PUBLISHING: Duration = Duration::from_secs(1);

/// Publishes the figures of a session.
pub struct Publisher {
    server: Server,
    /// The GPU and its index, where there is one.
    gpu: Option<(Gpu, u32)>,
    /// Findings of a soak, by kind.
    findings: Vec<(&'static str, usize)>,
    next: Instant,
}

impl Publisher {
    /// Serves at `address`, where `--metrics` gave one; with the figures of `gpu`, if it is there.
    ///
    /// # Errors
    /// When nothing can be served there.
    pub fn start(
        address: Option<SocketAddr>,
        gpu: Option<usize>,
    ) -> Result<Option<Box<dyn Observer>>, Failure> {
        let Some(address) = address else {
            return Ok(None);
        };
        Ok(Some(Box::new(Self {
            server: Server::start(address).map_err(Failure::failed)?,
            gpu: gpu.and_then(|gpu| Some((Gpu::open().ok()?, gpu as u32))),
            findings: Vec::new(),
            next: Instant::now(),
        })))
    }
}

impl Observer for Publisher {
    fn notice(&self) -> String {
        format!("figures are served at http://{}/metrics", self.server.address())
    }

    fn tick(&mut self, session: &Session) {
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PUBLISHING;
        let gpu = self.gpu.as_ref().map(|(gpu, index)| gpu.figures(*index));
        let service = self.gpu.as_ref().and_then(|(_, index)| service_load(*index as usize));
        self.server.publish(text::figures(session, gpu, service, &self.findings));
    }

    fn findings(&mut self, findings: Vec<(&'static str, usize)>) {
        self.findings = findings;
    }
}

/// Reads `--metrics`: a port, which is served to this machine alone, or an address with a port.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let named = text.replace("localhost", "127.0.0.1");
    named
        .parse()
        .map_err(|_| "give a port, or ADDRESS:PORT to be heard by other machines".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_for_this_machine_alone() {
        for text in ["9464", ":9464", "127.0.0.1:9464", "localhost:9464"] {
            let address = address(text).unwrap();
            assert!(address.ip().is_loopback() && address.port() == 9464, "{text}");
        }
        assert!(!address("0.0.0.0:9464").unwrap().ip().is_loopback());
        for wrong in ["", "70000", "example.com:80", "here"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
