//! The editor as a whole: the layout of its panels, and its state from frame to frame.

use crate::history::History;
use crate::host::{EditorHost, Status};
use crate::import::Importer;
use crate::light;
use crate::session::{Entry, Gesture, Session};
use crate::slots::Slots;
use crate::theme;
use crate::views::browser::Browser;
use crate::views::cloud::CloudView;
use crate::views::displays::Displays;
use crate::views::header::{Header, neighbour};
use crate::views::import::{ImportPage, Wish, drop_target};
use crate::views::output::{OutputView, View};
use crate::views::pages::{GAP, Page, Pages};
use crate::views::{macros, sources};
use crate::widgets::keyboard::Keyboard;
use crate::widgets::meter::Meter;
use egui::{Key, Modifiers, Rect, Ui, pos2, vec2};
use myriad_engine::Snapshot;
use myriad_library::Library;
use std::path::Path;
use std::time::Duration;

/// Frames a second while something moves.
const MOVING: f32 = 30.0;
/// Frames a second while nothing moves. The host wakes the editor (by asking egui for a repaint)
/// when sound begins, a parameter is automated or another patch is loaded; this rate is for other
/// changes, such as another renderer.
const IDLE: f32 = 0.2;
/// How long the indicator stays red after an underrun.
const ALARM_SECONDS: f64 = 2.0;

const HEADER: f32 = 52.0;
const TABS: f32 = 34.0;
const CHIPS: f32 = 26.0;
const PAGE: f32 = 226.0;
const FOOT: f32 = 92.0;

/// The editor of one instrument.
pub struct Editor {
    library: Library,
    /// The steps of the slot that is heard.
    history: History,
    slots: Slots,
    held: Gesture,
    entry: Option<Entry>,
    snapshot: Snapshot,
    /// Whether the patch browser is open.
    browsing: bool,
    pages: Pages,
    browser: Browser,
    importer: Importer,
    import_page: ImportPage,
    cloud: CloudView,
    output: OutputView,
    keyboard: Keyboard,
    meter: Meter,
    /// Underruns so far, and the time of the last one.
    underruns: (u64, f64),
    /// When the last frame was drawn.
    last: f64,
    styled: bool,
}

impl Editor {
    /// The default size, in points.
    pub const SIZE: [f32; 2] = [1200.0, 780.0];
    /// The smallest size in which everything can be reached.
    pub const MIN_SIZE: [f32; 2] = [980.0, 640.0];

    /// An editor for the patches of `library`.
    pub fn new(library: Library) -> Self {
        Self {
            library,
            history: History::default(),
            slots: Slots::default(),
            held: Gesture::default(),
            entry: None,
            snapshot: Snapshot::new(),
            browsing: false,
            pages: Pages::default(),
            browser: Browser::default(),
            importer: Importer::default(),
            import_page: ImportPage::default(),
            cloud: CloudView::default(),
            output: OutputView::default(),
            keyboard: Keyboard::default(),
            meter: Meter::default(),
            underruns: (0, f64::NEG_INFINITY),
            last: 0.0,
            styled: false,
        }
    }

    /// Call when a window was opened again: fonts and textures must be uploaded again.
    pub fn opened(&mut self) {
        self.styled = false;
        self.cloud = CloudView::default();
        self.output.opened();
        self.import_page.opened();
    }

    /// Draws the editor over all of `ui` and handles the input.
    ///
    /// It asks for frames while something moves and stops when nothing does: wake it with a repaint
    /// of the context when sound begins or the host moves a parameter.
    pub fn ui(&mut self, ui: &mut Ui, host: &mut dyn EditorHost) {
        if !self.styled {
            theme::apply(ui.ctx());
            self.styled = true;
            // Fonts are available from the next frame on.
            ui.ctx().request_repaint();
            return;
        }
        host.snapshot(&mut self.snapshot);
        let status = host.status();
        let time = ui.input(|input| input.time);
        let seconds = (time - self.last).clamp(0.0, 0.25) as f32;
        self.last = time;
        self.meter.take(status.peaks, seconds);
        if status.underruns > self.underruns.0 {
            self.underruns = (status.underruns, time);
        }
        let underrun = time - self.underruns.1 < ALARM_SECONDS;
        light::set(ui.ctx(), self.library.light_theme());
        self.draw(ui, host, &status, seconds, underrun);
        if light::is_on(ui.ctx()) {
            light::lighten(ui.ctx(), ui.layer_id());
        }
        let moves = self.snapshot.sounding
            || self.keyboard.plays()
            || self.browser.plays()
            || self.pages.kit.plays()
            || self.cloud.moves()
            || self.meter.moves()
            || self.importer.progress().is_some()
            || underrun;
        let rate = if moves { MOVING } else { IDLE };
        ui.ctx().request_repaint_after(Duration::from_secs_f32(1.0 / rate));
    }

    fn draw(
        &mut self,
        ui: &mut Ui,
        host: &mut dyn EditorHost,
        status: &Status,
        seconds: f32,
        underrun: bool,
    ) {
        let patch = host.patch();
        let mut session = Session {
            host,
            patch,
            snapshot: &self.snapshot,
            entry: &mut self.entry,
            held: &mut self.held,
            history: &mut self.history,
            time: self.last,
        };
        let session = &mut session;
        shortcuts(ui, session, &mut self.library);
        self.importer.take_dropped(ui.ctx(), session, &mut self.library);
        self.importer.poll(session);
        self.browser.tick(session.host, session.time);
        let whole = ui.max_rect();
        ui.painter().rect_filled(whole, 0.0, theme::NIGHT);
        let inside = whole.shrink2(vec2(GAP, 0.0)).with_max_y(whole.bottom() - GAP);
        let mut bottom = inside.bottom();
        let mut from_below = |height: f32| {
            let rect = Rect::from_min_max(
                pos2(inside.left(), bottom - height),
                pos2(inside.right(), bottom),
            );
            bottom -= height + GAP;
            rect
        };
        let foot = from_below(FOOT);
        let page = from_below(PAGE);
        let tabs = from_below(TABS);
        let chips = from_below(CHIPS);
        let header = Rect::from_min_size(inside.min, vec2(inside.width(), HEADER));
        let cloud = Rect::from_min_max(header.left_bottom(), pos2(inside.right(), bottom));

        Header {
            library: &mut self.library,
            slots: &mut self.slots,
            browsing: &mut self.browsing,
            importing: &mut self.importer.open,
            status,
            meter: &self.meter,
            underrun,
        }
        .show(ui, session, header);
        if self.output.view == View::Cloud {
            let over = |ui: &Ui| self.output.switch(ui, &mut self.library, cloud);
            self.cloud.show(ui, session, cloud, seconds, over);
        } else {
            self.cloud.hide(session);
            self.output.show(ui, session, cloud, seconds);
            self.output.switch(ui, &mut self.library, cloud);
        }
        sources::show(ui, session, chips);
        let room = tabs.union(page);
        if self.importer.open {
            let wish = self.import_page.show(ui, session, &mut self.importer, room);
            if wish != Wish::Stay {
                self.importer.close();
            }
            if wish == Wish::Save {
                self.browsing = true;
                self.browser.ask_to_save(&session.patch, &self.library);
            }
        } else if self.browsing {
            if self.browser.show(ui, session, &mut self.library, room) {
                self.browsing = false;
            }
            if std::mem::take(&mut self.browser.wants_picture) {
                self.importer.choose_picture(ui.ctx(), session);
            }
            if let Some(patch) = self.browser.take_mate() {
                self.pages.explore.breed_with(session, patch);
                self.browser.play(session);
            }
        } else {
            self.pages.tabs(ui, session, tabs);
            if let Some(rest) = self.cloud.rest() {
                let displays =
                    Displays { rest, meter: &self.meter, voices: status.counters.voices };
                self.pages.show(ui, session, &self.library, &displays, page);
            }
            self.browsing |= std::mem::take(&mut self.pages.explore.asks_for_patch);
        }
        let hovering = Importer::hovering(ui.ctx());
        if !hovering.is_empty() {
            drop_target(ui, &hovering);
        }
        let knobs = foot.with_max_x(foot.left() + (0.42 * foot.width()).min(520.0));
        macros::show(ui, session, knobs);
        let keys = foot.with_min_x(knobs.right() + GAP);
        self.keyboard.show(ui, session, keys);
        // A widget can disappear while it is dragged or typed into.
        if !ui.input(|input| input.pointer.any_down()) {
            session.end();
        }
        if session.entry.as_ref().is_some_and(|entry| entry.drawn < session.time) {
            *session.entry = None;
        }
    }

    /// The window closes: releases every key and knob.
    pub fn closed(&mut self, host: &mut dyn EditorHost) {
        self.keyboard.release(host);
        self.browser.release(host);
        self.pages.kit.release(host);
        self.held.release(host);
        self.entry = None;
        self.importer.close();
    }

    /// The name of the current page, for hosts that store it.
    pub fn page(&self) -> &'static str {
        self.pages.page.name()
    }

    /// Shows a page by its name; unknown ones are ignored.
    pub fn show_page(&mut self, name: &str) {
        // Projects that were saved with an earlier version say "Movement".
        let is_named =
            |page: &Page| page.name() == name || (*page, name) == (Page::Modulation, "Movement");
        let known = Page::ALL.into_iter().find(is_named);
        if let Some(page) = known {
            self.pages.page = page;
        }
    }

    /// The name of what is shown in the middle, for hosts that store it.
    pub fn view(&self) -> &'static str {
        self.output.view.name()
    }

    /// Shows the cloud, the oscilloscope or the spectrogram by its name; unknown ones are ignored.
    pub fn show_view(&mut self, name: &str) {
        if let Some(view) = View::ALL.into_iter().find(|view| view.name() == name) {
            self.output.view = view;
        }
    }

    /// Draws what the sound of `host` plays into a PNG file, on a thread of its own; the import page tells
    /// what became of it.
    pub fn save_picture(&mut self, ctx: &egui::Context, host: &dyn EditorHost, file: &Path) {
        self.importer.save_picture(ctx, host.patch(), file);
    }

    /// Random sounds are made from this number on, so that they repeat; otherwise they differ every time.
    pub fn set_seed(&mut self, seed: u32) {
        self.pages.explore.set_seed(seed);
    }

    /// Opens or closes the import page.
    pub fn show_import(&mut self, open: bool) {
        match open {
            true => self.importer.open = true,
            false => self.importer.close(),
        }
    }

    /// Opens or closes the patch browser.
    pub fn show_browser(&mut self, open: bool) {
        self.browsing = open;
    }
}

/// Keyboard shortcuts.
fn shortcuts(ui: &Ui, session: &mut Session, library: &mut Library) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let pressed =
        |modifiers: Modifiers, key: Key| ui.input_mut(|input| input.consume_key(modifiers, key));
    // The longer shortcut first, because the shorter one would match it too.
    if pressed(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || pressed(Modifiers::COMMAND, Key::Y)
    {
        session.redo();
    } else if pressed(Modifiers::COMMAND, Key::Z) {
        session.undo();
    }
    if pressed(Modifiers::COMMAND, Key::ArrowRight) {
        neighbour(library, session, 1);
    } else if pressed(Modifiers::COMMAND, Key::ArrowLeft) {
        neighbour(library, session, -1);
    }
}
