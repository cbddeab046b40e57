//! Routes MIDI messages to parts and parameters.

pub mod gesture;
pub mod learned;
pub mod ports;

use crate::song::{SongEvent, song_event};
use crossbeam_queue::ArrayQueue;
use midly::MidiMessage;
use midly::live::LiveEvent;
use myriad_engine::EventKind;
use myriad_engine::mpe::{Channels, MpeSettings};
use myriad_engine::params::Param;
use myriad_engine::patch::MACROS;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The macros' parameters, in order.
pub const MACRO_PARAMS: [Param; MACROS] = [
    Param::Macro1,
    Param::Macro2,
    Param::Macro3,
    Param::Macro4,
    Param::Macro5,
    Param::Macro6,
    Param::Macro7,
    Param::Macro8,
];

/// Routes the messages of all MIDI inputs. Any thread may use it, audio threads too, because it is made
/// of atomics.
pub struct Router {
    /// The part that each channel plays.
    parts: [AtomicU8; 16],
    /// The parameter that each controller is mapped to, counted from 1; 0 is none.
    learned: [AtomicU16; 128],
    /// Messages for the control thread, which shows keys, maps controllers and changes patches.
    heard: ArrayQueue<Heard>,
    /// Messages that could not be parsed.
    malformed: AtomicU64,
    /// The part of channels without one of their own, and [`MpeSettings`] for these channels.
    live: u8,
    mpe: AtomicU32,
}

/// A message for the control thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heard {
    Key { key: u8, down: bool },
    Control { part: u8, cc: u8, value: f32 },
    Program { part: u8, channel: u8, program: u8 },
}

impl Router {
    /// All channels play part `live`, except those in `own`, which are pairs of channel and part.
    pub fn new(live: u8, own: &[(u8, u8)]) -> Self {
        let router = Self {
            parts: std::array::from_fn(|_| AtomicU8::new(live)),
            learned: std::array::from_fn(|_| AtomicU16::new(0)),
            heard: ArrayQueue::new(1_024),
            malformed: AtomicU64::new(0),
            live,
            mpe: AtomicU32::new(MpeSettings::default().to_bits()),
        };
        for &(channel, part) in own {
            router.parts[usize::from(channel & 15)].store(part, Ordering::Relaxed);
        }
        router
    }

    /// Changes what is expected of MPE controllers.
    pub fn set_mpe(&self, settings: MpeSettings) {
        self.mpe.store(settings.to_bits(), Ordering::Relaxed);
    }

    /// Parses one message; `play` receives the part and the events. `channels` is what is known of the
    /// channels of that input.
    pub fn hear(&self, channels: &mut Channels, bytes: &[u8], mut play: impl FnMut(u8, EventKind)) {
        let (channel, message) = match LiveEvent::parse(bytes) {
            Ok(LiveEvent::Midi { channel, message }) => (channel.as_int(), message),
            // Clock and system messages are ignored.
            Ok(_) => return,
            Err(_) => {
                self.malformed.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        let part = self.parts[usize::from(channel & 15)].load(Ordering::Relaxed);
        match (message, song_event(message)) {
            (_, SongEvent::Program(program)) => {
                self.tell(Heard::Program { part, channel, program })
            }
            (MidiMessage::Controller { controller, value }, SongEvent::Engine(kind)) => {
                let (cc, value) = (controller.as_int(), f32::from(value.as_int()) / 127.0);
                self.tell(Heard::Control { part, cc, value });
                match self.learned_kind(cc, value) {
                    Some(kind) => play(part, kind),
                    None => self.play(channels, channel, kind, play),
                }
            }
            (_, SongEvent::Engine(kind)) => {
                match kind {
                    EventKind::NoteOn { key, .. } => self.tell(Heard::Key { key, down: true }),
                    EventKind::NoteOff { key, .. } => self.tell(Heard::Key { key, down: false }),
                    _ => {}
                }
                self.play(channels, channel, kind, play);
            }
        }
    }

    /// Plays an event of a channel; on the note channels of an MPE controller it is for their notes alone.
    fn play(
        &self,
        channels: &mut Channels,
        channel: u8,
        kind: EventKind,
        mut play: impl FnMut(u8, EventKind),
    ) {
        let part = self.parts[usize::from(channel & 15)].load(Ordering::Relaxed);
        if part == self.live {
            channels.configure(MpeSettings::from_bits(self.mpe.load(Ordering::Relaxed)));
            channels.play(channel, kind, &mut |kind| play(part, kind));
        } else {
            play(part, kind);
        }
    }

    pub fn next_heard(&self) -> Option<Heard> {
        self.heard.pop()
    }

    /// The parameter that a controller moves.
    pub fn param_of(&self, cc: u8) -> Option<Param> {
        let learned = self.learned.get(usize::from(cc))?.load(Ordering::Relaxed);
        let index = usize::from(learned).checked_sub(1)?;
        Param::ALL.get(index).copied()
    }

    /// The controller that moves a parameter.
    pub fn controller_of(&self, param: Param) -> Option<u8> {
        (0..128).find(|&cc| self.param_of(cc) == Some(param))
    }

    /// From now on controller `cc` moves `param` and no other does.
    pub fn learn(&self, cc: u8, param: Param) {
        self.forget(param);
        if let Some(slot) = self.learned.get(usize::from(cc)) {
            slot.store(param as u16 + 1, Ordering::Relaxed);
        }
    }

    /// Removes the controller that moves `param`.
    pub fn forget(&self, param: Param) {
        while let Some(cc) = self.controller_of(param) {
            self.learned[usize::from(cc)].store(0, Ordering::Relaxed);
        }
    }

    pub fn malformed(&self) -> u64 {
        self.malformed.load(Ordering::Relaxed)
    }

    fn learned_kind(&self, cc: u8, value: f32) -> Option<EventKind> {
        let param = self.param_of(cc)?;
        let value = param.info().kind.from_scale(value);
        Some(EventKind::Param { param, value })
    }

    fn tell(&self, heard: Heard) {
        // When the queue is full, the oldest message is dropped.
        self.heard.force_push(heard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(router: &Router, bytes: &[u8]) -> Vec<(u8, EventKind)> {
        let mut events = Vec::new();
        router.hear(&mut Channels::new(), bytes, |part, kind| events.push((part, kind)));
        events
    }

    #[test]
    fn channels_play_their_parts() {
        let router = Router::new(0, &[(1, 3)]);
        let key = 60;
        let on = EventKind::NoteOn { key, velocity: 1.0 };
        assert_eq!(heard(&router, &[0x90, key, 127]), [(0, on)]);
        assert_eq!(heard(&router, &[0x91, key, 127]), [(3, on)]);
        let off = EventKind::NoteOff { key, velocity: 64.0 / 127.0 };
        assert_eq!(heard(&router, &[0x90, key, 0]), [(0, off)]);
        let down = Heard::Key { key, down: true };
        assert_eq!(router.next_heard(), Some(down));
    }

    /// A bend on a note channel is for its note, except on channels with a patch of their own.
    #[test]
    fn notes_of_mpe_controllers_bend_alone() {
        use myriad_engine::Expression;
        use myriad_engine::mpe::MpeZone;
        let router = Router::new(0, &[(5, 3)]);
        router.set_mpe(MpeSettings { zone: MpeZone::Lower, channels: 15, bend_range: 24 });
        let mut channels = Channels::new();
        let mut hear = |bytes: &[u8]| {
            let mut events = Vec::new();
            router.hear(&mut channels, bytes, |part, kind| events.push((part, kind)));
            events
        };
        hear(&[0x91, 60, 100]);
        hear(&[0x92, 64, 100]);
        let kind = Expression::Pitch;
        let bent = EventKind::NoteExpression { key: 64, kind, value: -24.0 };
        assert_eq!(hear(&[0xE2, 0, 0]), [(0, bent)]);
        assert_eq!(hear(&[0xE5, 0, 0]), [(3, EventKind::PitchBend(-1.0))]);
        assert_eq!(hear(&[0xE0, 0, 0]), [(0, EventKind::PitchBend(-1.0))]);
    }

    #[test]
    fn programs_go_to_the_control_thread() {
        let router = Router::new(0, &[]);
        assert_eq!(heard(&router, &[0xC2, 19]), []);
        let (part, channel, program) = (0, 2, 19);
        let expected = Heard::Program { part, channel, program };
        assert_eq!(router.next_heard(), Some(expected));
    }

    #[test]
    fn a_learned_controller_moves_its_parameter_and_nothing_else() {
        let router = Router::new(0, &[]);
        router.learn(1, Param::Macro5);
        let turned = EventKind::Param { param: Param::Macro5, value: 1.0 };
        assert_eq!(heard(&router, &[0xB0, 1, 127]), [(0, turned)]);
        router.learn(2, Param::Macro5);
        let wheel = EventKind::Control { cc: 1, value: 1.0 };
        assert_eq!(heard(&router, &[0xB0, 1, 127]), [(0, wheel)]);
        assert_eq!(router.controller_of(Param::Macro5), Some(2));
    }

    /// Malformed messages do not disturb notes after them.
    #[test]
    fn malformed_messages_are_counted_and_skipped() {
        let router = Router::new(0, &[]);
        let broken: [&[u8]; 6] =
            [&[], &[60], &[0x90], &[0x90, 60], &[0x90, 0x90, 60], &[0xB0, 200, 1]];
        for bytes in broken {
            assert_eq!(heard(&router, bytes), [], "{bytes:?}");
        }
        for bytes in [&[0xF8][..], &[0xF0, 1, 2, 0xF7], &[0xFE]] {
            assert_eq!(heard(&router, bytes), [], "{bytes:?}");
        }
        assert_eq!(router.malformed(), broken.len() as u64);
        assert_eq!(heard(&router, &[0x90, 60, 1]).len(), 1);
    }

    #[test]
    fn no_pair_of_bytes_panics() {
        let router = Router::new(0, &[]);
        for first in 0..=255 {
            for second in 0..=255 {
                router.hear(&mut Channels::new(), &[first, second, first], |_, _| {});
            }
        }
    }
}
