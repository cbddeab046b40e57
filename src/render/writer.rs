//! Measures and writes a render on a thread of its own, while the next blocks are rendered.

use super::outputs::Outputs;
use myriad_measure::Meter;
use myriad_player::failure::Failure;
use myriad_player::song_render::SongRender;
use myriad_player::wav::WavError;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Blocks that wait to be written; more would only take memory.
const WAITING: usize = 4;

/// One block of the mix and of the stems.
#[derive(Default)]
struct Block {
    mix: [Vec<f32>; 2],
    stems: Vec<[Vec<f32>; 2]>,
}

/// Hands blocks over to the thread.
pub(super) struct Writer<'scope> {
    full: SyncSender<Block>,
    /// Blocks that were written, to be filled again.
    empty: Receiver<Block>,
    thread: ScopedJoinHandle<'scope, Result<Written, WavError>>,
}

/// What is left when everything is written.
pub(super) struct Written {
    pub(super) outputs: Outputs,
    pub(super) meter: Meter,
}

impl<'scope> Writer<'scope> {
    fn start(scope: &'scope Scope<'scope, '_>, mut written: Written) -> io::Result<Self> {
        let (full, filled) = sync_channel::<Block>(WAITING);
        let (emptied, empty) = sync_channel(WAITING + 2);
        let work = move || {
            for block in filled {
                let mix = block.mix.each_ref().map(Vec::as_slice);
                written.meter.add(mix);
                written.outputs.write_mix(mix)?;
                written.outputs.write_stems(&block.stems)?;
                // Nobody waits for it after the last block.
                let _ = emptied.try_send(block);
            }
            Ok(written)
        };
        let thread = thread::Builder::new().spawn_scoped(scope, work)?;
        Ok(Self { full, empty, thread })
    }

    /// Hands over the block that was just rendered. False when writing has failed; `finish` says why.
    pub(super) fn write(&self, song_render: &mut SongRender) -> bool {
        let mut block = self.empty.try_recv().unwrap_or_default();
        let (mix, stems) = song_render.sound();
        block.stems.resize_with(stems.len(), Default::default);
        std::mem::swap(&mut block.mix, mix);
        std::mem::swap(&mut block.stems, stems);
        self.full.send(block).is_ok()
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn finish(self) -> Result<Written, WavError> {
        drop(self.full);
        match self.thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Runs `render` beside a thread that writes what it hands over.
pub(super) fn with_writer(
    written: Written,
    render: impl FnOnce(&Writer<'_>) -> Result<(), Failure>,
) -> Result<Written, Failure> {
    thread::scope(|scope| {
        let writer = Writer::start(scope, written);
        let no_thread = |error| Failure::failed(format!("no thread to write the file: {error}"));
        let writer = writer.map_err(no_thread)?;
        render(&writer)?;
        Ok(writer.finish()?)
    })
}
