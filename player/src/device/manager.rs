//! Owns the device that plays, and replaces it when it is lost.
//!
//! When a device is unplugged or its server ends, the clock takes its place, so that songs, held notes
//! and recordings go on. Meanwhile the device is opened again and again, at growing intervals. A server
//! may also freeze, and then even opening and closing never return; so both run on threads of their own,
//! with timeouts.

use super::callback::{AudioCallback, CallbackCounters};
use super::clock::Clock;
use super::handoff::DeviceId;
use super::{Device, DeviceContext, DeviceError, DeviceRequest, Host};
use myriad_live::stream::{Control, StreamConfig, StreamError};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

/// The first and the longest delay between attempts to open a lost device.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(4)];

/// How long only the same host is tried, before any host that works is accepted.
const SAME_HOST_PERIOD: Duration = Duration::from_secs(10);

/// A device that asks for no frames for so long is lost.
const STALL: Duration = Duration::from_secs(3);

/// Timeouts of opening at the start, and of closing.
const OPENING: Duration = Duration::from_secs(10);
const CLOSING: Duration = Duration::from_secs(1);

/// How long a lost device may still hold the callback.
const HANDOVER: Duration = Duration::from_millis(500);

/// The device that plays, or the clock in its place.
pub struct DeviceManager {
    device_request: DeviceRequest,
    context: DeviceContext,
    device: Option<Box<dyn Device>>,
    /// Set while the device is lost and the clock takes its place.
    lost: Option<Lost>,
    /// Frames kept ready, when the user decides.
    depth: Option<usize>,
    /// Further blocks kept ready, for the round trip to a GPU.
    spare_blocks: usize,
    /// The block size that the stream was connected for, in frames of the device.
    prepared: usize,
    /// The most that the device said it asks for at a time; it may change while it plays.
    burst: usize,
    /// The engine's frames a second.
    rate: u32,
    latency: usize,
    /// Late blocks of earlier devices.
    past_xruns: u64,
    /// How often a device was lost.
    losses: u64,
    /// The number of frames asked for, and when it last changed.
    progress: (u64, Instant),
}

struct Lost {
    host: Host,
    since: Instant,
    next_attempt: Instant,
    delay: Duration,
    /// The attempt in progress.
    attempt: Option<(DeviceId, Receiver<Opened>)>,
}

type Opened = Result<Box<dyn Device>, DeviceError>;

/// Opens a device on a thread of its own. When the receiver is dropped meanwhile, it is closed again.
fn open(device_request: DeviceRequest, context: DeviceContext) -> Receiver<Opened> {
    let (sender, opened) = channel();
    let refused = sender.clone();
    let work = move || sender.send(super::open(&device_request, &context)).ok();
    if let Err(error) = std::thread::Builder::new().spawn(work) {
        let reason = format!("no thread to open it: {error}");
        let _ = refused.send(Err(DeviceError::None(vec![reason])));
    }
    opened
}

/// Closes a device on a thread of its own, and waits for that up to a timeout; on this thread when no other
/// can be started.
fn close(device: Box<dyn Device>) {
    let (sender, closed) = channel();
    let work = move || {
        drop(device);
        sender.send(()).ok()
    };
    let _ = std::thread::Builder::new().spawn(work);
    let _ = closed.recv_timeout(CLOSING);
}

impl DeviceManager {
    /// Opens the device; it is silent until [`start`](Self::start).
    ///
    /// # Errors
    /// When none works.
    pub fn open(
        device_request: DeviceRequest,
        depth: Option<usize>,
        spare_blocks: usize,
        context: DeviceContext,
    ) -> Result<Self, DeviceError> {
        let device = match open(device_request.clone(), context.clone()).recv_timeout(OPENING) {
            Ok(opened) => opened?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let reason = "the sound server does not answer".to_owned();
                return Err(DeviceError::None(vec![reason]));
            }
        };
        let rate = device_request.rate.unwrap_or(device.rate());
        Ok(Self {
            prepared: device.burst(),
            burst: device.burst(),
            device_request,
            context,
            device: Some(device),
            lost: None,
            depth,
            spare_blocks,
            rate,
            latency: 0,
            past_xruns: 0,
            losses: 0,
            progress: (0, Instant::now()),
        })
    }

    /// The engine's sample rate: the requested one, else the device's.
    pub fn engine_rate(&self) -> u32 {
        self.rate
    }

    /// The depth of the stream for this device.
    pub fn depth(&self) -> usize {
        if let Some(depth) = self.depth {
            return depth;
        }
        let device_rate = self.device_rate();
        let block = match device_rate == self.rate {
            true => self.prepared,
            // The resampler takes whole chunks.
            false => {
                let ratio = f64::from(self.rate) / f64::from(device_rate);
                ((self.prepared + super::resampler::Resampler::CHUNK) as f64 * ratio) as usize + 1
            }
        };
        StreamConfig::depth_for(block) + self.spare_blocks * block
    }

    fn device_rate(&self) -> u32 {
        let device = self.device.as_ref();
        device.map_or(self.rate, |device| device.rate())
    }

    /// Lets the device play.
    pub fn start(&mut self, mut callback: Box<AudioCallback>) {
        callback.set_device_rate(self.device_rate());
        self.latency = callback.latency();
        self.context.handoff.put(callback);
    }

    /// Detects lost devices and tries to reopen them; returns notices for the user. Must be called often.
    pub fn tick(&mut self, control: &Control, counters: &CallbackCounters) -> Vec<String> {
        let mut news = Vec::new();
        if let Some(device) = &mut self.device {
            news.append(&mut device.poll());
            let failure = device.failure();
            if let Some(reason) = failure.or_else(|| self.stalled(counters)) {
                self.lose(&reason, control, &mut news);
            }
        }
        if self.lost.as_ref().is_some_and(|lost| Instant::now() >= lost.next_attempt) {
            self.try_again(control, &mut news);
        }
        self.follow_block_size(counters, control, &mut news);
        news
    }

    /// Connects the stream anew when the device asks for larger blocks than it was prepared for, or has
    /// changed to smaller ones.
    fn follow_block_size(
        &mut self,
        counters: &CallbackCounters,
        control: &Control,
        news: &mut Vec<String>,
    ) {
        let burst = self.device.as_ref().map_or(self.burst, |device| device.burst());
        let largest = match burst < self.burst {
            // What it asked for before no longer counts.
            true => burst,
            false => self.prepared.max(counters.largest_block.load(Ordering::Relaxed)),
        };
        if largest == self.prepared || self.depth.is_some() {
            self.burst = burst;
            return;
        }
        let before = std::mem::replace(&mut self.prepared, largest);
        if !self.reconnect(control) {
            // The stream is busy; the next tick tries again.
            self.prepared = before;
            return;
        }
        self.burst = burst;
        news.push(format!(
            "the device asks for {largest} frames at a time; latency is now {} frames",
            self.latency
        ));
    }

    /// Asks for a block, in virtual time.
    pub fn step(&mut self) {
        if let Some(device) = &mut self.device {
            device.step();
        }
    }

    /// Simulates the loss of the device; returns notices for the user.
    pub fn unplug(&mut self, control: &Control) -> Vec<String> {
        let mut news = Vec::new();
        self.lose("the device was unplugged on purpose", control, &mut news);
        news
    }

    /// The device that plays, or the clock in its place.
    pub fn device(&self) -> Option<&dyn Device> {
        self.device.as_deref()
    }

    /// Whether the device plays, and not the clock in its place.
    pub fn is_connected(&self) -> bool {
        self.lost.is_none() && self.device.is_some()
    }

    /// Frames of the device from an event to its sound.
    pub fn latency(&self) -> usize {
        self.latency
    }

    /// Blocks that devices reported as late.
    pub fn xruns(&self) -> u64 {
        self.past_xruns + self.device.as_ref().map_or(0, |device| device.xruns())
    }

    /// How often a device was lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    fn lose(&mut self, reason: &str, control: &Control, news: &mut Vec<String>) {
        let Some(device) = self.device.take() else {
            return;
        };
        let host = device.host();
        self.past_xruns += device.xruns();
        self.losses += 1;
        let block = device.block() as u32;
        close(device);
        news.push(format!("{reason}; playing on in silence until it is back"));
        if self.lost.is_none() {
            let now = Instant::now();
            self.lost = Some(Lost {
                host,
                since: now,
                next_attempt: now + RETRY_DELAYS[0],
                delay: RETRY_DELAYS[0],
                attempt: None,
            });
        }
        let device_request =
            DeviceRequest { rate: Some(self.rate), block: Some(block), ..DeviceRequest::default() };
        // When not even a clock can be started, the stream pauses until the device is back.
        let context = self.next_context();
        if let Ok(clock) = Clock::start(&device_request, &context) {
            self.install(Box::new(clock), context.device_id, control);
        }
    }

    /// Starts an attempt to open the device, or looks for its result.
    fn try_again(&mut self, control: &Control, news: &mut Vec<String>) {
        let Some(lost) = &mut self.lost else {
            return;
        };
        let Some((device_id, attempt)) = &lost.attempt else {
            let any = self.device_request.host.is_none() && lost.since.elapsed() > SAME_HOST_PERIOD;
            let device_request =
                DeviceRequest { host: (!any).then_some(lost.host), ..self.device_request.clone() };
            self.context.device_id += 1;
            let context = self.context.clone();
            lost.attempt = Some((context.device_id, open(device_request, context)));
            return;
        };
        match attempt.try_recv() {
            Ok(Ok(device)) => {
                news.push(format!(
                    "{} {} plays again after {:.1} seconds",
                    device.host().name(),
                    device.name(),
                    lost.since.elapsed().as_secs_f64()
                ));
                let device_id = *device_id;
                self.lost = None;
                self.install(device, device_id, control);
            }
            Err(TryRecvError::Empty) => {}
            Ok(Err(_)) | Err(TryRecvError::Disconnected) => {
                lost.attempt = None;
                lost.delay = (lost.delay * 2).min(RETRY_DELAYS[1]);
                lost.next_attempt = Instant::now() + lost.delay;
            }
        }
    }

    /// The reason when the device has stopped asking for frames.
    fn stalled(&mut self, counters: &CallbackCounters) -> Option<String> {
        let frames = counters.frames.load(Ordering::Relaxed);
        if frames != self.progress.0 {
            self.progress = (frames, Instant::now());
        }
        (self.progress.1.elapsed() > STALL)
            .then(|| "the device has stopped asking for sound".into())
    }

    /// The context of the next device, with an id of its own.
    fn next_context(&mut self) -> DeviceContext {
        self.context.device_id += 1;
        self.context.clone()
    }

    fn install(&mut self, device: Box<dyn Device>, device_id: DeviceId, control: &Control) {
        (self.prepared, self.burst) = (device.burst(), device.burst());
        self.progress.1 = Instant::now();
        // The old device, which may be the clock, stops first.
        if let Some(old) = self.device.take() {
            close(old);
        }
        self.device = Some(device);
        self.context.handoff.set_active(device_id);
        self.reconnect(control);
    }

    /// Takes the callback out of the handoff, prepares it for the device, and puts it back. Returns whether
    /// that was possible; while the stream is busy it is not.
    fn reconnect(&mut self, control: &Control) -> bool {
        let deadline = Instant::now() + HANDOVER;
        let mut callback = loop {
            match self.context.handoff.take() {
                Some(callback) => break callback,
                None if Instant::now() > deadline => return false,
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        };
        let device_rate = self.device_rate();
        let connected = control.connect(self.depth());
        let is_busy = matches!(connected, Err(StreamError::Busy));
        match connected {
            Ok(audio) => callback.move_to(audio, device_rate),
            // The old connection still works, with the old depth.
            Err(StreamError::Busy | StreamError::Depth(_)) => callback.set_device_rate(device_rate),
            Err(_) => {}
        }
        self.latency = callback.latency();
        self.context.handoff.put(callback);
        !is_busy
    }
}

impl Drop for DeviceManager {
    fn drop(&mut self) {
        if let Some(device) = self.device.take() {
            close(device);
        }
    }
}
