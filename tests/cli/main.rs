//! The program as its users meet it: real processes, real files.

mod arguments;
mod damage;
mod harness;
mod inspect;
mod midi;
mod patches;
mod render;
