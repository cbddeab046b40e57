//! Finds clicks in music.
//!
//! Myriad's partials fade from 0.46 of the sample rate on and are silent from 0.495 on. The spectrum of
//! a click is wide: at Nyquist, a step from one sample to the next is half as strong as an impulse of its
//! size. So the detector filters out the very top of the band, where there is no music, with [`LENGTH`]
//! taps, and looks for peaks.
//!
//! Two other sounds reach that band. Gliding sounds leak into it, so a click must exceed the levels
//! before and after it. And notes that start, stop or jump have transients, so for some time after them,
//! which the generator knows ([`Bend`]), only larger clicks count.
//!
//! Bright chords that glide reach it by another way. Partials fade out from 0.46 to 0.495 of the sample
//! rate, and their levels are ramps with corners at tick edges. A partial that crosses all of that within
//! one tick has a corner that looks, at Nyquist, like 2% of what it is itself just below; a click is as
//! strong there as at Nyquist. So a click must also exceed a share of what sounds just below ([`LEAK`]).
//!
//! And the limiter bends sound that reaches its ceiling, within a third of a millisecond: dense chords look
//! like steps of 0.026 there ([`LIMITED`]).
//!
//! In seven hours of play, outside of these times, the top of the band never looked like a step of more
//! than 0.0026.

use myriad_engine::dsp::Limiter;
use myriad_measure::dot_product;
use std::collections::VecDeque;

/// Steps of this size are found in steady sound: -40 dBFS.
pub(in crate::soak) const SENSITIVITY: f32 = 1e-2;

/// A click is always found when it is so many times the largest level around it. In 80 hours of play, breath,
/// arpeggios and glides reached 6 times.
pub(in crate::soak) const OUTSTANDING: f32 = 16.0;

/// A click of this size, -3 dBFS, is found whatever the level around it, because crackle is itself the
/// level around each of its clicks. Bursts of noise and bells looked like steps of up to 0.3.
pub(in crate::soak) const CRACKLE: f32 = 0.7;

/// The centre of the band just below, as a share of the sample rate, and the share of its level that
/// gliding partials may have at Nyquist: 2%, and as much again, because twice the [`MARGIN`] counts.
const BELOW: f64 = 0.4875;
const LEAK: f32 = 1.0 / 16.0;

/// The size of a click that is found where the limiter works: twice what it makes of dense chords, and a bit.
const LIMITED: f32 = 0.06;

/// A click between two hops, or with a change of slope beside its step, looks smaller than it is, so this
/// share of the stated sensitivity is the limit.
const MARGIN: f32 = 0.5;

/// Taps of the filter. It blocks what lies 4 / LENGTH of the sample rate below Nyquist.
const LENGTH: usize = 512;

/// The filter's output is smooth, so only every so many frames are computed.
const HOP: usize = 16;

/// Hops before and after a click that it is compared with, and those that the click itself reaches.
const AROUND: usize = 128;
const REACH: usize = LENGTH / HOP + 2;

/// A span of frames in which the sound itself may have a transient.
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
    /// The size of the step that it looks like.
    pub(in crate::soak) size: f32,
    /// The smallest step that would have been found there.
    pub(in crate::soak) threshold: f32,
}

/// The detector.
pub(in crate::soak) struct ClickDetector {
    taps: [f32; LENGTH],
    /// The same filter for the band just below.
    taps_below: [f32; LENGTH],
    /// The filter's output for a step of 1.
    step_gain: f32,
    /// The last frames, left and right, oldest first.
    sound: [Vec<f32>; 2],
    /// The levels of the last hops, and how many hops were before them.
    levels: Vec<f32>,
    levels_below: Vec<f32>,
    /// The peaks of the frames that were new in these hops.
    peaks: Vec<f32>,
    forgotten: u64,
    /// By their first frames.
    bends: VecDeque<Bend>,
    /// Hops that were judged, and those of them outside of all bends.
    hops: [u64; 2],
    /// The size of steps that is found, by frames.
    #[cfg(test)]
    pub(in crate::soak) thresholds: Vec<(u64, f32)>,
}

impl ClickDetector {
    pub(in crate::soak) fn new() -> Self {
        // Blackman-Harris: its side lobes are 92 dB down. Alternating signs shift it from 0 Hz to
        // Nyquist.
        let window = |n: usize| {
            let x = std::f64::consts::TAU * (n as f64 + 0.5) / LENGTH as f64;
            0.35875 - 0.48829 * x.cos() + 0.14128 * (2.0 * x).cos() - 0.01168 * (3.0 * x).cos()
        };
        let sum: f64 = (0..LENGTH).map(window).sum();
        let taps = std::array::from_fn(|n| {
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            (sign * window(n) / sum) as f32
        });
        let taps_below = std::array::from_fn(|n| {
            let x = std::f64::consts::TAU * BELOW * n as f64;
            (x.cos() * window(n) / sum) as f32
        });
        // A step is the running sum of an impulse, which is half as strong at Nyquist.
        let step_gain = (0.5 * window(LENGTH / 2) / sum) as f32;
        Self {
            taps,
            taps_below,
            step_gain,
            sound: [vec![0.0; LENGTH], vec![0.0; LENGTH]],
            levels: Vec::new(),
            levels_below: Vec::new(),
            peaks: Vec::new(),
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

    /// The sound may have a transient. Must be called before its frames are heard.
    pub(in crate::soak) fn bend(&mut self, bend: Bend) {
        let at = self.bends.partition_point(|other| other.from <= bend.from);
        self.bends.insert(at, bend);
    }

    /// Whether no bend lies between two frames, nor near them.
    pub(in crate::soak) fn is_keen(&self, from: u64, to: u64) -> bool {
        let smear = LENGTH as u64;
        let mut bends = self.bends.iter();
        !bends.any(|bend| bend.from < to + smear && from < bend.to + smear)
    }

    /// Adds frames, and appends the clicks that are known by now to `clicks`. A click is known some 2,600
    /// frames later.
    pub(in crate::soak) fn hear(&mut self, frames: &[[f32; 2]], clicks: &mut Vec<Click>) {
        for (side, sound) in self.sound.iter_mut().enumerate() {
            sound.extend(frames.iter().map(|frame| frame[side]));
        }
        let mut at = 0;
        while self.sound[0].len() - at >= LENGTH + HOP {
            let level = |taps: &[f32; LENGTH]| {
                let sides = self.sound.iter();
                let sides = sides.map(|side| dot_product(&side[at..at + LENGTH], taps).abs());
                sides.fold(0.0, f32::max)
            };
            self.levels.push(level(&self.taps));
            self.levels_below.push(level(&self.taps_below));
            let new = self.sound.iter().flat_map(|side| &side[at + LENGTH..at + LENGTH + HOP]);
            self.peaks.push(new.fold(0.0, |peak: f32, sound| peak.max(sound.abs())));
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
        self.levels_below.drain(..judged);
        self.peaks.drain(..judged);
        self.forgotten += judged as u64;
        let past = self.frame(0).saturating_sub(LENGTH as u64);
        while self.bends.front().is_some_and(|bend| bend.to < past) {
            self.bends.pop_front();
        }
    }

    /// The frame in the middle of what is judged with the levels from `hop` on.
    fn frame(&self, hop: usize) -> u64 {
        // Hops count from the filter's first tap, which starts in the silence before the sound.
        let hops = self.forgotten + (hop + AROUND) as u64;
        (hops * HOP as u64).saturating_sub(LENGTH as u64 / 2)
    }

    /// The click in the middle of the levels from `hop` on, if there is one.
    fn judge(&self, hop: usize) -> Option<Click> {
        let levels = &self.levels[hop..=hop + 2 * AROUND];
        let level = levels[AROUND];
        let size = level / self.step_gain;
        let nearby = &levels[AROUND - REACH..=AROUND + REACH];
        if size <= MARGIN * SENSITIVITY || !is_peak(nearby, level) {
            return None;
        }
        let threshold = self.threshold(hop);
        (size > MARGIN * threshold).then_some(Click { frame: self.frame(hop), size, threshold })
    }

    /// The smallest step that is found in the middle of the levels from `hop` on.
    fn threshold(&self, hop: usize) -> f32 {
        let levels = &self.levels[hop..=hop + 2 * AROUND];
        let (before, after) = (&levels[..AROUND - REACH], &levels[AROUND + REACH + 1..]);
        let largest = before.iter().chain(after).fold(0.0, |a: f32, &b| a.max(b));
        let below = &self.levels_below[hop..=hop + 2 * AROUND];
        let below = below.iter().fold(0.0, |a: f32, &b| a.max(b));
        let surroundings = (OUTSTANDING * largest).max(LEAK * below) / self.step_gain;
        let wanted = self.wanted(self.frame(hop)).max(surroundings.min(CRACKLE));
        // The frames that the filter sees in the middle, and those that the limiter looks ahead at.
        let peaks = &self.peaks[hop + AROUND - REACH..=hop + AROUND + REACH];
        let limits = peaks.iter().any(|&peak| peak >= 0.99 * Limiter::CEILING);
        if limits { wanted.max(LIMITED) } else { wanted }
    }

    /// The smallest step that counts at a frame. The filter smears, so a bend already counts before it
    /// begins.
    fn wanted(&self, frame: u64) -> f32 {
        let smear = LENGTH as u64 / 2;
        let bends = self.bends.iter();
        bends
            .take_while(|bend| bend.from <= frame + smear)
            .filter(|bend| frame < bend.to + smear)
            .fold(SENSITIVITY, |wanted, bend| wanted.max(bend.size))
    }
}

/// Whether the middle of `levels` is their maximum; of equals, only the first is.
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
        // In pieces of several sizes.
        for (piece, frames) in sound.chunks(777).enumerate() {
            let (first, second) = frames.split_at(frames.len().min(piece % 5));
            detector.hear(first, &mut found);
            detector.hear(second, &mut found);
        }
        found
    }

    #[test]
    fn a_step_of_the_stated_size_is_found_with_its_frame_and_size() {
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
    fn impulses_are_found_and_clean_sound_gives_none() {
        let impulse = |i: usize| if i == 30_000 { -0.5 * SENSITIVITY } else { 0.0 };
        assert_eq!(clicks(&chord(impulse), &[]).len(), 1);
        // The chord itself begins with a transient.
        assert_eq!(clicks(&chord(|_| 0.0), &[]), []);
        let quiet = |i: usize| if i >= 20_000 { SENSITIVITY / 4.0 } else { 0.0 };
        assert_eq!(clicks(&chord(quiet), &[]), []);
    }

    /// A fault at every edge of a block.
    #[test]
    fn crackling_is_found() {
        let crackle = |i: usize| {
            if i.is_multiple_of(64) { CRACKLE / 2.0 } else { 0.0 }
        };
        assert!(!clicks(&chord(crackle), &[]).is_empty());
    }

    /// A gliding chord in the fade below Nyquist: its corners are not clicks. The same step in a dark
    /// chord is one.
    #[test]
    fn partials_that_leave_the_band_are_not_clicks() {
        let fading = |i: usize| {
            // Levels at tick edges, ramped inside, as renderers do; it is gone after some ticks.
            let level = |tick: usize| 0.003 * (1.0 - (tick as f64 - 600.0) / 3.0).clamp(0.0, 1.0);
            let (tick, way) = (i / 32, (i % 32) as f64 / 32.0);
            let level = level(tick) + (level(tick + 1) - level(tick)) * way;
            (level * (i as f64 * std::f64::consts::TAU * 0.488).sin()) as f32
        };
        assert_eq!(clicks(&chord(fading), &[]), []);
    }

    /// A limiter that works bends the sound as small clicks do.
    #[test]
    fn where_the_limiter_works_only_larger_clicks_count() {
        let found = |loudness: f32, step: f32| {
            let mut sound = chord(|_| 0.0);
            let peak =
                sound[20_000..20_200].iter().fold(0.0, |peak: f32, frame| peak.max(frame[0]));
            for (i, frame) in sound.iter_mut().enumerate() {
                frame[0] *= loudness / peak;
                frame[1] += if i >= 20_100 { step } else { 0.0 };
            }
            clicks(&sound, &[]).len()
        };
        assert_eq!(found(Limiter::CEILING, 0.02), 0);
        assert_eq!(found(Limiter::CEILING, LIMITED), 1);
        assert_eq!(found(0.5, 0.02), 1);
    }

    #[test]
    fn within_bends_only_larger_clicks_count() {
        let step = |size: f32| move |i: usize| if i >= 20_100 { size } else { 0.0 };
        let bend = Bend { from: 20_000, to: 20_480, size: 0.1 };
        assert_eq!(clicks(&chord(step(0.02)), &[bend]), []);
        assert_eq!(clicks(&chord(step(0.1)), &[bend]).len(), 1);
        let elsewhere = Bend { from: 5_000, to: 5_480, ..bend };
        assert_eq!(clicks(&chord(step(0.02)), &[elsewhere]).len(), 1);
    }
}
