//! A patch that is ready to be played: the tables that it brings along have their rows.

use super::Patch;
use crate::controls::Values;
use crate::modulation::Route;
use crate::tracks::{TableHandle, TracksError};
use crate::voice::LAYERS;
use std::ops::Deref;

/// A patch with its tables, as engines take it. Patches that nobody plays, in a library or on a list of
/// what can be undone, need no rows: there are more of them than there is room.
#[derive(Clone, Debug)]
pub struct Playable {
    patch: Patch,
    table_handles: [Option<TableHandle>; LAYERS],
    lacks_room: bool,
}

impl Playable {
    /// Finds room for the tables of `patch`. Allocates, locks, and takes a moment when there are any;
    /// not for the audio thread.
    pub fn new(patch: Patch) -> Self {
        let table_handles = patch.tracks.each_ref().map(|tracks| {
            let tracks = tracks.as_ref();
            tracks.map(|tracks| tracks.table_handle())
        });
        Self {
            lacks_room: table_handles
                .iter()
                .any(|table_handle| matches!(table_handle, Some(Err(_)))),
            table_handles: table_handles.map(|table_handle| table_handle.and_then(Result::ok)),
            patch,
        }
    }

    /// The same, unless there was no room for a table. Who does not ask hears a sawtooth in its place.
    ///
    /// # Errors
    /// When too many others are played.
    pub fn complete(self) -> Result<Self, TracksError> {
        match self.lacks_room {
            true => Err(TracksError::NoRoom),
            false => Ok(self),
        }
    }

    /// The tables that it brings along for its layers.
    pub(crate) fn table_handles(&self) -> &[Option<TableHandle>; LAYERS] {
        &self.table_handles
    }

    /// Its routes, to be changed.
    pub fn routes_mut(&mut self) -> &mut Vec<Route> {
        &mut self.patch.routes
    }

    /// Its values, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut Values {
        &mut self.patch.values
    }
}

impl Deref for Playable {
    type Target = Patch;

    fn deref(&self) -> &Patch {
        &self.patch
    }
}
