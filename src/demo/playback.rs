//! Playing a performance through the default audio device.
//!
//! A render thread keeps a ring filled; the audio callback only copies out of it.

use crate::cast::Cast;
use crate::interrupt;
use crate::performance::{Performance, Settings, Tail};
use crate::render::cores;
use crate::renderer::RendererArgs;
use crate::song::Song;
use crate::terminal;
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{Device, FromSample, SampleFormat, SizedSample, StreamConfig, SupportedStreamConfig};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use myriad_engine::EngineError;
use ringbuf::HeapRb;
use ringbuf::traits::{Consumer, Observer, Producer, Split};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How far the renderer may run ahead of the ear.
const RING_SECONDS: f64 = 1.0;

/// How often the progress line moves and the renderer looks for room in the ring.
const PAUSE: Duration = Duration::from_millis(20);

/// Silence after the last frame, so that the device's own buffer is heard.
const AFTER: Duration = Duration::from_millis(300);

/// Why nothing was played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaybackError {
    #[error("no audio device")]
    NoDevice,
    #[error("The audio device does not work ({0})")]
    Device(#[from] cpal::Error),
    #[error("The audio device has gone")]
    Gone,
    #[error("The engine does not start ({0})")]
    Engine(#[from] EngineError),
}

/// How playing ended.
pub(crate) enum Outcome {
    Played,
    /// The user pressed Ctrl-C.
    Stopped,
}

/// What the audio thread and the others tell each other.
#[derive(Default)]
struct Shared {
    /// Everything is in the ring; when it runs dry now, that is the end.
    rendered_all: AtomicBool,
    /// Frames handed to the device.
    played: AtomicU64,
    /// Frames that were not ready in time.
    missed: AtomicU64,
    /// The device has gone.
    failed: AtomicBool,
}

/// Plays the song to its end.
///
/// # Errors
/// When there is no device, or it does not work.
pub(crate) fn play(
    song: &Song,
    cast: Cast,
    renderer: RendererArgs,
) -> Result<Outcome, PlaybackError> {
    // Kept until the end: the sound library would otherwise write about missing devices.
    #[cfg(target_os = "linux")]
    let _silence = alsa::Output::local_error_handler();
    let device = cpal::default_host()
        .default_output_device()
        .ok_or(PlaybackError::NoDevice)?;
    let config = device
        .default_output_config()
        .map_err(|_| PlaybackError::NoDevice)?;
    let settings = Settings {
        sample_rate: config.sample_rate(),
        threads: cores(),
        stems: false,
        tail: Tail::Auto,
        max_frames: u64::MAX,
    };
    let (renderer, _) = renderer.live(settings.threads, settings.sample_rate);
    let performance = Performance::new(song, cast, &settings, renderer)?;
    match config.sample_format() {
        SampleFormat::I16 => perform::<i16>(&device, &config, performance),
        SampleFormat::I32 => perform::<i32>(&device, &config, performance),
        SampleFormat::U8 => perform::<u8>(&device, &config, performance),
        // Devices with other formats convert from this one or say that they do not.
        _ => perform::<f32>(&device, &config, performance),
    }
}

fn perform<T: SizedSample + FromSample<f32>>(
    device: &Device,
    config: &SupportedStreamConfig,
    mut performance: Performance,
) -> Result<Outcome, PlaybackError> {
    let rate = f64::from(config.sample_rate());
    let (mut fill, mut drain) = HeapRb::<[f32; 2]>::new((rate * RING_SECONDS) as usize).split();
    let shared = Arc::new(Shared::default());
    let channels = usize::from(config.channels());
    let audio = Arc::clone(&shared);
    let failure = Arc::clone(&shared);
    let stream = device.build_output_stream(
        StreamConfig::from(*config),
        move |output: &mut [T], _| write(output, channels, &mut drain, &audio),
        move |error: cpal::Error| {
            if !matches!(
                error.kind(),
                cpal::ErrorKind::Xrun | cpal::ErrorKind::RealtimeDenied
            ) {
                failure.failed.store(true, Ordering::Relaxed);
            }
        },
        None,
    )?;
    let bar = progress_bar(performance.song_frames());
    let mut started = false;
    let stopped = || {
        let stop = interrupt::requested() || shared.failed.load(Ordering::Relaxed);
        bar.set_position(shared.played.load(Ordering::Relaxed));
        stop
    };
    let mut frames = Vec::new();
    'song: while let Some([left, right]) = performance.next_block() {
        frames.clear();
        frames.extend(left.iter().zip(right).map(|(&left, &right)| [left, right]));
        let mut rest = frames.as_slice();
        loop {
            rest = &rest[fill.push_slice(rest)..];
            if rest.is_empty() {
                break;
            }
            // The ring is full for the first time: now the device may begin.
            if !started {
                stream.play()?;
                started = true;
            }
            if stopped() {
                break 'song;
            }
            std::thread::sleep(PAUSE);
        }
    }
    shared.rendered_all.store(true, Ordering::Release);
    if !started {
        stream.play()?;
    }
    while !fill.is_empty() && !stopped() {
        std::thread::sleep(PAUSE);
    }
    if !stopped() {
        std::thread::sleep(AFTER);
    }
    bar.finish_and_clear();
    let missed = shared.missed.load(Ordering::Relaxed);
    if missed > 0 {
        let milliseconds = missed as f64 / rate * 1000.0;
        terminal::say(&format!(
            "myriad: note: {milliseconds:.0} ms were not ready in time; the machine was busy"
        ));
    }
    match interrupt::requested() {
        true => Ok(Outcome::Stopped),
        false if shared.failed.load(Ordering::Relaxed) => Err(PlaybackError::Gone),
        false => Ok(Outcome::Played),
    }
}

/// The audio callback: copies what is ready, and silence for what is not.
fn write<T: SizedSample + FromSample<f32>>(
    output: &mut [T],
    channels: usize,
    drain: &mut impl Consumer<Item = [f32; 2]>,
    shared: &Shared,
) {
    let ending = shared.rendered_all.load(Ordering::Acquire);
    let (mut played, mut missed) = (0, 0);
    for frame in output.chunks_mut(channels.max(1)) {
        let [left, right] = match drain.try_pop() {
            Some(sound) => {
                played += 1;
                sound
            }
            None => {
                missed += u64::from(!ending);
                [0.0; 2]
            }
        };
        for (index, sample) in frame.iter_mut().enumerate() {
            *sample = T::from_sample(match index {
                0 if channels == 1 => 0.5 * (left + right),
                0 => left,
                1 => right,
                _ => 0.0,
            });
        }
    }
    shared.played.fetch_add(played, Ordering::Relaxed);
    shared.missed.fetch_add(missed, Ordering::Relaxed);
}

fn progress_bar(frames: u64) -> ProgressBar {
    let template = "  Playing the demo {wide_bar:.magenta} {elapsed}  Ctrl-C stops";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ");
    ProgressBar::with_draw_target(Some(frames), ProgressDrawTarget::stderr_with_hz(10))
        .with_style(style)
        .with_finish(ProgressFinish::AndClear)
}
