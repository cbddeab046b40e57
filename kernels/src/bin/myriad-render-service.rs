//! The render service as a program of its own, which plugins bring with them.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        if let Err(error) = myriad_kernels::service::run(&[], &arguments) {
            eprintln!("myriad-render-service: {error}");
            return std::process::ExitCode::FAILURE;
        }
        std::process::ExitCode::SUCCESS
    }
    #[cfg(not(target_os = "linux"))]
    {
        eprintln!(
            "myriad-render-service: is for Linux alone; elsewhere each program uses the GPU itself"
        );
        std::process::ExitCode::from(2)
    }
}
