//! A song: what a MIDI file plays, in seconds and parts instead of ticks, tracks and channels.

pub mod assignment;
pub mod estimate;
mod read;
pub mod render;
mod tempo;
#[cfg(test)]
mod tests;

use crate::input::read_limited;
use midly::MidiMessage;
use myriad_engine::EventKind;
use read::{MidiFile, TickEvent, TickEventKind};
use std::io;
use std::path::Path;
use tempo::Clock;

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The most events of a song: many times what the longest pieces have. Each takes about 90 bytes.
const MOST_EVENTS: usize = 4_000_000;

/// The MIDI channel of drums, by convention number 10, counted from 0 here.
pub const PERCUSSION_CHANNEL: u8 = 9;

/// Why a MIDI file cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum SongError {
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error("larger than {} MiB; this is no MIDI file", MAX_FILE_BYTES >> 20)]
    TooLarge,
    #[error("not a MIDI file")]
    NotMidi,
    #[error("the header divides a beat into zero ticks")]
    ZeroDivision,
    #[error("cut short: track {track} is incomplete")]
    CutShort { track: usize },
    #[error("cut short: {found} of {announced} tracks are present")]
    TracksMissing { found: usize, announced: usize },
    #[error("damaged: the event at byte {offset}, in track {track}, cannot be read")]
    DamagedEvent { track: usize, offset: usize },
    #[error("has more than {} million events; split it", MOST_EVENTS / 1_000_000)]
    TooManyEvents,
    #[error("has no notes to play")]
    NoNotes,
}

/// Everything a MIDI file asks a synthesizer to do.
#[derive(Debug)]
pub struct Song {
    /// The channels that play notes, in channel order.
    pub parts: Vec<SongPart>,
    /// In order of time.
    pub events: Vec<TimedSongEvent>,
    /// From the start to the end of the last track.
    pub seconds: f64,
}

/// One MIDI channel of the song.
#[derive(Clone, Debug, PartialEq)]
pub struct SongPart {
    /// Counted from 0.
    pub channel: u8,
    /// The name of the track that plays it, when that track plays nothing else.
    pub name: Option<String>,
    /// The General MIDI program (from 0) in force when its first note sounds.
    pub program: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
pub struct TimedSongEvent {
    pub seconds: f64,
    /// Index into [`Song::parts`].
    pub part: u8,
    pub event: SongEvent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SongEvent {
    Engine(EventKind),
    /// A program change after the first note of the channel.
    Program(u8),
}

impl Song {
    /// Reads the MIDI file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or has no notes.
    pub fn load(path: &Path) -> Result<Self, SongError> {
        let bytes = read_limited(path, MAX_FILE_BYTES)?;
        Self::parse(&bytes.ok_or(SongError::TooLarge)?)
    }

    /// Reads the bytes of a MIDI file.
    ///
    /// # Errors
    /// When it is damaged or has no notes.
    pub fn parse(bytes: &[u8]) -> Result<Self, SongError> {
        let file = read::read(bytes)?;
        let parts = parts_of(&file);
        if parts.is_empty() {
            return Err(SongError::NoNotes);
        }
        let mut song = Song { parts, events: Vec::new(), seconds: 0.0 };
        if file.sequential {
            // Format 2: every track is a song of its own; they are played one after the other.
            for track in &file.tracks {
                song.append(&file, std::slice::from_ref(track));
            }
        } else {
            song.append(&file, &file.tracks);
        }
        song.extract_initial_programs();
        Ok(song)
    }

    /// Appends tracks that sound together.
    fn append(&mut self, file: &MidiFile, tracks: &[read::Track]) {
        let mut events: Vec<TickEvent> = tracks.iter().flat_map(|t| &t.events).copied().collect();
        events.sort_by_key(|event| event.tick);
        let start = self.seconds;
        let mut clock = Clock::new(file.timing);
        self.push_transport(start, &clock);
        for event in events {
            let seconds = start + clock.advance(event.tick);
            match event.what {
                TickEventKind::Tempo(micros) => {
                    clock.set_tempo(micros);
                    self.push_transport(seconds, &clock);
                }
                TickEventKind::Channel(channel, message) => {
                    // Channels without notes have no part.
                    if let Some(part) = self.parts.iter().position(|p| p.channel == channel) {
                        self.events.push(TimedSongEvent {
                            seconds,
                            part: part as u8,
                            event: song_event(message),
                        });
                    }
                }
            }
        }
        let end = tracks.iter().map(|track| track.end).max().unwrap_or(0);
        self.seconds = start + clock.advance(end);
    }

    fn push_transport(&mut self, seconds: f64, clock: &Clock) {
        let event =
            SongEvent::Engine(EventKind::Transport { bpm: clock.bpm(), beat: clock.beat() });
        self.events.push(TimedSongEvent { seconds, part: 0, event });
    }

    /// Moves program changes before a part's first note from the events to the part.
    fn extract_initial_programs(&mut self) {
        let mut started = vec![false; self.parts.len()];
        self.events.retain(|timed| {
            let part = usize::from(timed.part);
            match timed.event {
                SongEvent::Program(program) if !started[part] => {
                    self.parts[part].program = Some(program);
                    false
                }
                SongEvent::Engine(EventKind::NoteOn { .. }) => {
                    started[part] = true;
                    true
                }
                _ => true,
            }
        });
    }
}

/// The channels that play notes. A channel has the name of the first track that plays only it.
fn parts_of(file: &MidiFile) -> Vec<SongPart> {
    let mut parts: [Option<SongPart>; 16] = Default::default();
    for track in &file.tracks {
        let mut plays = [false; 16];
        for event in &track.events {
            if let TickEventKind::Channel(channel, MidiMessage::NoteOn { vel, .. }) = event.what {
                plays[usize::from(channel)] |= vel > 0;
            }
        }
        let alone = plays.iter().filter(|&&plays| plays).count() == 1;
        for channel in (0..16u8).filter(|&channel| plays[usize::from(channel)]) {
            let part = parts[usize::from(channel)].get_or_insert(SongPart {
                channel,
                name: None,
                program: None,
            });
            if alone && part.name.is_none() {
                part.name.clone_from(&track.name);
            }
        }
    }
    parts.into_iter().flatten().collect()
}

/// The event of a channel message.
pub fn song_event(message: MidiMessage) -> SongEvent {
    let unit = |value: midly::num::u7| f32::from(value.as_int()) / 127.0;
    SongEvent::Engine(match message {
        MidiMessage::NoteOn { key, vel } if vel == 0 => EventKind::NoteOff {
            key: key.as_int(),
            // The MIDI standard: a note-on with velocity 0 is a note-off with velocity 64.
            velocity: 64.0 / 127.0,
        },
        MidiMessage::NoteOn { key, vel } => {
            EventKind::NoteOn { key: key.as_int(), velocity: unit(vel) }
        }
        MidiMessage::NoteOff { key, vel } => {
            EventKind::NoteOff { key: key.as_int(), velocity: unit(vel) }
        }
        MidiMessage::Aftertouch { key, vel } => {
            EventKind::PolyPressure { key: key.as_int(), value: unit(vel) }
        }
        MidiMessage::ChannelAftertouch { vel } => EventKind::ChannelPressure(unit(vel)),
        MidiMessage::PitchBend { bend } => EventKind::PitchBend(bend_from(bend.0.as_int())),
        MidiMessage::Controller { controller, value } => match controller.as_int() {
            120 => EventKind::AllSoundOff,
            // The omni, mono and poly messages end all notes too.
            123..=127 => EventKind::AllNotesOff,
            cc => EventKind::Control { cc, value: unit(value) },
        },
        MidiMessage::ProgramChange { program } => return SongEvent::Program(program.as_int()),
    })
}

/// Pitch bend from 14 bits to -1 to 1; both ends and the centre are exact.
fn bend_from(raw: u16) -> f32 {
    let offset = f32::from(raw) - 8192.0;
    if offset < 0.0 { offset / 8192.0 } else { offset / 8191.0 }
}
