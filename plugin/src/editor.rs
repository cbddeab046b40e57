//! The editor's window, which the host opens, resizes and closes.
//!
//! Every opening makes a new window; the editor with its undo history is kept.

mod host;
mod poller;
mod ui_state;
#[cfg(target_os = "linux")]
mod window_thread;

use crate::params::MyriadParams;
use host::PluginHost;
use myriad_editor::Library;
use nice_plug::context::gui::GuiContext;
use nice_plug::editor::dpi::{LogicalSize, NativeSize, Size};
use nice_plug::editor::{HostMethods, SpawnedEditor};
use nice_plug::prelude::*;
use nice_plug_egui::baseview::{HandlerError, WindowSize};
use nice_plug_egui::{
    EguiEditorHandle, EguiEditorState, EguiNiceSettings, Frame, NiceEguiApp, create_egui_editor,
};
use parking_lot::Mutex;
use poller::Poller;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use ui_state::UiState;

/// How often nice-plug's own timer looks for requests to repaint: practically never; see [`poller`].
const NEVER: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What is kept while no window is open.
struct EditorSession {
    params: Arc<MyriadParams>,
    /// The editor, while no window has it.
    editor: Mutex<Option<myriad_editor::Editor>>,
    /// The size of the open window in the host's pixels.
    size: Mutex<Option<NativeSize<u32>>>,
}

impl EditorSession {
    fn ui_state(&self) -> UiState {
        UiState::read(&self.params.shared.ui())
    }

    fn set_size(&self, size: WindowSize) {
        let size = NativeSize::from_logical_or_physical(size.logical, size.physical);
        *self.size.lock() = Some(size);
    }
}

/// The host's interface to the editor.
pub struct MyriadEditor(Arc<EditorSession>);

impl MyriadEditor {
    pub(crate) fn new(params: Arc<MyriadParams>) -> Self {
        Self(Arc::new(EditorSession { params, editor: Mutex::new(None), size: Mutex::new(None) }))
    }
}

impl Editor for MyriadEditor {
    type Handle = EguiEditorHandle;

    fn spawn(
        &self,
        parent: Option<ParentWindowHandle>,
        wait_for_parent: bool,
        fallback_scale_factor: Option<f64>,
        gui_context: GuiContext,
        host: Option<HostMethods>,
    ) -> Result<SpawnedEditor<Self::Handle>, Box<dyn Error>> {
        #[cfg(target_os = "linux")]
        keep_graphics_loaded();
        let UiState { size, zoom, .. } = self.0.ui_state();
        let state = EguiEditorState::from_size(LogicalSize::new(size[0], size[1]), zoom);
        let settings = EguiNiceSettings::new()
            .with_tile("Myriad")
            .with_resize_hint(self.resize_hint())
            .with_repaint_poll_interval(NEVER);
        let repaint = self.0.params.shared.repaint.clone();
        let window = Window::new(self.0.clone());
        #[cfg(target_os = "linux")]
        let host = host.map(|host| window_thread::waiting(host, window.thread.clone()));
        create_egui_editor(state, repaint, settings, window).ok_or("no editor")?.spawn(
            parent,
            wait_for_parent,
            fallback_scale_factor,
            gui_context,
            host,
        )
    }

    fn size(&self) -> NativeSize<u32> {
        let open = *self.0.size.lock();
        open.unwrap_or_else(|| {
            let UiState { size, zoom, .. } = self.0.ui_state();
            let [width, height] = size.map(|side| side * zoom);
            NativeSize::from_size(Size::Logical(LogicalSize::new(width, height).cast()), 1.0)
        })
    }

    fn resize_hint(&self) -> ResizeHint {
        let [width, height] = myriad_editor::Editor::MIN_SIZE;
        ResizeHint::RESIZABLE.with_min_logical_size(LogicalSize::new(width, height))
    }
}

/// Keeps the graphics library loaded from the first window on. Every window loads and unloads it, and
/// some drivers crash when their code is unloaded.
#[cfg(target_os = "linux")]
fn keep_graphics_loaded() {
    use std::sync::OnceLock;
    static KEPT: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: loading it runs the same code as opening the window a moment later.
    KEPT.get_or_init(|| unsafe { libloading::Library::new("libEGL.so.1") }.ok());
}

/// An open window.
struct Window {
    session: Arc<EditorSession>,
    open: Option<(myriad_editor::Editor, PluginHost)>,
    ui_state: UiState,
    /// From the first frame on.
    poller: Option<Poller>,
    #[cfg(target_os = "linux")]
    thread: window_thread::WindowThread,
}

impl Window {
    fn new(session: Arc<EditorSession>) -> Self {
        let ui_state = session.ui_state();
        Self {
            session,
            open: None,
            ui_state,
            poller: None,
            #[cfg(target_os = "linux")]
            thread: window_thread::WindowThread::default(),
        }
    }

    /// Changes the state that the project saves.
    fn remember(&mut self, change: impl FnOnce(&mut UiState)) {
        let before = self.ui_state.clone();
        change(&mut self.ui_state);
        if self.ui_state != before {
            self.session.params.shared.set_ui(self.ui_state.write());
        }
    }
}

impl NiceEguiApp for Window {
    fn build(
        &mut self,
        _: egui::Context,
        gui: GuiContext,
        frame: &mut Frame,
    ) -> Result<(), HandlerError> {
        #[cfg(target_os = "linux")]
        self.thread.entered();
        self.session.set_size(frame.baseview_window().size());
        let params = self.session.params.clone();
        params.set_gui_context(gui.clone());
        params.shared.watch(true);
        let mut editor = self.session.editor.lock().take().unwrap_or_else(|| {
            let library = Library::open(Library::user_folder());
            myriad_editor::Editor::new(library)
        });
        editor.opened();
        editor.show_page(&self.ui_state.page);
        editor.show_view(&self.ui_state.view);
        self.open = Some((editor, PluginHost::new(params, gui)));
        Ok(())
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut Frame) {
        if self.poller.is_none() {
            self.poller = Poller::start(frame.baseview_window().waker());
        }
        let Some((editor, host)) = &mut self.open else {
            return;
        };
        editor.ui(ui, host);
        let (page, view) = (editor.page(), editor.view());
        let zoom = ui.ctx().zoom_factor();
        self.remember(|ui_state| {
            page.clone_into(&mut ui_state.page);
            view.clone_into(&mut ui_state.view);
            ui_state.zoom = zoom;
        });
    }

    fn resized(&mut self, size: WindowSize) {
        self.session.set_size(size);
        let points = [size.logical.width, size.logical.height];
        self.remember(|ui_state| ui_state.size = points.map(|side| side as f32));
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        *self.session.size.lock() = None;
        if let Some((mut editor, mut host)) = self.open.take() {
            editor.closed(&mut host);
            self.session.params.shared.watch(false);
            *self.session.editor.lock() = Some(editor);
        }
    }
}
