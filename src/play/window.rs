//! `myriad play --window`: the editor in a window.

mod host;

use super::report::Lines;
use egui_baseview::baseview::{self, HandlerError, WindowWaker, dpi::LogicalSize};
use egui_baseview::{App, EguiWindow, EguiWindowSettings, Frame};
use host::PlayerHost;
use myriad_editor::{Editor, Library};
use myriad_engine::params::{COUNT, Param};
use myriad_player::failure::Failure;
use myriad_player::session::Session;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The period of ticks.
const PAUSE: Duration = Duration::from_millis(4);

/// The session, which the window and the control thread share until it is taken back.
pub(super) struct SharedSession(Mutex<Option<Session>>);

impl SharedSession {
    pub(super) fn new(session: Session) -> Self {
        Self(Mutex::new(Some(session)))
    }

    /// Runs `work` on the session; returns the default after it was taken.
    fn with<R: Default>(&self, work: impl FnOnce(&mut Session) -> R) -> R {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.as_mut().map(work).unwrap_or_default()
    }

    pub(super) fn take(&self) -> Option<Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An open window.
struct Window {
    editor: Editor,
    host: PlayerHost,
    /// Set when the session has ended.
    over: Arc<AtomicBool>,
    repaint: Repaint,
}

/// Repaints the window. Set when that draws its first frame: a window of baseview 0.4.2 on X11 is never
/// drawn if a repaint is requested before it is shown.
type Repaint = Arc<OnceLock<WindowWaker>>;

impl App for Window {
    fn build(&mut self, _: egui::Context, _: &mut Frame) -> Result<(), HandlerError> {
        self.editor.opened();
        Ok(())
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut Frame) {
        self.repaint.get_or_init(|| frame.baseview_window().waker());
        self.editor.ui(ui, &mut self.host);
        if self.over.load(Relaxed) {
            ui.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.editor.closed(&mut self.host);
    }
}

/// Shows the session in a window, until that is closed or the session is `done`.
pub(super) fn run(
    shared_session: &Arc<SharedSession>,
    lines: Lines,
    done: impl Fn(&Session) -> bool + Sync,
) -> Result<(), Failure> {
    let repaint = Repaint::default();
    let over = Arc::new(AtomicBool::new(false));
    let window = Window {
        editor: Editor::new(Library::open(Library::user_folder())),
        host: PlayerHost::new(Arc::clone(shared_session)),
        over: Arc::clone(&over),
        repaint: Arc::clone(&repaint),
    };
    let [width, height] = Editor::SIZE.map(f64::from);
    let [least_width, least_height] = Editor::MIN_SIZE.map(f64::from);
    let settings = EguiWindowSettings::new()
        .with_title("Myriad")
        .with_size(LogicalSize { width, height })
        .with_min_size(Some(LogicalSize::new(least_width, least_height)));
    // SAFETY: this is a standalone program and no plugin, so no other code of the process has windows.
    unsafe { baseview::assume_standalone_in_process() };
    let failed = |error: baseview::Error| Failure::failed(format!("cannot open a window: {error}"));
    let window = EguiWindow::create(settings, window).map_err(failed)?;
    let closed = AtomicBool::new(false);
    let ending = |session: &Session| closed.load(Relaxed) || done(session);
    std::thread::scope(|scope| {
        let ticking = std::thread::Builder::new().spawn_scoped(scope, || {
            let outcome = tick_session(shared_session, lines, &repaint, &ending);
            over.store(true, Relaxed);
            request_repaint(&repaint);
            outcome
        });
        let no_thread = |error| Failure::failed(format!("no thread to play: {error}"));
        let ticking = ticking.map_err(no_thread)?;
        let shown = window.run_until_closed().map_err(failed);
        closed.store(true, Relaxed);
        let ticked = ticking.join();
        shown.and(ticked.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn request_repaint(repaint: &Repaint) {
    if let Some(waker) = repaint.get() {
        waker.request_redraw();
    }
}

/// Ticks the session, and repaints the editor when sound begins or a MIDI controller moves a parameter.
fn tick_session(
    shared_session: &SharedSession,
    mut lines: Lines,
    repaint: &Repaint,
    done: &impl Fn(&Session) -> bool,
) -> Result<(), Failure> {
    // Until this is dropped, ALSA prints no messages on this thread.
    #[cfg(target_os = "linux")]
    let _silence = alsa::Output::local_error_handler();
    let mut sounded = false;
    let mut shown = [f32::NAN; COUNT];
    loop {
        let written = shared_session.with(|session| {
            if done(session) {
                return None;
            }
            session.tick();
            let sounds = session.status().engine.voices > 0;
            let mut moved = false;
            for (&param, shown) in Param::ALL.iter().zip(&mut shown) {
                let value = session.value(param);
                moved |= std::mem::replace(shown, value) != value;
            }
            if moved || (sounds && !sounded) {
                request_repaint(repaint);
            }
            sounded = sounds;
            Some(lines.write(session))
        });
        match written {
            Some(written) => written?,
            None => return Ok(()),
        }
        std::thread::sleep(PAUSE);
    }
}
