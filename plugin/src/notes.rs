//! Which notes sound: hosts name them by id, channel and key, or by any of these.

use nice_plug::midi::{Channel, Key, VoiceID};

/// Notes remembered at once: every key of every channel.
const MAX_NOTES: usize = 16 * 128;

/// A note that is held or still sounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Note {
    pub(crate) id: VoiceID,
    pub(crate) channel: u8,
    pub(crate) key: u8,
}

/// What an event is about: each part may be left open.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) id: VoiceID,
    pub(crate) channel: Channel,
    pub(crate) key: Key,
}

/// Every note.
pub(crate) const ALL: Address =
    Address { id: VoiceID::Wildcard, channel: Channel::Wildcard, key: Key::Wildcard };

impl Address {
    fn means(&self, note: &Note) -> bool {
        let open_or = |named: Option<u8>, own| named.is_none_or(|named| named == own);
        // Notes from MIDI have no id; their key has to do.
        let by_key = note.id.is_wildcard() && !self.key.is_wildcard();
        let id = self.id.is_wildcard() || self.id == note.id || by_key;
        id && open_or(self.channel.number(), note.channel) && open_or(self.key.number(), note.key)
    }
}

/// All of them, oldest first, and whether they are held. Held ones are kept though they may be
/// silent: a mono voice comes back to a key that is still down.
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

    /// The keys that an event is about.
    pub(crate) fn keys(&self, address: Address) -> impl Iterator<Item = u8> {
        let meant = self.0.iter().filter(move |(note, _)| address.means(note));
        meant.map(|(note, _)| note.key)
    }

    /// The keys that an event lets go.
    pub(crate) fn release(&mut self, address: Address) -> impl Iterator<Item = u8> {
        let meant = self.0.iter_mut().filter(move |(note, _)| address.means(note));
        meant.map(|(note, held)| {
            *held = false;
            note.key
        })
    }

    /// The keys that sound on a channel.
    pub(crate) fn on_channel(&self, channel: u8) -> impl Iterator<Item = u8> {
        self.keys(Address { channel: Channel::Number(channel), ..ALL })
    }

    /// Forgets every note that is neither held nor sounds, and says which.
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
    fn addresses_may_leave_parts_open() {
        let mut notes = Notes::new();
        for note in [note(1, 0, 60), note(2, 0, 64), note(-1, 1, 67)] {
            notes.start(note);
        }
        let keys =
            |id, channel, key| -> Vec<u8> { notes.keys(Address { id, channel, key }).collect() };
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
    fn ended_notes_are_named_once_and_held_ones_are_kept() {
        let mut notes = Notes::new();
        (0..128).for_each(|key| notes.start(note(key, 0, key as u8)));
        notes.end(|_| false, |_| panic!("a held note has not ended"));
        assert_eq!(notes.release(ALL).count(), 128);
        let mut ended = 0;
        notes.end(|key| key == 3, |_| ended += 1);
        assert_eq!(ended, 127);
        notes.end(|_| false, |note| assert_eq!(note.key, 3));
        notes.end(|_| false, |_| panic!("named twice"));
    }

    #[test]
    fn floods_are_survived() {
        let mut notes = Notes::new();
        (0..10_000).for_each(|id| notes.start(note(id, 0, (id % 128) as u8)));
        assert_eq!(notes.keys(ALL).count(), MAX_NOTES);
    }
}
