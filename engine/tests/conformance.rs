//! The conformance suite, instantiated for every renderer this machine has.

use myriad_engine::conformance::CHECKS;
#[cfg(feature = "cuda")]
use myriad_engine::render::{Capacity, cuda::CudaRenderer};
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::simd::Level;

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

#[test]
#[cfg(feature = "cuda")]
fn cuda() {
    let smallest = Capacity { slots: 1, buses: 1 };
    match CudaRenderer::new(0).prepare(smallest) {
        Ok(()) => conforms("CUDA", &|| Box::new(CudaRenderer::new(0))),
        Err(reason) => println!("{reason}"),
    }
}
