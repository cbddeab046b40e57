//! The Myriad engine: a synthesizer in which every sound is a cloud of partials.
#![doc = include_str!("../README.md")]

mod controls;
mod disjoint;
pub mod dsp;
mod effects;
mod engine;
mod event;
pub mod impulse;
mod instance_settings;
pub mod modulation;
pub mod mpe;
pub mod params;
mod part;
pub mod patch;
mod pool;
pub mod prefetch;
pub mod render;
pub mod simd;
pub mod spectrum;
#[doc(hidden)]
pub mod sync;
mod synth;
mod thread_policy;
pub mod trace;
pub mod tracks;
pub mod tuning;
pub mod view;
mod voice;
mod workers;

pub use controls::Values;
pub use engine::{
    Counters, Engine, EngineConfig, EngineError, OUTPUTS, PitchSettings, Snapshot,
    SnapshotReceiver, SnapshotSender, snapshots,
};
pub use event::{BoundedEvents, Event, EventKind, EventStore, Expression, Queued, TimedEvent};
pub use impulse::ImpulseResponse;
pub use instance_settings::InstanceSettings;
pub use patch::{Patch, PatchError, Playable, factory};
pub use render::TICK;
pub use synth::Synth;
pub use thread_policy::ThreadPolicy;
pub use tracks::Tracks;
pub use tuning::{ScaleSetting, Tuning};
pub use workers::Workers;
