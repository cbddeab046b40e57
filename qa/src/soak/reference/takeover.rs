//! Renders on the CPU what a supervised renderer plays when one renderer takes over from another.
//!
//! The takeovers are known from the supervised renderer's report. Everything else is computed here again, with two
//! renderers of the CPU: whoever takes over starts all clouds that sound; a lost renderer's sound is predicted and
//! crossfaded over [`FADE`] frames, and otherwise both renderers are. So a takeover that is anything but these fades
//! is a difference.

use myriad_engine::dsp::{FADE, HISTORY, continue_sound, fade_in};
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use myriad_live::supervised::{Takeover, TakeoverKind};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Takeovers that are still to come, in order.
pub(super) type Takeovers = Arc<Mutex<VecDeque<Takeover>>>;

/// Two renderers, of which one plays, or both in a crossfade.
pub(super) struct TakeoverRenderer {
    renderers: [CpuRenderer; 2],
    /// The one that plays, or takes over.
    active: usize,
    crossfade: Option<Crossfade>,
    /// Whether the active one has not rendered the clouds that sound.
    is_new: bool,
    takeovers: Takeovers,
    /// The next tick.
    tick: u64,
    block: Option<Arc<VoiceBlock>>,
    /// A copy of a block in which all clouds start.
    introduced: Arc<VoiceBlock>,
    old_sound: Buses,
    /// One for each channel of each bus.
    channels: Vec<Channel>,
}

struct Crossfade {
    to_gpu: bool,
    faded: usize,
}

impl TakeoverRenderer {
    pub(super) fn new(takeovers: &Takeovers) -> Self {
        Self {
            renderers: [CpuRenderer::new(1), CpuRenderer::new(1)],
            active: 0,
            crossfade: None,
            is_new: false,
            takeovers: Arc::clone(takeovers),
            tick: 0,
            block: None,
            introduced: Arc::new(VoiceBlock::new(0)),
            old_sound: Buses::new(0),
            channels: Vec::new(),
        }
    }

    /// Begins the takeovers whose tick has come.
    fn take_over(&mut self) {
        let now = self.tick;
        let takeovers = Arc::clone(&self.takeovers);
        let mut takeovers = takeovers.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Takeover { kind, .. }) = takeovers.pop_front_if(|it| it.tick <= now) {
            match (kind, self.crossfade.take()) {
                (TakeoverKind::Lost, crossfade) => {
                    self.channels.iter_mut().for_each(Channel::predict);
                    match crossfade {
                        None => self.change(),
                        // The CPU plays on.
                        Some(Crossfade { to_gpu: true, .. }) => self.active = 1 - self.active,
                        Some(Crossfade { to_gpu: false, .. }) => {}
                    }
                }
                (TakeoverKind::ToCpu | TakeoverKind::ToGpu, _) => {
                    self.change();
                    let to_gpu = kind == TakeoverKind::ToGpu;
                    self.crossfade = Some(Crossfade { to_gpu, faded: 0 });
                }
            }
        }
    }

    fn change(&mut self) {
        (self.active, self.is_new) = (1 - self.active, true);
    }
}

impl Renderer for TakeoverRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        for renderer in &mut self.renderers {
            renderer.prepare(capacity)?;
        }
        self.introduced = Arc::new(VoiceBlock::new(capacity.slots));
        self.old_sound = Buses::new(capacity.buses);
        self.channels = vec![Channel::new(); 2 * capacity.buses];
        Ok(())
    }

    fn reset(&mut self) {
        self.renderers.iter_mut().for_each(Renderer::reset);
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.block = Some(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.block.take().ok_or(RenderError::OutOfTurn)?;
        self.take_over();
        let frames = block.ticks() * TICK;
        let [first, second] = &mut self.renderers;
        let (new, old) = if self.active == 0 { (first, second) } else { (second, first) };
        let partials = if std::mem::take(&mut self.is_new) {
            block.introduce(&mut self.introduced);
            new.render(&self.introduced, buses)?
        } else {
            new.render(&block, buses)?
        };
        if let Some(crossfade) = &mut self.crossfade {
            old.render(&block, &mut self.old_sound)?;
            buses.fade_from(&self.old_sound, crossfade.faded, frames);
            crossfade.faded += frames;
            if crossfade.faded >= FADE {
                self.crossfade = None;
            }
        }
        for (index, channel) in self.channels.iter_mut().enumerate() {
            channel.conceal(&mut buses.bus_mut(index / 2)[index % 2][..frames]);
        }
        self.tick += block.ticks() as u64;
        Ok(partials)
    }
}

/// A channel of a bus: its last samples, and what they are predicted to become.
#[derive(Clone)]
struct Channel {
    past: [f32; HISTORY],
    prediction: [f32; FADE],
    /// Frames of the prediction that have faded out.
    faded: usize,
}

impl Channel {
    fn new() -> Self {
        Self { past: [0.0; HISTORY], prediction: [0.0; FADE], faded: FADE }
    }

    fn predict(&mut self) {
        continue_sound(&self.past, &mut self.prediction);
        self.faded = 0;
    }

    /// Crossfades from the prediction, while there is one, and remembers the end.
    fn conceal(&mut self, samples: &mut [f32]) {
        for (sample, faded) in samples.iter_mut().zip(self.faded..FADE) {
            let gain = fade_in(faded);
            *sample = *sample * gain + self.prediction[faded] * (1.0 - gain);
            self.faded = faded + 1;
        }
        let new = samples.len().min(HISTORY);
        self.past.copy_within(new.., 0);
        self.past[HISTORY - new..].copy_from_slice(&samples[samples.len() - new..]);
    }
}

#[cfg(test)]
mod tests;
