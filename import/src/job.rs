//! An import on a thread of its own, so that neither the window nor the sound waits for it.

use super::{ImportError, Imported, Options, Overview, Progress, Sound, import_sound, read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::JoinHandle;

/// What is imported.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file that was not read yet.
    File(PathBuf),
    /// A sound that was read before, with its picture.
    Read(Arc<Sound>, Arc<Overview>),
}

/// An import that is done.
#[derive(Debug)]
pub struct Finished {
    /// The sound, to import it again in another way.
    pub sound: Arc<Sound>,
    /// Its picture.
    pub overview: Arc<Overview>,
    /// The patch.
    pub imported: Result<Imported, ImportError>,
}

/// An import under way. It is cancelled when this is dropped.
#[derive(Debug)]
pub struct Job {
    progress: Arc<Progress>,
    finished: Receiver<Result<Finished, ImportError>>,
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
        let progress = Arc::new(Progress::default());
        let (sender, finished) = channel();
        let working = progress.clone();
        let thread = std::thread::Builder::new().name("myriad-import".into()).spawn(move || {
            // Decoders of others read bytes of others: what they get wrong ends this import alone.
            let work = std::panic::AssertUnwindSafe(|| work(input, &options, &name, &working));
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
    pub fn poll(&self) -> Option<Result<Finished, ImportError>> {
        match self.finished.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(ImportError::Cancelled)),
        }
    }
}

impl Drop for Job {
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
    let (sound, overview) = match input {
        Input::Read(sound, overview) => (sound, overview),
        Input::File(path) => {
            let sound = Arc::new(read(&path, progress)?);
            progress.step(0.0..0.1, 1, 2)?;
            let overview = Arc::new(Overview::new(&sound));
            (sound, overview)
        }
    };
    let imported = match import_sound(&sound, options, name, progress) {
        Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
        imported => imported,
    };
    Ok(Finished { sound, overview, imported })
}
