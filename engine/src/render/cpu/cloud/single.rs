//! A tick of a voice of one copy: groups are evaluated, seeded and played one after the other, without lists in memory. The sound
//! has the same bits as with lists, which pay where copies share spectra, or where most groups are quiet.

use super::VoiceTick;
use crate::render::TICK;
use crate::render::cpu::play::{AudibleGroup, Player};
use crate::render::cpu::state::CloudState;
use crate::simd::{F32x16, Simd};
use crate::spectrum::{self, FADE_END, MAX_GROUPS, Partials, Poles};

impl VoiceTick<'_> {
    /// Replaces `sum` by the sound of the voice, if there is any. Returns how many partials sounded.
    #[inline(always)]
    pub(crate) fn play_single<S: Simd>(
        &self,
        s: S,
        filter: Option<(Poles, f32)>,
        player: &mut Player<S>,
        state: &mut CloudState,
        sum: &mut [F32x16; TICK],
    ) -> usize {
        self.start_tick(state);
        if state.stored < state.touched {
            self.restore(s, state, state.touched);
        }
        let groups = self.groups_of_single(s, state);
        let plain = self.plain_groups_of_single(s, groups.min(state.touched));
        player.begin(groups);
        match filter {
            None => self.play_plain(s, None, plain, player, state, sum),
            filter => self.play_plain(s, filter, plain, player, state, sum),
        }
        let threshold = s.splat(self.threshold());
        for group in plain..groups {
            let frequency = self.frequency(s, group);
            let level = spectrum::voice_level(s, &self.cloud, &self.rows, group);
            let Partials { increment, level, .. } =
                spectrum::evaluate_plain_copy(s, filter, frequency, level);
            let mut audible = AudibleGroup::SILENCE;
            if self.advance(s, group, increment, level, threshold, state, &mut audible) {
                let (phase, from) = (s.load_u(&audible.phase), s.load(&audible.from));
                player.add(s, (phase, increment), (from, level), self.step(), sum);
            }
        }
        let audible = player.end(s, self.step(), sum);
        (state.live, state.stored) = (super::last_sounding(s, groups, state), MAX_GROUPS);
        self.end_tick((groups, audible), state)
    }

    #[inline(always)]
    fn frequency<S: Simd>(&self, s: S, group: usize) -> S::F {
        let Self { cloud, rows, .. } = self;
        s.mul(spectrum::voice_ratio(s, cloud, rows, group), s.splat(cloud.increment))
    }

    /// See [`VoiceTick::groups`].
    #[inline(always)]
    fn groups_of_single<S: Simd>(&self, s: S, state: &CloudState) -> usize {
        // Mostly all are below Nyquist.
        if self.wanted <= state.live || self.is_below_nyquist(s, self.wanted - 1) {
            return self.wanted.max(state.live);
        }
        let mut groups = state.live;
        while self.is_below_nyquist(s, groups) {
            groups += 1;
        }
        groups
    }

    #[inline(always)]
    fn is_below_nyquist<S: Simd>(&self, s: S, group: usize) -> bool {
        s.first(self.frequency(s, group)) < FADE_END
    }

    /// How many of the first groups go on from the last tick and do not fade towards Nyquist: most clouds have no others.
    #[inline(always)]
    fn plain_groups_of_single<S: Simd>(&self, s: S, mut groups: usize) -> usize {
        if self.starts || !self.is_whole() {
            return 0;
        }
        while groups > 0 && !spectrum::is_below_fade(s, self.frequency(s, groups - 1)) {
            groups -= 1;
        }
        groups
    }

    /// Plays these groups; see [`super::advance_plain`].
    #[inline(always)]
    fn play_plain<S: Simd>(
        &self,
        s: S,
        filter: Option<(Poles, f32)>,
        groups: usize,
        player: &mut Player<S>,
        state: &mut CloudState,
        sum: &mut [F32x16; TICK],
    ) {
        let Self { cloud, rows, .. } = self;
        let threshold = s.splat(self.threshold());
        for (group, memory) in state.groups[..groups].iter_mut().enumerate() {
            let level = spectrum::voice_level(s, cloud, rows, group);
            let ([phase, increment], [from, to]) =
                super::advance_group(s, (self.frequency(s, group), level), filter, memory);
            if s.any_greater(s.max(from, to), threshold) {
                player.add(s, (phase, increment), (from, to), self.step(), sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use crate::render::{Buses, Capacity, CpuRenderer, MAX_TICKS, Renderer, TICK, VoiceBlock};
    use crate::simd::{LANES, Level};
    use crate::spectrum::unison::{Mix, Unison};
    use crate::spectrum::{
        Cloud, Description, Filter, FilterKind, STARTS, TURN, Table, UnisonVoice,
    };

    const TICKS: usize = 2_000;
    const GROUPS: usize = 40;

    /// Between 0 and 1.
    fn random(seed: usize) -> f32 {
        let mixed = (seed as u32).wrapping_mul(0x9e37_79b9);
        let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b);
        (mixed >> 16) as f32 / 65_536.0
    }

    /// A voice that starts late in a tick. Its pitch, above Nyquist at times, its filter and its gain, often 0, jump.
    fn voice(tick: usize, filter: FilterKind) -> UnisonVoice {
        let starts = tick.is_multiple_of(50);
        let raised = random(tick / 2 + TICKS);
        let gain = |tick| 2.0 * (random(tick / 3) - 0.5).max(0.0);
        let cutoff = 30.0 * (10.0 * random(tick)).exp2();
        let cloud = Cloud {
            flags: if starts { STARTS } else { 0 },
            first_frame: if starts { 5 } else { 0 },
            table: Table::Saw.first_row(),
            frame: Table::Saw.frame_at(1.0).0,
            partials: (GROUPS * LANES) as f32 - 200.0 * raised,
            scatter: 40_000,
            formant: 1.0,
            inharmonicity: if tick < 20 { 0.0 } else { 1e-7 },
            filters: [Filter::poles(filter, 48_000.0 / TURN / cutoff, 0.7), Filter::default()],
            ..Cloud::default()
        };
        let mix = |gain| Mix { gain, pan: 0.3, spread: 1.0, entry: Mix::ALL_IN };
        let unison = Unison {
            shape: 1,
            increment: (25.0 + 60.0 * raised) / 48_000.0 * TURN,
            from: mix(gain(tick.saturating_sub(1))),
            to: mix(gain(tick)),
            ..Unison::default()
        };
        UnisonVoice::new(Description::of(&cloud), unison)
    }

    /// The samples, the partials that sounded and the phases at the end, in blocks of so many ticks. Before every block it is said
    /// whether the voice is to be played with lists.
    fn play(
        level: Level,
        filter: FilterKind,
        ticks: usize,
        with_lists: impl Fn(usize) -> Option<bool>,
    ) -> ([Vec<f32>; 2], Vec<usize>, Vec<[u32; LANES]>) {
        let mut cpu = CpuRenderer::with_level(1, level);
        cpu.prepare(Capacity { slots: 1, buses: 1 }).unwrap();
        let buses = &mut Buses::new(1);
        let (mut samples, mut partials) = ([Vec::new(), Vec::new()], Vec::new());
        for first in (0..TICKS).step_by(ticks) {
            let voices = (first..first + ticks).map(|tick| voice(tick, filter));
            let block = VoiceBlock::of_voice(1, voices);
            if let Some(with_lists) = with_lists(first) {
                cpu.states[0].is_mostly_quiet = with_lists;
            }
            partials.push(cpu.render(&block, buses).unwrap());
            for (samples, side) in samples.iter_mut().zip(buses.bus(0)) {
                samples.extend(&side[..TICK * ticks]);
            }
        }
        let phases = cpu.states[0].groups[..GROUPS].iter().map(|group| group.phase.0);
        (samples, partials, phases.collect())
    }

    #[test]
    fn a_voice_has_the_same_bits_with_lists_and_without() {
        for level in Level::available() {
            for filter in [FilterKind::Open, FilterKind::Low24, FilterKind::High12] {
                let with_lists = play(level, filter, 1, |_| Some(true));
                let loud = with_lists.0[0].iter().filter(|sample| sample.abs() > 1e-3).count();
                assert!(loud > TICKS * TICK / 8, "{filter:?}: {loud}");
                let case = format!("{filter:?}, {}", level.name());
                assert!(play(level, filter, 1, |_| Some(false)) == with_lists, "{case}");
                let now_and_then = |tick| Some(tick / 3 % 2 == 0);
                assert!(play(level, filter, 1, now_and_then) == with_lists, "{case}");
                // As it is decided by itself, which depends on the loudness.
                assert!(play(level, filter, 1, |_| None) == with_lists, "{case}");
                let (samples, _, phases) = play(level, filter, MAX_TICKS, |_| None);
                assert!((samples, phases) == (with_lists.0, with_lists.2), "{case}");
            }
        }
    }
}
