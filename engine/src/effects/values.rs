//! The parameters of all effects: a range of the table.

use crate::controls::Values;
use crate::params::{Kind, Param, TABLE};
use std::ops::{Index, Range};

const FIRST: usize = Param::DriveOn as usize;
const END: usize = Param::LimiterRelease as usize + 1;

/// One number for every row of the effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EffectValues([f32; END - FIRST]);

impl EffectValues {
    /// The switches of all effects.
    pub(crate) const SWITCHES: [Param; 14] = [
        Param::DriveOn,
        Param::CrusherOn,
        Param::EqOn,
        Param::CompressorOn,
        Param::MultibandOn,
        Param::ShifterOn,
        Param::ChorusOn,
        Param::PhaserOn,
        Param::FlangerOn,
        Param::DelayOn,
        Param::ReverbOn,
        Param::ConvolverOn,
        Param::DuckerOn,
        Param::LimiterOn,
    ];

    /// The defaults, at which everything is off.
    pub(crate) fn off() -> Self {
        Self(std::array::from_fn(|row| TABLE[FIRST + row].default))
    }

    /// The rows of an effect, which start with its switch.
    pub(super) fn rows_of(switch: Param) -> Range<usize> {
        let group = TABLE[switch as usize].group();
        let first = switch as usize;
        let rows = TABLE[first..].iter().take_while(|row| row.group() == group);
        first..first + rows.count()
    }

    /// Takes all of them from the values of a part.
    pub(crate) fn read(&mut self, values: &Values) {
        self.0.copy_from_slice(&values.0[FIRST..END]);
    }

    pub(crate) fn set(&mut self, param: Param, value: f32) {
        self.0[param as usize - FIRST] = value;
    }

    /// Copies the values that may change while they are heard.
    pub(super) fn take_smooth(&mut self, from: &Self, rows: Range<usize>) {
        for row in rows.filter(|&row| is_smooth(Param::ALL[row])) {
            self.0[row - FIRST] = from.0[row - FIRST];
        }
    }

    /// Copies some rows.
    pub(super) fn take(&mut self, from: &Self, rows: Range<usize>) {
        let rows = rows.start - FIRST..rows.end - FIRST;
        self.0[rows.clone()].copy_from_slice(&from.0[rows]);
    }
}

impl Param {
    /// Whether it belongs to an effect.
    pub fn is_of_an_effect(self) -> bool {
        (FIRST..END).contains(&(self as usize))
    }
}

/// Whether an effect follows a change of this parameter without a jump: numbers are smoothed, delay
/// times and impulse responses are crossfaded.
pub(super) fn is_smooth(param: Param) -> bool {
    matches!(param.info().kind, Kind::Number { .. })
        || matches!(param, Param::DelaySync | Param::ConvolverResponse)
}

impl Index<Param> for EffectValues {
    type Output = f32;
    fn index(&self, param: Param) -> &f32 {
        &self.0[param as usize - FIRST]
    }
}
