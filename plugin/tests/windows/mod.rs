//! What is done in a window.

mod idle;
mod library;
mod opened;
mod using;
