//! The seam: what the editor asks of whoever embeds it, a plugin or a player.

use myriad_engine::modulation::Route;
use myriad_engine::params::Param;
use myriad_engine::{Counters, Patch, Snapshot};
use std::sync::Arc;

/// Embeds the editor. All calls come from the thread that draws.
pub trait EditorHost {
    /// A parameter as the user or the host's automation set it, without modulation.
    fn value(&self, param: Param) -> f32;

    /// The user takes hold of a parameter.
    fn begin(&mut self, param: Param);

    /// The user moves it; always between `begin` and `end`.
    fn set(&mut self, param: Param, value: f32);

    /// The user lets go.
    fn end(&mut self, param: Param);

    /// The patch: its name, routes and macros. Knobs that were moved since it was loaded may
    /// differ from its values; [`EditorHost::value`] knows them.
    fn patch(&self) -> Arc<Patch>;

    /// Plays another patch from now on, and moves all parameters there.
    fn load(&mut self, patch: Patch);

    /// Changes the patch's routes while notes go on.
    fn set_routes(&mut self, routes: Vec<Route>);

    /// Changes what a patch says about itself (name, tags and so on) and nothing that is heard.
    fn describe(&mut self, patch: &Patch);

    /// Copies the latest snapshot of what sounds.
    fn snapshot(&mut self, into: &mut Snapshot);

    /// What there is to know about how it is going.
    fn status(&mut self) -> Status;

    /// A key of the on-screen or computer keyboard goes down.
    fn note_on(&mut self, key: u8, velocity: f32);

    /// It goes up.
    fn note_off(&mut self, key: u8);

    /// Every sound fades.
    fn panic(&mut self);

    /// Who can be asked to render, by name, and which of them was; nobody where there is no choice.
    fn renderers(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }

    /// Asks another one to render, by its place in [`EditorHost::renderers`].
    fn choose_renderer(&mut self, _index: usize) {}

    /// Whether controllers can be learnt; hosts that map them themselves say no.
    fn can_learn(&self) -> bool {
        false
    }

    /// The next controller that moves is to move this parameter; none stops waiting.
    fn learn(&mut self, _param: Option<Param>) {}

    /// The parameter that waits for a controller.
    fn learning(&self) -> Option<Param> {
        None
    }

    /// The controller that moves a parameter.
    fn controller(&self, _param: Param) -> Option<u8> {
        None
    }

    /// No controller is to move this parameter any more.
    fn forget(&mut self, _param: Param) {}
}

/// How it is going.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// The highest levels, left and right, since this was last asked.
    pub peaks: [f32; 2],
    /// Voices, partials and what had to be left out.
    pub counters: Counters,
    /// What renders, in a word or two.
    pub renderer: String,
    /// Why it does, in a sentence.
    pub why: String,
    /// Whether a renderer had to stand in for one that was lost.
    pub stands_in: bool,
    /// The share of the time there is that rendering takes, 0 to 1, where it is known.
    pub load: Option<f32>,
    /// Times when sound was not ready.
    pub underruns: u64,
    /// Quarter notes per minute.
    pub bpm: f32,
    /// Why the patch may not sound as it should; empty if it does.
    pub trouble: String,
}
