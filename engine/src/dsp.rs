//! Small signal tools that do not depend on patches, threads or hosts.

mod denormals;
mod fade;
pub mod fast;
mod limiter;
mod predict;
mod random;

pub use denormals::FlushDenormals;
pub use fade::{FADE, fade_in};
pub use limiter::Limiter;
pub use predict::{HISTORY, continue_sound};
pub use random::hash;
