//! The status of a service: who uses it, and how busy it is.

use super::handshake;
use super::start::{Served, peer, socket_in};
use std::fmt::Write as _;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The most bytes of a status.
const LONGEST: u64 = 64 << 10;

/// What a service does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceStatus {
    /// The id of its process.
    pub process: u32,
    /// The share of the time in which the GPU renders, 0 to 1.
    pub busy: f64,
    /// Launches a second.
    pub launches: f64,
    /// Clients that were told to go on by CPU, because there was too much to do.
    pub evictions: u64,
    /// Its clients.
    pub clients: Vec<ClientStatus>,
}

/// What a service does for one client.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClientStatus {
    /// The id of its process.
    pub process: u32,
    /// Whether its blocks have deadlines.
    pub is_live: bool,
    /// Clouds that it may have at once.
    pub slots: usize,
    /// Clouds in its last block.
    pub clouds: usize,
    /// Blocks a second.
    pub blocks: f64,
    /// Its share of the GPU's time, 0 to 1.
    pub share: f64,
}

impl ServiceStatus {
    /// One line for the service, and one for each client.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{} {} {}\n", self.busy, self.launches, self.evictions);
        for client in &self.clients {
            let ClientStatus { process, is_live, slots, clouds, blocks, share } = client;
            let live = u8::from(*is_live);
            // Writing to a string never fails.
            let _ = writeln!(text, "{process} {live} {slots} {clouds} {blocks} {share}");
        }
        text
    }

    fn of_text(process: u32, text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| {
            let numbers: Result<Vec<f64>, _> = line.split(' ').map(str::parse).collect();
            numbers.ok()
        });
        let [busy, launches, evictions] = lines.next()??[..] else {
            return None;
        };
        let client = |numbers: Option<Vec<f64>>| {
            let [process, live, slots, clouds, blocks, share] = numbers?[..] else {
                return None;
            };
            Some(ClientStatus {
                process: process as u32,
                is_live: live != 0.0,
                slots: slots as usize,
                clouds: clouds as usize,
                blocks,
                share,
            })
        };
        let clients = lines.map(client).collect::<Option<Vec<_>>>()?;
        Some(Self { process, busy, launches, evictions: evictions as u64, clients })
    }
}

/// The status of the service in `folder`; `None` when none runs there.
///
/// # Errors
/// When one runs but does not answer within `timeout`.
pub fn status(
    folder: &Path,
    served: Served,
    timeout: Duration,
) -> io::Result<Option<ServiceStatus>> {
    let Ok(socket) = UnixStream::connect(socket_in(folder, served)) else {
        return Ok(None);
    };
    let process = peer(&socket)?.as_raw_pid() as u32;
    socket.set_read_timeout(Some(timeout))?;
    handshake::ask_status(&socket)?;
    let mut text = String::new();
    (&socket).take(LONGEST).read_to_string(&mut text)?;
    let status = ServiceStatus::of_text(process, &text).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_it_was_written() {
        let client = ClientStatus {
            process: 77,
            is_live: true,
            slots: 2_048,
            clouds: 128,
            blocks: 750.5,
            share: 0.125,
        };
        let clients = vec![client, ClientStatus { process: 78, ..ClientStatus::default() }];
        let status = ServiceStatus { process: 5, busy: 0.25, launches: 1.5, evictions: 3, clients };
        assert_eq!(ServiceStatus::of_text(5, &status.to_text()), Some(status));
        for text in ["", "1 2", "1 2 3\n4\n", "1 2 x"] {
            assert_eq!(ServiceStatus::of_text(5, text), None, "{text:?}");
        }
    }
}
