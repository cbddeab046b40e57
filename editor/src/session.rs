//! Access to the sound during one frame. Every change goes through here, so that every change can
//! be undone.

use crate::history::{Edit, History, Move};
use crate::host::EditorHost;
use myriad_engine::modulation::{MAX_ROUTES, Route, RouteCurve, Source, whole_way};
use myriad_engine::params::{Kind, Param};
use myriad_engine::{Patch, Snapshot};
use std::sync::Arc;

/// A value that is being typed.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) param: Param,
    pub(crate) text: String,
    /// Whether the field has had the focus yet.
    pub(crate) open: bool,
    /// When it was last drawn; it is cancelled when its page was left.
    pub(crate) drawn: f64,
}

/// A new route: its amount is a fifth of the knob's range.
pub(crate) fn new_route(source: Source, target: Param) -> Route {
    Route {
        source,
        via: None,
        target,
        amount: 0.2 * whole_way(target.info().kind),
        curve: RouteCurve::default(),
    }
}

/// What the user holds at this moment.
#[derive(Debug, Default)]
pub(crate) struct Gesture {
    /// Its parameters, and their values before it.
    params: Vec<(Param, f32)>,
    /// The sound before it, for a gesture that moves or draws more than parameters.
    whole: Option<Whole>,
}

/// The beginning of a gesture on more than parameters.
#[derive(Debug)]
struct Whole {
    from: Box<Patch>,
    /// What is done, for the list of steps.
    what: String,
    /// Whether undoing it loads the patch, which ends the notes that sound.
    loads: bool,
}

impl Gesture {
    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.params.is_empty() && self.whole.is_none()
    }

    /// The window closes: lets go of everything.
    pub(crate) fn release(&mut self, host: &mut dyn EditorHost) {
        for (param, _) in self.params.drain(..) {
            host.end(param);
        }
        self.whole = None;
    }
}

/// Everything that a change needs.
pub(crate) struct Session<'a> {
    pub(crate) host: &'a mut dyn EditorHost,
    pub(crate) patch: Arc<Patch>,
    /// What sounds now.
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) entry: &'a mut Option<Entry>,
    /// The current gesture.
    pub(crate) held: &'a mut Gesture,
    pub(crate) history: &'a mut History,
    /// Seconds since the editor opened.
    pub(crate) time: f64,
}

impl Session<'_> {
    pub(crate) fn value(&self, param: Param) -> f32 {
        self.host.value(param)
    }

    /// Knob position of a parameter, 0 to 1.
    pub(crate) fn scale(&self, param: Param) -> f32 {
        param.info().kind.to_scale(self.value(param))
    }

    /// The index of a choice, or a whole number.
    pub(crate) fn index(&self, param: Param) -> usize {
        self.value(param).max(0.0) as usize
    }

    /// Starts a gesture, which can move several parameters.
    pub(crate) fn begin(&mut self, params: &[Param]) {
        // A gesture that never ended, because its widget disappeared, ends now.
        self.end();
        for &param in params {
            self.hold(param);
        }
    }

    fn hold(&mut self, param: Param) {
        self.held.params.push((param, self.value(param)));
        self.host.begin(param);
    }

    /// Starts a gesture that moves the whole sound by [`Session::move_to`]; it is one step of undo.
    pub(crate) fn begin_whole(&mut self, what: &str) {
        self.hold_whole(what, true);
    }

    /// Starts a gesture that draws by [`Session::draw`], and may set parameters too; it is one step of undo.
    pub(crate) fn begin_drawing(&mut self, what: &str) {
        self.hold_whole(what, false);
    }

    fn hold_whole(&mut self, what: &str, loads: bool) {
        self.end();
        let from = Box::new(self.snapshot());
        self.held.whole = Some(Whole { from, what: what.to_owned(), loads });
    }

    /// Changes drawn waveforms or tables while notes sound.
    pub(crate) fn draw(&mut self, change: impl FnOnce(&mut Patch)) {
        let mut patch = Patch::clone(&self.patch);
        change(&mut patch);
        if !is_drawn_alike(&self.patch, &patch) {
            self.host.set_drawn(&patch);
            self.patch = self.host.patch();
        }
    }

    /// A parameter is set by the current gesture, whatever that is.
    pub(crate) fn set_too(&mut self, param: Param, value: f32) {
        if self.value(param) != param.info().clamp(value) {
            if !self.holds(param) {
                self.hold(param);
            }
            self.set(param, value);
        }
    }

    /// Whether this parameter is part of the current gesture.
    pub(crate) fn holds(&self, param: Param) -> bool {
        self.held.params.iter().any(|(held, _)| *held == param)
    }

    pub(crate) fn set(&mut self, param: Param, value: f32) {
        let value = param.info().clamp(value);
        if value != self.value(param) {
            self.host.set(param, value);
        }
    }

    /// Ends the gesture.
    pub(crate) fn end(&mut self) {
        self.finish(false);
    }

    fn finish(&mut self, follow: bool) {
        let mut moves = Vec::new();
        let Gesture { params, whole } = std::mem::take(self.held);
        for (param, from) in params {
            self.host.end(param);
            let to = self.value(param);
            if from != to {
                moves.push(Move { param, from, to });
            }
        }
        if let Some(Whole { from, what, loads }) = whole {
            let to = Box::new(self.snapshot());
            if from != to {
                self.history.push(Edit::Patch { from, to, what, loads }, self.time, false);
            }
        } else if !moves.is_empty() {
            self.history.push(Edit::Params(moves), self.time, follow);
        }
    }

    /// A whole gesture at once.
    pub(crate) fn change(&mut self, param: Param, value: f32) {
        self.begin(&[param]);
        self.set(param, value);
        self.end();
    }

    /// One of many small steps, by a wheel or an arrow key: `ways` fractions of the knob's range,
    /// or one value for whole numbers and choices.
    pub(crate) fn step(&mut self, param: Param, ways: f32) {
        let kind = param.info().kind;
        let value = match kind {
            Kind::Number { .. } => kind.from_scale(self.scale(param) + ways),
            Kind::Whole { .. } | Kind::Choice(_) => self.value(param) + ways.signum(),
        };
        self.begin(&[param]);
        self.set(param, value);
        self.finish(true);
    }

    /// The routes to a parameter, with their indices in the patch.
    pub(crate) fn routes_to(&self, param: Param) -> Vec<(usize, Route)> {
        let routes = self.patch.routes.iter().copied().enumerate();
        routes.filter(|(_, route)| route.target == param).collect()
    }

    /// Replaces all routes; nothing happens if they are the same.
    pub(crate) fn set_routes(&mut self, routes: Vec<Route>) {
        let from = self.patch.routes.clone();
        if from == routes {
            return;
        }
        self.host.set_routes(routes.clone());
        self.patch = self.host.patch();
        let edit = Edit::Routes { from, to: routes };
        self.history.push(edit, self.time, false);
    }

    /// Adds a route from `source` to `param`, unless it exists already or is impossible.
    pub(crate) fn connect(&mut self, source: Source, param: Param) {
        let mut routes = self.patch.routes.clone();
        let there =
            |route: &Route| (route.source, route.target, route.via) == (source, param, None);
        let route = new_route(source, param);
        if !route.is_possible() || routes.len() >= MAX_ROUTES || routes.iter().any(there) {
            return;
        }
        routes.push(route);
        self.set_routes(routes);
    }

    /// Changes one route during a drag; [`Session::routes_dragged`] ends it.
    pub(crate) fn drag_route(&mut self, index: usize, route: Route) {
        let mut routes = self.patch.routes.clone();
        if let Some(place) = routes.get_mut(index) {
            *place = route;
            self.host.set_routes(routes);
            self.patch = self.host.patch();
        }
    }

    /// A drag that changed routes has ended; they were `from` before it.
    pub(crate) fn routes_dragged(&mut self, from: Vec<Route>) {
        let to = self.patch.routes.clone();
        if from != to {
            let edit = Edit::Routes { from, to };
            self.history.push(edit, self.time, false);
        }
    }

    pub(crate) fn remove_route(&mut self, index: usize) {
        let mut routes = self.patch.routes.clone();
        if index < routes.len() {
            routes.remove(index);
            self.set_routes(routes);
        }
    }

    /// The patch with the current values of all parameters.
    pub(crate) fn snapshot(&self) -> Patch {
        let mut patch = Patch::clone(&self.patch);
        for &param in Param::ALL {
            patch.values.set(param, self.value(param));
        }
        patch
    }

    /// Changes the metadata of the patch.
    pub(crate) fn describe(&mut self, patch: &Patch) {
        self.host.describe(patch);
        self.patch = self.host.patch();
    }

    /// Loads another patch.
    pub(crate) fn load(&mut self, patch: Patch) {
        let what = format!("Loaded {}", patch.name);
        self.replace(patch, what);
    }

    /// Replaces the whole sound, as one step of undo with a name of its own.
    pub(crate) fn replace(&mut self, patch: Patch, what: String) {
        self.end();
        let (from, to) = (Box::new(self.snapshot()), Box::new(patch.clone()));
        self.history.push(Edit::Patch { from, to, what, loads: true }, self.time, false);
        self.swap(patch);
    }

    /// Replaces the whole sound without a step of undo.
    pub(crate) fn swap(&mut self, patch: Patch) {
        self.host.load(patch);
        self.patch = self.host.patch();
    }

    /// Moves the whole sound to that of a patch. Knobs and routes glide while notes sound; the patch is loaded only
    /// if it has other data than what plays.
    pub(crate) fn move_to(&mut self, patch: &Patch) {
        if !is_drawn_alike(&self.patch, patch) || needs_load(&self.patch, patch) {
            let held = std::mem::take(&mut self.held.params);
            held.iter().for_each(|(param, _)| self.host.end(*param));
            self.swap(patch.clone());
            return;
        }
        self.glide_to(patch);
    }

    /// The same for a patch that differs in parameters, routes, metadata and drawings only, so that it need not be
    /// loaded.
    fn glide_to(&mut self, patch: &Patch) {
        for &param in Param::ALL {
            self.set_too(param, patch.values[param]);
        }
        if !is_drawn_alike(&self.patch, patch) {
            self.host.set_drawn(patch);
        }
        if self.patch.routes != patch.routes {
            self.host.set_routes(patch.routes.clone());
        }
        if !is_described_alike(&self.patch, patch) {
            self.host.describe(patch);
        }
        self.patch = self.host.patch();
    }

    pub(crate) fn undo(&mut self) {
        self.end();
        let edit = self.history.undo();
        self.apply(edit);
    }

    pub(crate) fn redo(&mut self) {
        self.end();
        let edit = self.history.redo();
        self.apply(edit);
    }

    /// Undoes or redoes until this many steps are done. The sound changes once.
    pub(crate) fn go_to(&mut self, position: usize) {
        self.end();
        let (mut patch, mut loads) = (self.snapshot(), false);
        while self.history.position() != position {
            let back = self.history.position() > position;
            let edit = if back { self.history.undo() } else { self.history.redo() };
            let Some(edit) = edit else {
                break;
            };
            loads |= matches!(edit, Edit::Patch { loads: true, .. });
            edit.apply_to(&mut patch);
        }
        if loads || needs_load(&self.patch, &patch) {
            return self.swap(patch);
        }
        self.glide_to(&patch);
        // What was done is in the list already.
        self.held.release(self.host);
    }

    fn apply(&mut self, edit: Option<Edit>) {
        match edit {
            Some(Edit::Params(moves)) => {
                for Move { param, to, .. } in moves {
                    self.host.begin(param);
                    self.host.set(param, to);
                    self.host.end(param);
                }
            }
            Some(Edit::Routes { to, .. }) => self.host.set_routes(to),
            Some(Edit::Patch { to, loads: true, .. }) => self.host.load(*to),
            Some(Edit::Patch { to, .. }) => {
                self.glide_to(&to);
                self.held.release(self.host);
            }
            None => {}
        }
        self.patch = self.host.patch();
    }
}

/// Whether a patch has something that parameters, routes and drawings do not say, and that differs from what plays.
fn needs_load(playing: &Patch, patch: &Patch) -> bool {
    // The memory of a convolver comes with the patch that switches it on.
    let convolves = |patch: &Patch| patch.values[Param::ConvolverOn] != 0.0;
    !is_same(&playing.impulse, &patch.impulse)
        || !is_same(&playing.tuning, &patch.tuning)
        || playing.key_zones != patch.key_zones
        || (convolves(patch) && !convolves(playing))
}

/// Whether drawn waveforms, envelopes and tables are the same.
fn is_drawn_alike(a: &Patch, b: &Patch) -> bool {
    let mut tracks = a.tracks.iter().zip(&b.tracks);
    a.drawings == b.drawings && a.envelopes == b.envelopes && tracks.all(|(a, b)| is_same(a, b))
}

fn is_same<T: PartialEq>(a: &Option<Arc<T>>, b: &Option<Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
        (None, None) => true,
        _ => false,
    }
}

/// Whether name, macro names and other metadata are the same.
fn is_described_alike(a: &Patch, b: &Patch) -> bool {
    (&a.name, &a.category, &a.author) == (&b.name, &b.category, &b.author)
        && (&a.description, &a.tags, &a.macro_names) == (&b.description, &b.tags, &b.macro_names)
}
