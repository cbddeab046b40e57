//! What a song will ask of a renderer, estimated before it is rendered.

use crate::assignment::PatchAssignment;
use crate::song::{Song, SongEvent};
use myriad_engine::params::Param;
use myriad_engine::render::MAX_TICKS;
use myriad_engine::{EventKind, TICK};
use myriad_live::auto::Piece;
use myriad_live::failover::Load;

/// How long a note sounds after it was let go, roughly.
const RELEASE_SECONDS: f64 = 0.5;

/// The song as a number of blocks that are all alike: as many clouds and partials as sound on
/// average.
pub fn expect(song: &Song, assignment: &PatchAssignment, sample_rate: u32) -> Piece {
    let (mut clouds, mut partials) = (0.0, 0.0);
    for (part, role) in assignment.roles.iter().enumerate() {
        let copies = f64::from(role.patch.values[Param::UnisonVoices]);
        let sounding = copies * notes(song, part) / song.seconds.max(RELEASE_SECONDS);
        clouds += sounding;
        partials += sounding * f64::from(role.patch.values[Param::SourcePartials]);
    }
    let frames = song.seconds * f64::from(sample_rate);
    Piece {
        load: Load {
            ticks: MAX_TICKS,
            clouds: clouds.ceil() as usize,
            partials: partials.ceil() as usize,
        },
        blocks: (frames / (MAX_TICKS * TICK) as f64).ceil() as u64,
    }
}

/// The seconds of all notes of a part, added up.
fn notes(song: &Song, part: usize) -> f64 {
    let mut since: [Option<f64>; 128] = [None; 128];
    let mut seconds = 0.0;
    for moment in &song.moments {
        let (SongEvent::Engine(what), true) = (moment.what, usize::from(moment.part) == part)
        else {
            continue;
        };
        let (key, on) = match what {
            EventKind::NoteOn { key, .. } => (key, true),
            EventKind::NoteOff { key, .. } => (key, false),
            _ => continue,
        };
        let Some(since) = since.get_mut(usize::from(key)) else {
            continue;
        };
        if let Some(start) = since.take() {
            seconds += moment.seconds - start + RELEASE_SECONDS;
        }
        *since = on.then_some(moment.seconds);
    }
    let held = since.into_iter().flatten();
    seconds + held.map(|start| song.seconds - start).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::song::{SongPart, TimedSongEvent};

    #[test]
    fn a_song_is_as_heavy_as_its_notes_are_long() {
        let note = |seconds, key, on| TimedSongEvent {
            seconds,
            part: 0,
            what: SongEvent::Engine(match on {
                true => EventKind::NoteOn { key, velocity: 0.8 },
                false => EventKind::NoteOff { key, velocity: 0.0 },
            }),
        };
        // Two notes sound for half of the time, and one, held to the end, for a quarter.
        let song = Song {
            parts: vec![SongPart {
                channel: 0,
                name: None,
                program: None,
            }],
            moments: vec![
                note(0.0, 60, true),
                note(0.0, 64, true),
                note(9.5, 60, false),
                note(9.5, 64, false),
                note(15.0, 60, true),
            ],
            seconds: 20.0,
        };
        let Ok(mut assignment) = PatchAssignment::choose(&song, &[]) else {
            panic!("there are patches");
        };
        let values = &mut assignment.roles[0].patch.values;
        values.set(Param::UnisonVoices, 4.0);
        values.set(Param::SourcePartials, 100.0);
        let piece = expect(&song, &assignment, 48_000);
        assert_eq!((piece.load.clouds, piece.load.partials), (5, 500));
        assert_eq!(piece.blocks, 20 * 48_000 / 256);
    }
}
