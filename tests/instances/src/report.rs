//! The verdict on what was measured, as text and as JSON.

use crate::measurement::{Measured, MeasuredInstance, RATE};
use crate::{Args, Renderer};
use serde::Serialize;
use std::fmt::Write;

/// How much more of a period a block may take with others than alone.
const TOLERANCE: f32 = 0.05;

/// A sound below this is silence.
const AUDIBLE: f32 = 0.001;

/// The fields are the keys of `--json`.
#[derive(Serialize)]
pub(crate) struct Report {
    renderer: &'static str,
    rate: u32,
    block: u32,
    seconds: u64,
    voices: usize,
    alone: Measured,
    together: Measured,
    /// What is not as it should be; empty when all is well.
    problems: Vec<String>,
}

impl Report {
    pub(crate) fn new(args: &Args, alone: Measured, together: Measured) -> Self {
        let mut report = Self {
            renderer: args.renderer.word(),
            rate: RATE,
            block: args.buffer,
            seconds: args.seconds,
            voices: args.load.voices,
            alone,
            together,
            problems: Vec::new(),
        };
        report.problems = report.find_problems(args.renderer);
        report
    }

    /// Whether the instances play as one alone does.
    pub(crate) fn holds(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn find_problems(&self, renderer: Renderer) -> Vec<String> {
        let mut problems = Vec::new();
        for (measured, which) in [(&self.alone, "alone"), (&self.together, "together")] {
            for (number, instance) in (1..).zip(&measured.instances) {
                let found = self.problems_of(instance, renderer);
                problems.extend(found.map(|found| format!("{which}, instance {number}: {found}")));
            }
            if measured.overloaded_blocks > 0 {
                let blocks = measured.overloaded_blocks;
                problems.push(format!("{which}: process() took too long in {blocks} blocks"));
            }
        }
        let Some(alone) = self.alone.instances.first() else {
            return problems;
        };
        for (number, instance) in (1..).zip(&self.together.instances) {
            for (what, now, alone) in [
                ("median", instance.block_median, alone.block_median),
                ("99%", instance.block_99, alone.block_99),
            ] {
                if now > alone + TOLERANCE {
                    let (now, alone) = (percent(now), percent(alone));
                    problems
                        .push(format!("instance {number}: {what} of a block {now}, alone {alone}"));
                }
            }
        }
        problems
    }

    /// What is wrong with an instance by itself.
    fn problems_of(
        &self,
        instance: &MeasuredInstance,
        renderer: Renderer,
    ) -> impl Iterator<Item = String> {
        let mut problems = Vec::new();
        if instance.stands_in || instance.has_render_thread == (renderer == Renderer::Cpu) {
            let MeasuredInstance { renderer, why, .. } = instance;
            problems.push(format!("not rendered as asked for: {renderer} ({why})"));
        }
        if instance.losses > 0 {
            problems.push(format!("lost the GPU, times: {}", instance.losses));
        }
        if instance.peak < AUDIBLE {
            problems.push("silent".to_owned());
        }
        if instance.voices != self.voices {
            problems.push(format!("{} voices instead of {}", instance.voices, self.voices));
        }
        if instance.blocks == 0 {
            problems.push("nothing was measured".to_owned());
        }
        for underrun in instance.underruns.iter().filter(|underrun| !underrun.is_the_machines) {
            problems.push(format!("underrun: {}", underrun.cause));
        }
        if instance.unended_underruns > 0 {
            problems.push(format!("{} underruns that did not end", instance.unended_underruns));
        }
        problems.into_iter()
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!(
            "{} voices each, {} Hz, blocks of {} frames, {}; shares of the period of a block\n",
            self.voices, self.rate, self.block, self.renderer
        );
        for (measured, title) in [(&self.alone, "One alone"), (&self.together, "Together")] {
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n{title}");
            text += "     renders   voices  block median     99%  process() median     99%    most   peak  underruns: machine, Myriad\n";
            for (number, instance) in (1..).zip(&measured.instances) {
                let [machine, myriad] = underruns(instance);
                let _ = writeln!(
                    text,
                    "{number:4} {:9} {:6} {:>13} {:>7} {:>17} {:>7} {:>7} {:6.3} {machine:>19} {myriad:>7}",
                    instance.renderer,
                    instance.voices,
                    percent(instance.block_median),
                    percent(instance.block_99),
                    percent(instance.process_median),
                    percent(instance.process_99),
                    percent(instance.process_most),
                    instance.peak,
                );
            }
            for (number, instance) in (1..).zip(&measured.instances) {
                for underrun in &instance.underruns {
                    let milliseconds = 1_000.0 * underrun.frames as f64 / f64::from(self.rate);
                    let _ = writeln!(
                        text,
                        "instance {number}, {:.1} s: underrun of {milliseconds:.1} ms: {}",
                        underrun.seconds, underrun.cause
                    );
                }
            }
            let _ = writeln!(
                text,
                "audio thread: {} blocks late, {} interrupted, {} too long",
                measured.late_blocks, measured.interrupted_blocks, measured.overloaded_blocks
            );
        }
        text.push('\n');
        match self.holds() {
            true => text += "holds: each plays as one alone does\n",
            false => {
                for problem in &self.problems {
                    let _ = writeln!(text, "does not hold: {problem}");
                }
            }
        }
        text
    }
}

/// Underruns of the machine, and all others.
fn underruns(instance: &MeasuredInstance) -> [u64; 2] {
    let machine = instance.underruns.iter().filter(|underrun| underrun.is_the_machines).count();
    let others = instance.underruns.len() - machine;
    [machine as u64, others as u64 + instance.unended_underruns]
}

fn percent(share: f32) -> String {
    format!("{:.1}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Underrun;
    use clap::Parser;

    fn instance() -> MeasuredInstance {
        MeasuredInstance {
            renderer: "GPU".into(),
            why: "asked for".into(),
            stands_in: false,
            losses: 0,
            voices: 128,
            partials: 8_192,
            peak: 0.1,
            has_render_thread: true,
            raised_priority: true,
            blocks: 7_500,
            block_median: 0.1,
            block_99: 0.3,
            process_median: 0.01,
            process_99: 0.02,
            process_most: 0.03,
            underruns: Vec::new(),
            unended_underruns: 0,
        }
    }

    /// The problems of two instances of which one is changed.
    fn problems(change: impl Fn(&mut MeasuredInstance)) -> Vec<String> {
        let measured = |instances| Measured {
            instances,
            late_blocks: 3,
            interrupted_blocks: 2,
            overloaded_blocks: 0,
        };
        let mut changed = instance();
        change(&mut changed);
        let args = Args::parse_from(["plugin-instances", "Myriad.clap"]);
        let (alone, together) = (measured(vec![instance()]), measured(vec![instance(), changed]));
        let report = Report::new(&args, alone, together);
        assert_eq!(report.holds(), report.problems.is_empty());
        assert!(report.to_text().contains("Together") && report.to_json().contains("block_99"));
        report.problems
    }

    fn underrun(cause: &str, is_the_machines: bool) -> Underrun {
        Underrun { seconds: 1.0, frames: 300, cause: cause.into(), is_the_machines }
    }

    #[test]
    fn as_good_as_alone_holds() {
        assert_eq!(problems(|_| ()), [""; 0]);
        assert_eq!(problems(|changed| changed.block_median = 0.149), [""; 0]);
        assert_eq!(problems(|changed| changed.block_99 = 0.01), [""; 0]);
        assert_eq!(problems(|changed| changed.underruns.push(underrun("start", true))), [""; 0]);
    }

    #[test]
    fn everything_else_is_found() {
        type Change = fn(&mut MeasuredInstance);
        let changes: [(Change, &str); 10] = [
            (
                |changed| changed.block_median = 0.2,
                "instance 2: median of a block 20.0%, alone 10.0%",
            ),
            (|changed| changed.block_99 = 0.36, "instance 2: 99% of a block 36.0%, alone 30.0%"),
            (
                |changed| changed.underruns.push(underrun("rendering took too long", false)),
                "together, instance 2: underrun: rendering took too long",
            ),
            (
                |changed| changed.unended_underruns = 1,
                "together, instance 2: 1 underruns that did not end",
            ),
            (
                |changed| changed.stands_in = true,
                "together, instance 2: not rendered as asked for: GPU (asked for)",
            ),
            (
                |changed| changed.has_render_thread = false,
                "together, instance 2: not rendered as asked for: GPU (asked for)",
            ),
            (|changed| changed.losses = 1, "together, instance 2: lost the GPU, times: 1"),
            (|changed| changed.peak = 0.0, "together, instance 2: silent"),
            (|changed| changed.voices = 127, "together, instance 2: 127 voices instead of 128"),
            (|changed| changed.blocks = 0, "together, instance 2: nothing was measured"),
        ];
        for (change, expected) in changes {
            assert_eq!(problems(change), [expected]);
        }
    }
}
