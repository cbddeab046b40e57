//! It sounds as if it were here.

use crate::harness::*;
use assert_no_alloc::assert_no_alloc;
use myriad_conformance::CHECKS;
use myriad_conformance::testing::{RATE, on, play};
use myriad_engine::factory;
use myriad_engine::render::{Buses, CpuRenderer, MAX_TICKS, RenderError, Renderer, VoiceBlock};
use std::sync::Arc;

#[test]
fn conforms() {
    let _alone = alone();
    for check in CHECKS {
        match (check.run)(&|| Box::new(remote())) {
            Ok(measured) => println!("{:<9} {measured}", check.name),
            Err(measured) => panic!("{} ({}): {measured}", check.name, check.promise),
        }
    }
}

#[test]
fn every_patch_has_the_bits_it_has_here() {
    let _alone = alone();
    let here = &mut engine_on(Box::new(CpuRenderer::new(1)), &factory::patches()[0]);
    let there = &mut engine_on(Box::new(remote()), &factory::patches()[0]);
    let chord = [(7, on(45)), (1_000, on(52)), (1_001, on(88))];
    for patch in factory::patches() {
        let [expected, got] = [&mut *here, &mut *there].map(|engine| {
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
fn two_blocks_may_be_under_way_and_a_reset_forgets_them() {
    let _alone = alone();
    let [mut here, mut there]: [Box<dyn Renderer>; 2] =
        [Box::new(CpuRenderer::new(1)), Box::new(prepared())];
    here.prepare(CAPACITY).unwrap();
    let [mut expected, mut got] = [(); 2].map(|()| Buses::new(CAPACITY.buses));
    let blocks = [block(true), block(false), block(false)];
    for _ in 0..2 {
        let mut sounds = Vec::new();
        for block in &blocks {
            here.render(block, &mut expected).unwrap();
            sounds.push(expected.bus(1)[0].to_vec());
        }
        let outcome = [0, 1, 2].map(|i: usize| there.submit(&blocks[i]));
        assert_eq!(outcome, [Ok(()), Ok(()), Err(RenderError::OutOfTurn)]);
        for sound in &sounds[..2] {
            there.collect(&mut got).unwrap();
            assert_eq!(got.bus(1)[0], sound);
        }
        assert_eq!(there.collect(&mut got), Err(RenderError::OutOfTurn));
        there.render(&blocks[2], &mut got).unwrap();
        assert_eq!(got.bus(1)[0], sounds[2]);
        // Blocks that nobody collects, and then from the beginning.
        there.submit(&blocks[1]).unwrap();
        there.submit(&blocks[2]).unwrap();
        here.reset();
        there.reset();
    }
}

#[test]
fn rendering_there_allocates_nothing_here() {
    let _alone = alone();
    let mut renderer = prepared();
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
