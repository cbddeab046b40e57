//! The server: what it shares between connections, how it starts and how it stops.

use crate::clock::Clock;
use crate::config::{RATE, ServeConfig};
use crate::datagrams::Datagrams;
use crate::http;
use crate::pool::Pool;
use crate::seat::{Seat, SeatEnds};
use crate::status::{Counters, Status};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use myriad_engine::patch::{Playable, factory};
use myriad_engine::{EngineError, Patch};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

/// How long a visitor may take for all of a page.
const DOWNLOAD: Duration = Duration::from_secs(60);

/// How long stopping waits for connections to end.
const STOP: Duration = Duration::from_secs(2);

/// From this load on nobody new is let in.
const FULL_LOAD: f32 = 0.9;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("{0}: {1}")]
    Address(SocketAddr, io::Error),
    /// A thread was refused.
    #[error("no thread for the server: {0}")]
    Thread(io::Error),
    /// The first instrument cannot be made.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No such factory patch.
    #[error("there is no factory patch {0:?}")]
    Patch(String),
    /// Frames of a packet.
    #[error("a packet has 64 to 1024 frames, in steps of 32, not {0}")]
    Block(usize),
    /// Everybody could play.
    #[error("an address that others can reach needs a token")]
    NoToken,
}

/// What all connections share.
pub(crate) struct State {
    pub(crate) config: ServeConfig,
    pub(crate) address: SocketAddr,
    pub(crate) clock: Clock,
    pub(crate) pool: Pool,
    pub(crate) seats: Mutex<Vec<Arc<Seat>>>,
    pub(crate) seat_permits: Arc<Semaphore>,
    pub(crate) counters: Counters,
    /// Sound as datagrams; `None` where the port is taken.
    pub(crate) datagrams: Option<Arc<Datagrams>>,
    /// Whether the server stops.
    pub(crate) stopping: watch::Sender<bool>,
    patch: Patch,
    next_seat: AtomicU64,
    /// The pool's load in the last second, as bits.
    load: AtomicU32,
}

impl State {
    pub(crate) fn make_seat(&self) -> Result<(Arc<Seat>, SeatEnds), EngineError> {
        let id = self.next_seat.fetch_add(1, Relaxed);
        let patch = Playable::new(self.patch.clone()).prepared(RATE as f32);
        let (seat, ends) = Seat::new(id, &self.clock, &self.config, patch)?;
        let seat = Arc::new(seat);
        self.lock_seats().push(Arc::clone(&seat));
        self.pool.add(Arc::clone(&seat));
        self.counters.seats.fetch_add(1, Relaxed);
        Ok((seat, ends))
    }

    pub(crate) fn remove_seat(&self, seat: &Arc<Seat>) {
        self.lock_seats().retain(|other| other.id != seat.id);
    }

    pub(crate) fn seats_taken(&self) -> usize {
        self.lock_seats().len()
    }

    /// The share of the workers' time in which they rendered, in the last second.
    pub(crate) fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed))
    }

    /// Whether another seat would be at the expense of those that are taken.
    pub(crate) fn is_overloaded(&self) -> bool {
        self.load() > FULL_LOAD
    }

    fn lock_seats(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Seat>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that runs. Dropping it stops it.
pub struct Server {
    state: Arc<State>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    /// When the address is in use or needs a token, or an instrument cannot be made.
    pub fn start(config: ServeConfig) -> Result<Self, ServeError> {
        if !(64..=1_024).contains(&config.block) || !config.block.is_multiple_of(32) {
            return Err(ServeError::Block(config.block));
        }
        let is_open = !config.address.ip().is_loopback();
        if is_open && (config.player_token.is_none() || config.operator_token.is_none()) {
            return Err(ServeError::NoToken);
        }
        let patch = factory::find(&config.patch);
        let patch = patch.ok_or_else(|| ServeError::Patch(config.patch.clone()))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads((cores / 4).clamp(1, 4))
            .thread_name("myriad-serve")
            .enable_all()
            .build()
            .map_err(ServeError::Thread)?;
        let listen = TcpListener::bind(config.address);
        let address = |error| ServeError::Address(config.address, error);
        let listener = runtime.block_on(listen).map_err(address)?;
        let bound = listener.local_addr().map_err(address)?;
        let clock = Clock::new(RATE, config.block);
        // The first engine takes long, and tells whether the renderer is there at all.
        let trial = Playable::new(patch.clone());
        drop(Seat::new(0, &clock, &config, trial)?);
        let pool = Pool::start(clock, &config);
        // Seats do without: a port that is free for connections may be taken for datagrams.
        let datagrams = runtime.block_on(async { Datagrams::start(bound) }).ok().map(Arc::new);
        let state = Arc::new(State {
            address: bound,
            clock,
            pool: pool.map_err(ServeError::Thread)?,
            seats: Mutex::new(Vec::new()),
            seat_permits: Arc::new(Semaphore::new(config.seats)),
            counters: Counters::default(),
            datagrams: datagrams.clone(),
            stopping: watch::Sender::new(false),
            patch,
            next_seat: AtomicU64::new(1),
            load: AtomicU32::new(0),
            config,
        });
        runtime.spawn(accept(listener, Arc::clone(&state)));
        runtime.spawn(measure_load(Arc::clone(&state)));
        if let Some(datagrams) = datagrams {
            runtime.spawn(datagrams.run(Arc::clone(&state)));
        }
        Ok(Self { state, runtime: Some(runtime) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.state.address
    }

    /// What it does now.
    pub fn status(&self) -> Status {
        self.state.status()
    }

    /// Tells all clients that it stops, and stops.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.state.stopping.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            let give_up = Instant::now() + STOP;
            while self.state.seats_taken() > 0 && Instant::now() < give_up {
                std::thread::sleep(Duration::from_millis(5));
            }
            runtime.shutdown_timeout(STOP);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Accepts connections, as many as there is room for.
async fn accept(listener: TcpListener, state: Arc<State>) {
    let visitors = Arc::new(Semaphore::new(state.config.limits.visitors));
    let mut stopping = state.stopping.subscribe();
    loop {
        let accepted = tokio::select! {
            _ = stopping.wait_for(|stops| *stops) => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files: it goes on when some are closed.
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        state.counters.connections.fetch_add(1, Relaxed);
        match Arc::clone(&visitors).try_acquire_owned() {
            Ok(visitor) => drop(tokio::spawn(serve(stream, Arc::clone(&state), visitor))),
            // Closed at once: whoever is here already has priority.
            Err(_) => {
                state.counters.turned_away.fetch_add(1, Relaxed);
            }
        }
    }
}

/// Answers the one request of a connection.
async fn serve(stream: TcpStream, state: Arc<State>, visitor: OwnedSemaphorePermit) {
    // Sound must not wait for more of it.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let request_limit = state.config.limits.request;
    let visitor = Arc::new(visitor);
    let service =
        service_fn(|request| http::answer(request, Arc::clone(&state), Arc::clone(&visitor)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(request_limit)
        .max_buf_size(16 << 10)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // Whatever goes wrong with a visitor concerns nobody else.
    let _ = timeout(DOWNLOAD, connection).await;
}

/// Measures the load of the pool once a second, and drops seats that were left.
async fn measure_load(state: Arc<State>) {
    let mut stopping = state.stopping.subscribe();
    let (mut last, mut busy) = (Instant::now(), 0);
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stops| *stops) => return,
            () = sleep(Duration::from_secs(1)) => {}
        }
        let now = Instant::now();
        let total = state.pool.counters().busy.load(Relaxed);
        let available = (now - last).as_secs_f64() * state.pool.workers().max(1) as f64;
        let load = (total - busy) as f64 / 1e9 / available;
        state.load.store((load as f32).to_bits(), Relaxed);
        (last, busy) = (now, total);
        let state = Arc::clone(&state);
        // Engines take a moment to drop.
        drop(tokio::task::spawn_blocking(move || state.pool.drop_former()));
    }
}
