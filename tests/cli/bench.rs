//! `myriad bench`: its report and files. Speed is not tested here.

use crate::harness::{Folder, Run};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Command;

/// The shortest run, without a GPU.
const TINY: &str = "bench --renderer cpu --seconds 0.1";

fn assert_figure(figure: &Value) {
    let [low, value, high] = ["low", "value", "high"].map(|key| figure[key].as_f64().unwrap());
    assert!(0.0 < low && low <= high && value > 0.0, "{figure}");
}

fn assert_percentiles(found: &Value) {
    assert!(found["blocks"].as_u64().unwrap() > 0, "{found}");
    let keys = ["p50", "p95", "p99", "p99_9", "max"];
    let values = keys.map(|key| {
        assert_figure(&found[key]);
        found[key]["value"].as_f64().unwrap()
    });
    assert!(values.is_sorted(), "{found}");
}

/// Scripts read these files.
#[test]
fn json_has_the_documented_shape() {
    let folder = Folder::new();
    let report = folder.succeed(&format!("{TINY} --json")).json();
    assert_eq!(report["schema"], 1);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["sample_rate"], 48_000.0);
    assert_eq!(report["interrupted"], false);
    assert!(report["date"].as_str().unwrap().ends_with('Z'));
    let machine = &report["machine"];
    for key in ["cpu", "simd", "os"] {
        assert!(!machine[key].as_str().unwrap().is_empty(), "{machine}");
    }
    let cores = machine["cores"].as_u64().unwrap();
    assert_eq!(machine.get("card"), Some(&Value::Null));

    let renderers: &[&str] = if cores > 1 { &["cpu-1", "cpu-all"] } else { &["cpu-1"] };
    let rows = |value: &Value| value.as_array().unwrap().clone();
    let start = rows(&report["start"]);
    assert_eq!(start.len(), renderers.len());
    for (row, id) in start.iter().zip(renderers) {
        assert_eq!(row["renderer"], *id);
        assert_figure(&row["prepare_again_ms"]);
    }
    let held = rows(&report["held"]);
    for work in ["bank", "table", "filtered", "everything"] {
        let found: Vec<_> = held.iter().filter(|row| row["work"] == work).collect();
        assert_eq!(found.len(), renderers.len(), "{work}");
        found.iter().for_each(|row| assert_figure(&row["partials"]));
    }
    let grid = &report["grid"];
    let [voices, partials] = ["voices", "partials"].map(|axis| rows(&grid[axis]).len());
    let cells = rows(&grid["cells"]);
    assert_eq!(cells.len(), voices * partials);
    for cell in &cells {
        assert_eq!(rows(&cell["times"]).len(), renderers.len());
        assert_figure(&cell["times"][0]["share"]);
    }
    let trips = rows(&report["round_trip"]["rows"]);
    assert_eq!(trips.len(), 4 * 2 * renderers.len());
    for row in &trips {
        assert_percentiles(&row["microseconds"]);
    }
    let played = rows(&report["played"]);
    assert_eq!(played.len(), 2 * renderers.len());
    for row in &played {
        assert_eq!(row["voices"], 1_024);
        assert!(row["partials"].as_u64().unwrap() > 60_000, "{row}");
        assert_percentiles(&row["block"]);
        assert_percentiles(&row["host"]);
    }
}

#[test]
fn a_run_can_be_kept_shown_drawn_and_compared() {
    let folder = Folder::new();
    let run = folder.succeed(&format!("{TINY} --only round-trip --json"));
    assert_eq!(run.json()["held"], Value::Null);
    folder.put("run.json", &run.stdout);

    let shown = folder.succeed("bench --from run.json --plots pictures");
    assert!(shown.stdout.contains("Round trip in µs"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("Partials held"), "{}", shown.stdout);
    let drawing = folder.path("pictures/round-trip.svg");
    let drawing = std::fs::read_to_string(drawing).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"));
    assert!(drawing.contains("deadline 667 µs"));

    let same = folder.succeed("bench --from run.json --compare run.json").stdout;
    assert!(same.contains("0 of 24 figures") || same.contains("0 of 48 figures"), "{same}");
    // A run that was so much faster that it cannot be noise.
    let mut old: Value = serde_json::from_str(&run.stdout).unwrap();
    for key in ["value", "low", "high"] {
        let figure = &mut old["round_trip"]["rows"][0]["microseconds"]["p50"][key];
        *figure = (figure.as_f64().unwrap() / 1e6).into();
    }
    folder.put("old.json", old.to_string());
    let worse = folder.succeed("bench --from run.json --compare old.json --json");
    let changes = worse.json()["changes"].clone();
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert_eq!(changes[0]["figure"], "round trip 32 back to back cpu-1 p50");
    assert!((changes[0]["factor"].as_f64().unwrap() * 1e6 - 1.0).abs() < 1e-6);
}

/// Every effect of the rack has its cost, and the table shows it.
#[test]
fn effects_are_measured_when_they_are_named() {
    let folder = Folder::new();
    let run = folder.succeed("bench --renderer cpu --seconds 0.5 --only effects --json");
    let report = run.json();
    let effects = report["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 14);
    for effect in effects {
        // Differences of two measurements: those of cheap effects may be below 0 in a run this short.
        assert!(effect["mean"]["value"].is_f64() && effect["p99"]["value"].is_f64(), "{effect}");
    }
    folder.put("run.json", &run.stdout);
    let shown = folder.succeed("bench --from run.json").stdout;
    assert!(shown.contains("convolver") && shown.contains("99% of ticks"), "{shown}");
}

#[test]
fn a_missing_gpu_is_one_line() {
    let folder = Folder::new();
    let run = folder.succeed("bench --seconds 0.1 --only start");
    assert!(run.stdout.contains("CPU, 1 core"), "{}", run.stdout);
    // On a machine with a GPU there is no message.
    match run.stdout.contains("CUDA") {
        true => assert_eq!(run.stderr, ""),
        false => {
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
            assert!(run.stderr.contains("CUDA is not measured: "));
            let cuda = "bench --renderer cuda --only start";
            folder.fail(cuda, 1, "--renderer cuda: ");
        }
    }
}

#[cfg(unix)]
#[test]
fn stopped_half_way_it_reports_what_it_has() {
    let folder = Folder::new();
    let mut child = folder.spawn("bench --renderer cpu --seconds 600");
    let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(stdout.any(|line| line.unwrap().starts_with("Start-up")));
    // The rest takes minutes.
    let pid = child.id().to_string();
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &pid]).status().unwrap().success());
    let rest: Vec<String> = stdout.map(Result::unwrap).collect();
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(rest.iter().any(|line| line.contains("CPU, 1 core")));
    assert!(run.stderr.contains("interrupted; the figures are those"));
}
