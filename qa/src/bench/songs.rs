//! Songs, as `myriad render` renders them: events, control, the renderer, effects; without writing a file.

use super::RATE;
use super::candidate::Candidate;
use super::figure::Figure;
use super::rounds::{Plan, ROUNDS, in_rounds};
use myriad_engine::{PitchSettings, factory};
use myriad_player::assignment::PatchAssignment;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_player::machine::cores;
use myriad_player::song::Song;
use myriad_player::song_render::{Settings, SongRender, Tail};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// The songs: name, MIDI file, and the patch of all parts if it is not the songs' own.
const SONGS: [(&str, &[u8], Option<&str>); 4] = [
    (
        "15 parts of Aurora",
        include_bytes!("../../../benches/songs/fifteen-parts.mid"),
        Some("Aurora"),
    ),
    ("daybreak", include_bytes!("../../../assets/songs/daybreak.mid"), None),
    ("motorway", include_bytes!("../../../assets/songs/motorway.mid"), None),
    ("procession", include_bytes!("../../../assets/songs/procession.mid"), None),
];

/// How fast a song is rendered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SongSpeed {
    pub song: String,
    pub renderer: String,
    /// Seconds of sound in a second.
    pub times_real_time: Figure,
    /// The most voices and partials at once.
    pub voices: usize,
    pub partials: usize,
    /// Notes that found no voice.
    pub notes_lost: u64,
}

/// Seconds of a song that are not measured: notes are added to notes that still sound.
const BEGINNING: f64 = 3.0;

/// A song that is rendered again and again.
struct SongLoop<'a> {
    candidate: &'a Candidate,
    index: usize,
    render: SongRender,
}

impl<'a> SongLoop<'a> {
    fn new(candidate: &'a Candidate, index: usize) -> Result<Self, Failure> {
        Ok(Self { candidate, index, render: begin(candidate, index)? })
    }

    /// Renders for `length`, on from where it was. Returns seconds of sound in a second.
    fn render_for(&mut self, length: Duration) -> Result<f64, Failure> {
        let (mut sound, mut time) = (0.0, Duration::ZERO);
        loop {
            let (from, start) = (self.render.frames(), Instant::now());
            let goes_on = self.render.next_block();
            time += start.elapsed();
            sound += (self.render.frames() - from) as f64 / RATE;
            if time >= length || interrupt::requested() {
                return Ok(sound / time.as_secs_f64());
            }
            if !goes_on {
                self.render = begin(self.candidate, self.index)?;
            }
        }
    }
}

/// A song after its beginning.
fn begin(candidate: &Candidate, index: usize) -> Result<SongRender, Failure> {
    let (_, file, patch) = SONGS[index];
    let song = Song::parse(file).map_err(Failure::failed)?;
    let mut assignment = PatchAssignment::choose(&song, &[])?;
    if let Some(patch) = patch.and_then(factory::find) {
        assignment.parts.iter_mut().for_each(|part| part.patch = patch.clone());
    }
    let settings = Settings {
        sample_rate: RATE as u32,
        threads: cores(),
        stems: false,
        tail: Tail::Seconds(0.0),
        pitch: PitchSettings::default(),
        max_frames: u64::MAX,
    };
    let render = SongRender::new(&song, assignment, &settings, candidate.watched_renderer());
    let mut render = render.map_err(Failure::failed)?;
    while (render.frames() as f64) < BEGINNING * RATE && !interrupt::requested() {
        render.next_block();
    }
    Ok(render)
}

/// Renders every song with every candidate.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<Vec<SongSpeed>, Failure> {
    let songs = SONGS.len();
    let pieces = songs * candidates.len() * ROUNDS;
    let bar = plan.bar("songs", pieces);
    let mut rows = Vec::new();
    for index in 0..songs {
        let loops: Result<Vec<_>, _> =
            candidates.iter().map(|candidate| SongLoop::new(candidate, index)).collect();
        let mut loops = loops?;
        let length = plan.piece(0.15, pieces);
        let rounds = in_rounds(&mut loops, &bar, |song_loop| song_loop.render_for(length))?;
        for (song_loop, rounds) in loops.iter().zip(rounds) {
            let peaks = song_loop.render.peaks();
            rows.extend(Figure::of_rounds(&rounds).map(|times_real_time| SongSpeed {
                song: SONGS[song_loop.index].0.to_owned(),
                renderer: song_loop.candidate.id().to_owned(),
                times_real_time,
                voices: peaks.voices,
                partials: peaks.partials,
                notes_lost: peaks.notes_dropped,
            }));
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}
