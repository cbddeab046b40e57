//! The Myriad editor: shows and edits the cloud of partials.
//!
//! [`Editor`] draws itself into any egui `Ui` and talks to its host through [`EditorHost`]: the
//! plugin, the player's window, or [`LocalHost`], which has an engine of its own and is there for
//! development, tests and pictures.
//!
//! ```
//! use myriad_editor::{Editor, Library, LocalHost};
//! use myriad_engine::patch::factory;
//!
//! let mut host = LocalHost::new(factory::patches()[0].clone())?;
//! let mut editor = Editor::new(Library::open(None));
//! let ctx = egui::Context::default();
//! let mut frame = ctx.run_ui(egui::RawInput::default(), |ui| editor.ui(ui, &mut host));
//! frame.textures_delta.clear(); // A window would hand them to its GPU.
//! # Ok::<(), myriad_engine::EngineError>(())
//! ```

mod audition;
mod editor;
mod file_dialog;
mod formula;
mod history;
mod host;
mod import;
mod light;
mod local;
mod names;
mod paint;
mod session;
mod slots;
mod theme;
mod views;
mod widgets;

pub use editor::Editor;
pub use host::{EditorHost, Status};
pub use local::LocalHost;
pub use myriad_library::{Entry, Library};
pub use names::{group as group_name, of as name_of};
