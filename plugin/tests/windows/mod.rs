//! What is done in a window.

mod drawing;
mod idle;
mod opened;
mod using;
