//! Events at their times, played in blocks.

use myriad_engine::{Event, EventKind};

/// Plays events of part 0 by `render`, in blocks; `block` gives the length of the block that begins at
/// a frame. Returns left and right.
pub fn in_blocks(
    events: &[(usize, EventKind)],
    frames: usize,
    mut block: impl FnMut(usize) -> usize,
    mut render: impl FnMut(&[Event], &mut [f32], &mut [f32]),
) -> [Vec<f32>; 2] {
    let [mut left, mut right] = [vec![0.0; frames], vec![0.0; frames]];
    let mut at = 0;
    while at < frames {
        let end = (at + block(at).max(1)).min(frames);
        let now: Vec<Event> = events
            .iter()
            .filter(|(time, _)| (at..end).contains(time))
            .map(|&(time, kind)| Event { frame: (time - at) as u32, part: 0, kind })
            .collect();
        render(&now, &mut left[at..end], &mut right[at..end]);
        at = end;
    }
    [left, right]
}
