//! What musicians and validators do.

mod fuzz;
mod instances;
mod parameters;
mod playing;
mod saving;
