//! What validators do to find crashes: random parameters, notes and modulation, in and out of
//! order. The host checks every sample on the way.

use crate::host::*;
use clack_host::events::event_types::NoteExpressionType;
use clack_host::events::{Match, Pckn};

fn wild<T>(dice: &mut Dice, value: T) -> Match<T> {
    match dice.roll(6) {
        0 => Match::All,
        _ => Match::Specific(value),
    }
}

/// Any note, perhaps one that never was, with parts left open.
fn any_note(dice: &mut Dice) -> Pckn {
    let (channel, key, id) = (dice.roll(16) as u16, dice.roll(128) as u16, dice.roll(100) as u32);
    Pckn::new(wild(dice, 0u16), wild(dice, channel), wild(dice, key), wild(dice, id))
}

fn any_event(dice: &mut Dice, params: &[Info]) -> Say {
    let info = &params[dice.roll(params.len())];
    match dice.roll(10) {
        0 | 1 => Say::On(any_note(dice), dice.unit()),
        2 => Say::Off(any_note(dice)),
        3 => Say::Choke(any_note(dice)),
        4 => {
            let status = 0x80 + dice.roll(0x70) as u8;
            Say::Midi([status, dice.roll(128) as u8, dice.roll(128) as u8])
        }
        5 => Say::Modulate(info.id, any_note(dice), 2.0 * dice.unit() - 1.0),
        6 => {
            let kinds = [
                NoteExpressionType::Volume,
                NoteExpressionType::Pan,
                NoteExpressionType::Tuning,
                NoteExpressionType::Vibrato,
                NoteExpressionType::Expression,
                NoteExpressionType::Brightness,
                NoteExpressionType::Pressure,
            ];
            Say::Express(any_note(dice), kinds[dice.roll(7)], 8.0 * dice.unit() - 4.0)
        }
        7 => {
            let tempos = [0.0, -1.0, 1e9, f64::NAN, 120.0, 90.5];
            Say::Song(tempos[dice.roll(6)], 2e6 * dice.unit() - 1e6)
        }
        _ => Say::Set(info.id, dice.unit() * info.range.end()),
    }
}

#[test]
fn random_parameters_notes_and_modulation() {
    let mut host = Host::new();
    let params = host.params();
    let mut dice = Dice(1337);
    for round in 0..30 {
        let sizes: Vec<usize> = (0..6).map(|_| 1 + dice.roll(700)).collect();
        let frames: usize = sizes.iter().sum();
        let mut events: Vec<(usize, Say)> = Vec::new();
        // Now and then everything at once, at the ends of its range.
        if round % 3 == 0 {
            let end = |dice: &mut Dice, info: &Info| match dice.roll(2) {
                0 => *info.range.start(),
                _ => *info.range.end(),
            };
            events.extend(params.iter().map(|info| (0, Say::Set(info.id, end(&mut dice, info)))));
        }
        let mut at = 0;
        while at < frames {
            events.push((at, any_event(&mut dice, &params)));
            at += dice.roll(20);
        }
        host.play(&sizes, &events);
    }
}

#[test]
fn all_parameters_every_few_samples() {
    let mut host = Host::new();
    let params = host.params();
    let mut dice = Dice(42);
    let mut events = vec![(0, on(40)), (0, on(52))];
    for at in (0..2_048).step_by(10) {
        events.extend(
            params.iter().map(|info| (at, Say::Set(info.id, dice.unit() * info.range.end()))),
        );
        events.push((at, any_event(&mut dice, &params)));
    }
    host.play(&blocks(512, 2_048), &events);
}

#[test]
fn floods_of_notes() {
    let mut dice = Dice(5);
    let mut events = Vec::new();
    for at in 0..1_000 {
        events.extend((0..20).map(|_| (at, Say::On(any_note(&mut dice), 0.9))));
    }
    let mut host = Host::new();
    let played = host.play(&blocks(1_000, 4_000), &events);
    assert!(peak(&played.sound[0]) > 0.1);
    let values = [f64::NAN, f64::INFINITY, -1e300, 1e300];
    let cutoff = host.id("Filter Cutoff");
    let absurd: Vec<(usize, Say)> = values
        .iter()
        .flat_map(|&value| {
            [
                (0, Say::Set(cutoff, value)),
                (0, Say::Modulate(cutoff, note(60, 60), value)),
                (0, Say::Express(note(60, 60), NoteExpressionType::Tuning, value)),
                (0, Say::On(note(60, 60), value)),
            ]
        })
        .collect();
    host.play(&[64, 64], &absurd);
}
