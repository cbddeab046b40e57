//! What the copies of a voice have in common of their spectra: ratios and levels, group by group, and the groups that no
//! copy can make audible.

use super::cloud::{Features, INAUDIBLE, QUIET, VoiceTick};
use super::play::AudibleGroup;
use crate::simd::{F32x16, LANES, Simd};
use crate::spectrum::{self, Cloud, FADE_END, MAX_GROUPS, Poles};

/// The spectra of a voice in a tick, group by group.
#[derive(Clone, Debug)]
pub(crate) struct Spectra {
    /// The voice in the tick before, if its ratios and levels may still be right: in most ticks neither change.
    before: Option<Cloud>,
    /// Groups whose ratios and levels are known, as far as all unison copies of the voice share them: each is
    /// evaluated for the first copy that needs it.
    ratios_known: usize,
    levels_known: usize,
    pub(super) ratios: [F32x16; MAX_GROUPS],
    pub(super) levels: [F32x16; MAX_GROUPS],
    /// The highest level in each lane of a group and all groups above, for the first groups.
    ceilings: [F32x16; MAX_GROUPS],
    ceilings_known: usize,
    /// Above these groups all levels are zero. Only known where there are quiet groups.
    pub(super) sounding: usize,
    /// From this group on, no copy of the voice is louder than `quiet`, which is inaudible.
    pub(super) loud: usize,
    pub(super) quiet: f32,
    /// The audible groups of a copy.
    pub(super) audible: usize,
    pub(super) groups: [AudibleGroup; MAX_GROUPS + 1],
}

impl Spectra {
    pub(crate) const SILENCE: Self = Self {
        before: None,
        ratios_known: 0,
        levels_known: 0,
        ratios: [F32x16([0.0; LANES]); MAX_GROUPS],
        levels: [F32x16([0.0; LANES]); MAX_GROUPS],
        ceilings: [F32x16([0.0; LANES]); MAX_GROUPS],
        ceilings_known: 0,
        sounding: 0,
        loud: MAX_GROUPS,
        quiet: 0.0,
        audible: 0,
        groups: [const { AudibleGroup::SILENCE }; MAX_GROUPS + 1],
    };

    /// Forgets the voice: another one follows, or other tables.
    pub(crate) fn forget(&mut self) {
        (self.before, self.loud) = (None, 0);
    }

    /// Whether the ratios of the tick before are those of `voice`.
    #[inline(always)]
    pub(crate) fn has_ratios_of(&self, voice: &VoiceTick<'_>) -> bool {
        self.before.as_ref().is_some_and(|before| spectrum::same_ratios(before, &voice.cloud))
    }

    /// Forgets of the last tick what has changed. Finds the groups that are too quiet in every copy: the copies' phases
    /// advance by `lowest` a sample or more, and their gains are at most `loudest`.
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
        if !self.has_ratios_of(voice) {
            self.ratios_known = 0;
        }
        if !self.before.as_ref().is_some_and(|before| spectrum::same_levels(before, &voice.cloud)) {
            (self.levels_known, self.ceilings_known) = (0, 0);
        }
        self.before = Some(voice.cloud);
        let loud_before = std::mem::replace(&mut self.loud, MAX_GROUPS);
        let Features::Plain(filter) = voice.features else {
            return;
        };
        // The pitches of tracks need not rise within a group, and their rows may be gone in the next tick.
        if voice.starts || !voice.is_whole() || voice.cloud.reads_tracks() {
            return;
        }
        let mut known = self.ratios_known.min(self.levels_known);
        while known < voice.wanted
            && !known
                .checked_sub(1)
                .is_some_and(|last| self.lowest_in(s, last) * lowest >= FADE_END)
        {
            self.shared(s, voice, known);
            known += 1;
        }
        if self.ceilings_known != known {
            self.find_ceilings(s, known);
        }
        self.quiet = QUIET * INAUDIBLE / loudest.max(1e-30);
        // The limit has moved by few groups, if at all.
        let mut loud = loud_before.min(known);
        while loud < known && !self.is_quiet(s, filter, lowest, loud) {
            loud += 1;
        }
        while loud > 0 && self.is_quiet(s, filter, lowest, loud - 1) {
            loud -= 1;
        }
        self.loud = loud;
    }

    /// The ratio of the lowest partial of a group.
    #[inline(always)]
    fn lowest_in<S: Simd>(&self, s: S, group: usize) -> f32 {
        s.first(s.load(&self.ratios[group]))
    }

    /// Whether `group` and all above it are too quiet in every copy: by their levels, and by what the filter lets pass at
    /// most from the group's lowest pitch on.
    #[inline(always)]
    fn is_quiet<S: Simd>(
        &self,
        s: S,
        filter: Option<(Poles, f32)>,
        lowest: f32,
        group: usize,
    ) -> bool {
        let frequency = self.lowest_in(s, group) * lowest;
        let most = match filter {
            Some((poles, inverse_cutoff)) => poles.most_above(frequency * inverse_cutoff),
            None => 1.0,
        };
        !s.any_greater(s.load(&self.ceilings[group]), s.splat(self.quiet / most))
    }

    #[inline(always)]
    fn find_ceilings<S: Simd>(&mut self, s: S, known: usize) {
        let mut ceiling = s.splat(0.0);
        self.sounding = 0;
        let groups = self.levels[..known].iter().zip(&mut self.ceilings[..known]).enumerate();
        for (group, (level, into)) in groups.rev() {
            ceiling = s.max(s.load(level), ceiling);
            s.store(ceiling, into);
            if self.sounding == 0 && s.any_greater(ceiling, s.splat(0.0)) {
                self.sounding = group + 1;
            }
        }
        self.ceilings_known = known;
    }

    /// Ratios and levels of `group` that the copies have in common. Copies visit groups in order.
    #[inline(always)]
    pub(super) fn shared<S: Simd>(
        &mut self,
        s: S,
        voice: &VoiceTick<'_>,
        group: usize,
    ) -> (S::F, S::F) {
        let VoiceTick { cloud, rows, .. } = voice;
        while self.ratios_known <= group {
            let group = self.ratios_known;
            s.store(spectrum::voice_ratio(s, cloud, rows, group), &mut self.ratios[group]);
            self.ratios_known += 1;
        }
        while self.levels_known <= group {
            let group = self.levels_known;
            s.store(spectrum::voice_level(s, cloud, rows, group), &mut self.levels[group]);
            self.levels_known += 1;
        }
        (s.load(&self.ratios[group]), s.load(&self.levels[group]))
    }
}
