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
        let advice = match silent.lacks_library {
            true => how_to_install(silent.host),
            false => advice(silent.host),
        };
        findings.push(Finding::ok("audio", text).with(State::Note, advice));
    }
    if findings.iter().all(|finding| finding.state != State::Ok) {
        findings.push(Finding::ok("audio", "nothing can be heard here").with(
            State::Broken,
            format!(
                "{}plug in a sound device; until then `myriad render` writes files and \
                 `myriad play --host clock` plays in silence",
                match cfg!(target_os = "linux") {
                    true => "start a sound server (PipeWire, PulseAudio or jackd), or ",
                    false => "",
                }
            ),
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

/// For hosts whose library is not installed.
fn how_to_install(host: &str) -> &'static str {
    match host {
        "ALSA" => {
            "install it: sudo apt install libasound2 (on Debian 13, Ubuntu 24.04 and newer: libasound2t64), \
             sudo dnf install alsa-lib, or sudo pacman -S alsa-lib"
        }
        _ => {
            "for the least latency install one: sudo apt install pipewire-jack, or jackd2 for a server \
             of its own"
        }
    }
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
    let found = plugin_places().into_iter().filter(|path| path.exists());
    let found: Vec<String> = found.map(|path| path.display().to_string()).collect();
    let how = match cfg!(windows) {
        true => "run the installer, then let the host scan again",
        false => {
            "run ./install of the archive, or make install-plugin in the sources; then let the host \
             scan again"
        }
    };
    match found.as_slice() {
        [] => {
            Finding::ok("plugin", "not installed: no Myriad.vst3 or Myriad.clap where hosts look")
                .with(State::Note, how)
        }
        found => Finding::ok("plugin", found.join(", ")),
    }
}

/// Where hosts look for the plugin: folders of the user, then those of all users.
fn plugin_places() -> Vec<PathBuf> {
    let folder =
        |variable: &str, below: &str| Some(PathBuf::from(std::env::var_os(variable)?).join(below));
    let (folders, bundles) = if cfg!(windows) {
        let own = folder("LOCALAPPDATA", r"Programs\Common");
        ([own, folder("CommonProgramFiles", "")], [r"VST3\Myriad.vst3", r"CLAP\Myriad.clap"])
    } else if cfg!(target_os = "macos") {
        let own = folder("HOME", "Library/Audio/Plug-Ins");
        let all = Some(PathBuf::from("/Library/Audio/Plug-Ins"));
        ([own, all], ["VST3/Myriad.vst3", "CLAP/Myriad.clap"])
    } else {
        // Hidden in the user's folder alone.
        let own = [".vst3/Myriad.vst3", ".clap/Myriad.clap"].map(|bundle| folder("HOME", bundle));
        let all = ["vst3/Myriad.vst3", "clap/Myriad.clap"]
            .map(|bundle| PathBuf::from("/usr/lib").join(bundle));
        return own.into_iter().flatten().chain(all).collect();
    };
    let folders = folders.into_iter().flatten();
    folders.flat_map(|folder| bundles.map(|bundle| folder.join(bundle))).collect()
}
