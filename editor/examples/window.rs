//! Opens the editor in a window, with an engine without output: for work on the editor.
//!
//!     cargo run -p myriad-editor --example window -- [PATCH] [SCALE] [SECONDS]

use egui_baseview::baseview::{self, HandlerError, dpi::LogicalSize};
use egui_baseview::{App, EguiWindow, EguiWindowSettings, Frame};
use myriad_editor::{Editor, Library, LocalHost};
use myriad_engine::patch::factory;
use std::time::{Duration, Instant};

struct Window {
    editor: Editor,
    host: LocalHost,
    last: Instant,
    /// When it closes by itself, if it does.
    end: Option<Instant>,
}

impl App for Window {
    fn build(&mut self, _: egui::Context, _: &mut Frame) -> Result<(), HandlerError> {
        self.editor.opened();
        Ok(())
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut Frame) {
        // The engine renders one frame's time at once; after a pause it does not catch up.
        let passed = self.last.elapsed().as_secs_f32().min(0.1);
        self.last = Instant::now();
        self.host.advance(passed);
        self.editor.ui(ui, &mut self.host);
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            ui.ctx().request_repaint_after(left);
            if left.is_zero() {
                ui.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "Aurora".into());
    let scale: f32 = arguments.next().map_or(Ok(1.0), |scale| scale.parse())?;
    let seconds: Option<f32> = arguments
        .next()
        .map(|seconds| seconds.parse())
        .transpose()?;
    let patch = factory::find(&name).ok_or("no such patch")?;
    let window = Window {
        editor: Editor::new(Library::open(Library::user_folder())),
        host: LocalHost::new(patch.clone())?,
        last: Instant::now(),
        end: seconds.map(|seconds| Instant::now() + Duration::from_secs_f32(seconds)),
    };
    let [width, height] = Editor::SIZE.map(f64::from);
    // SAFETY: this is a program of its own and not a plugin; it has no other windows.
    unsafe { baseview::assume_standalone_in_process() };
    let settings = EguiWindowSettings::new()
        .with_title("Myriad")
        .with_size(LogicalSize { width, height })
        .with_zoom_factor(scale);
    EguiWindow::create(settings, window)?.run_until_closed()?;
    Ok(())
}
