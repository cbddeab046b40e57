//! Audio outputs, MIDI inputs, and whether hosts find the plugin.

use super::{Finding, State};
use myriad_player::Listing;
use std::path::PathBuf;

/// The description of ALSA's null device.
const ALSA_NULL: &str = "Discard all samples";

pub(super) fn examine() -> Vec<Finding> {
    let listing = Listing::gather();
    let mut findings = Vec::new();
    for output in &listing.outputs {
        let default = if output.default { " (the default)" } else { "" };
        let text = format!("{}: {}{default}", output.host, output.device);
        let finding = Finding::ok("audio", text);
        findings.push(match output.device.starts_with(ALSA_NULL) {
            true => finding.with(State::Note, "that is no loudspeaker: what goes there is gone"),
            false => finding,
        });
    }
    for silent in &listing.silent {
        // Most reasons begin with the host's name.
        let reason = silent.reason.trim_start_matches(silent.host);
        let text = format!("{}: {}", silent.host, reason.trim_start_matches(": "));
        findings.push(Finding::ok("audio", text).with(State::Note, advice(silent.host)));
    }
    if findings.iter().all(|finding| finding.state != State::Ok) {
        findings.push(Finding::ok("audio", "nothing can be heard here").with(
            State::Broken,
            "start a sound server (PipeWire, PulseAudio or jackd), or plug in a sound device; until \
             then `myriad render` writes files and `myriad play --host clock` plays in silence",
        ));
    }
    findings.push(match listing.midi.as_slice() {
        [] => Finding::ok("midi", "no MIDI input")
            .with(State::Note, "plug in a keyboard at any time; the computer's keys play too"),
        names => Finding::ok("midi", names.join(", ")),
    });
    findings.push(plugin());
    findings
}

fn advice(host: &str) -> &'static str {
    match host {
        "JACK" => "start one (jackd -d alsa, or PipeWire's pw-jack) for the least latency",
        "PulseAudio" => {
            "on a desktop: systemctl --user start pipewire-pulse, or pulseaudio --start"
        }
        "ALSA" => {
            "no sound device is known to the system: aplay -l lists them; containers need --device /dev/snd"
        }
        _ => "look at the system's sound settings",
    }
}

/// Whether the plugin is in a folder that hosts scan.
fn plugin() -> Finding {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let bundles = match cfg!(target_os = "macos") {
        true => ["VST3/Myriad.vst3", "CLAP/Myriad.clap"],
        false => ["vst3/Myriad.vst3", "clap/Myriad.clap"],
    };
    let in_home = |bundle: &str| match cfg!(target_os = "macos") {
        true => format!("Library/Audio/Plug-Ins/{bundle}"),
        false => format!(".{bundle}"),
    };
    let system = match cfg!(target_os = "macos") {
        true => "/Library/Audio/Plug-Ins",
        false => "/usr/lib",
    };
    let own = home.iter().flat_map(|home| bundles.map(|bundle| home.join(in_home(bundle))));
    let shared = bundles.map(|bundle| PathBuf::from(system).join(bundle));
    let found = own.chain(shared).filter(|path| path.exists());
    let found: Vec<String> = found.map(|path| path.display().to_string()).collect();
    match found.as_slice() {
        [] => {
            Finding::ok("plugin", "not installed: no Myriad.vst3 or Myriad.clap where hosts look")
                .with(State::Note, "make install-plugin, then let the host scan again")
        }
        found => Finding::ok("plugin", found.join(", ")),
    }
}
