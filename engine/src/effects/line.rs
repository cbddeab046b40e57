//! A delay line.

/// The last samples of a signal, in a ring buffer.
#[derive(Clone, Debug)]
pub(super) struct DelayLine {
    samples: Vec<f32>,
    /// Samples written since the last reset; older ones are silence.
    written: usize,
    at: usize,
}

/// Additional samples that interpolation needs.
const MARGIN: usize = 4;

impl DelayLine {
    /// A line for delays of up to `frames` samples. The system gives it memory as it is first written to, a page
    /// every thousand samples: an effect that is never switched on takes none.
    pub(super) fn new(frames: usize) -> Self {
        Self { samples: vec![0.0; (frames + MARGIN).next_power_of_two()], written: 0, at: 0 }
    }

    /// Clears it.
    pub(super) fn reset(&mut self) {
        let dirty = self.written.min(self.samples.len());
        self.samples[..dirty].fill(0.0);
        (self.written, self.at) = (0, 0);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, sample: f32) {
        let mask = self.samples.len() - 1;
        self.samples[self.at & mask] = sample;
        self.at += 1;
        self.written += 1;
    }

    /// The sample that was pushed `delay` samples before the last one.
    #[inline(always)]
    pub(super) fn tap(&self, delay: usize) -> f32 {
        let mask = self.samples.len() - 1;
        self.samples[self.at.wrapping_sub(1 + delay) & mask]
    }

    /// The same with interpolation; the shortest delay is one.
    #[inline(always)]
    pub(super) fn tap_between(&self, delay: f32) -> f32 {
        let delay = delay.max(1.0);
        let whole = delay as usize;
        let taps = [self.tap(whole - 1), self.tap(whole), self.tap(whole + 1), self.tap(whole + 2)];
        between(taps, delay - whole as f32)
    }
}

/// Cubic interpolation (Hermite, Catmull-Rom) between the two samples in the middle, at `x`.
#[inline(always)]
pub(super) fn between([before, from, to, after]: [f32; 4], x: f32) -> f32 {
    let slope = 0.5 * (to - before);
    let bend = before - 2.5 * from + 2.0 * to - 0.5 * after;
    let twist = 0.5 * (after - before) + 1.5 * (from - to);
    ((twist * x + bend) * x + slope) * x + from
}

/// Memory filled with `value` and already mapped by the system, so that there are no page faults on
/// the audio thread.
pub(super) fn touched<T: Copy>(count: usize, value: T) -> Vec<T> {
    let mut memory = vec![value; count];
    std::hint::black_box(&mut memory[..]).fill(value);
    memory
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A delay that is smoothed down to the shortest may end a rounding error below it.
    #[test]
    fn delays_are_clamped_to_the_shortest() {
        let mut line = DelayLine::new(8);
        (0..8).for_each(|n| line.push(n as f32));
        assert_eq!(line.tap_between(1.0 - 1e-6), line.tap_between(1.0));
    }

    #[test]
    fn reading_between_samples_follows_a_slow_sine() {
        let mut line = DelayLine::new(100);
        let sine = |t: f32| (0.1 * t).sin();
        (0..300).for_each(|t| line.push(sine(t as f32)));
        for step in 0..700 {
            let delay = 1.0 + step as f32 * 0.1;
            assert!((line.tap_between(delay) - sine(299.0 - delay)).abs() < 1e-4);
        }
    }

    #[test]
    fn reset_clears_the_line() {
        let mut line = DelayLine::new(60);
        (0..100).for_each(|_| line.push(1.0));
        line.reset();
        line.push(0.5);
        assert_eq!(line.tap(0), 0.5);
        assert!((1..60).all(|delay| line.tap(delay) == 0.0));
    }
}
