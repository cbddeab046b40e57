//! A renderer that goes on when another fails: the chord on the card becomes a chord on the CPU.
//!
//! Clouds say where their fundamentals are, so harmonic ones go on in phase; of all others the
//! phases are lost with the renderer. So its sound is continued by prediction for a few
//! milliseconds and faded, while every cloud starts on the CPU and fades in. Later
//! the lost renderer is prepared again, on a thread of its own, and taken back, both playing while
//! one fades into the other. The same fade serves to change over on demand, either way.
//!
//! What is to become of a block is decided when it is submitted ([`Plan`]): several may be under
//! way. When it is collected the plan is carried out; a loss turns the plans of all that are
//! under way into the CPU's.

mod card;
mod seam;
mod thinning;

use super::attended::Deadlines;
use super::{Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, TICK, VoiceBlock};
use crate::dsp::FADE;
use card::Card;
pub use card::{Home, MakePreferred};
use seam::Seam;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use thinning::Thinning;
pub use thinning::{Clock, wall_clock};

/// Who renders, and what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailoverReport {
    /// Whether the preferred renderer plays.
    pub preferred: bool,
    /// How often it was lost.
    pub losses: u64,
    /// How often it came back.
    pub returns: u64,
    /// How often the one or the other was changed to because the load asked for it.
    pub switches: u64,
    /// Partials that the CPU now leaves out because it could not hold them.
    pub thinned: usize,
    /// The most that it has left out.
    pub thinned_most: usize,
    /// Why it was last lost.
    pub lost_because: Option<String>,
    /// Why it could not be had, or not be had again, the last time it was tried.
    pub refused_because: Option<String>,
}

/// What a block asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Ticks of the block.
    pub ticks: usize,
    /// Clouds that sound in it.
    pub clouds: usize,
    /// Partials that they ask for.
    pub partials: usize,
}

impl Load {
    /// That of `block`.
    pub fn of(block: &VoiceBlock) -> Self {
        let mut load = Self {
            ticks: block.ticks(),
            ..Self::default()
        };
        for slot in block.slots() {
            load.clouds += 1;
            load.partials += block.sketch(slot).most_partials();
        }
        load
    }
}

/// Who should render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The CPU.
    Fallback,
    /// The CPU; but the preferred renderer may be needed soon and should get ready.
    GetReady,
    /// The preferred renderer.
    Preferred,
}

/// Says for every block who should render it. Called on the thread that renders.
pub type Wishes = Box<dyn FnMut(Load) -> Wish + Send>;

/// Makes up the wishes when the renderer is prepared; may take long.
pub type MakeWishes = Box<dyn FnMut(Capacity) -> Result<Wishes, PrepareError> + Send>;

/// Renders with the preferred renderer as long as it can be had, and with the CPU otherwise.
pub struct Failover {
    make_wishes: MakeWishes,
    wishes: Wishes,
    /// The last one.
    wish: Wish,
    /// Whether the preferred renderer must be there at first.
    insists: bool,
    fallback: CpuRenderer,
    depth: usize,
    card: Card,
    /// Where the plan for the next block starts from.
    course: Course,
    /// What was submitted and not collected.
    under_way: VecDeque<UnderWay>,
    /// Whether the CPU knows the clouds that sound.
    cpu_plays: bool,
    /// Whether the next time that the preferred renderer plays is a return from a loss.
    returns: bool,
    /// Copies of blocks for a renderer that is new to their clouds: the CPU, and the other.
    for_cpu: Arc<VoiceBlock>,
    for_card: Arc<VoiceBlock>,
    /// What the other renderer plays during a fade.
    other: Buses,
    seam: Seam,
    /// Only when somebody listens live.
    thinning: Option<Thinning>,
    report: Arc<Mutex<FailoverReport>>,
}

/// Who plays the blocks that are submitted, frames of a fade included.
#[derive(Clone, Copy)]
enum Course {
    Cpu,
    Card,
    ToCpu(usize),
    ToCard(usize),
}

/// Who renders a block: the CPU, the card, or both, so many frames into their fade.
#[derive(Clone, Copy)]
enum Plan {
    Cpu,
    Card,
    ToCpu { faded: usize },
    ToCard { faded: usize },
}

struct UnderWay {
    block: Arc<VoiceBlock>,
    plan: Plan,
    /// Whether the card took it.
    sent: Result<(), RenderError>,
}

impl Failover {
    /// Prefers what `make` makes, and falls back to `fallback`.
    pub fn new(make: MakePreferred, fallback: CpuRenderer) -> Self {
        Self {
            make_wishes: Box::new(|_| Ok(Box::new(|_| Wish::Preferred))),
            wishes: Box::new(|_| Wish::Preferred),
            wish: Wish::Preferred,
            insists: false,
            fallback,
            depth: 1,
            card: Card::new(make),
            course: Course::Cpu,
            under_way: VecDeque::new(),
            cpu_plays: true,
            returns: false,
            for_cpu: Arc::new(VoiceBlock::new(0)),
            for_card: Arc::new(VoiceBlock::new(0)),
            other: Buses::new(0),
            seam: Seam::new(0),
            thinning: None,
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

    /// Follows wishes, which are made up in `prepare`, instead of always preferring the one.
    #[must_use]
    pub fn wishing(self, make_wishes: MakeWishes) -> Self {
        Self {
            make_wishes,
            ..self
        }
    }

    /// How long the preferred renderer may take.
    #[must_use]
    pub fn within(mut self, deadlines: Deadlines) -> Self {
        self.card.deadlines = deadlines;
        self
    }

    /// Somebody listens while it plays: when the CPU cannot hold the load, it leaves partials
    /// out, the quietest first. Otherwise it takes its time.
    #[must_use]
    pub fn live(self, sample_rate: f32, clock: Clock) -> Self {
        Self {
            thinning: Some(Thinning::new(sample_rate, clock)),
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

    /// Makes up the wishes, and fulfils the first.
    fn make_a_wish(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        // Until they are known.
        (self.wishes, self.wish) = (Box::new(|_| Wish::Fallback), Wish::Fallback);
        self.wishes = (self.make_wishes)(capacity)?;
        self.wish = (self.wishes)(Load::default());
        match self.wish {
            Wish::Preferred => self.card.prepare(),
            Wish::Fallback | Wish::GetReady => Ok(()),
        }
    }

    /// Decides who renders the block that comes next.
    fn plan(&mut self, block: &VoiceBlock) -> Plan {
        let frames = block.ticks() * TICK;
        self.wish = (self.wishes)(Load::of(block));
        let plan = match (self.course, self.wish) {
            (Course::Cpu, Wish::Preferred) if self.card.is_ready() => Plan::ToCard { faded: 0 },
            (Course::Cpu, _) => Plan::Cpu,
            (Course::Card, Wish::Preferred) => Plan::Card,
            (Course::Card, _) => Plan::ToCpu { faded: 0 },
            (Course::ToCpu(faded), _) => Plan::ToCpu { faded },
            (Course::ToCard(faded), _) => Plan::ToCard { faded },
        };
        self.course = match plan {
            Plan::ToCpu { faded } if faded + frames < FADE => Course::ToCpu(faded + frames),
            Plan::ToCard { faded } if faded + frames < FADE => Course::ToCard(faded + frames),
            Plan::Cpu | Plan::ToCpu { .. } => Course::Cpu,
            Plan::Card | Plan::ToCard { .. } => Course::Card,
        };
        plan
    }

    /// Sends the block to the card, if that is the plan.
    fn send(&mut self, block: &Arc<VoiceBlock>, plan: Plan) -> Result<(), RenderError> {
        match plan {
            Plan::Cpu => Ok(()),
            Plan::ToCard { faded: 0 } => {
                block.introduce(&mut self.for_card);
                self.card.submit(&self.for_card)
            }
            Plan::Card | Plan::ToCard { .. } | Plan::ToCpu { .. } => self.card.submit(block),
        }
    }

    /// Carries out the plan for a block.
    fn carry_out(
        &mut self,
        UnderWay { block, plan, sent }: UnderWay,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        if let Plan::Cpu = plan {
            return self.play(&block, buses);
        }
        let collected = sent.and_then(|()| self.card.collect(&mut self.other));
        let partials = match collected {
            Ok(partials) => partials,
            Err(error) => {
                // Unless nothing of it was heard yet.
                if !matches!(plan, Plan::ToCard { faded: 0 }) {
                    self.seam.predict();
                }
                self.lose(error);
                return self.play(&block, buses);
            }
        };
        let frames = block.ticks() * TICK;
        match plan {
            Plan::Cpu | Plan::Card => {
                self.cpu_plays = false;
                std::mem::swap(buses, &mut self.other);
            }
            Plan::ToCpu { faded } => {
                self.play(&block, buses)?;
                buses.fade_from(&self.other, faded, frames);
                if faded + frames >= FADE {
                    self.has_changed_to(false);
                }
            }
            Plan::ToCard { faded } => {
                self.play(&block, buses)?;
                self.other.fade_from(buses, faded, frames);
                std::mem::swap(buses, &mut self.other);
                if faded + frames >= FADE {
                    self.has_changed_to(true);
                }
            }
        }
        Ok(partials)
    }

    /// Reports that a fade is over, or was cut short by a reset.
    fn has_changed_to(&mut self, preferred: bool) {
        let returned = preferred && std::mem::take(&mut self.returns);
        self.note(|report| {
            if report.preferred == preferred {
                return;
            }
            report.preferred = preferred;
            match returned {
                true => report.returns += 1,
                false => report.switches += 1,
            }
            if preferred {
                report.thinned = 0;
            }
        });
        if preferred {
            self.thinning.iter_mut().for_each(Thinning::reset);
        }
    }

    /// Renders on the CPU.
    fn play(&mut self, block: &Arc<VoiceBlock>, buses: &mut Buses) -> Result<usize, RenderError> {
        let mut block = block;
        if !self.cpu_plays {
            block.introduce(&mut self.for_cpu);
            block = &self.for_cpu;
            self.cpu_plays = true;
        }
        let Some(thinning) = &mut self.thinning else {
            return self.fallback.render(block, buses);
        };
        let partials = thinning.render(&mut self.fallback, block, buses)?;
        // Without waiting for a reader: this may be an audio thread.
        if thinning.is_news()
            && let Ok(mut report) = self.report.try_lock()
        {
            report.thinned = thinning.tell();
            report.thinned_most = report.thinned_most.max(report.thinned);
        }
        Ok(partials)
    }

    /// The card is lost: everything that is under way is the CPU's.
    fn lose(&mut self, error: RenderError) {
        self.note(|report| {
            report.preferred = false;
            report.losses += 1;
            report.lost_because = Some(error.to_string());
        });
        self.card.lose();
        self.course = Course::Cpu;
        self.returns = true;
        for block in &mut self.under_way {
            block.plan = Plan::Cpu;
        }
    }
}

impl Renderer for Failover {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.fallback.prepare(capacity)?;
        self.for_cpu = Arc::new(VoiceBlock::new(capacity.slots));
        self.for_card = Arc::new(VoiceBlock::new(capacity.slots));
        self.other = Buses::new(capacity.buses);
        self.seam = Seam::new(capacity.buses);
        self.thinning.iter_mut().for_each(Thinning::reset);
        (self.course, self.cpu_plays, self.returns) = (Course::Cpu, true, false);
        self.card.let_go(capacity);
        let outcome = self.make_a_wish(capacity);
        if let Err(error) = &outcome {
            self.card.refuse(error);
        }
        if self.card.is_ready() {
            self.course = Course::Card;
        }
        self.depth = self.card.depth();
        self.under_way = VecDeque::with_capacity(self.depth);
        self.note(|report| {
            *report = FailoverReport {
                preferred: matches!(self.course, Course::Card),
                refused_because: outcome.as_ref().err().map(ToString::to_string),
                ..FailoverReport::default()
            };
        });
        match self.insists {
            true => outcome,
            false => Ok(()),
        }
    }

    fn reset(&mut self) {
        self.under_way.clear();
        self.fallback.reset();
        self.seam.reset();
        self.card.reset();
        self.course = match self.course {
            Course::Cpu | Course::ToCpu(_) => Course::Cpu,
            Course::Card | Course::ToCard(_) => Course::Card,
        };
        // The end of a fade may be among the blocks that will not be collected.
        self.has_changed_to(matches!(self.course, Course::Card));
    }

    fn depth(&self) -> usize {
        self.depth
    }

    fn expect(&mut self) {
        if !matches!(self.course, Course::Cpu) {
            self.card.expect();
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.under_way.len() >= self.depth {
            return Err(RenderError::OutOfTurn);
        }
        let plan = self.plan(block);
        let sent = self.send(block, plan);
        self.under_way.push_back(UnderWay {
            block: Arc::clone(block),
            plan,
            sent,
        });
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let next = self.under_way.pop_front().ok_or(RenderError::OutOfTurn)?;
        let ticks = next.block.ticks();
        let partials = self.carry_out(next, buses)?;
        self.seam.blend(buses, ticks * TICK);
        self.seam.remember(buses, ticks * TICK);
        let wanted = self.wish != Wish::Fallback;
        // While a loss is being covered up there is enough to do.
        if self.seam.is_quiet()
            && let Some(refused) = self.card.tend(ticks as u64, wanted)
        {
            self.note(|report| report.refused_because = Some(refused.to_string()));
        }
        Ok(partials)
    }
}
