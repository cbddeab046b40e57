//! The renderer of a client: requests sent to the service and answers received.

use super::error::{ServiceFailure, StartError};
use super::futex_counter::SPIN;
use super::layout::{ANSWERED, ASKED, DEPTH, Layout, MAX_SLOTS, SharedSegment};
use super::memory::SharedMemory;
use super::start::{Connected, Served, ServiceCommand, Signals, WELCOME_TIMEOUT, connect};
use super::table_uploader::TableUploader;
use crate::GpuError;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often to check that the service is alive while waiting for it.
const ALIVE_INTERVAL: Duration = Duration::from_micros(250);

/// How a client uses the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Whether blocks have deadlines. Others are rendered when nobody who plays live waits.
    pub is_live: bool,
    /// How long a block may take.
    pub deadline: Duration,
    /// How long the service may take to start. Long, because the GPU's driver may have to compile.
    pub start_deadline: Duration,
    /// How long it may take to notice this client, before it counts as hung and is killed.
    pub welcome_deadline: Duration,
    /// How long to spin for a block before sleeping.
    pub spin: Duration,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        Self {
            is_live: true,
            deadline: Duration::from_secs(1),
            start_deadline: Duration::from_secs(30),
            welcome_deadline: WELCOME_TIMEOUT,
            spin: SPIN,
        }
    }
}

/// Renders in the service.
#[derive(Debug)]
pub struct ServiceRenderer {
    command: ServiceCommand,
    options: ServiceOptions,
    /// `None` until `prepare` succeeds.
    connection: Option<Connection>,
    /// Set by the first failure: the state of the clouds is then lost.
    failed: Option<RenderError>,
}

impl ServiceRenderer {
    /// Renders in the service of `command`. Starts nothing before `prepare`.
    pub fn new(command: ServiceCommand, options: ServiceOptions) -> Self {
        Self { command, options, connection: None, failed: None }
    }

    /// The id of the service's process, once prepared.
    pub fn process_id(&self) -> Option<u32> {
        self.connection.as_ref().map(|connection| connection.service.as_raw_pid() as u32)
    }

    /// Kills the service, for tests: all its clients lose it.
    ///
    /// # Errors
    /// When it is not in use.
    pub fn kill_service(&mut self) -> Result<(), RenderError> {
        let connection = self.connection()?;
        // It may have ended already.
        let _ = kill_process(connection.service, Signal::KILL);
        Ok(())
    }

    /// The connection, unless it has failed.
    fn connection(&mut self) -> Result<&mut Connection, RenderError> {
        match self.failed {
            Some(error) => Err(error),
            None => self.connection.as_mut().ok_or(RenderError::NotPrepared),
        }
    }

    /// Remembers a failure. A call out of turn is the caller's mistake and no failure.
    fn note<T>(&mut self, result: Result<T, RenderError>) -> Result<T, RenderError> {
        if let Err(error) = result
            && !error.is_misuse()
        {
            self.failed = Some(error);
        }
        result
    }
}

impl Renderer for ServiceRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        let is_gpu = |served: &Served| matches!(served, Served::Cuda(_));
        if self.command.served.iter().all(is_gpu) && !has_driver() {
            return Err(GpuError::NoDriver.into());
        }
        (self.connection, self.failed) = (None, None);
        let mut outcome = Err(GpuError::NoDriver.into());
        for served in self.command.candidates() {
            match Connection::new(&self.command, served, self.options, capacity) {
                Ok(connection) => {
                    self.connection = Some(connection);
                    return Ok(());
                }
                Err(error) => outcome = Err(error.into()),
            }
        }
        outcome
    }

    fn reset(&mut self) {
        // The next submit or collect reports a failure.
        if let Ok(connection) = self.connection() {
            let forgotten = connection.reset();
            let _ = self.note(forgotten);
        }
    }

    fn depth(&self) -> usize {
        DEPTH
    }

    fn is_asynchronous(&self) -> bool {
        true
    }

    /// Wakes the service, which then waits for the request without sleeping.
    fn expect(&mut self) {
        if let Ok(connection) = self.connection()
            && connection.in_flight.is_empty()
        {
            connection.signals.doorbell.futex_counter(0).increment();
        }
    }

    fn is_finished(&mut self) -> bool {
        // A failure is reported when the block is collected.
        self.connection().map_or(true, |connection| {
            connection.segment.memory.futex_counter(ANSWERED).count() != connection.collected
        })
    }

    /// Live, because nothing here waits without a deadline. Offline a thread of its own is quicker: it writes
    /// requests and reads answers while the next block is made.
    fn limit_calls(&mut self, limit: Duration) -> bool {
        if self.options.is_live {
            self.options.deadline = limit;
            if let Some(connection) = &mut self.connection {
                connection.deadline = limit;
            }
        }
        self.options.is_live
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.connection()?.submit(block)
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let collected = self.connection()?.collect(buses);
        self.note(collected)
    }
}

/// A place in the service, and the memory shared with it.
#[derive(Debug)]
struct Connection {
    /// Dropped first: it uses the socket.
    _table_uploader: TableUploader,
    /// Closed when the service ends, or drops this client.
    socket: UnixStream,
    service: Pid,
    segment: SharedSegment,
    signals: Signals,
    /// How long a block may take, and how long to spin for it.
    deadline: Duration,
    spin: Duration,
    /// Numbers of requests sent and of answers collected; both wrap.
    asked: u32,
    collected: u32,
    /// The ticks of each request that is not yet collected.
    in_flight: VecDeque<usize>,
    /// Whether the service forgets the clouds of this client before the next request.
    reset: bool,
}

impl Connection {
    fn new(
        command: &ServiceCommand,
        served: Served,
        options: ServiceOptions,
        capacity: Capacity,
    ) -> Result<Self, StartError> {
        let (segment, file) = share(capacity)?;
        let Connected { socket, service, signals } =
            connect(command, served, &options, capacity, &file)?;
        let table_uploader =
            TableUploader::start(&socket).map_err(|error| StartError::Unfit(error.to_string()))?;
        Ok(Self {
            _table_uploader: table_uploader,
            socket,
            service,
            segment,
            signals,
            deadline: options.deadline,
            spin: options.spin,
            asked: 0,
            collected: 0,
            in_flight: VecDeque::with_capacity(DEPTH),
            reset: false,
        })
    }

    /// Waits for the blocks in flight, discards them, and has the clouds forgotten before the next block.
    fn reset(&mut self) -> Result<(), RenderError> {
        self.reset = true;
        while self.in_flight.pop_front().is_some() {
            self.await_answer()?;
            self.collected = self.collected.wrapping_add(1);
        }
        Ok(())
    }

    fn submit(&mut self, block: &VoiceBlock) -> Result<(), RenderError> {
        if self.in_flight.len() >= DEPTH {
            return Err(RenderError::OutOfTurn);
        }
        block.check_fits(self.segment.layout.capacity().slots)?;
        let reset = std::mem::take(&mut self.reset);
        self.segment.ask(self.asked, reset, block);
        self.segment.memory.futex_counter(ASKED).increment();
        self.signals.doorbell.futex_counter(0).increment();
        self.asked = self.asked.wrapping_add(1);
        self.in_flight.push_back(block.ticks());
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let ticks = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        self.await_answer()?;
        let number = self.collected;
        self.collected = number.wrapping_add(1);
        Ok(self.segment.read_answer(number, ticks, buses)?)
    }

    /// Waits for the next answer.
    fn await_answer(&mut self) -> Result<(), RenderError> {
        let mut waited = Duration::ZERO;
        loop {
            let looked = Instant::now();
            let answered = self.segment.memory.futex_counter(ANSWERED);
            let left = self.deadline.saturating_sub(waited);
            let spin = self.spin.saturating_sub(waited);
            if answered.wait(self.collected, spin, Some(left.min(ALIVE_INTERVAL))) {
                let ahead = answered.count().wrapping_sub(self.collected);
                let what = "more answers than requests";
                return match ahead > self.asked.wrapping_sub(self.collected) {
                    true => Err(ServiceFailure::ProtocolViolation { what }.into()),
                    false => Ok(()),
                };
            }
            // An answer that came before the service ended is still used.
            if self.has_ended() && answered.count() == self.collected {
                return Err(ServiceFailure::Ended.into());
            }
            if left.is_zero() {
                return Err(RenderError::late(self.deadline));
            }
            // When this thread stood still for longer, the whole machine may have, and the service with it.
            waited += looked.elapsed().min(2 * ALIVE_INTERVAL);
        }
    }

    /// Whether the service is dead, or has closed the connection.
    fn has_ended(&self) -> bool {
        if self.signals.robust_futex.is_dead() {
            return true;
        }
        let received = rustix::net::recv(&self.socket, &mut [0; 16], RecvFlags::DONTWAIT);
        !matches!(received, Ok((1.., _)) | Err(Errno::AGAIN | Errno::INTR))
    }
}

/// Whether the kernel has a driver for NVIDIA GPUs; without one no service is started to find that out.
fn has_driver() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"].iter().any(|device| Path::new(device).exists())
}

/// Allocates the shared memory.
fn share(capacity: Capacity) -> Result<(SharedSegment, OwnedFd), StartError> {
    if capacity.slots > MAX_SLOTS {
        return Err(StartError::Refused(Layout::refusal(MAX_SLOTS, capacity.slots)));
    }
    let too_much = || StartError::Memory(usize::MAX >> 20, io::ErrorKind::OutOfMemory.into());
    let layout = Layout::new(capacity).ok_or_else(too_much)?;
    let mebibytes = layout.words() >> (20 - size_of::<u64>().ilog2());
    let (memory, file) =
        SharedMemory::new(layout.words()).map_err(|error| StartError::Memory(mebibytes, error))?;
    Ok((SharedSegment { memory, layout }, file))
}

#[cfg(test)]
mod tests {
    use super::super::robust_futex::RobustFutex;
    use super::*;
    use std::thread;

    #[test]
    fn a_dead_service_is_noticed_while_its_socket_is_open() {
        let (socket, open) = UnixStream::pair().unwrap();
        let (doorbell, _) = SharedMemory::new(0).unwrap();
        let (futex, file) = RobustFutex::new().unwrap();
        let signals = Signals { doorbell, robust_futex: RobustFutex::open(&file).unwrap() };
        let (segment, _) = share(Capacity { slots: 8, buses: 1 }).unwrap();
        let mut connection = Connection {
            _table_uploader: TableUploader::start(&socket).unwrap(),
            socket,
            service: rustix::process::getpid(),
            segment,
            signals,
            deadline: Duration::from_millis(20),
            spin: SPIN,
            asked: 0,
            collected: 0,
            in_flight: VecDeque::new(),
            reset: false,
        };
        assert_eq!(connection.await_answer(), Err(RenderError::Late { milliseconds: 20 }));
        thread::spawn(|| futex.own()).join().unwrap().unwrap();
        assert_eq!(connection.await_answer(), Err(ServiceFailure::Ended.into()));
        drop(open);
    }
}
