//! Outputs besides the main one: what hosts are offered, and which of them a host has opened.
//!
//! CLAP hosts choose between two layouts, and use all outputs of the second. VST3 hosts see all outputs from the
//! start and activate those that they use; `vst3.rs` says which. What belongs to an output that is not open
//! is heard on the main one.

use myriad_engine::OUTPUTS;
use nice_plug::prelude::*;
use std::cell::Cell;

const STEREO: NonZeroU32 = new_nonzero_u32(2);

/// The main output alone.
pub(crate) const MAIN_OUTPUT: AudioIOLayout = AudioIOLayout {
    main_output_channels: Some(STEREO),
    names: PortNames { layout: Some("Stereo"), ..PortNames::const_default() },
    ..AudioIOLayout::const_default()
};

/// The main output and all others.
pub(crate) const ALL_OUTPUTS: AudioIOLayout = AudioIOLayout {
    main_output_channels: Some(STEREO),
    aux_output_ports: &[STEREO; OUTPUTS],
    names: PortNames {
        layout: Some("Stereo and 8 outputs"),
        main_output: Some("Main"),
        aux_outputs: &[
            "Output 1", "Output 2", "Output 3", "Output 4", "Output 5", "Output 6", "Output 7",
            "Output 8",
        ],
        ..PortNames::const_default()
    },
    ..AudioIOLayout::const_default()
};

thread_local! {
    /// The outputs that a VST3 host has activated, a bit each, while it activates the instance on this
    /// thread; none for hosts of other formats.
    static ACTIVATED: Cell<Option<u8>> = const { Cell::new(None) };
}

/// Calls `activate` for an instance whose host has activated these outputs.
pub(crate) fn with_activated<T>(outputs: u8, activate: impl FnOnce() -> T) -> T {
    ACTIVATED.set(Some(outputs));
    let result = activate();
    ACTIVATED.set(None);
    result
}

/// The outputs that are open in a layout, a bit each.
pub(crate) fn open(layout: &AudioIOLayout) -> u8 {
    match layout.aux_output_ports.is_empty() {
        true => 0,
        false => ACTIVATED.get().unwrap_or(u8::MAX),
    }
}
