//! One tick of a voice, cloud by cloud: evaluates spectra, and finds the groups of partials that are audible.

mod single;

use super::play::{Audible, AudibleGroup};
use super::quiet::QuietPhases;
use super::spectra::Spectra;
use super::state::{CloudState, GroupState};
use crate::render::TICK;
use crate::render::block::groups;
use crate::simd::{LANES, Simd};
use crate::spectrum::{
    self, Cloud, CloudRows, Description, FADE_END, MAX_GROUPS, Partials, Poles, Response, STARTS,
    Tables, dynamics,
};

/// Partials quieter than this at both ends of a tick are not rendered: -144 dB, so that even a
/// thousand of them stay below -110 dB.
pub(super) const INAUDIBLE: f32 = 6e-8;

/// Groups are not evaluated below this part of what is inaudible, so that they stay inaudible when the gain rises.
pub(super) const QUIET: f32 = 0.5;

/// The level below which partials are left out when the CPU is overloaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    /// Level × gain at the end of the tick; zero for none.
    pub(crate) level: f32,
    /// Counts ticks: a group that is left out is evaluated again every [`REEVALUATION_TICKS`].
    pub(crate) tick: u32,
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
            && !self.tick.wrapping_add(group as u32).is_multiple_of(REEVALUATION_TICKS)
    }

    /// Levels: unchanged above twice the floor, zero below it, a ramp in between.
    #[inline(always)]
    fn thin<S: Simd>(self, s: S, level: S::F, gain: f32) -> S::F {
        let above = s.fma(level, s.splat(gain / self.level), s.splat(-1.0));
        s.mul(level, s.min(s.max(above, s.splat(0.0)), s.splat(1.0)))
    }
}

/// A tick of a voice.
pub(crate) struct VoiceTick<'a> {
    /// The copy that is being rendered: all of them but for a few values.
    pub(crate) cloud: Cloud,
    /// What the copies share.
    description: &'a Description,
    /// The same in the tick before, where that is not kept in the states of the copies.
    before: Option<&'a Description>,
    /// Whether it must be kept there.
    is_kept: bool,
    tables: &'a Tables,
    pub(super) rows: CloudRows<'a>,
    floor: f32,
    pub(super) features: Features,
    pub(super) starts: bool,
    /// Groups within the count.
    pub(super) wanted: usize,
    /// Frames that it sounds.
    frames: u32,
}

/// What the spectra of a voice need.
pub(super) enum Features {
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
    pub(crate) fn new(
        description: &'a Description,
        before: Option<&'a Description>,
        is_kept: bool,
        tables: &'a Tables,
        floor: f32,
    ) -> Self {
        let cloud = description.cloud();
        let rows = tables.rows_of(&cloud);
        Self {
            features: Features::of(&cloud, &rows, floor),
            starts: cloud.flags & STARTS != 0,
            wanted: groups(cloud.partials),
            frames: TICK as u32 - u32::from(cloud.first_frame),
            floor,
            description,
            before,
            is_kept,
            tables,
            rows,
            cloud,
        }
    }

    /// Whether it sounds in all frames of the tick.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.frames == TICK as u32
    }

    /// One over the frames that it sounds.
    #[inline(always)]
    fn step(&self) -> f32 {
        1.0 / self.frames as f32
    }

    /// Starts a tick of the present copy.
    #[inline(always)]
    fn start_tick(&self, state: &mut CloudState) {
        if self.starts {
            state.reset();
        }
        // A cloud that gets louder is evaluated at once.
        let gain = self.cloud.gain_to[0].max(self.cloud.gain_to[1]);
        if self.floor == 0.0 || gain > 1.5 * state.left_out_at {
            (state.left_out, state.left_out_at) = (0, gain);
        }
    }

    /// Ends it, of so many groups and audible ones. Returns how many partials sounded.
    #[inline(always)]
    fn end_tick(&self, (groups, audible): (usize, usize), state: &mut CloudState) -> usize {
        state.touched = state.touched.max(groups);
        state.is_mostly_quiet = 2 * audible < groups;
        (audible * LANES).min(self.cloud.partials as usize)
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
        if let Some(last) = groups.checked_sub(1) {
            spectra.shared(s, self, last);
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
        let last = self.before.unwrap_or(&state.description).cloud();
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
        (copy, loud): (usize, usize),
        spectra: &mut Spectra,
        quiet: &mut QuietPhases,
        state: &mut CloudState,
    ) -> usize {
        let groups = self.groups(s, spectra, state);
        let turning = (self.cloud.increment, groups, loud);
        let waiting = quiet.record(s, copy, spectra, state, turning);
        for group in waiting.max(state.touched)..groups {
            let phase = spectrum::first_phase(s, &self.cloud, &self.rows, group);
            s.store_u(phase, &mut state.groups[group].phase);
        }
        let loud = loud.min(groups);
        let increment = s.splat(self.cloud.increment);
        let threshold = s.splat(self.threshold());
        // The first groups of most clouds go on, and do not fade towards Nyquist: pitches rise with the number.
        let mut plain = match self.starts || !self.is_whole() {
            true => 0,
            false => loud.min(state.touched),
        };
        while plain > 0
            && !spectrum::is_below_fade(s, s.mul(s.load(&spectra.ratios[plain - 1]), increment))
        {
            plain -= 1;
        }
        spectra.audible = 0;
        // Each is a loop of its own.
        match filter {
            None => advance_plain(s, (increment, threshold), plain, None, spectra, state),
            filter => advance_plain(s, (increment, threshold), plain, filter, spectra, state),
        }
        for group in plain..loud {
            let frequency = s.mul(s.load(&spectra.ratios[group]), increment);
            let level = s.load(&spectra.levels[group]);
            let Partials { increment, level, .. } =
                spectrum::evaluate_plain_copy(s, filter, frequency, level);
            let into = &mut spectra.groups[spectra.audible];
            let is_audible = self.advance(s, group, increment, level, threshold, state, into);
            spectra.audible += usize::from(is_audible);
        }
        // Of the others only the phases advance, and of those that wait not even these.
        for group in loud..waiting {
            let frequency = s.mul(s.load(&spectra.ratios[group]), increment);
            let Partials { increment, .. } =
                spectrum::evaluate_plain_copy(s, None, frequency, s.splat(0.0));
            self.advance_phase(s, group, increment, state);
        }
        state.live = self.live_groups(s, (loud, groups), spectra, state);
        groups
    }

    /// The groups up to the last with a partial that is not silent, of `groups`, of which `loud` have been evaluated. From
    /// the end: mostly it is the last one.
    #[inline(always)]
    fn live_groups<S: Simd>(
        &self,
        s: S,
        (loud, groups): (usize, usize),
        spectra: &Spectra,
        state: &CloudState,
    ) -> usize {
        let increment = s.splat(self.cloud.increment);
        let end = if loud < groups { groups.min(spectra.sounding) } else { 0 };
        for group in (loud..end).rev() {
            let frequency = s.mul(s.load(&spectra.ratios[group]), increment);
            let level = s.load(&spectra.levels[group]);
            let Partials { level, .. } = spectrum::evaluate_plain_copy(s, None, frequency, level);
            if s.any_greater(level, s.splat(0.0)) {
                return group + 1;
            }
        }
        last_sounding(s, loud, state)
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
        let turn = match self.is_whole() {
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
        into.store(s, (phase, increment), (from, level));
        s.any_greater(s.max(from, level), threshold)
    }

    /// The same for a copy with any features. Also returns how many partials are left out.
    #[inline(always)]
    fn evaluate_rich<S: Simd>(
        &self,
        s: S,
        tick: u32,
        spectra: &mut Spectra,
        state: &mut CloudState,
    ) -> (usize, usize) {
        let Self { cloud, rows, .. } = self;
        let most = self.wanted.max(state.live);
        let threshold = s.splat(self.threshold());
        let floor = Floor { level: self.floor, tick };
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

/// Advances the first `groups` groups of a copy by a tick, which have gone on from the last one and do not fade, and lists
/// those that are audible. Without a branch that depends on levels: it would often be mispredicted.
#[inline(always)]
fn advance_plain<S: Simd>(
    s: S,
    (increment, threshold): (S::F, S::F),
    groups: usize,
    filter: Option<(Poles, f32)>,
    spectra: &mut Spectra,
    state: &mut CloudState,
) {
    let Spectra { ratios, levels, groups: into, audible, .. } = spectra;
    let shared = ratios[..groups].iter().zip(&levels[..groups]);
    for ((ratio, level), memory) in shared.zip(&mut state.groups[..groups]) {
        let (frequency, level) = (s.mul(s.load(ratio), increment), s.load(level));
        let ([phase, increment], [from, to]) = advance_group(s, (frequency, level), filter, memory);
        into[*audible].store(s, (phase, increment), (from, to));
        *audible += usize::from(s.any_greater(s.max(from, to), threshold));
    }
}

/// Advances a group by a tick that has gone on from the last one and does not fade: of these frequencies, and levels before
/// the filter. Returns its phases and increments, and its levels at both ends of the tick.
#[inline(always)]
fn advance_group<S: Simd>(
    s: S,
    (frequency, mut level): (S::F, S::F),
    filter: Option<(Poles, f32)>,
    memory: &mut GroupState,
) -> ([S::U; 2], [S::F; 2]) {
    let increment = s.f_to_u(frequency);
    if let Some((poles, inverse_cutoff)) = filter {
        level = s.mul(level, poles.gain(s, s.mul(frequency, s.splat(inverse_cutoff))));
    }
    let (phase, from) = (s.load_u(&memory.phase), s.load(&memory.level));
    let turn = s.shl_u::<{ TICK.ilog2() as i32 }>(increment);
    s.store_u(s.add_u(phase, turn), &mut memory.phase);
    s.store(level, &mut memory.level);
    ([phase, increment], [from, level])
}

/// The groups up to the last with a level that is not silent, of the first `groups`. From the end: mostly it is the last one.
#[inline(always)]
fn last_sounding<S: Simd>(s: S, groups: usize, state: &CloudState) -> usize {
    let mut live = groups;
    while live > 0 && !s.any_greater(s.load(&state.groups[live - 1].level), s.splat(0.0)) {
        live -= 1;
    }
    live
}

/// Advances the present copy of `voice` by a tick, and finds what is audible of it. `tick` counts them.
#[inline(always)]
pub(crate) fn advance<'a, S: Simd>(
    s: S,
    voice: &VoiceTick<'_>,
    (copy, tick): (usize, u32),
    spectra: &'a mut Spectra,
    quiet: &mut QuietPhases,
    state: &mut CloudState,
) -> (Audible<'a>, PartialCount) {
    voice.start_tick(state);
    let loud = voice.loud_groups(s, spectra, state);
    let (groups, thinned) = match voice.features {
        Features::Plain(filter) => {
            (voice.evaluate(s, filter, (copy, loud), spectra, quiet, state), 0)
        }
        Features::Rich => voice.evaluate_rich(s, tick, spectra, state),
    };
    let sounded = voice.end_tick((groups, spectra.audible), state);
    if spectra.loud >= groups {
        // All levels count as stored from here on, so none may be left of groups that are above Nyquist now.
        for group in groups.max(state.stored)..state.touched {
            s.store(s.splat(0.0), &mut state.groups[group].level);
        }
        state.stored = MAX_GROUPS;
    } else {
        (state.stored, state.quiet) = (spectra.loud, spectra.quiet);
        state.increment = voice.cloud.increment;
        if voice.is_kept {
            state.description = *voice.description;
        }
    }
    let audible =
        Audible { groups: &spectra.groups[..spectra.audible], step: voice.step(), of: groups };
    (audible, PartialCount { sounded, thinned })
}
