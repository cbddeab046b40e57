//! Devices through cpal: PulseAudio and PipeWire, ALSA, and other systems' own.

use super::callback::AudioCallback;
use super::handoff::{CallbackHandoff, DeviceId};
use super::{
    DEFAULT_BLOCK, Device, DeviceContext, DeviceError, DeviceInfo, DeviceRequest, Host, find,
};
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{
    BufferSize, ErrorKind, FromSample, HostId, SampleFormat, SizedSample, Stream, StreamConfig,
    SupportedBufferSize, SupportedStreamConfig,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most frames that are filled at a time; larger requests are split.
const PIECE: usize = 8_192;

pub(super) struct CpalDevice {
    info: DeviceInfo,
    block: usize,
    shared: Arc<Shared>,
    _stream: Stream,
}

/// State that the error callback writes. It does not run on the audio thread, so it may lock.
#[derive(Default)]
struct Shared {
    failure: Mutex<Option<String>>,
    xruns: AtomicU64,
}

impl Shared {
    fn record(&self, error: &cpal::Error) {
        match error.kind() {
            ErrorKind::Xrun => {
                self.xruns.fetch_add(1, Ordering::Relaxed);
            }
            // The stream goes on playing after both.
            ErrorKind::RealtimeDenied | ErrorKind::DeviceChanged => {}
            _ => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert_with(|| error.to_string());
            }
        }
    }
}

/// The devices of a host, the default one first.
pub(super) fn devices(host: Host) -> Result<Vec<(String, cpal::Device)>, DeviceError> {
    let refused =
        |error: cpal::Error| DeviceError::Refused { host: host.name(), reason: error.to_string() };
    #[cfg(target_os = "linux")]
    {
        let host_name = host.name();
        match host {
            Host::Pulse => super::pulse_cookie::ensure().map_err(|error| DeviceError::Refused {
                host: host_name,
                reason: error.to_string(),
            })?,
            Host::Alsa => alsa_sys::load().map_err(|error| DeviceError::NoLibrary {
                host: host_name,
                error: error.to_string(),
            })?,
            _ => {}
        }
    }
    let cpal_host = cpal::host_from_id(host_id(host)?).map_err(refused)?;
    let name = |device: &cpal::Device| match device.description() {
        Ok(description) => description.name().to_owned(),
        Err(_) => "unnamed".to_owned(),
    };
    let mut found: Vec<_> = cpal_host.default_output_device().into_iter().collect();
    let usual = found.first().and_then(|device| device.id().ok());
    let all = cpal_host.output_devices().map_err(refused)?;
    found.extend(all.filter(|device| device.id().ok() != usual));
    Ok(found.into_iter().map(|device| (name(&device), device)).collect())
}

/// Names of the devices of a host that have an output configuration.
pub(super) fn playable(host: Host) -> Result<Vec<String>, DeviceError> {
    let answers = |device: &cpal::Device| device.default_output_config().is_ok();
    let devices = devices(host)?.into_iter();
    let playable = devices.filter(|(_, device)| answers(device));
    Ok(playable.map(|(name, _)| name).collect())
}

fn host_id(host: Host) -> Result<HostId, DeviceError> {
    let id = match host {
        Host::Pulse => "pulseaudio",
        Host::Alsa => "alsa",
        _ => return Ok(cpal::default_host().id()),
    };
    id.parse().map_err(|_| DeviceError::Unavailable(host.name()))
}

impl CpalDevice {
    /// Opens the requested device of a host, or its default one.
    ///
    /// # Errors
    /// When there is none, or it does not work.
    pub(super) fn open(
        host: Host,
        device_request: &DeviceRequest,
        context: &DeviceContext,
    ) -> Result<Self, DeviceError> {
        // Until this is dropped, ALSA prints no messages about missing devices.
        #[cfg(target_os = "linux")]
        let _silence = alsa::Output::local_error_handler();
        let refused = |error: cpal::Error| DeviceError::Refused {
            host: host.name(),
            reason: error.to_string(),
        };
        let (mut names, mut devices): (Vec<String>, Vec<_>) = devices(host)?.into_iter().unzip();
        let chosen = match &device_request.name {
            Some(wanted) => find(&names, wanted).ok_or_else(|| DeviceError::Unknown {
                host: host.name(),
                name: wanted.clone(),
                known: names.clone(),
            })?,
            None if devices.is_empty() => {
                return Err(DeviceError::Refused {
                    host: host.name(),
                    reason: "no device".to_owned(),
                });
            }
            None => 0,
        };
        let (name, device) = (names.swap_remove(chosen), devices.swap_remove(chosen));
        let config = configuration(&device, device_request).map_err(refused)?;
        let shared = Arc::new(Shared::default());
        let wanted = device_request.block.unwrap_or(DEFAULT_BLOCK);
        let block = match config.buffer_size() {
            SupportedBufferSize::Range { min, max } => wanted.clamp(*min, *max),
            SupportedBufferSize::Unknown => wanted,
        };
        let build = |size| build(&device, &config, size, context, &shared);
        // Some devices accept no block size.
        let stream = build(BufferSize::Fixed(block))
            .or_else(|_| build(BufferSize::Default))
            .map_err(refused)?;
        stream.play().map_err(refused)?;
        let block = stream.buffer_size().unwrap_or(block) as usize;
        let rate = config.sample_rate();
        Ok(Self { info: DeviceInfo { name, host, rate }, block, shared, _stream: stream })
    }
}

/// The requested sample rate where the device supports it, and the best format that we support.
fn configuration(
    device: &cpal::Device,
    device_request: &DeviceRequest,
) -> Result<SupportedStreamConfig, cpal::Error> {
    let usual = device.default_output_config()?;
    let rate = device_request.rate.unwrap_or(usual.sample_rate());
    let known = |format: SampleFormat| {
        let formats = [SampleFormat::F32, SampleFormat::I32, SampleFormat::I16, SampleFormat::U8];
        formats.iter().position(|known| *known == format)
    };
    let channels = |count: u16| count.abs_diff(2);
    let best = device
        .supported_output_configs()?
        .filter(|range| known(range.sample_format()).is_some())
        .filter_map(|range| range.try_with_sample_rate(rate))
        .min_by_key(|config| (channels(config.channels()), known(config.sample_format())));
    Ok(best.unwrap_or(usual))
}

fn build(
    device: &cpal::Device,
    config: &SupportedStreamConfig,
    size: BufferSize,
    context: &DeviceContext,
    shared: &Arc<Shared>,
) -> Result<Stream, cpal::Error> {
    let stream_config = StreamConfig { buffer_size: size, ..config.config() };
    match config.sample_format() {
        SampleFormat::I32 => build_as::<i32>(device, stream_config, context, shared),
        SampleFormat::I16 => build_as::<i16>(device, stream_config, context, shared),
        SampleFormat::U8 => build_as::<u8>(device, stream_config, context, shared),
        // Devices with other formats convert from this one or return an error.
        _ => build_as::<f32>(device, stream_config, context, shared),
    }
}

fn build_as<T: SizedSample + FromSample<f32>>(
    device: &cpal::Device,
    config: StreamConfig,
    context: &DeviceContext,
    shared: &Arc<Shared>,
) -> Result<Stream, cpal::Error> {
    let handoff = Arc::clone(&context.handoff);
    let mut speaker = Speaker::new(handoff, context.device_id, usize::from(config.channels));
    let shared = Arc::clone(shared);
    device.build_output_stream(
        config,
        move |output: &mut [T], _: &_| speaker.fill(output),
        move |error: cpal::Error| shared.record(&error),
        None,
    )
}

/// Converts two channels to the number of channels and the format of the device.
pub(super) struct Speaker {
    handoff: Arc<CallbackHandoff>,
    device_id: DeviceId,
    channels: usize,
    frames: [Vec<f32>; 2],
}

impl Speaker {
    pub(super) fn new(handoff: Arc<CallbackHandoff>, device_id: DeviceId, channels: usize) -> Self {
        Self {
            handoff,
            device_id,
            channels: channels.max(1),
            frames: [vec![0.0; PIECE], vec![0.0; PIECE]],
        }
    }

    pub(super) fn fill<T: SizedSample + FromSample<f32>>(&mut self, output: &mut [T]) {
        let channels = self.channels;
        for piece in output.chunks_mut(PIECE * channels) {
            let [left, right] = &mut self.frames;
            let count = piece.len() / channels;
            let (left, right) = (&mut left[..count], &mut right[..count]);
            let fill = |callback: &mut AudioCallback| callback.fill(left, right);
            if !self.handoff.with_callback(self.device_id, fill) {
                left.fill(0.0);
                right.fill(0.0);
            }
            let sound = left.iter().zip(right.iter());
            for (frame, (&left, &right)) in piece.chunks_exact_mut(channels).zip(sound) {
                for (index, sample) in frame.iter_mut().enumerate() {
                    *sample = T::from_sample(match index {
                        0 if channels == 1 => 0.5 * (left + right),
                        0 => left,
                        1 => right,
                        _ => 0.0,
                    });
                }
            }
        }
    }
}

impl Device for CpalDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn block(&self) -> usize {
        self.block
    }

    /// Sound servers may fetch two blocks at once.
    fn burst(&self) -> usize {
        2 * self.block
    }

    fn failure(&self) -> Option<String> {
        let failure = self.shared.failure.lock();
        failure.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn xruns(&self) -> u64 {
        self.shared.xruns.load(Ordering::Relaxed)
    }
}
