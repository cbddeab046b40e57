//! Reads the requests of a client into blocks: checks what it says, and adds its voices.

use super::layout::{ProtocolViolation, RequestHead, SharedSegment, check};
use super::tables::ClientTables;
use myriad_engine::render::{Capacity, MAX_TICKS, SectionWriter};
use myriad_engine::spectrum::{Description, tables};
use std::ops::Range;

/// The clouds of a client, from request to request.
#[derive(Debug)]
pub(super) struct RequestReader {
    capacity: Capacity,
    /// A bit for each slot that has not sounded since the client came or was reset. What sounds there
    /// first must not continue the cloud of somebody else.
    unused: Vec<u64>,
    /// The voices of a request in such slots: their ticks and slots.
    fresh: Vec<(usize, Range<usize>)>,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    /// The most clouds of a tick.
    pub(super) clouds: usize,
    /// The partials of all ticks.
    pub(super) partials: f32,
}

impl RequestReader {
    /// For a client of that capacity, of which nothing has sounded.
    pub(super) fn new(capacity: Capacity) -> Self {
        let unused = vec![u64::MAX; capacity.slots.div_ceil(64)];
        Self { capacity, unused, fresh: Vec::new() }
    }

    /// Forgets what has sounded.
    pub(super) fn reset(&mut self) {
        self.unused.fill(u64::MAX);
    }

    /// Adds the voices of request `number` to the client's section of a block.
    pub(super) fn read(
        &mut self,
        segment: &SharedSegment,
        number: u32,
        head: &RequestHead,
        client_tables: &ClientTables,
        section: &mut SectionWriter<'_>,
    ) -> Result<Load, ProtocolViolation> {
        let tables = tables();
        let mut request = segment.request(number);
        let (mut partials, mut clouds) = (0.0, [0; MAX_TICKS]);
        // Slots below this one are taken, in each tick.
        let mut ends = [0; MAX_TICKS];
        self.fresh.clear();
        for _ in 0..head.voices {
            let (slot, ticks) = request.next_slot()?;
            if ticks == 0 || ticks >> head.ticks != 0 {
                return Err("a voice in no tick of the block");
            }
            for tick in (0..head.ticks).filter(|tick| ticks >> tick & 1 == 1) {
                let mut voice = request.next_voice()?;
                let slots = slot..slot.saturating_add(voice.unison.copies());
                if !voice.unison.is_valid() || slots.end > self.capacity.slots {
                    return Err("a voice of more copies than it has slots");
                }
                if slot < ends[tick] {
                    return Err("slots that do not rise");
                }
                ends[tick] = slots.end;
                clouds[tick] += slots.len();
                let mut cloud = voice.description.cloud();
                if client_tables.has_rows_of(&cloud) {
                    cloud = client_tables.translate(cloud).ok_or("a cloud of no table")?;
                    voice.description = Description::of(&cloud);
                }
                check(&cloud, self.capacity.buses, &tables)?;
                partials += cloud.partials * slots.len() as f32;
                if !section.put(tick, slot, &voice) {
                    return Err("more voices than it has announced");
                }
                if slots.clone().any(|slot| self.is_unused(slot)) {
                    self.fresh.push((tick, slots));
                }
            }
        }
        self.start_fresh(section);
        Ok(Load { clouds: clouds.into_iter().max().unwrap_or(0), partials })
    }

    #[inline(always)]
    fn is_unused(&self, slot: usize) -> bool {
        self.unused[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// Starts the voices in unused slots, where they do not go on from an earlier tick of the request. What sounds there then may be
    /// another voice: a client that changes to this service has one for each copy in the first tick, and they come later in the request.
    #[inline(never)]
    fn start_fresh(&mut self, section: &mut SectionWriter<'_>) {
        for (tick, slots) in &self.fresh {
            let sounds_first =
                |slot: usize| self.is_unused(slot) && !section.sounds_before(*tick, slot);
            if slots.clone().any(sounds_first) {
                section.start(*tick, slots.start);
            }
        }
        for slot in self.fresh.iter().flat_map(|(_, slots)| slots.clone()) {
            self.unused[slot / 64] &= !(1 << (slot % 64));
        }
    }
}
