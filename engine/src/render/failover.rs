//! A renderer that goes on when another fails: the chord on the card becomes a chord on the CPU.
//!
//! What the lost renderer knew of phases is lost with it. So its sound is continued by prediction
//! for a few milliseconds and faded, while every cloud starts anew on the CPU and fades in. Later
//! the lost renderer is prepared again, on a thread of its own, and taken back the same way, both
//! playing while one fades into the other.

use super::{
    Buses, Capacity, CpuRenderer, MAX_TICKS, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use crate::dsp::continue_sound;
use crate::spectrum::{Cloud, STARTS};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Frames in which one renderer fades into the other: 5 ms at 48 kHz.
const FADE: usize = 8 * TICK;

/// Ticks before the lost renderer is first tried again: two seconds at 48 kHz. Doubles with every
/// vain attempt, so that a card that stays lost costs nothing.
const FIRST_REST: u64 = 3_000;
const LONGEST_REST: u64 = 64 * FIRST_REST;

/// Makes the renderer that is preferred.
pub type MakePreferred = Arc<dyn Fn() -> Box<dyn Renderer> + Send + Sync>;

/// Who renders, and what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailoverReport {
    /// Whether the preferred renderer plays.
    pub preferred: bool,
    /// How often it was lost.
    pub losses: u64,
    /// How often it came back.
    pub returns: u64,
    /// Why it was last lost.
    pub lost_because: Option<String>,
    /// Why it could not be had, or not be had again, the last time it was tried.
    pub refused_because: Option<String>,
}

/// Renders with the preferred renderer as long as it can be had, and with the CPU otherwise.
pub struct Failover {
    make: MakePreferred,
    fallback: CpuRenderer,
    capacity: Capacity,
    /// Whether the preferred renderer must be there at first.
    insists: bool,
    state: State,
    rest: u64,
    /// What was submitted and not collected.
    under_way: VecDeque<Arc<VoiceBlock>>,
    /// Slots that the renderer which took over last has been told of.
    known: Vec<bool>,
    /// The block as that renderer must see it: clouds it does not know start.
    block: Arc<VoiceBlock>,
    /// What the other renderer plays during a fade.
    other: Buses,
    /// The end of every bus, left and right, for continuing it.
    past: Vec<[f32; FADE]>,
    /// How it would have gone on.
    future: Vec<[f32; FADE]>,
    report: Arc<Mutex<FailoverReport>>,
}

type Attempt = JoinHandle<Result<Box<dyn Renderer>, PrepareError>>;

enum State {
    /// The preferred renderer plays.
    Preferred(Box<dyn Renderer>),
    /// It was lost; its predicted sound fades, `faded` frames so far.
    Losing {
        lost: Option<Box<dyn Renderer>>,
        faded: usize,
    },
    /// The CPU plays, for so many ticks more before another attempt.
    Resting(u64),
    /// The CPU plays while the preferred renderer is being prepared.
    Attempting(Attempt),
    /// Both play, and the CPU fades out.
    Returning {
        preferred: Box<dyn Renderer>,
        faded: usize,
    },
}

impl Failover {
    /// Prefers what `make` makes, and falls back to `fallback`.
    pub fn new(make: MakePreferred, fallback: CpuRenderer) -> Self {
        Self {
            make,
            fallback,
            capacity: Capacity { slots: 0, buses: 0 },
            insists: false,
            state: State::Resting(FIRST_REST),
            rest: FIRST_REST,
            under_way: VecDeque::new(),
            known: Vec::new(),
            block: Arc::new(VoiceBlock::new(0)),
            other: Buses::new(0),
            past: Vec::new(),
            future: Vec::new(),
            report: Arc::default(),
        }
    }

    /// Has `prepare` fail when the preferred renderer cannot be had; losing it later is survived.
    #[must_use]
    pub fn insisting(self) -> Self {
        Self {
            insists: true,
            ..self
        }
    }

    /// Who renders and what happened, to be read from any thread.
    pub fn report(&self) -> Arc<Mutex<FailoverReport>> {
        Arc::clone(&self.report)
    }

    fn note(&self, change: impl FnOnce(&mut FailoverReport)) {
        // Held for a moment by readers, and only taken when something has changed.
        change(&mut self.report.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Copies `block` for a renderer that is new to its clouds.
    fn introduce(&mut self, block: &VoiceBlock) {
        let introduced = VoiceBlock::reuse(&mut self.block);
        for tick in 0..block.ticks() {
            introduced.start_tick();
            for slot in block.slots() {
                if let Some(cloud) = block.cloud(slot, tick) {
                    let starts = if self.known[slot] { 0 } else { STARTS };
                    self.known[slot] = true;
                    introduced.push(
                        slot as u32,
                        Cloud {
                            flags: cloud.flags | starts,
                            ..*cloud
                        },
                    );
                }
            }
        }
    }

    /// Prepares the preferred renderer on a thread of its own, which also lets go of a lost one:
    /// either may take long.
    fn attempt(&self, lost: Option<Box<dyn Renderer>>) -> Option<Attempt> {
        let (make, capacity) = (Arc::clone(&self.make), self.capacity);
        let attempt = move || {
            drop(lost);
            let mut renderer = make();
            renderer.prepare(capacity)?;
            Ok(renderer)
        };
        thread::Builder::new()
            .name("myriad-return".into())
            .spawn(attempt)
            .ok()
    }

    /// Continues every bus by prediction.
    fn predict(&mut self) {
        for (past, future) in self.past.iter().zip(&mut self.future) {
            continue_sound(past, future);
        }
    }

    /// Remembers the end of every bus.
    fn remember(&mut self, buses: &Buses, frames: usize) {
        for (index, past) in self.past.iter_mut().enumerate() {
            let samples = &buses.bus(index / 2)[index % 2][..frames];
            past.copy_within(frames.min(FADE).., 0);
            past[FADE - frames..].copy_from_slice(samples);
        }
    }
}

const _: () = assert!(FADE == MAX_TICKS * TICK);

/// The share of what comes in, `frame` frames into a fade; what goes out has the rest.
fn fade_in(frame: usize) -> f32 {
    let x = (frame + 1) as f32 / FADE as f32;
    if x < 1.0 {
        x * x * (3.0 - 2.0 * x)
    } else {
        1.0
    }
}

impl Renderer for Failover {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.fallback.prepare(capacity)?;
        self.capacity = capacity;
        self.known = vec![false; capacity.slots];
        self.block = Arc::new(VoiceBlock::new(capacity.slots));
        self.under_way = VecDeque::with_capacity(1);
        self.other = Buses::new(capacity.buses);
        self.past = vec![[0.0; FADE]; 2 * capacity.buses];
        self.future = self.past.clone();
        self.rest = FIRST_REST;
        let mut preferred = (self.make)();
        let prepared = preferred.prepare(capacity);
        self.note(|report| {
            *report = FailoverReport {
                preferred: prepared.is_ok(),
                refused_because: prepared.as_ref().err().map(ToString::to_string),
                ..FailoverReport::default()
            };
        });
        self.state = match prepared {
            Ok(()) => State::Preferred(preferred),
            Err(error) if self.insists => return Err(error),
            Err(_) => State::Resting(self.rest),
        };
        Ok(())
    }

    fn reset(&mut self) {
        self.under_way.clear();
        self.fallback.reset();
        self.known.fill(false);
        self.past.fill([0.0; FADE]);
        if let State::Preferred(preferred) = &mut self.state {
            preferred.reset();
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.under_way.len() >= self.depth() {
            return Err(RenderError::OutOfTurn);
        }
        self.under_way.push_back(Arc::clone(block));
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let block = self.under_way.pop_front().ok_or(RenderError::OutOfTurn)?;
        let frames = block.ticks() * TICK;
        let state = std::mem::replace(&mut self.state, State::Resting(self.rest));
        let (state, partials) = self.render_in(state, &block, buses)?;
        self.state = state;
        self.remember(buses, frames);
        Ok(partials)
    }
}

impl Failover {
    /// Renders one block in `state`; gives the state of the next.
    fn render_in(
        &mut self,
        state: State,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<(State, usize), RenderError> {
        match state {
            State::Preferred(mut preferred) => match preferred.render(block, buses) {
                Ok(partials) => Ok((State::Preferred(preferred), partials)),
                Err(error) => {
                    self.note(|report| {
                        report.preferred = false;
                        report.losses += 1;
                        report.lost_because = Some(error.to_string());
                    });
                    self.predict();
                    self.known.fill(false);
                    self.fallback.reset();
                    let losing = State::Losing {
                        lost: Some(preferred),
                        faded: 0,
                    };
                    self.render_in(losing, block, buses)
                }
            },
            State::Losing { lost, faded } => {
                let partials = self.render_fallback(block, buses)?;
                let frames = (block.ticks() * TICK).min(FADE - faded);
                for (index, future) in self.future.iter().enumerate() {
                    let bus = &mut buses.bus_mut(index / 2)[index % 2][..frames];
                    for (frame, sample) in bus.iter_mut().enumerate() {
                        let share = fade_in(faded + frame);
                        *sample = *sample * share + future[faded + frame] * (1.0 - share);
                    }
                }
                let faded = faded + frames;
                let state = match faded < FADE {
                    true => State::Losing { lost, faded },
                    // The first attempt lets go of what was lost.
                    false => match self.attempt(lost) {
                        Some(attempt) => State::Attempting(attempt),
                        None => State::Resting(self.rest),
                    },
                };
                Ok((state, partials))
            }
            State::Resting(ticks) => {
                let partials = self.render_fallback(block, buses)?;
                let left = ticks.saturating_sub(block.ticks() as u64);
                let state = match (left == 0).then(|| self.attempt(None)).flatten() {
                    Some(attempt) => State::Attempting(attempt),
                    None => State::Resting(left),
                };
                Ok((state, partials))
            }
            State::Attempting(attempt) => {
                let partials = self.render_fallback(block, buses)?;
                if !attempt.is_finished() {
                    return Ok((State::Attempting(attempt), partials));
                }
                let state = match attempt.join() {
                    Ok(Ok(preferred)) => {
                        self.known.fill(false);
                        State::Returning {
                            preferred,
                            faded: 0,
                        }
                    }
                    failed => {
                        if let Ok(Err(error)) = failed {
                            self.note(|report| report.refused_because = Some(error.to_string()));
                        }
                        let rest = self.rest;
                        self.rest = (2 * rest).min(LONGEST_REST);
                        State::Resting(rest)
                    }
                };
                Ok((state, partials))
            }
            State::Returning {
                mut preferred,
                faded,
            } => {
                let partials = self.fallback.render(block, buses)?;
                self.introduce(block);
                if let Err(error) = preferred.render(&self.block, &mut self.other) {
                    self.note(|report| report.refused_because = Some(error.to_string()));
                    self.known.fill(true);
                    let lost = Some(preferred);
                    let state = self
                        .attempt(lost)
                        .map_or(State::Resting(self.rest), State::Attempting);
                    return Ok((state, partials));
                }
                let frames = block.ticks() * TICK;
                for index in 0..2 * self.capacity.buses {
                    let new = self.other.bus(index / 2)[index % 2];
                    let bus = &mut buses.bus_mut(index / 2)[index % 2][..frames];
                    for (frame, (sample, new)) in bus.iter_mut().zip(new).enumerate() {
                        let share = fade_in(faded + frame);
                        *sample += (new - *sample) * share;
                    }
                }
                let faded = faded + frames;
                if faded < FADE {
                    return Ok((State::Returning { preferred, faded }, partials));
                }
                self.rest = FIRST_REST;
                self.note(|report| {
                    report.preferred = true;
                    report.returns += 1;
                });
                Ok((State::Preferred(preferred), partials))
            }
        }
    }

    fn render_fallback(
        &mut self,
        block: &VoiceBlock,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        self.introduce(block);
        self.fallback.render(&self.block, buses)
    }
}
