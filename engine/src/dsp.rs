//! Small signal tools that know nothing of patches, threads or hosts.

mod denormals;
pub mod fast;
mod limiter;
mod predict;
mod random;

pub use denormals::FlushDenormals;
pub use limiter::Limiter;
pub use predict::continue_sound;
pub use random::hash;
