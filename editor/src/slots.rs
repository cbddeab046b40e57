//! The slots A and B: two sounds to compare, each with its own steps of undo.

use crate::history::{Edit, History};
use crate::session::Session;
use myriad_engine::Patch;

/// Which slot is heard, and what the other one keeps.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    on_b: bool,
    /// The sound and the steps of the slot that is not heard; `None` until it is used.
    other: Option<(Patch, History)>,
}

impl Slots {
    pub(crate) const NAMES: [&str; 2] = ["A", "B"];

    /// The index of the slot that is heard.
    pub(crate) fn active(&self) -> usize {
        usize::from(self.on_b)
    }

    /// Switches to the other slot. A slot that was never used begins with the sound that is heard.
    pub(crate) fn switch(&mut self, session: &mut Session) {
        session.end();
        let here = session.snapshot();
        let (there, history) =
            self.other.take().unwrap_or_else(|| (here.clone(), History::default()));
        let ours = std::mem::replace(session.history, history);
        if there != here {
            session.swap(there);
        }
        self.other = Some((here, ours));
        self.on_b = !self.on_b;
    }

    /// Copies the sound that is heard to the other slot, where that can be undone.
    pub(crate) fn copy(&mut self, session: &mut Session) {
        session.end();
        let here = session.snapshot();
        let Some((there, history)) = &mut self.other else {
            self.other = Some((here, History::default()));
            return;
        };
        if *there != here {
            let from = std::mem::replace(there, here.clone());
            let what = format!("Copied from {}", Self::NAMES[usize::from(self.on_b)]);
            let edit = Edit::Patch { from: Box::new(from), to: Box::new(here), what, loads: true };
            history.push(edit, session.time, false);
        }
    }
}
