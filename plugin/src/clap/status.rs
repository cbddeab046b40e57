//! A CLAP extension of our own, by which a host reads how well an instance renders.
//!
//! Standard extensions do not tell what a render thread does, whether a GPU renders, or why frames were missing. The
//! host that measures many instances (`tests/instances`) needs that; other hosts do not know the extension.

use super::Instance;
use crate::shared::Shared;
use clap_sys::plugin::clap_plugin;
use clap_sys::stream::clap_ostream;
use myriad_live::stream::{Histogram, Underrun};
use serde::Serialize;
use std::ffi::{CStr, c_void};

/// Its name. The number changes when the meaning of a field does.
pub const ID: &CStr = c"org.myriad.status/1";

/// The extension.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StatusExtension {
    /// Writes the status as one JSON object. Returns whether the stream took all of it. For the main thread.
    pub write: unsafe extern "C" fn(*const clap_plugin, *const clap_ostream) -> bool,
}

static EXTENSION: StatusExtension = StatusExtension { write };

/// The extension, if `id` is its name.
pub(super) fn extension(id: &CStr) -> Option<*const c_void> {
    (id == ID).then_some((&raw const EXTENSION).cast())
}

/// The fields are the keys of the JSON.
#[derive(Serialize)]
struct Status {
    /// CPU, GPU, or the stand-in for a GPU; empty while the instance is deactivated.
    renderer: String,
    /// The reason, in a sentence.
    why: String,
    /// Whether it replaces the renderer that was chosen.
    stands_in: bool,
    /// How often a GPU was lost.
    losses: u64,
    /// As of the last block.
    voices: usize,
    partials: usize,
    /// None when the host's callback renders: then the host can measure that itself.
    render_thread: Option<RenderThread>,
}

/// The render thread, since the host activated the instance.
#[derive(Serialize)]
struct RenderThread {
    raised_priority: bool,
    /// Render times as shares of the duration of what was rendered: the buckets of [`Histogram`] that are not empty,
    /// each with its number and its count.
    render_time: Vec<(usize, u64)>,
    /// All underruns, also one that lasts now.
    underruns: u64,
    /// Those that have ended since the status was last read, at most the last thousand.
    ended_underruns: Vec<EndedUnderrun>,
}

#[derive(Serialize)]
struct EndedUnderrun {
    /// When it was reported, since the stream's start.
    seconds: f64,
    frames: u64,
    cause: String,
    is_the_machines: bool,
}

impl From<Underrun> for EndedUnderrun {
    fn from(underrun: Underrun) -> Self {
        Self {
            seconds: underrun.at_time.as_secs_f64(),
            frames: underrun.frames,
            cause: underrun.cause.to_string(),
            is_the_machines: underrun.cause.is_the_machines(),
        }
    }
}

impl Status {
    fn read(shared: &Shared) -> Self {
        let renderer = shared.renderer();
        let counters = shared.meters.counters();
        let render_thread = shared.with_stream(|stream| {
            // Before the count, so that an underrun that ends meanwhile is not missing in it.
            let ended_underruns = stream.underruns().into_iter().map(Into::into).collect();
            let status = stream.status();
            RenderThread {
                raised_priority: status.raised_priority,
                render_time: not_empty(&status.render_time),
                underruns: status.underruns,
                ended_underruns,
            }
        });
        Self {
            renderer: renderer.name,
            why: renderer.why,
            stands_in: renderer.stands_in,
            losses: renderer.losses,
            voices: counters.voices,
            partials: counters.partials,
            render_thread,
        }
    }
}

fn not_empty(histogram: &Histogram) -> Vec<(usize, u64)> {
    let counts = histogram.counts.iter().copied().enumerate();
    counts.filter(|(_, count)| *count > 0).collect()
}

unsafe extern "C" fn write(plugin: *const clap_plugin, stream: *const clap_ostream) -> bool {
    // SAFETY: the host gives its instance, and a stream or null.
    let (Some(instance), Some(stream)) = (unsafe { (Instance::of(plugin), stream.as_ref()) })
    else {
        return false;
    };
    let (Some(write), Ok(json)) =
        (stream.write, serde_json::to_vec(&Status::read(&instance.shared)))
    else {
        return false;
    };
    // A stream may take less than it is given.
    let mut rest = &json[..];
    while !rest.is_empty() {
        // SAFETY: the stream lives for this call, and so do the bytes.
        let taken = unsafe { write(stream, rest.as_ptr().cast(), rest.len() as u64) };
        match usize::try_from(taken) {
            Ok(taken @ 1..) => rest = rest.get(taken..).unwrap_or_default(),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::tests::gpu;
    use crate::synth::{RenderTarget, SynthConfig, make_synth};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// A host that measures instances believes this.
    #[test]
    fn the_status_has_the_render_thread_and_each_underrun_once() {
        let shared = Shared::new();
        assert!(Status::read(&shared).render_thread.is_none(), "nothing is activated");
        let config = SynthConfig {
            sample_rate: 48_000.0,
            max_block: 64,
            offline: false,
            render_target: RenderTarget::Gpu,
            outputs: 0,
        };
        let patch = shared.patch();
        let (mut synth, handle) = make_synth(&config, &patch, &*gpu(&Arc::default())).unwrap();
        shared.set_synth_handle(handle, &patch);
        let before = Status::read(&shared);
        assert_eq!((before.renderer.as_str(), before.stands_in, before.losses), ("GPU", false, 0));
        // More than the stream has ready, so frames are missing.
        synth.render(&[], &mut [0.0; 9_600], &mut [0.0; 9_600]);
        let give_up = Instant::now() + Duration::from_secs(30);
        let after = loop {
            synth.render(&[], &mut [0.0; 64], &mut [0.0; 64]);
            let thread = Status::read(&shared).render_thread.unwrap();
            if !thread.ended_underruns.is_empty() {
                break thread;
            }
            assert!(Instant::now() < give_up, "{} underruns", thread.underruns);
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(after.underruns >= after.ended_underruns.len() as u64);
        assert!(after.render_time.iter().map(|(_, count)| count).sum::<u64>() > 0);
        let first = after.ended_underruns[0].seconds;
        let again = Status::read(&shared).render_thread.unwrap().ended_underruns;
        assert!(again.iter().all(|later| later.seconds > first));
    }
}
