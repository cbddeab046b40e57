//! The editor's window: what the host opens, resizes and closes.
//!
//! Every opening makes a window of its own; the editor itself, with its history, stays.

mod host;
mod memory;

use crate::params::MyriadParams;
use host::PluginHost;
use memory::Memory;
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
use std::error::Error;
use std::sync::Arc;

/// What outlives a window.
struct Kept {
    params: Arc<MyriadParams>,
    /// The editor, while no window has it.
    editor: Mutex<Option<myriad_editor::Editor>>,
    /// The size of the window in the host's pixels, while one is open.
    size: Mutex<Option<NativeSize<u32>>>,
}

impl Kept {
    fn memory(&self) -> Memory {
        Memory::read(&self.params.shared.ui())
    }

    fn set_size(&self, size: WindowSize) {
        let size = NativeSize::from_logical_or_physical(size.logical, size.physical);
        *self.size.lock() = Some(size);
    }
}

/// What the host knows of the editor.
pub struct MyriadEditor(Arc<Kept>);

impl MyriadEditor {
    pub(crate) fn new(params: Arc<MyriadParams>) -> Self {
        Self(Arc::new(Kept { params, editor: Mutex::new(None), size: Mutex::new(None) }))
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
        let Memory { size, zoom, .. } = self.0.memory();
        let state = EguiEditorState::from_size(LogicalSize::new(size[0], size[1]), zoom);
        let settings =
            EguiNiceSettings::new().with_tile("Myriad").with_resize_hint(self.resize_hint());
        let repaint = self.0.params.shared.repaint.clone();
        create_egui_editor(state, repaint, settings, Window::new(self.0.clone()))
            .ok_or("no editor")?
            .spawn(parent, wait_for_parent, fallback_scale_factor, gui_context, host)
    }

    fn size(&self) -> NativeSize<u32> {
        let open = *self.0.size.lock();
        open.unwrap_or_else(|| {
            let Memory { size, zoom, .. } = self.0.memory();
            let [width, height] = size.map(|side| side * zoom);
            NativeSize::from_size(Size::Logical(LogicalSize::new(width, height).cast()), 1.0)
        })
    }

    fn resize_hint(&self) -> ResizeHint {
        let [width, height] = myriad_editor::Editor::MIN_SIZE;
        ResizeHint::RESIZABLE.with_min_logical_size(LogicalSize::new(width, height))
    }
}

/// Keeps the graphics library in memory from the first window on. Every window loads it and lets it
/// go, and drivers do not survive well that their code comes and goes in a host.
#[cfg(target_os = "linux")]
fn keep_graphics_loaded() {
    use std::sync::OnceLock;
    static KEPT: OnceLock<Option<libloading::Library>> = OnceLock::new();
    // SAFETY: what loading it runs is what opening the window runs a moment later.
    KEPT.get_or_init(|| unsafe { libloading::Library::new("libEGL.so.1") }.ok());
}

/// A window that is open.
struct Window {
    kept: Arc<Kept>,
    open: Option<(myriad_editor::Editor, PluginHost)>,
    memory: Memory,
}

impl Window {
    fn new(kept: Arc<Kept>) -> Self {
        let memory = kept.memory();
        Self { kept, open: None, memory }
    }

    /// Keeps what has changed for the project.
    fn remember(&mut self, change: impl FnOnce(&mut Memory)) {
        let before = self.memory.clone();
        change(&mut self.memory);
        if self.memory != before {
            self.kept.params.shared.set_ui(self.memory.write());
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
        self.kept.set_size(frame.baseview_window().size());
        let params = self.kept.params.clone();
        params.meet_host(gui.clone());
        params.shared.watch(true);
        let mut editor = self.kept.editor.lock().take().unwrap_or_else(|| {
            let library = Library::open(Library::user_folder());
            myriad_editor::Editor::new(library)
        });
        editor.opened();
        editor.show_page(&self.memory.page);
        self.open = Some((editor, PluginHost::new(params, gui)));
        Ok(())
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut Frame) {
        let Some((editor, host)) = &mut self.open else {
            return;
        };
        editor.ui(ui, host);
        let page = editor.page();
        let zoom = ui.ctx().zoom_factor();
        self.remember(|memory| {
            page.clone_into(&mut memory.page);
            memory.zoom = zoom;
        });
    }

    fn resized(&mut self, size: WindowSize) {
        self.kept.set_size(size);
        let points = [size.logical.width, size.logical.height];
        self.remember(|memory| memory.size = points.map(|side| side as f32));
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        *self.kept.size.lock() = None;
        if let Some((mut editor, mut host)) = self.open.take() {
            editor.closed(&mut host);
            self.kept.params.shared.watch(false);
            *self.kept.editor.lock() = Some(editor);
        }
    }
}
