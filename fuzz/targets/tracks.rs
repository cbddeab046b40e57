//! Any bytes as the tracks of an imported sound: an error, or a table that can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_engine::tracks::Tracks;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(tracks) = Tracks::from_bytes(bytes.to_vec()) {
        assert!(tracks.key().is_finite());
        let again = Tracks::from_text(&tracks.to_text()).expect("what was written can be read");
        assert!(again == tracks);
        drop(tracks.table_handle());
    }
});
