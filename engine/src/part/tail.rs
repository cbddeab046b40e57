//! How long a part sounds after its keys are released.

use super::{Part, Transport};
use crate::params::Param;

impl Part {
    /// Seconds until its voices are silent when every key and pedal is released now; `None` when
    /// the arpeggiator holds its keys and never ends.
    pub(crate) fn tail(&self, transport: Transport) -> Option<f32> {
        let step = self.arp_step_seconds(transport.bpm);
        if step > 0.0 && self.controls[Param::ArpHold] != 0.0 {
            return None;
        }
        let sounding = (0..self.high).filter(|&voice| !self.voices[voice].is_free());
        let speeds = sounding.map(|voice| self.envelope_speed(0, voice));
        let slowest = speeds.fold(self.controls[Param::Env1Speed], f32::min);
        let release = match &self.drawn_envelopes[0] {
            None => self.envelope_settings[0].release_seconds(slowest),
            Some(drawn) => drawn.release_seconds(slowest),
        };
        Some(step + release)
    }
}
