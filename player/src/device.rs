//! Audio devices: what asks for frames, block after block.
//!
//! There are four kinds: JACK servers (a client of our own, so that MIDI arrives with its exact frame);
//! what cpal supports (PulseAudio and PipeWire, ALSA, and the sound systems of other platforms); a clock
//! without sound; and virtual time, which is stepped by tests.

pub mod callback;
mod clock;
mod cpal_device;
pub mod handoff;
#[cfg(unix)]
pub mod jack_client;
#[cfg(unix)]
mod jack_server;
pub mod listing;
pub mod manager;
#[cfg(target_os = "linux")]
mod pulse_cookie;
mod resampler;
mod virtual_time;

use crate::midi::Router;
use handoff::{CallbackHandoff, DeviceId};
use myriad_engine::ThreadPolicy;
use std::sync::Arc;

/// The sound system of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Host {
    /// A running JACK server (or PipeWire as one)
    Jack,
    /// PulseAudio, or PipeWire as one
    #[value(alias = "pipewire", alias = "pulseaudio")]
    Pulse,
    /// ALSA
    Alsa,
    /// The operating system's own: WASAPI on Windows, CoreAudio on macOS
    #[value(alias = "wasapi", alias = "coreaudio")]
    System,
    /// No sound, paced by the clock
    Clock,
    /// No sound, paced by [`Device::step`]
    #[value(skip)]
    Virtual,
}

impl Host {
    /// Hosts with sound, in the order in which they are tried.
    pub const AUDIBLE: &[Host] = if cfg!(target_os = "linux") {
        &[Host::Jack, Host::Pulse, Host::Alsa]
    } else {
        &[Host::System]
    };

    pub fn name(self) -> &'static str {
        match self {
            Host::Jack => "JACK",
            Host::Pulse => "PulseAudio",
            Host::Alsa => "ALSA",
            Host::System if cfg!(windows) => "WASAPI",
            Host::System if cfg!(target_os = "macos") => "CoreAudio",
            Host::System => "system",
            Host::Clock => "clock",
            Host::Virtual => "virtual",
        }
    }
}

/// The device that the user asks for.
#[derive(Clone, Debug, Default)]
pub struct DeviceRequest {
    /// Only this host; otherwise the first that works.
    pub host: Option<Host>,
    /// Only a device with this in its name.
    pub name: Option<String>,
    /// Frames a second, if the device can.
    pub rate: Option<u32>,
    /// Frames a block, if the device can.
    pub block: Option<u32>,
    /// Only MIDI ports with this in their names, where the device has MIDI.
    pub midi: Option<String>,
    /// Threads spin instead of sleep.
    pub awake: bool,
}

impl DeviceRequest {
    /// How threads wait for work.
    pub fn thread_policy(&self) -> ThreadPolicy {
        match self.awake {
            true => ThreadPolicy::Spinning,
            false => ThreadPolicy::RealTime,
        }
    }
}

/// The block size where the device leaves the choice to us.
pub const DEFAULT_BLOCK: u32 = 256;

/// The sample rate where nothing else decides.
pub const DEFAULT_RATE: u32 = 48_000;

/// Why a device cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("no audio device works here{}; --host clock plays without one", reasons(.0))]
    None(Vec<String>),
    #[error("no {host} device is called '{name}'; there {}", listed(.known))]
    Unknown { host: &'static str, name: String, known: Vec<String> },
    #[error("{0} is not available on this system")]
    Unavailable(&'static str),
    #[error("{host}: {reason}")]
    Refused { host: &'static str, reason: String },
    #[error("{host}: its library is not installed ({error})")]
    NoLibrary { host: &'static str, error: String },
}

fn reasons(reasons: &[String]) -> String {
    match reasons {
        [] => String::new(),
        some => format!(" ({})", some.join("; ")),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "is none".to_owned(),
        [one] => format!("is {one}"),
        some => format!("are {}", some.join(", ")),
    }
}

/// What does not change while a device is open.
pub struct DeviceInfo {
    pub name: String,
    pub host: Host,
    pub rate: u32,
}

/// A device that plays what the [`CallbackHandoff`] holds, until it is dropped.
pub trait Device: Send {
    fn info(&self) -> &DeviceInfo;
    fn name(&self) -> String {
        self.info().name.clone()
    }
    fn host(&self) -> Host {
        self.info().host
    }
    /// Frames a second.
    fn rate(&self) -> u32 {
        self.info().rate
    }
    /// Frames that it asks for at a time.
    fn block(&self) -> usize;
    /// The most frames that it may ask for at once.
    fn burst(&self) -> usize {
        self.block()
    }
    /// Why it has stopped, once it has.
    fn failure(&self) -> Option<String> {
        None
    }
    /// Blocks that the device itself reports as late.
    fn xruns(&self) -> u64 {
        0
    }
    /// Asks for the next block, in virtual time.
    fn step(&mut self) {}
    /// Connects new MIDI ports; returns notices for the user.
    fn poll(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// What a device needs: the sound to play, and the receiver of its MIDI messages.
#[derive(Clone)]
pub struct DeviceContext {
    pub handoff: Arc<CallbackHandoff>,
    pub router: Arc<Router>,
    /// Identifies the device to the handoff.
    pub device_id: DeviceId,
}

/// Opens the device that is asked for, or the first that works.
///
/// # Errors
/// When none works.
pub fn open(
    device_request: &DeviceRequest,
    context: &DeviceContext,
) -> Result<Box<dyn Device>, DeviceError> {
    match device_request.host {
        Some(host) => open_host(host, device_request, context),
        None => {
            let mut reasons = Vec::new();
            for &host in Host::AUDIBLE {
                match open_host(host, device_request, context) {
                    Ok(device) => return Ok(device),
                    Err(error) => reasons.push(error.to_string()),
                }
            }
            Err(DeviceError::None(reasons))
        }
    }
}

fn open_host(
    host: Host,
    device_request: &DeviceRequest,
    context: &DeviceContext,
) -> Result<Box<dyn Device>, DeviceError> {
    match host {
        #[cfg(unix)]
        Host::Jack => Ok(Box::new(jack_server::Client::open(device_request, context)?)),
        #[cfg(not(unix))]
        Host::Jack => Err(DeviceError::Unavailable(Host::Jack.name())),
        Host::Clock => Ok(Box::new(clock::Clock::start(device_request, context)?)),
        Host::Virtual => Ok(Box::new(virtual_time::Virtual::new(device_request, context))),
        Host::Pulse | Host::Alsa | Host::System => {
            Ok(Box::new(cpal_device::CpalDevice::open(host, device_request, context)?))
        }
    }
}

/// The index of the name that equals `wanted`, else of the first that contains it.
fn find(names: &[String], wanted: &str) -> Option<usize> {
    let wanted = wanted.to_lowercase();
    let position = |same: &dyn Fn(&str) -> bool| {
        let mut names = names.iter();
        names.position(|name| same(&name.to_lowercase()))
    };
    position(&|name| name == wanted).or_else(|| position(&|name| name.contains(&wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_are_preferred_to_partial_ones() {
        let names = ["USB Audio 2", "usb audio", "HDMI"].map(str::to_owned);
        assert_eq!(find(&names, "USB Audio"), Some(1));
        assert_eq!(find(&names, "audio"), Some(0));
        assert_eq!(find(&names, "hdm"), Some(2));
        assert_eq!(find(&names, "jack"), None);
    }
}
