//! Chooses the patch of each part of a song.

mod general_midi;

use crate::failure::Failure;
use crate::song::{Song, SongPart};
use general_midi::GeneralMidi;
use myriad_engine::Patch;
use myriad_library::{self as library, LibraryError};
use std::str::FromStr;

/// One `--patch` option: for one channel, or for all channels without one of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchRequest {
    /// Counted from 0.
    pub channel: Option<u8>,
    pub patch: String,
}

impl FromStr for PatchRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (channel, patch) = match text.split_once('=') {
            Some((number, patch)) if number.trim().parse::<i64>().is_ok() => {
                match number.trim().parse() {
                    Ok(number @ 1..=16u8) => (Some(number - 1), patch),
                    _ => return Err("MIDI channels go from 1 to 16".to_owned()),
                }
            }
            _ => (None, text),
        };
        let patch = patch.trim().to_owned();
        match patch.is_empty() {
            true => Err("give a patch's name or file".to_owned()),
            false => Ok(Self { channel, patch }),
        }
    }
}

/// Why patches cannot be assigned.
#[derive(Debug, thiserror::Error)]
pub enum AssignmentError {
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error("--patch is given twice for {0}")]
    Twice(String),
}

impl From<AssignmentError> for Failure {
    fn from(error: AssignmentError) -> Self {
        match error {
            AssignmentError::Library(error) => error.into(),
            AssignmentError::Twice(_) => Failure::misuse(error),
        }
    }
}

/// A patch for every part of a song.
pub struct PatchAssignment {
    /// In the order of the song's parts.
    pub parts: Vec<AssignedPart>,
    general_midi: GeneralMidi,
}

pub struct AssignedPart {
    pub channel: u8,
    pub track: Option<String>,
    pub patch: Patch,
    /// Whether program changes change the patch: no patch was asked for.
    pub follows_program: bool,
}

impl PatchAssignment {
    /// Chooses for every part the patch of the command line, else the factory patch with the track's
    /// name, else the patch of its General MIDI program, else the first factory patch.
    ///
    /// # Errors
    /// When a requested patch does not exist or cannot be read.
    pub fn choose(song: &Song, requests: &[PatchRequest]) -> Result<Self, AssignmentError> {
        check_unique_channels(requests)?;
        // Every request is resolved, used or not, so that a misspelt name is always reported.
        let asked = requests
            .iter()
            .map(|request| Ok((request.channel, library::resolve(&request.patch)?)))
            .collect::<Result<Vec<_>, LibraryError>>()?;
        let general_midi = GeneralMidi::embedded();
        let assign = |part: &SongPart| {
            let asked = |channel| asked.iter().find(|(c, _)| *c == channel).map(|(_, p)| p.clone());
            let chosen = asked(Some(part.channel))
                .or_else(|| asked(None))
                .or_else(|| part.name.as_deref().and_then(library::named));
            AssignedPart {
                channel: part.channel,
                track: part.name.clone(),
                follows_program: chosen.is_none(),
                patch: chosen.unwrap_or_else(|| general_midi.patch(part.channel, part.program)),
            }
        };
        Ok(Self { parts: song.parts.iter().map(assign).collect(), general_midi })
    }

    /// The patch after a program change; none when the part does not follow program changes.
    pub fn after_program_change(&self, part: usize, program: u8) -> Option<Patch> {
        let part = self.parts.get(part).filter(|part| part.follows_program)?;
        Some(self.general_midi.patch(part.channel, Some(program)))
    }

    /// Channels (from 0) with a patch on the command line but without notes in the song.
    pub fn idle_channels(&self, requests: &[PatchRequest]) -> Vec<u8> {
        requests
            .iter()
            .filter_map(|request| request.channel)
            .filter(|channel| self.parts.iter().all(|part| part.channel != *channel))
            .collect()
    }
}

/// # Errors
/// When a channel is given two patches.
pub fn check_unique_channels(requests: &[PatchRequest]) -> Result<(), AssignmentError> {
    for (index, request) in requests.iter().enumerate() {
        if requests[..index].iter().any(|earlier| earlier.channel == request.channel) {
            return Err(AssignmentError::Twice(match request.channel {
                Some(channel) => format!("channel {}", channel + 1),
                None => "all channels".to_owned(),
            }));
        }
    }
    Ok(())
}

/// The General MIDI patch of a channel and a program, both counted from 0.
pub fn patch_for_program(channel: u8, program: u8) -> Patch {
    GeneralMidi::embedded().patch(channel, Some(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_a_channel_or_none() {
        let parse = |text: &str| text.parse::<PatchRequest>();
        let request = parse("10=Glass Bells").unwrap();
        assert_eq!((request.channel, request.patch.as_str()), (Some(9), "Glass Bells"));
        assert_eq!(parse("a=b.toml").unwrap().channel, None);
        for wrong in ["0=Organ", "17=Organ", "-1=Organ", "3=", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
