//! When an event is played: its time by the client's stamp, later by a delay that follows the network.
//!
//! A client stamps an event with the server's clock as it knows it. The event is played a constant time
//! after its stamp, so that notes keep their rhythm although the network delivers them unevenly. The
//! constant is the longest way that recent events took, and the block that is being rendered meanwhile.

/// The most that the network may delay events, in seconds. What takes longer is played at once.
const LONGEST_SECONDS: f64 = 0.25;

/// Half-life of the longest way, in seconds.
const HALF_LIFE_SECONDS: f64 = 4.0;

/// Decides the times of a seat's events. All times are frames of the server's clock.
#[derive(Debug)]
pub struct EventClock {
    rate: f64,
    block: f64,
    /// The longest way of recent events, which decays.
    longest_way: f64,
    /// When that was last updated.
    updated: f64,
    /// The time of the last event: the next one is not played before it.
    last: u64,
}

impl EventClock {
    /// For streams of `rate` frames a second in blocks of `block`.
    pub fn new(rate: f64, block: usize) -> Self {
        Self { rate, block: block as f64, longest_way: 0.0, updated: 0.0, last: 0 }
    }

    /// The time at which to play an event that arrived at `now`, and that the client has stamped.
    pub fn play_at(&mut self, stamp: Option<f64>, now: f64) -> u64 {
        let longest = LONGEST_SECONDS * self.rate;
        let elapsed = (now - self.updated).max(0.0) / self.rate;
        self.longest_way *= 0.5f64.powf(elapsed / HALF_LIFE_SECONDS);
        self.updated = now;
        // A stamp in the future is a clock that is not in step yet; one from long ago is of no use.
        let time = match stamp {
            Some(stamp) if now - stamp <= longest => {
                let way = (now - stamp).max(0.0);
                self.longest_way = self.longest_way.max(way);
                stamp.min(now) + self.longest_way + self.block
            }
            _ => now,
        };
        self.last = self.last.max(time.max(0.0) as u64);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uneven_network_does_not_change_the_rhythm() {
        let mut clock = EventClock::new(48_000.0, 256);
        let ways = [900.0, 40.0, 500.0, 880.0, 10.0, 300.0];
        let played: Vec<u64> = (0..60)
            .map(|i| {
                let stamp = f64::from(i) * 1_000.0;
                clock.play_at(Some(stamp), stamp + ways[i as usize % ways.len()])
            })
            .collect();
        for pair in played.windows(2) {
            // 20 frames are the decay within six events.
            assert!((pair[1] - pair[0]).abs_diff(1_000) < 25, "{pair:?}");
        }
    }

    #[test]
    fn impossible_stamps_are_played_soon_and_in_order() {
        let mut clock = EventClock::new(48_000.0, 256);
        let now = 1e6;
        let latest = (now + 256.0) as u64;
        for stamp in [Some(1e18), Some(-1e18), Some(0.0), None, Some(now + 5.0)] {
            let time = clock.play_at(stamp, now);
            assert!((now as u64..=latest).contains(&time), "{stamp:?}: {time}");
        }
    }
}
