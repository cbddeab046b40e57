//! Reports of a machine with a GPU, shown and drawn on machines without one.

use super::compare;
use super::plots;
use super::report::Report;
use serde_json::{Value, json};

fn figure(value: f64) -> Value {
    json!({ "value": value, "low": 0.9 * value, "high": 1.1 * value })
}

fn percentiles(p50: f64) -> Value {
    json!({
        "blocks": 5000, "late": 1, "p50": figure(p50), "p95": figure(1.2 * p50),
        "p99": figure(1.5 * p50), "p99_9": figure(2.0 * p50), "max": figure(9.0 * p50),
    })
}

/// A run on an invented machine with a GPU.
fn with_gpu() -> Value {
    let shares = |one: f64, all: f64, cuda: f64| {
        let row = |id, share| json!({ "renderer": id, "share": figure(share) });
        [row("cpu-1", one), row("cpu-all", all), row("cuda", cuda)]
    };
    let trip = |id, pace, p50| json!({ "renderer": id, "frames": 64, "pace": pace, "microseconds": percentiles(p50) });
    let held = |id, partials, share: Option<f64>| {
        json!({
            "work": "filtered", "renderer": id, "partials": figure(partials),
            "measured_at": 1000, "memory_limited": share.is_some(), "share_of_limit": share,
            "error_db": share.map(|_| -119.0),
        })
    };
    json!({
        "schema": 1, "version": "0.1.0", "date": "2026-11-15T12:00:00Z",
        "machine": {
            "cpu": "A & B <C>", "cores": 16, "simd": "AVX2", "os": "Linux",
            "card": {
                "name": "GPU", "driver": null, "cuda": "12.1", "capability": "8.6",
                "processors": 10, "lanes": 128, "clock_mhz": 1500,
            },
        },
        "sample_rate": 48000.0, "seconds": 1.0, "interrupted": false, "notes": [],
        "start": [{
            "renderer": "cuda", "prepare_ms": 400.0, "prepare_again_ms": null,
            "first_block_us": 80.0, "device_bytes": 1 << 20, "pinned_bytes": 1 << 20,
            "code": "sm_86",
        }],
        "held": [held("cpu-1", 2e5, None), held("cpu-all", 2e6, None), held("cuda", 2e7, Some(0.4))],
        "grid": {
            "frames": 128, "voices": [16, 64], "partials": [16, 64],
            "cells": [
                { "voices": 16, "partials": 16, "times": shares(0.01, 0.02, 0.03) },
                { "voices": 16, "partials": 64, "times": shares(0.04, 0.03, 0.03) },
                { "voices": 64, "partials": 16, "times": shares(0.04, 0.02, 0.03) },
                { "voices": 64, "partials": 64, "times": shares(1.60, 0.09, 0.03) },
            ],
            "crossovers": [
                { "than": "cpu-1", "voices": 16, "from_partials": 500.0 },
                { "than": "cpu-1", "voices": 64, "from_partials": 1024.0 },
                { "than": "cpu-all", "voices": 16, "from_partials": null },
                { "than": "cpu-all", "voices": 64, "from_partials": 2000.0 },
            ],
        },
        "round_trip": {
            "voices": 1024, "partials": 64,
            "rows": [
                trip("cpu-1", "paced", 400.0), trip("cuda", "paced", 40.0),
                trip("cuda-no-graph", "paced", 50.0), trip("cuda", "back-to-back", 30.0),
                trip("cuda-no-graph", "back-to-back", 36.0),
            ],
            "stages": [{
                "frames": 64, "submit": 5.0, "wait": 30.0, "fetch": 4.0, "compute": 20.0,
                "upload_bytes": 250_000, "download_bytes": 512,
            }],
            "overlap": [{
                "renderer": "cuda", "voices": 1024, "partials": 64, "frames": 64,
                "alone": figure(100.0), "overlapped": figure(75.0), "depth": 2,
            }],
        },
        "played": [{
            "renderer": "cuda", "frames": 64, "pace": "paced", "voices": 1024, "copies": 1,
            "partials": 65536, "block": percentiles(300.0), "host": percentiles(250.0),
        }],
        "played_crossovers": [
            { "than": "cpu-1", "from_partials": 5_000.0, "loads": [
                { "voices": 16, "partials": 7_168, "ratio": 0.9 },
            ]},
            { "than": "cpu-all", "from_partials": null, "loads": [] },
        ],
        "songs": [{
            "song": "daybreak", "renderer": "cuda", "times_real_time": figure(40.0),
            "voices": 42, "partials": 12_992, "notes_lost": 0,
        }],
        "changes": null,
    })
}

fn report(value: Value) -> Report {
    serde_json::from_value(value).unwrap()
}

/// Other programs read these files, and so does a later `--compare`.
#[test]
fn a_report_keeps_the_format_of_schema_1() {
    let written = serde_json::to_value(report(with_gpu())).unwrap();
    assert_eq!(written, with_gpu());
}

#[test]
fn the_tables_say_what_a_gpu_is_good_for() {
    let text = report(with_gpu()).text();
    for words in [
        "CUDA holds 100 × one core, 10 × all cores",
        "CUDA alone renders more quickly than one core from about 500 partials",
        "As played, CUDA is quicker than one core from about 5,000 partials",
        "As played, CUDA is nowhere quicker than all 16 cores",
        "At 64 frames a graph saves 6.0 µs back to back, 10.0 µs paced",
        "20.0 million (memory)",
        "Error of the GPU's bank: -119.0 dB",
        "244.1 KiB",
        "25%",
        "CUDA, no graph",
    ] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
}

/// The README's tables are made from this.
#[test]
fn a_run_becomes_the_tables_of_the_readme() {
    let tables = report(with_gpu()).markdown();
    for words in [
        "A & B <C>, 16 cores, AVX2; GPU, CUDA 12.1. Myriad 0.1.0, 2026-11-15.",
        "| partials in real time | CPU, 1 core | CPU, 16 cores | CUDA |",
        "| tilt, damping and filter too | 200,000 | 2.0 million | 20.0 million |",
        "| a block, of 1,333 µs |",
    ] {
        assert!(tables.contains(words), "{words}:\n{tables}");
    }
}

#[test]
fn pictures_show_every_renderer_and_survive_odd_names() {
    let folder = tempfile::tempdir().unwrap();
    let files = plots::draw(&report(with_gpu()), folder.path()).unwrap();
    assert_eq!(files.len(), 3);
    for file in files {
        let drawing = std::fs::read_to_string(&file).unwrap();
        assert!(drawing.contains("A &amp; B &lt;C&gt;"), "{}", file.display());
        assert!(drawing.contains(">CUDA</text>"), "{}", file.display());
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"));
    }
}

/// A run that was stopped early has sections with little or nothing in them.
#[test]
fn what_is_missing_is_left_out() {
    let mut value = with_gpu();
    value["held"] = json!([]);
    value["grid"]["cells"] = json!([]);
    value["grid"]["crossovers"] = json!([]);
    value["round_trip"]["rows"] = json!([]);
    value["played"] = Value::Null;
    let report = report(value);
    let folder = tempfile::tempdir().unwrap();
    assert!(plots::draw(&report, folder.path()).unwrap().is_empty());
    assert!(!report.text().contains("NaN"));
}

#[test]
fn a_run_is_as_quick_as_itself() {
    let (before, mut slower) = (report(with_gpu()), with_gpu());
    let (changes, compared) = compare::changes(&before, &before);
    assert!(changes.is_empty() && compared > 20);
    slower["played"][0]["host"] = percentiles(500.0);
    let (changes, _) = compare::changes(&before, &report(slower));
    let names: Vec<&str> = changes.iter().map(|change| &*change.figure).collect();
    let expected = ["p50", "p95", "p99"].map(|name| format!("played paced cuda host {name}"));
    assert_eq!(names, expected);
}
