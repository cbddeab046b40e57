//! Where the host's song is. The engine counts beats itself, so it is told only of what it cannot
//! know: a start, a stop, a jump, another tempo. A song that just goes on sounds the same, then,
//! whatever blocks it is cut into.

use myriad_engine::EventKind;
use nice_plug::prelude::Transport;

/// Beats by which host and engine may disagree: less than a millisecond.
const TOLERANCE: f64 = 1e-3;

/// What the engine knows of the song.
#[derive(Default)]
pub(crate) struct Song {
    bpm: Option<f64>,
    /// The beat that the next block should start at; nothing while the song stands.
    next: Option<f64>,
}

impl Song {
    /// What to tell the engine at the start of a block of `frames`.
    pub(crate) fn follow(&mut self, transport: &Transport, frames: usize) -> Option<EventKind> {
        let usable = |bpm: &f64| bpm.is_finite() && *bpm > 0.0;
        let bpm = transport.tempo.filter(usable)?;
        let beat = match transport.playing {
            true => transport.pos_beats().filter(|beat| beat.is_finite()),
            false => None,
        };
        let goes_on = match (self.next, beat) {
            (Some(expected), Some(beat)) => (expected - beat).abs() < TOLERANCE,
            (None, None) => true,
            _ => false,
        };
        let news = self.bpm != Some(bpm) || !goes_on;
        let from = if news { beat } else { self.next };
        let beats = frames as f64 / f64::from(transport.sample_rate) * bpm / 60.0;
        *self = Song { bpm: Some(bpm), next: from.map(|from| from + beats) };
        news.then_some(EventKind::Transport { bpm: bpm as f32, beat: beat.unwrap_or(f64::NAN) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(playing: bool, bpm: f64, beat: f64) -> Transport {
        let mut transport = Transport::new(48_000.0);
        (transport.playing, transport.tempo) = (playing, Some(bpm));
        transport.pos_beats = Some(beat);
        transport
    }

    #[test]
    fn only_news_is_told() {
        let mut song = Song::default();
        let stopped = song.follow(&at(false, 120.0, 3.0), 480);
        assert!(matches!(stopped, Some(EventKind::Transport { beat, .. }) if beat.is_nan()));
        assert_eq!(song.follow(&at(false, 120.0, 3.0), 480), None);
        assert!(song.follow(&at(true, 120.0, 3.0), 24_000).is_some());
        assert_eq!(song.follow(&at(true, 120.0, 4.0), 24_000), None);
        assert_eq!(song.follow(&at(true, 120.0, 5.0), 1), None);
        let jump = song.follow(&at(true, 120.0, 1.0), 24_000);
        assert_eq!(jump, Some(EventKind::Transport { bpm: 120.0, beat: 1.0 }));
        assert!(song.follow(&at(true, 90.0, 2.0), 64).is_some(), "tempo");
        assert!(song.follow(&at(false, 90.0, 2.0), 64).is_some(), "stop");
    }

    #[test]
    fn nonsense_and_silence_of_the_host_are_ignored() {
        let mut song = Song::default();
        assert_eq!(song.follow(&Transport::new(48_000.0), 64), None);
        assert_eq!(song.follow(&at(true, f64::NAN, 0.0), 64), None);
        assert_eq!(song.follow(&at(true, 0.0, 0.0), 64), None);
    }
}
