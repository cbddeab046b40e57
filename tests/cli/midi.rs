//! Small MIDI files. At 24,000 ticks a beat and 120 beats a minute, a tick is a frame of 48 kHz.

use midly::num::{u15, u28};
use midly::{Format, Header, MetaMessage, MidiMessage, Smf, Timing, Track};
use midly::{TrackEvent, TrackEventKind};

pub(crate) const TICKS_PER_BEAT: u16 = 24_000;

/// A note: channel (from 0), key, first tick, length in ticks.
pub(crate) type Note = (u8, u8, u32, u32);

/// A MIDI file with one track for each (name, notes).
pub(crate) fn song(tracks: &[(&str, &[Note])]) -> Vec<u8> {
    let timing = Timing::Metrical(u15::new(TICKS_PER_BEAT));
    let mut smf = Smf::new(Header::new(Format::Parallel, timing));
    for (name, notes) in tracks {
        smf.tracks.push(track(name, notes));
    }
    let mut bytes = Vec::new();
    smf.write_std(&mut bytes).unwrap();
    bytes
}

fn track<'a>(name: &'a str, notes: &[Note]) -> Track<'a> {
    let mut events: Vec<(u32, TrackEventKind<'a>)> = Vec::new();
    if !name.is_empty() {
        let name = MetaMessage::TrackName(name.as_bytes());
        events.push((0, TrackEventKind::Meta(name)));
    }
    for &(channel, key, start, length) in notes {
        let mut push = |tick, vel: u8| {
            let message = MidiMessage::NoteOn { key: key.into(), vel: vel.into() };
            events.push((tick, TrackEventKind::Midi { channel: channel.into(), message }));
        };
        push(start, 100);
        push(start + length, 0);
    }
    events.sort_by_key(|(tick, _)| *tick);
    let end = events.last().map_or(0, |(tick, _)| *tick);
    events.push((end, TrackEventKind::Meta(MetaMessage::EndOfTrack)));
    let mut last = 0;
    events
        .into_iter()
        .map(|(tick, kind)| {
            let delta = u28::new(tick - last);
            last = tick;
            TrackEvent { delta, kind }
        })
        .collect()
}

/// Half a second of three parts.
pub(crate) fn trio() -> Vec<u8> {
    song(&[
        ("Lead", &[(0, 69, 0, 12_000), (0, 72, 12_000, 12_000)]),
        ("Bass", &[(1, 45, 0, 24_000)]),
        ("Drums", &[(9, 38, 6_000, 2_000), (9, 38, 18_000, 2_000)]),
    ])
}

/// One note of a tenth of a second.
pub(crate) fn beep() -> Vec<u8> {
    song(&[("", &[(0, 69, 0, 4_800)])])
}
