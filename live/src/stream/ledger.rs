//! What is being held: keys, pedals, controllers and parameters, so that another engine can go on
//! where one was.

use myriad_engine::params::{COUNT, Param};
use myriad_engine::{Event, EventKind};

/// What every part was last told.
pub(super) struct Ledger {
    parts: Vec<PartLedger>,
    transport: Option<EventKind>,
}

struct PartLedger {
    /// How hard each key is held, if it is.
    keys: [Option<f32>; 128],
    controllers: [Option<f32>; 128],
    bend: f32,
    pressure: f32,
    params: [Option<f32>; COUNT],
}

impl PartLedger {
    fn new() -> Self {
        Self {
            keys: [None; 128],
            controllers: [None; 128],
            bend: 0.0,
            pressure: 0.0,
            params: [None; COUNT],
        }
    }

    fn note(&mut self, kind: &EventKind) {
        match *kind {
            EventKind::NoteOn { key, velocity } => {
                self.keys[usize::from(key & 127)] = (velocity > 0.0).then_some(velocity);
            }
            EventKind::NoteOff { key, .. } | EventKind::NoteChoke { key } => {
                self.keys[usize::from(key & 127)] = None;
            }
            EventKind::PitchBend(bend) => self.bend = bend,
            EventKind::ChannelPressure(pressure) => self.pressure = pressure,
            EventKind::Control { cc: 120 | 123, .. }
            | EventKind::AllNotesOff
            | EventKind::AllSoundOff => self.keys = [None; 128],
            EventKind::Control { cc: 121, .. } => {
                self.controllers = [None; 128];
                (self.bend, self.pressure) = (0.0, 0.0);
            }
            EventKind::Control { cc, value } => {
                self.controllers[usize::from(cc & 127)] = Some(value)
            }
            EventKind::Param { param, value } => self.params[param as usize] = Some(value),
            EventKind::PolyPressure { .. }
            | EventKind::NoteExpression { .. }
            | EventKind::NoteModulation { .. }
            | EventKind::Transport { .. } => {}
        }
    }
}

impl Ledger {
    pub(super) fn new(parts: usize) -> Self {
        Self {
            parts: (0..parts).map(|_| PartLedger::new()).collect(),
            transport: None,
        }
    }

    /// Nothing is held.
    pub(super) fn clear(&mut self) {
        self.parts.fill_with(PartLedger::new);
        self.transport = None;
    }

    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &Event) {
        if let EventKind::Transport { .. } = event.kind {
            self.transport = Some(event.kind);
        }
        if let Some(part) = self.parts.get_mut(usize::from(event.part)) {
            part.note(&event.kind);
        }
    }

    /// Another patch: keys are let go, and parameters are the patch's.
    pub(super) fn change_patch(&mut self, part: usize) {
        if let Some(part) = self.parts.get_mut(part) {
            part.keys = [None; 128];
            part.params = [None; COUNT];
        }
    }

    /// Tells `listen` everything that is held.
    pub(super) fn recite(&self, mut listen: impl FnMut(Event)) {
        if let Some(kind) = self.transport {
            listen(Event {
                frame: 0,
                part: 0,
                kind,
            });
        }
        for (index, ledger) in self.parts.iter().enumerate() {
            let mut tell = |kind| {
                listen(Event {
                    frame: 0,
                    part: index as u8,
                    kind,
                })
            };
            for (param, value) in Param::ALL.iter().zip(ledger.params) {
                value.into_iter().for_each(|value| {
                    tell(EventKind::Param {
                        param: *param,
                        value,
                    })
                });
            }
            for (cc, value) in ledger.controllers.iter().enumerate() {
                if let Some(value) = *value {
                    tell(EventKind::Control {
                        cc: cc as u8,
                        value,
                    });
                }
            }
            tell(EventKind::PitchBend(ledger.bend));
            tell(EventKind::ChannelPressure(ledger.pressure));
            for (key, velocity) in ledger.keys.iter().enumerate() {
                if let Some(velocity) = *velocity {
                    tell(EventKind::NoteOn {
                        key: key as u8,
                        velocity,
                    });
                }
            }
        }
    }
}
