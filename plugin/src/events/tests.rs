use super::*;
use myriad_engine::mpe::MpeZone;
use nice_plug::midi::{Channel, VoiceID};

const NO_MPE: MpeSettings = MpeSettings { zone: MpeZone::Off, channels: 15, bend_range: 48 };
const PLAIN: BlockContext = BlockContext { api: PluginApi::Clap, mpe: NO_MPE, bypassed: false };
const MPE: BlockContext =
    BlockContext { mpe: MpeSettings { zone: MpeZone::Lower, ..NO_MPE }, ..PLAIN };

fn on(id: i32, channel: u8, key: u8) -> NoteEvent<()> {
    NoteEvent::NoteOn {
        timing: 5,
        voice_id: VoiceID::ID(id),
        channel: Channel::Number(channel),
        key: Key::Number(key),
        velocity: 0.5,
    }
}

fn translated(context_: BlockContext, events: &[NoteEvent<()>]) -> Vec<EventKind> {
    let (mut translator, mut queue) = (Translator::new(), Queue::new(64));
    for event in events {
        translator.translate(event, context_, &mut queue);
    }
    queue.events().iter().map(|event| event.kind).collect()
}

#[test]
fn notes_end_by_id_key_or_wildcard() {
    let off = |voice_id, key| NoteEvent::NoteOff {
        timing: 9,
        voice_id,
        channel: Channel::Wildcard,
        key,
        velocity: 0.25,
    };
    let velocity = 0.25;
    for off in [off(VoiceID::ID(7), Key::Wildcard), off(VoiceID::Wildcard, Key::Number(60))] {
        let kinds = translated(PLAIN, &[on(7, 0, 60), on(8, 0, 64), off]);
        assert_eq!(kinds[2..], [EventKind::NoteOff { key: 60, velocity }]);
    }
    let all = off(VoiceID::Wildcard, Key::Wildcard);
    assert_eq!(translated(PLAIN, &[on(7, 0, 60), on(8, 3, 64), all]).len(), 4);
}

#[test]
fn a_note_on_without_a_key_starts_and_ends_nothing() {
    let mut open = on(7, 0, 60);
    if let NoteEvent::NoteOn { key, .. } = &mut open {
        *key = Key::Wildcard;
    }
    assert_eq!(translated(PLAIN, &[on(1, 0, 64), open]).len(), 1);
}

#[test]
fn bypass_starts_no_notes() {
    let bypassed = BlockContext { bypassed: true, ..PLAIN };
    assert_eq!(translated(bypassed, &[on(1, 0, 60)]), []);
}

#[test]
fn swapped_vst3_expressions_are_translated() {
    let expression = NoteEvent::PolyExpression {
        timing: 0,
        voice_id: VoiceID::ID(1),
        channel: Channel::Number(0),
        key: Key::Number(60),
        expression: 0.75,
    };
    let vst3 = BlockContext { api: PluginApi::Vst3, ..PLAIN };
    let brightness =
        EventKind::NoteExpression { key: 60, kind: Expression::Brightness, value: 0.75 };
    assert_eq!(translated(vst3, &[on(1, 0, 60), expression])[1..], [brightness]);
    assert_eq!(translated(PLAIN, &[on(1, 0, 60), expression]).len(), 1);
}

#[test]
fn mpe_channels_control_only_their_own_notes() {
    let bend = |channel, value| NoteEvent::MidiPitchBend { timing: 6, channel, value };
    let kinds = translated(MPE, &[on(1, 1, 60), on(2, 2, 67), bend(2, 1.0), bend(0, 1.0)]);
    let octaves = EventKind::NoteExpression { key: 67, kind: Expression::Pitch, value: 48.0 };
    // Each note starts with its channel's bend, brightness and pressure.
    assert_eq!(kinds[8..], [octaves, EventKind::PitchBend(1.0)]);
    let plain = translated(PLAIN, &[on(1, 1, 60), bend(2, 1.0)]);
    assert_eq!(plain[1..], [EventKind::PitchBend(1.0)]);
}

#[test]
fn a_modulated_parameter_reaches_the_note_with_the_id() {
    let modulation = |id| NoteEvent::PolyModulation {
        timing: 0,
        voice_id: id,
        poly_modulation_id: Param::FilterCutoff as u32,
        normalized_offset: -0.5,
    };
    let expected = EventKind::NoteModulation { key: 64, param: Param::FilterCutoff, offset: -0.5 };
    let kinds = translated(PLAIN, &[on(1, 0, 60), on(2, 0, 64), modulation(2)]);
    assert_eq!(kinds[2..], [expected]);
    assert_eq!(translated(PLAIN, &[on(1, 0, 60), modulation(3)]).len(), 1);
}

#[test]
fn both_pitch_bend_centres_become_zero() {
    assert_eq!([0.0, 0.5, 8_192.0 / 16_383.0, 1.0].map(bend), [-1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_full_queue_drops_events_and_keeps_the_order() {
    let (mut translator, mut queue) = (Translator::new(), Queue::new(2));
    queue.push(9, EventKind::AllNotesOff);
    translator.translate(&on(1, 0, 60), PLAIN, &mut queue);
    translator.translate(&on(2, 0, 61), PLAIN, &mut queue);
    let frames: Vec<u32> = queue.events().iter().map(|event| event.frame).collect();
    assert_eq!(frames, [9, 9]);
}

/// More events than a block holds: a note whose end finds no room must not sound for ever.
#[test]
fn no_note_hangs_when_its_note_off_finds_no_room() {
    let (mut translator, mut queue) = (Translator::new(), Queue::new(4));
    let wheel = NoteEvent::MidiPitchBend { timing: 5, channel: 0, value: 0.5 };
    let off = NoteEvent::NoteOff {
        timing: 9,
        voice_id: VoiceID::ID(7),
        channel: Channel::Number(0),
        key: Key::Number(60),
        velocity: 0.25,
    };
    for event in [on(7, 0, 60), wheel, wheel, wheel, wheel, off] {
        translator.translate(&event, PLAIN, &mut queue);
    }
    let last = queue.events().last().unwrap();
    assert_eq!((last.frame, last.kind), (9, EventKind::AllNotesOff));
}
