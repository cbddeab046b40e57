//! From the bytes of a MIDI file to tracks of events at absolute ticks.

use super::{MOST_EVENTS, SongError};
use midly::{EventIter, Format, MetaMessage, MidiMessage, Timing, TrackEventKind};

/// The content of a MIDI file, in ticks.
pub(crate) struct MidiFile {
    pub sequential: bool,
    pub timing: Timing,
    pub tracks: Vec<Track>,
}

pub(crate) struct Track {
    /// Its name, or else the name of its instrument.
    pub name: Option<String>,
    pub events: Vec<TickEvent>,
    /// The tick of its last event, end-of-track included.
    pub end: u64,
}

/// An event at a tick counted from the start of its track.
#[derive(Clone, Copy)]
pub(crate) struct TickEvent {
    pub tick: u64,
    pub what: TickEventKind,
}

#[derive(Clone, Copy)]
pub(crate) enum TickEventKind {
    Channel(u8, MidiMessage),
    /// A new tempo, in microseconds for a quarter note; never 0.
    Tempo(u32),
}

/// Reads a Standard MIDI File, or one wrapped in RIFF.
///
/// A damaged file is an error, not a song with missing notes. What players commonly accept is accepted:
/// bytes after the last track, more tracks than announced, running status across meta events.
pub(crate) fn read(bytes: &[u8]) -> Result<MidiFile, SongError> {
    if has_impossible_timecode(bytes) {
        return Err(SongError::NotMidi);
    }
    let (header, chunks) = midly::parse(bytes).map_err(|_| SongError::NotMidi)?;
    let zero_division = match header.timing {
        Timing::Metrical(ticks) => ticks.as_int() == 0,
        Timing::Timecode(_, ticks) => ticks == 0,
    };
    if zero_division {
        return Err(SongError::ZeroDivision);
    }
    let (announced, _) = chunks.size_hint();
    let mut tracks = Vec::new();
    let mut room = MOST_EVENTS;
    for chunk in chunks {
        match chunk {
            Ok(events) => {
                let track = read_track(bytes, events, tracks.len() + 1, room)?;
                room -= track.events.len();
                tracks.push(track);
            }
            Err(_) if tracks.len() >= announced => break,
            Err(_) => {
                return Err(SongError::CutShort { track: tracks.len() + 1 });
            }
        }
    }
    if tracks.len() < announced {
        return Err(SongError::TracksMissing { found: tracks.len(), announced });
    }
    Ok(MidiFile { sequential: header.format == Format::Sequential, timing: header.timing, tracks })
}

/// Whether a header counts -128 frames a second. midly 0.5.3 negates that number, which overflows. It reads all headers
/// of a file, and in RIFF they may be anywhere.
fn has_impossible_timecode(bytes: &[u8]) -> bool {
    bytes.windows(13).any(|header| header.starts_with(b"MThd") && header[12] == 0x80)
}

/// Reads a track of at most `room` events.
fn read_track(
    bytes: &[u8],
    mut events: EventIter<'_>,
    number: usize,
    room: usize,
) -> Result<Track, SongError> {
    let mut track = Track { name: None, events: Vec::new(), end: 0 };
    let mut instrument = None;
    loop {
        let status = events.running_status();
        let offset = offset_of(events.unread(), bytes);
        let Some(event) = events.next() else { break };
        let event = event.map_err(|_| SongError::DamagedEvent { track: number, offset })?;
        if events.running_status().is_none() {
            *events.running_status_mut() = status;
        }
        track.end += u64::from(event.delta.as_int());
        let what = match event.kind {
            TrackEventKind::Midi { channel, message } => {
                TickEventKind::Channel(channel.as_int(), message)
            }
            TrackEventKind::Meta(MetaMessage::Tempo(micros)) if micros.as_int() > 0 => {
                TickEventKind::Tempo(micros.as_int())
            }
            TrackEventKind::Meta(MetaMessage::TrackName(text)) => {
                track.name = track.name.or_else(|| name_from(text));
                continue;
            }
            TrackEventKind::Meta(MetaMessage::InstrumentName(text)) => {
                instrument = instrument.or_else(|| name_from(text));
                continue;
            }
            TrackEventKind::Meta(MetaMessage::EndOfTrack) => break,
            _ => continue,
        };
        if track.events.len() == room {
            return Err(SongError::TooManyEvents);
        }
        track.events.push(TickEvent { tick: track.end, what });
    }
    track.name = track.name.or(instrument);
    Ok(track)
}

/// Where `part`, a slice of `whole`, begins in it.
fn offset_of(part: &[u8], whole: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// A name without control characters; none when it is empty.
fn name_from(text: &[u8]) -> Option<String> {
    let text: String = String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
