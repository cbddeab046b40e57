use super::*;

const SCENE: Scene = Scene {
    age: 100_000,
    block: 64,
    depth: 96,
    sample_rate: 48_000.0,
    flood: 1_024,
};

const MS: Duration = Duration::from_millis(1);

/// After 20 ms in which the thread computed for so many, overslept and queued for so many, while
/// so much was stolen.
fn cause([computing, overslept, queued, stolen]: [u32; 4], is_virtual: bool) -> Cause {
    let lateness = Lateness {
        known: None,
        gap: 20 * MS,
        computing: computing * MS,
        overslept: overslept * MS,
        queued: Some(queued * MS),
    };
    Processor::imagined(stolen * MS, is_virtual).decide(&lateness)
}

fn known(gap: Duration, scene: &Scene, events: usize) -> Option<Cause> {
    let mut watch = Watch::new();
    watch.events = events;
    watch.known(gap, scene)
}

#[test]
fn the_render_side_knows_some_causes() {
    assert_eq!(known(20 * MS, &SCENE, 0), None);
    assert_eq!(known(20 * MS, &SCENE, 2_048), Some(Cause::EventFlood));
    assert_eq!(known(Duration::ZERO, &SCENE, 0), Some(Cause::Burst));
    // A second callback within the time of one came too early, whatever was computed meanwhile.
    let shallow = Scene { depth: 64, ..SCENE };
    assert_eq!(known(MS, &shallow, 0), Some(Cause::Burst));
    assert_eq!(known(2 * MS, &shallow, 0), None);
    let early = Scene { age: 100, ..SCENE };
    assert_eq!(known(20 * MS, &early, 0), Some(Cause::Start));
    let large = Scene {
        block: 128,
        ..SCENE
    };
    assert_eq!(known(20 * MS, &large, 0), Some(Cause::LargeBlock));
}

#[test]
fn the_system_tells_the_others_apart() {
    for is_virtual in [false, true] {
        assert_eq!(cause([18, 0, 0, 0], is_virtual), Cause::RenderTime);
        assert_eq!(cause([1, 18, 17, 0], is_virtual), Cause::Scheduling);
        assert_eq!(cause([1, 0, 18, 0], is_virtual), Cause::Scheduling);
        assert_eq!(cause([1, 0, 0, 20], is_virtual), Cause::Steal);
        assert_eq!(cause([18, 0, 0, 20], is_virtual), Cause::Steal);
    }
    // Woken too late, though nobody else ran: the processor itself was away, too shortly for the
    // system's count.
    assert_eq!(cause([1, 18, 0, 0], true), Cause::Steal);
    assert_eq!(cause([1, 18, 0, 0], false), Cause::Scheduling);
}
