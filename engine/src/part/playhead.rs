//! The playhead of a note in its table: moves at its own speed, to the end or in a loop.

/// Loop modes, in the order of the `source.loop` parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loop {
    Off,
    Forwards,
    PingPong,
}

/// The loop of a playhead.
#[derive(Clone, Copy, Debug)]
pub(super) struct TablePlayhead {
    kind: Loop,
    start: f32,
    length: f32,
}

impl TablePlayhead {
    /// From the parameters: loop mode, loop start and loop end.
    pub(super) fn new(kind: f32, start: f32, end: f32) -> Self {
        /// The shortest loop.
        const SHORTEST: f32 = 0.001;
        Self {
            kind: [Loop::Off, Loop::Forwards, Loop::PingPong][(kind as usize).min(2)],
            start: start.min(end),
            length: (end - start).abs().max(SHORTEST),
        }
    }

    /// The position in the table for a playhead that has moved to `position`.
    pub(super) fn place(self, position: f32) -> f32 {
        let beyond = position - self.start - self.length;
        // Inside the loop this also holds backwards.
        let within = beyond <= 0.0 && position >= 0.0;
        match self.kind {
            _ if within => position,
            Loop::Off => position.clamp(0.0, 1.0),
            Loop::Forwards => self.start + (position - self.start).rem_euclid(self.length),
            Loop::PingPong => {
                let there = (position - self.start).rem_euclid(2.0 * self.length);
                self.start + there.min(2.0 * self.length - there)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_modes() {
        let at = |kind: f32, position: f32| TablePlayhead::new(kind, 0.5, 0.75).place(position);
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        for kind in [0.0, 1.0, 2.0] {
            near(at(kind, 0.3), 0.3);
            near(at(kind, 0.74), 0.74);
        }
        near(at(0.0, 0.9), 0.9);
        near(at(0.0, 7.0), 1.0);
        near(at(0.0, -1.0), 0.0);
        near(at(1.0, 0.8), 0.55);
        near(at(1.0, 1.3), 0.55);
        near(at(2.0, 0.8), 0.7);
        near(at(2.0, 1.05), 0.55);
        // An empty loop stands still.
        assert!((0.5..0.502).contains(&TablePlayhead::new(1.0, 0.5, 0.5).place(3.0)));
    }
}
