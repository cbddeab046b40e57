//! Where sound can go, and where MIDI can come from.

use super::{Finding, State};
use myriad_player::Listing;

/// What ALSA calls its device that leads nowhere.
const ALSA_NULL: &str = "Discard all samples";

pub(super) fn examine() -> Vec<Finding> {
    let listing = Listing::gather();
    let mut findings: Vec<Finding> = listing
        .outputs
        .iter()
        .map(|output| {
            let default = if output.default { " (the default)" } else { "" };
            let text = format!("{}: {}{default}", output.host, output.device);
            match output.device.starts_with(ALSA_NULL) {
                true => Finding::note(
                    "audio",
                    text,
                    "that is no loudspeaker: what goes there is gone",
                ),
                false => Finding::ok("audio", text),
            }
        })
        .collect();
    for silent in &listing.silent {
        // Most reasons begin with the host's name.
        let reason = silent.reason.trim_start_matches(silent.host);
        let reason = reason.trim_start_matches(": ");
        let text = format!("{}: {reason}", silent.host);
        findings.push(Finding::note("audio", text, advice(silent.host)));
    }
    if findings.iter().all(|finding| finding.state != State::Ok) {
        findings.push(Finding::broken(
            "audio",
            "nothing can be heard here",
            "start a sound server (PipeWire, PulseAudio or jackd), or plug in a sound device; until \
             then `myriad render` writes files and `myriad play --host clock` plays in silence",
        ));
    }
    findings.push(match listing.midi.as_slice() {
        [] => Finding::note(
            "midi",
            "no MIDI input",
            "plug in a keyboard at any time; the computer's keys play too",
        ),
        names => Finding::ok("midi", names.join(", ")),
    });
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
