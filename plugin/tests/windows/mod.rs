//! What is done in a window.

mod drawing;
mod idle;
mod library;
mod opened;
mod using;
