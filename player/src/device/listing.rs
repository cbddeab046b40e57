//! `--list`: outputs and MIDI inputs.

use super::{DeviceError, Host, cpal_device};
use crate::failure::Failure;
use crate::midi;
use crate::terminal;
use serde::Serialize;
use std::fmt::Write;

/// The fields are the keys of `--json`.
#[derive(Serialize)]
pub struct Listing {
    pub outputs: Vec<Output>,
    pub midi: Vec<String>,
    /// Hosts without a device, and why.
    pub silent: Vec<Silent>,
}

#[derive(Serialize)]
pub struct Output {
    pub host: &'static str,
    pub device: String,
    /// Whether `myriad play` uses it without options.
    pub default: bool,
}

/// A host without a device.
#[derive(Serialize)]
pub struct Silent {
    pub host: &'static str,
    pub reason: String,
    /// Whether its library is not installed.
    #[serde(skip)]
    pub lacks_library: bool,
}

/// # Errors
/// When standard output cannot be written to.
pub fn print(json: bool) -> Result<(), Failure> {
    let listing = Listing::gather();
    match json {
        true => terminal::print_json(&listing),
        false => terminal::print(&listing.to_text()),
    }
}

impl Listing {
    pub fn gather() -> Self {
        #[cfg(target_os = "linux")]
        let _silence = alsa::Output::local_error_handler();
        let mut listing =
            Self { outputs: Vec::new(), midi: midi::ports::names(), silent: Vec::new() };
        for &host in Host::AUDIBLE {
            let devices = match host {
                #[cfg(unix)]
                Host::Jack => super::jack_server::connect("myriad-list").map(|client| {
                    listing.midi.extend(super::jack_server::midi_sources(&client));
                    super::jack_server::outputs(&client)
                }),
                _ => cpal_device::playable(host),
            };
            match devices {
                Ok(names) if names.is_empty() => listing.silent.push(Silent {
                    host: host.name(),
                    reason: "no device".to_owned(),
                    lacks_library: false,
                }),
                Ok(names) => listing.add(host.name(), names),
                Err(error) => listing.silent.push(Silent {
                    host: host.name(),
                    reason: error.to_string(),
                    lacks_library: matches!(error, DeviceError::NoLibrary { .. }),
                }),
            }
        }
        listing
    }

    fn add(&mut self, host: &'static str, names: Vec<String>) {
        for device in names {
            let default = self.outputs.is_empty();
            self.outputs.push(Output { host, device, default });
        }
    }

    fn to_text(&self) -> String {
        let mut text = String::from("Outputs (* is the default; --host and --output choose)\n");
        for output in &self.outputs {
            let mark = if output.default { '*' } else { ' ' };
            let _ = writeln!(text, "{mark} {:<11}{}", output.host, output.device);
        }
        for silent in &self.silent {
            let _ = writeln!(text, "- {:<11}{}", silent.host, silent.reason);
        }
        let _ = writeln!(text, "  {:<11}no sound, paced by the clock", "clock");
        text.push_str("\nMIDI inputs (all are connected; --midi chooses)\n");
        for name in &self.midi {
            let _ = writeln!(text, "  {name}");
        }
        if self.midi.is_empty() {
            text.push_str("  none; inputs are connected when they are plugged in\n");
        }
        text
    }
}
