//! Display names of groups, parameters and sources. They are made from the engine's table, so a new
//! row needs nothing here.

use myriad_engine::Patch;
use myriad_engine::modulation::Source;
use myriad_engine::params::Param;

/// The title of a group: `env2` becomes "Env 2".
pub fn group(id: &str) -> String {
    let (word, number) = id.split_at(id.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    let word = match word {
        "lfo" | "eq" => word.to_uppercase(),
        _ => capitalised(word),
    };
    match number {
        "" => word,
        number => format!("{word} {number}"),
    }
}

/// A parameter with its group: "Filter Cutoff", "Env 2 Attack".
pub fn of(param: Param) -> String {
    let info = param.info();
    let (group, name) = (group(info.group()), info.name);
    match name.starts_with(&group) {
        true => name.to_owned(),
        false => format!("{group} {name}"),
    }
}

/// A parameter under the title of its group: "Cutoff", and "Rate" for a "Decay rate".
pub(crate) fn in_group(param: Param) -> String {
    let info = param.info();
    let rest = info.name.strip_prefix(&group(info.group()));
    let word = rest.and_then(|rest| rest.strip_prefix(' '));
    let Some(word) = word.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit())) else {
        return info.name.to_owned();
    };
    capitalised(word)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A source: "LFO 1", "Velocity", or the patch's name of the macro.
pub(crate) fn source(source: Source, patch: &Patch) -> String {
    let number = source.name().strip_prefix("macro");
    let index = number.and_then(|number| number.parse::<usize>().ok());
    let name = index.and_then(|index| patch.macro_names.get(index - 1));
    match name.filter(|name| !name.is_empty()) {
        Some(name) => name.clone(),
        None => group(source.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_well() {
        assert_eq!(of(Param::FilterCutoff), "Filter Cutoff");
        assert_eq!(of(Param::FilterType), "Filter");
        assert_eq!(of(Param::Env2Attack), "Env 2 Attack");
        assert_eq!(of(Param::Macro3), "Macro 3");
        assert_eq!(group("lfo1"), "LFO 1");
        assert_eq!(in_group(Param::DecayRate), "Rate");
        assert_eq!(in_group(Param::FilterCutoff), "Cutoff");
        assert_eq!(in_group(Param::FilterType), "Filter");
        assert_eq!(in_group(Param::Macro3), "Macro 3");
    }

    #[test]
    fn macros_are_called_as_the_patch_calls_them() {
        let mut patch = Patch::new();
        patch.macro_names[1] = "Growl".into();
        assert_eq!(source(Source::Macro2, &patch), "Growl");
        assert_eq!(source(Source::Macro1, &patch), "Macro 1");
    }
}
