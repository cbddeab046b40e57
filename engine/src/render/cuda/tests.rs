//! The kernels, compiled for the host and run there: no GPU needed.

mod emulated;
mod functions;

use libloading::Library;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// The kernels as a library of this machine, built once. One test at a time may use it: the
/// threads of a kernel share static memory there.
fn kernels() -> MutexGuard<'static, Library> {
    static LIBRARY: OnceLock<Mutex<Library>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| Mutex::new(build()));
    // A test that failed has left nothing behind that another one could trip over.
    library
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn build() -> Library {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/emulate.cpp");
    let built = std::env::temp_dir().join(format!("myriad-kernels-{}.so", std::process::id()));
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let status = Command::new(&compiler)
        .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-ffp-contract=off"])
        .args(["-Wall", "-Wno-unknown-pragmas", "-o"])
        .args([&built, &source])
        .status()
        .unwrap_or_else(|error| panic!("needs a C++ compiler; cannot run {compiler}: {error}"));
    assert!(status.success(), "the kernels do not compile for the host");
    // SAFETY: our own code, whose static initialisers do nothing.
    let library = unsafe { Library::new(&built) }.expect("what was just built can be loaded");
    // Loaded is loaded: the file is no longer needed.
    let _ = std::fs::remove_file(&built);
    library
}

#[test]
fn committed_kernels_are_what_the_sources_make() {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/build");
    let output = Command::new("python3")
        .arg(build)
        .arg("--check")
        .output()
        .expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
