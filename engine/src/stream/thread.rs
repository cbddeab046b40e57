//! The render thread: when it works and when it sleeps.

use super::render_side::RenderSide;
use super::status::Shared;
use crate::dsp::FlushDenormals;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

/// Starts it.
pub(super) fn spawn(
    mut render: RenderSide,
    shared: Arc<Shared>,
    nap: Duration,
    frames: u32,
    rate: u32,
) -> std::io::Result<JoinHandle<()>> {
    let thread = Builder::new().name("myriad-render".into()).spawn(move || {
        let raised = audio_thread_priority::promote_current_thread_to_real_time(frames, rate);
        render
            .shared()
            .raised_priority
            .store(raised.is_ok(), Relaxed);
        let _flush = FlushDenormals::new();
        while !render.has_ended() && !render.shared().abandoned.load(Relaxed) {
            render.step();
            park_timeout(nap);
        }
        render.shared().ended.store(true, Relaxed);
    })?;
    shared.set_thread(thread.thread().clone());
    Ok(thread)
}
