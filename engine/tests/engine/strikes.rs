//! Strokes: position, hardness and material.

use myriad_conformance::testing::*;
use myriad_engine::Patch;
use myriad_engine::params::Param;

/// A stroke on a body, by the name of its table.
fn stroke(table: &str, position: f32, hardness: f32, material: &str) -> Patch {
    let choice = |param: Param, name: &str| param.info().parse(name).unwrap();
    patch(&[
        (Param::SourceTable, choice(Param::SourceTable, table)),
        (Param::SourcePosition, position),
        (Param::SourcePartials, 64.0),
        (Param::StrikeHardness, hardness),
        (Param::StrikeMaterial, choice(Param::StrikeMaterial, material)),
        (Param::Env1Attack, 0.0),
        (Param::Env1Sustain, 1.0),
    ])
}

/// The level of each of some ratios, in decibels.
fn levels(patch: &Patch, ratios: &[f32]) -> Vec<f32> {
    let key = 45;
    let [out, _] = play(&mut engine(patch), &[(0, on(key))], 1 << 15);
    let (levels, lobe) = spectrum(&out[..1 << 15]);
    let at = |ratio: f32| {
        let bin = (ratio * hertz(f32::from(key)) * (1 << 15) as f32 / RATE as f32) as usize;
        highest(&levels[bin - lobe..bin + lobe])
    };
    ratios.iter().map(|&ratio| at(ratio)).collect()
}

#[test]
fn the_position_decides_which_modes_sound() {
    // The even modes of a string have a node in the middle.
    let middle = levels(&stroke("strike string", 1.0, 1.0, "own"), &[1.0, 2.0, 3.0]);
    assert!(middle[1] < middle[0] - 60.0 && middle[2] > middle[0] - 15.0, "{middle:?}");
    // A stroke in the middle of a skin excites only axially symmetric modes.
    let ratios = [1.0, 1.594, 2.136, 2.296];
    let middle = levels(&stroke("strike skin", 1.0, 1.0, "own"), &ratios);
    assert!(middle[1].max(middle[2]) < middle[0] - 40.0, "{middle:?}");
    assert!(middle[3] > middle[0] - 20.0, "{middle:?}");
    let rim = levels(&stroke("strike skin", 0.2, 1.0, "own"), &ratios);
    assert!(rim[1] > rim[0] - 12.0 && rim[2] > rim[0] - 12.0, "{rim:?}");
    // A bar's first mode has a node at 0.224 of its length.
    let place = (0.224 - 0.03) / 0.47;
    let resting = levels(&stroke("strike bar", place, 1.0, "own"), &[1.0, 2.756]);
    assert!(resting[0] < resting[1] - 12.0, "{resting:?}");
}

#[test]
fn a_hard_mallet_is_brighter() {
    let bright = |hardness: f32| {
        let levels = levels(&stroke("strike plate", 0.4, hardness, "steel"), &[1.0, 5.845]);
        levels[1] - levels[0]
    };
    let (soft, middle, hard) = (bright(0.2), bright(0.6), bright(1.0));
    println!("{soft:.1}, {middle:.1}, {hard:.1} dB at 5.8 times the first");
    assert!(soft < middle - 6.0 && middle < hard - 3.0);
}

#[test]
fn materials_decay_at_different_rates() {
    let left = |material: &str, key: u8| {
        let patch = stroke("strike bar", 0.9, 0.5, material);
        let [out, _] = play(&mut engine(&patch), &[(0, on(key))], RATE);
        db(rms(&out[RATE / 2..])) - db(rms(&out[..4_800]))
    };
    let lost = ["wood", "skin", "nylon", "glass", "steel"].map(|material| left(material, 60));
    println!("{lost:.1?} dB after half a second");
    assert!(lost.is_sorted(), "{lost:?}");
    // Higher keys decay sooner.
    assert!(left("wood", 84) < left("wood", 60) - 10.0);
}
