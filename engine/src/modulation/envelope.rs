//! Envelopes in seven stages with curves and loops, one lane for every voice.

use super::DrawnEnvelope;
use super::lanes::{CHUNK, Lane};
use crate::controls::Controls;
use crate::dsp::fast::exp2_less_one;
use crate::params::Param;
use std::f32::consts::LOG2_E;

/// The shortest attack: a jump within a sample would be a click.
pub(super) const SHORTEST_ATTACK: f32 = 0.001;

/// The shortest release, which is that of the parameter.
const SHORTEST_RELEASE: f32 = 0.002;

/// Strength of a curve of 1, as a power of two.
const BEND: f32 = 6.0 * LOG2_E;

/// Settings of an envelope, for all voices of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnvelopeSettings {
    delay: f32,
    attack: f32,
    hold: f32,
    decay: f32,
    sustain: f32,
    release: f32,
    attack_curve: Bend,
    decay_curve: Bend,
    release_curve: Bend,
    /// Time of the second decay, from the break to the sustain level; zero is off.
    slope: f32,
    turn: f32,
    pub(crate) loops: bool,
}

impl EnvelopeSettings {
    /// The settings of envelope `index`, from the parameters.
    pub(crate) fn read(controls: &Controls, index: usize) -> Self {
        const ROWS: usize = Param::Env2Delay as usize - Param::Env1Delay as usize;
        let get = |first: Param| controls[first.offset(index * ROWS)];
        Self {
            delay: get(Param::Env1Delay),
            attack: get(Param::Env1Attack).max(SHORTEST_ATTACK),
            hold: get(Param::Env1Hold),
            decay: get(Param::Env1Decay),
            sustain: get(Param::Env1Sustain),
            release: get(Param::Env1Release),
            attack_curve: Bend::new(get(Param::Env1AttackCurve)),
            decay_curve: Bend::new(get(Param::Env1DecayCurve)),
            release_curve: Bend::new(get(Param::Env1ReleaseCurve)),
            slope: get(Param::Env1Slope),
            turn: get(Param::Env1Break),
            loops: get(Param::Env1Loop) != 0.0,
        }
    }

    /// Level at the end of the first decay.
    fn decayed(&self) -> f32 {
        match self.slope > 0.0 {
            true => self.turn,
            false => self.sustain,
        }
    }

    /// Release time at `speed`.
    pub(crate) fn release_seconds(&self, speed: f32) -> f32 {
        self.seconds(Stage::Release, speed)
    }

    /// Time of a stage at `speed`.
    fn seconds(&self, stage: Stage, speed: f32) -> f32 {
        match stage {
            Stage::Delay => self.delay / speed,
            Stage::Attack => (self.attack / speed).max(SHORTEST_ATTACK),
            Stage::Hold => self.hold / speed,
            Stage::Decay => self.decay / speed,
            Stage::Slope => self.slope / speed,
            Stage::Release => (self.release / speed).max(SHORTEST_RELEASE),
            Stage::Sustain if self.loops => 0.0,
            Stage::Sustain | Stage::Done => f32::INFINITY,
        }
    }
}

/// The curve of a stage: exponential, fast first above zero, slow first below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bend {
    rate: f32,
    scale: f32,
}

impl Bend {
    pub(crate) fn new(curve: f32) -> Self {
        let rate = -BEND * curve;
        // Nearly straight is computed as straight.
        match rate.abs() < 0.01 {
            true => Self { rate: 0.0, scale: 0.0 },
            false => Self { rate, scale: 1.0 / exp2_less_one(rate) },
        }
    }

    pub(crate) fn at(self, x: f32) -> f32 {
        match self.rate == 0.0 {
            true => x,
            false => exp2_less_one(self.rate * x) * self.scale,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Delay,
    Attack,
    Hold,
    Decay,
    Slope,
    Sustain,
    Release,
    Done,
}

impl Stage {
    fn next(self) -> Stage {
        match self {
            Stage::Delay => Stage::Attack,
            Stage::Attack => Stage::Hold,
            Stage::Hold => Stage::Decay,
            Stage::Decay => Stage::Slope,
            Stage::Slope => Stage::Sustain,
            // The sustain stage ends only where the envelope loops.
            Stage::Sustain => Stage::Attack,
            Stage::Release | Stage::Done => Stage::Done,
        }
    }
}

/// One envelope of every voice of a chunk, in lanes.
#[derive(Debug)]
pub(crate) struct EnvelopeBank {
    stage: [Stage; CHUNK],
    /// Seconds since the stage began.
    elapsed: Lane,
    /// The value when the stage began.
    began: Lane,
    value: Lane,
    // What the settings make of the stage.
    /// Its time in seconds; zero while the other lanes do not hold it yet.
    length: Lane,
    /// From which value it goes to which, and its curve.
    from: Lane,
    to: Lane,
    rate: Lane,
    scale: Lane,
    /// The segment of a drawn envelope, which uses none of these.
    segment: [u8; CHUNK],
}

impl EnvelopeBank {
    pub(crate) const fn new() -> Self {
        Self {
            stage: [Stage::Done; CHUNK],
            elapsed: Lane::ZERO,
            began: Lane::ZERO,
            value: Lane::ZERO,
            length: Lane::ZERO,
            from: Lane::ZERO,
            to: Lane::ZERO,
            rate: Lane::ZERO,
            scale: Lane::ZERO,
            segment: [0; CHUNK],
        }
    }

    /// Starts at zero.
    pub(crate) fn start(&mut self, voice: usize) {
        self.value[voice] = 0.0;
        self.restart(voice);
    }

    /// Starts at the current level.
    pub(crate) fn restart(&mut self, voice: usize) {
        self.segment[voice] = 0;
        self.enter(voice, Stage::Delay);
    }

    /// Starts the release.
    pub(crate) fn release(&mut self, voice: usize) {
        if self.stage[voice] != Stage::Done {
            self.enter(voice, Stage::Release);
        }
    }

    pub(crate) fn is_done(&self, voice: usize) -> bool {
        self.stage[voice] == Stage::Done
    }

    pub(crate) fn values(&self) -> &[f32; CHUNK] {
        &self.value
    }

    fn enter(&mut self, voice: usize, stage: Stage) {
        self.stage[voice] = stage;
        self.elapsed[voice] = 0.0;
        self.began[voice] = self.value[voice];
        self.length[voice] = 0.0;
    }

    /// The settings have changed: the stages of all voices are read again.
    pub(crate) fn read_again(&mut self) {
        self.length.fill(0.0);
    }

    /// The next advance of `voice` is shorter by `seconds`, since it has begun already.
    pub(crate) fn shorten(&mut self, voice: usize, seconds: f32) {
        self.elapsed[voice] -= seconds;
    }

    /// Advances one voice by `seconds`, at `speed` times the usual speed.
    pub(crate) fn advance(
        &mut self,
        voice: usize,
        seconds: f32,
        settings: &EnvelopeSettings,
        speed: f32,
    ) {
        self.elapsed[voice] += seconds;
        self.pass_stages(voice, settings, speed);
        let bend = Bend { rate: self.rate[voice], scale: self.scale[voice] };
        let along = bend.at(self.elapsed[voice] / self.length[voice]);
        self.value[voice] = self.from[voice] + (self.to[voice] - self.from[voice]) * along;
    }

    /// Advances the first `voices` voices: bit for bit as one after the other.
    #[inline(always)]
    pub(crate) fn advance_all(
        &mut self,
        voices: usize,
        seconds: f32,
        settings: &EnvelopeSettings,
        speed: f32,
    ) {
        let mut any_ends = false;
        for (elapsed, length) in self.elapsed[..voices].iter_mut().zip(&self.length.0) {
            *elapsed += seconds;
            any_ends |= *elapsed >= *length;
        }
        if any_ends {
            for voice in 0..voices {
                if self.elapsed[voice] >= self.length[voice] {
                    self.pass_stages(voice, settings, speed);
                }
            }
        }
        // A loop without branches over lanes of a constant length, which is vectorised.
        let values = self.value.iter_mut();
        let times = self.elapsed.iter().zip(&self.length.0);
        let ends = self.from.iter().zip(&self.to.0);
        let curves = self.rate.iter().zip(&self.scale.0);
        for (((value, (elapsed, length)), (from, to)), (&rate, &scale)) in
            values.zip(times).zip(ends).zip(curves)
        {
            let x = elapsed / length;
            let bent = exp2_less_one(rate * x) * scale;
            *value = from + (to - from) * if rate == 0.0 { x } else { bent };
        }
    }

    /// Reads the stage of a voice from the settings, and goes on to the stage that it is in by now.
    fn pass_stages(&mut self, voice: usize, settings: &EnvelopeSettings, speed: f32) {
        self.read_stage(voice, settings, speed);
        while self.elapsed[voice] >= self.length[voice] {
            let elapsed = self.elapsed[voice] - self.length[voice];
            let stage = self.stage[voice];
            self.value[voice] = match stage {
                Stage::Delay => self.began[voice],
                Stage::Attack | Stage::Hold => 1.0,
                Stage::Decay => settings.decayed(),
                Stage::Slope if settings.slope == 0.0 => self.began[voice],
                Stage::Slope | Stage::Sustain => settings.sustain,
                Stage::Release | Stage::Done => 0.0,
            };
            self.enter(voice, stage.next());
            self.elapsed[voice] = elapsed;
            self.read_stage(voice, settings, speed);
        }
    }

    fn read_stage(&mut self, voice: usize, settings: &EnvelopeSettings, speed: f32) {
        const STRAIGHT: Bend = Bend { rate: 0.0, scale: 0.0 };
        let (stage, began) = (self.stage[voice], self.began[voice]);
        let (from, to, bend) = match stage {
            Stage::Delay => (began, began, STRAIGHT),
            Stage::Attack => (began, 1.0, settings.attack_curve),
            Stage::Hold => (1.0, 1.0, STRAIGHT),
            Stage::Decay => (began, settings.decayed(), settings.decay_curve),
            Stage::Slope => (began, settings.sustain, settings.decay_curve),
            Stage::Sustain => (settings.sustain, settings.sustain, STRAIGHT),
            Stage::Release => (began, 0.0, settings.release_curve),
            Stage::Done => (0.0, 0.0, STRAIGHT),
        };
        self.length[voice] = settings.seconds(stage, speed);
        (self.from[voice], self.to[voice]) = (from, to);
        (self.rate[voice], self.scale[voice]) = (bend.rate, bend.scale);
    }

    /// Advances one voice of an envelope that is drawn.
    pub(crate) fn advance_drawn(
        &mut self,
        voice: usize,
        seconds: f32,
        drawn: &DrawnEnvelope,
        loops: bool,
        speed: f32,
    ) {
        let (held, last) = (drawn.held(), drawn.points().len() - 1);
        let mut stage = self.stage[voice];
        let mut segment = match stage {
            // The first tick of the note, and of its release.
            Stage::Delay => 0,
            Stage::Release => usize::from(self.segment[voice]).clamp(held + 1, last),
            _ => usize::from(self.segment[voice]).min(held),
        };
        let mut elapsed = self.elapsed[voice] + seconds;
        let mut from = self.began[voice];
        self.value[voice] = loop {
            match stage {
                Stage::Done => break 0.0,
                Stage::Sustain if loops => (stage, segment) = (Stage::Attack, 0),
                Stage::Sustain => {
                    from = drawn.points()[held].level;
                    break from;
                }
                Stage::Release => {}
                _ => stage = Stage::Attack,
            }
            let length = drawn.seconds(segment, speed);
            if elapsed < length {
                break drawn.along(segment, from, elapsed / length);
            }
            elapsed -= length;
            from = drawn.points()[segment].level;
            if stage == Stage::Attack && segment == held {
                stage = Stage::Sustain;
            } else if segment == last {
                stage = Stage::Done;
            } else {
                segment += 1;
            }
        };
        self.stage[voice] = stage;
        self.elapsed[voice] = elapsed;
        self.began[voice] = from;
        self.segment[voice] = segment as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modulation::EnvelopePoint;

    #[test]
    fn a_drawn_envelope_goes_through_its_points() {
        let point = |seconds: f32, level: f32| EnvelopePoint { seconds, level, curve: 0.0 };
        let points =
            [point(0.1, 1.0), point(0.1, 0.2), point(0.1, 0.6), point(0.2, 0.8), point(0.2, 0.0)];
        let drawn = DrawnEnvelope::new(&points, 2);
        let mut bank = EnvelopeBank::new();
        bank.start(0);
        let mut at = |ticks: usize, loops: bool| {
            (0..ticks).for_each(|_| bank.advance_drawn(0, 0.001, &drawn, loops, 1.0));
            bank.value[0]
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 0.02, "{a} for {b}");
        near(at(50, false), 0.5);
        near(at(50, false), 1.0);
        near(at(50, false), 0.6);
        near(at(100, false), 0.4);
        near(at(500, false), 0.6);
        assert_eq!(drawn.release_seconds(2.0), 0.2);
        bank.release(0);
        let mut at = |ticks: usize| {
            (0..ticks).for_each(|_| bank.advance_drawn(0, 0.001, &drawn, false, 1.0));
            (bank.value[0], bank.is_done(0))
        };
        near(at(100).0, 0.7);
        near(at(100).0, 0.8);
        near(at(100).0, 0.4);
        assert_eq!(at(101), (0.0, true));
        assert_eq!(at(10), (0.0, true));
    }

    /// Released while it rises, it goes on from where it is; with a loop it starts again; and no numbers hang it.
    #[test]
    fn drawn_envelopes_release_early_loop_and_never_hang() {
        let point = |seconds: f32, level: f32| EnvelopePoint { seconds, level, curve: 0.3 };
        let drawn = DrawnEnvelope::new(&[point(0.1, 1.0), point(0.1, 0.0)], 0);
        let mut bank = EnvelopeBank::new();
        bank.start(0);
        let step = |bank: &mut EnvelopeBank, ticks: usize, loops: bool| {
            (0..ticks).for_each(|_| bank.advance_drawn(0, 0.001, &drawn, loops, 1.0));
        };
        step(&mut bank, 20, false);
        let there = bank.value[0];
        bank.release(0);
        step(&mut bank, 1, false);
        assert!((bank.value[0] - there).abs() < 0.05);
        step(&mut bank, 200, false);
        assert!(bank.is_done(0));
        bank.start(0);
        step(&mut bank, 5_000, true);
        assert!(!bank.is_done(0));
        let instant = DrawnEnvelope::new(&[point(0.0, f32::NAN)], 9);
        bank.advance_drawn(0, 100.0, &instant, true, 1_000.0);
        bank.release(0);
        bank.advance_drawn(0, 100.0, &instant, true, 1_000.0);
        assert!(bank.is_done(0));
    }

    fn settings(pairs: &[(Param, f32)]) -> EnvelopeSettings {
        let mut values = crate::controls::Values::new();
        pairs.iter().for_each(|&(param, value)| values.set(param, value));
        let mut controls = Controls::new(0.001);
        controls.jump_to(&values);
        EnvelopeSettings::read(&controls, 0)
    }

    #[test]
    fn passes_through_every_stage() {
        let settings = settings(&[
            (Param::Env1Delay, 0.1),
            (Param::Env1Attack, 0.1),
            (Param::Env1Hold, 0.1),
            (Param::Env1Decay, 0.1),
            (Param::Env1Sustain, 0.25),
            (Param::Env1Release, 0.1),
        ]);
        let mut bank = EnvelopeBank::new();
        bank.start(0);
        let mut after = |seconds: f32, release: bool| {
            if release {
                bank.release(0);
            }
            (0..(seconds * 1000.0) as usize).for_each(|_| bank.advance(0, 0.001, &settings, 1.0));
            (bank.value[0], bank.is_done(0))
        };
        assert_eq!(after(0.09, false), (0.0, false));
        assert!(after(0.05, false).0 > 0.4);
        assert_eq!(after(0.1, false), (1.0, false));
        assert!((after(0.2, false).0 - 0.25).abs() < 1e-6);
        assert!(after(0.05, true).0 < 0.1);
        assert_eq!(after(0.1, false), (0.0, true));
    }

    #[test]
    fn slope_loop_and_speed() {
        let base = [
            (Param::Env1Attack, 0.01),
            (Param::Env1Decay, 0.1),
            (Param::Env1Slope, 0.4),
            (Param::Env1Break, 0.6),
            (Param::Env1Sustain, 0.2),
        ];
        let after = |ms: usize, settings: &EnvelopeSettings, speed: f32| {
            let mut bank = EnvelopeBank::new();
            bank.start(0);
            (0..ms).for_each(|_| bank.advance(0, 0.001, settings, speed));
            bank.value[0]
        };
        let once = settings(&base);
        assert!((after(111, &once, 1.0) - 0.6).abs() < 0.03);
        assert!((after(600, &once, 1.0) - 0.2).abs() < 1e-6);
        assert!((after(56, &once, 2.0) - 0.6).abs() < 0.03);
        let round = settings(&[&base[..], &[(Param::Env1Loop, 1.0)]].concat());
        let tops = (0..2_000).filter(|&ms| after(ms, &round, 1.0) > 0.97).count();
        assert!(tops > 4, "it comes back to the top: {tops}");
        assert!(after(4_000, &round, 10.0) <= 1.0);
    }

    #[test]
    fn all_voices_together_are_as_each_by_itself() {
        let settings = settings(&[
            (Param::Env1Delay, 0.003),
            (Param::Env1Attack, 0.02),
            (Param::Env1AttackCurve, 0.0),
            (Param::Env1Decay, 0.05),
            (Param::Env1Sustain, 0.4),
            (Param::Env1Release, 0.03),
        ]);
        const VOICES: usize = 21;
        let (mut together, mut each) = (EnvelopeBank::new(), EnvelopeBank::new());
        for tick in 0..400 {
            for bank in [&mut together, &mut each] {
                for voice in 0..VOICES {
                    match tick % 97 - voice as i32 {
                        0 => bank.start(voice),
                        60 => bank.release(voice),
                        _ => {}
                    }
                }
            }
            together.advance_all(VOICES, 0.001, &settings, 0.9);
            (0..VOICES).for_each(|voice| each.advance(voice, 0.001, &settings, 0.9));
            assert_eq!(together.value[..VOICES], each.value[..VOICES], "tick {tick}");
        }
    }

    #[test]
    fn does_not_depend_on_step_size() {
        let settings = settings(&[(Param::Env1Attack, 0.013), (Param::Env1Decay, 0.04)]);
        let (mut fine, mut coarse) = (EnvelopeBank::new(), EnvelopeBank::new());
        fine.start(0);
        coarse.start(0);
        for _ in 0..50 {
            (0..4).for_each(|_| fine.advance(0, 0.0005, &settings, 1.0));
            coarse.advance(0, 0.002, &settings, 1.0);
            assert!((fine.value[0] - coarse.value[0]).abs() < 1e-4);
        }
    }
}
