//! Clients that ask for much do not make others late.

use crate::harness::*;
use myriad_conformance::testing::RATE;
use myriad_engine::render::{Buses, Capacity, MAX_TICKS, RenderError, Renderer, VoiceBlock};
use myriad_engine::spectrum::{Cloud, STARTS, TURN, Table};
use myriad_kernels::service::{ServiceRenderer, status};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The longest block of the largest clouds.
fn heavy() -> Arc<VoiceBlock> {
    let mut block = VoiceBlock::new(CAPACITY.slots);
    for tick in 0..MAX_TICKS {
        block.start_tick();
        for slot in 0..CAPACITY.slots as u32 {
            let cloud = Cloud {
                flags: if tick == 0 { STARTS } else { 0 },
                table: Table::Saw.first_row(),
                frame: Table::Saw.frame_at(0.0).0,
                partials: 1_000.0,
                increment: 20.0 / RATE as f32 * TURN,
                formant: 1.0,
                gain_to: [1e-3; 2],
                ..Cloud::default()
            };
            block.push(slot, cloud);
        }
    }
    Arc::new(block)
}

/// Renders as fast as it can until it fails. While one block is rendered the next one waits: otherwise it would depend on how
/// quick a client is, compared with the renderer, whether that has a pause.
fn flood(renderer: &mut ServiceRenderer) -> RenderError {
    let (block, mut buses) = (heavy(), Buses::new(CAPACITY.buses));
    let mut flood = || {
        renderer.submit(&block)?;
        loop {
            renderer.submit(&block)?;
            renderer.collect(&mut buses)?;
        }
    };
    let ended: Result<Infallible, RenderError> = flood();
    match ended {
        Err(error) => error,
    }
}

/// Plays little, with pauses, until `done`.
fn play_little(renderer: &mut ServiceRenderer, done: &AtomicBool) -> Result<(), RenderError> {
    let mut buses = Buses::new(CAPACITY.buses);
    renderer.render(&block(true), &mut buses)?;
    while !done.load(Ordering::Relaxed) {
        renderer.render(&block(false), &mut buses)?;
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

#[test]
fn a_client_that_asks_for_more_than_there_is_goes_on_by_cpu_and_comes_back() {
    let _others = beside_others();
    let folder = Folder::new();
    let (mut little, mut greedy) = (folder.prepared(), folder.prepared());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let playing = scope.spawn(|| play_little(&mut little, &done));
        let said = flood(&mut greedy).to_string();
        assert!(said.contains("busy with other instruments"), "{said}");
        greedy.prepare(CAPACITY).unwrap();
        greedy.render(&block(true), &mut Buses::new(CAPACITY.buses)).unwrap();
        done.store(true, Ordering::Relaxed);
        assert_eq!(playing.join().unwrap(), Ok(()));
    });
    eventually("the eviction is counted", || {
        status(folder.path(), GPU, TIMEOUT).unwrap().unwrap().evictions == 1
    });
}

/// Who renders offline has what is left, and keeps it.
#[test]
fn offline_clients_stay_beside_those_who_play() {
    let _others = beside_others();
    let folder = Folder::new();
    let mut little = folder.prepared();
    let mut offline = folder.offline_client();
    offline.prepare(CAPACITY).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let playing = scope.spawn(|| play_little(&mut little, &done));
        let (block, mut buses) = (heavy(), Buses::new(CAPACITY.buses));
        // Until the service has measured them both, and some more.
        let measured = || {
            let status = status(folder.path(), GPU, TIMEOUT).unwrap().unwrap();
            status.clients.iter().filter(|client| client.blocks > 0.0).count() == 2
        };
        while !measured() {
            offline.render(&block, &mut buses).unwrap();
        }
        for _ in 0..20 {
            offline.render(&block, &mut buses).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        assert_eq!(playing.join().unwrap(), Ok(()));
    });
    let status = status(folder.path(), GPU, TIMEOUT).unwrap().unwrap();
    let lives: Vec<bool> = status.clients.iter().map(|client| client.is_live).collect();
    assert_eq!((status.evictions, lives), (0, vec![true, false]));
}

#[test]
fn what_a_client_may_have_is_bounded() {
    let _others = beside_others();
    let folder = Folder::new();
    let refused = |slots, buses| {
        let mut renderer = folder.client();
        renderer.prepare(Capacity { slots, buses }).unwrap_err().to_string()
    };
    let said = refused(1 << 20, 1);
    assert!(said.contains("1048576 clouds"), "{said}");
    assert!(refused(64, 65).contains("too much"));
    // Room is found again when somebody leaves.
    let half = Capacity { slots: 4_096, buses: 1 };
    let mut clients = [(); 2].map(|()| folder.client());
    clients.iter_mut().for_each(|client| client.prepare(half).unwrap());
    assert!(refused(64, 1).contains("no room"), "{}", refused(64, 1));
    drop(clients);
    let mut renderer = folder.client();
    eventually("there is room again", || folder.client().prepare(half).is_ok());
    renderer.prepare(half).unwrap();
}
