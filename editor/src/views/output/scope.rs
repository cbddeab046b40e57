//! The oscilloscope: a few periods of the output, left and right, that stand still while the pitch does.

use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::{Align2, Painter, Pos2, Rect, Stroke, pos2};
use myriad_engine::view;
use myriad_measure::Output;

/// Periods of the newest note that are shown.
const PERIODS: f32 = 4.0;
/// The shortest and the longest time that is shown, in seconds.
const SHORTEST: f32 = 0.004;
const LONGEST: f32 = 0.06;
/// How soon a quieter sound is magnified, in seconds.
const MAGNIFY_AFTER: f32 = 0.8;
/// Sounds are magnified so far.
const LARGEST_ZOOM: f32 = 32.0;

/// State from frame to frame.
pub(super) struct Scope {
    /// The time that is shown, in seconds.
    time: f32,
    /// Magnification of levels, a power of two.
    zoom: f32,
    /// How long a larger magnification would have fitted, in seconds.
    spare: f32,
}

impl Default for Scope {
    fn default() -> Self {
        Self { time: 0.02, zoom: 1.0, spare: 0.0 }
    }
}

impl Scope {
    pub(super) fn show(
        &mut self,
        painter: &Painter,
        session: &Session,
        output: &Output,
        plot: Rect,
        seconds: f32,
    ) {
        if let Some(hertz) = pitch(session) {
            self.time = (PERIODS / hertz).clamp(SHORTEST, LONGEST);
        }
        let length = (self.time * output.sample_rate) as usize;
        let length = length.min(output.frames.len() / 2);
        let start = trigger(&output.frames, length);
        let shown = &output.frames[start..start + length];
        self.follow(shown, seconds);
        self.grid(painter, plot);
        if shown.len() < 2 {
            return theme::emptiness(painter, plot, "Play a note");
        }
        let last = (shown.len() - 1) as f32;
        // One point for every half pixel is enough.
        let step = ((shown.len() as f32 / plot.width() / 2.0) as usize).max(1);
        for channel in [1, 0] {
            let point = |(index, frame): (usize, &[f32; 2])| -> Pos2 {
                let x = plot.left() + plot.width() * index as f32 / last;
                let height = (frame[channel] * self.zoom).clamp(-1.0, 1.0);
                pos2(x, plot.center().y - 0.46 * plot.height() * height)
            };
            let line: Vec<Pos2> = shown.iter().enumerate().step_by(step).map(point).collect();
            let side = if channel == 0 { -1.0 } else { 1.0 };
            paint::luminous_line(painter, line, 1.3, theme::pan(side));
        }
    }

    /// Chooses the magnification: smaller at once, larger after a while.
    fn follow(&mut self, frames: &[[f32; 2]], seconds: f32) {
        let peak = frames.iter().flatten().fold(0.0_f32, |peak, x| peak.max(x.abs()));
        while self.zoom > 1.0 && peak * self.zoom > 1.0 {
            self.zoom /= 2.0;
            self.spare = 0.0;
        }
        let fits = peak > 0.0 && peak * self.zoom * 2.0 < 0.9 && self.zoom < LARGEST_ZOOM;
        self.spare = if fits { self.spare + seconds } else { 0.0 };
        if self.spare > MAGNIFY_AFTER {
            self.zoom *= 2.0;
            self.spare = 0.0;
        }
    }

    fn grid(&self, painter: &Painter, plot: Rect) {
        let font = theme::regular(9.5);
        for (height, strength) in [(-1.0, 0.3), (-0.5, 0.2), (0.0, 0.5), (0.5, 0.2), (1.0, 0.3)] {
            let y = plot.center().y - 0.46 * plot.height() * height;
            let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(strength));
            painter.hline(plot.x_range(), y, stroke);
        }
        // Zero without a sign.
        let decibels = 0.0 - 20.0 * self.zoom.log10();
        let at = pos2(plot.right() - 4.0, plot.top() + 2.0);
        painter.text(
            at,
            Align2::RIGHT_TOP,
            format!("{decibels:.0} dB"),
            font.clone(),
            theme::FAINT,
        );
        let at = pos2(plot.right() - 4.0, plot.bottom() - 2.0);
        let time = format!("{:.1} ms", 1_000.0 * self.time);
        painter.text(at, Align2::RIGHT_BOTTOM, time, font, theme::FAINT);
    }
}

/// The pitch of the newest note.
fn pitch(session: &Session) -> Option<f32> {
    let cloud = session.snapshot.clouds.first()?;
    let mut partials = Vec::new();
    view::partials(cloud, session.snapshot.sample_rate, &mut partials);
    partials.first().map(|partial| partial.hertz).filter(|hertz| *hertz > 1.0)
}

/// Where a picture of `length` frames begins: at a rising zero crossing, the one after the lowest sample. So
/// it begins at the same place of every period.
fn trigger(frames: &[[f32; 2]], length: usize) -> usize {
    let latest = frames.len().saturating_sub(length);
    let mono = |index: usize| frames[index][0] + frames[index][1];
    let lowest = (0..latest).min_by(|a, b| mono(*a).total_cmp(&mono(*b)));
    let Some(lowest) = lowest else {
        return latest;
    };
    let rises = |index: &usize| mono(index - 1) < 0.0 && mono(*index) >= 0.0;
    (lowest + 1..latest).find(rises).unwrap_or(latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A waveform that jumps about cannot be seen.
    #[test]
    fn a_steady_tone_stands_still() {
        let tone = |from: usize| -> Vec<[f32; 2]> {
            let sample =
                |index: usize| (index as f32 * 0.05).sin() + 0.4 * (index as f32 * 0.1).cos();
            (from..from + 4_000).map(|index| [sample(index); 2]).collect()
        };
        let first = tone(0);
        let shape = |frames: &[[f32; 2]]| {
            let start = trigger(frames, 400);
            frames[start..start + 400].to_vec()
        };
        let expected = shape(&first);
        for from in [1, 17, 333, 2_000, 12_345] {
            let shown = shape(&tone(from));
            let apart = expected.iter().zip(&shown).map(|(a, b)| (a[0] - b[0]).abs());
            assert!(apart.fold(0.0, f32::max) < 0.12, "from {from}");
        }
    }

    #[test]
    fn silence_and_nothing_have_a_place() {
        assert_eq!(trigger(&[], 0), 0);
        assert_eq!(trigger(&[[0.0; 2]; 10], 4), 6);
        assert_eq!(trigger(&[[0.0; 2]; 3], 10), 0);
    }

    #[test]
    fn quiet_sounds_are_magnified_and_loud_ones_fit() {
        let mut scope = Scope::default();
        for _ in 0..100 {
            scope.follow(&[[0.05, -0.01]], 0.1);
        }
        assert_eq!(scope.zoom, 16.0);
        scope.follow(&[[0.9, 0.0]], 0.1);
        assert_eq!(scope.zoom, 1.0);
    }
}
