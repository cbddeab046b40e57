//! Changes the renderer while it plays: both render for a moment, and one fades into the other.

use super::command_queue::{ControlEnd, WorkEnd, command_queue};
use myriad_engine::dsp::FADE;
use myriad_engine::render::{
    Buses, Capacity, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use std::collections::VecDeque;
use std::sync::Arc;

/// Blocks that may be under way: as many as any renderer wants, so that this does not change with
/// the renderer. One that wants fewer gets them later.
const DEPTH: usize = 2;

/// The engine's renderer in a stream: one that can be exchanged.
pub(super) struct Switch {
    playing: Box<dyn Renderer>,
    /// Blocks under way, oldest first, and how many of them `playing` has been given.
    in_flight: VecDeque<Arc<VoiceBlock>>,
    given: usize,
    /// The one that takes over, and the frames of its fade that have passed.
    coming: Option<(Box<dyn Renderer>, usize)>,
    mailbox: WorkEnd<Box<dyn Renderer>>,
    /// Its first block, in which all clouds start.
    block: Arc<VoiceBlock>,
    /// What the coming one plays.
    other: Buses,
}

impl Switch {
    /// Plays with `renderer`, and then with whatever comes; those must have been prepared.
    pub(super) fn new(renderer: Box<dyn Renderer>) -> (Self, ControlEnd<Box<dyn Renderer>>) {
        let (control, mailbox) = command_queue();
        let switch = Self {
            playing: renderer,
            in_flight: VecDeque::with_capacity(DEPTH),
            given: 0,
            coming: None,
            mailbox,
            block: Arc::new(VoiceBlock::new(0)),
            other: Buses::new(0),
        };
        (switch, control)
    }

    /// Gives `playing` as many blocks as it wants.
    fn give(&mut self) -> Result<(), RenderError> {
        while self.given < self.in_flight.len().min(self.playing.depth()) {
            self.playing.submit(&self.in_flight[self.given])?;
            self.given += 1;
        }
        Ok(())
    }

    /// Collects `block`, the oldest one, from `playing`.
    fn collect_playing(
        &mut self,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        if self.given == 0 {
            return self.playing.render(block, buses);
        }
        self.given -= 1;
        let collected = self.playing.collect(buses);
        if self.coming.is_none() {
            // Whatever is refused now is tried again when it is collected.
            let _ = self.give();
        }
        collected
    }

    /// Renders `block` with the coming renderer too, and fades `buses` into it.
    fn fade(
        &mut self,
        (mut coming, faded): (Box<dyn Renderer>, usize),
        block: &Arc<VoiceBlock>,
        played: Result<usize, RenderError>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        let mut seen = block;
        if faded == 0 {
            block.introduce(&mut self.block);
            seen = &self.block;
        }
        let Ok(partials) = coming.render(seen, &mut self.other) else {
            self.mailbox.give_back(coming);
            return played;
        };
        if played.is_err() {
            buses.clear();
        }
        let frames = block.ticks() * TICK;
        self.other.fade_from(buses, faded, frames);
        std::mem::swap(buses, &mut self.other);
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

impl Renderer for Switch {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.block = Arc::new(VoiceBlock::new(capacity.slots));
        self.other = Buses::new(capacity.buses);
        self.playing.prepare(capacity)
    }

    fn reset(&mut self) {
        self.in_flight.clear();
        self.given = 0;
        self.playing.reset();
        if let Some((coming, _)) = &mut self.coming {
            coming.reset();
        }
    }

    fn depth(&self) -> usize {
        DEPTH
    }

    fn expect(&mut self) {
        self.playing.expect();
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.in_flight.len() == DEPTH {
            return Err(RenderError::OutOfTurn);
        }
        if self.in_flight.is_empty()
            && self.coming.is_none()
            && let Some(renderer) = self.mailbox.take()
        {
            self.coming = Some((renderer, 0));
        }
        self.in_flight.push_back(Arc::clone(block));
        // While one fades into the other, blocks are rendered when they are collected.
        if self.coming.is_some() {
            return Ok(());
        }
        self.give().inspect_err(|_| {
            self.in_flight.pop_back();
        })
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        let played = self.collect_playing(&block, buses);
        match self.coming.take() {
            Some(coming) => self.fade(coming, &block, played, buses),
            None => played,
        }
    }
}

/// Stands in an engine that will be given a real renderer by another.
pub(super) struct Nothing;

impl Renderer for Nothing {
    fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
        Ok(())
    }

    fn reset(&mut self) {}

    fn depth(&self) -> usize {
        DEPTH
    }

    fn submit(&mut self, _: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        Err(RenderError::NotPrepared)
    }

    fn collect(&mut self, _: &mut Buses) -> Result<usize, RenderError> {
        Err(RenderError::NotPrepared)
    }
}
