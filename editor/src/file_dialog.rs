//! The system's file dialog, on a thread of its own: the window goes on meanwhile.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What Myriad reads, for the dialog's filter.
const EXTENSIONS: [&str; 17] = [
    "wav", "flac", "aif", "aiff", "ogg", "oga", "mp3", "png", "jpg", "jpeg", "toml", "scl", "kbm",
    "mid", "midi", "rmi", "zip",
];

/// An open dialog.
pub(crate) struct FileDialog(Receiver<Option<PathBuf>>);

impl FileDialog {
    /// Opens a dialog; `wake` is called from its thread when it is closed.
    pub(crate) fn open(wake: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Import a sound, a picture, a patch, a scale or a song")
            .add_filter("Sounds, pictures, patches, scales, songs", &EXTENSIONS)
            .add_filter("All files", &["*"])
            .pick_file();
        Self::wait(dialog, wake)
    }

    /// Opens a dialog for the name of a picture that is written.
    pub(crate) fn save_picture(
        name: &str,
        wake: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Save what this sound plays as a picture")
            .add_filter("PNG pictures", &["png"])
            .set_file_name(name)
            .save_file();
        Self::wait(dialog, wake)
    }

    /// Opens a dialog for the name of a pack that is written.
    pub(crate) fn save_pack(name: &str, wake: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Save patches as a pack")
            .add_filter("Packs of patches", &["zip"])
            .set_file_name(name)
            .save_file();
        Self::wait(dialog, wake)
    }

    /// Opens a dialog for a pack that is read.
    pub(crate) fn open_pack(wake: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let dialog = rfd::AsyncFileDialog::new()
            .set_title("Add the patches of a pack")
            .add_filter("Packs of patches", &["zip"])
            .pick_file();
        Self::wait(dialog, wake)
    }

    /// macOS wants the dialog to be made on the window's thread; it may be awaited elsewhere.
    fn wait(
        dialog: impl Future<Output = Option<rfd::FileHandle>> + Send + 'static,
        wake: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, receiver) = channel();
        std::thread::Builder::new().name("myriad-dialog".into()).spawn(move || {
            let chosen = pollster::block_on(dialog);
            // Nobody listens any more if the editor is gone.
            let _ = sender.send(chosen.map(|file| file.path().to_owned()));
            wake();
        })?;
        Ok(Self(receiver))
    }

    /// What was chosen, once the dialog is closed.
    pub(crate) fn poll(&self) -> Option<Option<PathBuf>> {
        match self.0.try_recv() {
            Ok(chosen) => Some(chosen),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(None),
        }
    }
}
