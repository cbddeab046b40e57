//! The live view in the terminal.

mod bars;
mod browser;
mod computer_keyboard;
mod engine;
mod help;
mod keymap;
mod macros;
mod meters;
mod piano;
mod screen;
mod spectrum;
#[cfg(test)]
mod tests;
mod theme;
mod view_model;

use browser::Browser;
use computer_keyboard::{Change, ComputerKeyboard};
use keymap::{Action, action};
use myriad_engine::patch::MACROS;
use myriad_library::Library;
use myriad_player::failure::Failure;
use myriad_player::midi::MACRO_PARAMS;
use myriad_player::session::Session;
use ratatui::crossterm::event::{
    self, Event, KeyEvent, KeyEventKind, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::{execute, terminal};
use std::io::stdout;
use std::time::{Duration, Instant};
use view_model::ViewModel;

/// The period of redraws.
const FRAME: Duration = Duration::from_millis(33);

/// How long a notice is shown.
const NEWS: Duration = Duration::from_secs(6);

/// The step of a macro for each key press.
const STEP: f32 = 1.0 / 32.0;

/// State of the view.
pub(crate) struct View {
    keyboard: ComputerKeyboard,
    /// The macro that the arrow keys change.
    selected: usize,
    browser: Option<Browser>,
    help: bool,
    news: Option<(Instant, String)>,
    quit: bool,
}

/// Shows the session and plays it from the keyboard, until `done` or the user quits.
pub(crate) fn run(session: &mut Session, done: impl Fn(&Session) -> bool) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("terminal: {error}"));
    // Also restores the terminal when any thread panics.
    let mut screen = ratatui::try_init().map_err(failed)?;
    let _restored = Restored;
    let releases = terminal::supports_keyboard_enhancement().unwrap_or(false);
    if releases {
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
            | KeyboardEnhancementFlags::REPORT_EVENT_TYPES;
        execute!(stdout(), PushKeyboardEnhancementFlags(flags)).map_err(failed)?;
    }
    let mut view = View::new(releases);
    let mut next_frame = Instant::now();
    while !view.quit && !done(session) {
        session.tick();
        view.tick(session);
        if Instant::now() >= next_frame {
            next_frame = Instant::now() + FRAME;
            let model = ViewModel::of(session, &view);
            screen.draw(|frame| screen::draw(frame, &model)).map_err(failed)?;
        }
        // A short wait, because the session is ticked here too.
        if event::poll(Duration::from_millis(4)).map_err(failed)?
            && let Event::Key(key) = event::read().map_err(failed)?
        {
            view.key(key, session);
        }
    }
    Ok(())
}

/// Restores the terminal when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // Has no effect when nothing was pushed.
        let _ = execute!(stdout(), PopKeyboardEnhancementFlags);
        ratatui::restore();
    }
}

impl View {
    fn new(releases: bool) -> Self {
        Self {
            keyboard: ComputerKeyboard::new(releases),
            selected: 0,
            browser: None,
            help: false,
            news: None,
            quit: false,
        }
    }

    fn tick(&mut self, session: &mut Session) {
        for key in self.keyboard.expired(Instant::now()) {
            session.release(key);
        }
        if let Some(text) = session.take_news().pop() {
            self.news = Some((Instant::now(), text));
        }
        if let Some(underrun) = session.take_underruns().pop() {
            self.news = Some((Instant::now(), format!("underrun: {}", underrun.cause)));
        }
        self.news.take_if(|(when, _)| when.elapsed() > NEWS);
    }

    fn key(&mut self, key: KeyEvent, session: &mut Session) {
        if let Some(browser) = &mut self.browser
            && key.kind != KeyEventKind::Release
        {
            match browser.key(key) {
                browser::Answer::Stay => {}
                browser::Answer::Try(patch) => session.set_patch(*patch),
                browser::Answer::Close => self.browser = None,
                browser::Answer::Quit => self.quit = true,
            }
            return;
        }
        match action(key) {
            Some(Action::Note(semitone)) => self.note(key, semitone, session),
            // Only notes react to the release of a key.
            _ if key.kind == KeyEventKind::Release => {}
            Some(action) => self.act(action, session),
            None => self.help = false,
        }
    }

    fn note(&mut self, key: KeyEvent, semitone: u8, session: &mut Session) {
        for change in self.keyboard.play(semitone, key.kind, Instant::now()) {
            match change {
                Change::Press(key, velocity) => session.press(key, velocity),
                Change::Release(key) => session.release(key),
            }
        }
    }

    fn act(&mut self, action: Action, session: &mut Session) {
        match action {
            Action::Note(_) => {}
            Action::Quit => self.quit = true,
            Action::Help => self.help = !self.help,
            Action::Close => {
                self.help = false;
                session.learn(None);
            }
            Action::Search => {
                self.browser =
                    Some(Browser::new(Library::open(Library::user_folder()), &session.patch().name))
            }
            Action::Octave(step) => self.keyboard.shift_octave(step),
            Action::Velocity(step) => self.keyboard.change_velocity(step),
            Action::Pedal => {
                let down = self.keyboard.toggle_pedal();
                session.pedal(down);
            }
            Action::Panic => {
                self.keyboard.release_all();
                session.panic();
            }
            Action::Patch(step) => {
                let browser =
                    Browser::new(Library::open(Library::user_folder()), &session.patch().name);
                session.set_patch(browser.neighbour(step));
            }
            Action::Select(step) => {
                let count = MACROS as i32;
                self.selected = (self.selected as i32 + step).rem_euclid(count) as usize;
            }
            Action::Turn(steps) => {
                let value = session.macros()[self.selected] + steps * STEP;
                session.turn(MACRO_PARAMS[self.selected], value);
            }
            Action::Learn => {
                let param = MACRO_PARAMS[self.selected];
                let waiting = session.learning() == Some(param);
                session.learn((!waiting).then_some(param));
            }
            Action::Forget => session.forget(MACRO_PARAMS[self.selected]),
        }
    }
}
