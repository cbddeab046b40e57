//! Any bytes as a MIDI file: an error, or a song whose events are in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_player::song::Song;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(song) = Song::parse(bytes) {
        assert!(song.seconds.is_finite() && song.seconds >= 0.0);
        assert!(song.events.is_sorted_by(|a, b| a.seconds <= b.seconds));
        let parts = song.parts.len();
        assert!(song.events.iter().all(|event| usize::from(event.part) < parts));
    }
});
