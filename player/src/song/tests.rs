//! Small MIDI files, built byte by byte.

use super::*;

/// A MIDI file of the given format and tracks, 480 ticks to the beat.
fn file(format: u8, tracks: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"MThd\0\0\0\x06\0".to_vec();
    bytes.extend([format, 0, tracks.len() as u8, 0x01, 0xE0]);
    for track in tracks {
        bytes.extend(b"MTrk");
        bytes.extend((track.len() as u32 + 4).to_be_bytes());
        bytes.extend(*track);
        bytes.extend([0, 0xFF, 0x2F, 0]);
    }
    bytes
}

fn notes(song: &Song) -> Vec<(f64, u8, u8)> {
    let note = |timed: &TimedSongEvent| match timed.event {
        SongEvent::Engine(EventKind::NoteOn { key, .. }) => Some((timed.seconds, timed.part, key)),
        _ => None,
    };
    song.events.iter().filter_map(note).collect()
}

const NOTE_AND_BEAT: &[u8] = &[0, 0x90, 60, 100, 0x83, 0x60, 0x80, 60, 0];

#[test]
fn a_beat_is_half_a_second_and_the_track_names_its_channel() {
    let track = [&[0, 0xFF, 3, 4, b'B', b'a', b's', b's'], NOTE_AND_BEAT].concat();
    let song = Song::parse(&file(0, &[&track])).unwrap();
    assert_eq!(song.seconds, 0.5);
    assert_eq!(song.parts, [SongPart { channel: 0, name: Some("Bass".into()), program: None }]);
    assert_eq!(notes(&song), [(0.0, 0, 60)]);
}

#[test]
fn tracks_of_format_2_follow_each_other() {
    let song = Song::parse(&file(2, &[NOTE_AND_BEAT, NOTE_AND_BEAT])).unwrap();
    assert_eq!(notes(&song), [(0.0, 0, 60), (0.5, 0, 60)]);
    let song = Song::parse(&file(1, &[NOTE_AND_BEAT, NOTE_AND_BEAT])).unwrap();
    assert_eq!(notes(&song), [(0.0, 0, 60), (0.0, 0, 60)]);
}

#[test]
fn a_tempo_track_moves_the_notes_of_the_others() {
    let tempo = [0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40];
    let late = [0x83, 0x60, 0x91, 64, 1];
    let song = Song::parse(&file(1, &[&tempo, &late])).unwrap();
    assert_eq!(notes(&song), [(1.0, 0, 64)]);
    assert_eq!(song.parts[0].channel, 1);
}

#[test]
fn the_first_program_belongs_to_the_part_and_later_ones_to_the_song() {
    let track = [0, 0xC0, 5, 0, 0x90, 60, 1, 0, 0xC0, 7, 0, 0x90, 61, 1];
    let song = Song::parse(&file(0, &[&track])).unwrap();
    assert_eq!(song.parts[0].program, Some(5));
    let changes = song.events.iter().filter(|m| matches!(m.event, SongEvent::Program(_)));
    assert_eq!(changes.count(), 1);
}

#[test]
fn running_status_survives_a_marker() {
    let track = [0, 0x90, 60, 1, 0, 0xFF, 6, 1, b'A', 0, 62, 1];
    let song = Song::parse(&file(0, &[&track])).unwrap();
    assert_eq!(notes(&song).len(), 2);
}

#[test]
fn pitch_bend_reaches_both_ends() {
    assert_eq!([0, 8192, 16383].map(bend_from), [-1.0, 0.0, 1.0]);
}

#[test]
fn malformed_files_are_errors() {
    let whole = file(1, &[NOTE_AND_BEAT, NOTE_AND_BEAT]);
    for length in 0..whole.len() {
        let error = Song::parse(&whole[..length]).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
    let silent = file(0, &[&[0, 0xC0, 5]]);
    assert!(matches!(Song::parse(&silent), Err(SongError::NoNotes)));
    let mut zero = whole.clone();
    zero[12..14].fill(0);
    assert!(matches!(Song::parse(&zero), Err(SongError::ZeroDivision)));
    // Found by fuzzing: a time code of -128 frames a second, also in RIFF.
    let mut timecode = whole.clone();
    timecode[12] = 0x80;
    assert!(matches!(Song::parse(&timecode), Err(SongError::NotMidi)));
    let size = (timecode.len() as u32).to_le_bytes();
    let riff = [b"RIFF\xff\0\0\0RMIDdata", size.as_slice(), &timecode].concat();
    assert!(matches!(Song::parse(&riff), Err(SongError::NotMidi)));
    // And in another header, which is no track.
    let second = [whole.as_slice(), &timecode].concat();
    assert!(matches!(Song::parse(&second), Err(SongError::NotMidi)));
    let garbage = [whole.as_slice(), b"trailing"].concat();
    assert!(Song::parse(&garbage).is_ok());
}

/// A file of nothing but controllers takes no more memory than any song.
#[test]
fn more_events_than_any_song_has_are_refused() {
    let controllers = |count: usize| [0, 0xB0, 7, 64].repeat(count);
    let half = controllers(MOST_EVENTS / 2);
    let error = Song::parse(&file(1, &[&half, &half, &controllers(1)])).unwrap_err();
    assert_eq!(error.to_string(), "has more than 4 million events; split it");
    let rest = [controllers(MOST_EVENTS / 2 - 2), NOTE_AND_BEAT.to_vec()].concat();
    let song = Song::parse(&file(1, &[&half, &rest])).unwrap();
    assert_eq!(song.seconds, 0.5);
}
