//! Renders for all clients: whatever they have submitted when the renderer is free becomes one block.
//!
//! Every client has a range of slots and buses of its own, so its sound does not depend on the others.
//! Clients that play live come first. What each of them costs is measured; when there is too much to do,
//! the one that costs most is told to go on by CPU.

use super::error::ServeError;
use super::futex_counter::SPIN;
use super::layout::{ANSWERED, ASKED, DEPTH, Layout, ProtocolViolation, RequestHead};
use super::load::{BusyTime, ClientLoad, MAX_LOAD, RendererLoad, WINDOW, Window, too_much};
use super::request_reader::{self, RequestReader};
use super::server::{ClientConnection, HANG_TIMEOUT, Shared};
use super::status::{ClientStatus, ServiceStatus};
use super::warm_up::warm_up;
use myriad_engine::Workers;
use myriad_engine::render::{
    Buses, Capacity, Reason, Renderer, Section, SectionWriter, VoiceBlock,
};
use std::any::Any;
use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long it may work without a pause, and the pause. Systems kill threads of high priority that never
/// pause, often after 200 ms.
const MAX_RUN: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_micros(20);

/// The most threads that help to read requests, and the share of the machine's cores that they may be.
const MAX_HELPERS: usize = 3;
const CORES_PER_HELPER: usize = 4;

/// Voices times ticks for each thread that reads: ten microseconds or so.
const VOICE_TICKS_PER_THREAD: usize = 256;

/// How many threads are to help with so many voices times ticks.
fn helpers_for(voice_ticks: usize) -> usize {
    (voice_ticks / VOICE_TICKS_PER_THREAD).saturating_sub(1)
}

/// How long to spin for a request that was announced, or for one that comes while another block is rendered.
const ANNOUNCED: Duration = Duration::from_micros(150);

const BUSY: &str = "the GPU is busy with other instruments";

/// A client that wants to render.
pub(super) struct PendingClient {
    pub(super) connection: Arc<ClientConnection>,
    /// Whether it may, or why not.
    pub(super) answer: SyncSender<Result<(), String>>,
}

impl PendingClient {
    pub(super) fn refuse(self, reason: String) {
        // The connection may be closed already.
        let _ = self.answer.send(Err(reason));
    }
}

/// A client that renders.
struct Client {
    id: u64,
    connection: Arc<ClientConnection>,
    first_slot: usize,
    capacity: Capacity,
    /// Numbers of requests taken and of answers given; both wrap.
    taken: u32,
    given: u32,
    reader: RequestReader,
    load: ClientLoad,
    last_clouds: usize,
    /// Voices times ticks of its last request; zero if it has not asked for a while.
    last_voice_ticks: usize,
    /// Why its next request is refused, which ends it.
    refused: Option<&'static str>,
}

impl Client {
    fn slots(&self) -> usize {
        self.capacity.slots.next_multiple_of(Section::SLOTS)
    }

    fn is_gone(&self) -> bool {
        self.connection.is_gone.load(Ordering::Acquire)
    }

    /// Requests that wait.
    fn waiting(&self) -> u32 {
        let asked = self.connection.segment.memory.futex_counter(ASKED).count();
        asked.wrapping_sub(self.taken)
    }

    /// Sends the next answer, which `write` writes.
    fn answer(&mut self, write: impl FnOnce(&ClientConnection, u32)) {
        write(&self.connection, self.given);
        self.given = self.given.wrapping_add(1);
        self.connection.segment.memory.futex_counter(ANSWERED).increment();
    }

    /// Answers the oldest request with a failure, and ends the client.
    fn fail(&mut self, reason: &str) {
        let asked = self.connection.segment.memory.futex_counter(ASKED).count();
        if asked != self.given {
            let reason = Reason::new(reason);
            self.answer(|connection, number| connection.segment.answer_failure(number, &reason));
        }
        self.connection.close();
    }
}

/// One request in a block.
struct Member {
    client: u64,
    ticks: usize,
    outcome: Outcome,
}

/// What happens with a request.
enum Outcome {
    /// It is rendered into buses from this number on; its share of the block's work.
    Sounds {
        first_bus: usize,
        work: f32,
    },
    Silent,
    Failed(&'static str),
}

/// Requests that are answered together.
struct Batch {
    members: Vec<Member>,
    /// Whether anything sounds, so that the renderer has it.
    is_submitted: bool,
    submitted: Instant,
}

pub(super) struct Scheduler {
    renderer: Box<dyn Renderer>,
    /// Help to read the requests of several clients.
    helpers: Workers,
    capacity: Capacity,
    shared: Arc<Shared>,
    /// Ordered by slots.
    clients: Vec<Client>,
    last_id: u64,
    /// Used in turn.
    blocks: VecDeque<Arc<VoiceBlock>>,
    in_flight: VecDeque<Batch>,
    buses: Buses,
    /// Member lists of finished batches, for reuse.
    spare: Vec<Vec<Member>>,
    load: RendererLoad,
    evictions: u64,
}

impl Scheduler {
    /// Renders with a renderer that is prepared for that capacity.
    pub(super) fn new(
        mut renderer: Box<dyn Renderer>,
        capacity: Capacity,
        shared: Arc<Shared>,
    ) -> Result<Self, ServeError> {
        let depth = renderer.depth().clamp(1, DEPTH);
        // Half of a client's slots are for clouds that fade out, which are few at a time.
        let block = || Arc::new(VoiceBlock::shared(capacity.slots, capacity.slots / 2));
        let mut blocks: VecDeque<_> = (0..depth).map(|_| block()).collect();
        let quickest_launch = warm_up(&mut *renderer, blocks.make_contiguous(), capacity.buses)
            .map_err(|error| ServeError::Failed(error.to_string()))?;
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let helpers = Workers::start((cores / CORES_PER_HELPER).min(MAX_HELPERS));
        Ok(Self {
            renderer,
            helpers: helpers.map_err(|(_, error)| ServeError::System("a thread", error))?,
            capacity,
            shared,
            clients: Vec::new(),
            last_id: 0,
            blocks,
            in_flight: VecDeque::with_capacity(depth),
            buses: Buses::new(capacity.buses),
            spare: Vec::new(),
            load: RendererLoad::new(quickest_launch),
            evictions: 0,
        })
    }

    /// Renders until nobody has been connected for `idle`, or the renderer fails.
    pub(super) fn run(
        &mut self,
        arrivals: &Receiver<PendingClient>,
        idle: Duration,
    ) -> Result<(), ServeError> {
        let mut alone_since = Instant::now();
        let mut paused = Instant::now();
        // Whether a client has woken it and not yet asked for anything.
        let mut is_announced = false;
        loop {
            // Comes first: what happens from now on wakes the wait below.
            let wakes = self.shared.wakes();
            arrivals.try_iter().for_each(|pending| self.admit(pending));
            self.clients.retain(|client| !client.is_gone());
            self.measure();
            match guarded(|| self.step()) {
                Ok(true) => {
                    is_announced = false;
                    if paused.elapsed() >= MAX_RUN {
                        thread::sleep(PAUSE);
                        paused = Instant::now();
                    }
                    continue;
                }
                Ok(false) => {}
                Err(reason) => {
                    self.clients.iter_mut().for_each(|client| client.fail(&reason));
                    return Err(ServeError::Failed(reason));
                }
            }
            if self.shared.is_connected() {
                alone_since = Instant::now();
            } else if alone_since.elapsed() > idle {
                return Ok(());
            }
            let spin = if is_announced { ANNOUNCED } else { SPIN };
            is_announced = self.shared.wait(wakes, spin, WINDOW.min(idle));
            paused = Instant::now();
        }
    }

    /// Finds room for a client.
    pub(super) fn admit(&mut self, pending: PendingClient) {
        let capacity = pending.connection.segment.layout.capacity();
        let slots = capacity.slots.next_multiple_of(Section::SLOTS);
        let buses: usize = self.clients.iter().map(|client| client.capacity.buses).sum();
        if !(1..=Section::MAX_BUSES).contains(&capacity.buses) || slots == 0 {
            return pending.refuse("the render service was asked for too much, or nothing".into());
        }
        if slots > self.capacity.slots {
            let most = self.capacity.slots;
            return pending.refuse(Layout::refusal(most, slots));
        }
        let place = self.gap(slots).filter(|_| buses + capacity.buses <= self.capacity.buses);
        let Some((index, first_slot)) = place else {
            return pending.refuse("the GPU has no room for more instruments".into());
        };
        if self.live_load() > MAX_LOAD {
            return pending.refuse(BUSY.into());
        }
        self.last_id += 1;
        let client = Client {
            id: self.last_id,
            connection: Arc::clone(&pending.connection),
            first_slot,
            capacity,
            taken: 0,
            given: 0,
            reader: RequestReader::new(capacity),
            load: ClientLoad::default(),
            last_clouds: 0,
            last_voice_ticks: 0,
            refused: None,
        };
        self.clients.insert(index, client);
        // If the connection is closed by now, its end is noticed soon.
        let _ = pending.answer.send(Ok(()));
    }

    /// Where so many slots are free, and before which client.
    fn gap(&self, slots: usize) -> Option<(usize, usize)> {
        let ends = self.clients.iter().map(|client| client.first_slot + client.slots());
        let starts = self.clients.iter().map(|client| client.first_slot);
        let mut gaps = [0].into_iter().chain(ends).zip(starts.chain([self.capacity.slots]));
        let index = gaps.position(|(start, end)| end - start >= slots)?;
        let before = index.checked_sub(1).map(|index| &self.clients[index]);
        Some((index, before.map_or(0, |client| client.first_slot + client.slots())))
    }

    /// Submits one block, or finishes one. Returns whether there was something to do.
    fn step(&mut self) -> Result<bool, String> {
        // To answer takes less time than to submit the next block, and somebody waits for it.
        let is_finished = match self.in_flight.front() {
            Some(oldest) => !oldest.is_submitted || self.renderer.is_finished(),
            None => false,
        };
        let has_room = self.in_flight.len() < self.blocks.len();
        if !is_finished && has_room && self.gather()? {
            return Ok(true);
        }
        let Some(oldest) = self.in_flight.front() else {
            return Ok(false);
        };
        // While it is rendered, requests of other clients come. After a while it is waited for, with a timeout.
        if !is_finished && has_room && oldest.submitted.elapsed() < ANNOUNCED {
            std::hint::spin_loop();
            return Ok(true);
        }
        match self.in_flight.pop_front() {
            Some(batch) => self.finish(batch).map(|()| true),
            None => Ok(false),
        }
    }

    /// Makes a block of what waits: of those who play live, or of the others when none of them waits.
    fn gather(&mut self) -> Result<bool, String> {
        let mut live = None;
        for client in self.clients.iter().filter(|client| client.waiting() != 0) {
            live = Some(live == Some(true) || client.connection.is_live);
        }
        let Some(live) = live else {
            return Ok(false);
        };
        let mut members = self.spare.pop().unwrap_or_default();
        let mut block = VoiceBlock::reuse(&mut self.blocks[0]);
        let (mut reading, mut voice_ticks, mut absent_voice_ticks) = (Vec::new(), 0, 0);
        for client in self.clients.iter_mut().filter(|client| client.connection.is_live == live) {
            if client.waiting() == 0 {
                absent_voice_ticks += client.last_voice_ticks;
                continue;
            }
            let (ticks, outcome) = match begin(client, &mut block) {
                Ok(Begun::Reads(head, first_bus)) => {
                    client.last_voice_ticks = head.voices as usize * head.ticks;
                    voice_ticks += client.last_voice_ticks;
                    reading.push((client, head, first_bus));
                    continue;
                }
                Ok(Begun::Silent(ticks)) => (ticks, Outcome::Silent),
                Ok(Begun::WaitsForTable) => continue,
                Err(violation) => (0, Outcome::Failed(violation)),
            };
            client.taken = client.taken.wrapping_add(1);
            members.push(Member { client: client.id, ticks, outcome });
        }
        let sections = block.section_writers().zip(reading);
        let readings: Vec<_> = sections
            .map(|(section, (client, head, first_bus))| {
                Mutex::new(Reading {
                    client,
                    head,
                    first_bus,
                    section,
                    load: Ok(Default::default()),
                })
            })
            .collect();
        self.helpers.run(helpers_for(voice_ticks), readings.len(), &|task| {
            readings[task].lock().unwrap_or_else(PoisonError::into_inner).read();
        });
        // Those who are absent ask soon: where many play, they do it at the same time.
        self.helpers.expect(helpers_for(absent_voice_ticks));
        for reading in readings {
            let reading = reading.into_inner().unwrap_or_else(PoisonError::into_inner);
            members.push(reading.finish());
        }
        drop(block);
        if members.is_empty() {
            self.spare.push(members);
            return Ok(false);
        }
        let is_submitted = !self.blocks[0].sections().is_empty();
        let submitted = Instant::now();
        if is_submitted {
            let (renderer, block) = (&mut self.renderer, &self.blocks[0]);
            self.shared
                .watched(HANG_TIMEOUT, || renderer.submit(block))
                .map_err(|error| error.to_string())?;
            self.blocks.rotate_left(1);
        }
        self.in_flight.push_back(Batch { members, is_submitted, submitted });
        Ok(true)
    }

    /// Waits for a block, and answers its clients.
    fn finish(&mut self, mut batch: Batch) -> Result<(), String> {
        let mut sounded = 0;
        let mut busy = BusyTime::default();
        if batch.is_submitted {
            let (renderer, buses) = (&mut self.renderer, &mut self.buses);
            let collected = self.shared.watched(HANG_TIMEOUT, || renderer.collect(buses));
            sounded = collected.map_err(|error| error.to_string())?;
            busy = self.load.finish(batch.submitted, Instant::now());
        }
        let work = |member: &Member| match member.outcome {
            Outcome::Sounds { work, .. } => work,
            Outcome::Silent | Outcome::Failed(_) => 0.0,
        };
        let all: f32 = batch.members.iter().map(work).sum();
        for member in batch.members.drain(..) {
            let share = if all > 0.0 { work(&member) / all } else { 0.0 };
            let Some(client) = self.clients.iter_mut().find(|client| client.id == member.client)
            else {
                continue;
            };
            client.load.add(share, busy);
            match member.outcome {
                Outcome::Sounds { first_bus, .. } => {
                    let partials = (sounded as f32 * share).round() as usize;
                    let buses = &self.buses;
                    client.answer(|connection, number| {
                        let segment = &connection.segment;
                        segment.answer(number, member.ticks, partials, buses, first_bus);
                    });
                }
                Outcome::Silent => client.answer(|connection, number| {
                    connection.segment.answer_silence(number, member.ticks);
                }),
                Outcome::Failed(reason) => client.fail(reason),
            }
        }
        self.spare.push(batch.members);
        Ok(())
    }

    /// The share of the last window that the voices of live clients have taken.
    fn live_load(&self) -> f64 {
        let live = self.clients.iter().filter(|client| client.connection.is_live);
        live.map(|client| client.load.voices_share).sum()
    }

    /// Ends the window when it is over: publishes the status, and evicts a client when there is too much
    /// to do.
    fn measure(&mut self) {
        let Some(window) = self.load.end_window(Instant::now()) else {
            return;
        };
        for Client { load, last_voice_ticks, .. } in &mut self.clients {
            if load.is_idle() {
                *last_voice_ticks = 0;
            }
            load.end_window(&window);
        }
        let mut live: Vec<&mut Client> =
            self.clients.iter_mut().filter(|client| client.connection.is_live).collect();
        let shares: Vec<f64> = live.iter().map(|client| client.load.voices_share).collect();
        if let Some(costliest) = too_much(&shares) {
            self.evictions += 1;
            live[costliest].refused = Some(BUSY);
        }
        self.publish(&window);
    }

    fn publish(&self, window: &Window) {
        let client = |client: &Client| ClientStatus {
            process: client.connection.process.as_raw_pid() as u32,
            is_live: client.connection.is_live,
            slots: client.capacity.slots,
            clouds: client.last_clouds,
            blocks: client.load.blocks_a_second,
            share: client.load.busy_share,
        };
        let status = ServiceStatus {
            process: 0,
            busy: window.busy,
            launches: window.launches_a_second,
            evictions: self.evictions,
            clients: self.clients.iter().map(client).collect(),
        };
        let mut published = self.shared.status.lock().unwrap_or_else(PoisonError::into_inner);
        *published = status.to_text();
    }
}

/// What is to be done for a request.
enum Begun {
    /// To read the voices that follow its head. Its first bus in the block.
    Reads(RequestHead, usize),
    /// It is silent for so many ticks.
    Silent(usize),
    /// A table that it needs is still on its way.
    WaitsForTable,
}

/// Reads the head of the client's next request, and makes room for its voices in `block`.
fn begin(client: &mut Client, block: &mut VoiceBlock) -> Result<Begun, ProtocolViolation> {
    if let Some(reason) = client.refused {
        return Err(reason);
    }
    if client.waiting() as usize > DEPTH {
        return Err("more was asked than there is room for");
    }
    let head = client.connection.segment.read_head(client.taken)?;
    if !client.connection.tables.has(head.needs) {
        return Ok(Begun::WaitsForTable);
    }
    if head.reset {
        client.reader.reset();
    }
    if head.voices == 0 {
        (client.last_clouds, client.last_voice_ticks) = (0, 0);
        return Ok(Begun::Silent(head.ticks));
    }
    let Client { first_slot, capacity, .. } = *client;
    let first_bus = block.sections().last().map_or(0, |last| last.first_bus + last.buses);
    let section = Section { first_slot, first_bus, buses: capacity.buses };
    match block.start_section(section, head.ticks, head.voices as usize) {
        true => Ok(Begun::Reads(head, first_bus)),
        false => Err("more voices than the service holds"),
    }
}

/// A request that is being read into its section of a block.
struct Reading<'a> {
    client: &'a mut Client,
    head: RequestHead,
    first_bus: usize,
    section: SectionWriter<'a>,
    load: Result<request_reader::Load, ProtocolViolation>,
}

impl Reading<'_> {
    fn read(&mut self) {
        let Client { connection, reader, taken, .. } = &mut *self.client;
        let ClientConnection { segment, tables, .. } = &**connection;
        self.load = reader.read(segment, *taken, &self.head, tables, &mut self.section);
        self.section.settle();
    }

    /// Takes the request.
    fn finish(self) -> Member {
        let Self { client, head, first_bus, load, .. } = self;
        client.taken = client.taken.wrapping_add(1);
        let outcome = match load {
            Ok(load) => {
                client.last_clouds = load.clouds;
                Outcome::Sounds { first_bus, work: load.partials }
            }
            Err(violation) => Outcome::Failed(violation),
        };
        Member { client: client.id, ticks: head.ticks, outcome }
    }
}

/// Calls what may fail or panic, and returns the reason as text in both cases.
fn guarded<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(panic) => Err(format!("the renderer panicked: {}", message_of(&*panic))),
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default()
}
