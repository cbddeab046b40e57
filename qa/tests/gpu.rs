//! What only a real GPU can show: blocks under way, and losing the GPU in the middle of them.
//! Without one these tests are ignored, and say why.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use libtest_mimic::{Arguments, Completion, Trial};
use myriad_conformance::clients_do_not_matter;
use myriad_conformance::testing::{imported, on, play, soft};
use myriad_engine::render::{Buses, Capacity, CpuRenderer, RenderError, Renderer, VoiceBlock};
use myriad_engine::spectrum::{Cloud, IMPORTED_ROWS, STARTS, TURN, Table};
use myriad_engine::{Engine, EngineConfig};
use myriad_kernels::cuda::CudaRenderer;
use std::sync::Arc;

/// A renderer for so many clouds.
fn prepared(slots: usize) -> CudaRenderer {
    let mut renderer = CudaRenderer::new(0);
    renderer.prepare(Capacity { slots, buses: 1 }).unwrap();
    renderer
}

/// What is ignored without a GPU.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::ignorable_test(name, move || {
        let smallest = Capacity { slots: 1, buses: 1 };
        if let Err(reason) = CudaRenderer::new(0).prepare(smallest) {
            return Ok(Completion::ignored_with(reason));
        }
        test();
        Ok(Completion::Completed)
    })
}

fn main() {
    let trials = vec![
        trial(
            "large_blocks_in_pieces_overlap_without_harm",
            large_blocks_in_pieces_overlap_without_harm,
        ),
        trial("blocks_of_one_piece_overlap_without_harm", blocks_of_one_piece_overlap_without_harm),
        trial("three_blocks_in_turn_leave_graphs_alone", three_blocks_in_turn_leave_graphs_alone),
        trial(
            "a_lost_context_is_noticed_and_a_new_one_works",
            a_lost_context_is_noticed_and_a_new_one_works,
        ),
        trial(
            "tables_that_are_imported_while_it_plays_sound_as_on_the_processor",
            tables_that_are_imported_while_it_plays_sound_as_on_the_processor,
        ),
        trial("clients_of_one_launch_do_not_affect_each_other", || {
            clients_do_not_matter(&|| Box::new(CudaRenderer::new(0))).unwrap();
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Clouds of `partials` partials in every slot, starting or going on.
fn block(slots: usize, partials: f32, starts: bool) -> Arc<VoiceBlock> {
    let mut block = VoiceBlock::new(slots);
    let (frame, morph) = Table::Saw.frame_at(0.8);
    for tick in 0..4 {
        block.start_tick();
        for slot in 0..slots as u32 {
            let cloud = Cloud {
                flags: if starts && tick == 0 { STARTS } else { 0 },
                seed: slot,
                scatter: 65_535,
                table: Table::Saw.first_row(),
                frame,
                morph,
                partials,
                increment: (20.0 + slot as f32 / slots as f32) / 48_000.0 * TURN,
                formant: 1.0,
                gain_from: [0.01; 2],
                gain_to: [0.01; 2],
                ..Cloud::default()
            };
            block.push(slot, cloud);
        }
    }
    Arc::new(block)
}

fn sound(buses: &Buses) -> Vec<u32> {
    let sides = buses.bus(0).into_iter().flatten();
    sides.map(|x| x.to_bits()).collect()
}

/// Renders `blocks` one after the other, so many of them under way.
fn render(renderer: &mut CudaRenderer, blocks: &[Arc<VoiceBlock>], depth: usize) -> Vec<Vec<u32>> {
    let mut sounds = Vec::new();
    let mut buses = Buses::new(1);
    for (number, block) in blocks.iter().enumerate() {
        renderer.submit(block).unwrap();
        if number + 1 >= depth {
            renderer.collect(&mut buses).unwrap();
            sounds.push(sound(&buses));
        }
    }
    while sounds.len() < blocks.len() {
        renderer.collect(&mut buses).unwrap();
        sounds.push(sound(&buses));
    }
    sounds
}

fn large_blocks_in_pieces_overlap_without_harm() {
    // So many slices that a block travels in pieces, small ones in between, and one block twice.
    let slots = 12_000;
    let mut renderer = prepared(slots);
    let [start, large, other] = [true, false, false].map(|starts| block(slots, 1_024.0, starts));
    let small = block(40, 100.0, false);
    let blocks =
        [&start, &large, &other, &small, &large, &large, &small, &small, &other].map(Arc::clone);
    let expected = render(&mut renderer, &blocks, 1);
    for _ in 0..5 {
        renderer.reset();
        assert!(render(&mut renderer, &blocks, 2) == expected);
    }
    let counters = renderer.counters().unwrap();
    assert!(counters.pieces > counters.renders, "{counters:?}");
}

fn blocks_of_one_piece_overlap_without_harm() {
    // A block is mixed while the next one is rendered: two or three blocks in turn, and a silent one now and then.
    let slots = 4_000;
    let mut renderer = prepared(slots);
    let start = block(slots, 256.0, true);
    let [a, b, c] = [256.0, 200.0, 256.0].map(|partials| block(slots, partials, false));
    let mut silent = VoiceBlock::new(slots);
    silent.start_tick();
    let silent = Arc::new(silent);
    let turn = [&a, &b, &a, &b, &c, &a, &b, &c, &silent, &a, &silent, &b];
    let turns = std::iter::repeat_n(turn, 10).flatten();
    let blocks: Vec<_> = std::iter::once(&start).chain(turns).map(Arc::clone).collect();
    let expected = render(&mut renderer, &blocks, 1);
    for _ in 0..5 {
        renderer.reset();
        assert!(render(&mut renderer, &blocks, 2) == expected);
    }
    let counters = renderer.counters().unwrap();
    assert_eq!(counters.pieces, counters.renders, "{counters:?}");
}

fn three_blocks_in_turn_leave_graphs_alone() {
    let mut renderer = prepared(64);
    let blocks: Vec<_> = (0..3).map(|_| block(64, 64.0, false)).collect();
    let turn = |renderer: &mut CudaRenderer| {
        render(renderer, &blocks, 2);
        renderer.counters().unwrap().resizes
    };
    let settled = turn(&mut renderer);
    for _ in 0..10 {
        assert_eq!(turn(&mut renderer), settled);
    }
}

fn a_lost_context_is_noticed_and_a_new_one_works() {
    let mut renderer = prepared(64);
    let capacity = Capacity { slots: 64, buses: 1 };
    let (start, next) = (block(64, 64.0, true), block(64, 64.0, false));
    let expected = render(&mut renderer, &[Arc::clone(&start)], 1);
    for in_flight in 0..3 {
        for _ in 0..in_flight {
            renderer.submit(&next).unwrap();
        }
        renderer.lose_context().unwrap();
        let mut buses = Buses::new(1);
        let lost = match in_flight {
            0 => renderer.submit(&next).unwrap_err(),
            _ => renderer.collect(&mut buses).unwrap_err(),
        };
        assert!(matches!(lost, RenderError::Call { .. }), "{lost}");
        // And so does everything after.
        assert_eq!(renderer.collect(&mut buses), Err(lost));
        assert_eq!(renderer.submit(&next), Err(lost));
        // The GPU may read them for as long as there is a context.
        assert_eq!(Arc::strong_count(&next), 1 + in_flight, "blocks are kept");
        renderer.prepare(capacity).unwrap();
        assert_eq!(Arc::strong_count(&next), 1, "the block is given back");
        assert!(render(&mut renderer, &[Arc::clone(&start)], 1) == expected);
    }
}

/// More tables than there is room for, one after the other: each is on the GPU before its first note.
fn tables_that_are_imported_while_it_plays_sound_as_on_the_processor() {
    let renderers: [Box<dyn Renderer>; 2] =
        [Box::new(CpuRenderer::new(1)), Box::new(CudaRenderer::new(0))];
    let mut engines = renderers.map(|renderer| {
        let mut engine = Engine::with_renderer(&EngineConfig::default(), renderer).unwrap();
        engine.set_patch(0, &soft());
        engine
    });
    let mut rows = 0;
    for table in 1..60_u8 {
        let frames = 350 + usize::from(table);
        rows += 6 + 2 * frames;
        let levels = (1..30).map(|n| (f32::from(table) * n as f32).sin().abs());
        let patch = imported(&levels.collect::<Vec<f32>>(), frames);
        let [expected, got] = engines.each_mut().map(|engine| {
            engine.set_patch(0, &patch);
            play(engine, &[(0, on(30 + table))], 2_400)[0].clone()
        });
        let off = expected.iter().zip(&got).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f32::max);
        assert!(off < 1e-4, "table {table}: {off}");
    }
    assert!(rows > 2 * IMPORTED_ROWS, "{rows}");
}
