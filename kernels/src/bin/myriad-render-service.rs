//! The render service as a program of its own, which plugins bring with them.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        if let Err(error) = myriad_kernels::service::run(&[], &arguments) {
            eprintln!("myriad-render-service: {error}");
            return std::process::ExitCode::FAILURE;
        }
    }
    std::process::ExitCode::SUCCESS
}
