//! A patch that is ready to be played: its imported tables and impulse responses are loaded.

use super::Patch;
use crate::controls::Values;
use crate::effects::Convolutions;
use crate::effects::convolver::Convolution;
use crate::modulation::Route;
use crate::params::Param;
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
    /// The number of the convolution that was prepared for it; 0 without one.
    convolution: u64,
    /// On the way to an engine that convolution, on the way back those that the engine needs no more.
    convolutions: Convolutions,
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
            convolution: 0,
            convolutions: Convolutions::default(),
            kit: Kit::new(&patch),
            patch,
        }
    }

    /// The drawn waveforms and tables of `patch` and nothing else of it, for [`Playable::swap_drawn`]. Allocates and
    /// locks too.
    pub fn drawn(patch: &Patch) -> Self {
        let mut drawn = Patch::new();
        drawn.copy_drawn(patch);
        Self::new(drawn)
    }

    /// The same for an engine at this sample rate: with impulse responses, if its convolver is on. Takes a moment then;
    /// not for the audio thread. Without this a convolver lets the sound pass.
    pub fn prepared(self, sample_rate: f32) -> Self {
        match self.values[Param::ConvolverOn] != 0.0 {
            true => self.with_convolver(sample_rate),
            false => self,
        }
    }

    /// The same with impulse responses in any case, so that its convolver can be switched on while it plays.
    pub fn with_convolver(mut self, sample_rate: f32) -> Self {
        let made = self.convolutions.iter().flatten().any(|it| it.sample_rate() == sample_rate);
        if !made {
            let convolution = Convolution::new(self.impulse.as_deref(), sample_rate);
            self.convolution = convolution.number();
            self.convolutions = Convolutions::default();
            self.convolutions[0] = Some(Box::new(convolution));
        }
        self
    }

    /// The number of its convolution; 0 without one.
    pub(crate) fn convolution(&self) -> u64 {
        self.convolution
    }

    /// The convolution on its way to or from an engine.
    pub(crate) fn convolutions_mut(&mut self) -> &mut Convolutions {
        &mut self.convolutions
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

    /// Swaps drawn waveforms and tables with another patch.
    pub fn swap_drawn(&mut self, other: &mut Playable) {
        std::mem::swap(&mut self.patch.drawings, &mut other.patch.drawings);
        std::mem::swap(&mut self.patch.envelopes, &mut other.patch.envelopes);
        std::mem::swap(&mut self.patch.tracks, &mut other.patch.tracks);
        std::mem::swap(&mut self.table_handles, &mut other.table_handles);
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
