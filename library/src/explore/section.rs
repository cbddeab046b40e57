//! The sections of a patch: parts of it that can be locked, inherited, or loaded by themselves.

use myriad_engine::Patch;
use myriad_engine::params::Param;
use std::sync::LazyLock;

/// A section of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The table, unison, and the key zones of a kit.
    Source,
    /// The second layer.
    Layer,
    /// Shape of the spectrum: tilt, scale, dynamics, decay.
    Shape,
    /// Both filters, and the drawn curve.
    Filter,
    /// The envelopes.
    Envelopes,
    /// The LFOs, with their drawn waveforms.
    Lfos,
    /// The effect rack.
    Effects,
    /// Arpeggiator and chord.
    Arp,
    /// Modulation routes and macros.
    Routes,
    /// Pitch, level, voices, zone and tuning: how the patch is played. Random changes leave them alone.
    Play,
}

impl Section {
    /// All sections.
    pub const ALL: [Section; 10] = [
        Section::Source,
        Section::Layer,
        Section::Shape,
        Section::Filter,
        Section::Envelopes,
        Section::Lfos,
        Section::Effects,
        Section::Arp,
        Section::Routes,
        Section::Play,
    ];

    /// Those that random changes reach.
    pub const RANDOM: &[Section] = Self::ALL.split_at(Self::ALL.len() - 1).0;

    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            Section::Source => "Source",
            Section::Layer => "Layer",
            Section::Shape => "Shape",
            Section::Filter => "Filter",
            Section::Envelopes => "Envelopes",
            Section::Lfos => "LFOs",
            Section::Effects => "Effects",
            Section::Arp => "Arp",
            Section::Routes => "Routes",
            Section::Play => "Pitch and level",
        }
    }

    /// The section of a parameter.
    pub fn of(param: Param) -> Section {
        static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
            Param::ALL.iter().map(|param| of_group(param.info().group())).collect()
        });
        SECTIONS[param as usize]
    }

    /// The parameters of this section.
    pub fn params(self) -> impl Iterator<Item = Param> {
        Param::ALL.iter().copied().filter(move |&param| Section::of(param) == self)
    }

    /// Copies this section of one patch into another.
    pub fn copy(self, from: &Patch, into: &mut Patch) {
        for param in self.params() {
            into.values.set(param, from.values[param]);
        }
        match self {
            Section::Source => {
                into.tracks[0].clone_from(&from.tracks[0]);
                into.key_zones.clone_from(&from.key_zones);
            }
            Section::Layer => into.tracks[1].clone_from(&from.tracks[1]),
            Section::Lfos => into.drawings = from.drawings,
            Section::Effects => into.impulse.clone_from(&from.impulse),
            Section::Routes => {
                into.routes.clone_from(&from.routes);
                into.macro_names.clone_from(&from.macro_names);
            }
            Section::Play => into.tuning.clone_from(&from.tuning),
            Section::Envelopes => into.envelopes = from.envelopes,
            Section::Shape | Section::Filter | Section::Arp => {}
        }
    }
}

/// The section of a group of the parameter table. A group that is not known here is an effect if it has a
/// switch and a place in the rack, else it shapes the spectrum.
fn of_group(group: &str) -> Section {
    let has = |key: &str| Param::by_id(&format!("{group}.{key}")).is_some();
    match group.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "source" | "unison" => Section::Source,
        "layer" => Section::Layer,
        "filter" | "curve" => Section::Filter,
        "env" => Section::Envelopes,
        "lfo" => Section::Lfos,
        "arp" | "step" | "chord" => Section::Arp,
        "macro" => Section::Routes,
        "pitch" | "amp" | "voice" | "zone" | "output" => Section::Play,
        _ if has("on") && has("place") => Section::Effects,
        _ => Section::Shape,
    }
}

/// Which parameter of the second layer corresponds to one of the first.
const LAYER_PAIRS: [(Param, Param); 9] = [
    (Param::SourceTable, Param::LayerTable),
    (Param::SourcePosition, Param::LayerPosition),
    (Param::SourceSpeed, Param::LayerSpeed),
    (Param::SourcePartials, Param::LayerPartials),
    (Param::SourceFormant, Param::LayerFormant),
    (Param::ShapeTilt, Param::LayerTilt),
    (Param::ShapeBandwidth, Param::LayerBandwidth),
    (Param::StrikeHardness, Param::LayerHardness),
    (Param::StrikeMaterial, Param::LayerMaterial),
];

/// Loads the first layer of one patch into the second layer of another, which is switched on if it was off.
pub fn load_into_layer(from: &Patch, into: &mut Patch) {
    for (first, second) in LAYER_PAIRS {
        into.values.set(second, from.values[first]);
    }
    let semitones =
        |patch: &Patch| patch.values[Param::PitchTranspose] + patch.values[Param::PitchTune];
    into.values.set(Param::LayerTune, semitones(from) - semitones(into));
    into.tracks[1].clone_from(&from.tracks[0]);
    if into.values[Param::LayerMode] == 0.0 {
        const MIX: f32 = 1.0;
        into.values.set(Param::LayerMode, MIX);
    }
}
