//! The service gives the same bits as a renderer of one's own, to one client and to many.

use crate::harness::*;
use assert_no_alloc::assert_no_alloc;
use myriad_conformance::CHECKS;
use myriad_conformance::testing::{RATE, on, play};
use myriad_engine::factory;
use myriad_engine::render::{Buses, CpuRenderer, MAX_TICKS, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;
use std::thread;

#[test]
fn conforms() {
    let _others = beside_others();
    let folder = Folder::new();
    for check in CHECKS {
        match (check.run)(&|| Box::new(folder.offline_client())) {
            Ok(measured) => println!("{:<9} {measured}", check.name),
            Err(measured) => panic!("{} ({}): {measured}", check.name, check.promise),
        }
    }
}

#[test]
fn every_patch_is_bit_identical() {
    let _others = beside_others();
    let local = &mut engine_on(Box::new(CpuRenderer::new(1)), &factory::patches()[0]);
    let folder = Folder::new();
    let other = &mut engine_on(Box::new(folder.client()), &factory::patches()[0]);
    let chord = [(7, on(45)), (1_000, on(52)), (1_001, on(88))];
    for patch in factory::patches() {
        let [expected, got] = [&mut *local, &mut *other].map(|engine| {
            engine.set_patch(0, patch);
            engine.reset();
            let sound = play(engine, &chord, RATE / 4);
            (sound, engine.counters())
        });
        assert!(expected.0[0].iter().any(|&x| x != 0.0), "{}", patch.name);
        assert!(expected == got, "{}", patch.name);
    }
}

#[test]
fn two_blocks_may_be_in_flight_and_a_reset_drops_them() {
    let _others = beside_others();
    let folder = Folder::new();
    let [mut local, mut other]: [Box<dyn Renderer>; 2] =
        [Box::new(CpuRenderer::new(1)), Box::new(folder.prepared())];
    local.prepare(CAPACITY).unwrap();
    let [mut expected, mut got] = [(); 2].map(|()| Buses::new(CAPACITY.buses));
    let blocks = [block(true), block(false), block(false)];
    for _ in 0..2 {
        let mut sounds = Vec::new();
        for block in &blocks {
            local.render(block, &mut expected).unwrap();
            sounds.push(expected.bus(1)[0].to_vec());
        }
        let outcome = [0, 1, 2].map(|i: usize| other.submit(&blocks[i]));
        assert_eq!(outcome, [Ok(()), Ok(()), Err(RenderError::OutOfTurn)]);
        for sound in &sounds[..2] {
            other.collect(&mut got).unwrap();
            assert_eq!(got.bus(1)[0], sound);
        }
        assert_eq!(other.collect(&mut got), Err(RenderError::OutOfTurn));
        other.render(&blocks[2], &mut got).unwrap();
        assert_eq!(got.bus(1)[0], sounds[2]);
        // These blocks are never collected; the reset drops them.
        other.submit(&blocks[1]).unwrap();
        other.submit(&blocks[2]).unwrap();
        local.reset();
        other.reset();
    }
}

#[test]
fn a_client_does_not_allocate() {
    let _others = beside_others();
    let folder = Folder::new();
    let mut renderer = folder.prepared();
    let mut buses = Buses::new(CAPACITY.buses);
    let mut long = VoiceBlock::new(CAPACITY.slots);
    (0..MAX_TICKS).for_each(|_| long.start_tick());
    let blocks = [block(true), block(false), Arc::new(long)];
    assert_no_alloc(|| {
        for round in 0..500 {
            renderer.submit(&blocks[round % 3]).unwrap();
            renderer.submit(&blocks[1]).unwrap();
            renderer.collect(&mut buses).unwrap();
            renderer.collect(&mut buses).unwrap();
            if round % 50 == 0 {
                renderer.reset();
            }
        }
    });
}

/// Engines that play different patches at the same time, each on a thread of its own, in blocks of their
/// own: the service combines whatever comes together, and nobody hears it.
#[test]
fn clients_that_play_together_sound_as_alone() {
    let _others = beside_others();
    let folder = Folder::new();
    let names = ["Aurora", "Felt Grand", "Glass Bells", "Acid Trail", "Solo Violin"];
    thread::scope(|scope| {
        for (number, name) in names.into_iter().enumerate() {
            let folder = &folder;
            scope.spawn(move || {
                let patch =
                    &factory::find(name).unwrap_or_else(|| factory::patches()[number].clone());
                let notes = [(7, on(45)), (1_000, on(52 + number as u8)), (9_001, on(88))];
                let local = &mut engine_on(Box::new(CpuRenderer::new(1)), patch);
                let other = &mut engine_on(Box::new(folder.offline_client()), patch);
                let expected = play(local, &notes, RATE / 2);
                assert!(expected[0].iter().any(|&x| x != 0.0), "{name}");
                assert!(expected == play(other, &notes, RATE / 2), "{name}");
            });
        }
    });
}
