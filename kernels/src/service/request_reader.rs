//! Reads the requests of a client into blocks: checks what it says, and adds its clouds.

use super::layout::{ProtocolViolation, RequestHead, SharedSegment, checked};
use super::tables::ClientTables;
use myriad_engine::render::{Capacity, Extent, VoiceBlock};
use myriad_engine::spectrum::{Cloud, Description, STARTS, UnisonCopy, tables};

/// The clouds of a client, from request to request.
#[derive(Debug)]
pub(super) struct RequestReader {
    capacity: Capacity,
    /// A bit for each slot that has not sounded since the client came or was reset. What sounds there
    /// first must not continue the cloud of somebody else.
    unused: Vec<u64>,
    /// The descriptions of the tick that is being read.
    voices: Vec<Voice>,
}

/// A description of a request, checked and translated.
#[derive(Debug)]
struct Voice {
    description: Description,
    extent: Extent,
    partials: f32,
    /// Where the block has it: added for the first copy that needs it, so that there are never more descriptions than
    /// copies.
    index: Option<u32>,
    /// The same for copies in slots that have not sounded before, though the client does not start them.
    started: Option<u32>,
}

const FULL: ProtocolViolation = "more clouds than the service holds";

impl Voice {
    /// The index of its description in a tick of the block.
    #[inline(always)]
    fn described(&mut self, tick: usize, block: &mut VoiceBlock) -> Option<u32> {
        if self.index.is_none() {
            self.index = block.describe(tick, &self.description);
        }
        self.index
    }

    /// The same for copies that have to start.
    #[cold]
    fn started(&mut self, tick: usize, block: &mut VoiceBlock) -> Option<u32> {
        if self.started.is_none() {
            let cloud = self.description.cloud();
            let cloud = Cloud { flags: cloud.flags | STARTS, ..cloud };
            self.started = block.describe(tick, &Description::of(&cloud));
        }
        self.started
    }
}

impl RequestReader {
    /// For a client of that capacity, of which nothing has sounded.
    pub(super) fn new(capacity: Capacity) -> Self {
        Self {
            capacity,
            unused: vec![u64::MAX; capacity.slots.div_ceil(64)],
            voices: Vec::with_capacity(capacity.slots),
        }
    }

    /// Forgets what has sounded.
    pub(super) fn reset(&mut self) {
        self.unused.fill(u64::MAX);
    }

    /// Adds the clouds of request `number` to the last section of `block`, whose first slot is `first_slot`. Returns the
    /// sum of their partials.
    pub(super) fn read(
        &mut self,
        segment: &SharedSegment,
        number: u32,
        head: &RequestHead,
        client_tables: &ClientTables,
        first_slot: usize,
        block: &mut VoiceBlock,
    ) -> Result<f32, ProtocolViolation> {
        let Self { capacity, unused, voices } = self;
        let tables = tables();
        let mut request = segment.request(number);
        let mut partials = 0.0;
        for (tick, &[count, described]) in head.counts.iter().enumerate() {
            voices.clear();
            for _ in 0..described {
                let cloud = request.next_description()?;
                let cloud = client_tables.translate(cloud).ok_or("a cloud of no table")?;
                let cloud = checked(cloud, capacity.buses, &tables)?;
                voices.push(Voice {
                    description: Description::of(&cloud),
                    extent: Extent::of(&cloud),
                    partials: cloud.partials,
                    index: None,
                    started: None,
                });
            }
            let mut next_slot = 0;
            for _ in 0..count {
                let (slot, copy) = request.next_copy()?;
                if !(next_slot..capacity.slots).contains(&slot) {
                    return Err("slots that do not rise");
                }
                next_slot = slot + 1;
                let voice = voices.get_mut(copy.index()).ok_or("a cloud of no description")?;
                partials += voice.partials;
                let (unused, bit) = (&mut unused[slot / 64], 1 << (slot % 64));
                let is_unused = *unused & bit != 0;
                *unused &= !bit;
                let (index, extent) = match is_unused && !voice.extent.starts() {
                    true => (voice.started(tick, block), voice.extent.starting()),
                    false => (voice.described(tick, block), voice.extent),
                };
                let index = index.ok_or(FULL)?;
                let description = index | copy.description & UnisonCopy::MIRRORED;
                let copy = UnisonCopy { description, ..copy };
                if !block.put(tick, first_slot + slot, extent, &copy) {
                    return Err(FULL);
                }
            }
        }
        Ok(partials)
    }
}
