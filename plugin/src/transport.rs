//! Follows the host's transport. The engine counts beats itself, so it gets events only for a start, a
//! stop, a jump or another tempo. So the sound does not depend on the block size.

use myriad_engine::EventKind;
use nice_plug::prelude::Transport;

/// Beats by which host and engine may disagree: less than a millisecond.
const TOLERANCE: f64 = 1e-3;

/// The transport as the engine knows it.
#[derive(Default)]
pub(crate) struct TransportTracker {
    bpm: Option<f64>,
    /// The beat at which the next block should start; none while the transport is stopped.
    next: Option<f64>,
}

impl TransportTracker {
    /// The event for the start of a block of `frames`, if there is a change.
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
        let changed = self.bpm != Some(bpm) || !goes_on;
        let from = if changed { beat } else { self.next };
        let beats = frames as f64 / f64::from(transport.sample_rate) * bpm / 60.0;
        *self = TransportTracker { bpm: Some(bpm), next: from.map(|from| from + beats) };
        changed.then_some(EventKind::Transport { bpm: bpm as f32, beat: beat.unwrap_or(f64::NAN) })
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
    fn only_changes_send_an_event() {
        let mut tracker = TransportTracker::default();
        let stopped = tracker.follow(&at(false, 120.0, 3.0), 480);
        assert!(matches!(stopped, Some(EventKind::Transport { beat, .. }) if beat.is_nan()));
        assert_eq!(tracker.follow(&at(false, 120.0, 3.0), 480), None);
        assert!(tracker.follow(&at(true, 120.0, 3.0), 24_000).is_some());
        assert_eq!(tracker.follow(&at(true, 120.0, 4.0), 24_000), None);
        assert_eq!(tracker.follow(&at(true, 120.0, 5.0), 1), None);
        let jump = tracker.follow(&at(true, 120.0, 1.0), 24_000);
        assert_eq!(jump, Some(EventKind::Transport { bpm: 120.0, beat: 1.0 }));
        assert!(tracker.follow(&at(true, 90.0, 2.0), 64).is_some(), "tempo");
        assert!(tracker.follow(&at(false, 90.0, 2.0), 64).is_some(), "stop");
    }

    #[test]
    fn invalid_transport_is_ignored() {
        let mut tracker = TransportTracker::default();
        assert_eq!(tracker.follow(&Transport::new(48_000.0), 64), None);
        assert_eq!(tracker.follow(&at(true, f64::NAN, 0.0), 64), None);
        assert_eq!(tracker.follow(&at(true, 0.0, 0.0), 64), None);
    }
}
