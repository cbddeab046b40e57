//! How long a client lets sound wait, so that a network that delivers unevenly is not heard.
//!
//! The page's audio worklet (`web/page/stream-worklet.js`) has the same algorithm; this one is for clients in
//! Rust, which need only the times.

/// Bins of the distribution of delays, a millisecond each.
const BINS: usize = 250;

/// The share of packets that must be in time.
const IN_TIME: f64 = 0.995;

/// What is added to the delay of these packets, in milliseconds.
const MARGIN: f64 = 2.0;

/// How much of the distribution is forgotten with each packet: it lasts some thousand packets.
const FORGET: f64 = 0.999;

/// A delay this much longer than needed is shortened, in milliseconds.
const SLACK: f64 = 4.0;

/// Packets for which it must have been longer than needed.
const PATIENCE: u32 = 200;

/// Packets until the smallest delay may be another one: clocks drift, and routes change.
const SMALLEST_PERIOD: u32 = 2_000;

/// Adapts the delay of a stream. All times are milliseconds of the client's clock.
#[derive(Clone, Debug)]
pub struct JitterBuffer {
    /// The smallest delays of this period and of the one before.
    smallest: [f64; 2],
    packets: u32,
    /// How often packets came so many milliseconds later than the quickest, newer ones counting more.
    bins: [f64; BINS],
    /// Sound is played so much later than its time on the server's clock.
    delay: Option<f64>,
    /// For how many packets the delay has been too long.
    too_long: u32,
    late: u32,
}

impl Default for JitterBuffer {
    fn default() -> Self {
        Self {
            smallest: [f64::INFINITY; 2],
            packets: 0,
            bins: [0.0; BINS],
            delay: None,
            too_long: 0,
            late: 0,
        }
    }
}

impl JitterBuffer {
    /// A packet that the server made at `made` has arrived. Returns whether it can still be played.
    pub fn arrived(&mut self, made: f64, now: f64) -> bool {
        let way = now - made;
        self.packets += 1;
        if self.packets.is_multiple_of(SMALLEST_PERIOD) {
            self.smallest = [f64::INFINITY, self.smallest[0]];
        }
        self.smallest[0] = self.smallest[0].min(way);
        let smallest = self.smallest[0].min(self.smallest[1]);
        self.bins.iter_mut().for_each(|bin| *bin *= FORGET);
        self.bins[((way - smallest) as usize).min(BINS - 1)] += 1.0;
        let needed = smallest + self.needed() + MARGIN;
        let Some(delay) = self.delay else {
            self.delay = Some(needed);
            return true;
        };
        let is_late = way > delay;
        if is_late {
            self.late += 1;
            self.delay = Some(needed.max(way + MARGIN));
        }
        self.too_long = if delay > needed + SLACK { self.too_long + 1 } else { 0 };
        // Clocks that drift apart need more and more, so it does not wait for a late packet.
        if !is_late && (needed > delay || self.too_long > PATIENCE) {
            (self.delay, self.too_long) = (Some(needed), 0);
        }
        !is_late
    }

    /// Milliseconds after the quickest packet in which nearly all have arrived.
    fn needed(&self) -> f64 {
        let wanted = self.bins.iter().sum::<f64>() * IN_TIME;
        let mut sum = 0.0;
        for (bin, count) in self.bins.iter().enumerate() {
            sum += count;
            if sum >= wanted {
                return (bin + 1) as f64;
            }
        }
        BINS as f64
    }

    /// When sound of the time `made` is played, once a packet has arrived.
    pub fn plays_at(&self, made: f64) -> Option<f64> {
        self.delay.map(|delay| made + delay)
    }

    /// Packets that came too late.
    pub fn late(&self) -> u32 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(way: impl Fn(u32) -> f64, packets: u32) -> (JitterBuffer, Vec<f64>) {
        let mut buffer = JitterBuffer::default();
        let delays = (0..packets)
            .map(|i| {
                let made = f64::from(i) * 5.3;
                buffer.arrived(made, made + way(i));
                buffer.plays_at(made).unwrap() - made
            })
            .collect();
        (buffer, delays)
    }

    #[test]
    fn an_even_network_needs_little() {
        let (buffer, delays) = delays(|_| 30.0, 2_000);
        assert_eq!(buffer.late(), 0);
        assert!(delays.iter().all(|delay| (*delay - 33.0).abs() < 0.1), "{delays:?}");
    }

    #[test]
    fn it_grows_with_an_uneven_network_and_shrinks_again() {
        // Every twentieth packet is 20 ms late for a while.
        let way = |i: u32| match (1_000..3_000).contains(&i) && i.is_multiple_of(20) {
            true => 30.0,
            false => 10.0,
        };
        let (buffer, delays) = delays(way, 12_000);
        assert!(buffer.late() <= 2, "{}", buffer.late());
        assert!(delays[900] < 14.0 && delays[2_500] >= 30.0 && delays[11_999] < 14.0);
    }
}
