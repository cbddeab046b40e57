//! The parameters, layers and macros of imported patches.

use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::{Patch, Tracks};
use std::sync::Arc;

/// A patch that plays `tracks`.
pub(super) fn patch(name: &str, tracks: Arc<Tracks>, partials: usize) -> Patch {
    let mut patch = Patch::new();
    patch.name = name.to_owned();
    patch.category = "imported".into();
    for (param, value) in [
        // The last choice is the patch's own table.
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

/// Makes `other` the second layer of `patch`, with that choice of `layer.mode`, and adds a macro that
/// blends them.
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
    add_macro(patch, 4, "Blend", Param::LayerBlend, 1.0);
}

/// Names a macro and routes it to a parameter.
pub(super) fn add_macro(patch: &mut Patch, index: usize, name: &str, target: Param, amount: f32) {
    const MACROS: [Source; 5] =
        [Source::Macro1, Source::Macro2, Source::Macro3, Source::Macro4, Source::Macro5];
    patch.macro_names[index] = name.to_owned();
    patch.routes.push(Route {
        source: MACROS[index],
        via: None,
        target,
        amount,
        curve: RouteCurve::default(),
    });
}
