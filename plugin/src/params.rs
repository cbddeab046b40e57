//! The host's parameters, one for each row of the engine's table.
//!
//! A host sees a knob's way from 0 to 1; the engine's table says what that means. A knob that
//! stands where the patch put it has exactly the patch's value, whatever rounding the way costs:
//! so positions and patch together say every value to the last bit.

use crate::shared::Shared;
use crate::state;
use myriad_editor::{group_name, name_of};
use myriad_engine::params::{Kind, Param, TABLE};
use myriad_engine::{Patch, Values};
use nice_plug::context::gui::GuiContext;
use nice_plug::params::Param as _;
use nice_plug::prelude::*;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Id of the parameter that silences the instrument.
pub const BYPASS: &str = "bypass";
/// Id of the switch for MPE controllers.
pub const MPE: &str = "mpe";

/// A parameter of the engine as the host sees it.
pub enum Knob {
    /// A number, as its knob's way.
    Way(FloatParam),
    /// A whole number or a choice.
    Steps(IntParam),
}

impl Knob {
    /// `moved` is called on any thread when the host moves it: it must be quick and never wait.
    fn new(param: Param, moved: impl Fn() + Send + Sync + 'static) -> Self {
        let row = param.info();
        let kind = row.kind;
        let name = name_of(param);
        let (min, max) = kind.range();
        match kind {
            Kind::Number { .. } => {
                let range = FloatRange::Linear { min: 0.0, max: 1.0 };
                let mut way = FloatParam::new(name, kind.to_scale(row.default), range)
                    .with_value_to_string(Arc::new(move |way| row.format(kind.from_scale(way))))
                    .with_string_to_value(Arc::new(move |text| {
                        row.parse(text).map(|value| kind.to_scale(value))
                    }))
                    .with_callback(Arc::new(move |_| moved()));
                if row.modulated && !row.shared {
                    way = way.with_poly_modulation_id(param as u32);
                }
                Knob::Way(way)
            }
            Kind::Whole { .. } | Kind::Choice(_) => {
                let (min, max) = (min as i32, max as i32);
                let steps = IntParam::new(name, row.default as i32, IntRange::Linear { min, max })
                    .with_value_to_string(Arc::new(move |value| row.format(value as f32)))
                    .with_string_to_value(Arc::new(move |text| {
                        row.parse(text).map(|value| value as i32)
                    }))
                    .with_callback(Arc::new(move |_| moved()));
                Knob::Steps(steps)
            }
        }
    }

    /// Where it is heard to stand, 0 to 1: with what the host's modulation adds.
    pub fn heard(&self) -> f32 {
        match self {
            Knob::Way(way) => way.modulated_normalized_value(),
            Knob::Steps(steps) => steps.modulated_normalized_value(),
        }
    }

    /// Where it was put, 0 to 1.
    pub fn position(&self) -> f32 {
        match self {
            Knob::Way(way) => way.unmodulated_normalized_value(),
            Knob::Steps(steps) => steps.unmodulated_normalized_value(),
        }
    }

    /// The user takes hold of it.
    pub fn begin(&self, gui: &GuiContext) {
        // SAFETY: the host looks the pointer up among those it was given, and ignores others.
        unsafe { gui.raw_begin_set_parameter(self.as_ptr()) };
    }

    /// The user moves it to a position, 0 to 1; the host moves it there in its own time.
    pub fn put(&self, gui: &GuiContext, position: f32) {
        // SAFETY: as above.
        unsafe { gui.raw_set_parameter_normalized(self.as_ptr(), position) };
    }

    /// The user lets go of it.
    pub fn end(&self, gui: &GuiContext) {
        // SAFETY: as above.
        unsafe { gui.raw_end_set_parameter(self.as_ptr()) };
    }

    /// Stands at a position at once, where the host finds it when it looks or saves.
    pub(crate) fn stand(&self, position: f32) {
        // SAFETY: it is unsafe because wrappers are to do that; all it writes is atomic.
        unsafe { self.as_ptr()._internal_set_normalized_value(position) };
    }

    fn as_ptr(&self) -> ParamPtr {
        match self {
            Knob::Way(way) => way.as_ptr(),
            Knob::Steps(steps) => steps.as_ptr(),
        }
    }
}

/// The value of a parameter whose knob stands at `position`, where `patch` is the patch's value.
pub fn value_at(param: Param, position: f32, patch: f32) -> f32 {
    let kind = param.info().kind;
    match position == kind.to_scale(patch) {
        true => patch,
        false => kind.from_scale(position),
    }
}

/// All parameters of an instance, and what else its projects keep.
pub struct MyriadParams {
    knobs: Vec<Knob>,
    /// Silences the instrument; the host's own switch.
    pub bypass: BoolParam,
    /// Whether channels 2 to 16 carry one note each, with its own bend, pressure and brightness.
    pub mpe: BoolParam,
    /// What all threads of the instance know.
    pub shared: Arc<Shared>,
    /// How to speak to the host, once an editor has been opened.
    gui: Mutex<Option<GuiContext>>,
}

impl MyriadParams {
    /// Everything at its default.
    pub fn new() -> Self {
        let shared = Arc::new(Shared::new());
        let knob = |&param: &Param| {
            // An editor that sleeps shows what the host moves.
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

    /// A parameter's knob.
    pub fn knob(&self, param: Param) -> &Knob {
        &self.knobs[param as usize]
    }

    /// From now on the host can be spoken to.
    pub(crate) fn meet_host(&self, gui: GuiContext) {
        *self.gui.lock() = Some(gui);
        self.tell_host();
    }

    /// Tells the host what controllers have moved, if it can be spoken to.
    pub(crate) fn tell_host(&self) {
        if let Some(gui) = &*self.gui.lock() {
            self.shared.controllers.tell(self, gui);
        }
    }

    /// The patch as its knobs stand now. Locks; not for the audio thread.
    pub fn current_patch(&self) -> Patch {
        let mut patch = Patch::clone(&self.shared.patch());
        patch.values = self.values(&patch.values, Knob::position);
        patch
    }

    /// All values, given the patch's and how to read a knob.
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
        // Macros come first: they are what a patch offers to hands.
        groups.sort_by_key(|&group| group != "macro");
        context.add_section("Myriad", |section| {
            for name in groups {
                let members = || Param::ALL.iter().filter(|row| row.info().group() == name);
                let Some(&first) = members().next() else {
                    continue;
                };
                section.add_page(group_name(first.info().group()), |page| {
                    members().for_each(|&param| match self.knob(param) {
                        Knob::Way(way) => page.add_param(way),
                        Knob::Steps(steps) => page.add_param(steps),
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

// SAFETY: the pointers lead into `knobs`, which never changes once made, and into fields of this
// struct, which the wrapper keeps in an `Arc` for as long as it uses them.
unsafe impl Params for MyriadParams {
    fn param_map(&self) -> Vec<(String, ParamPtr, String)> {
        let row = |(&param, knob): (&Param, &Knob)| {
            (param.info().id.to_string(), knob.as_ptr(), group_name(param.info().group()))
        };
        let switch = |id: &str, switch: &BoolParam| (id.into(), switch.as_ptr(), String::new());
        let mut map: Vec<_> = Param::ALL.iter().zip(&self.knobs).map(row).collect();
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
    fn names_are_unique_and_read_well() {
        let names: HashSet<String> = Param::ALL.iter().map(|&param| name_of(param)).collect();
        assert_eq!(names.len(), Param::ALL.len());
        assert_eq!(name_of(Param::Env2Attack), "Env 2 Attack");
        assert_eq!(name_of(Param::Lfo1Rate), "LFO 1 Rate");
        assert_eq!(name_of(Param::FilterCutoff), "Filter Cutoff");
        assert_eq!(name_of(Param::UnisonVoices), "Unison");
        assert_eq!(name_of(Param::Macro3), "Macro 3");
    }

    #[test]
    fn a_knob_that_the_patch_set_has_exactly_its_value() {
        for &param in Param::ALL {
            let kind = param.info().kind;
            for step in 0..=1_000 {
                // Values that no position stands for exactly.
                let value = param.info().clamp(kind.from_scale(step as f32 / 1_000.0) * 1.000_001);
                assert_eq!(value_at(param, kind.to_scale(value), value), value);
            }
        }
    }

    #[test]
    fn whoever_draws_knobs_hears_that_they_move() {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
        let moves = Arc::new(AtomicUsize::new(0));
        for param in [Param::FilterCutoff, Param::FilterType] {
            let counted = moves.clone();
            let knob = Knob::new(param, move || {
                counted.fetch_add(1, Relaxed);
            });
            for position in [1.0, 1.0, 0.0] {
                knob.stand(position);
            }
        }
        assert_eq!(moves.load(Relaxed), 4, "once for each move");
    }

    #[test]
    fn defaults_sound_as_the_init_patch() {
        let params = MyriadParams::new();
        assert_eq!(params.current_patch(), Patch::new());
    }
}
