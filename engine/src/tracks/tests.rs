//! Bytes to tables and back, and invalid bytes.

use super::*;
use crate::simd::F32x16;
use crate::spectrum::tables;

fn bytes() -> Vec<u8> {
    let partial = |n: usize| PartialTrack {
        ratio: n as f64 * 1.001,
        noise: 0.5,
        levels: (0..20).map(|k| 0.5 / (n + k) as f32).collect(),
        phases: (0..20).map(|k| 0.25 + (n * k) as f64 * 4.403).collect(),
    };
    let partials: Vec<PartialTrack> = (1..=9).map(partial).collect();
    encode(440.0, 0.19, &[0.001; 20], &partials)
}

#[test]
fn phases_are_where_they_were_at_every_frame() {
    let bytes = bytes();
    let read = Reader::new(&bytes).unwrap();
    for n in 0..9 {
        let mut phase = f64::from(read.phase(n)) / 65_536.0;
        for frame in 0..20 {
            let wanted = 0.25 + ((n + 1) * frame) as f64 * 4.403;
            let off = (phase - wanted + 0.5).rem_euclid(1.0) - 0.5;
            assert!(off.abs() < 0.6 * STEP, "partial {n} at {frame}: {off}");
            let ratio = f64::from(read.ratio(n) * (1.0 + read.bend(frame, n)));
            phase += ratio * 440.0 * 0.01;
        }
    }
}

#[test]
fn the_same_tracks_are_one_table() {
    let first = Tracks::from_bytes(bytes()).unwrap();
    let again = Tracks::from_text(&first.to_text()).unwrap();
    assert_eq!(first, again);
    let [table_handle, other] = [&first, &again].map(|tracks| tracks.table_handle().unwrap());
    assert_eq!(table_handle.place(), other.place());
    assert!((first.key() - 69.0).abs() < 1e-3);
    let tables = tables();
    let row = |row: u16| F32x16::flat(tables.row(table_handle.place().first_row + row));
    assert!((row(0)[4] - 5.005).abs() < 1e-6 && row(2)[0] == 16_384.0);
    // The loudest frame, the first, has the power of a sine within the steps of levels.
    let power: f32 = row(4).iter().map(|x| x * x).sum();
    assert!((power - 1.0).abs() < 0.05, "{power}");
}

#[test]
fn invalid_bytes_are_refused_with_a_reason() {
    let good = bytes();
    for length in [0, 3, 15, 40, good.len() - 1] {
        assert!(Tracks::from_bytes(good[..length].to_vec()).is_err());
    }
    for at in 0..HEAD {
        for value in [0, 1, 0x7F, 0xFF] {
            let mut bad = good.clone();
            bad[at] = value;
            // It may be accepted, but must not panic.
            let _ = Tracks::from_bytes(bad);
        }
    }
    let error = Tracks::from_text("not base64!").unwrap_err().to_string();
    assert_eq!(error, "this is no table of partials (not base64)");
}
