//! The kernels, compiled for the host and run there without a GPU.

#[cfg(not(loom))]
mod emulated;
mod functions;

use super::CudaRenderer;
use libloading::Library;
use myriad_engine::render::{Buses, Capacity, RenderError, Renderer, VoiceBlock};
use myriad_engine::simd::F32x16;
use myriad_engine::spectrum::{MAX_PARTIALS, imports, tables};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The kernels as a library for this machine, with clouds cut into so many slices, built once. One
/// test at a time may use it: emulated threads of a kernel share static memory.
fn kernels(slices: usize) -> MutexGuard<'static, Library> {
    static LIBRARIES: [OnceLock<Mutex<Library>>; 2] = [const { OnceLock::new() }; 2];
    let library = &LIBRARIES[usize::from(slices == 2)];
    let library = library.get_or_init(|| Mutex::new(build(slices)));
    // A failed test leaves no state that affects another one.
    library.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rows of all tables, laid out as in the GPU's memory.
fn table_rows() -> Vec<f32> {
    let mut rows = tables().rows().to_vec();
    for table in imports().since(0).iter().filter_map(Weak::upgrade) {
        let first = usize::from(table.first_row()) * MAX_PARTIALS;
        let imported = F32x16::flat(table.rows.as_flattened());
        rows.resize(rows.len().max(first + imported.len()), 0.0);
        rows[first..][..imported.len()].copy_from_slice(imported);
    }
    rows
}

fn build(slices: usize) -> Library {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/emulate.cpp");
    let name = format!("myriad-kernels-{}-{slices}.so", std::process::id());
    let built = std::env::temp_dir().join(name);
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let status = Command::new(&compiler)
        .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-ffp-contract=off"])
        // With _FORTIFY_SOURCE a jump to another fiber's stack ends the program.
        .args(["-Wall", "-Wno-unknown-pragmas", "-U_FORTIFY_SOURCE"])
        .arg(format!("-DSLICE_ROWS={}", MAX_PARTIALS / 32 / slices))
        .arg("-o")
        .args([&built, &source])
        .status()
        .unwrap_or_else(|error| panic!("needs a C++ compiler; cannot run {compiler}: {error}"));
    assert!(status.success(), "the kernels do not compile for the host");
    // SAFETY: our own code, whose static initialisers do nothing.
    let library = unsafe { Library::new(&built) }.expect("what was just built can be loaded");
    // The file is not needed once it is loaded.
    let _ = std::fs::remove_file(&built);
    library
}

#[test]
fn prepare_reports_why_without_a_gpu() {
    // No machine has that many GPUs.
    let mut renderer = CudaRenderer::new(4_096);
    let (block, mut buses) = (Arc::new(VoiceBlock::new(1)), Buses::new(1));
    let unprepared = renderer.render(&block, &mut buses);
    assert_eq!(unprepared, Err(RenderError::NotPrepared));
    let error = renderer.prepare(Capacity { slots: 1, buses: 1 });
    let reason = error.unwrap_err().to_string();
    assert!(!reason.is_empty() && !reason.contains('\n'), "{reason}");
    assert!(renderer.counters().is_none());
}

#[test]
fn committed_kernels_are_what_the_sources_make() {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("build");
    let output = Command::new("python3").arg(build).arg("--check").output().expect("python3 runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
