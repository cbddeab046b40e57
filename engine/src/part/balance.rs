//! Keeps a voice as loud as it was before tilt, formant hold and contrast changed its spectrum.
//! The power of a spectrum is estimated from some of its partials: all of the lowest ones, and four
//! of each higher octave. The spectrum before and after the change is estimated in the same way,
//! since only the ratio matters. Where parameters move, the estimate is made every few ticks and
//! the gain is interpolated, because an estimate costs as much as all other work for a voice.

use crate::dsp::fast::exp2;
use crate::simd::{F32x16, Level, Simd, Work};
use crate::spectrum::dynamics::contrast_of;
use crate::spectrum::{Cloud, FADE_END, MAX_PARTIALS, Row, Second, UnisonVoice, tables};

/// Number of lowest partials that are all sampled.
const FIRST: usize = 8;
/// Partials sampled in each octave above.
const LOOKS: usize = 4;
const OCTAVES: usize = 7;
const POINTS: usize = FIRST + LOOKS * OCTAVES;

/// Indices of the sampled partials, and how many partials each one represents.
const LOOKED_AT: [(usize, f32); POINTS] = {
    let mut points = [(0, 1.0); POINTS];
    let mut point = 0;
    while point < POINTS {
        if point < FIRST {
            points[point] = (point, 1.0);
        } else {
            let octave = (point - FIRST) / LOOKS;
            let look = (point - FIRST) % LOOKS;
            let step = (FIRST << octave) / LOOKS;
            // Odd and even partials in turn, since some spectra have only one kind.
            points[point] = ((FIRST << octave) + look * step + look % 2, step as f32);
        }
        point += 1;
    }
    points
};
const _: () = assert!(LOOKED_AT[POINTS - 1].0 < MAX_PARTIALS);

/// The values that the gain depends on.
pub(crate) type Shape = [f32; 9];

/// Ticks from one estimate to the next.
const PAUSE: u8 = 32;

/// State of a voice, so that the gain is not computed again while nothing changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    of: Shape,
    gain: f32,
    /// Change of the gain in each tick until the next estimate.
    step: f32,
    left: u8,
}

impl Balance {
    /// The gain that compensates for the change of power by `cloud`'s tilt and formant scale.
    /// Voices that start together, as in a chord, make their estimates in different ticks.
    #[inline(always)]
    pub(super) fn gain(&mut self, simd_level: Level, voice: &UnisonVoice) -> f32 {
        if self.left > 0 {
            self.left -= 1;
            self.gain += self.step;
        } else {
            self.look(simd_level, voice);
        }
        self.gain
    }

    fn look(&mut self, simd_level: Level, voice: &UnisonVoice) {
        let (cloud, increment) = (&voice.description.cloud(), voice.unison.increment);
        let of = [
            cloud.tilt,
            cloud.formant,
            f32::from(cloud.frame) + cloud.morph,
            cloud.partials,
            f32::from(cloud.table),
            increment,
            f32::from(cloud.contrast),
            f32::from(cloud.second.share),
            f32::from(cloud.second.frame) + f32::from(cloud.second.morph) / Second::MORPH,
        ];
        if of != self.of {
            let gain = simd_level.dispatch(MakeUp { cloud, increment });
            // A new voice has no earlier gain to interpolate from.
            let glides = self.gain > 0.0;
            *self = Self {
                of,
                gain: if glides { self.gain } else { gain },
                step: if glides { (gain - self.gain) / f32::from(PAUSE) } else { 0.0 },
                left: if glides { PAUSE } else { voice.unison.seed as u8 % PAUSE },
            };
        }
    }
}

/// Estimates the gain of a cloud. It is plain code, which compilers turn into vectors.
struct MakeUp<'a> {
    cloud: &'a Cloud,
    increment: f32,
}

impl Work for MakeUp<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> f32 {
        make_up(self.cloud, self.increment)
    }
}

#[inline(always)]
fn make_up(cloud: &Cloud, increment: f32) -> f32 {
    let tables = tables();
    let rows = tables.rows_of(cloud);
    let at = |row: &Row, index: usize| F32x16::flat(row)[index.min(MAX_PARTIALS - 1)];
    let level = |index: usize| {
        let (low, high) = (at(rows.low, index), at(rows.high, index));
        low + (high - low) * cloud.morph
    };
    let [levels, ratios, octaves] = [
        LOOKED_AT.map(|(index, _)| level(index)),
        LOOKED_AT.map(|(index, _)| at(rows.ratio, index)),
        LOOKED_AT.map(|(index, _)| at(rows.log2_ratio, index)),
    ];
    let read = |level: &dyn Fn(usize) -> f32, index: usize| {
        if cloud.formant == 1.0 {
            return level(index);
        }
        let place = (index + 1) as f32 * cloud.formant - 1.0;
        let place = place.clamp(0.0, MAX_PARTIALS as f32);
        let here = level(place as usize);
        here + (level(place as usize + 1) - here) * place.fract()
    };
    let held = match cloud.formant == 1.0 {
        true => levels,
        false => LOOKED_AT.map(|(index, _)| read(&level, index)),
    };
    let held = match rows.second {
        None => held,
        Some(second) => {
            let level = |index: usize| {
                let [low, high] = second.frames.map(|row| at(row, index));
                low + (high - low) * second.morph
            };
            let place = |point: usize| read(&level, LOOKED_AT[point].0);
            std::array::from_fn(|point| second.joined(held[point], place(point)))
        }
    };
    let (power, gain) = contrast_of(cloud);
    let held = match cloud.contrast {
        0 => held,
        _ => held.map(|level| exp2(level.max(f32::MIN_POSITIVE).log2() * power + gain)),
    };
    // The gathered values are processed as vectors.
    let (mut before, mut after) = ([0.0; POINTS], [0.0; POINTS]);
    for point in 0..POINTS {
        let (index, stands_for) = LOOKED_AT[point];
        let inside = (cloud.partials - index as f32) / stands_for;
        let below = 4.0 - 4.0 / FADE_END * ratios[point] * increment;
        let weight = stands_for * inside.clamp(0.0, 1.0) * below.clamp(0.0, 1.0);
        let tilted = held[point] * exp2(cloud.tilt * octaves[point]);
        before[point] = weight * levels[point] * levels[point];
        after[point] = weight * tilted * tilted;
    }
    let sum = |powers: [f32; POINTS]| 1e-12 + powers.iter().sum::<f32>();
    // A spectrum that is nearly silent is not amplified.
    (sum(before) / sum(after)).sqrt().clamp(0.03, 30.0)
}

/// The loudest level of a cloud's table at its current position.
pub(super) fn loudest(cloud: &Cloud) -> f32 {
    let tables = tables();
    let rows = tables.rows_of(cloud);
    let [low, high] = [rows.low, rows.high].map(|row| F32x16::flat(row));
    let level = |(low, high): (&f32, &f32)| low + (high - low) * cloud.morph;
    low.iter().zip(high).map(level).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::{TURN, Table};

    #[test]
    fn a_tilted_saw_keeps_its_power() {
        for (tilt, hertz) in [(-1.0, 110.0), (0.5, 110.0), (1.0, 440.0), (-3.0, 1_000.0)] {
            let (frame, morph) = Table::Saw.frame_at(1.0);
            let cloud = Cloud {
                table: Table::Saw.first_row(),
                frame,
                morph,
                partials: 256.0,
                formant: 1.0,
                tilt,
                ..Cloud::default()
            };
            let increment = hertz / 48_000.0 * TURN;
            let voice = UnisonVoice::single(&Cloud { increment, ..cloud });
            let gain = Balance::default().gain(Level::Baseline, &voice);
            let count = (24_000.0 / hertz).min(256.0) as i32;
            let power = |tilt: f32| -> f32 {
                (1..=count).map(|n| (n as f32).powf(2.0 * tilt - 2.0)).sum::<f32>()
            };
            let exact = (power(0.0) / power(tilt)).sqrt();
            let off = 20.0 * (gain / exact).log10();
            assert!(off.abs() < 1.5, "tilt {tilt} at {hertz}: {off} dB");
        }
    }
}
