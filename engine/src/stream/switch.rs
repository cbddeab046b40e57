//! Changes the renderer while it plays: both render for a moment, and one fades into the other.

use super::exchange::{ControlEnd, WorkEnd, exchange};
use super::fade::{FADE, fade_in};
use crate::render::{Buses, Capacity, PrepareError, RenderError, Renderer, TICK, VoiceBlock};
use crate::spectrum::{Cloud, STARTS};

/// The engine's renderer in a stream: one that can be exchanged.
pub(super) struct Switch {
    playing: Box<dyn Renderer>,
    /// The one that takes over, and the frames of its fade that have passed.
    coming: Option<(Box<dyn Renderer>, usize)>,
    mailbox: WorkEnd<Box<dyn Renderer>>,
    /// Slots whose clouds the coming one has been told of.
    known: Vec<bool>,
    /// The block as the coming one must see it: clouds it does not know start.
    block: VoiceBlock,
    /// What the coming one plays.
    other: Buses,
}

impl Switch {
    /// Plays with `renderer`, and then with whatever comes; those must have been prepared.
    pub(super) fn new(renderer: Box<dyn Renderer>) -> (Self, ControlEnd<Box<dyn Renderer>>) {
        let (control, mailbox) = exchange();
        let switch = Self {
            playing: renderer,
            coming: None,
            mailbox,
            known: Vec::new(),
            block: VoiceBlock::new(0),
            other: Buses::new(0),
        };
        (switch, control)
    }

    /// Copies `block` for a renderer that is new to its clouds.
    fn introduce(&mut self, block: &VoiceBlock) {
        self.block.clear();
        for tick in 0..block.ticks() {
            self.block.start_tick();
            for slot in block.slots() {
                if let Some(cloud) = block.cloud(slot, tick) {
                    let starts = if self.known[slot] { 0 } else { STARTS };
                    self.known[slot] = true;
                    let flags = cloud.flags | starts;
                    self.block.push(slot as u32, Cloud { flags, ..*cloud });
                }
            }
        }
    }
}

impl Renderer for Switch {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.known = vec![false; capacity.slots];
        self.block = VoiceBlock::new(capacity.slots);
        self.other = Buses::new(capacity.buses);
        self.playing.prepare(capacity)
    }

    fn reset(&mut self) {
        self.playing.reset();
        if let Some((coming, _)) = &mut self.coming {
            coming.reset();
        }
        self.known.fill(false);
    }

    fn render(&mut self, block: &VoiceBlock, buses: &mut Buses) -> Result<usize, RenderError> {
        let coming = self.coming.take().or_else(|| {
            self.known.fill(false);
            self.mailbox.take().map(|renderer| (renderer, 0))
        });
        let played = self.playing.render(block, buses);
        let Some((mut coming, faded)) = coming else {
            return played;
        };
        self.introduce(block);
        let Ok(partials) = coming.render(&self.block, &mut self.other) else {
            self.mailbox.give_back(coming);
            return played;
        };
        if played.is_err() {
            buses.clear();
        }
        let frames = block.ticks() * TICK;
        for index in 0..2 * buses.count() {
            let new = self.other.bus(index / 2)[index % 2];
            let bus = &mut buses.bus_mut(index / 2)[index % 2][..frames];
            for (frame, (sample, new)) in bus.iter_mut().zip(new).enumerate() {
                *sample += (new - *sample) * fade_in(faded + frame);
            }
        }
        let faded = faded + frames;
        if faded < FADE {
            self.coming = Some((coming, faded));
        } else {
            let old = std::mem::replace(&mut self.playing, coming);
            self.mailbox.give_back(old);
        }
        Ok(partials)
    }
}

/// Stands in an engine that will be given a real renderer by another.
pub(super) struct Nothing;

impl Renderer for Nothing {
    fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
        Ok(())
    }

    fn reset(&mut self) {}

    fn render(&mut self, _: &VoiceBlock, buses: &mut Buses) -> Result<usize, RenderError> {
        buses.clear();
        Ok(0)
    }
}
