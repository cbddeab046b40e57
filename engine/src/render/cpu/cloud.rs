//! One cloud for one tick: evaluates its spectrum, runs the bank, sums to stereo.

use super::bank::{self, MAX_SIDE_BY_SIDE, Oscillators};
use crate::render::TICK;
use crate::render::block::groups;
use crate::render::lazy_slice::Zeroable;
use crate::simd::{F32x16, LANES, Simd, U32x16};
use crate::spectrum::{
    self, Cloud, FADE_END, MAX_GROUPS, Partials, STARTS, Tables, dynamics, of_fraction,
};

/// The state of a slot between ticks.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct CloudState {
    /// Groups that may have sounded in the last tick; above, levels are zero.
    ///
    /// This and the next fields have their own cache line. The extra line also keeps the groups of
    /// neighbouring slots from mapping to the same cache sets, as they would at a distance of a power
    /// of two.
    live: usize,
    /// Groups whose state belongs to this cloud and not to an earlier one in this slot.
    touched: usize,
    /// A bit for each group that the floor leaves out, so that it need not be evaluated in every
    /// tick, and the gain at that time.
    left_out: u64,
    left_out_at: f32,
    groups: [GroupState; MAX_GROUPS],
}

#[derive(Clone, Debug)]
struct GroupState {
    phase: U32x16,
    level: F32x16,
}

// SAFETY: numbers without a drop; zeros are the state of a slot that was never used.
unsafe impl Zeroable for CloudState {}

impl CloudState {
    /// Lets the system give memory to the state of a slot that was never used.
    pub(crate) fn take_memory(&mut self) {
        // Each state is two pages long and a cache line.
        for group in self.groups.iter_mut().step_by(MAX_GROUPS / 4) {
            // SAFETY: a plain write, which the compiler must not leave out.
            unsafe { std::ptr::write_volatile(&mut group.phase.0[0], 0) };
        }
    }

    pub(crate) fn reset(&mut self) {
        (self.live, self.touched, self.left_out) = (0, 0, 0);
        self.left_out_at = 0.0;
    }
}

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

/// Partials quieter than this at both ends of a tick are not rendered: -144 dB, so that even a
/// thousand of them stay below -110 dB.
const INAUDIBLE: f32 = 6e-8;

/// The level below which partials are left out when the CPU is overloaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// Level × gain at the end of the tick; zero for none.
    pub(crate) level: f32,
    /// Counts ticks: a group that is left out is evaluated again every [`REEVALUATION_TICKS`].
    pub(crate) turn: u32,
}

/// Ticks between two evaluations of a group that is left out: its spectrum, a third of the cost of a
/// group, is not evaluated in between. Its phases stop, which is inaudible.
const REEVALUATION_TICKS: u32 = 16;

const _: () = assert!(MAX_GROUPS <= u64::BITS as usize);

impl Floor {
    /// Whether `group` need not be evaluated in this tick.
    #[inline(always)]
    fn spares(self, state: &CloudState, group: usize) -> bool {
        state.left_out >> group & 1 == 1
            && !self.turn.wrapping_add(group as u32).is_multiple_of(REEVALUATION_TICKS)
    }

    /// Levels: unchanged above twice the floor, zero below it, a ramp in between.
    #[inline(always)]
    fn thin<S: Simd>(self, s: S, level: S::F, gain: f32) -> S::F {
        let above = s.fma(level, s.splat(gain / self.level), s.splat(-1.0));
        s.mul(level, s.min(s.max(above, s.splat(0.0)), s.splat(1.0)))
    }
}

/// Renders `cloud` for one tick. Returns the numbers of partials sounded and left out.
/// `sum` is scratch space.
#[inline(always)]
pub(crate) fn render<S: Simd>(
    s: S,
    cloud: &Cloud,
    tables: &Tables,
    floor: Floor,
    state: &mut CloudState,
    sum: &mut [F32x16; TICK],
    out: &mut StereoTick,
) -> (usize, usize) {
    let starts = cloud.flags & STARTS != 0;
    if starts {
        state.reset();
    }
    let frames = TICK as u32 - u32::from(cloud.first_frame);
    let step = 1.0 / frames as f32;
    let loudest =
        cloud.gain_from[0].max(cloud.gain_from[1]).max(cloud.gain_to[0].max(cloud.gain_to[1]));
    // Level × gain below the threshold; with no gain at all nothing is audible.
    let threshold = s.splat(INAUDIBLE / loudest.max(1e-30));
    let wanted = groups(cloud.partials);
    let thins = floor.level > 0.0;
    let gain = cloud.gain_to[0].max(cloud.gain_to[1]);
    // A cloud that gets louder is evaluated at once.
    if !thins || gain > 1.5 * state.left_out_at {
        state.left_out = 0;
        state.left_out_at = gain;
    }
    let small = wanted.max(state.live) <= 2;

    let rows = tables.rows_of(cloud);
    let mut queue = [Oscillators::silent(s); MAX_SIDE_BY_SIDE];
    let mut later = [Oscillators::silent(s); 2];
    let (mut queued, mut sounded, mut group, mut thinned) = (0, 0, 0, 0);
    while group < MAX_GROUPS && (group < wanted || group < state.live) {
        if thins && floor.spares(state, group) {
            thinned += LANES;
            group += 1;
            continue;
        }
        let frequency = spectrum::frequency(s, cloud, rows, group);
        // Ratios rise, so above a group beyond Nyquist only old groups are left to fade.
        if group >= state.live && s.first(frequency) >= FADE_END {
            break;
        }
        let Partials { increment, mut level, fade } =
            spectrum::evaluate(s, cloud, rows, group, frequency);
        let memory = &mut state.groups[group];
        let new = group >= state.touched;
        if cloud.smear != 0 && !starts {
            let from = match new {
                true => s.splat(0.0),
                false => s.load(&memory.level),
            };
            level = dynamics::smeared(s, cloud.smear, from, level, fade);
        }
        let audible = thins && s.any_greater(level, threshold);
        if thins {
            level = floor.thin(s, level, gain);
        }
        let phase = match new {
            true => spectrum::first_phase(s, cloud, rows, group),
            false => s.load_u(&memory.phase),
        };
        let from = match (starts, new) {
            (true, _) => level,
            (false, true) => s.splat(0.0),
            (false, false) => s.load(&memory.level),
        };
        let turn = match frames == TICK as u32 {
            true => s.shl_u::<{ TICK.ilog2() as i32 }>(increment),
            false => s.mul_u(increment, s.splat_u(frames)),
        };
        s.store_u(s.add_u(phase, turn), &mut memory.phase);
        s.store(level, &mut memory.level);
        if thins {
            let left_out = !s.any_greater(level, threshold);
            state.left_out &= !(1 << group);
            state.left_out |= u64::from(left_out) << group;
            if left_out && audible {
                thinned += LANES;
            }
        }
        group += 1;
        if !s.any_greater(s.max(from, level), threshold) {
            continue;
        }
        let (oscillators, slope) =
            Oscillators::seed(s, phase, increment, from, level, s.splat(step));
        queue[queued] = oscillators;
        if small {
            let half_turn = s.shl_u::<{ TICK.ilog2() as i32 - 1 }>(increment);
            let phase = s.add_u(phase, half_turn);
            later[queued] = oscillators.half_a_tick_later(s, phase, increment, slope);
        }
        queued += 1;
        sounded += LANES;
        if queued == S::GROUPS && !small {
            add(s, &queue[..S::GROUPS], sounded == S::GROUPS * LANES, sum);
            queued = 0;
        }
    }
    match (small, sounded) {
        (_, 0) => sum.fill(F32x16([0.0; LANES])),
        (true, _) => bank::advance_halves(s, &queue[..queued], &later[..queued], sum),
        (false, _) => add(s, &queue[..queued], sounded == queued * LANES, sum),
    }
    state.touched = state.touched.max(group);
    state.live = still_live(s, state, group);
    match thins && sounded == 0 {
        true => *out = StereoTick::SILENCE,
        false => to_stereo(s, cloud, step, sum, out),
    }
    (sounded.min(cloud.partials as usize), thinned)
}

/// Adds groups to the sum, or overwrites it with them.
#[inline(always)]
fn add<S: Simd>(s: S, groups: &[Oscillators<S>], first: bool, sum: &mut [F32x16; TICK]) {
    match first {
        true => bank::advance::<S, true>(s, groups, sum),
        false => bank::advance::<S, false>(s, groups, sum),
    }
}

/// Groups up to the last one with a level, of the first `groups`.
#[inline(always)]
fn still_live<S: Simd>(s: S, state: &CloudState, groups: usize) -> usize {
    let sounds = |group: &GroupState| s.any_greater(s.load(&group.level), s.splat(0.0));
    let last = state.groups[..groups].iter().rposition(sounds);
    last.map_or(0, |last| last + 1)
}

/// Pan positions of partials at full width, by number modulo sixteen. The first partial, and with
/// it the bass, stays in the middle; the others balance each other.
pub(crate) const PAN_POSITIONS: F32x16 =
    F32x16([0.0, 0.4, -0.4, 0.8, -0.8, 0.6, -0.6, 1.0, -1.0, 0.3, -0.3, 0.7, -0.7, 0.9, -0.9, 0.0]);

/// Sums the lanes, spreads them by width, and applies the ramped gains.
#[inline(always)]
fn to_stereo<S: Simd>(
    s: S,
    cloud: &Cloud,
    step: f32,
    sum: &mut [F32x16; TICK],
    out: &mut StereoTick,
) {
    let wide = cloud.width_from != 0 || cloud.width_to != 0;
    let [width_from, width_to] = [cloud.width_from, cloud.width_to].map(of_fraction);
    let ramp =
        |from: f32, to: f32, time: S::F| s.fma(time, s.splat((to - from) * step), s.splat(from));
    let (halves, _) = sum.as_chunks_mut::<LANES>();
    for (half, rows) in halves.iter_mut().enumerate() {
        let time = s.add(s.load(&FRAME), s.splat((half * LANES) as f32));
        let middle = s.sums(rows);
        let (mut left, mut right) = (middle, middle);
        if wide {
            for row in rows.iter_mut() {
                s.store(s.mul(s.load(row), s.load(&PAN_POSITIONS)), row);
            }
            let side = s.mul(s.sums(rows), ramp(width_from, width_to, time));
            (left, right) = (s.sub(middle, side), s.add(middle, side));
        }
        let gain = |side: usize| ramp(cloud.gain_from[side], cloud.gain_to[side], time);
        s.store(s.mul(left, gain(0)), &mut out.left[half]);
        s.store(s.mul(right, gain(1)), &mut out.right[half]);
    }
    if cloud.first_frame != 0 {
        delay(&mut out.left, cloud.first_frame as usize);
        delay(&mut out.right, cloud.first_frame as usize);
    }
}

const FRAME: F32x16 =
    F32x16([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);

/// Moves a tick's samples `frames` later; the last samples are dropped, because the next tick renders them.
fn delay(samples: &mut [F32x16; TICK / LANES], frames: usize) {
    let at = |i: usize| (i / LANES, i % LANES);
    for i in (0..TICK).rev() {
        let value = match i.checked_sub(frames) {
            Some(from) => samples[at(from).0].0[at(from).1],
            None => 0.0,
        };
        samples[at(i).0].0[at(i).1] = value;
    }
}
