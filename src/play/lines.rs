//! Lines about a session while it plays: what happens, and every second how it stands.

use super::report::Style;
use myriad_player::failure::Failure;
use myriad_player::session::Session;
use std::time::{Duration, Instant};

/// How often there is one though nothing happens.
const EVERY: Duration = Duration::from_secs(1);

/// Writes lines as a session goes on.
pub(crate) struct Lines {
    style: Style,
    /// When the next one is due, if there are any but about what happens.
    next: Option<Instant>,
}

impl Lines {
    /// Every second, and whenever something happens.
    pub(crate) fn steady(style: Style) -> Self {
        let next = Some(Instant::now() + EVERY);
        Self { style, next }
    }

    /// Only when something happens.
    pub(crate) fn of_events() -> Self {
        let style = Style::Plain;
        Self { style, next: None }
    }

    /// Writes those that are due.
    ///
    /// # Errors
    /// When nobody reads them.
    pub(crate) fn write(&mut self, session: &mut Session) -> Result<(), Failure> {
        self.style.happenings(session)?;
        if let Some(next) = self.next.take_if(|next| Instant::now() >= *next) {
            self.next = Some(next + EVERY);
            self.style.status(session)?;
        }
        Ok(())
    }
}
