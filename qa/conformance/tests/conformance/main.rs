//! The conformance suite, instantiated for every renderer. Which of them a machine has is known when
//! it runs, so this program has a harness that can ignore the others then, and say why.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops here")]

mod bits;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use myriad_conformance::{CHECKS, clients_do_not_matter};
use myriad_engine::render::Capacity;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::simd::Level;
use myriad_kernels::cuda::{CudaOptions, CudaRenderer};

fn conforms(name: &str, make: &dyn Fn() -> Box<dyn Renderer>) {
    for check in CHECKS {
        if let Err(measured) = (check.run)(make) {
            panic!("{name}: {} ({}): {measured}", check.name, check.promise);
        }
    }
    if let Err(wrong) = clients_do_not_matter(make) {
        panic!("{name}: {wrong}");
    }
}

fn cpu_at(level: Level, threads: usize) {
    conforms(level.name(), &|| Box::new(CpuRenderer::with_level(threads, level)));
}

/// What is ignored where the machine lacks a level.
fn at(name: &str, level: Level, test: fn(Level)) -> Trial {
    Trial::ignorable_test(name, move || {
        if !Level::available().contains(&level) {
            let reason = format!("this machine has no {}", level.name());
            return Ok(Completion::ignored_with(reason));
        }
        test(level);
        Ok(Completion::Completed)
    })
}

/// What is ignored without a GPU.
fn cuda_with(name: &'static str, options: CudaOptions) -> Trial {
    Trial::ignorable_test(name, move || {
        let make = move || CudaRenderer::with_options(0, options);
        if let Err(reason) = make().prepare(Capacity { slots: 1, buses: 1 }) {
            return Ok(Completion::ignored_with(reason));
        }
        conforms(name, &|| Box::new(make()));
        Ok(Completion::Completed)
    })
}

fn cuda() -> Vec<Trial> {
    let usual = CudaOptions::default();
    let portable = CudaOptions { portable: true, ..usual };
    let calls = CudaOptions { graph: false, overlap: false, ..usual };
    vec![
        cuda_with("cuda", usual),
        cuda_with("cuda_as_on_gpus_without_machine_code", portable),
        cuda_with("cuda_call_by_call_and_block_by_block", calls),
    ]
}

fn main() {
    let one_thread = |level| cpu_at(level, 1);
    let mut trials = vec![
        at("baseline", Level::Baseline, one_thread),
        at("avx2", Level::Avx2, one_thread),
        at("avx512", Level::Avx512, one_thread),
        at("baseline_gives_the_same_bits", Level::Baseline, bits::are_equal),
        at("avx2_gives_the_same_bits", Level::Avx2, bits::are_equal),
        at("avx512_gives_the_same_bits", Level::Avx512, bits::are_equal),
        Trial::test("worker_threads", || -> Result<(), Failed> {
            cpu_at(Level::best(), 3);
            Ok(())
        }),
    ];
    trials.extend(cuda());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
