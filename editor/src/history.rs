//! Undo and redo.

use myriad_engine::Patch;
use myriad_engine::modulation::Route;
use myriad_engine::params::Param;

/// The most edits that are kept.
const DEPTH: usize = 500;

/// Steps of the wheel or of a held arrow key count as one edit while they follow each other within
/// this time.
const TOGETHER_SECONDS: f64 = 0.7;

/// A parameter that was moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) param: Param,
    pub(crate) from: f32,
    pub(crate) to: f32,
}

/// One change, with the state before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// Parameters that were moved in one gesture.
    Params(Vec<Move>),
    Routes {
        from: Vec<Route>,
        to: Vec<Route>,
    },
    /// The whole sound.
    Patch {
        from: Box<Patch>,
        to: Box<Patch>,
        /// What was done, for the list of steps.
        what: String,
        /// Whether it loads a patch, which ends the notes that sound; else it draws while they sound.
        loads: bool,
    },
}

/// Parameters of one step that are named; of more, only their number.
const NAMED: usize = 3;

impl Edit {
    /// The reverse edit.
    fn reversed(self) -> Edit {
        match self {
            Edit::Params(moves) => {
                let back = |Move { param, from, to }| Move { param, from: to, to: from };
                Edit::Params(moves.into_iter().map(back).collect())
            }
            Edit::Routes { from, to } => Edit::Routes { from: to, to: from },
            Edit::Patch { from, to, what, loads } => {
                Edit::Patch { from: to, to: from, what, loads }
            }
        }
    }

    /// What was done: "Filter Cutoff", "Loaded Aurora".
    pub(crate) fn describe(&self) -> String {
        match self {
            Edit::Params(moves) => {
                let named = moves.iter().take(NAMED).map(|m| crate::names::of(m.param));
                let names = named.collect::<Vec<_>>().join(", ");
                match moves.len().saturating_sub(NAMED) {
                    0 => names,
                    more => format!("{names} and {more} more"),
                }
            }
            Edit::Routes { from, to } if from.len() < to.len() => "Route added".into(),
            Edit::Routes { from, to } if from.len() > to.len() => "Route removed".into(),
            Edit::Routes { .. } => "Route changed".into(),
            Edit::Patch { what, .. } => what.clone(),
        }
    }

    /// Makes the change to a patch that is not loaded.
    pub(crate) fn apply_to(self, patch: &mut Patch) {
        match self {
            Edit::Params(moves) => {
                moves.into_iter().for_each(|Move { param, to, .. }| patch.values.set(param, to));
            }
            Edit::Routes { to, .. } => patch.routes = to,
            Edit::Patch { to, .. } => *patch = *to,
        }
    }
}

/// The edits that can be undone and redone.
#[derive(Debug, Default)]
pub(crate) struct History {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    /// Time of the last edit, if more may be merged into it.
    last: Option<f64>,
}

impl History {
    /// Records an edit made at `time`, in seconds. Edits of one parameter that `follow` each other
    /// closely are merged.
    pub(crate) fn push(&mut self, edit: Edit, time: f64, follow: bool) {
        self.undone.clear();
        let close = self.last.is_some_and(|last| time - last < TOGETHER_SECONDS);
        self.last = follow.then_some(time);
        if close
            && follow
            && let (Some(Edit::Params(last)), Edit::Params(new)) = (self.done.last_mut(), &edit)
            && let ([last], [new]) = (last.as_mut_slice(), new.as_slice())
            && last.param == new.param
        {
            last.to = new.to;
            return;
        }
        if self.done.len() == DEPTH {
            self.done.remove(0);
        }
        self.done.push(edit);
    }

    /// The edit that undoes the last one.
    pub(crate) fn undo(&mut self) -> Option<Edit> {
        let edit = self.done.pop()?;
        self.last = None;
        self.undone.push(edit.clone());
        Some(edit.reversed())
    }

    /// The edit that redoes the last undone one.
    pub(crate) fn redo(&mut self) -> Option<Edit> {
        let edit = self.undone.pop()?;
        self.last = None;
        self.done.push(edit.clone());
        Some(edit)
    }

    pub(crate) fn next_undo(&self) -> Option<&Edit> {
        self.done.last()
    }

    pub(crate) fn next_redo(&self) -> Option<&Edit> {
        self.undone.last()
    }

    /// All steps from the first to the last, those that were undone too.
    pub(crate) fn steps(&self) -> impl DoubleEndedIterator<Item = &Edit> {
        self.done.iter().chain(self.undone.iter().rev())
    }

    /// How many steps are done and not undone.
    pub(crate) fn position(&self) -> usize {
        self.done.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(from: f32, to: f32) -> Edit {
        let param = Param::FilterCutoff;
        Edit::Params(vec![Move { param, from, to }])
    }

    #[test]
    fn quick_steps_are_one_undo() {
        let mut history = History::default();
        history.push(edit(1.0, 2.0), 0.0, true);
        history.push(edit(2.0, 3.0), 0.3, true);
        history.push(edit(3.0, 4.0), 5.0, true);
        assert_eq!(history.undo(), Some(edit(4.0, 3.0)));
        assert_eq!(history.undo(), Some(edit(3.0, 1.0)));
        assert_eq!(history.undo(), None);
        assert_eq!(history.redo(), Some(edit(1.0, 3.0)));
    }

    #[test]
    fn steps_are_listed_in_order_also_those_that_were_undone() {
        let mut history = History::default();
        let edits = [edit(1.0, 2.0), edit(2.0, 3.0), edit(3.0, 4.0)];
        edits.iter().for_each(|edit| history.push(edit.clone(), 0.0, false));
        for undone in 0..=3 {
            let listed: Vec<Edit> = history.steps().cloned().collect();
            assert_eq!(listed, edits);
            assert_eq!(history.position(), 3 - undone);
            history.undo();
        }
    }

    #[test]
    fn a_step_of_many_knobs_has_a_short_name() {
        let moved = |param| Move { param, from: 0.0, to: 1.0 };
        let edit = Edit::Params(Param::ALL[..9].iter().map(|&param| moved(param)).collect());
        assert!(edit.describe().ends_with("and 6 more"), "{}", edit.describe());
    }

    #[test]
    fn a_new_edit_clears_redo() {
        let mut history = History::default();
        history.push(edit(1.0, 2.0), 0.0, false);
        history.undo();
        history.push(edit(1.0, 5.0), 0.0, false);
        assert_eq!(history.redo(), None);
        assert_eq!(history.undo(), Some(edit(5.0, 1.0)));
    }
}
