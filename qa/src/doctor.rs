//! `myriad doctor`: what this machine has, what that means, and what to do about it.

mod audio;
mod gpu;
mod machine;

use myriad_player::failure::Failure;
use myriad_player::terminal;
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

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// Nothing needs to be done.
    Ok,
    /// The user should know it.
    Note,
    /// Something works worse than it could.
    Warning,
    /// Something does not work.
    Broken,
}

/// The result of one examination; the fields are keys of `--json`.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    /// The subject: `gpu`, `driver`, `audio` and so on.
    about: &'static str,
    state: State,
    text: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Finding {
    /// A finding about which nothing needs to be done.
    fn ok(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, state: State::Ok, text: text.into(), advice: None }
    }

    /// The same finding, as serious as `state` and with `advice`.
    fn with(self, state: State, advice: impl Into<String>) -> Self {
        Self { state, advice: Some(advice.into()), ..self }
    }

    /// A warning when `bad`, otherwise unchanged.
    fn warn_if(self, bad: bool, advice: impl Into<String>) -> Self {
        match bad {
            true => self.with(State::Warning, advice),
            false => self,
        }
    }
}

/// All findings; the fields are the keys of `--json`.
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
        machine: myriad_player::machine::line(),
        findings: [machine::examine(), gpu::examine(args.device), audio::examine()].concat(),
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
        let [broken, improve, know] = [State::Broken, State::Warning, State::Note].map(|state| {
            let findings = self.findings.iter();
            findings.filter(|finding| finding.state == state).count()
        });
        let all = self.findings.len();
        text + &format!(
            "\n{all} things looked at: {broken} broken, {improve} to improve, {know} to know.\n"
        )
    }
}
