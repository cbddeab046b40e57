//! ALSA's C interface for `alsa`, `cpal` and `midir`, in place of the package of the same name.
//!
//! That one links libasound, so a program that uses it does not start where the library is not
//! installed. This one loads it at the first call. Without the library functions fail: a number is the
//! error `ENOSYS`, a pointer is null, and what should be written is not.
//!
//! Types, constants and signatures are those of alsa-sys 0.4.0 that its users need; `regenerate` makes them.

#![cfg(unix)]
#![allow(
    non_camel_case_types,
    non_snake_case,
    missing_docs,
    clippy::missing_safety_doc,
    clippy::too_many_arguments
)]

#[allow(clippy::identity_op, reason = "bits as the headers write them")]
mod constants;
#[macro_use]
mod library;
mod functions;
#[allow(clippy::all, unsafe_op_in_unsafe_fn, reason = "made by bindgen")]
mod types;

pub use constants::*;
pub use functions::*;
pub use library::load;
pub use types::*;
