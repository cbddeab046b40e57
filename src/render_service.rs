//! `myriad render-service`: renders on a GPU for all players and plugins. Users do not call it.

use myriad_kernels::SUBCOMMAND;
use myriad_kernels::service::{ServeError, run as serve};
use myriad_player::failure::Failure;
use std::ffi::OsString;

/// Render for all players and plugins of this user
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What Myriad gives it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    serve(&[SUBCOMMAND], &args.arguments).map_err(|error| match error {
        ServeError::Arguments => Failure::misuse(format!("{SUBCOMMAND}: {error}")),
        error => Failure::failed(format!("{SUBCOMMAND}: {error}")),
    })
}
