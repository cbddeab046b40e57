//! What is done in a window.

mod idle;
mod opened;
mod using;
