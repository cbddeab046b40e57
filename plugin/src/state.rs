//! What a project keeps of an instance.
//!
//! The host gets JSON: the version, the position of every knob, and the fields below. Knobs and
//! patch together say every value to the last bit (see [`crate::params`]). What cannot be read is
//! left out and never fails the host.

use crate::params::{BYPASS, Knob, MPE, MyriadParams};
use crate::synth::Renders;
use myriad_engine::Patch;
use myriad_engine::params::{Kind, Param};
use nice_plug::plugin::ParamValue;
use nice_plug::prelude::PluginState;
use std::collections::BTreeMap;

/// The number of this format. Fields of later ones are ignored by earlier versions.
const FORMAT: u32 = 1;

/// The format's number, for migrations.
const FORMAT_FIELD: &str = "format";
/// The patch as its knobs stand, as TOML: name, macro names, routes and values.
const PATCH_FIELD: &str = "patch";
/// What the editor remembers.
const UI_FIELD: &str = "ui";
/// Who renders.
const RENDERS_FIELD: &str = "renderer";
/// Which MIDI controllers move which parameters.
const CONTROLLERS_FIELD: &str = "controllers";

/// The fields to save.
pub(crate) fn save(params: &MyriadParams) -> BTreeMap<String, String> {
    let fields = [
        (FORMAT_FIELD, FORMAT.to_string()),
        (PATCH_FIELD, params.current_patch().to_toml()),
        (UI_FIELD, params.shared.ui()),
        (RENDERS_FIELD, write_renders(params.shared.renders())),
        (CONTROLLERS_FIELD, params.shared.controllers.to_text()),
    ];
    fields.map(|(name, text)| (name.into(), text)).into()
}

/// Takes saved fields over; knobs already stand where they were saved. Runs on a thread of the
/// host's or the editor's, never on the audio thread.
pub(crate) fn restore(params: &MyriadParams, fields: &BTreeMap<String, String>) {
    if let Some(ui) = fields.get(UI_FIELD) {
        params.shared.set_ui(ui.clone());
    }
    let renders = fields.get(RENDERS_FIELD).map_or("", String::as_str);
    params.shared.set_renders(read_renders(renders));
    let controllers = fields.get(CONTROLLERS_FIELD).map_or("", String::as_str);
    params.shared.controllers.restore(controllers);
    let text = fields.get(PATCH_FIELD);
    let read = text.and_then(|text| Patch::parse(text, "the project").ok());
    let mut patch = read.unwrap_or_default();
    patch.values = params.values(&patch.values, Knob::position);
    params.shared.load(patch);
}

fn write_renders(renders: Renders) -> String {
    let known = Renders::ALL.iter().find(|(known, ..)| *known == renders);
    known.map_or("", |(.., word)| word).into()
}

/// The processor, where a project says nothing that we know.
fn read_renders(text: &str) -> Renders {
    let known = Renders::ALL.iter().find(|(.., word)| *word == text);
    known.map(|(renders, ..)| *renders).unwrap_or_default()
}

/// Makes a saved state whole before it is taken over: values of the right kind and in range, and
/// every parameter present, since those that a state does not name would keep their last value.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_restore_the_patch_and_what_the_editor_remembers() {
        let saved = MyriadParams::new();
        let patch = myriad_engine::factory::patches()[3].clone();
        // Knobs stand at their defaults, so the values are those; the rest is the patch's.
        saved.shared.load(patch.clone());
        saved.shared.set_ui("{\"page\": 2}".into());
        saved.shared.set_renders(Renders::Gpu);
        let restored = MyriadParams::new();
        restore(&restored, &save(&saved));
        assert_eq!(restored.shared.patch().name, patch.name);
        assert_eq!(restored.shared.patch().routes, patch.routes);
        assert_eq!(restored.current_patch(), saved.current_patch());
        assert_eq!(restored.shared.ui(), "{\"page\": 2}");
        assert_eq!(restored.shared.renders(), Renders::Gpu);
        assert_eq!(read_renders("a GPU of the future"), Renders::Processor);
    }

    #[test]
    fn values_of_a_wrong_kind_or_out_of_range_are_mended() {
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
