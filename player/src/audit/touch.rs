//! Touch: how a patch answers velocity, the modulation wheel and pressure, and what its category asks.

use super::measure::{self, Sound};
use myriad_engine::{EventKind, Patch};
use myriad_measure::{WindowedFft, hann, loudest_half_second};

const RATE: usize = 48_000;

/// Velocities of a soft and of a hard note.
const SOFT: f32 = 40.0 / 127.0;
const HARD: f32 = 110.0 / 127.0;
/// The velocity at which patches are matched in level.
pub(super) const MIDDLE: f32 = 80.0 / 127.0;

/// The touch that the patches of a category must have.
pub(super) struct Wanted {
    /// How many decibels louder a note of velocity 110 is than one of velocity 40: the least and the most.
    pub(super) louder_db: [f32; 2],
    /// How many octaves higher the centre of its spectrum is, at least; zero where it may stay.
    pub(super) brighter: f32,
    /// Whether pressure does something.
    pub(super) pressure: bool,
}

/// The table of the manual's section "Touch". What is struck or plucked answers most, what is blown,
/// bowed or sung less, and organs least.
pub(super) const TOUCH: &[(&[&str], Wanted)] = &[
    (
        &["keys", "pluck", "bell", "percussion"],
        Wanted { louder_db: [15.0, 21.0], brighter: 0.2, pressure: false },
    ),
    // A drum that is one band of noise, or a sine, has nothing to brighten.
    (&["kit"], Wanted { louder_db: [15.0, 21.0], brighter: 0.0, pressure: false }),
    (&["bass"], Wanted { louder_db: [12.0, 18.0], brighter: 0.1, pressure: false }),
    (
        &["strings", "brass", "winds", "voices", "lead"],
        Wanted { louder_db: [9.0, 15.0], brighter: 0.05, pressure: true },
    ),
    (&["sequence"], Wanted { louder_db: [9.0, 18.0], brighter: 0.05, pressure: false }),
    (&["effect", "template"], Wanted { louder_db: [4.0, 18.0], brighter: 0.0, pressure: false }),
    (
        &["pad", "drone", "texture"],
        Wanted { louder_db: [6.0, 12.0], brighter: 0.0, pressure: true },
    ),
    (&["organ"], Wanted { louder_db: [0.0, 4.0], brighter: 0.0, pressure: true }),
];

/// The row of a category; none for categories of one's own.
pub(super) fn wanted(category: &str) -> Option<&'static Wanted> {
    let mut rows = TOUCH.iter();
    rows.find(|(categories, _)| categories.contains(&category)).map(|(_, wanted)| wanted)
}

/// The keys at which a patch is measured: one in its register, or one in every key zone of a kit.
pub(super) fn keys(patch: &Patch) -> Vec<u8> {
    match patch.key_zones.as_slice() {
        [] if patch.category == "bass" => vec![40],
        [] => vec![60],
        zones => zones.iter().map(|zone| zone.keys[0]).collect(),
    }
}

/// The least that the wheel and pressure must change, as a mean over the spectrum and the note.
const CONTROLLER_DB: f32 = 0.7;

/// How a patch answers.
pub(super) struct Touch {
    /// How many decibels louder a hard note is than a soft one.
    pub(super) louder_db: f32,
    /// How many octaves higher the centre of its spectrum is.
    pub(super) brighter: f32,
    /// The mean difference that each controller makes, in decibels.
    pub(super) wheel_db: f32,
    pub(super) pressure_db: f32,
}

impl Touch {
    /// Plays notes of a key and measures.
    pub(super) fn measure(patch: &Patch, key: u8) -> Self {
        let (soft, hard) = (play(patch, key, SOFT, None), play(patch, key, HARD, None));
        let plain = bands(&play(patch, key, MIDDLE, None), 36.0);
        let moved_by = |event| {
            let moved = bands(&play(patch, key, MIDDLE, Some(event)), 36.0);
            difference(&plain, &moved)
        };
        Self {
            louder_db: (loudness(&hard) - loudness(&soft)) as f32,
            brighter: centre(&hard) - centre(&soft),
            wheel_db: moved_by(EventKind::Control { cc: 1, value: 1.0 }),
            pressure_db: moved_by(EventKind::ChannelPressure(1.0)),
        }
    }

    /// What is wrong with it for a patch of this category.
    pub(super) fn problems(&self, category: &str) -> Vec<String> {
        let mut problems = Vec::new();
        let Some(wanted) = wanted(category) else {
            return problems;
        };
        let [least, most] = wanted.louder_db;
        if !(least..=most).contains(&self.louder_db) {
            let found = self.louder_db;
            problems.push(format!("velocity makes {found:.1} dB, not {least} to {most}"));
        }
        if wanted.brighter > 0.0 && self.brighter < wanted.brighter {
            let (found, least) = (self.brighter, wanted.brighter);
            problems.push(format!("velocity brightens by {found:.2} octaves, not {least}"));
        }
        if self.wheel_db < CONTROLLER_DB {
            problems.push(format!("the wheel does nothing ({:.1} dB)", self.wheel_db));
        }
        if wanted.pressure && self.pressure_db < CONTROLLER_DB {
            problems.push(format!("pressure does nothing ({:.1} dB)", self.pressure_db));
        }
        problems
    }
}

/// One note, held for a second and a half, with a controller that is moved before it.
fn play(patch: &Patch, key: u8, velocity: f32, controller: Option<EventKind>) -> Sound {
    let mut events: Vec<(usize, EventKind)> =
        controller.map(|kind| (0, kind)).into_iter().collect();
    events.push((0, EventKind::NoteOn { key, velocity }));
    events.push((3 * RATE / 2, EventKind::NoteOff { key, velocity: 0.5 }));
    measure::play(patch, &events, 2 * RATE)
}

fn loudness(sound: &Sound) -> f64 {
    loudest_half_second([&sound.left, &sound.right], RATE as u32)
}

/// Levels of bands of the spectrum over time, so many to an octave: relative to the loudest, and cut
/// 50 dB below it.
fn bands(sound: &Sound, per_octave: f32) -> Vec<f32> {
    const LENGTH: usize = 4_096;
    let mut fft = WindowedFft::new(LENGTH, RATE as f32, hann);
    let mut levels = Vec::new();
    let sides = [&sound.left, &sound.right];
    for start in (0..sides[0].len() - LENGTH).step_by(LENGTH) {
        fft.transform(sides.iter().map(|side| side[start..start + LENGTH].iter()));
        let edge = |band: f32| 40.0 * (band / per_octave).exp2();
        let count = (8.8 * per_octave) as usize;
        levels.extend((0..count).map(|band| fft.level(edge(band as f32), edge(band as f32 + 1.0))));
    }
    let top = levels.iter().fold(f32::MIN, |top, &level| top.max(level));
    levels.iter().map(|level| level.max(top - 50.0)).collect()
}

/// The mean difference of the bands that sound in either.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    let floor = |levels: &[f32]| levels.iter().fold(f32::MAX, |low, &level| low.min(level));
    let (floor_a, floor_b) = (floor(a), floor(b));
    let both = a.iter().zip(b).filter(|(a, b)| **a > floor_a || **b > floor_b);
    let (sum, count) = both.fold((0.0, 0), |(sum, count), (a, b)| (sum + (a - b).abs(), count + 1));
    sum / count.max(1) as f32
}

/// The centre of the spectrum on a scale of octaves, weighted by amplitude.
fn centre(sound: &Sound) -> f32 {
    const PER_OCTAVE: f32 = 6.0;
    let levels = bands(sound, PER_OCTAVE);
    let floor = levels.iter().fold(f32::MAX, |low, &level| low.min(level));
    let columns = (8.8 * PER_OCTAVE) as usize;
    let (mut sum, mut weights) = (0.0, 0.0);
    for (index, &level) in levels.iter().enumerate().filter(|(_, level)| **level > floor) {
        let amplitude = 10f32.powf((level - floor) / 20.0);
        sum += amplitude * (index % columns) as f32 / PER_OCTAVE;
        weights += amplitude;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::factory;

    #[test]
    fn every_factory_patch_is_measured() {
        for patch in factory::patches() {
            assert!(wanted(&patch.category).is_some(), "{}: {}", patch.name, patch.category);
        }
    }
}
