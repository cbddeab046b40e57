//! Finds clicks in music.
//!
//! Myriad's partials fade from 0.46 of the sample rate on and are silent from 0.495 on. A click is
//! wide: a step from one sample to the next is half as strong at the highest frequency there is as
//! an impulse of its size. So the detector listens to the very top of the band, where there is no
//! music, through a filter of [`LENGTH`] taps, and takes what stands out there.
//!
//! Two things besides clicks are heard there, both for good reasons. Sounds that bend and glide
//! spill over: so what counts must stand out of its surroundings, before and after. And whatever
//! starts, stops or jumps turns a corner: so for a moment after that, which the generator knows
//! ([`Bend`]), only larger clicks count.
//!
//! Measured over seven hours of play: away from bends the top of the band never looked like a step
//! of more than 0.0026.

use std::collections::VecDeque;

/// Steps of this size are found in sound that goes on: -40 dBFS.
pub(in crate::soak) const SENSITIVITY: f32 = 1e-2;

/// A click is found for sure when it is so many times the largest of what its surroundings have at
/// the top,
pub(in crate::soak) const OUTSTANDING: f32 = 8.0;

/// and whatever they have when it is as large as this, -18 dBFS: crackling is its own surroundings.
/// Breath, bows and bright notes that glide look like steps of half that.
pub(in crate::soak) const CRACKLE: f32 = 0.12;

/// A click that falls between two hops, or that comes with a kink beside its step, looks smaller
/// than it is: so this share of the stated sensitivity is what counts.
const MARGIN: f32 = 0.5;

/// Taps of the filter. What lies 4 / LENGTH of the sample rate below the top is gone.
const LENGTH: usize = 512;

/// The filter's output is smooth, so it is computed once in so many frames.
const HOP: usize = 16;

/// Hops to either side that are looked at, but for those that the click itself reaches.
const AROUND: usize = 128;
const REACH: usize = LENGTH / HOP + 2;

/// A moment in which the sound may turn a corner for reasons of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::soak) struct Bend {
    /// Its first frame, and the first after it.
    pub(in crate::soak) from: u64,
    pub(in crate::soak) to: u64,
    /// Clicks must be as large as this to be found.
    pub(in crate::soak) size: f32,
}

/// A click that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::soak) struct Click {
    /// Its frame, to about [`HOP`].
    pub(in crate::soak) frame: u64,
    /// The step that it looks like.
    pub(in crate::soak) size: f32,
    /// The least that would have been found there.
    pub(in crate::soak) threshold: f32,
}

/// Hears every frame.
pub(in crate::soak) struct ClickDetector {
    taps: [f32; LENGTH],
    /// What a step of one gives.
    step_gain: f32,
    /// The last frames, left and right, oldest first.
    sound: [Vec<f32>; 2],
    /// What was heard at the top, hop by hop, and how many hops were forgotten before.
    levels: Vec<f32>,
    forgotten: u64,
    /// By their first frames.
    bends: VecDeque<Bend>,
    /// Hops that were judged, and those of them at which nothing bent.
    hops: [u64; 2],
    /// What is promised to be found, by frames.
    #[cfg(test)]
    pub(in crate::soak) thresholds: Vec<(u64, f32)>,
}

impl ClickDetector {
    pub(in crate::soak) fn new() -> Self {
        // Blackman-Harris: its side lobes lie 92 dB down. Turning every other sign moves it from the
        // bottom of the band to the top.
        let window = |n: usize| {
            let x = std::f64::consts::TAU * (n as f64 + 0.5) / LENGTH as f64;
            0.35875 - 0.48829 * x.cos() + 0.14128 * (2.0 * x).cos() - 0.01168 * (3.0 * x).cos()
        };
        let sum: f64 = (0..LENGTH).map(window).sum();
        let taps = std::array::from_fn(|n| {
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            (sign * window(n) / sum) as f32
        });
        // A step is an impulse, summed up: at the top of the band that halves it.
        let step_gain = (0.5 * window(LENGTH / 2) / sum) as f32;
        Self {
            taps,
            step_gain,
            sound: [vec![0.0; LENGTH], vec![0.0; LENGTH]],
            levels: Vec::new(),
            forgotten: 0,
            bends: VecDeque::new(),
            hops: [0; 2],
            #[cfg(test)]
            thresholds: Vec::new(),
        }
    }

    /// The share of the time in which the smallest clicks were found.
    pub(in crate::soak) fn keenness(&self) -> f64 {
        let [all, keen] = self.hops;
        keen as f64 / all.max(1) as f64
    }

    /// The sound may turn a corner. To be said before it is heard.
    pub(in crate::soak) fn bend(&mut self, bend: Bend) {
        let at = self.bends.partition_point(|other| other.from <= bend.from);
        self.bends.insert(at, bend);
    }

    /// Whether nothing bends between two frames, nor around them.
    pub(in crate::soak) fn is_keen(&self, from: u64, to: u64) -> bool {
        let smear = LENGTH as u64;
        let mut bends = self.bends.iter();
        !bends.any(|bend| bend.from < to + smear && from < bend.to + smear)
    }

    /// Hears frames; gives the clicks that are known by now. A click is known some
    /// 2,600 frames later.
    pub(in crate::soak) fn hear(&mut self, frames: &[[f32; 2]], clicks: &mut Vec<Click>) {
        for (side, sound) in self.sound.iter_mut().enumerate() {
            sound.extend(frames.iter().map(|frame| frame[side]));
        }
        let mut at = 0;
        while self.sound[0].len() - at >= LENGTH + HOP {
            let level = |sound: &Vec<f32>| {
                let sum = sum_of_products(&sound[at..at + LENGTH], &self.taps);
                sum.abs()
            };
            let level = level(&self.sound[0]).max(level(&self.sound[1]));
            self.levels.push(level);
            at += HOP;
        }
        for sound in &mut self.sound {
            sound.drain(..at);
        }
        let judged = self.levels.len().saturating_sub(2 * AROUND);
        for hop in 0..judged {
            clicks.extend(self.judge(hop));
            let keen = self.wanted(self.frame(hop)) <= SENSITIVITY;
            #[cfg(test)]
            self.thresholds.push((self.frame(hop), self.threshold(hop)));
            self.hops[0] += 1;
            self.hops[1] += u64::from(keen);
        }
        self.levels.drain(..judged);
        self.forgotten += judged as u64;
        let past = self.frame(0).saturating_sub(LENGTH as u64);
        while self.bends.front().is_some_and(|bend| bend.to < past) {
            self.bends.pop_front();
        }
    }

    /// The frame in the middle of what is judged with the levels from `hop` on.
    fn frame(&self, hop: usize) -> u64 {
        // Hops count from the filter's first tap, and before the sound there was silence for as
        // long as the filter is.
        let hops = self.forgotten + (hop + AROUND) as u64;
        (hops * HOP as u64).saturating_sub(LENGTH as u64 / 2)
    }

    /// Decides about the hop in the middle of the levels from `hop` on.
    fn judge(&self, hop: usize) -> Option<Click> {
        let levels = &self.levels[hop..=hop + 2 * AROUND];
        let level = levels[AROUND];
        let size = level / self.step_gain;
        let nearby = &levels[AROUND - REACH..=AROUND + REACH];
        if size <= MARGIN * SENSITIVITY || !is_peak(nearby, level) {
            return None;
        }
        let threshold = self.threshold(hop);
        (size > MARGIN * threshold).then_some(Click {
            frame: self.frame(hop),
            size,
            threshold,
        })
    }

    /// The least that is found for sure in the middle of the levels from `hop` on.
    fn threshold(&self, hop: usize) -> f32 {
        let levels = &self.levels[hop..=hop + 2 * AROUND];
        let (before, after) = (&levels[..AROUND - REACH], &levels[AROUND + REACH + 1..]);
        let largest = before.iter().chain(after).fold(0.0, |a: f32, &b| a.max(b));
        let surroundings = OUTSTANDING * largest / self.step_gain;
        self.wanted(self.frame(hop)).max(surroundings.min(CRACKLE))
    }

    /// The least that counts at a frame. The filter smears, so a bend is seen a while before it.
    fn wanted(&self, frame: u64) -> f32 {
        let smear = LENGTH as u64 / 2;
        let bends = self.bends.iter();
        bends
            .take_while(|bend| bend.from <= frame + smear)
            .filter(|bend| frame < bend.to + smear)
            .fold(SENSITIVITY, |wanted, bend| wanted.max(bend.size))
    }
}

fn sum_of_products(sound: &[f32], taps: &[f32; LENGTH]) -> f32 {
    // Eight sums side by side, which the compiler does at once.
    let mut sums = [0.0f32; 8];
    for (sound, taps) in sound.chunks_exact(8).zip(taps.chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += sound[lane] * taps[lane];
        }
    }
    sums.iter().sum()
}

/// Whether nothing in `levels` is above `level`; of equals, the first.
fn is_peak(levels: &[f32], level: f32) -> bool {
    let middle = levels.len() / 2;
    levels[..middle].iter().all(|&other| other < level)
        && levels[middle + 1..].iter().all(|&other| other <= level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dark chord with a fault in it.
    fn chord(fault: impl Fn(usize) -> f32) -> Vec<[f32; 2]> {
        let tone = |i: usize, w: f64| (i as f64 * w).sin() as f32;
        (0..48_000)
            .map(|i| {
                let sound = 0.3 * tone(i, 0.05) + 0.2 * tone(i, 0.083) + 0.1 * tone(i, 1.1);
                [sound + fault(i), 0.7 * sound]
            })
            .collect()
    }

    fn clicks(sound: &[[f32; 2]], bends: &[Bend]) -> Vec<Click> {
        let mut detector = ClickDetector::new();
        let mut found = Vec::new();
        bends.iter().for_each(|&bend| detector.bend(bend));
        // In pieces of any size.
        for (piece, frames) in sound.chunks(777).enumerate() {
            let (first, second) = frames.split_at(frames.len().min(piece % 5));
            detector.hear(first, &mut found);
            detector.hear(second, &mut found);
        }
        found
    }

    #[test]
    fn a_step_of_the_stated_size_is_found_where_it_is_and_as_large_as_it_is() {
        for at in [20_000, 20_003, 20_008, 24_011] {
            let step = |i: usize| if i >= at { SENSITIVITY } else { 0.0 };
            let found = clicks(&chord(step), &[]);
            let [click] = found[..] else {
                panic!("{at}: {found:?}");
            };
            assert!(click.frame.abs_diff(at as u64) <= 16, "{at}: {click:?}");
            let ratio = click.size / SENSITIVITY;
            assert!((0.8..1.2).contains(&ratio), "{at}: {click:?}");
        }
    }

    #[test]
    fn impulses_are_found_and_clean_sound_is_not() {
        let impulse = |i: usize| if i == 30_000 { -0.5 * SENSITIVITY } else { 0.0 };
        assert_eq!(clicks(&chord(impulse), &[]).len(), 1);
        // The chord begins with a corner itself.
        assert_eq!(clicks(&chord(|_| 0.0), &[]), []);
        let quiet = |i: usize| if i >= 20_000 { SENSITIVITY / 4.0 } else { 0.0 };
        assert_eq!(clicks(&chord(quiet), &[]), []);
    }

    /// A fault at every edge of a block is its own surroundings.
    #[test]
    fn crackling_is_found() {
        let crackle = |i: usize| {
            if i.is_multiple_of(64) {
                CRACKLE / 2.0
            } else {
                0.0
            }
        };
        assert!(!clicks(&chord(crackle), &[]).is_empty());
    }

    #[test]
    fn where_the_sound_bends_only_larger_ones_count() {
        let step = |size: f32| move |i: usize| if i >= 20_100 { size } else { 0.0 };
        let bend = Bend {
            from: 20_000,
            to: 20_480,
            size: 0.1,
        };
        assert_eq!(clicks(&chord(step(0.02)), &[bend]), []);
        assert_eq!(clicks(&chord(step(0.1)), &[bend]).len(), 1);
        let elsewhere = Bend {
            from: 5_000,
            to: 5_480,
            ..bend
        };
        assert_eq!(clicks(&chord(step(0.02)), &[elsewhere]).len(), 1);
    }
}
