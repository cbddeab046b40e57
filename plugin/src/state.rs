//! The state that a project saves.
//!
//! The host gets JSON: the version, the position of every knob, and the fields below. Knobs and patch
//! together contain every value to the last bit (see [`crate::params`]). Fields that cannot be read are
//! ignored.

use crate::params::{BYPASS, Knob, MPE, MyriadParams};
use crate::settings;
use crate::synth::RenderTarget;
use myriad_engine::Patch;
use myriad_engine::params::{Kind, Param};
use nice_plug::plugin::ParamValue;
use nice_plug::prelude::PluginState;
use std::collections::BTreeMap;

/// The number of this format. Fields of later ones are ignored by earlier versions.
const FORMAT: u32 = 1;

/// The format's number, for migrations.
const FORMAT_FIELD: &str = "format";
/// The patch with the values of the knobs, as TOML.
const PATCH_FIELD: &str = "patch";
/// The editor's state.
const UI_FIELD: &str = "ui";
/// The chosen renderer.
const RENDER_TARGET_FIELD: &str = "renderer";
/// Which MIDI controllers move which parameters.
const CONTROLLERS_FIELD: &str = "controllers";
/// Tuning, bend range and MPE.
const SETTINGS_FIELD: &str = "settings";

/// The fields to save.
pub(crate) fn save(params: &MyriadParams) -> BTreeMap<String, String> {
    let fields = [
        (FORMAT_FIELD, FORMAT.to_string()),
        (PATCH_FIELD, params.current_patch().to_toml()),
        (UI_FIELD, params.shared.ui()),
        (RENDER_TARGET_FIELD, write_render_target(params.shared.render_target())),
        (CONTROLLERS_FIELD, params.shared.controllers.to_text()),
        (SETTINGS_FIELD, settings::write(&params.shared.settings())),
    ];
    fields.map(|(name, text)| (name.into(), text)).into()
}

/// Restores saved fields; the host has restored the knobs already. Not for the audio thread.
pub(crate) fn restore(params: &MyriadParams, fields: &BTreeMap<String, String>) {
    if let Some(ui) = fields.get(UI_FIELD) {
        params.shared.set_ui(ui.clone());
    }
    let render_target = fields.get(RENDER_TARGET_FIELD).map_or("", String::as_str);
    params.shared.set_render_target(read_render_target(render_target));
    let controllers = fields.get(CONTROLLERS_FIELD).map_or("", String::as_str);
    params.shared.controllers.restore(controllers);
    let text = fields.get(SETTINGS_FIELD).map_or("", String::as_str);
    params.shared.set_settings(settings::read(text));
    let text = fields.get(PATCH_FIELD);
    let read = text.and_then(|text| Patch::parse(text, "the project").ok());
    let mut patch = read.unwrap_or_default();
    patch.values = params.values(&patch.values, Knob::position);
    params.shared.load(patch);
}

/// Puts another patch into a state: its values and itself. Everything else stays.
pub(crate) fn put_patch(state: &mut PluginState, patch: &Patch) {
    for &param in Param::ALL {
        let (kind, value) = (param.info().kind, patch.values[param]);
        let value = match kind {
            Kind::Number { .. } => ParamValue::F32(kind.to_scale(value)),
            Kind::Whole { .. } | Kind::Choice(_) => ParamValue::I32(value as i32),
        };
        state.params.insert(param.info().id.into(), value);
    }
    state.fields.insert(PATCH_FIELD.into(), patch.to_toml());
}

fn write_render_target(render_target: RenderTarget) -> String {
    let known = RenderTarget::WORDS.iter().find(|(known, _)| *known == render_target);
    known.map_or("", |(_, word)| word).into()
}

/// The CPU if the text is not known.
fn read_render_target(text: &str) -> RenderTarget {
    let known = RenderTarget::WORDS.iter().find(|(_, word)| *word == text);
    known.map(|(render_target, _)| *render_target).unwrap_or_default()
}

/// Repairs a saved state before it is restored: values get the right type and range, and missing
/// parameters their defaults, because they would keep their last value.
pub(crate) fn sanitise(state: &mut PluginState) {
    for &param in Param::ALL {
        let row = param.info();
        let (min, max) = row.kind.range();
        let saved = state.params.get(row.id);
        let value = match (row.kind, saved) {
            (Kind::Number { .. }, Some(ParamValue::F32(way))) if way.is_finite() => {
                ParamValue::F32(way.clamp(0.0, 1.0))
            }
            (Kind::Number { .. }, _) => ParamValue::F32(row.kind.to_scale(row.default)),
            (_, Some(ParamValue::I32(step))) => {
                ParamValue::I32((*step).clamp(min as i32, max as i32))
            }
            _ => ParamValue::I32(row.default as i32),
        };
        state.params.insert(row.id.into(), value);
    }
    for id in [BYPASS, MPE] {
        if !matches!(state.params.get(id), Some(ParamValue::Bool(_))) {
            state.params.insert(id.into(), ParamValue::Bool(false));
        }
    }
}

/// Restores any bytes as a state, as a host would: for the fuzzer.
#[cfg(fuzzing)]
pub fn fuzz(bytes: &[u8]) {
    let Ok(mut state) = serde_json::from_slice::<PluginState>(bytes) else {
        return;
    };
    sanitise(&mut state);
    let params = MyriadParams::new();
    restore(&params, &state.fields);
    // What is saved then is restored to the same.
    let saved = save(&params);
    let again = MyriadParams::new();
    restore(&again, &saved);
    assert_eq!(save(&again)[CONTROLLERS_FIELD], saved[CONTROLLERS_FIELD]);
    assert_eq!(save(&again)[SETTINGS_FIELD], saved[SETTINGS_FIELD]);
    assert_eq!(again.shared.patch().name, params.shared.patch().name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_restore_the_patch_and_the_editor_state() {
        let saved = MyriadParams::new();
        let patch = myriad_engine::factory::patches()[3].clone();
        // The knobs have their defaults, so only the rest of the patch is compared.
        saved.shared.load(patch.clone());
        saved.shared.set_ui("{\"page\": 2}".into());
        saved.shared.set_render_target(RenderTarget::Gpu);
        let restored = MyriadParams::new();
        restore(&restored, &save(&saved));
        assert_eq!(restored.shared.patch().name, patch.name);
        assert_eq!(restored.shared.patch().routes, patch.routes);
        assert_eq!(restored.current_patch(), saved.current_patch());
        assert_eq!(restored.shared.ui(), "{\"page\": 2}");
        assert_eq!(restored.shared.render_target(), RenderTarget::Gpu);
        assert_eq!(read_render_target("a GPU of the future"), RenderTarget::Cpu);
        for (render_target, word) in RenderTarget::WORDS {
            assert_eq!(write_render_target(render_target), word);
            assert_eq!(read_render_target(word), render_target);
        }
    }

    #[test]
    fn values_of_a_wrong_type_or_out_of_range_are_repaired() {
        let mut state = PluginState {
            version: String::new(),
            params: BTreeMap::new(),
            fields: BTreeMap::new(),
        };
        let mut put = |id: &str, value| state.params.insert(id.into(), value);
        put("filter.cutoff", ParamValue::F32(f32::INFINITY));
        put("amp.pan", ParamValue::F32(1e30));
        put("source.table", ParamValue::I32(i32::MIN));
        put("lfo1.shape", ParamValue::String("sine".into()));
        put("bypass", ParamValue::I32(7));
        sanitise(&mut state);
        let value = |id: &str| format!("{:?}", state.params[id]);
        assert_eq!(value("amp.pan"), "F32(1.0)");
        assert_eq!(value("source.table"), "I32(0)");
        assert_eq!(value("lfo1.shape"), "I32(0)");
        assert_eq!(value("bypass"), "Bool(false)");
        let cutoff = Param::FilterCutoff.info();
        let default = ParamValue::F32(cutoff.kind.to_scale(cutoff.default));
        assert_eq!(value("filter.cutoff"), format!("{default:?}"));
    }
}
