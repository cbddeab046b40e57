//! `myriad doctor`: what this machine has, what that means, and what to do about it.

mod audio;
mod gpu;
mod plugins;
mod processor;
mod rights;

use myriad_player::failure::Failure;
use myriad_player::{machine, terminal};
use serde::Serialize;
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  myriad doctor             everything, in a second or two
  myriad doctor --json      the same for machines, and for those who help you";

/// Examine this machine: GPU, driver, audio, rights, processor, plugins; and say what to do
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print the findings as one JSON object
    #[arg(long)]
    json: bool,

    /// Which GPU, where there are several
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: usize,
}

/// How good something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something will be worse than it could be.
    Warning,
    /// Something does not work.
    Broken,
}

/// Something that was looked at; the fields are keys of `--json`.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    /// What it is about: `GPU`, `driver`, `audio` and so on.
    about: &'static str,
    state: State,
    text: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Finding {
    fn ok(about: &'static str, text: impl Into<String>) -> Self {
        Self {
            about,
            state: State::Ok,
            text: text.into(),
            advice: None,
        }
    }

    fn note(about: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            state: State::Note,
            advice: Some(advice.into()),
            ..Self::ok(about, text)
        }
    }

    fn warning(about: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            state: State::Warning,
            ..Self::note(about, text, advice)
        }
    }

    fn broken(about: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            state: State::Broken,
            ..Self::note(about, text, advice)
        }
    }
}

/// All of it; the fields are the keys of `--json`.
#[derive(Serialize)]
struct Examination {
    schema: u32,
    version: &'static str,
    machine: String,
    findings: Vec<Finding>,
}

/// Runs the command.
///
/// # Errors
/// When standard output has gone.
pub fn run(args: &Args) -> Result<(), Failure> {
    let examination = Examination {
        schema: 1,
        version: env!("CARGO_PKG_VERSION"),
        machine: machine::line(),
        findings: [
            processor::examine(),
            rights::examine(),
            gpu::examine(args.device),
            audio::examine(),
            plugins::examine(),
        ]
        .concat(),
    };
    match args.json {
        true => terminal::print_json(&examination),
        false => terminal::print(&examination.to_text()),
    }
}

impl Examination {
    fn to_text(&self) -> String {
        let mut text = format!("Myriad {} on {}\n\n", self.version, self.machine);
        for finding in &self.findings {
            let mark = match finding.state {
                State::Ok => "ok",
                State::Note => "note",
                State::Warning => "warn",
                State::Broken => "BAD",
            };
            let _ = writeln!(text, "{mark:<5} {:<10} {}", finding.about, finding.text);
            if let Some(advice) = &finding.advice {
                let _ = writeln!(text, "{:<16} → {advice}", "");
            }
        }
        let count = |state| {
            let findings = self.findings.iter();
            findings.filter(|finding| finding.state == state).count()
        };
        let _ = writeln!(
            text,
            "\n{} things looked at: {} broken, {} to improve, {} to know.",
            self.findings.len(),
            count(State::Broken),
            count(State::Warning),
            count(State::Note)
        );
        text
    }
}
