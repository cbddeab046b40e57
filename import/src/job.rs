//! An import, or a drawing, on a thread of its own, so that neither the window nor the sound waits for it.

use super::{
    DrawOptions, ImportError, Imported, Options, Overview, Picture, Progress, Sound, draw,
    import_impulse, import_picture, import_sound, is_picture, read, read_picture,
};
use myriad_engine::Patch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::JoinHandle;

/// What is imported.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file that was not read yet.
    File(PathBuf),
    /// A file that was read before.
    Read(Content),
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A sound, and what a page draws of it.
    Sound(Arc<Sound>, Arc<Overview>),
    /// A picture.
    Picture(Arc<Picture>),
}

/// An import that is done.
#[derive(Debug)]
pub struct Finished {
    /// What was read, to import it again in another way.
    pub content: Content,
    /// The patch.
    pub imported: Result<Imported, ImportError>,
}

/// An import under way, or another job. It is cancelled when this is dropped.
#[derive(Debug)]
pub struct Job<T = Finished> {
    progress: Arc<Progress>,
    finished: Receiver<Result<T, ImportError>>,
    thread: Option<JoinHandle<()>>,
}

impl Job {
    /// Starts the import of a patch called `name`. `wake` is called from the thread when it is done.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(
        input: Input,
        options: Options,
        name: String,
        wake: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Self> {
        Self::spawn(move |progress| work(input, &options, &name, progress), wake)
    }
}

impl Job<PathBuf> {
    /// Starts to draw what `patch` plays, into a PNG file, which is the outcome. `wake` is called from the
    /// thread when it is done.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn draw(
        patch: Arc<Patch>,
        options: DrawOptions,
        file: PathBuf,
        wake: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Self> {
        let work = move |progress: &Progress| {
            draw(&patch, &options, progress)?.save(&file).map_err(ImportError::Unwritten)?;
            Ok(file)
        };
        Self::spawn(work, wake)
    }
}

impl Job<Imported> {
    /// Starts to put the impulse response of a WAV file into `patch`. `wake` is called from the thread when
    /// it is done.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn impulse(
        file: PathBuf,
        patch: Patch,
        wake: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Self> {
        Self::spawn(move |_| import_impulse(&file, patch), wake)
    }
}

impl<T: Send + 'static> Job<T> {
    fn spawn(
        work: impl FnOnce(&Progress) -> Result<T, ImportError> + Send + 'static,
        wake: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Self> {
        let progress = Arc::new(Progress::default());
        let (sender, finished) = channel();
        let working = progress.clone();
        let thread = std::thread::Builder::new().name("myriad-import".into()).spawn(move || {
            // Decoders of others read bytes of others: what they get wrong ends this import alone.
            let work = std::panic::AssertUnwindSafe(|| work(&working));
            let outcome = std::panic::catch_unwind(work)
                .unwrap_or_else(|_| Err(ImportError::Undecodable("damaged".into())));
            // Nobody listens any more if it was cancelled.
            let _ = sender.send(outcome);
            wake();
        });
        Ok(Self { progress, finished, thread: Some(thread?) })
    }

    /// How much is done, 0 to 1.
    pub fn share(&self) -> f32 {
        self.progress.share()
    }

    /// The outcome, once it is there. Never waits.
    pub fn poll(&self) -> Option<Result<T, ImportError>> {
        match self.finished.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(ImportError::Cancelled)),
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.progress.cancel();
        if let Some(thread) = self.thread.take() {
            // A host may unload this code right afterwards. It ends within one step.
            let _ = thread.join();
        }
    }
}

fn work(
    input: Input,
    options: &Options,
    name: &str,
    progress: &Progress,
) -> Result<Finished, ImportError> {
    let content = match input {
        Input::Read(content) => content,
        Input::File(path) if is_picture(&path)? => {
            Content::Picture(Arc::new(read_picture(&path, options.picture.ink, progress)?))
        }
        Input::File(path) => {
            let sound = Arc::new(read(&path, progress)?);
            progress.step(0.0..0.1, 1, 2)?;
            let overview = Arc::new(Overview::new(&sound));
            Content::Sound(sound, overview)
        }
    };
    let imported = match &content {
        Content::Sound(sound, _) => import_sound(sound, options, name, progress),
        Content::Picture(picture) => import_picture(picture, &options.picture, name, progress),
    };
    match imported {
        Err(ImportError::Cancelled) => Err(ImportError::Cancelled),
        imported => Ok(Finished { content, imported }),
    }
}
