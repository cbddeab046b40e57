//! From the lanes of clouds to a tick of stereo sound.

use crate::render::TICK;
use crate::simd::{F32x16, LANES, Simd};
use crate::spectrum::{Cloud, Unison, of_fraction};

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
#[derive(Clone, Copy, Debug)]
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
    /// Instead of gains, the gains of their lanes, width included, where these stay during the tick; see [`Swell`].
    weights: [[F32x16; 2]; BATCH],
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
        weights: [[F32x16([0.0; LANES]); 2]; BATCH],
        is_silent: true,
        left: [F32x16([0.0; LANES]); TICK],
        right: [F32x16([0.0; LANES]); TICK],
    };

    /// Adds a cloud, whose lanes are then the newest.
    #[inline(always)]
    fn add<S: Simd>(&mut self, s: S, cloud: &Cloud, swell: Option<Swell>) {
        if self.waiting == BATCH {
            self.settle(s, swell.is_some());
        }
        let waiting = self.waiting;
        self.waiting += 1;
        if let Some(swell) = swell {
            self.weights[waiting] = swell.weights(s, cloud);
            return;
        }
        for (gains, ramp) in self.gains[waiting].iter_mut().zip(gain_ramps(cloud)) {
            for (half, gains) in gains.iter_mut().enumerate() {
                let time = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
                s.store(ramp.at(s, time), gains);
            }
        }
    }

    /// The same as [`LaneSums::at`] with gains of lanes, added to other clouds.
    #[inline(always)]
    fn add_weighted<S: Simd, const N: usize>(
        &self,
        s: S,
        frame: usize,
        (mut left, mut right): (S::F, S::F),
    ) -> (S::F, S::F) {
        if !self.is_silent {
            left = s.add(left, s.load(&self.left[frame]));
            right = s.add(right, s.load(&self.right[frame]));
        }
        for (lanes, [weights_left, weights_right]) in self.lanes.iter().zip(&self.weights).take(N) {
            let lanes = s.load(&lanes[frame]);
            left = s.fma(lanes, s.load(weights_left), left);
            right = s.fma(lanes, s.load(weights_right), right);
        }
        (left, right)
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
    fn settle<S: Simd>(&mut self, s: S, is_weighted: bool) {
        match self.waiting {
            0 => return,
            1 => self.settle_some::<S, 1>(s, is_weighted),
            2 => self.settle_some::<S, 2>(s, is_weighted),
            3 => self.settle_some::<S, 3>(s, is_weighted),
            _ => self.settle_some::<S, BATCH>(s, is_weighted),
        }
        (self.waiting, self.is_silent) = (0, false);
    }

    #[inline(always)]
    fn settle_some<S: Simd, const N: usize>(&mut self, s: S, is_weighted: bool) {
        for frame in 0..TICK {
            let (left, right) = match is_weighted {
                true => self.add_weighted::<S, N>(s, frame, (s.splat(0.0), s.splat(0.0))),
                false => self.at::<S, N>(s, frame),
            };
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

/// A tick in which the gains of all copies of a voice change by the same factor and their width stays, as it does mostly.
/// Then each lane of a copy has two constant weights, left and right, and the factor is applied to the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swell {
    /// The gain relative to the larger one of both ends of the tick, and whether that is the one at the start.
    factor: Ramp,
    falls: bool,
}

impl Swell {
    /// That of a voice whose copies have the widths of `cloud`.
    #[inline(always)]
    pub(crate) fn of(unison: &Unison, cloud: &Cloud) -> Option<Self> {
        let [from, to] = unison.swell()?;
        (cloud.width_from == cloud.width_to)
            .then(|| Self { factor: Ramp::new(from, to, frames_of(cloud)), falls: from > to })
    }

    /// The gains of the lanes of a copy on both sides, where they are larger.
    #[inline(always)]
    fn weights<S: Simd>(self, s: S, cloud: &Cloud) -> [F32x16; 2] {
        let [left, right] = if self.falls { cloud.gain_from } else { cloud.gain_to };
        let side = s.mul(s.load(&PAN_POSITIONS), s.splat(of_fraction(cloud.width_to)));
        let [left, right] = [s.splat(left), s.splat(right)];
        let mut weights = [F32x16([0.0; LANES]); 2];
        s.store(s.fnma(left, side, left), &mut weights[0]);
        s.store(s.fma(right, side, right), &mut weights[1]);
        weights
    }
}

/// The sound of the unison copies of a voice. Gains are applied copy by copy, width once: copies have the same one, but
/// some are mirrored.
#[derive(Clone, Debug)]
pub(crate) struct CopySums {
    swell: Option<Swell>,
    straight: LaneSums,
    mirrored: LaneSums,
}

impl CopySums {
    pub(crate) const SILENCE: Self =
        Self { swell: None, straight: LaneSums::SILENCE, mirrored: LaneSums::SILENCE };

    /// Starts a tick.
    #[inline(always)]
    pub(crate) fn start_tick(&mut self, swell: Option<Swell>) {
        self.swell = swell;
    }

    /// The lanes of the straight and of the mirrored copy that were added last.
    #[inline(always)]
    pub(crate) fn newest(&mut self) -> [&mut [F32x16; TICK]; 2] {
        [self.straight.newest(), self.mirrored.newest()]
    }

    /// Adds a copy, which is `cloud`. Its lanes may be written before another one of the same side is added.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(&mut self, s: S, cloud: &Cloud, is_mirrored: bool) {
        match is_mirrored {
            true => self.mirrored.add(s, cloud, self.swell),
            false => self.straight.add(s, cloud, self.swell),
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
        macro_rules! by_count {
            ($(($straight:literal, $mirrored:literal)),*) => {
                match (waiting, self.swell) {
                    $((($straight, $mirrored), Some(swell)) => {
                        self.reduce_weighted::<S, $straight, $mirrored>(s, swell, out);
                    }
                    (($straight, $mirrored), None) => {
                        self.reduce::<S, $straight, $mirrored>(s, cloud, out);
                    })*
                    (_, swell) => {
                        self.straight.settle(s, swell.is_some());
                        self.mirrored.settle(s, swell.is_some());
                        match swell {
                            Some(swell) => self.reduce_weighted::<S, 0, 0>(s, swell, out),
                            None => self.reduce::<S, 0, 0>(s, cloud, out),
                        }
                    }
                }
            };
        }
        by_count!((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4));
        self.straight.clear();
        self.mirrored.clear();
        delay(out, cloud);
    }

    /// Sums the lanes of all copies, of which `N` and `M` wait, in a tick in which their weights stay.
    #[inline(always)]
    fn reduce_weighted<S: Simd, const N: usize, const M: usize>(
        &self,
        s: S,
        swell: Swell,
        out: &mut StereoTick,
    ) {
        let [mut left_rows, mut right_rows] = [[F32x16([0.0; LANES]); LANES]; 2];
        for (half, (left, right)) in out.left.iter_mut().zip(&mut out.right).enumerate() {
            let rows = left_rows.iter_mut().zip(&mut right_rows);
            for (frame, (left, right)) in (half * LANES..).zip(rows) {
                let sums = (s.splat(0.0), s.splat(0.0));
                let sums = self.straight.add_weighted::<S, N>(s, frame, sums);
                let sums = self.mirrored.add_weighted::<S, M>(s, frame, sums);
                s.store(sums.0, left);
                s.store(sums.1, right);
            }
            let time = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
            let factor = swell.factor.at(s, time);
            s.store(s.mul(s.sums(&left_rows), factor), left);
            s.store(s.mul(s.sums(&right_rows), factor), right);
        }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;
    use crate::simd::{Level, Work};
    use crate::spectrum::unison::{Mix, is_mirrored};
    use crate::spectrum::{Description, UnisonVoice, fraction};

    /// A voice of so many copies that starts in this frame of a tick and gets louder or quieter.
    fn voice(copies: usize, first_frame: u8, [from, to]: [f32; 2]) -> UnisonVoice {
        let width = fraction(0.7);
        let cloud = Cloud { first_frame, width_from: width, width_to: width, ..Cloud::default() };
        let mix = |gain| Mix { gain, pan: 0.3, spread: 0.8, entry: Mix::ALL_IN };
        let unison = Unison {
            shape: copies as u32,
            increment: 1e6,
            detune: 0.01,
            from: mix(from),
            to: mix(to),
            ..Unison::default()
        };
        UnisonVoice::new(Description::of(&cloud), unison)
    }

    /// The sum of the copies of a voice, whose lanes are any numbers.
    struct Sum<'a> {
        voice: &'a UnisonVoice,
        swell: Option<Swell>,
    }

    impl Work for Sum<'_> {
        type Output = StereoTick;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> StereoTick {
            let mut sums = Box::new(CopySums::SILENCE);
            sums.start_tick(self.swell);
            let mut number = 0u32;
            for copy in 0..self.voice.unison.copies() {
                let mirrored = is_mirrored(copy);
                sums.add(s, &self.voice.cloud(copy), mirrored);
                let [straight_lanes, mirrored_lanes] = sums.newest();
                let lanes = if mirrored { mirrored_lanes } else { straight_lanes };
                for lane in lanes.iter_mut().flat_map(|lanes| &mut lanes.0) {
                    number = crate::dsp::hash(number.wrapping_add(1));
                    *lane = number as f32 / u32::MAX as f32 - 0.5;
                }
            }
            let mut out = StereoTick::SILENCE;
            sums.take(s, &self.voice.cloud(0), &mut out);
            out
        }
    }

    /// Notes would be louder, or stand elsewhere, while all copies follow their envelope than while one of them moves.
    #[test]
    fn a_swell_is_like_gains_copy_by_copy() {
        for level in Level::available() {
            for copies in 2..=16 {
                for (first_frame, gains) in [(0, [0.1, 0.4]), (5, [0.0, 0.2]), (0, [0.3, 0.0])] {
                    let voice = &voice(copies, first_frame, gains);
                    let swell = Swell::of(&voice.unison, &voice.cloud(0));
                    assert!(swell.is_some());
                    let [quick, slow] =
                        [swell, None].map(|swell| level.dispatch(Sum { voice, swell }));
                    let sides = [(quick.left, slow.left), (quick.right, slow.right)];
                    for (a, b) in sides {
                        for (a, b) in F32x16::flat(&a).iter().zip(F32x16::flat(&b)) {
                            assert!((a - b).abs() < 2e-6, "{}: {a} for {b}", level.name());
                        }
                    }
                }
            }
        }
    }

    /// What moves while a tick lasts would jump at its end.
    #[test]
    fn what_is_panned_or_widened_does_not_swell() {
        let still = voice(7, 0, [0.1, 0.2]);
        let cloud = still.cloud(0);
        let changes: [fn(&mut Mix); 3] =
            [|mix| mix.pan = 0.4, |mix| mix.spread = 0.5, |mix| mix.entry = 1.0];
        for change in changes {
            let mut moving = still;
            change(&mut moving.unison.to);
            assert!(Swell::of(&moving.unison, &cloud).is_none());
        }
        let wider = Cloud { width_to: 2 * cloud.width_from, ..cloud };
        assert!(Swell::of(&still.unison, &wider).is_none());
        assert!(Swell::of(&voice(7, 0, [0.0; 2]).unison, &cloud).is_none());
    }
}
