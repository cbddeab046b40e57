//! The parameter table: every parameter of the instrument, declared once.
//!
//! Patches, modulation, the command line, the plugin, the editor and the manual read this table.
//! To add a parameter, add a row to `params/table.rs` and use its [`Param`] where it takes effect.

#[rustfmt::skip] // A list of names is easier to read as a paragraph.
mod choices;
mod kind;
mod table;

pub use kind::{Curve, Kind, Unit};
pub use table::{Param, TABLE};

use std::sync::LazyLock;

/// One parameter of the table.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// Stable id, `group.name`: stored by patches and hosts.
    pub id: &'static str,
    /// Name for users.
    pub name: &'static str,
    /// Its kind and range of values.
    pub kind: Kind,
    /// The value of a fresh patch.
    pub default: f32,
    /// Whether routes can modulate it.
    pub modulated: bool,
    /// Whether routes modulate it for the whole part and not for each voice, as with effects. The
    /// newest note's sources count then.
    pub shared: bool,
    /// One sentence for tooltips and the manual.
    pub help: &'static str,
}

impl ParamInfo {
    /// The part of the id before the dot.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }

    /// The part of the id after the dot.
    pub fn key(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(_, key)| key)
    }

    /// The value as people read it, with its unit.
    pub fn format(&self, value: f32) -> String {
        self.kind.format(value)
    }

    /// Reads a value as people write it; see [`Kind::parse`].
    pub fn parse(&self, text: &str) -> Option<f32> {
        self.kind.parse(text)
    }

    /// The nearest value that the parameter can have.
    pub fn clamp(&self, value: f32) -> f32 {
        match value.is_nan() {
            true => self.default,
            false => self.kind.clamp(value),
        }
    }

    /// Whether routes move it voice by voice; others move it for all voices at once, or not at all.
    pub(crate) const fn is_per_voice(&self) -> bool {
        self.modulated && !self.shared
    }

    const fn modulated(mut self) -> Self {
        self.modulated = true;
        self
    }

    const fn shared(mut self) -> Self {
        (self.modulated, self.shared) = (true, true);
        self
    }
}

/// Number of parameters.
pub const COUNT: usize = Param::ALL.len();

impl Param {
    /// Its row in the table.
    pub fn info(self) -> &'static ParamInfo {
        &TABLE[self as usize]
    }

    /// Those that routes can modulate.
    pub fn modulated() -> &'static [Param] {
        static MODULATED: LazyLock<Vec<Param>> = LazyLock::new(|| {
            let all = Param::ALL.iter().copied();
            all.filter(|param| param.info().modulated).collect()
        });
        &MODULATED
    }

    /// The parameter with this id.
    pub fn by_id(id: &str) -> Option<Param> {
        let index = TABLE.iter().position(|row| row.id == id)?;
        Some(Param::ALL[index])
    }

    /// The parameter `offset` rows further down, for groups that repeat (envelopes, LFOs).
    pub(crate) fn offset(self, offset: usize) -> Param {
        Param::ALL[self as usize + offset]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_have_a_group() {
        let ids: HashSet<_> = TABLE.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), COUNT);
        assert!(TABLE.iter().all(|row| row.id.contains('.')));
    }

    #[test]
    fn defaults_are_in_range_and_survive_the_scale() {
        for row in TABLE {
            assert_eq!(row.clamp(row.default), row.default, "{}", row.id);
            let back = row.kind.from_scale(row.kind.to_scale(row.default));
            assert!((back - row.default).abs() < 1e-3 * row.default.abs().max(1.0), "{}", row.id);
        }
    }

    #[test]
    fn formatted_values_parse_to_the_same_text() {
        for row in TABLE {
            for step in 0..=2_000 {
                let text = row.format(row.kind.from_scale(step as f32 / 2_000.0));
                let read = row.parse(&text).unwrap_or_else(|| panic!("{} {text}", row.id));
                let knob = row.kind.from_scale(row.kind.to_scale(read));
                assert_eq!(row.format(knob), text, "{}", row.id);
            }
        }
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        let read = |param: Param, text| param.info().parse(text);
        assert_eq!(read(Param::FilterCutoff, "1.5 kHz"), Some(1_500.0));
        assert_eq!(read(Param::FilterCutoff, " 440 "), Some(440.0));
        assert_eq!(read(Param::Env1Attack, "20ms"), Some(0.02));
        assert_eq!(read(Param::Env1Attack, "2 s"), Some(2.0));
        assert_eq!(read(Param::AmpPan, "30% Left"), Some(-0.3));
        assert_eq!(read(Param::AmpPan, "centre"), Some(0.0));
        assert_eq!(read(Param::AmpLevel, "-3 dB"), Some(-3.0));
        assert_eq!(read(Param::AmpLevel, "100"), Some(12.0));
        assert_eq!(read(Param::SourceTable, "Bell"), Some(5.0));
        assert_eq!(read(Param::PitchTranspose, "-12"), Some(-12.0));
        for nonsense in ["", "loud", "nan", "3 apples", "--", "1e9"] {
            assert_eq!(read(Param::AmpLevel, nonsense), None, "{nonsense}");
        }
    }

    /// Patches and projects that were saved before a choice was renamed keep their sound.
    #[test]
    fn former_names_of_choices_are_read() {
        let read = |param: Param, text| param.info().parse(text);
        for (param, former, index) in [
            (Param::SourceLoop, "to and fro", 2.0),
            (Param::FilterType, "low 12", 1.0),
            (Param::Filter2Type, "band 24", 6.0),
            (Param::Lfo1Shape, "steps", 5.0),
            (Param::Lfo3Shape, "drift", 6.0),
            (Param::Lfo6Shape, "hump", 8.0),
            (Param::Lfo2Mode, "note", 1.0),
            (Param::StrikeMaterial, "own", 0.0),
            (Param::LayerMaterial, "own", 0.0),
            (Param::PartialScale, "fourth chord", 4.0),
            (Param::PartialScale, "semitones", 15.0),
            (Param::ArpMode, "up and down", 3.0),
        ] {
            assert_eq!(read(param, former), Some(index), "{}", param.info().id);
        }
        assert_eq!(read(Param::Lfo1Shape, "to and fro"), None);
        for (former, now) in choices::FORMER_NAMES {
            let reads = |row: &&ParamInfo| row.parse(former).is_some_and(|v| row.format(v) == *now);
            assert!(TABLE.iter().any(|row| reads(&row)), "{former}");
        }
    }

    #[test]
    fn tables_are_named_as_the_parameter_names_them() {
        for (name, table) in choices::TABLES.iter().zip(crate::spectrum::Table::ALL) {
            assert_eq!(name.replace(' ', ""), format!("{table:?}").to_lowercase());
        }
    }
}
