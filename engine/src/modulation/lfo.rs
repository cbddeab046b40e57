//! LFOs: free-running for all voices, or retriggered by each note; in Hertz or synced to the tempo.

use super::{CHUNK, Drawing, Lane};
use crate::controls::Controls;
use crate::dsp::hash;
use crate::params::Param;
use std::f32::consts::TAU;

/// Settings of an LFO, for all voices of a part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LfoSettings {
    shape: Shape,
    /// Cycles per second.
    rate: f32,
    /// Cycles per beat, when synced.
    cycles_per_beat: Option<f64>,
    per_note: bool,
    phase: f32,
    /// How different the start phases of notes are.
    spread: f32,
    fade: f32,
}

/// Beats of a cycle, by the value of a `sync` parameter; `None` when it is off.
pub(crate) fn beats_of_sync(sync: f32) -> Option<f64> {
    /// In the order of the names after "off".
    #[rustfmt::skip] // As the names are.
    const BEATS: [f64; 18] = [
        16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 2.0 / 3.0, 1.0 / 3.0,
        1.5, 0.75,
        0.125, 4.0 / 3.0, 1.0 / 6.0, 1.0 / 12.0, 3.0, 0.375, 0.1875,
    ];
    (sync as usize).checked_sub(1).map(|sync| BEATS[sync])
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Shape {
    #[default]
    Sine,
    Triangle,
    SawUp,
    SawDown,
    Square,
    SampleAndHold,
    SmoothRandom,
    Pulse,
    HalfSine,
    Drawn,
    DrawnSteps,
}

impl LfoSettings {
    /// Whether it follows the beat.
    pub(crate) fn is_synced(&self) -> bool {
        self.cycles_per_beat.is_some()
    }

    /// Advances the cycles of notes by a tick. `rates` are theirs, where routes move them.
    pub(crate) fn advance_notes(
        &self,
        cycles: &mut [f64; CHUNK],
        seconds: f32,
        rates: Option<&Lane>,
    ) {
        match rates.filter(|_| !self.is_synced()) {
            Some(rates) => {
                for (cycles, rate) in cycles.iter_mut().zip(rates.iter()) {
                    *cycles += f64::from(seconds * rate);
                }
            }
            None if self.per_note => {
                let step = f64::from(seconds * self.rate);
                cycles.iter_mut().for_each(|cycles| *cycles += step);
            }
            None => {}
        }
    }

    /// The settings of LFO `index`, from the parameters.
    pub(crate) fn read(controls: &Controls, index: usize, bpm: f32) -> Self {
        const ROWS: usize = Param::Lfo2Shape as usize - Param::Lfo1Shape as usize;
        let get = |first: Param| controls[first.offset(index * ROWS)];
        let cycles_per_beat = beats_of_sync(get(Param::Lfo1Sync)).map(f64::recip);
        Self {
            shape: Shape::ALL[get(Param::Lfo1Shape) as usize],
            rate: match cycles_per_beat {
                Some(cycles) => bpm / 60.0 * cycles as f32,
                None => get(Param::Lfo1Rate),
            },
            cycles_per_beat,
            per_note: get(Param::Lfo1Mode) != 0.0,
            phase: get(Param::Lfo1Phase),
            spread: get(Param::Lfo1Spread),
            fade: get(Param::Lfo1Fade),
        }
    }
}

impl Shape {
    /// In the order of the `shape` parameter's names.
    pub(crate) const ALL: [Shape; 11] = [
        Shape::Sine,
        Shape::Triangle,
        Shape::SawUp,
        Shape::SawDown,
        Shape::Square,
        Shape::SampleAndHold,
        Shape::SmoothRandom,
        Shape::Pulse,
        Shape::HalfSine,
        Shape::Drawn,
        Shape::DrawnSteps,
    ];

    /// The height at `cycles`; the integer part selects the random numbers.
    #[inline(always)]
    pub(crate) fn at(self, cycles: f64, seed: u32, drawing: &Drawing) -> f32 {
        let number = cycles.floor();
        let x = (cycles - number) as f32;
        let cycle = number as i64 as u32;
        let random = |step: u32| {
            let hash = hash(seed ^ cycle.wrapping_add(step));
            hash as f32 / (1u64 << 31) as f32 - 1.0
        };
        match self {
            Shape::Sine => (TAU * x).sin(),
            Shape::Triangle => 1.0 - 4.0 * ((x + 0.25).fract() - 0.5).abs(),
            Shape::SawUp => 2.0 * x - 1.0,
            Shape::SawDown => 1.0 - 2.0 * x,
            Shape::Square if x < 0.5 => 1.0,
            Shape::Square => -1.0,
            Shape::SampleAndHold => random(0),
            Shape::SmoothRandom => {
                let smooth = x * x * (3.0 - 2.0 * x);
                random(0) + (random(1) - random(0)) * smooth
            }
            Shape::Pulse if x < 0.2 => 1.0,
            Shape::Pulse => -1.0,
            // Half a sine.
            Shape::HalfSine => 2.0 * (0.5 * TAU * x).sin() - 1.0,
            Shape::Drawn => drawing.at(x, false),
            Shape::DrawnSteps => drawing.at(x, true),
        }
    }
}

/// One LFO of a part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lfo {
    /// Cycles since the start of the stream.
    cycles: f64,
    /// The settings of this tick, and its value, where it is the same for all voices.
    settings: LfoSettings,
    shared: Option<f32>,
    /// The waveform that the patch has drawn for it.
    pub(crate) drawing: Drawing,
}

impl Lfo {
    pub(crate) fn reset(&mut self) {
        self.cycles = 0.0;
    }

    /// Advances by a tick; `beat` is the position of the song at its end, if it runs. `rate` is that of the newest voice,
    /// where routes move it.
    pub(crate) fn tick(
        &mut self,
        seconds: f32,
        beat: Option<f64>,
        settings: LfoSettings,
        rate: Option<f32>,
    ) {
        self.cycles = match (settings.cycles_per_beat, beat) {
            (Some(cycles), Some(beat)) => beat * cycles,
            _ => self.cycles + f64::from(seconds * rate.unwrap_or(settings.rate)),
        };
        let phase = f64::from(settings.phase);
        let alike = !settings.per_note && settings.fade == 0.0 && settings.spread == 0.0;
        self.shared = alike.then(|| settings.shape.at(self.cycles + phase, 0, &self.drawing));
        self.settings = settings;
    }

    /// The settings of this tick.
    pub(crate) fn settings(&self) -> &LfoSettings {
        &self.settings
    }

    /// The value, where it is the same for all voices.
    pub(crate) fn shared(&self) -> Option<f32> {
        self.shared
    }

    /// Fills a lane with the values for the first `count` notes of a chunk.
    #[inline(always)]
    pub(crate) fn fill(
        &self,
        lane: &mut [f32; CHUNK],
        count: usize,
        note_cycles: &[f64; CHUNK],
        ages: &Lane,
        seeds: &Lane<u32>,
    ) {
        let value = |shape, index: usize| {
            self.value_of(shape, note_cycles[index], ages[index], seeds[index])
        };
        // Loops, because closures of iterators may be compiled without the caller's instructions.
        match self.settings.shape {
            // The most common shape without a library call, in a loop of its own that is vectorised.
            Shape::SmoothRandom => {
                for (index, place) in lane.iter_mut().enumerate() {
                    *place = value(Shape::SmoothRandom, index);
                }
            }
            shape => {
                for (index, place) in lane.iter_mut().enumerate().take(count) {
                    *place = value(shape, index);
                }
            }
        }
    }

    /// The value of that shape for a note with that seed, `age` seconds and so many cycles after its start.
    #[inline(always)]
    fn value_of(&self, shape: Shape, note_cycles: f64, age: f32, seed: u32) -> f32 {
        let settings = &self.settings;
        let fade = match settings.fade > 0.0 {
            true => (age / settings.fade).min(1.0),
            false => 1.0,
        };
        let mut phase = settings.phase as f64;
        if settings.spread > 0.0 {
            let own = hash(seed ^ 0x5EED) as f32 / u32::MAX as f32;
            phase += f64::from(settings.spread * own);
        }
        fade * match settings.per_note {
            true => shape.at(note_cycles + phase, seed, &self.drawing),
            false => shape.at(self.cycles + phase, 0, &self.drawing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_stay_within_bounds_and_smooth_random_is_continuous() {
        use Shape::*;
        let drawing = Drawing::new(&[0.0, 1.0, 0.2, -3.0]);
        for shape in Shape::ALL {
            let mut last = shape.at(0.0, 7, &drawing);
            for i in 0..10_000 {
                let value = shape.at(i as f64 * 0.001, 7, &drawing);
                assert!(value.abs() <= 1.0, "{shape:?}");
                if matches!(shape, Sine | Triangle | SmoothRandom | HalfSine | Drawn) {
                    assert!((value - last).abs() < 0.02, "{shape:?} jumps");
                }
                last = value;
            }
        }
    }

    #[test]
    fn names_of_note_values_say_their_length() {
        let beats_of = |name: &str| {
            let (length, kind) = name.split_once(' ').unwrap_or((name, ""));
            let bars: f64 = match length.split_once('/') {
                Some((_, part)) => 1.0 / part.parse::<f64>().unwrap(),
                None => length.parse().unwrap(),
            };
            4.0 * bars
                * [("triplet", 2.0 / 3.0), ("dotted", 1.5)]
                    .iter()
                    .fold(1.0, |factor, (name, by)| if kind == *name { *by } else { factor })
        };
        let names = |param: Param| match param.info().kind {
            crate::params::Kind::Choice(names) => names,
            kind => panic!("{kind:?}"),
        };
        for (index, name) in names(Param::DelaySync).iter().enumerate().skip(1) {
            assert_eq!(beats_of_sync(index as f32), Some(beats_of(name)), "{name}");
        }
        for (name, beats) in names(Param::ArpRate).iter().zip(crate::part::ARP_STEP_BEATS) {
            assert!((beats_of(name) - beats).abs() < 1e-12, "{name}");
        }
    }

    #[test]
    fn follows_the_song_when_synced() {
        let mut values = crate::controls::Values::new();
        values.set(Param::Lfo1Sync, 5.0); // A quarter note.
        values.set(Param::Lfo1Shape, 2.0); // Saw up.
        let mut controls = Controls::new(0.001);
        controls.jump_to(&values);
        let settings = LfoSettings::read(&controls, 0, 90.0);
        let mut lfo = Lfo::default();
        lfo.tick(0.001, Some(17.25), settings, None);
        assert!((lfo.value_of(settings.shape, 0.0, 1.0, 0) + 0.5).abs() < 1e-6);
    }
}
