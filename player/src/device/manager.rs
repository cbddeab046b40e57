//! The outlet: the device that plays, and what is done when it goes away.
//!
//! When a device is unplugged or its server ends, the clock takes its place, so that songs, held
//! notes and recordings go on; meanwhile the device is tried again, with rests that grow. A server
//! may also freeze, and then even opening and closing never return: so both are done on threads
//! of their own, and nobody waits for them for long.

use super::callback::{AudioCallback, CallbackCounters};
use super::clock::Clock;
use super::handoff::DeviceId;
use super::{Device, DeviceContext, DeviceError, DeviceRequest, Host};
use myriad_live::stream::{Control, StreamConfig, StreamError};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

/// The first rest between attempts to get a device back, and the longest.
const RESTS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(4)];

/// How long the same host is waited for before any that works will do.
const LOYALTY: Duration = Duration::from_secs(10);

/// A device that asks for nothing for so long has stopped, whatever it says.
const STALL: Duration = Duration::from_secs(3);

/// How long a device may take to open at the start, and to close.
const OPENING: Duration = Duration::from_secs(10);
const CLOSING: Duration = Duration::from_secs(1);

/// How long a callback may still hold the feed after its device is gone.
const HANDOVER: Duration = Duration::from_millis(500);

/// The device that plays, or the clock in its place.
pub struct DeviceManager {
    device_request: DeviceRequest,
    context: DeviceContext,
    device: Option<Box<dyn Device>>,
    /// Set while the device is away and the clock stands in.
    away: Option<Away>,
    /// Frames kept ready, when the user decides.
    depth: Option<usize>,
    /// Blocks kept ready beyond what a processor needs: the way to a card and back takes its time.
    spare_blocks: usize,
    /// The block that the stream was connected for, in device frames.
    prepared: usize,
    /// The engine's frames a second.
    rate: u32,
    latency: usize,
    /// Late blocks of devices that are gone.
    past_xruns: u64,
    /// How often a device was lost.
    losses: u64,
    /// Frames that had been asked for when that last changed, and when that was.
    pulse: (u64, Instant),
}

struct Away {
    host: Host,
    since: Instant,
    next_try: Instant,
    rest: Duration,
    /// The attempt that is going on.
    attempt: Option<(DeviceId, Receiver<Opened>)>,
}

type Opened = Result<Box<dyn Device>, DeviceError>;

/// Opens a device on a thread of its own; it is closed again if nobody waits for it any more.
fn open(device_request: DeviceRequest, context: DeviceContext) -> Receiver<Opened> {
    let (sender, opened) = channel();
    std::thread::spawn(move || sender.send(super::open(&device_request, &context)).ok());
    opened
}

/// Closes a device, and waits a moment for that.
fn close(device: Box<dyn Device>) {
    let (sender, closed) = channel();
    std::thread::spawn(move || {
        drop(device);
        sender.send(()).ok()
    });
    let _ = closed.recv_timeout(CLOSING);
}

impl DeviceManager {
    /// Opens the device; it is silent until [`start`](Self::start).
    ///
    /// # Errors
    /// When there is none.
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
            device_request,
            context,
            device: Some(device),
            away: None,
            depth,
            spare_blocks,
            rate,
            latency: 0,
            past_xruns: 0,
            losses: 0,
            pulse: (0, Instant::now()),
        })
    }

    /// The rate that the engine should have: what was asked for, else the device's.
    pub fn engine_rate(&self) -> u32 {
        self.rate
    }

    /// The depth that the stream should have for this device.
    pub fn depth(&self) -> usize {
        if let Some(depth) = self.depth {
            return depth;
        }
        let device_rate = self
            .device
            .as_ref()
            .map_or(self.rate, |device| device.rate());
        let block = match device_rate == self.rate {
            true => self.prepared,
            // A resampler asks for whole chunks and for what its filter needs.
            false => {
                let ratio = f64::from(self.rate) / f64::from(device_rate);
                ((self.prepared + super::resampler::Resampler::CHUNK) as f64 * ratio) as usize + 1
            }
        };
        StreamConfig::depth_for(block) + self.spare_blocks * block
    }

    /// Lets the device play the feed.
    pub fn start(&mut self, mut callback: Box<AudioCallback>) {
        if let Some(device) = &self.device {
            callback.set_device_rate(device.rate());
        }
        self.latency = callback.latency();
        self.context.handoff.enter(callback);
    }

    /// Looks after the device; says what happened.
    pub fn tick(&mut self, control: &Control, counters: &CallbackCounters) -> Vec<String> {
        let mut news = Vec::new();
        if let Some(device) = &mut self.device {
            news.append(&mut device.poll());
            let failure = device.failure();
            if let Some(reason) = failure.or_else(|| self.stalled(counters)) {
                self.lose(&reason, control, &mut news);
            }
        }
        if self
            .away
            .as_ref()
            .is_some_and(|away| Instant::now() >= away.next_try)
        {
            self.try_again(control, &mut news);
        }
        let largest = counters.largest_block.load(Ordering::Relaxed);
        if largest > self.prepared && self.depth.is_none() {
            self.prepared = largest;
            self.reconnect(control);
            news.push(format!(
                "the device asks for {largest} frames at a time; latency is now {} frames",
                self.latency
            ));
        }
        news
    }

    /// Lets a device without a time of its own ask for a block.
    pub fn step(&mut self) {
        if let Some(device) = &mut self.device {
            device.step();
        }
    }

    /// Takes the device away, as if it were unplugged; says what happened.
    pub fn unplug(&mut self, control: &Control) -> Vec<String> {
        let mut news = Vec::new();
        self.lose("the device was unplugged on purpose", control, &mut news);
        news
    }

    /// The device that plays, be it the clock in its place.
    pub fn device(&self) -> Option<&dyn Device> {
        self.device.as_deref()
    }

    /// Whether the device is there.
    pub fn is_connected(&self) -> bool {
        self.away.is_none() && self.device.is_some()
    }

    /// Device frames from an event to its sound.
    pub fn latency(&self) -> usize {
        self.latency
    }

    /// Blocks that devices said were late.
    pub fn xruns(&self) -> u64 {
        self.past_xruns + self.device.as_ref().map_or(0, |device| device.xruns())
    }

    /// How often a device was lost.
    pub fn losses(&self) -> u64 {
        self.losses
    }

    fn lose(&mut self, reason: &str, control: &Control, news: &mut Vec<String>) {
        let Some(lost) = self.device.take() else {
            return;
        };
        let host = lost.host();
        self.past_xruns += lost.xruns();
        self.losses += 1;
        let block = lost.block() as u32;
        close(lost);
        news.push(format!("{reason}; playing on in silence until it is back"));
        if self.away.is_none() {
            let now = Instant::now();
            self.away = Some(Away {
                host,
                since: now,
                next_try: now + RESTS[0],
                rest: RESTS[0],
                attempt: None,
            });
        }
        let device_request = DeviceRequest {
            rate: Some(self.rate),
            block: Some(block),
            ..DeviceRequest::default()
        };
        // Without even a thread for a clock, sound waits for the device.
        let context = self.next_backstage();
        if let Ok(clock) = Clock::start(&device_request, &context) {
            self.install(Box::new(clock), context.device_id, control);
        }
    }

    /// Begins to open the device again, or looks how that went.
    fn try_again(&mut self, control: &Control, news: &mut Vec<String>) {
        let Some(away) = &mut self.away else {
            return;
        };
        let Some((device_id, attempt)) = &away.attempt else {
            let any = self.device_request.host.is_none() && away.since.elapsed() > LOYALTY;
            let device_request = DeviceRequest {
                host: (!any).then_some(away.host),
                ..self.device_request.clone()
            };
            self.context.device_id += 1;
            let context = self.context.clone();
            away.attempt = Some((context.device_id, open(device_request, context)));
            return;
        };
        match attempt.try_recv() {
            Ok(Ok(device)) => {
                news.push(format!(
                    "{} {} plays again after {:.1} seconds",
                    device.host().name(),
                    device.name(),
                    away.since.elapsed().as_secs_f64()
                ));
                let device_id = *device_id;
                self.away = None;
                self.install(device, device_id, control);
            }
            Err(TryRecvError::Empty) => {}
            Ok(Err(_)) | Err(TryRecvError::Disconnected) => {
                away.attempt = None;
                away.rest = (away.rest * 2).min(RESTS[1]);
                away.next_try = Instant::now() + away.rest;
            }
        }
    }

    /// Why a device that says nothing must be taken for lost.
    fn stalled(&mut self, counters: &CallbackCounters) -> Option<String> {
        let frames = counters.frames.load(Ordering::Relaxed);
        if frames != self.pulse.0 {
            self.pulse = (frames, Instant::now());
        }
        (self.pulse.1.elapsed() > STALL).then(|| "the device has stopped asking for sound".into())
    }

    /// What the next device is given: the ticket is its own.
    fn next_backstage(&mut self) -> DeviceContext {
        self.context.device_id += 1;
        self.context.clone()
    }

    fn install(&mut self, device: Box<dyn Device>, device_id: DeviceId, control: &Control) {
        self.prepared = device.burst();
        self.pulse.1 = Instant::now();
        // The old one, perhaps the clock, stops first.
        if let Some(old) = self.device.take() {
            close(old);
        }
        self.device = Some(device);
        self.context.handoff.admit(device_id);
        self.reconnect(control);
    }

    /// Fetches the feed from the stage and sends it back with what the device needs.
    fn reconnect(&mut self, control: &Control) {
        let deadline = Instant::now() + HANDOVER;
        let mut callback = loop {
            match self.context.handoff.leave() {
                Some(callback) => break callback,
                None if Instant::now() > deadline => return,
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        };
        let device_rate = self
            .device
            .as_ref()
            .map_or(self.rate, |device| device.rate());
        match control.connect(self.depth()) {
            Ok(audio) => callback.move_to(audio, device_rate),
            // The old connection still works, only not as well.
            Err(StreamError::Busy | StreamError::Depth(_)) => callback.set_device_rate(device_rate),
            Err(_) => {}
        }
        self.latency = callback.latency();
        self.context.handoff.enter(callback);
    }
}

impl Drop for DeviceManager {
    fn drop(&mut self) {
        if let Some(device) = self.device.take() {
            close(device);
        }
    }
}
