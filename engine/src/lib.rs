//! The Myriad engine: a synthesizer in which every sound is a cloud of partials.
//!
//! ```
//! use myriad_engine::{Engine, EngineConfig, Event, EventKind, patch::factory};
//!
//! let mut engine = Engine::new(&EngineConfig::default())?;
//! engine.set_patch(0, &factory::patches()[0]);
//! let note = EventKind::NoteOn { key: 60, velocity: 0.8 };
//! let (mut left, mut right) = (vec![0.0; 512], vec![0.0; 512]);
//! engine.render(&[Event { frame: 0, part: 0, kind: note }], &mut left, &mut right);
//! assert!(left.iter().any(|sample| *sample != 0.0));
//! # Ok::<(), myriad_engine::EngineError>(())
//! ```

mod controls;
pub mod dsp;
mod effects;
mod engine;
mod event;
pub mod modulation;
pub mod params;
mod part;
pub mod patch;
mod pool;
pub mod render;
pub mod simd;
pub mod spectrum;
mod thread_policy;
pub mod trace;
pub mod tracks;
pub mod tuning;
pub mod view;
mod voice;

pub use controls::Values;
pub use engine::{
    Counters, Engine, EngineConfig, EngineError, Snapshot, SnapshotReceiver, SnapshotSender,
    snapshots,
};
pub use event::{Event, EventKind, Expression};
pub use patch::{Patch, PatchError, Playable, factory};
pub use render::TICK;
pub use thread_policy::ThreadPolicy;
pub use tracks::Tracks;
pub use tuning::Tuning;
