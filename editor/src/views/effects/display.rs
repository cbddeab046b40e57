//! Displays of the effects, computed with the code of the effect where there is a curve.

use crate::paint;
use crate::session::Session;
use crate::theme;
use egui::epaint::Mesh;
use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use myriad_engine::impulse::{self, ImpulseResponse};
use myriad_engine::params::Param;
use myriad_engine::{Values, view};
use std::f32::consts::TAU;

/// Points of a curve.
const STEPS: usize = 160;

/// Draws the effect of a group in `rect`.
pub(super) fn show(ui: &Ui, session: &Session, group: &str, rect: Rect) {
    use Param::*;
    theme::well(ui.painter(), rect);
    let painter = ui.painter_at(rect);
    // The knobs may have moved since the patch was loaded.
    let values = &session.snapshot().values;
    let plot = Plot { painter: &painter, rect: rect.shrink2(vec2(10.0, 12.0)) };
    match group {
        "drive" => drive(&plot, values),
        "eq" => eq(&plot, values),
        "compressor" => levels(&plot, |x| view::compressed(values, x)),
        "limiter" => {
            let ceiling = values[Param::LimiterCeiling];
            levels(&plot, |x| (x + values[Param::LimiterGain]).min(ceiling));
        }
        "crusher" => crusher(&plot, values),
        "multiband" => multiband(&plot, values),
        "shifter" => shifter(&plot, values),
        "ducker" => ducker(&plot, values),
        "delay" => delay(&plot, values),
        "reverb" => reverb(&plot, values),
        "convolver" => convolver(&plot, values, session.patch.impulse.as_deref()),
        "chorus" => sweep(&plot, [ChorusRate, ChorusDepth, ChorusWidth].map(|p| values[p])),
        "phaser" => sweep(&plot, [PhaserRate, PhaserDepth, PhaserWidth].map(|p| values[p])),
        "flanger" => sweep(&plot, [FlangerRate, FlangerDepth, FlangerWidth].map(|p| values[p])),
        _ => {}
    }
}

struct Plot<'a> {
    painter: &'a Painter,
    rect: Rect,
}

impl Plot<'_> {
    /// The point at `x` and `y`, both 0 to 1, from the lower left.
    fn at(&self, x: f32, y: f32) -> Pos2 {
        let Rect { min, max } = self.rect;
        pos2(min.x + x * (max.x - min.x), max.y - y * (max.y - min.y))
    }

    fn grid(&self, columns: usize, rows: usize) {
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.45));
        for column in 0..=columns {
            let x = self.at(column as f32 / columns as f32, 0.0).x;
            self.painter.vline(x, self.rect.y_range(), stroke);
        }
        for row in 0..=rows {
            let y = self.at(0.0, row as f32 / rows as f32).y;
            self.painter.hline(self.rect.x_range(), y, stroke);
        }
    }

    /// A glowing curve, filled down to `floor`.
    fn curve(&self, colour: Color32, floor: f32, y: impl Fn(f32) -> f32) {
        let point = |step: usize| {
            let x = step as f32 / STEPS as f32;
            self.at(x, y(x).clamp(0.0, 1.0))
        };
        let line: Vec<Pos2> = (0..=STEPS).map(point).collect();
        let mut mesh = Mesh::default();
        let floor = self.at(0.0, floor).y;
        let (near, far) = (theme::light(colour, 0.2), theme::light(colour, 0.02));
        paint::fill_below(&mut mesh, &line, floor, near, far);
        self.painter.add(Shape::mesh(mesh));
        paint::luminous_line(self.painter, line, 1.7, colour);
    }

    fn word(&self, x: f32, y: f32, anchor: Align2, text: &str) {
        let font = theme::regular(9.0);
        self.painter.text(self.at(x, y), anchor, text, font, theme::FAINT);
    }
}

/// Output against input of the waveshaper.
fn drive(plot: &Plot, values: &Values) {
    plot.grid(4, 4);
    let top = (0..=STEPS).map(|step| {
        let x = 2.0 * step as f32 / STEPS as f32 - 1.0;
        view::driven(values, x).abs()
    });
    let top = top.fold(0.05, f32::max);
    plot.curve(theme::ROSE, 0.5, |x| 0.5 + 0.46 * view::driven(values, 2.0 * x - 1.0) / top);
}

/// Gain from 20 Hz to 20 kHz and from -18 to 18 dB.
fn eq(plot: &Plot, values: &Values) {
    plot.grid(1, 4);
    let gain = |x: f32| view::equalised(values, 20.0 * 1_000.0_f32.powf(x), 48_000.0);
    plot.curve(theme::AMBER, 0.5, |x| 0.5 + gain(x) / 40.0);
    for (x, text) in [(0.233, "100"), (0.567, "1k"), (0.9, "10k")] {
        let stroke = Stroke::new(1.0, theme::EDGE.gamma_multiply(0.45));
        plot.painter.vline(plot.at(x, 0.0).x, plot.rect.y_range(), stroke);
        plot.word(x + 0.01, 0.0, Align2::LEFT_BOTTOM, text);
    }
}

/// Output level over input level, from -60 to 0 dB.
fn levels(plot: &Plot, out: impl Fn(f32) -> f32) {
    plot.grid(4, 4);
    let straight = Stroke::new(1.0, theme::FAINT.gamma_multiply(0.6));
    let ends = [plot.at(0.0, 0.0), plot.at(1.0, 1.0)];
    plot.painter.line_segment(ends, straight);
    plot.curve(theme::AQUA, 0.0, |x| 1.0 + out(60.0 * x - 60.0) / 60.0);
    plot.word(0.98, 0.02, Align2::RIGHT_BOTTOM, "0 dB");
}

/// A cycle of a sine in stairs: as high as the bits, as wide as the samples at 500 Hz.
fn crusher(plot: &Plot, values: &Values) {
    plot.grid(4, 4);
    let step = (1.0 - values[Param::CrusherBits]).exp2();
    let samples = values[Param::CrusherRate] / 500.0;
    let stairs = |x: f32| {
        let held = (x * samples).floor() / samples;
        ((TAU * held).sin() / step).round() * step
    };
    plot.curve(theme::ROSE, 0.5, |x| 0.5 + 0.46 * stairs(x));
}

/// Output level over input level of the three bands.
fn multiband(plot: &Plot, values: &Values) {
    plot.grid(4, 4);
    for (band, colour) in [theme::VIOLET, theme::AQUA, theme::AMBER].into_iter().enumerate() {
        let out = |x: f32| view::band_compressed(values, band, 60.0 * x - 60.0);
        plot.curve(colour, 0.0, |x| 1.0 + out(x) / 60.0);
    }
    plot.word(0.0, 1.0, Align2::LEFT_TOP, "low, mid, high");
    plot.word(0.98, 0.02, Align2::RIGHT_BOTTOM, "0 dB");
}

/// The harmonics of 200 Hz, and where they are shifted to, up to 4 kHz.
fn shifter(plot: &Plot, values: &Values) {
    const HIGHEST: f32 = 4_000.0;
    let shift = values[Param::ShifterShift] + values[Param::ShifterFine];
    for harmonic in 1..=20 {
        let height = 0.9 / (harmonic as f32).sqrt();
        let hertz = 200.0 * harmonic as f32;
        for (hertz, colour) in [(hertz, theme::FAINT), ((hertz + shift).abs(), theme::AMBER)] {
            if hertz < HIGHEST {
                let x = hertz / HIGHEST;
                let ends = [plot.at(x, 0.0), plot.at(x, height)];
                plot.painter.line_segment(ends, Stroke::new(2.0, colour));
            }
        }
    }
    plot.word(1.0, 1.0, Align2::RIGHT_TOP, "4 kHz");
}

/// The gain of the ducker over two cycles.
fn ducker(plot: &Plot, values: &Values) {
    plot.grid(2, 4);
    plot.curve(theme::AQUA, 0.0, |x| view::ducked(values, (2.0 * x).fract()));
}

/// The echoes, left above and right below, over two seconds.
fn delay(plot: &Plot, values: &Values) {
    const SECONDS: f32 = 2.0;
    plot.grid(4, 2);
    // Synced times are shown for 120 beats a minute.
    let time = view::delay_seconds(values, 120.0);
    let (feedback, mix) = (values[Param::DelayFeedback], values[Param::DelayMix]);
    let ping_pong = values[Param::DelayPingPong];
    let bar = |seconds: f32, level: f32, side: f32, colour: Color32| {
        let foot = plot.at(seconds / SECONDS, 0.5);
        let tip = plot.at(seconds / SECONDS, 0.5 + 0.5 * side * level);
        plot.painter.line_segment([foot, tip], Stroke::new(2.4, colour));
    };
    for side in [1.0, -1.0] {
        bar(0.0, (2.0 - 2.0 * mix).min(1.0), side, theme::TEXT);
    }
    let mut level = (2.0 * mix).min(1.0);
    for echo in 1..64 {
        let seconds = time.max(0.02) * echo as f32;
        if seconds > SECONDS || level < 0.01 {
            break;
        }
        // Ping-pong moves an echo to one side.
        let other = 1.0 - ping_pong;
        let [left, right] = if echo % 2 == 1 { [1.0, other] } else { [other, 1.0] };
        bar(seconds, level * left, 1.0, theme::VIOLET);
        bar(seconds, level * right, -1.0, theme::AMBER);
        level *= feedback;
    }
    plot.word(1.0, 0.0, Align2::RIGHT_BOTTOM, "2 s");
}

/// The envelope of the reverb: pre-delay, decay, and the faster decay of the highs.
fn reverb(plot: &Plot, values: &Values) {
    let seconds = values[Param::ReverbDecay].clamp(1.0, 60.0) * 1.1;
    plot.grid(4, 3);
    let wait = values[Param::ReverbWait];
    let mix = (2.0 * values[Param::ReverbMix]).min(1.0);
    let dying = |x: f32, decay: f32| {
        let since = x * seconds - wait;
        match since >= 0.0 {
            true => mix * (1.0 - since / decay).max(0.0),
            false => 0.0,
        }
    };
    let decay = values[Param::ReverbDecay];
    // An approximation: without damping highs decay like lows, with damping they decay sooner.
    let highs = decay * (values[Param::ReverbDamp] / 20_000.0).powf(0.4);
    plot.curve(theme::VIOLET, 0.0, |x| dying(x, decay));
    plot.curve(theme::AMBER, 0.0, |x| 0.8 * dying(x, highs));
    plot.word(1.0, 1.0, Align2::RIGHT_TOP, &format!("{seconds:.1} s"));
}

/// The level of the response from 0 to -60 dB, with its pre-delay and the chosen length.
fn convolver(plot: &Plot, values: &Values, imported: Option<&ImpulseResponse>) {
    let response = values[Param::ConvolverResponse] as usize;
    plot.grid(4, 3);
    let Some((levels, seconds)) = impulse::envelope(response, imported, STEPS) else {
        plot.word(0.5, 0.5, Align2::CENTER_CENTER, "no response imported");
        return;
    };
    let wait = values[Param::ConvolverWait];
    let faster = 60.0 * (1.0 / values[Param::ConvolverLength] - 1.0);
    let shown = seconds + wait;
    let level = |x: f32| {
        let at = (x * shown - wait) / seconds;
        let level = levels.get((at * STEPS as f32) as usize).copied();
        match at >= 0.0 {
            true => 1.0 + (level.unwrap_or(-60.0) - faster * at) / 60.0,
            false => 0.0,
        }
    };
    plot.curve(theme::VIOLET, 0.0, level);
    plot.word(1.0, 1.0, Align2::RIGHT_TOP, &format!("{shown:.2} s"));
}

/// A modulation LFO, left and right, over two seconds.
fn sweep(plot: &Plot, [rate, depth, width]: [f32; 3]) {
    const SECONDS: f32 = 2.0;
    plot.grid(4, 2);
    let way = |x: f32, ahead: f32| 0.5 + 0.45 * depth * (TAU * (rate * SECONDS * x + ahead)).sin();
    plot.curve(theme::VIOLET, 0.5, |x| way(x, 0.0));
    plot.curve(theme::AMBER, 0.5, |x| way(x, 0.25 * width));
    plot.word(0.0, 1.0, Align2::LEFT_TOP, "left, right");
    plot.word(1.0, 0.0, Align2::RIGHT_BOTTOM, "2 s");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::host::EditorHost;
    use crate::local::LocalHost;
    use crate::session::Gesture;
    use egui::{Context, Pos2, RawInput};
    use myriad_engine::{Patch, Snapshot};

    /// The curve would be that of the loaded patch while the knobs say something else.
    #[test]
    fn displays_follow_the_knobs() {
        let mut host = LocalHost::new(Patch::new()).unwrap();
        let drawn = |host: &mut LocalHost, group: &str| {
            let session = Session {
                patch: host.patch(),
                host,
                snapshot: &Snapshot::new(),
                entry: &mut None,
                held: &mut Gesture::default(),
                history: &mut History::default(),
                time: 0.0,
            };
            let rect = Rect::from_min_size(Pos2::ZERO, vec2(300.0, 200.0));
            let context = Context::default();
            theme::apply(&context);
            let draw = || context.run_ui(RawInput::default(), |ui| show(ui, &session, group, rect));
            // Fonts are available from the second frame on.
            draw().textures_delta.clear();
            let mut output = draw();
            output.textures_delta.clear();
            output.shapes
        };
        for (group, param, value) in [
            ("drive", Param::DriveAmount, 30.0),
            ("eq", Param::EqLowGain, 12.0),
            ("delay", Param::DelaySync, 4.0),
            ("phaser", Param::PhaserDepth, 1.0),
            ("crusher", Param::CrusherBits, 3.0),
            ("multiband", Param::MultibandHighGain, 12.0),
            ("shifter", Param::ShifterShift, 70.0),
            ("ducker", Param::DuckerDepth, 0.3),
            ("convolver", Param::ConvolverResponse, 0.0),
        ] {
            let before = drawn(&mut host, group);
            assert_eq!(before, drawn(&mut host, group));
            host.set(param, value);
            assert_ne!(before, drawn(&mut host, group), "{group}");
        }
    }
}
