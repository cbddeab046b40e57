//! How many clouds may sound: as many as were measured to hold.

use myriad_engine::EngineConfig;

/// How many slots of its configuration an engine uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// All that the renderer is ready for.
    #[default]
    All,
    /// As many as take 70% of the time, by what the last blocks took; in any case those of [`EngineConfig::default`].
    Measured,
}

/// The share of the time that control and rendering may take.
const MOST: f32 = 0.7;

/// What a batch counts for in the averages.
const WEIGHT: f32 = 1.0 / 64.0;

/// The room changes by so many slots at least.
const STEP: usize = 1_024;

/// Estimates it from batches.
#[derive(Debug)]
pub(super) struct RoomEstimate {
    /// The share of their duration that batches take on average, and the clouds that sound in them.
    load: f32,
    clouds: f32,
    slots: usize,
}

impl RoomEstimate {
    const LEAST: usize = EngineConfig::DEFAULT_SLOTS;

    pub(super) fn new() -> Self {
        Self { load: 0.0, clouds: 0.0, slots: Self::LEAST }
    }

    /// Records that a batch took that share of its duration while so many clouds sounded.
    pub(super) fn record(&mut self, share: f32, clouds: usize) {
        // One that took very long, as when a GPU is lost, is not a load.
        self.load += (share.min(1.0) - self.load) * WEIGHT;
        self.clouds += (clouds as f32 - self.clouds) * WEIGHT;
        // What a block takes whatever sounds counts as if clouds took it, so this is rather too little.
        let hold = (self.clouds * MOST / self.load.max(1e-3)) as usize;
        if hold.abs_diff(self.slots) >= STEP {
            self.slots = hold.max(Self::LEAST);
        }
    }

    /// Slots that clouds may have.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The room after a second in which so many clouds took that share of the time.
    fn after(estimate: &mut RoomEstimate, share: f32, clouds: usize) -> usize {
        (0..750).for_each(|_| estimate.record(share, clouds));
        estimate.slots()
    }

    #[test]
    fn the_room_grows_while_clouds_are_quick_and_shrinks_when_they_are_slow() {
        let mut estimate = RoomEstimate::new();
        assert_eq!(estimate.slots(), RoomEstimate::LEAST);
        assert_eq!(after(&mut estimate, 0.01, 0), RoomEstimate::LEAST, "silence says nothing");
        let more = after(&mut estimate, 0.1, 1_000);
        assert!((6_000..7_100).contains(&more), "{more}");
        let most = after(&mut estimate, 0.2, 6_000);
        assert!((19_900..21_100).contains(&most), "{most}");
        // Another patch, whose clouds take longer.
        let fewer = after(&mut estimate, 0.95, 6_000);
        assert!((4_000..5_500).contains(&fewer), "{fewer}");
        assert_eq!(after(&mut estimate, 0.9, 500), RoomEstimate::LEAST);
    }

    #[test]
    fn a_late_batch_changes_little() {
        let mut estimate = RoomEstimate::new();
        let before = after(&mut estimate, 0.1, 3_000);
        estimate.record(20.0, 3_000);
        assert!(estimate.slots() > before * 3 / 4, "{}", estimate.slots());
    }
}
