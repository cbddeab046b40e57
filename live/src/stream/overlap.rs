//! Whether the next batch is begun before the last one is finished. One batch after the other takes the time of the render
//! thread and that of the GPU; with two begun, the longer one of both. It costs the frames of a batch of those that the ring
//! keeps ready, so it is done only while batches take long.

/// The share of its duration that a batch takes on average, above which batches overlap.
const LONG: f32 = 0.5;

/// What a batch counts for in the average.
const WEIGHT: f32 = 1.0 / 64.0;

/// Frames of the ring, in batches, that leave it filled while one of them is on its way.
const BATCHES: usize = 3;

/// Decides it by what batches took.
#[derive(Debug, Default)]
pub(super) struct Overlap {
    /// The share of their duration that batches take on average.
    load: f32,
    /// Clouds that sounded when batches began to overlap; none while they do not.
    clouds: Option<usize>,
}

impl Overlap {
    /// Whether a batch of `frames` may be on its way while the next one is computed, with a ring of `depth` frames.
    pub(super) fn is_worth_it(&self, frames: usize, depth: usize) -> bool {
        self.clouds.is_some() && depth >= BATCHES * frames
    }

    /// Records that a batch took that share of its duration while so many clouds sounded.
    pub(super) fn record(&mut self, share: f32, clouds: usize) {
        match self.clouds {
            None => {
                // One that took very long, as when a GPU is lost, is not a load.
                self.load += (share.min(1.0) - self.load) * WEIGHT;
                self.clouds = (self.load > LONG).then_some(clouds);
            }
            // What one batch after the other would take is not known now; half of the clouds take about half of it.
            Some(most) if clouds < most / 2 => *self = Self::default(),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_overlap_while_they_take_long() {
        let mut overlap = Overlap::default();
        let wanted = |overlap: &Overlap| overlap.is_worth_it(64, 224);
        // A few late batches are no load.
        (0..5).for_each(|_| overlap.record(20.0, 1_000));
        (0..1_000).for_each(|_| overlap.record(0.4, 1_000));
        assert!(!wanted(&overlap));
        (0..1_000).for_each(|_| overlap.record(0.7, 10_000));
        assert!(wanted(&overlap));
        assert!(!overlap.is_worth_it(128, 224), "the ring must stay filled");
        // Computing alone takes less, and says nothing of the whole.
        (0..1_000).for_each(|_| overlap.record(0.2, 6_000));
        assert!(wanted(&overlap));
        overlap.record(0.2, 4_999);
        assert!(!wanted(&overlap));
    }
}
