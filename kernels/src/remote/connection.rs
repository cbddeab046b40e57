//! Our side of a process that is ready: what was asked of it, and what it has answered.

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

/// How long a process that ends may take to let go of its device before another one starts.
const FAREWELL: Duration = Duration::from_secs(2);

/// How often to make sure that the other process is alive while waiting for it.
const PULSE: Duration = Duration::from_millis(2);

/// A process that is ready, and the memory that we share with it.
#[derive(Debug)]
pub(super) struct Connection {
    /// Dropped first: it uses the process's socket.
    _table_uploader: TableUploader,
    process: Process,
    segment: SharedSegment,
    /// How long a block may take.
    deadline: Duration,
    /// Requests so far, and answers that were collected; wrapping.
    asked: u32,
    collected: u32,
    /// Ticks of those between.
    in_flight: VecDeque<usize>,
    /// Whether the next request is to forget all sound first.
    reset: bool,
}

impl Connection {
    /// Starts the process and gets it ready.
    pub(super) fn new(
        command: &RemoteCommand,
        options: RemoteOptions,
        capacity: Capacity,
    ) -> Result<Self, StartError> {
        let (segment, file) = share(capacity)?;
        let program = || command.program.clone();
        let mut process = Process::start(command).map_err(|source| StartError::Program {
            program: program(),
            source,
        })?;
        match introduce(&process, options.start_deadline, capacity, &file) {
            Ok(ready) => ready.map_err(StartError::Refused)?,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Err(StartError::Late {
                    program: program(),
                    milliseconds: options.start_deadline.as_millis(),
                });
            }
            Err(error) => {
                return Err(StartError::Unfit {
                    program: program(),
                    why: what_became_of(&mut process, &error),
                });
            }
        }
        let table_uploader =
            TableUploader::start(&process.socket).map_err(|error| StartError::Unfit {
                program: program(),
                why: what_became_of(&mut process, &error),
            })?;
        process.stop_listening();
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

    /// The process, unless it has ended.
    pub(super) fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Ends the process, and waits for it to let go of its device.
    pub(super) fn end(mut self) {
        self.process.kill(FAREWELL);
    }

    /// Waits for what is under way, for nobody to hear, and has the next block start anew.
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
        self.segment.memory.futex_counter(ASKED).ring();
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

    /// Waits until there is one more answer than were collected.
    fn await_answer(&mut self) -> Result<(), RenderError> {
        let start = Instant::now();
        loop {
            let futex_counter = self.segment.memory.futex_counter(ANSWERED);
            let left = self.deadline.saturating_sub(start.elapsed());
            if futex_counter.wait(self.collected, Some(left.min(PULSE))) {
                let ahead = futex_counter.rung().wrapping_sub(self.collected);
                let what = "more answers than requests";
                return match ahead > self.asked.wrapping_sub(self.collected) {
                    true => Err(RemoteFailure::ProtocolViolation { what }.into()),
                    false => Ok(()),
                };
            }
            // What was answered before the end still counts.
            if self.process.is_closed() && futex_counter.rung() == self.collected {
                return Err(self.process.await_end(left).into());
            }
            if left.is_zero() {
                let milliseconds = self.deadline.as_millis() as u64;
                return Err(RenderError::Late { milliseconds });
            }
        }
    }
}

/// Makes the memory to share.
fn share(capacity: Capacity) -> Result<(SharedSegment, OwnedFd), StartError> {
    let layout = Layout::new(capacity).ok_or(StartError::Memory {
        mebibytes: usize::MAX >> 20,
        source: io::ErrorKind::OutOfMemory.into(),
    })?;
    let (memory, file) =
        SharedMemory::new(layout.words()).map_err(|source| StartError::Memory {
            mebibytes: layout.words() >> (20 - size_of::<u64>().ilog2()),
            source,
        })?;
    Ok((SharedSegment { memory, layout }, file))
}

/// Greets the process and waits until it is ready, or says why not.
fn introduce(
    process: &Process,
    deadline: Duration,
    capacity: Capacity,
    file: &OwnedFd,
) -> io::Result<Result<(), String>> {
    process.socket.set_read_timeout(Some(deadline))?;
    process.socket.set_write_timeout(Some(deadline))?;
    handshake::send_hello(&process.socket, capacity, file.as_fd())?;
    handshake::hear(&process.socket)
}

/// Why a process did not answer its greeting as it should.
fn what_became_of(process: &mut Process, error: &io::Error) -> String {
    let what = "it does not know how to render";
    let how = match error.kind() {
        io::ErrorKind::InvalidData => RemoteFailure::ProtocolViolation { what },
        _ => process.await_end(FAREWELL),
    };
    match process.first_words().as_str() {
        "" => how.to_string(),
        said => format!("{how} ({said})"),
    }
}
