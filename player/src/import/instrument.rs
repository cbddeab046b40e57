//! From tracks to an instrument: what every imported patch has.

use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::{Patch, Tracks};
use std::sync::Arc;

/// A patch that plays `tracks`, with knobs for what can be done to them.
pub(super) fn patch(name: &str, tracks: Arc<Tracks>, partials: usize) -> Patch {
    let mut patch = Patch::new();
    patch.name = name.to_owned();
    patch.category = "imported".into();
    for (param, value) in [
        // The last choice is what the patch brings along.
        (Param::SourceTable, Param::SourceTable.info().kind.range().1),
        (Param::SourcePosition, 0.0),
        (Param::SourcePartials, partials as f32),
        (Param::Env1Attack, 0.0),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Release, 0.15),
        (Param::ShapeBandGrowth, 0.0),
    ] {
        patch.values.set(param, value);
    }
    patch.tracks[0] = Some(tracks);
    patch
}

/// Gives `patch` what `other` plays as its second layer, in this mode of `layer.mode`, and a macro
/// that leads from the one to the other.
pub fn add_layer(patch: &mut Patch, other: Patch, mode: u8) {
    let imported = Param::LayerTable.info().kind.range().1;
    let most = |param| patch.values[param].max(other.values[param]);
    for (param, value) in [
        (Param::LayerMode, f32::from(mode)),
        (Param::LayerTable, imported),
        (Param::LayerPosition, other.values[Param::SourcePosition]),
        (Param::LayerSpeed, other.values[Param::SourceSpeed]),
        (Param::LayerPartials, other.values[Param::SourcePartials]),
        (Param::LayerBandwidth, other.values[Param::ShapeBandwidth]),
        (Param::LayerBlend, 0.0),
        (Param::SourcePartials, most(Param::SourcePartials)),
    ] {
        patch.values.set(param, value);
    }
    let [tracks, _] = other.tracks;
    patch.tracks[1] = tracks;
    macro_to(patch, 4, "Blend", Param::LayerBlend, 1.0);
}

/// Has a macro move a parameter, and names it.
pub(super) fn macro_to(patch: &mut Patch, index: usize, name: &str, target: Param, amount: f32) {
    const MACROS: [Source; 5] = [
        Source::Macro1,
        Source::Macro2,
        Source::Macro3,
        Source::Macro4,
        Source::Macro5,
    ];
    patch.macro_names[index] = name.to_owned();
    patch.routes.push(Route {
        source: MACROS[index],
        via: None,
        target,
        amount,
        curve: RouteCurve::default(),
    });
}
