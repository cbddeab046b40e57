//! What the page knows of the instrument: its parameters, the factory patches, and the patch on display.

use crate::json::{list, object, text};
use myriad_engine::params::{Curve, Kind, Param, ParamInfo};
use myriad_engine::{Patch, factory};

/// Answers questions of the page; all answers are JSON.
#[derive(Default)]
pub struct Catalogue {
    /// The patch on display, with the knobs as the user has left them.
    patch: Patch,
    last: String,
}

impl Catalogue {
    /// Answers and keeps the answer.
    pub fn ask(&mut self, question: &str) -> &str {
        self.last = self.answer(question);
        &self.last
    }

    /// The last answer.
    pub fn last(&self) -> &str {
        &self.last
    }

    /// The answer to a question, a word and what follows it:
    /// `parameters`, `patches`; `file NAME` is the text of a factory patch; `open NAME` and `read TOML` put a patch on display and describe it;
    /// `set ID VALUE` moves a knob; `text ID VALUE` is the value as people read it;
    /// `toml` is the patch on display as a file. What fails is `{"error": …}`.
    pub fn answer(&mut self, question: &str) -> String {
        let (word, rest) = question.split_once(' ').unwrap_or((question, ""));
        let answer = match word {
            "parameters" => Ok(list(Param::ALL.iter().map(|param| parameter(param.info())))),
            "patches" => Ok(list(factory::patches().iter().map(listing))),
            "open" => match factory::find(rest) {
                Some(patch) => Ok(self.display(patch)),
                None => Err(format!("no patch is called {rest}")),
            },
            "file" => match factory::find(rest) {
                Some(patch) => Ok(text(&patch.to_toml())),
                None => Err(format!("no patch is called {rest}")),
            },
            "read" => Patch::parse(rest, "the patch")
                .map(|patch| self.display(patch))
                .map_err(|error| error.to_string()),
            "set" => value_of(rest).map(|(param, value)| {
                self.patch.values.set(param, value);
                text(&param.info().format(self.patch.values[param]))
            }),
            "text" => value_of(rest).map(|(param, value)| text(&param.info().format(value))),
            "toml" => Ok(text(&self.patch.to_toml())),
            _ => Err(format!("no such question: {word}")),
        };
        answer.unwrap_or_else(|error| object([("error", text(&error))]))
    }

    fn display(&mut self, patch: Patch) -> String {
        self.patch = patch;
        let values = Param::ALL.iter().map(|&param| self.patch.values[param].to_string());
        object([
            ("name", text(&self.patch.name)),
            ("category", text(&self.patch.category)),
            ("description", text(&self.patch.description)),
            ("tags", list(self.patch.tags.iter().map(|tag| text(tag)))),
            ("macros", list(self.patch.macro_names.iter().map(|name| text(name)))),
            ("kit", (!self.patch.key_zones.is_empty()).to_string()),
            ("values", list(values)),
            ("toml", text(&self.patch.to_toml())),
        ])
    }
}

/// A parameter and a value in its own unit, `ID VALUE`.
fn value_of(words: &str) -> Result<(Param, f32), String> {
    let (id, value) = words.split_once(' ').unwrap_or((words, ""));
    let param = Param::by_id(id).ok_or_else(|| format!("no parameter is called {id}"))?;
    let value: f32 = value.parse().map_err(|_| format!("{value} is not a number"))?;
    Ok((param, param.info().clamp(value)))
}

fn listing(patch: &Patch) -> String {
    object([
        ("name", text(&patch.name)),
        ("category", text(&patch.category)),
        ("description", text(&patch.description)),
        ("tags", list(patch.tags.iter().map(|tag| text(tag)))),
    ])
}

fn parameter(info: &ParamInfo) -> String {
    let (min, max) = info.kind.range();
    let (curve, choices) = match info.kind {
        Kind::Number { curve: Curve::Linear, .. } => ("linear".into(), &[][..]),
        Kind::Number { curve: Curve::Exponential, .. } => ("exponential".into(), &[][..]),
        Kind::Number { curve: Curve::Power(power), .. } => (format!("power {power}"), &[][..]),
        Kind::Whole { .. } => ("whole".into(), &[][..]),
        Kind::Choice(names) => ("choice".into(), names),
    };
    object([
        ("id", text(info.id)),
        ("name", text(info.name)),
        ("curve", text(&curve)),
        ("min", min.to_string()),
        ("max", max.to_string()),
        ("default", info.default.to_string()),
        ("choices", list(choices.iter().map(|name| text(name)))),
        ("help", text(info.help)),
    ])
}
