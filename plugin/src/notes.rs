//! The notes that sound. Hosts address them by id, channel and key, or by any of these.

use nice_plug::midi::{Channel, Key, NoteEvent, VoiceID};

/// Capacity: every key of every channel.
const MAX_NOTES: usize = 16 * 128;

/// A note that is held or still sounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) id: VoiceID,
    pub(crate) channel: u8,
    pub(crate) key: u8,
}

/// The notes that an event addresses. Each field may be a wildcard.
#[derive(Clone, Copy)]
pub(crate) struct NoteMatch {
    pub(crate) id: VoiceID,
    pub(crate) channel: Channel,
    pub(crate) key: Key,
}

/// Every note.
pub(crate) const ALL: NoteMatch =
    NoteMatch { id: VoiceID::Wildcard, channel: Channel::Wildcard, key: Key::Wildcard };

impl NoteMatch {
    pub(crate) fn of(event: &NoteEvent<()>) -> Self {
        use NoteEvent::*;
        Self {
            id: event.voice_id().unwrap_or(VoiceID::Wildcard),
            channel: event.channel().unwrap_or(Channel::Wildcard),
            key: match *event {
                NoteOn { key, .. } | NoteOff { key, .. } | Choke { key, .. } => key,
                PolyPressure { key, .. } | PolyVolume { key, .. } | PolyPan { key, .. } => key,
                PolyTuning { key, .. } | PolyVibrato { key, .. } => key,
                PolyExpression { key, .. } | PolyBrightness { key, .. } => key,
                _ => Key::Wildcard,
            },
        }
    }

    fn matches(&self, note: &Note) -> bool {
        let open_or = |named: Option<u8>, own| named.is_none_or(|named| named == own);
        // Notes from MIDI have no id, so their key is compared.
        let by_key = note.id.is_wildcard() && !self.key.is_wildcard();
        let id = self.id.is_wildcard() || self.id == note.id || by_key;
        id && open_or(self.channel.number(), note.channel) && open_or(self.key.number(), note.key)
    }
}

/// All notes, oldest first, and whether they are held. Held notes are kept even when they are silent,
/// because a mono voice returns to a key that is still held.
pub(crate) struct Notes(Vec<(Note, bool)>);

impl Notes {
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(MAX_NOTES))
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn start(&mut self, note: Note) {
        if let Some((_, held)) = self.0.iter_mut().find(|(known, _)| *known == note) {
            *held = true;
            return;
        }
        if self.0.len() == MAX_NOTES {
            self.0.remove(0);
        }
        self.0.push((note, true));
    }

    /// The keys of the notes that match.
    pub(crate) fn keys(&self, address: NoteMatch) -> impl Iterator<Item = u8> {
        let meant = self.0.iter().filter(move |(note, _)| address.matches(note));
        meant.map(|(note, _)| note.key)
    }

    /// Releases the notes that match. Returns their keys.
    pub(crate) fn release(&mut self, address: NoteMatch) -> impl Iterator<Item = u8> {
        let meant = self.0.iter_mut().filter(move |(note, _)| address.matches(note));
        meant.map(|(note, held)| {
            *held = false;
            note.key
        })
    }

    /// The keys that sound on a channel.
    pub(crate) fn on_channel(&self, channel: u8) -> impl Iterator<Item = u8> {
        self.keys(NoteMatch { channel: Channel::Number(channel), ..ALL })
    }

    /// Removes every note that is neither held nor sounds, and passes it to `ended`.
    pub(crate) fn end(&mut self, sounds: impl Fn(u8) -> bool, mut ended: impl FnMut(Note)) {
        self.0.retain(|(note, held)| {
            let stays = *held || sounds(note.key);
            if !stays {
                ended(*note);
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(id: i32, channel: u8, key: u8) -> Note {
        let id = if id < 0 { VoiceID::Wildcard } else { VoiceID::ID(id) };
        Note { id, channel, key }
    }

    #[test]
    fn matches_by_id_channel_key_or_wildcards() {
        let mut notes = Notes::new();
        for note in [note(1, 0, 60), note(2, 0, 64), note(-1, 1, 67)] {
            notes.start(note);
        }
        let keys =
            |id, channel, key| -> Vec<u8> { notes.keys(NoteMatch { id, channel, key }).collect() };
        let (any_id, any_channel) = (VoiceID::Wildcard, Channel::Wildcard);
        assert_eq!(keys(any_id, any_channel, Key::Wildcard), [60, 64, 67]);
        assert_eq!(keys(VoiceID::ID(2), any_channel, Key::Wildcard), [64]);
        assert_eq!(keys(VoiceID::ID(2), any_channel, Key::Number(67)), [67]);
        assert_eq!(keys(VoiceID::ID(1), any_channel, Key::Number(60)), [60]);
        assert_eq!(keys(any_id, Channel::Number(0), Key::Number(64)), [64]);
        assert!(keys(VoiceID::ID(9), Channel::Number(0), Key::Wildcard).is_empty());
        assert_eq!(notes.on_channel(1).collect::<Vec<_>>(), [67]);
    }

    #[test]
    fn ended_notes_are_reported_once_and_held_ones_are_kept() {
        let mut notes = Notes::new();
        (0..128).for_each(|key| notes.start(note(key, 0, key as u8)));
        notes.end(|_| false, |_| panic!("a held note has not ended"));
        assert_eq!(notes.release(ALL).count(), 128);
        let mut ended = 0;
        notes.end(|key| key == 3, |_| ended += 1);
        assert_eq!(ended, 127);
        notes.end(|_| false, |note| assert_eq!(note.key, 3));
        notes.end(|_| false, |_| panic!("reported twice"));
    }

    #[test]
    fn a_flood_of_notes_keeps_the_capacity() {
        let mut notes = Notes::new();
        (0..10_000).for_each(|id| notes.start(note(id, 0, (id % 128) as u8)));
        assert_eq!(notes.keys(ALL).count(), MAX_NOTES);
    }
}
