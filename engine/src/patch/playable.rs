//! A patch that is ready to be played: its imported tables are loaded.

use super::Patch;
use crate::controls::Values;
use crate::modulation::Route;
use crate::part::kit::Kit;
use crate::tracks::{TableHandle, TracksError};
use crate::voice::LAYERS;
use std::ops::Deref;

/// A patch with its tables, for engines. Patches in a library or in the undo history need no loaded
/// tables: there are more of them than there is room.
#[derive(Clone, Debug)]
pub struct Playable {
    patch: Patch,
    table_handles: [Option<TableHandle>; LAYERS],
    lacks_room: bool,
    /// The parts of its key zones, for a kit.
    kit: Option<Box<Kit>>,
}

impl Playable {
    /// Loads the tables of `patch`. Allocates and locks, and takes a moment when there are any; not
    /// for the audio thread.
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
            kit: Kit::new(&patch),
            patch,
        }
    }

    /// The same, or an error when there was no room for a table. Without this check a sawtooth
    /// replaces it.
    ///
    /// # Errors
    /// When too many others are played.
    pub fn complete(self) -> Result<Self, TracksError> {
        match self.lacks_room {
            true => Err(TracksError::NoRoom),
            false => Ok(self),
        }
    }

    /// The tables of its layers.
    pub(crate) fn table_handles(&self) -> &[Option<TableHandle>; LAYERS] {
        &self.table_handles
    }

    /// The kit that it is, if it is one.
    pub(crate) fn kit(&self) -> Option<&Kit> {
        self.kit.as_deref()
    }

    /// The same, mutable.
    pub(crate) fn kit_mut(&mut self) -> Option<&mut Kit> {
        self.kit.as_deref_mut()
    }

    /// Mutable access to its routes.
    pub fn routes_mut(&mut self) -> &mut Vec<Route> {
        &mut self.patch.routes
    }

    /// Mutable access to its values.
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
