//! The client's side of a running child process: requests sent and answers received.

use super::error::{RemoteFailure, StartError};
use super::layout::{ANSWERED, ASKED, DEPTH, Layout, SharedSegment};
use super::memory::SharedMemory;
use super::process::Process;
use super::table_uploader::TableUploader;
use super::{RemoteCommand, RemoteOptions, handshake};
use myriad_engine::render::{Buses, Capacity, RenderError, VoiceBlock};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long a process that ends may take to release its device before another one starts.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// How often to check that the child is alive while waiting for it.
const ALIVE_INTERVAL: Duration = Duration::from_millis(2);

/// A prepared child process, and the memory shared with it.
#[derive(Debug)]
pub(super) struct Connection {
    /// Dropped first: it uses the process's socket.
    _table_uploader: TableUploader,
    process: Process,
    segment: SharedSegment,
    /// How long a block may take.
    deadline: Duration,
    /// Numbers of requests sent and of answers collected; both wrap.
    asked: u32,
    collected: u32,
    /// The ticks of each request that is not yet collected.
    in_flight: VecDeque<usize>,
    /// Whether the child resets its renderer before the next request.
    reset: bool,
}

impl Connection {
    /// Starts the process and prepares it.
    pub(super) fn new(
        command: &RemoteCommand,
        options: RemoteOptions,
        capacity: Capacity,
    ) -> Result<Self, StartError> {
        let (segment, file) = share(capacity)?;
        let program = || command.program.clone();
        let mut process =
            Process::start(command).map_err(|error| StartError::Program(program(), error))?;
        match prepare(&process, options.start_deadline, capacity, &file) {
            Ok(ready) => ready.map_err(StartError::Refused)?,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let milliseconds = options.start_deadline.as_millis();
                return Err(StartError::Late(program(), milliseconds));
            }
            Err(error) => {
                return Err(StartError::Unfit(program(), why_unfit(&mut process, &error)));
            }
        }
        let table_uploader = TableUploader::start(&process.socket)
            .map_err(|error| StartError::Unfit(program(), why_unfit(&mut process, &error)))?;
        process.discard_stderr();
        Ok(Self {
            _table_uploader: table_uploader,
            process,
            segment,
            deadline: options.deadline,
            asked: 0,
            collected: 0,
            in_flight: VecDeque::with_capacity(DEPTH),
            reset: false,
        })
    }

    /// The id of the process, unless it has ended.
    pub(super) fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Ends the process, and waits until it has released its device.
    pub(super) fn end(mut self) {
        self.process.kill(END_TIMEOUT);
    }

    /// Waits for the blocks in flight, discards them, and resets the child before the next block.
    pub(super) fn reset(&mut self) -> Result<(), RenderError> {
        self.reset = true;
        while self.in_flight.pop_front().is_some() {
            self.await_answer()?;
            self.collected = self.collected.wrapping_add(1);
        }
        Ok(())
    }

    pub(super) fn submit(&mut self, block: &VoiceBlock) -> Result<(), RenderError> {
        if self.in_flight.len() >= DEPTH {
            return Err(RenderError::OutOfTurn);
        }
        block.check_fits(self.segment.layout.capacity().slots)?;
        let reset = std::mem::take(&mut self.reset);
        self.segment.ask(self.asked, reset, block);
        self.segment.memory.futex_counter(ASKED).increment();
        self.asked = self.asked.wrapping_add(1);
        self.in_flight.push_back(block.ticks());
        Ok(())
    }

    pub(super) fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let ticks = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        self.await_answer()?;
        let number = self.collected;
        self.collected = number.wrapping_add(1);
        Ok(self.segment.read_answer(number, ticks, buses)?)
    }

    /// Waits for the next answer.
    fn await_answer(&mut self) -> Result<(), RenderError> {
        let start = Instant::now();
        loop {
            let answered = self.segment.memory.futex_counter(ANSWERED);
            let left = self.deadline.saturating_sub(start.elapsed());
            if answered.wait(self.collected, Some(left.min(ALIVE_INTERVAL))) {
                let ahead = answered.count().wrapping_sub(self.collected);
                let what = "more answers than requests";
                return match ahead > self.asked.wrapping_sub(self.collected) {
                    true => Err(RemoteFailure::ProtocolViolation { what }.into()),
                    false => Ok(()),
                };
            }
            // An answer that came before the process ended is still used.
            if self.process.is_closed() && answered.count() == self.collected {
                return Err(self.process.await_end(left).into());
            }
            if left.is_zero() {
                let milliseconds = self.deadline.as_millis() as u64;
                return Err(RenderError::Late { milliseconds });
            }
        }
    }
}

/// Allocates the shared memory.
fn share(capacity: Capacity) -> Result<(SharedSegment, OwnedFd), StartError> {
    let too_much = || StartError::Memory(usize::MAX >> 20, io::ErrorKind::OutOfMemory.into());
    let layout = Layout::new(capacity).ok_or_else(too_much)?;
    let mebibytes = layout.words() >> (20 - size_of::<u64>().ilog2());
    let (memory, file) =
        SharedMemory::new(layout.words()).map_err(|error| StartError::Memory(mebibytes, error))?;
    Ok((SharedSegment { memory, layout }, file))
}

/// Does the handshake and waits until the child is ready; the inner error is the child's reason.
fn prepare(
    process: &Process,
    deadline: Duration,
    capacity: Capacity,
    file: &OwnedFd,
) -> io::Result<Result<(), String>> {
    process.socket.set_read_timeout(Some(deadline))?;
    process.socket.set_write_timeout(Some(deadline))?;
    handshake::send_hello(&process.socket, capacity, file.as_fd())?;
    handshake::receive_reply(&process.socket)
}

/// Why a process did not complete the handshake.
fn why_unfit(process: &mut Process, error: &io::Error) -> String {
    let what = "it does not know how to render";
    let how = match error.kind() {
        io::ErrorKind::InvalidData => RemoteFailure::ProtocolViolation { what },
        _ => process.await_end(END_TIMEOUT),
    };
    match process.first_stderr_line().as_str() {
        "" => how.to_string(),
        said => format!("{how} ({said})"),
    }
}
