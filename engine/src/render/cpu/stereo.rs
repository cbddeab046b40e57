//! From the lanes of clouds to a tick of stereo sound.

use crate::render::TICK;
use crate::simd::{F32x16, LANES, Simd};
use crate::spectrum::{Cloud, of_fraction};

/// A tick of stereo audio.
#[derive(Clone, Debug)]
pub(crate) struct StereoTick {
    pub(crate) left: [F32x16; TICK / LANES],
    pub(crate) right: [F32x16; TICK / LANES],
}

impl StereoTick {
    pub(crate) const SILENCE: StereoTick = StereoTick {
        left: [F32x16([0.0; LANES]); TICK / LANES],
        right: [F32x16([0.0; LANES]); TICK / LANES],
    };
}

/// Pan positions of partials at full width, by number modulo sixteen. The first partial, and with
/// it the bass, stays in the middle; the others balance each other.
pub(crate) const PAN_POSITIONS: F32x16 =
    F32x16([0.0, 0.4, -0.4, 0.8, -0.8, 0.6, -0.6, 1.0, -1.0, 0.3, -0.3, 0.7, -0.7, 0.9, -0.9, 0.0]);

/// The numbers of sixteen frames.
const FRAME: F32x16 =
    F32x16([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);

/// Ramps of a cloud during a tick: gains, and the width of its partials.
#[derive(Clone, Copy)]
struct Ramp {
    from: f32,
    step: f32,
}

impl Ramp {
    #[inline(always)]
    fn new(from: f32, to: f32, frames: usize) -> Self {
        Self { from, step: (to - from) * (1.0 / frames as f32) }
    }

    #[inline(always)]
    fn at<S: Simd>(self, s: S, time: S::F) -> S::F {
        s.fma(time, s.splat(self.step), s.splat(self.from))
    }
}

/// Frames that a cloud sounds in a tick.
fn frames_of(cloud: &Cloud) -> usize {
    TICK - usize::from(cloud.first_frame)
}

fn gain_ramps(cloud: &Cloud) -> [Ramp; 2] {
    let frames = frames_of(cloud);
    [0, 1].map(|side| Ramp::new(cloud.gain_from[side], cloud.gain_to[side], frames))
}

fn width_ramp(cloud: &Cloud) -> Ramp {
    Ramp::new(of_fraction(cloud.width_from), of_fraction(cloud.width_to), frames_of(cloud))
}

/// Sums the lanes of a cloud, spreads them by width, and applies the ramped gains. `sum` is of no use
/// afterwards.
#[inline(always)]
pub(crate) fn to_stereo<S: Simd>(
    s: S,
    cloud: &Cloud,
    sum: &mut [F32x16; TICK],
    out: &mut StereoTick,
) {
    let wide = cloud.width_from != 0 || cloud.width_to != 0;
    let [gain_left, gain_right] = gain_ramps(cloud);
    let width = width_ramp(cloud);
    let (halves, _) = sum.as_chunks_mut::<LANES>();
    for (half, rows) in halves.iter_mut().enumerate() {
        let time = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
        let middle = s.sums(rows);
        let (mut left, mut right) = (middle, middle);
        if wide {
            for row in rows.iter_mut() {
                s.store(s.mul(s.load(row), s.load(&PAN_POSITIONS)), row);
            }
            let side = s.mul(s.sums(rows), width.at(s, time));
            (left, right) = (s.sub(middle, side), s.add(middle, side));
        }
        s.store(s.mul(left, gain_left.at(s, time)), &mut out.left[half]);
        s.store(s.mul(right, gain_right.at(s, time)), &mut out.right[half]);
    }
    delay(out, cloud);
}

/// Moves a tick's samples to the frame at which the cloud starts; the last samples are dropped, because the next tick
/// renders them.
fn delay(out: &mut StereoTick, cloud: &Cloud) {
    let frames = usize::from(cloud.first_frame);
    if frames == 0 {
        return;
    }
    let at = |i: usize| (i / LANES, i % LANES);
    for samples in [&mut out.left, &mut out.right] {
        for i in (0..TICK).rev() {
            let value = match i.checked_sub(frames) {
                Some(from) => samples[at(from).0].0[at(from).1],
                None => 0.0,
            };
            samples[at(i).0].0[at(i).1] = value;
        }
    }
}

/// Clouds of a voice whose lanes wait to be added to the others.
const BATCH: usize = 4;

/// Left and right of several clouds, still in lanes.
#[derive(Clone, Debug)]
struct LaneSums {
    /// Clouds that wait, and their gains on both sides, frame by frame.
    waiting: usize,
    lanes: [[F32x16; TICK]; BATCH],
    gains: [[[F32x16; TICK / LANES]; 2]; BATCH],
    /// The sums of those that do not wait any more, if there were any.
    is_silent: bool,
    left: [F32x16; TICK],
    right: [F32x16; TICK],
}

impl LaneSums {
    const SILENCE: Self = Self {
        waiting: 0,
        lanes: [[F32x16([0.0; LANES]); TICK]; BATCH],
        gains: [[[F32x16([0.0; LANES]); TICK / LANES]; 2]; BATCH],
        is_silent: true,
        left: [F32x16([0.0; LANES]); TICK],
        right: [F32x16([0.0; LANES]); TICK],
    };

    /// Adds a cloud, whose lanes are then the newest.
    #[inline(always)]
    fn add<S: Simd>(&mut self, s: S, cloud: &Cloud) {
        if self.waiting == BATCH {
            self.settle(s);
        }
        for (gains, ramp) in self.gains[self.waiting].iter_mut().zip(gain_ramps(cloud)) {
            for (half, gains) in gains.iter_mut().enumerate() {
                let time = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
                s.store(ramp.at(s, time), gains);
            }
        }
        self.waiting += 1;
    }

    /// Left and right at `frame`, of the clouds that do not wait and of `N` that do.
    #[inline(always)]
    fn at<S: Simd, const N: usize>(&self, s: S, frame: usize) -> (S::F, S::F) {
        let (mut left, mut right) = match self.is_silent {
            true => (s.splat(0.0), s.splat(0.0)),
            false => (s.load(&self.left[frame]), s.load(&self.right[frame])),
        };
        for (lanes, [gains_left, gains_right]) in self.lanes.iter().zip(&self.gains).take(N) {
            let lanes = s.load(&lanes[frame]);
            left = s.fma(lanes, s.splat(F32x16::flat(gains_left)[frame]), left);
            right = s.fma(lanes, s.splat(F32x16::flat(gains_right)[frame]), right);
        }
        (left, right)
    }

    /// Adds the clouds that wait.
    #[inline(always)]
    fn settle<S: Simd>(&mut self, s: S) {
        match self.waiting {
            0 => return,
            1 => self.settle_some::<S, 1>(s),
            2 => self.settle_some::<S, 2>(s),
            3 => self.settle_some::<S, 3>(s),
            _ => self.settle_some::<S, BATCH>(s),
        }
        (self.waiting, self.is_silent) = (0, false);
    }

    #[inline(always)]
    fn settle_some<S: Simd, const N: usize>(&mut self, s: S) {
        for frame in 0..TICK {
            let (left, right) = self.at::<S, N>(s, frame);
            s.store(left, &mut self.left[frame]);
            s.store(right, &mut self.right[frame]);
        }
    }

    /// The lanes of the cloud that was added last.
    #[inline(always)]
    fn newest(&mut self) -> &mut [F32x16; TICK] {
        &mut self.lanes[self.waiting.saturating_sub(1)]
    }

    /// Forgets all clouds.
    fn clear(&mut self) {
        (self.waiting, self.is_silent) = (0, true);
    }
}

/// The sound of the unison copies of a voice. Gains are applied copy by copy, width once: copies have the same one, but
/// some are mirrored.
#[derive(Clone, Debug)]
pub(crate) struct CopySums {
    straight: LaneSums,
    mirrored: LaneSums,
}

impl CopySums {
    pub(crate) const SILENCE: Self =
        Self { straight: LaneSums::SILENCE, mirrored: LaneSums::SILENCE };

    /// The lanes of the straight and of the mirrored copy that were added last.
    #[inline(always)]
    pub(crate) fn newest(&mut self) -> [&mut [F32x16; TICK]; 2] {
        [self.straight.newest(), self.mirrored.newest()]
    }

    /// Adds a copy, which is `cloud`. Its lanes may be written before another one of the same side is added.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, s: S, cloud: &Cloud, is_mirrored: bool) {
        match is_mirrored {
            true => self.mirrored.add(s, cloud),
            false => self.straight.add(s, cloud),
        }
    }

    /// The stereo sound of all copies, of which `cloud` is one that is not mirrored. Starts anew.
    #[inline(always)]
    pub(crate) fn take<S: Simd>(&mut self, s: S, cloud: &Cloud, out: &mut StereoTick) {
        // Eight copies at most, all of which sound, need not be added up before.
        let waiting = match self.straight.is_silent && self.mirrored.is_silent {
            true => (self.straight.waiting, self.mirrored.waiting),
            false => (0, 0),
        };
        match waiting {
            (1, 1) => self.reduce::<S, 1, 1>(s, cloud, out),
            (2, 1) => self.reduce::<S, 2, 1>(s, cloud, out),
            (2, 2) => self.reduce::<S, 2, 2>(s, cloud, out),
            (3, 2) => self.reduce::<S, 3, 2>(s, cloud, out),
            (3, 3) => self.reduce::<S, 3, 3>(s, cloud, out),
            (4, 3) => self.reduce::<S, 4, 3>(s, cloud, out),
            (4, 4) => self.reduce::<S, 4, 4>(s, cloud, out),
            _ => {
                self.straight.settle(s);
                self.mirrored.settle(s);
                self.reduce::<S, 0, 0>(s, cloud, out);
            }
        }
        self.straight.clear();
        self.mirrored.clear();
        delay(out, cloud);
    }

    /// Sums the lanes of all copies, of which `N` and `M` wait.
    #[inline(always)]
    fn reduce<S: Simd, const N: usize, const M: usize>(
        &self,
        s: S,
        cloud: &Cloud,
        out: &mut StereoTick,
    ) {
        let width = width_ramp(cloud);
        let positions = s.load(&PAN_POSITIONS);
        let [mut left_rows, mut right_rows] = [[F32x16([0.0; LANES]); LANES]; 2];
        for (half, (left, right)) in out.left.iter_mut().zip(&mut out.right).enumerate() {
            let rows = left_rows.iter_mut().zip(&mut right_rows);
            let frames = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
            let mut widths = F32x16([0.0; LANES]);
            s.store(s.add(s.splat(width.from), s.mul(s.splat(width.step), frames)), &mut widths);
            for ((frame, (left, right)), width) in (half * LANES..).zip(rows).zip(widths.0) {
                let side = s.mul(positions, s.splat(width));
                let (l, r) = self.straight.at::<S, N>(s, frame);
                let (mirrored_l, mirrored_r) = self.mirrored.at::<S, M>(s, frame);
                let [l, r] = [s.fnma(l, side, l), s.fma(r, side, r)];
                s.store(s.add(l, s.fma(mirrored_l, side, mirrored_l)), left);
                s.store(s.add(r, s.fnma(mirrored_r, side, mirrored_r)), right);
            }
            s.store(s.sums(&left_rows), left);
            s.store(s.sums(&right_rows), right);
        }
    }
}
