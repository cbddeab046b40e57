//! One tick of a voice, cloud by cloud: evaluates spectra and runs the bank.

use super::bank::{self, MAX_SIDE_BY_SIDE, Oscillators};
use crate::render::TICK;
use crate::render::block::groups;
use crate::render::lazy_slice::Zeroable;
use crate::simd::{F32x16, LANES, Simd, U32x16};
use crate::spectrum::{
    self, Cloud, CloudRows, FADE_END, MAX_GROUPS, Partials, Poles, Response, STARTS, Tables,
    dynamics,
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

/// The spectra of a voice in a tick, group by group.
#[derive(Clone, Debug)]
pub(crate) struct Spectra {
    /// Groups whose ratios and levels are known, as far as all unison copies of the voice share them: each is
    /// evaluated for the first copy that needs it.
    shared: usize,
    ratios: [F32x16; MAX_GROUPS],
    levels: [F32x16; MAX_GROUPS],
    /// Those of one copy, at the tick's end.
    increments: [U32x16; MAX_GROUPS],
    own_levels: [F32x16; MAX_GROUPS],
}

impl Spectra {
    pub(crate) const SILENCE: Self = Self {
        shared: 0,
        ratios: [F32x16([0.0; LANES]); MAX_GROUPS],
        levels: [F32x16([0.0; LANES]); MAX_GROUPS],
        increments: [U32x16([0; LANES]); MAX_GROUPS],
        own_levels: [F32x16([0.0; LANES]); MAX_GROUPS],
    };

    /// Forgets the last tick.
    #[inline(always)]
    pub(crate) fn start_tick(&mut self) {
        self.shared = 0;
    }

    /// Ratios and levels of `group` that the copies have in common. Copies visit groups in order.
    #[inline(always)]
    fn shared<S: Simd>(&mut self, s: S, voice: &VoiceTick<'_>, group: usize) -> (S::F, S::F) {
        if group == self.shared {
            let VoiceTick { cloud, rows, .. } = voice;
            s.store(spectrum::voice_ratio(s, cloud, rows, group), &mut self.ratios[group]);
            s.store(spectrum::voice_level(s, cloud, rows, group), &mut self.levels[group]);
            self.shared += 1;
        }
        (s.load(&self.ratios[group]), s.load(&self.levels[group]))
    }
}

/// A tick of a voice.
pub(crate) struct VoiceTick<'a> {
    /// The copy that is being rendered: all of them but for a few values.
    pub(crate) cloud: Cloud,
    rows: CloudRows<'a>,
    floor: f32,
    features: Features,
    starts: bool,
    /// Groups within the count.
    wanted: usize,
    /// Frames that it sounds.
    frames: u32,
}

/// What the spectra of a voice need.
enum Features {
    /// At most a resonant filter, which is given with one over its cutoff.
    Plain(Option<(Poles, f32)>),
    /// Anything.
    Rich,
}

impl Features {
    #[inline(always)]
    fn of(cloud: &Cloud, rows: &CloudRows<'_>, floor: f32) -> Self {
        let is_rich = cloud.bandwidth != 0.0
            || cloud.detune != 0
            || cloud.gate != 0
            || cloud.smear != 0
            || floor > 0.0;
        let [first, second] = &cloud.filters;
        match (&rows.filters[0], &rows.filters[1]) {
            _ if is_rich => Features::Rich,
            (Response::Open, Response::Open) => Features::Plain(None),
            (&Response::Poles(poles), Response::Open) => {
                Features::Plain(Some((poles, first.inverse_cutoff)))
            }
            (Response::Open, &Response::Poles(poles)) => {
                Features::Plain(Some((poles, second.inverse_cutoff)))
            }
            _ => Features::Rich,
        }
    }
}

impl<'a> VoiceTick<'a> {
    /// With the level below which partials are left out; see [`Floor`].
    #[inline(always)]
    pub(crate) fn new(cloud: Cloud, tables: &'a Tables, floor: f32) -> Self {
        let rows = tables.rows_of(&cloud);
        Self {
            features: Features::of(&cloud, &rows, floor),
            starts: cloud.flags & STARTS != 0,
            wanted: groups(cloud.partials),
            frames: TICK as u32 - u32::from(cloud.first_frame),
            floor,
            rows,
            cloud,
        }
    }

    /// Level × gain below this is inaudible; with no gain at all everything is.
    #[inline(always)]
    fn threshold(&self) -> f32 {
        let Cloud { gain_from, gain_to, .. } = &self.cloud;
        let loudest = gain_from[0].max(gain_from[1]).max(gain_to[0].max(gain_to[1]));
        INAUDIBLE / loudest.max(1e-30)
    }

    /// Evaluates the copy's spectrum. Returns the number of groups: those within the count, and those that still
    /// sound.
    #[inline(always)]
    fn evaluate<S: Simd>(
        &self,
        s: S,
        filter: Option<(Poles, f32)>,
        spectra: &mut Spectra,
        state: &CloudState,
    ) -> usize {
        let most = self.wanted.max(state.live);
        let increment = s.splat(self.cloud.increment);
        for group in 0..most {
            let (ratio, level) = spectra.shared(s, self, group);
            let frequency = s.mul(ratio, increment);
            if group >= state.live && s.first(frequency) >= FADE_END {
                return group;
            }
            let Partials { increment, level, .. } =
                spectrum::evaluate_plain_copy(s, filter, frequency, level);
            s.store_u(increment, &mut spectra.increments[group]);
            s.store(level, &mut spectra.own_levels[group]);
        }
        most
    }

    /// The same for a copy with any features. Also returns the groups that are left out, a bit each, which have
    /// no spectrum, and how many partials are.
    #[inline(always)]
    fn evaluate_rich<S: Simd>(
        &self,
        s: S,
        turn: u32,
        spectra: &mut Spectra,
        state: &mut CloudState,
    ) -> (usize, u64, usize) {
        let Self { cloud, rows, .. } = self;
        let most = self.wanted.max(state.live);
        let threshold = s.splat(self.threshold());
        let floor = Floor { level: self.floor, turn };
        let thins = self.floor > 0.0;
        let gain = cloud.gain_to[0].max(cloud.gain_to[1]);
        let (mut spared, mut thinned) = (0, 0);
        for group in 0..most {
            let (ratio, level) = spectra.shared(s, self, group);
            if thins && floor.spares(state, group) {
                spared |= 1 << group;
                thinned += LANES;
                continue;
            }
            let frequency = spectrum::frequency_of_copy(s, cloud, group, ratio);
            // Ratios rise, so above a group beyond Nyquist only old groups are left to fade.
            if group >= state.live && s.first(frequency) >= FADE_END {
                return (group, spared, thinned);
            }
            let Partials { increment, mut level, fade } =
                spectrum::evaluate_copy(s, cloud, rows, group, frequency, level);
            if cloud.smear != 0 && !self.starts {
                let from = match group >= state.touched {
                    true => s.splat(0.0),
                    false => s.load(&state.groups[group].level),
                };
                level = dynamics::smeared(s, cloud.smear, from, level, fade);
            }
            if thins {
                let audible = s.any_greater(level, threshold);
                level = floor.thin(s, level, gain);
                let left_out = !s.any_greater(level, threshold);
                state.left_out &= !(1 << group);
                state.left_out |= u64::from(left_out) << group;
                if left_out && audible {
                    thinned += LANES;
                }
            }
            s.store_u(increment, &mut spectra.increments[group]);
            s.store(level, &mut spectra.own_levels[group]);
        }
        (most, spared, thinned)
    }
}

/// Partials of a cloud in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartialCount {
    /// Whether the sum has any sound.
    pub(crate) sounds: bool,
    /// Those that sounded, in whole groups but for the last.
    pub(crate) sounded: usize,
    /// Those that the floor left out, in whole groups.
    pub(crate) thinned: usize,
}

/// Renders the present copy of `voice` for one tick: lane i of `sum[t]` becomes the sum of all partials whose number
/// is i + 1 modulo sixteen, at frame t after the cloud's start. `turn` counts ticks. `queue` is scratch space.
#[inline(always)]
pub(crate) fn render<S: Simd>(
    s: S,
    voice: &VoiceTick<'_>,
    turn: u32,
    spectra: &mut Spectra,
    state: &mut CloudState,
    queue: &mut Queue<S>,
    sum: &mut [F32x16; TICK],
) -> PartialCount {
    let VoiceTick { cloud, rows, starts, frames, .. } = voice;
    if *starts {
        state.reset();
    }
    // A cloud that gets louder is evaluated at once.
    let gain = cloud.gain_to[0].max(cloud.gain_to[1]);
    if voice.floor == 0.0 || gain > 1.5 * state.left_out_at {
        (state.left_out, state.left_out_at) = (0, gain);
    }
    let (groups, spared, thinned) = match voice.features {
        Features::Plain(filter) => (voice.evaluate(s, filter, spectra, state), 0, 0),
        Features::Rich => voice.evaluate_rich(s, turn, spectra, state),
    };
    let small = groups <= 2;
    let threshold = s.splat(voice.threshold());
    let step = s.splat(1.0 / *frames as f32);
    let Queue { oscillators, later } = queue;
    let (mut queued, mut sounded, mut live) = (0, 0, 0);
    for group in 0..groups {
        if spared >> group & 1 == 1 {
            continue;
        }
        let increment = s.load_u(&spectra.increments[group]);
        let level = s.load(&spectra.own_levels[group]);
        let memory = &mut state.groups[group];
        let (phase, mut from) = match group >= state.touched {
            true => (spectrum::first_phase(s, cloud, rows, group), s.splat(0.0)),
            false => (s.load_u(&memory.phase), s.load(&memory.level)),
        };
        if *starts {
            from = level;
        }
        let turn = match *frames == TICK as u32 {
            true => s.shl_u::<{ TICK.ilog2() as i32 }>(increment),
            false => s.mul_u(increment, s.splat_u(*frames)),
        };
        s.store_u(s.add_u(phase, turn), &mut memory.phase);
        s.store(level, &mut memory.level);
        if s.any_greater(level, s.splat(0.0)) {
            live = group + 1;
        }
        if !s.any_greater(s.max(from, level), threshold) {
            continue;
        }
        let (seeded, slope) = Oscillators::seed(s, phase, increment, from, level, step);
        oscillators[queued] = seeded;
        if small {
            let half_turn = s.shl_u::<{ TICK.ilog2() as i32 - 1 }>(increment);
            let phase = s.add_u(phase, half_turn);
            later[queued] = seeded.half_a_tick_later(s, phase, increment, slope);
        }
        queued += 1;
        sounded += LANES;
        if queued == S::GROUPS && !small {
            add(s, &oscillators[..S::GROUPS], sounded == S::GROUPS * LANES, sum);
            queued = 0;
        }
    }
    match (small, sounded) {
        (_, 0) => {}
        (true, _) => bank::advance_halves(s, &oscillators[..queued], &later[..queued], sum),
        (false, _) => add(s, &oscillators[..queued], sounded == queued * LANES, sum),
    }
    state.touched = state.touched.max(groups);
    state.live = live;
    let most = cloud.partials as usize;
    PartialCount { sounds: sounded > 0, sounded: sounded.min(most), thinned }
}

/// Oscillators that wait to be advanced together.
pub(crate) struct Queue<S: Simd> {
    oscillators: [Oscillators<S>; MAX_SIDE_BY_SIDE],
    /// The same half a tick later, where there are few.
    later: [Oscillators<S>; 2],
}

impl<S: Simd> Queue<S> {
    #[inline(always)]
    pub(crate) fn new(s: S) -> Self {
        let silent = Oscillators::silent(s);
        Self { oscillators: [silent; MAX_SIDE_BY_SIDE], later: [silent; 2] }
    }
}

/// Adds groups to the sum, or overwrites it with them.
#[inline(always)]
fn add<S: Simd>(s: S, groups: &[Oscillators<S>], first: bool, sum: &mut [F32x16; TICK]) {
    match first {
        true => bank::advance::<S, true>(s, groups, sum),
        false => bank::advance::<S, false>(s, groups, sum),
    }
}
