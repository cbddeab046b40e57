//! Tools that change all harmonics of a frame. They work on the heights of the bars, so that they do what is seen.

use super::lane::Lane;
use crate::formula::Formula;
use myriad_engine::dsp::hash;
use myriad_engine::tracks::{DrawnTable, Harmonic};

/// A tool for one lane of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Smooth,
    Odd,
    Even,
    Invert,
    ShiftDown,
    ShiftUp,
    Random,
}

impl Tool {
    /// Each with its name and what it does.
    pub(super) const ALL: [(Tool, &str, &str); 7] = [
        (Tool::Smooth, "Smooth", "Draws every bar towards its neighbours"),
        (Tool::Odd, "Odd", "Leaves the odd harmonics only"),
        (Tool::Even, "Even", "Leaves the even harmonics only"),
        (Tool::Invert, "Invert", "Turns high bars into low ones, and the other way round"),
        (Tool::ShiftDown, "Down", "Moves every bar to the harmonic below"),
        (Tool::ShiftUp, "Up", "Moves every bar to the harmonic above"),
        (Tool::Random, "Random", "Moves every bar by chance; silent ones stay silent"),
    ];

    /// Changes a lane of a frame; `seed` selects among random results.
    pub(super) fn apply(self, frame: &mut [Harmonic], lane: Lane, seed: u32) {
        let heights: Vec<f32> =
            frame.iter().map(|harmonic| lane.height(lane.get(harmonic))).collect();
        let neutral = lane.height(0.0);
        let last = heights.len().saturating_sub(1);
        for (index, harmonic) in frame.iter_mut().enumerate() {
            let here = heights[index];
            let odd = index % 2 == 0;
            let height = match self {
                Tool::Smooth => {
                    let (below, above) = (index.saturating_sub(1), (index + 1).min(last));
                    0.25 * (heights[below] + heights[above]) + 0.5 * here
                }
                Tool::Odd if !odd => neutral,
                Tool::Even if odd => neutral,
                Tool::Odd | Tool::Even => continue,
                Tool::Invert => 1.0 - here,
                Tool::ShiftDown => heights.get(index + 1).copied().unwrap_or(neutral),
                Tool::ShiftUp => index.checked_sub(1).map_or(neutral, |below| heights[below]),
                Tool::Random if lane == Lane::Level && here == 0.0 => continue,
                Tool::Random => {
                    let chance = hash(seed.wrapping_mul(0x9E37).wrapping_add(index as u32));
                    here + 0.5 * (chance as f32 / u32::MAX as f32 - 0.5)
                }
            };
            lane.set(harmonic, lane.value(height.clamp(0.0, 1.0)));
        }
    }
}

/// The variables of formulas: the number of the harmonic, from 1; the frame, from 0; the way through the table, 0 to 1;
/// and the value that is there.
pub(super) const VARIABLES: [&str; 4] = ["n", "frame", "t", "x"];

/// Sets a lane of a frame by a formula.
pub(super) fn apply_formula(table: &mut DrawnTable, frame: usize, lane: Lane, formula: &Formula) {
    let way = frame as f32 / (table.frames() - 1) as f32;
    for (index, harmonic) in table.frame_mut(frame).iter_mut().enumerate() {
        let variables = [(index + 1) as f32, frame as f32, way, lane.get(harmonic)];
        lane.set(harmonic, formula.at(&variables));
    }
}

/// Fills the frames between two with steps on the way from one to the other, in all lanes.
pub(super) fn morph(table: &mut DrawnTable, from: usize, to: usize) {
    let (first, last) = (from.min(to), from.max(to).min(table.frames() - 1));
    let (low, high) = (table.frame(first).to_vec(), table.frame(last).to_vec());
    for frame in first + 1..last {
        let way = (frame - first) as f32 / (last - first) as f32;
        for (n, harmonic) in table.frame_mut(frame).iter_mut().enumerate() {
            for lane in Lane::ALL {
                let (a, b) = (lane.get(&low[n]), lane.get(&high[n]));
                let value = match lane {
                    // In decibels, as bars are.
                    Lane::Level => {
                        let height = |value| lane.height(value);
                        lane.value(height(a) + (height(b) - height(a)) * way)
                    }
                    Lane::Tuning | Lane::Pan | Lane::Decay => a + (b - a) * way,
                };
                lane.set(harmonic, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::spectrum::Table;

    fn levels(frame: &[Harmonic]) -> Vec<f32> {
        frame.iter().map(|harmonic| harmonic.level).collect()
    }

    fn saw() -> DrawnTable {
        DrawnTable::copy(Table::Saw.place(), 110.0, 32, 5)
    }

    #[test]
    fn tools_do_what_they_say() {
        let mut table = saw();
        let formula = Formula::parse("1/n", &VARIABLES).unwrap();
        apply_formula(&mut table, 1, Lane::Level, &formula);
        let saw = levels(table.frame(1));
        assert!((saw[4] - 0.2).abs() < 1e-6);
        let after = |tool: Tool| {
            let mut table = table.clone();
            tool.apply(table.frame_mut(1), Lane::Level, 7);
            levels(table.frame(1))
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} {b}");
        assert_eq!(after(Tool::Odd)[1], 0.0);
        assert_eq!(after(Tool::Odd)[2], saw[2]);
        assert_eq!(after(Tool::Even)[2], 0.0);
        near(after(Tool::ShiftUp)[4], saw[3]);
        assert_eq!(after(Tool::ShiftUp)[0], 0.0);
        near(after(Tool::ShiftDown)[3], saw[4]);
        let inverted = after(Tool::Invert);
        assert!(inverted.is_sorted(), "the highest is the loudest");
        let smooth = after(Tool::Smooth);
        assert!(smooth[0] < saw[0] && smooth[1] > saw[1] * 0.99);
        assert_ne!(after(Tool::Random), saw);
    }

    #[test]
    fn frames_between_two_are_on_the_way() {
        let mut table = saw();
        for (frame, level) in [(0, 1.0), (4, 0.01)] {
            table.frame_mut(frame).iter_mut().for_each(|harmonic| {
                (harmonic.level, harmonic.tuning) = (level, 40.0 * frame as f32);
            });
        }
        morph(&mut table, 4, 0);
        let middle = table.frame(2)[7];
        assert!((middle.level - 0.1).abs() < 1e-4, "half way in decibels: {middle:?}");
        assert!((middle.tuning - 80.0).abs() < 1e-3);
        assert_eq!(table.frame(0)[3].level, 1.0);
    }
}
