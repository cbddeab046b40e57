//! What musicians and validators do.

mod fuzz;
mod instances;
mod outputs;
mod parameters;
mod playing;
mod presets;
mod saving;
mod status;
