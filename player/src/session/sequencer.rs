//! Plays a song into a running stream, on exact frames.

use crate::assignment::PatchAssignment;
use crate::song::{PERCUSSION_CHANNEL, Song, SongEvent};
use crate::song_render::{TAIL_LIMIT_SECONDS, frames_at, score};
use myriad_engine::EventKind;
use myriad_live::stream::Control;

/// How far ahead events are sent: longer than the control thread may be delayed.
const AHEAD_SECONDS: f64 = 0.5;

/// The pause before the first note.
const START_DELAY_SECONDS: f64 = 0.2;

/// Patches change this much early, so that the notes after them have them.
const EARLY_SECONDS: f64 = 0.03;

pub(super) struct SongSequencer {
    /// The patches of programs; none where programs change no patches.
    assignment: Option<PatchAssignment>,
    /// Frame, part and event, sorted by frame.
    score: Vec<(u64, u8, EventKind)>,
    next: usize,
    /// Frame, part and program, sorted by frame.
    programs: Vec<(u64, u8, u8)>,
    next_program: usize,
    rate: f64,
    /// The stream's frame at which the song begins.
    start: Option<u64>,
    frames: u64,
}

impl SongSequencer {
    pub(super) fn new(song: &Song, assignment: Option<PatchAssignment>, rate: u32) -> Self {
        let rate = f64::from(rate);
        let frames = frames_at(song.seconds, rate);
        let mut programs = Vec::new();
        let mut events = Vec::new();
        for (frame, part, event) in score(song, frames, rate) {
            match event {
                SongEvent::Engine(kind) => events.push((frame, part, kind)),
                SongEvent::Program(program) => programs.push((frame, part, program)),
            }
        }
        Self {
            assignment,
            score: events,
            next: 0,
            programs,
            next_program: 0,
            rate,
            start: None,
            frames,
        }
    }

    /// Plays all channels of a song but drums on one part, whose patch stays.
    pub(super) fn on_part(song: &Song, part: u8, rate: u32) -> Self {
        let drums = song.parts.iter().position(|part| part.channel == PERCUSSION_CHANNEL);
        let mut sequencer = Self::new(song, None, rate);
        sequencer.score.retain(|(_, part, _)| Some(usize::from(*part)) != drums);
        sequencer.score.iter_mut().for_each(|(_, of, _)| *of = part);
        sequencer
    }

    /// Sends the events that are due soon.
    pub(super) fn tick(&mut self, control: &Control) {
        let now = control.time();
        let start =
            *self.start.get_or_insert_with(|| now + frames_at(START_DELAY_SECONDS, self.rate));
        let horizon = now + frames_at(AHEAD_SECONDS, self.rate);
        while let Some(&(frame, part, kind)) = self.score.get(self.next) {
            // When the queue is full, the rest is sent at the next tick.
            if start + frame > horizon || !control.has_room() {
                break;
            }
            control.send_at(start + frame, part, kind);
            self.next += 1;
        }
        let soon = now + frames_at(EARLY_SECONDS, self.rate);
        while let Some(&(frame, part, program)) = self.programs.get(self.next_program) {
            if start + frame > soon {
                break;
            }
            let part = usize::from(part);
            let assignment = self.assignment.as_ref();
            if let Some(patch) = assignment.and_then(|a| a.after_program_change(part, program))
                && control.set_patch(part, patch).is_err()
            {
                break;
            }
            self.next_program += 1;
        }
    }

    /// The song's length in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.frames as f64 / self.rate
    }

    /// Seconds of the song that were played.
    pub(super) fn position(&self, control: &Control) -> f64 {
        let start = self.start.unwrap_or(u64::MAX);
        let played = control.time().saturating_sub(start);
        played.min(self.frames) as f64 / self.rate
    }

    /// Whether the song was played and its tail is over.
    pub(super) fn is_over(&self, control: &Control, sounding: usize) -> bool {
        let Some(start) = self.start else {
            return false;
        };
        let now = control.time();
        let end = start + self.frames + control.latency() as u64;
        let tail = frames_at(TAIL_LIMIT_SECONDS, self.rate);
        self.next == self.score.len() && now > end && (sounding == 0 || now > end + tail)
    }
}
