//! `myriad render-server`: renders for another process, which starts it. Users do not call it.

use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_kernels::cuda::CudaRenderer;
use myriad_kernels::remote::{SUBCOMMAND, ServeError, serve};
use myriad_player::failure::Failure;
use std::io;
use std::os::fd::AsFd;

/// Render for the process at the other end of standard input
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    served: Served,
}

#[derive(clap::Subcommand)]
enum Served {
    /// The processor
    Cpu,
    /// An NVIDIA GPU
    Cuda {
        /// The number of the GPU
        device: usize,
    },
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let socket = io::stdin().as_fd().try_clone_to_owned();
    let socket = socket.map_err(Failure::failed)?;
    let make = || -> Box<dyn Renderer> {
        match args.served {
            Served::Cpu => Box::new(CpuRenderer::new(1)),
            Served::Cuda { device } => Box::new(CudaRenderer::new(device)),
        }
    };
    serve(socket, make).map_err(|error| match error {
        ServeError::Nobody => Failure::misuse(format!(
            "{SUBCOMMAND} is started by Myriad itself, to render on a GPU in a process of its own"
        )),
        error => Failure::failed(error),
    })
}
