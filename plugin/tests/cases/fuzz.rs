//! What validators do to find crashes: random parameters, notes and modulation, in and out of
//! order. The host checks every sample on the way.

use crate::host::*;
use clack_host::events::event_types::NoteExpressionType;
use clack_host::events::{Match, Pckn};

fn wild<T>(rng: &mut Rng, value: T) -> Match<T> {
    match rng.below(6) {
        0 => Match::All,
        _ => Match::Specific(value),
    }
}

/// Any note, perhaps one that never was, with parts left open.
fn any_note(rng: &mut Rng) -> Pckn {
    let (channel, key, id) = (rng.below(16) as u16, rng.below(128) as u16, rng.below(100) as u32);
    Pckn::new(wild(rng, 0u16), wild(rng, channel), wild(rng, key), wild(rng, id))
}

fn any_event(rng: &mut Rng, params: &[Info]) -> HostEvent {
    let info = &params[rng.below(params.len())];
    match rng.below(10) {
        0 | 1 => HostEvent::On(any_note(rng), rng.unit()),
        2 => HostEvent::Off(any_note(rng)),
        3 => HostEvent::Choke(any_note(rng)),
        4 => {
            let status = 0x80 + rng.below(0x70) as u8;
            HostEvent::Midi([status, rng.below(128) as u8, rng.below(128) as u8])
        }
        5 => HostEvent::Modulate(info.id, any_note(rng), 2.0 * rng.unit() - 1.0),
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
            HostEvent::Express(any_note(rng), kinds[rng.below(7)], 8.0 * rng.unit() - 4.0)
        }
        7 => {
            let tempos = [0.0, -1.0, 1e9, f64::NAN, 120.0, 90.5];
            HostEvent::Song(tempos[rng.below(6)], 2e6 * rng.unit() - 1e6)
        }
        _ => HostEvent::Set(info.id, rng.unit() * info.range.end()),
    }
}

#[test]
fn random_parameters_notes_and_modulation() {
    let mut host = Host::new();
    let params = host.params();
    let mut rng = Rng(1337);
    for round in 0..30 {
        let sizes: Vec<usize> = (0..6).map(|_| 1 + rng.below(700)).collect();
        let frames: usize = sizes.iter().sum();
        let mut events: Vec<(usize, HostEvent)> = Vec::new();
        // Now and then everything at once, at the ends of its range.
        if round % 3 == 0 {
            let end = |rng: &mut Rng, info: &Info| match rng.below(2) {
                0 => *info.range.start(),
                _ => *info.range.end(),
            };
            events.extend(
                params.iter().map(|info| (0, HostEvent::Set(info.id, end(&mut rng, info)))),
            );
        }
        let mut at = 0;
        while at < frames {
            events.push((at, any_event(&mut rng, &params)));
            at += rng.below(20);
        }
        host.play(&sizes, &events);
    }
}

#[test]
fn all_parameters_every_few_samples() {
    let mut host = Host::new();
    let params = host.params();
    let mut rng = Rng(42);
    let mut events = vec![(0, on(40)), (0, on(52))];
    for at in (0..2_048).step_by(10) {
        events.extend(
            params.iter().map(|info| (at, HostEvent::Set(info.id, rng.unit() * info.range.end()))),
        );
        events.push((at, any_event(&mut rng, &params)));
    }
    host.play(&blocks(512, 2_048), &events);
}

#[test]
fn floods_of_notes() {
    let mut rng = Rng(5);
    let mut events = Vec::new();
    for at in 0..1_000 {
        events.extend((0..20).map(|_| (at, HostEvent::On(any_note(&mut rng), 0.9))));
    }
    let mut host = Host::new();
    let played = host.play(&blocks(1_000, 4_000), &events);
    assert!(peak(&played.sound[0]) > 0.1);
    let values = [f64::NAN, f64::INFINITY, -1e300, 1e300];
    let cutoff = host.id("Filter Cutoff");
    let absurd: Vec<(usize, HostEvent)> = values
        .iter()
        .flat_map(|&value| {
            [
                (0, HostEvent::Set(cutoff, value)),
                (0, HostEvent::Modulate(cutoff, note(60, 60), value)),
                (0, HostEvent::Express(note(60, 60), NoteExpressionType::Tuning, value)),
                (0, HostEvent::On(note(60, 60), value)),
            ]
        })
        .collect();
    host.play(&[64, 64], &absurd);
}
