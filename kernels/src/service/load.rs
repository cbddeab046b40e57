//! How busy the renderer is, and with whom: measured in windows of a quarter of a second.
//!
//! What every launch takes, whatever sounds, is no load. Many clients that play little keep the renderer busy with
//! small launches, but the longer these take, the more clients share the next one.

use std::time::{Duration, Instant};

/// How often loads are measured.
pub(super) const WINDOW: Duration = Duration::from_millis(250);

/// The share of the time that the voices of live clients may take. With more, blocks come late when several clients submit at
/// the same moment.
pub(super) const MAX_LOAD: f64 = 0.75;

/// How long the renderer was busy with a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BusyTime {
    whole: Duration,
    /// The part of it that voices took.
    voices: Duration,
}

/// What the renderer does for all clients.
#[derive(Debug)]
pub(super) struct RendererLoad {
    /// What a launch takes, whatever sounds.
    quickest_launch: Duration,
    /// When it finished the last block.
    finished: Instant,
    /// When the present window began, and what has happened in it.
    began: Instant,
    launches: u32,
    busy: Duration,
}

/// A window that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) seconds: f64,
    /// The share of it in which the renderer was busy.
    pub(super) busy: f64,
    pub(super) launches_a_second: f64,
}

impl RendererLoad {
    pub(super) fn new(quickest_launch: Duration) -> Self {
        let now = Instant::now();
        Self { quickest_launch, finished: now, began: now, launches: 0, busy: Duration::ZERO }
    }

    /// A block that was submitted at that moment is finished.
    pub(super) fn finish(&mut self, submitted: Instant, now: Instant) -> BusyTime {
        // It began when the one before was finished, if that was later.
        let whole = now.saturating_duration_since(submitted.max(self.finished));
        self.finished = now;
        self.launches += 1;
        self.busy += whole;
        BusyTime { whole, voices: whole.saturating_sub(self.quickest_launch) }
    }

    /// Ends the window, if it is over.
    pub(super) fn end_window(&mut self, now: Instant) -> Option<Window> {
        let elapsed = now.saturating_duration_since(self.began);
        if elapsed < WINDOW {
            return None;
        }
        let seconds = elapsed.as_secs_f64();
        let busy = self.busy.as_secs_f64() / seconds;
        let launches_a_second = f64::from(self.launches) / seconds;
        (self.began, self.launches, self.busy) = (now, 0, Duration::ZERO);
        Some(Window { seconds, busy, launches_a_second })
    }
}

/// What a client has caused in the present window, and its shares of the last one.
#[derive(Debug, Default)]
pub(super) struct ClientLoad {
    blocks: u32,
    busy: BusyTime,
    pub(super) blocks_a_second: f64,
    pub(super) busy_share: f64,
    /// The part of it that its voices took.
    pub(super) voices_share: f64,
}

impl ClientLoad {
    /// A block is finished of whose work it had that share.
    pub(super) fn add(&mut self, share: f32, busy: BusyTime) {
        self.blocks += 1;
        self.busy.whole += busy.whole.mul_f32(share);
        self.busy.voices += busy.voices.mul_f32(share);
    }

    /// Whether it has had no block in the present window.
    pub(super) fn is_idle(&self) -> bool {
        self.blocks == 0
    }

    pub(super) fn end_window(&mut self, window: &Window) {
        let share = |time: Duration| time.as_secs_f64() / window.seconds;
        let BusyTime { whole, voices } = std::mem::take(&mut self.busy);
        (self.busy_share, self.voices_share) = (share(whole), share(voices));
        self.blocks_a_second = f64::from(std::mem::take(&mut self.blocks)) / window.seconds;
    }
}

/// The place of the one that costs most among clients that play live, if their voices take too much together. One alone may
/// take what it wants.
pub(super) fn too_much(voices_shares: &[f64]) -> Option<usize> {
    let is_too_much = voices_shares.len() > 1 && voices_shares.iter().sum::<f64>() > MAX_LOAD;
    let places = 0..voices_shares.len();
    let costliest = places.max_by(|&a, &b| voices_shares[a].total_cmp(&voices_shares[b]));
    costliest.filter(|_| is_too_much)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: Duration = Duration::from_micros(40);

    /// The shares that voices of two clients take, of which the first has three quarters of the work of launches that follow each
    /// other and take so long.
    fn shares(launch: Duration) -> [f64; 2] {
        let mut renderer = RendererLoad::new(LAUNCH);
        let mut clients: [ClientLoad; 2] = Default::default();
        let (start, mut now) = (renderer.began, renderer.began);
        while now < start + WINDOW {
            // It was submitted while the one before was rendered.
            let busy = renderer.finish(now - launch / 2, now + launch);
            now += launch;
            clients[0].add(0.75, busy);
            clients[1].add(0.25, busy);
        }
        assert!(renderer.end_window(start + WINDOW / 2).is_none());
        let window = renderer.end_window(now).expect("it is over");
        assert!((0.99..1.01).contains(&window.busy), "it had no pause: {window:?}");
        clients.map(|mut client| {
            client.end_window(&window);
            assert!(client.is_idle());
            client.voices_share
        })
    }

    #[test]
    fn launches_are_no_load_and_voices_are() {
        let only_launches = shares(LAUNCH);
        assert_eq!((only_launches, too_much(&only_launches)), ([0.0; 2], None));
        let [first, second] = shares(10 * LAUNCH);
        assert!((0.66..0.69).contains(&first) && (0.22..0.23).contains(&second));
        assert_eq!(too_much(&[second, first]), Some(1));
        assert_eq!(too_much(&[0.99]), None, "one alone makes nobody late");
    }
}
