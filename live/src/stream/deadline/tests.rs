use super::*;

const RING: RingState =
    RingState { age: 100_000, block: 64, depth: 96, sample_rate: 48_000.0, flood: 1_024 };

const MS: Duration = Duration::from_millis(1);

/// The cause of a miss after 20 ms, given CPU time, oversleep, run delay and stolen time in ms. It has rendered for
/// twice its CPU time.
fn cause([computing, overslept, run_delay, stolen]: [u32; 4], is_virtual: bool) -> Cause {
    let miss = DeadlineMiss {
        known: None,
        gap: 20 * MS,
        computing: computing * MS,
        rendering: 2 * computing * MS,
        overslept: overslept * MS,
        run_delay: Some(run_delay * MS),
        used_device: true,
    };
    StealMonitor::simulated(stolen * MS, is_virtual).decide(&miss)
}

fn known(gap: Duration, ring: &RingState, events: usize) -> Option<Cause> {
    let mut monitor = DeadlineMonitor::new();
    monitor.events = events;
    monitor.known(gap, ring)
}

#[test]
fn render_side_detects_start_burst_flood_and_large_block() {
    assert_eq!(known(20 * MS, &RING, 0), None);
    assert_eq!(known(20 * MS, &RING, 2_048), Some(Cause::EventFlood));
    assert_eq!(known(Duration::ZERO, &RING, 0), Some(Cause::Burst));
    // A second callback within the time of one came too early, whatever the CPU time.
    let shallow = RingState { depth: 64, ..RING };
    assert_eq!(known(MS, &shallow, 0), Some(Cause::Burst));
    assert_eq!(known(2 * MS, &shallow, 0), None);
    let early = RingState { age: 100, ..RING };
    assert_eq!(known(20 * MS, &early, 0), Some(Cause::Start));
    let large = RingState { block: 128, ..RING };
    assert_eq!(known(20 * MS, &large, 0), Some(Cause::LargeBlock));
}

#[test]
fn render_time_steal_and_scheduling_are_told_apart() {
    for is_virtual in [false, true] {
        assert_eq!(cause([18, 0, 0, 0], is_virtual), Cause::RenderTime);
        assert_eq!(cause([1, 18, 17, 0], is_virtual), Cause::Scheduling);
        assert_eq!(cause([1, 0, 18, 0], is_virtual), Cause::Scheduling);
        assert_eq!(cause([1, 0, 0, 20], is_virtual), Cause::Steal);
        assert_eq!(cause([18, 0, 0, 20], is_virtual), Cause::Steal);
    }
    // It rendered, and did nothing: it waited for a GPU that was late or lost.
    let waits = |used_device: bool, rendering: u32, run_delay: u32, stolen: u32| {
        let miss = DeadlineMiss {
            known: None,
            gap: 20 * MS,
            computing: 2 * MS,
            rendering: rendering * MS,
            overslept: Duration::ZERO,
            run_delay: Some(run_delay * MS),
            used_device,
        };
        StealMonitor::simulated(stolen * MS, true).decide(&miss)
    };
    assert_eq!(waits(true, 12, 0, 0), Cause::Renderer);
    // Without a GPU, it waited for other threads of the CPU renderer.
    assert_eq!(waits(false, 12, 0, 0), Cause::RenderTime);
    assert_eq!(waits(true, 11, 0, 0), Cause::Scheduling);
    assert_eq!(waits(true, 15, 8, 0), Cause::Scheduling);
    assert_eq!(waits(true, 15, 0, 10), Cause::Steal);
    // Woken late although no other thread ran: on a virtual CPU, the hypervisor ran something else for
    // a time too short for the system's counter.
    assert_eq!(cause([1, 18, 0, 0], true), Cause::Steal);
    assert_eq!(cause([1, 18, 0, 0], false), Cause::Scheduling);
}
