//! Files that are dropped on the editor or chosen in a dialog: what each becomes.

use crate::file_dialog::FileDialog;
use crate::session::Session;
use crate::views::tuning;
use egui::Context;
use myriad_engine::Patch;
use myriad_import::{
    Content, DrawOptions, Finished, ImportError, Imported, Input, Job, Material, Options, Recording,
};
use myriad_library::Library;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the import page shows.
#[derive(Default)]
pub(crate) struct Importer {
    /// Whether the page is shown.
    pub(crate) open: bool,
    pub(crate) dialog: Option<FileDialog>,
    job: Option<Job>,
    /// The dialog for the name of a picture that is saved, and the picture being drawn.
    picture_dialog: Option<FileDialog>,
    drawing: Option<Job<PathBuf>>,
    /// The sound as it was when the file came, which gets the file as an impulse response if the user wants
    /// that, and that import.
    before: Option<Patch>,
    response: Option<Job<Imported>>,
    /// The name of the file.
    pub(crate) name: String,
    file: PathBuf,
    pub(crate) found: Option<Found>,
    /// What became of a file that is no sound or picture, or why it cannot be used.
    pub(crate) note: Option<Note>,
}

/// A line of the page.
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// A sound or a picture that was read.
pub(crate) struct Found {
    pub(crate) content: Content,
    pub(crate) options: Options,
    pub(crate) findings: Vec<(&'static str, String)>,
    pub(crate) recording: Option<Recording>,
}

impl Found {
    /// The part of the sound that is used, in seconds.
    pub(crate) fn region(&self) -> [f64; 2] {
        let whole = match &self.content {
            Content::Sound(sound, _) => [0.0, sound.seconds()],
            Content::Picture(_) => [0.0, 0.0],
        };
        let used = self.recording.as_ref().map(|recording| recording.region);
        self.options.region.or(used).unwrap_or(whole)
    }

    /// Whether it was taken for any sound, and not for one note.
    pub(crate) fn is_any_sound(&self) -> bool {
        self.recording.as_ref().is_some_and(|recording| !recording.is_one_note)
    }

    /// The pitch, as it was given or found.
    pub(crate) fn hertz(&self) -> Option<f64> {
        match self.options.material {
            Material::Note { hertz: Some(hertz) } => Some(hertz),
            _ => self.recording.as_ref().map(|recording| recording.hertz),
        }
    }
}

impl Importer {
    /// Takes files that were dropped on the window.
    pub(crate) fn take_dropped(
        &mut self,
        ctx: &Context,
        session: &mut Session,
        library: &mut Library,
    ) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        let mut files = dropped.into_iter().map(|file| file.path().to_owned());
        if let Some(file) = files.next() {
            self.take(ctx, session, library, &file);
            if files.next().is_some() && self.note.is_none() {
                self.say(format!("One file at a time: this is {}.", self.name));
            }
        }
        let chosen = self.picture_dialog.as_ref().and_then(FileDialog::poll);
        if let Some(chosen) = chosen {
            self.picture_dialog = None;
            if let Some(file) = chosen {
                self.save_picture(ctx, session.patch.clone(), &file);
            }
        }
        let chosen = self.dialog.as_ref().and_then(FileDialog::poll);
        if let Some(chosen) = chosen {
            self.dialog = None;
            if let Some(file) = chosen {
                self.take(ctx, session, library, &file);
            }
        }
    }

    /// Opens the file dialog, unless it is open.
    pub(crate) fn choose(&mut self, ctx: &Context) {
        if self.dialog.is_none() {
            let ctx = ctx.clone();
            match FileDialog::open(move || ctx.request_repaint()) {
                Ok(dialog) => self.dialog = Some(dialog),
                Err(error) => self.fail(format!("No file dialog: {error}")),
            }
        }
    }

    /// Asks for the name of a picture of the sound.
    pub(crate) fn choose_picture(&mut self, ctx: &Context, session: &Session) {
        if self.picture_dialog.is_none() {
            self.open = true;
            let wake = ctx.clone();
            let name = format!("{}.png", myriad_library::file_name(&session.patch.name));
            match FileDialog::save_picture(&name, move || wake.request_repaint()) {
                Ok(dialog) => self.picture_dialog = Some(dialog),
                Err(error) => self.fail(format!("No file dialog: {error}")),
            }
        }
    }

    /// Draws what the sound plays into a PNG file.
    pub(crate) fn save_picture(&mut self, ctx: &Context, patch: Arc<Patch>, file: &Path) {
        self.open = true;
        (self.job, self.drawing) = (None, None);
        (self.note, self.found) = (None, None);
        self.name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut file = file.to_owned();
        if file.extension().is_none() {
            file.set_extension("png");
        }
        let wake = ctx.clone();
        let options = DrawOptions::default();
        match Job::draw(patch, options, file, move || wake.request_repaint()) {
            Ok(job) => self.drawing = Some(job),
            Err(error) => self.fail(format!("No thread to draw: {error}")),
        }
    }

    /// Loads, plays or imports a file, by what its name says it is.
    pub(crate) fn take(
        &mut self,
        ctx: &Context,
        session: &mut Session,
        library: &mut Library,
        file: &Path,
    ) {
        self.open = true;
        (self.job, self.response) = (None, None);
        self.note = None;
        self.found = None;
        self.before = Some(session.snapshot());
        self.file = file.to_owned();
        self.name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let outcome = match extension.as_str() {
            "toml" => myriad_library::load(file)
                .map(|patch| {
                    let text = format!("Loaded the patch {}.", patch.name);
                    session.load(patch);
                    text
                })
                .map_err(|error| error.to_string()),
            "zip" => library
                .import_pack(file)
                .map(|report| report.sentence())
                .map_err(|error| error.to_string()),
            "scl" | "kbm" => tuning::tune_patch(session, file),
            "mid" | "midi" | "rmi" => session.host.play_song(file),
            _ => {
                let input = Input::File(file.to_owned());
                return self.start(ctx, input, Options::default());
            }
        };
        match outcome {
            Ok(text) => self.say(text),
            Err(error) => self.fail(error),
        }
    }

    /// Imports what was read again in another way.
    pub(crate) fn again(&mut self, ctx: &Context, options: Options) {
        if let Some(found) = &mut self.found {
            // What is bright and what is dark is decided while a picture is read.
            let input = match found.options.picture.ink == options.picture.ink {
                true => Input::Read(found.content.clone()),
                false => Input::File(self.file.clone()),
            };
            found.options = options;
            self.start(ctx, input, options);
        }
    }

    /// Uses the file as an impulse response for the sound that was there before it.
    pub(crate) fn use_as_response(&mut self, ctx: &Context) {
        let Some(patch) = self.before.clone() else {
            return;
        };
        (self.note, self.job) = (None, None);
        let wake = ctx.clone();
        match Job::impulse(self.file.clone(), patch, move || wake.request_repaint()) {
            Ok(job) => self.response = Some(job),
            Err(error) => self.fail(format!("No thread to import: {error}")),
        }
    }

    fn start(&mut self, ctx: &Context, input: Input, options: Options) {
        self.note = None;
        // What is under way ends before the next begins.
        self.job = None;
        let stem = Path::new(&self.name).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().into_owned();
        let wake = ctx.clone();
        match Job::start(input, options, stem, move || wake.request_repaint()) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.fail(format!("No thread to import: {error}")),
        }
    }

    /// How far the import has come; none when there is none.
    pub(crate) fn progress(&self) -> Option<f32> {
        let drawing = self.drawing.as_ref().map(Job::share);
        let response = self.response.as_ref().map(Job::share);
        self.job.as_ref().map(Job::share).or(drawing).or(response)
    }

    /// Ends an import; the sound stays as it was.
    pub(crate) fn cancel(&mut self) {
        let is_under_way = self.progress().is_some();
        (self.job, self.drawing, self.response) = (None, None, None);
        if is_under_way {
            self.say("Cancelled.".into());
        }
    }

    /// Plays what was imported, once that is done.
    pub(crate) fn poll(&mut self, session: &mut Session) {
        if let Some(outcome) = self.drawing.as_ref().and_then(Job::poll) {
            self.drawing = None;
            match outcome {
                Ok(file) => self.say(format!("Saved as {}.", file.display())),
                Err(error) => self.fail(reason(&error)),
            }
        }
        if let Some(outcome) = self.response.as_ref().and_then(Job::poll) {
            self.response = None;
            match outcome {
                Ok(Imported { patch, .. }) => {
                    self.say(format!("{} is heard through {}.", patch.name, self.name));
                    session.load(patch);
                    self.found = None;
                }
                Err(error) => self.fail(reason(&error)),
            }
        }
        let Some(outcome) = self.job.as_ref().and_then(Job::poll) else {
            return;
        };
        self.job = None;
        let Finished { content, imported } = match outcome {
            Ok(finished) => finished,
            Err(error) => return self.fail(reason(&error)),
        };
        let options = self.found.take().map_or_else(Options::default, |found| found.options);
        let (findings, recording) = match imported {
            Ok(Imported { patch, findings, recording }) => {
                session.load(patch);
                (findings, recording)
            }
            Err(error) => {
                self.fail(reason(&error));
                (Vec::new(), None)
            }
        };
        self.found = Some(Found { content, options, findings, recording });
    }

    fn say(&mut self, text: String) {
        self.note = Some(Note { text, is_error: false });
    }

    /// One line, which names the file.
    fn fail(&mut self, text: String) {
        let line = text.lines().next().unwrap_or_default();
        let text = match line.contains(&self.name) {
            true => line.to_owned(),
            false => format!("{}: {line}", self.name),
        };
        self.note = Some(Note { text, is_error: true });
    }

    /// Closes the page; what is under way ends.
    pub(crate) fn close(&mut self) {
        self.open = false;
        (self.job, self.drawing, self.response) = (None, None, None);
    }

    /// The file names that are dragged over the window.
    pub(crate) fn hovering(ctx: &Context) -> Vec<String> {
        let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let hovered = ctx.input(|input| input.raw.hovered_files.clone());
        hovered.into_iter().filter_map(|file| name(file.path?)).collect()
    }
}

/// What to do in this window about an error, where the command line has an option.
fn reason(error: &ImportError) -> String {
    match error {
        ImportError::NoPitch => {
            "no pitch was found; take it as Any sound, set the root key, or trim it to one note"
                .into()
        }
        error => error.to_string(),
    }
}
