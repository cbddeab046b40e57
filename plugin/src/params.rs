//! The host's parameters, one for each row of the engine's table.
//!
//! A host sees the position of a knob, 0 to 1, which the engine's table scales. A knob at the position
//! of the patch's value has exactly that value, without rounding. So positions and patch together
//! contain every value to the last bit.

use crate::shared::Shared;
use crate::synth::VOICES;
use crate::{new_instance, state};
use myriad_editor::{group_name, name_of};
use myriad_engine::mpe::{MpeSettings, MpeZone};
use myriad_engine::params::{Kind, Param, TABLE};
use myriad_engine::{Patch, Values};
use nice_plug::context::gui::GuiContext;
use nice_plug::params::Param as _;
use nice_plug::prelude::*;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Id of the bypass parameter.
pub const BYPASS: &str = "bypass";
/// Id of the MPE switch.
pub const MPE: &str = "mpe";

/// A parameter of the engine as the host sees it.
pub enum Knob {
    /// A number, as a position from 0 to 1.
    Continuous(FloatParam),
    /// A whole number or a choice.
    Stepped(IntParam),
}

impl Knob {
    /// `moved` is called on any thread when the host moves the knob, so it must not block.
    fn new(param: Param, moved: impl Fn() + Send + Sync + 'static) -> Self {
        let row = param.info();
        let kind = row.kind;
        let name = name_of(param);
        let (min, max) = kind.range();
        match kind {
            Kind::Number { .. } => {
                let range = FloatRange::Linear { min: 0.0, max: 1.0 };
                let mut knob = FloatParam::new(name, kind.to_scale(row.default), range)
                    .with_value_to_string(Arc::new(move |position| {
                        row.format(kind.from_scale(position))
                    }))
                    .with_string_to_value(Arc::new(move |text| {
                        row.parse(text).map(|value| kind.to_scale(value))
                    }))
                    .with_callback(Arc::new(move |_| moved()));
                if row.modulated && !row.shared {
                    knob = knob.with_poly_modulation_id(param as u32);
                }
                Knob::Continuous(knob)
            }
            Kind::Whole { .. } | Kind::Choice(_) => {
                let (min, max) = (min as i32, max as i32);
                // Shown as far as the plugin goes. The range stays, as old projects have it.
                let shown = if param == Param::VoiceLimit { VOICES as i32 } else { max };
                let knob = IntParam::new(name, row.default as i32, IntRange::Linear { min, max })
                    .with_value_to_string(Arc::new(move |value| {
                        row.format(value.min(shown) as f32)
                    }))
                    .with_string_to_value(Arc::new(move |text| {
                        row.parse(text).map(|value| value as i32)
                    }))
                    .with_callback(Arc::new(move |_| moved()));
                Knob::Stepped(knob)
            }
        }
    }

    /// Its position with the host's modulation, 0 to 1.
    pub fn modulated_position(&self) -> f32 {
        match self {
            Knob::Continuous(knob) => knob.modulated_normalized_value(),
            Knob::Stepped(knob) => knob.modulated_normalized_value(),
        }
    }

    /// Its position without modulation, 0 to 1.
    pub fn position(&self) -> f32 {
        match self {
            Knob::Continuous(knob) => knob.unmodulated_normalized_value(),
            Knob::Stepped(knob) => knob.unmodulated_normalized_value(),
        }
    }

    /// Begins a gesture of the user.
    pub fn begin(&self, gui: &GuiContext) {
        // SAFETY: the wrapper looks the pointer up among its own and ignores others.
        unsafe { gui.raw_begin_set_parameter(self.as_ptr()) };
    }

    /// Asks the host to move it to a position, 0 to 1.
    pub fn put(&self, gui: &GuiContext, position: f32) {
        // SAFETY: as above.
        unsafe { gui.raw_set_parameter_normalized(self.as_ptr(), position) };
    }

    /// Ends a gesture of the user.
    pub fn end(&self, gui: &GuiContext) {
        // SAFETY: as above.
        unsafe { gui.raw_end_set_parameter(self.as_ptr()) };
    }

    /// Moves it at once, without a report to the host.
    pub(crate) fn set_position(&self, position: f32) {
        // SAFETY: the method is reserved for wrappers; all that it writes is atomic.
        unsafe { self.as_ptr()._internal_set_normalized_value(position) };
    }

    fn as_ptr(&self) -> ParamPtr {
        match self {
            Knob::Continuous(knob) => knob.as_ptr(),
            Knob::Stepped(knob) => knob.as_ptr(),
        }
    }
}

/// The value of a parameter at the knob's `position`; `patch` is the patch's value.
pub fn value_at(param: Param, position: f32, patch: f32) -> f32 {
    let kind = param.info().kind;
    match position == kind.to_scale(patch) {
        true => patch,
        false => kind.from_scale(position),
    }
}

/// All parameters of an instance.
pub struct MyriadParams {
    knobs: Vec<Knob>,
    /// The bypass switch.
    pub bypass: BoolParam,
    /// Whether note channels carry one note each, with its own bend, pressure and brightness.
    pub mpe: BoolParam,
    /// The state that all threads of the instance share.
    pub shared: Arc<Shared>,
    /// The connection to the host, once an editor has been opened.
    gui: Mutex<Option<GuiContext>>,
}

impl MyriadParams {
    /// Everything at its default.
    pub fn new() -> Self {
        let shared = Arc::new(Shared::new());
        new_instance::announce(&shared);
        let knob = |&param: &Param| {
            // An idle editor repaints when the host moves a knob.
            let repaint = shared.repaint.clone();
            Knob::new(param, move || repaint.request_repaint())
        };
        Self {
            knobs: Param::ALL.iter().map(knob).collect(),
            bypass: BoolParam::new("Bypass", false).make_bypass(),
            mpe: BoolParam::new("MPE", false).non_automatable(),
            shared,
            gui: Mutex::new(None),
        }
    }

    /// MPE as the parameter and the instance's settings have it. For any thread.
    pub fn mpe_settings(&self) -> MpeSettings {
        match self.mpe.value() {
            true => self.shared.mpe_when_on(),
            false => MpeSettings { zone: MpeZone::Off, ..self.shared.mpe_when_on() },
        }
    }

    /// Asks the host to switch MPE on or off.
    pub(crate) fn put_mpe(&self, gui: &GuiContext, on: bool) {
        let (switch, value) = (self.mpe.as_ptr(), f32::from(u8::from(on)));
        // SAFETY: the wrapper looks the pointer up among its own and ignores others.
        unsafe {
            gui.raw_begin_set_parameter(switch);
            gui.raw_set_parameter_normalized(switch, value);
            gui.raw_end_set_parameter(switch);
        }
    }

    /// Switches MPE at once, without a report to the host.
    pub(crate) fn set_mpe(&self, on: bool) {
        // SAFETY: the method is reserved for wrappers; all that it writes is atomic.
        unsafe { self.mpe.as_ptr()._internal_set_normalized_value(f32::from(u8::from(on))) };
    }

    /// A parameter's knob.
    pub fn knob(&self, param: Param) -> &Knob {
        &self.knobs[param as usize]
    }

    /// Sets the connection to the host, and reports moved knobs.
    pub(crate) fn set_gui_context(&self, gui: GuiContext) {
        *self.gui.lock() = Some(gui);
        self.notify_host();
    }

    /// Reports what controllers have moved to the host, if there is a connection.
    pub(crate) fn notify_host(&self) {
        if let Some(gui) = &*self.gui.lock() {
            self.shared.controllers.notify_host(self, gui);
        }
    }

    /// Loads the patch again with its convolver, which the host has switched on. Its memory comes with a patch.
    pub(crate) fn add_convolver(&self) {
        let mut patch = self.current_patch();
        patch.values.set(Param::ConvolverOn, 1.0);
        self.shared.load(patch);
    }

    /// The patch with the values of the knobs. Locks; not for the audio thread.
    pub fn current_patch(&self) -> Patch {
        let mut patch = Patch::clone(&self.shared.patch());
        patch.values = self.values(&patch.values, Knob::position);
        patch
    }

    /// All values, given the patch's values and how to read a knob.
    pub(crate) fn values(&self, patch: &Values, read: fn(&Knob) -> f32) -> Values {
        let mut values = patch.clone();
        for (&param, knob) in Param::ALL.iter().zip(&self.knobs) {
            values.set(param, value_at(param, read(knob), patch[param]));
        }
        values
    }

    pub(crate) fn remote_controls(&self, context: &mut impl RemoteControlsContext) {
        let mut groups: Vec<&str> = TABLE.iter().map(|row| row.group()).collect();
        groups.dedup();
        // Macros come first.
        groups.sort_by_key(|&group| group != "macro");
        context.add_section("Myriad", |section| {
            for name in groups {
                let members = || Param::ALL.iter().filter(|row| row.info().group() == name);
                let Some(&first) = members().next() else {
                    continue;
                };
                section.add_page(group_name(first.info().group()), |page| {
                    members().for_each(|&param| match self.knob(param) {
                        Knob::Continuous(knob) => page.add_param(knob),
                        Knob::Stepped(knob) => page.add_param(knob),
                    });
                });
            }
        });
    }
}

impl Default for MyriadParams {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the pointers lead into `knobs`, which never changes, and into fields of this struct. The
// wrapper keeps the struct in an `Arc` while it uses them.
unsafe impl Params for MyriadParams {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        let row = |(&param, knob): (&Param, &Knob)| {
            (param.info().id.to_string(), knob.as_ptr(), group_name(param.info().group()))
        };
        let switch = |id: &str, switch: &BoolParam| (id.into(), switch.as_ptr(), String::new());
        let mut map: Vec<_> = Param::ALL.iter().zip(&self.knobs).map(row).collect();
        // Control surfaces show the first eight, so macros come first. Projects store ids.
        map.sort_by_key(|(id, ..)| !id.starts_with("macro."));
        map.push(switch(BYPASS, &self.bypass));
        map.push(switch(MPE, &self.mpe));
        map
    }

    fn serialize_fields(&self) -> BTreeMap<String, String> {
        state::save(self)
    }

    fn deserialize_fields(&self, fields: &BTreeMap<String, String>) {
        state::restore(self, fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn parameter_names_are_unique() {
        // Without signs: hosts make identifiers of names.
        let plain = |&param| name_of(param).replace(|x: char| !x.is_alphanumeric(), "_");
        let names: HashSet<String> = Param::ALL.iter().map(plain).collect();
        assert_eq!(names.len(), Param::ALL.len());
        assert_eq!(name_of(Param::Env2Attack), "Env 2 Attack");
        assert_eq!(name_of(Param::Lfo1Rate), "LFO 1 Rate");
        assert_eq!(name_of(Param::FilterCutoff), "Filter Cutoff");
        assert_eq!(name_of(Param::UnisonVoices), "Unison");
        assert_eq!(name_of(Param::Macro3), "Macro 3");
    }

    #[test]
    fn a_knob_at_the_patch_value_has_exactly_that_value() {
        for &param in Param::ALL {
            let kind = param.info().kind;
            for step in 0..=1_000 {
                // Values that no position represents exactly.
                let value = param.info().clamp(kind.from_scale(step as f32 / 1_000.0) * 1.000_001);
                assert_eq!(value_at(param, kind.to_scale(value), value), value);
            }
        }
    }

    #[test]
    fn moving_a_knob_calls_its_callback() {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
        let moves = Arc::new(AtomicUsize::new(0));
        for param in [Param::FilterCutoff, Param::FilterType] {
            let counted = moves.clone();
            let knob = Knob::new(param, move || {
                counted.fetch_add(1, Relaxed);
            });
            for position in [1.0, 1.0, 0.0] {
                knob.set_position(position);
            }
        }
        assert_eq!(moves.load(Relaxed), 4, "once for each move");
    }

    #[test]
    fn defaults_equal_the_init_patch() {
        let params = MyriadParams::new();
        assert_eq!(params.current_patch(), Patch::new());
    }
}
