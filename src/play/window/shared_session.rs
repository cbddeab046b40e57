//! The desk on which a session lies while a window and the player both work on it.

use myriad_player::session::Session;
use std::sync::{Mutex, PoisonError};

/// Holds a session until it is taken.
pub(crate) struct SharedSession(Mutex<Option<Session>>);

impl SharedSession {
    pub(crate) fn new(session: Session) -> Self {
        Self(Mutex::new(Some(session)))
    }

    /// Does something with the session; nothing when it has been taken.
    pub(crate) fn with<R: Default>(&self, work: impl FnOnce(&mut Session) -> R) -> R {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.as_mut().map(work).unwrap_or_default()
    }

    pub(crate) fn take(&self) -> Option<Session> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.take()
    }
}
