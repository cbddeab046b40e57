//! One tick of a voice, cloud by cloud: evaluates spectra, and finds the groups of partials that are audible.

use super::play::{Audible, AudibleGroup};
use crate::prefetch::prefetch;
use crate::render::TICK;
use crate::render::block::groups;
use crate::render::lazy_slice::Zeroable;
use crate::simd::{F32x16, LANES, Simd, U32x16};
use crate::spectrum::{
    self, Cloud, CloudRows, Description, FADE_END, MAX_GROUPS, Partials, Poles, Response, STARTS,
    Tables, dynamics,
};

/// The state of a slot between ticks.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct CloudState {
    /// Groups that may have sounded in the last tick; above, levels are zero.
    ///
    /// This and the next fields have their own cache lines. The extra lines also keep the groups of
    /// neighbouring slots from mapping to the same cache sets, as they would at a distance of a power
    /// of two.
    live: usize,
    /// Groups whose state belongs to this cloud and not to an earlier one in this slot.
    touched: usize,
    /// A bit for each group that the floor leaves out, so that it need not be evaluated in every
    /// tick, and the gain at that time.
    left_out: u64,
    left_out_at: f32,
    /// The last tick's levels are stored for groups below this one. Those above were too quiet to be evaluated.
    stored: usize,
    /// The most that those were, and the pitch and description to evaluate them with if they are needed after all.
    quiet: f32,
    increment: f32,
    description: Description,
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
        // Each state is two pages long and a few cache lines.
        for group in self.groups.iter_mut().step_by(MAX_GROUPS / 4) {
            // SAFETY: a plain write, which the compiler must not leave out.
            unsafe { std::ptr::write_volatile(&mut group.phase.0[0], 0) };
        }
    }

    /// Fetches a state that is needed soon, as far as `groups` groups. Slots are far apart, so processors do not do it by
    /// themselves.
    #[inline(always)]
    pub(crate) fn prefetch(state: *const Self, groups: usize) {
        let bytes = std::mem::offset_of!(Self, groups) + groups * size_of::<GroupState>();
        prefetch(state, bytes);
    }

    pub(crate) fn reset(&mut self) {
        (self.live, self.touched, self.left_out) = (0, 0, 0);
        (self.left_out_at, self.stored) = (0.0, MAX_GROUPS);
    }
}

/// Partials quieter than this at both ends of a tick are not rendered: -144 dB, so that even a
/// thousand of them stay below -110 dB.
const INAUDIBLE: f32 = 6e-8;

/// Groups are not evaluated below this part of what is inaudible, so that they stay inaudible when the gain rises.
const QUIET: f32 = 0.5;

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
    /// From this group on, no copy of the voice is louder than `quiet`, which is inaudible.
    loud: usize,
    quiet: f32,
    /// How many groups of one copy are loud enough to be rendered, and these. What is behind them is of no use.
    audible: usize,
    groups: [AudibleGroup; MAX_GROUPS + 1],
}

impl Spectra {
    pub(crate) const SILENCE: Self = Self {
        shared: 0,
        ratios: [F32x16([0.0; LANES]); MAX_GROUPS],
        levels: [F32x16([0.0; LANES]); MAX_GROUPS],
        loud: MAX_GROUPS,
        quiet: 0.0,
        audible: 0,
        groups: [const { AudibleGroup::SILENCE }; MAX_GROUPS + 1],
    };

    /// Forgets the last tick. Finds the groups that are too quiet in every copy: the copies' phases advance by
    /// `lowest` a sample or more, and their gains are at most `loudest`.
    ///
    /// A voice with a closed filter has more of these than of others.
    #[inline(always)]
    pub(crate) fn start_tick<S: Simd>(
        &mut self,
        s: S,
        voice: &VoiceTick<'_>,
        lowest: f32,
        loudest: f32,
    ) {
        (self.shared, self.loud) = (0, MAX_GROUPS);
        let Features::Plain(filter) = voice.features else {
            return;
        };
        // The pitches of tracks need not rise within a group, and their rows may be gone in the next tick.
        if voice.starts || voice.cloud.reads_tracks() {
            return;
        }
        while self.shared < voice.wanted {
            let (ratio, _) = self.shared(s, voice, self.shared);
            if s.first(ratio) * lowest >= FADE_END {
                break;
            }
        }
        self.quiet = QUIET * INAUDIBLE / loudest.max(1e-30);
        self.loud = self.shared;
        while let Some(group) = self.loud.checked_sub(1) {
            let frequency = s.first(s.load(&self.ratios[group])) * lowest;
            let most = match filter {
                Some((poles, inverse_cutoff)) => poles.most_above(frequency * inverse_cutoff),
                None => 1.0,
            };
            if s.any_greater(s.load(&self.levels[group]), s.splat(self.quiet / most)) {
                break;
            }
            self.loud = group;
        }
    }

    /// Ratios and levels of `group` that the copies have in common. Copies visit groups in order.
    #[inline(always)]
    fn shared<S: Simd>(&mut self, s: S, voice: &VoiceTick<'_>, group: usize) -> (S::F, S::F) {
        while self.shared <= group {
            let group = self.shared;
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
    /// What the copies share.
    description: &'a Description,
    tables: &'a Tables,
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
    pub(crate) fn new(description: &'a Description, tables: &'a Tables, floor: f32) -> Self {
        let cloud = description.cloud();
        let rows = tables.rows_of(&cloud);
        Self {
            features: Features::of(&cloud, &rows, floor),
            starts: cloud.flags & STARTS != 0,
            wanted: groups(cloud.partials),
            frames: TICK as u32 - u32::from(cloud.first_frame),
            floor,
            description,
            tables,
            rows,
            cloud,
        }
    }

    /// The number of groups: those within the count and below Nyquist, and those that still sound.
    #[inline(always)]
    fn groups<S: Simd>(&self, s: S, spectra: &mut Spectra, state: &CloudState) -> usize {
        let most = self.wanted.max(state.live);
        let mut groups = state.live;
        // Ratios rise, so above a group beyond Nyquist there are only others.
        while groups < most
            && s.first(spectra.shared(s, self, groups).0) * self.cloud.increment < FADE_END
        {
            groups += 1;
        }
        // All of them are in the lists from here on.
        if groups > spectra.shared {
            spectra.shared(s, self, groups - 1);
        }
        groups
    }

    /// From this group on, levels need not be evaluated: they are inaudible at both ends of the tick.
    #[inline(always)]
    fn loud_groups<S: Simd>(&self, s: S, spectra: &Spectra, state: &mut CloudState) -> usize {
        let are_quiet = state.stored == MAX_GROUPS || QUIET * state.quiet <= spectra.quiet;
        let needed = match are_quiet || spectra.loud == MAX_GROUPS {
            true => spectra.loud,
            // The gain has risen so much that groups may be audible which were too quiet.
            false => MAX_GROUPS,
        };
        if state.stored < needed.min(state.touched) {
            self.restore(s, state, needed.min(state.touched));
            state.stored = needed;
        }
        needed.max(state.stored)
    }

    /// Evaluates levels of the last tick, up to a group, that were not needed then.
    #[inline(always)]
    fn restore<S: Simd>(&self, s: S, state: &mut CloudState, end: usize) {
        let last = state.description.cloud();
        let rows = self.tables.rows_of(&last);
        let Features::Plain(filter) = Features::of(&last, &rows, 0.0) else {
            return;
        };
        let increment = s.splat(state.increment);
        for group in state.stored..end {
            let frequency = s.mul(spectrum::voice_ratio(s, &last, &rows, group), increment);
            let level = spectrum::voice_level(s, &last, &rows, group);
            let partials = spectrum::evaluate_plain_copy(s, filter, frequency, level);
            s.store(partials.level, &mut state.groups[group].level);
        }
    }

    /// Level × gain below this is inaudible; with no gain at all everything is.
    #[inline(always)]
    fn threshold(&self) -> f32 {
        let Cloud { gain_from, gain_to, .. } = &self.cloud;
        let loudest = gain_from[0].max(gain_from[1]).max(gain_to[0].max(gain_to[1]));
        INAUDIBLE / loudest.max(1e-30)
    }

    /// Evaluates the copy's spectrum, and lists the groups that are audible. Returns the number of groups.
    #[inline(always)]
    fn evaluate<S: Simd>(
        &self,
        s: S,
        filter: Option<(Poles, f32)>,
        spectra: &mut Spectra,
        state: &mut CloudState,
        loud: usize,
    ) -> usize {
        let groups = self.groups(s, spectra, state);
        let increment = s.splat(self.cloud.increment);
        let threshold = s.splat(self.threshold());
        let (mut live, mut audible) = (0, 0);
        let Spectra { ratios, levels, groups: into, .. } = spectra;
        let shared = || ratios[..groups].iter().zip(&levels[..groups]).enumerate();
        for (group, (ratio, level)) in shared().take(loud) {
            let frequency = s.mul(s.load(ratio), increment);
            let Partials { increment, level, .. } =
                spectrum::evaluate_plain_copy(s, filter, frequency, s.load(level));
            let into = &mut into[audible];
            let is_audible = self.advance(s, group, increment, level, threshold, state, into);
            audible += usize::from(is_audible);
            if s.any_greater(level, s.splat(0.0)) {
                live = group + 1;
            }
        }
        // Of the others only the phases advance.
        for (group, (ratio, level)) in shared().skip(loud) {
            let frequency = s.mul(s.load(ratio), increment);
            let Partials { increment, level, .. } =
                spectrum::evaluate_plain_copy(s, None, frequency, s.load(level));
            self.advance_phase(s, group, increment, state);
            if s.any_greater(level, s.splat(0.0)) {
                live = group + 1;
            }
        }
        (spectra.audible, state.live) = (audible, live);
        groups
    }

    /// Advances the phases of a group by a tick. Returns what they were.
    #[inline(always)]
    fn advance_phase<S: Simd>(
        &self,
        s: S,
        group: usize,
        increment: S::U,
        state: &mut CloudState,
    ) -> S::U {
        let memory = &mut state.groups[group];
        let phase = match group >= state.touched {
            true => spectrum::first_phase(s, &self.cloud, &self.rows, group),
            false => s.load_u(&memory.phase),
        };
        let turn = match self.frames == TICK as u32 {
            true => s.shl_u::<{ TICK.ilog2() as i32 }>(increment),
            false => s.mul_u(increment, s.splat_u(self.frames)),
        };
        s.store_u(s.add_u(phase, turn), &mut memory.phase);
        phase
    }

    /// Advances the state of a group by a tick, and writes `into` what the bank needs if the group is audible. Returns
    /// whether it is.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "inlined into the loops over groups")]
    fn advance<S: Simd>(
        &self,
        s: S,
        group: usize,
        increment: S::U,
        level: S::F,
        threshold: S::F,
        state: &mut CloudState,
        into: &mut AudibleGroup,
    ) -> bool {
        let phase = self.advance_phase(s, group, increment, state);
        let memory = &mut state.groups[group];
        let from = match (self.starts, group >= state.touched) {
            (true, _) => level,
            (false, true) => s.splat(0.0),
            (false, false) => s.load(&memory.level),
        };
        s.store(level, &mut memory.level);
        // Written in any case: a branch would often be mispredicted.
        s.store_u(phase, &mut into.phase);
        s.store_u(increment, &mut into.increment);
        s.store(from, &mut into.from);
        s.store(level, &mut into.to);
        s.any_greater(s.max(from, level), threshold)
    }

    /// The same for a copy with any features. Also returns how many partials are left out.
    #[inline(always)]
    fn evaluate_rich<S: Simd>(
        &self,
        s: S,
        turn: u32,
        spectra: &mut Spectra,
        state: &mut CloudState,
    ) -> (usize, usize) {
        let Self { cloud, rows, .. } = self;
        let most = self.wanted.max(state.live);
        let threshold = s.splat(self.threshold());
        let floor = Floor { level: self.floor, turn };
        let thins = self.floor > 0.0;
        let gain = cloud.gain_to[0].max(cloud.gain_to[1]);
        let (mut groups, mut live, mut audible, mut thinned) = (most, 0, 0, 0);
        for group in 0..most {
            let (ratio, level) = spectra.shared(s, self, group);
            if thins && floor.spares(state, group) {
                thinned += LANES;
                continue;
            }
            let frequency = spectrum::frequency_of_copy(s, cloud, group, ratio);
            if group >= state.live && s.first(frequency) >= FADE_END {
                groups = group;
                break;
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
                let was_audible = s.any_greater(level, threshold);
                level = floor.thin(s, level, gain);
                let left_out = !s.any_greater(level, threshold);
                state.left_out &= !(1 << group);
                state.left_out |= u64::from(left_out) << group;
                if left_out && was_audible {
                    thinned += LANES;
                }
            }
            let into = &mut spectra.groups[audible];
            let is_audible = self.advance(s, group, increment, level, threshold, state, into);
            audible += usize::from(is_audible);
            if s.any_greater(level, s.splat(0.0)) {
                live = group + 1;
            }
        }
        (spectra.audible, state.live) = (audible, live);
        (groups, thinned)
    }
}

/// Partials of a cloud in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartialCount {
    /// Those that sounded, in whole groups but for the last.
    pub(crate) sounded: usize,
    /// Those that the floor left out, in whole groups.
    pub(crate) thinned: usize,
}

/// Advances the present copy of `voice` by a tick, and finds what is audible of it. `turn` counts ticks.
#[inline(always)]
pub(crate) fn advance<'a, S: Simd>(
    s: S,
    voice: &VoiceTick<'_>,
    turn: u32,
    spectra: &'a mut Spectra,
    state: &mut CloudState,
) -> (Audible<'a>, PartialCount) {
    let cloud = &voice.cloud;
    if voice.starts {
        state.reset();
    }
    // A cloud that gets louder is evaluated at once.
    let gain = cloud.gain_to[0].max(cloud.gain_to[1]);
    if voice.floor == 0.0 || gain > 1.5 * state.left_out_at {
        (state.left_out, state.left_out_at) = (0, gain);
    }
    let loud = voice.loud_groups(s, spectra, state);
    let (groups, thinned) = match voice.features {
        Features::Plain(filter) => (voice.evaluate(s, filter, spectra, state, loud), 0),
        Features::Rich => voice.evaluate_rich(s, turn, spectra, state),
    };
    state.touched = state.touched.max(groups);
    state.stored = MAX_GROUPS;
    if spectra.loud < groups {
        (state.stored, state.quiet) = (spectra.loud, spectra.quiet);
        (state.increment, state.description) = (cloud.increment, *voice.description);
    }
    let audible = Audible {
        groups: &spectra.groups[..spectra.audible],
        step: 1.0 / voice.frames as f32,
        in_halves: groups <= 2,
    };
    let sounded = (spectra.audible * LANES).min(cloud.partials as usize);
    (audible, PartialCount { sounded, thinned })
}
