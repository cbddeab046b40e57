//! Drawn tables: copies of others, their bytes, and what renderers read.

use super::super::Tracks;
use super::*;
use crate::spectrum::Table;

fn saw(partials: usize, frames: usize) -> DrawnTable {
    DrawnTable::copy(Table::Saw.place(), 110.0, partials, frames)
}

/// The rows of frame `frame`: levels and bends.
fn row(rows: &[Row], frame: usize, bends: bool) -> &[f32] {
    F32x16::flat(&rows[4 + 2 * frame + usize::from(bends)])
}

#[test]
fn a_copy_sounds_as_the_table_did() {
    let family = Table::Saw.place();
    let table = saw(512, 16);
    let rows = table.rows();
    assert_eq!(table.row_frames(), 16);
    let tables = tables();
    for frame in 0..16 {
        let expected = F32x16::flat(tables.row(family.first_frame + frame as u16));
        let levels = expected.iter().zip(row(&rows, frame, false)).take(512);
        for (n, (was, is)) in levels.enumerate() {
            assert!((was - is).abs() < 0.01 * was.max(1e-3), "frame {frame}, {n}: {was} {is}");
        }
        assert!(row(&rows, frame, true).iter().all(|bend| *bend == 0.0));
    }
    assert_eq!(F32x16::flat(&rows[0])[..512], F32x16::flat(tables.row(family.first_row))[..512]);
}

#[test]
fn bytes_survive_the_round_trip() {
    let mut table = saw(20, 5);
    table.frame_mut(3)[7] = Harmonic { level: 0.0, tuning: -12.3, decay: 1.25, pan: 0.0 };
    table.frame_mut(4)[0] = Harmonic { level: 1.0, tuning: 1_200.0, decay: MAX_DECAY, pan: 0.0 };
    let tracks = Tracks::from_bytes(table.encode()).unwrap();
    let read = tracks.drawn().unwrap();
    assert_eq!(read.encode(), table.encode(), "what was read is written again");
    for frame in 0..5 {
        for (a, b) in table.frame(frame).iter().zip(read.frame(frame)) {
            // Levels are stored in steps of 0.4 dB, down to -100 dB.
            assert!((a.level - b.level).abs() <= 0.025 * a.level + 1.1e-5, "{a:?} {b:?}");
            assert!((a.tuning - b.tuning).abs() < 0.06 && (a.decay - b.decay).abs() < 0.13);
        }
    }
    assert!((tracks.key() - 45.0).abs() < 1e-3);
    assert_eq!(tracks.table_handle().unwrap().place().frames, 5 * 8 - 7, "the tuning moves");
}

#[test]
fn damaged_bytes_are_refused_or_played() {
    let mut panned = saw(9, 3);
    panned.frame_mut(1)[4].pan = -0.5;
    for bytes in [saw(9, 3).encode(), panned.encode()] {
        for length in 0..bytes.len() {
            assert!(Tracks::from_bytes(bytes[..length].to_vec()).is_err());
        }
        for index in 4..bytes.len() {
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[index] ^= flip;
                if let Ok(tracks) = Tracks::from_bytes(damaged) {
                    let rows = tracks.drawn().unwrap().rows();
                    assert!(rows.iter().all(|row| F32x16::flat(row).iter().all(|x| x.is_finite())));
                }
            }
        }
    }
}

/// Renderers leave out everything above the first partial beyond Nyquist, so partials keep their order.
#[test]
fn tunings_keep_the_order_and_are_exact_at_both_ends() {
    let mut table = saw(40, 3);
    for frame in 0..3 {
        for (n, harmonic) in table.frame_mut(frame).iter_mut().enumerate() {
            harmonic.tuning = if n % 3 == 0 { 900.0 } else { -900.0 } * frame as f32 / 2.0;
        }
    }
    let (rows, frames) = (table.rows(), table.row_frames());
    assert!(frames > 3);
    for frame in 0..frames {
        let ratios = F32x16::flat(&rows[0]).iter().zip(row(&rows, frame, true));
        let tuned: Vec<f32> = ratios.map(|(ratio, bend)| ratio * (1.0 + bend)).collect();
        assert!(tuned.is_sorted_by(|a, b| a < b), "frame {frame}: {tuned:?}");
    }
    assert_eq!(row(&rows, 0, true)[0], 0.0);
    // The last interval is the one that is read at the end.
    let cents = 1_200.0 * (1.0 + row(&rows, frames - 2, true)[0]).log2();
    assert!((cents - 900.0).abs() < 0.1, "{cents}");
}

#[test]
fn decay_adds_up_from_frame_to_frame() {
    let mut table = saw(4, 4);
    for frame in 0..4 {
        for harmonic in table.frame_mut(frame) {
            *harmonic = Harmonic { level: 0.5, tuning: 0.0, decay: 6.0, pan: 0.0 };
        }
    }
    let rows = table.rows();
    let decibels = |frame: usize| 20.0 * row(&rows, frame, false)[2].log10();
    for frame in 0..4 {
        assert!((decibels(0) - decibels(frame) - 6.0 * frame as f32).abs() < 0.01, "{frame}");
    }
    let power: f32 = row(&rows, 0, false).iter().map(|level| level * level).sum();
    assert!((power - 1.0).abs() < 1e-3, "the loudest frame is as loud as a sine");
}

/// Tables without pan have the bytes and the rows that they always had.
#[test]
fn pan_has_rows_of_its_own_with_the_same_power() {
    let mut table = saw(8, 2);
    let centre = (table.encode(), table.rows());
    for frame in 0..2 {
        for (n, harmonic) in table.frame_mut(frame).iter_mut().enumerate() {
            harmonic.pan = [-1.0, -0.5, 0.0, 1.0][n % 4];
        }
    }
    assert_eq!(table.encode().len(), centre.0.len() + 2 * 8);
    let read = Tracks::from_bytes(table.encode()).unwrap();
    let drawn = read.drawn().unwrap();
    assert!((drawn.frame(1)[5].pan + 0.5).abs() < 0.005 && drawn.frame(1)[7].pan == 1.0);
    let place = read.table_handle().unwrap().place();
    let rows = table.rows();
    assert_eq!(rows.len(), centre.1.len() + 2 * usize::from(place.side_rows));
    let side = |frame: usize, side: usize| {
        F32x16::flat(&rows[4 + side * usize::from(place.side_rows) + 2 * frame])
    };
    for frame in 0..3 {
        assert_eq!(side(frame, 0), row(&centre.1, frame, false), "the levels of both together");
        for n in 0..8 {
            let [both, left, right] = [0, 1, 2].map(|of| side(frame, of)[n]);
            assert!((left * left + right * right - 2.0 * both * both).abs() < 1e-5 * both);
            match n % 4 {
                0 => assert!(right == 0.0 && left > 1.4 * both),
                1 => assert!(left > 1.2 * right && right > 0.3 * left),
                2 => assert!(left == both && right == both),
                _ => assert!(left.abs() < 1e-6 && right > 1.4 * both),
            }
        }
    }
    table.frame_mut(0).iter_mut().for_each(|harmonic| harmonic.pan = 0.0);
    table.frame_mut(1).iter_mut().for_each(|harmonic| harmonic.pan = 0.0);
    assert_eq!((table.encode(), table.rows()), centre);
}

#[test]
fn other_numbers_of_partials_and_frames() {
    let table = saw(10, 4);
    let more = table.with_partials(15).with_frames(6);
    assert_eq!((more.partials(), more.frames()), (15, 6));
    assert_eq!(more.frame(1)[..10], *table.frame(1));
    assert_eq!(more.frame(1)[10..], [Harmonic::default(); 5]);
    assert_eq!(more.frame(5), more.frame(3), "the last one is repeated");
    assert_eq!(more.with_partials(10).with_frames(4), table);
    let bounds = table.with_partials(9_999).with_frames(9_999);
    assert!(Tracks::from_bytes(bounds.encode()).is_ok());
    assert!(Tracks::from_bytes(table.with_partials(0).with_frames(0).encode()).is_ok());
    let silent = |mut table: DrawnTable| {
        (0..4).for_each(|frame| table.frame_mut(frame).fill(Harmonic::default()));
        table.rows()
    };
    assert!(silent(table).iter().all(|row| F32x16::flat(row).iter().all(|x| x.is_finite())));
}
