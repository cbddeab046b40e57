//! The interface between the editor and the program that embeds it, a plugin or a player.

use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{Counters, InstanceSettings, Patch, Snapshot};
use myriad_measure::Output;
use std::path::Path;
use std::sync::Arc;

/// Embeds the editor. All calls come from the thread that draws.
pub trait EditorHost {
    /// A parameter as the user or the host's automation set it, without modulation.
    fn value(&self, param: Param) -> f32;

    /// The user starts a gesture on a parameter.
    fn begin(&mut self, param: Param);

    /// The user moves it; always between `begin` and `end`.
    fn set(&mut self, param: Param, value: f32);

    /// The gesture ends.
    fn end(&mut self, param: Param);

    /// The patch: its name, routes and macros. Knobs that were moved since it was loaded may differ
    /// from its values; [`EditorHost::value`] has the current ones.
    fn patch(&self) -> Arc<Patch>;

    /// Loads another patch, and sets all parameters to its values.
    fn load(&mut self, patch: Patch);

    /// Changes the patch's routes while notes sound.
    fn set_routes(&mut self, routes: Vec<Route>);

    /// Changes the drawn LFO waveforms and the tables of the patch to those of `patch`, while notes sound.
    fn set_drawn(&mut self, patch: &Patch);

    /// Changes the metadata of the patch (name, tags and so on); the sound stays.
    fn describe(&mut self, patch: &Patch);

    /// Tuning, bend range and MPE of the instance.
    fn settings(&self) -> InstanceSettings;

    /// Changes them while notes sound.
    fn set_settings(&mut self, settings: InstanceSettings);

    /// The name of the scale of an MTS-ESP master, if there is one.
    fn mts_scale(&self) -> Option<String> {
        None
    }

    /// Copies the latest snapshot of what sounds.
    fn snapshot(&mut self, into: &mut Snapshot);

    /// Copies the latest frames of the output, while a view shows them.
    fn output(&mut self, _into: &mut Output) {}

    /// The current status.
    fn status(&mut self) -> Status;

    /// A key of the on-screen or computer keyboard goes down.
    fn note_on(&mut self, key: u8, velocity: f32);

    /// It goes up.
    fn note_off(&mut self, key: u8);

    /// Fades out every sound.
    fn panic(&mut self);

    /// The names of the renderers to choose from, and which one is chosen; empty where there is no
    /// choice.
    fn renderers(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }

    /// Chooses a renderer, by its index in [`EditorHost::renderers`].
    fn choose_renderer(&mut self, _index: usize) {}

    /// Whether MIDI learn is available; hosts that map controllers themselves return false.
    fn can_learn(&self) -> bool {
        false
    }

    /// The next controller that moves is assigned to this parameter; `None` cancels that.
    fn learn(&mut self, _param: Option<Param>) {}

    /// The parameter that waits for a controller.
    fn learning(&self) -> Option<Param> {
        None
    }

    /// The controller that is assigned to a parameter.
    fn controller(&self, _param: Param) -> Option<u8> {
        None
    }

    /// Plays a MIDI file with the sound of this patch, and returns a line about it; or why not.
    ///
    /// # Errors
    /// When the file cannot be read, or this host plays no songs.
    fn play_song(&mut self, _file: &Path) -> Result<String, String> {
        Err("a MIDI file is for a track of the host".into())
    }

    /// Removes the controller of this parameter.
    fn forget(&mut self, _param: Param) {}
}

/// Status of the instrument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Peak levels, left and right, since the last call.
    pub peaks: [f32; 2],
    /// Voices, partials and dropped events.
    pub counters: Counters,
    /// The name of the renderer.
    pub renderer: String,
    /// Why it renders, in a sentence.
    pub why: String,
    /// Whether the CPU replaces a GPU that was lost.
    pub stands_in: bool,
    /// The fraction of the available time that rendering takes, 0 to 1, where it is known.
    pub load: Option<f32>,
    /// Number of underruns.
    pub underruns: u64,
    /// Quarter notes per minute.
    pub bpm: f32,
    /// Why the patch may not sound as it should; empty if it does.
    pub trouble: String,
}
