//! Estimates the load of a song, to choose its renderer.

use crate::assignment::PatchAssignment;
use crate::song::{Song, SongEvent};
use myriad_engine::params::Param;
use myriad_engine::render::MAX_TICKS;
use myriad_engine::{EventKind, TICK};
use myriad_live::auto::Piece;
use myriad_live::supervised::Load;

/// About how long a note sounds after its release.
const RELEASE_SECONDS: f64 = 0.5;

/// The song as a number of equal blocks, with the average number of clouds and partials.
pub fn estimate(song: &Song, assignment: &PatchAssignment, sample_rate: u32) -> Piece {
    let (mut clouds, mut partials) = (0.0, 0.0);
    for (part, assigned) in assignment.parts.iter().enumerate() {
        let copies = f64::from(assigned.patch.values[Param::UnisonVoices]);
        let sounding = copies * notes(song, part) / song.seconds.max(RELEASE_SECONDS);
        clouds += sounding;
        partials += sounding * f64::from(assigned.patch.values[Param::SourcePartials]);
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

/// The sum of the lengths of all notes of a part, in seconds.
fn notes(song: &Song, part: usize) -> f64 {
    let mut since: [Option<f64>; 128] = [None; 128];
    let mut seconds = 0.0;
    for timed in &song.events {
        let (SongEvent::Engine(what), true) = (timed.event, usize::from(timed.part) == part) else {
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
            seconds += timed.seconds - start + RELEASE_SECONDS;
        }
        *since = on.then_some(timed.seconds);
    }
    let held = since.into_iter().flatten();
    seconds + held.map(|start| song.seconds - start).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::song::{SongPart, TimedSongEvent};

    #[test]
    fn load_follows_the_length_of_notes() {
        let note = |seconds, key, on| TimedSongEvent {
            seconds,
            part: 0,
            event: SongEvent::Engine(match on {
                true => EventKind::NoteOn { key, velocity: 0.8 },
                false => EventKind::NoteOff { key, velocity: 0.0 },
            }),
        };
        // Two notes sound for half of the time, and one, held to the end, for a quarter.
        let song = Song {
            parts: vec![SongPart { channel: 0, name: None, program: None }],
            events: vec![
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
        let values = &mut assignment.parts[0].patch.values;
        values.set(Param::UnisonVoices, 4.0);
        values.set(Param::SourcePartials, 100.0);
        let piece = estimate(&song, &assignment, 48_000);
        assert_eq!((piece.load.clouds, piece.load.partials), (5, 500));
        assert_eq!(piece.blocks, 20 * 48_000 / 256);
    }
}
