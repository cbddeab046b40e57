//! The conformance suite, instantiated for every renderer this machine has.

use myriad_conformance::CHECKS;
use myriad_engine::render::Capacity;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::simd::Level;
use myriad_kernels::cuda::{CudaOptions, CudaRenderer};

fn conforms(name: &str, make: &dyn Fn() -> Box<dyn Renderer>) {
    for check in CHECKS {
        match (check.run)(make) {
            Ok(measured) => println!("{name:>14} {:<9} {measured}", check.name),
            Err(measured) => panic!("{name}: {} ({}): {measured}", check.name, check.promise),
        }
    }
}

fn cpu_at(level: Level, threads: usize) {
    if Level::available().contains(&level) {
        conforms(level.name(), &|| {
            Box::new(CpuRenderer::with_level(threads, level))
        });
    } else {
        println!("this machine has no {}", level.name());
    }
}

#[test]
fn portable() {
    cpu_at(Level::Portable, 1);
}

#[test]
fn neon() {
    cpu_at(Level::Neon, 1);
}

#[test]
fn avx2() {
    cpu_at(Level::Avx2, 1);
}

#[test]
fn avx512() {
    cpu_at(Level::Avx512, 1);
}

#[test]
fn worker_threads() {
    cpu_at(Level::best(), 3);
}

fn cuda_with(name: &str, options: CudaOptions) {
    let make = || CudaRenderer::with_options(0, options);
    let smallest = Capacity { slots: 1, buses: 1 };
    match make().prepare(smallest) {
        Ok(()) => conforms(name, &|| Box::new(make())),
        Err(reason) => println!("{reason}"),
    }
}

#[test]
fn cuda() {
    cuda_with("CUDA", CudaOptions::default());
}

#[test]
fn cuda_as_on_gpus_without_machine_code() {
    let portable = true;
    cuda_with(
        "CUDA, PTX",
        CudaOptions {
            portable,
            ..CudaOptions::default()
        },
    );
}

#[test]
fn cuda_call_by_call_and_block_by_block() {
    let (graph, overlap) = (false, false);
    cuda_with(
        "CUDA, calls",
        CudaOptions {
            graph,
            overlap,
            ..CudaOptions::default()
        },
    );
}
