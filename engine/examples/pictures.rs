//! Draws what the main controls do to the spectrum, for the manual:
//!
//!     cargo run -p myriad-engine --example pictures -- docs/pictures
//!
//! Every small picture is a note that really sounds: the engine plays it, and what its partials are
//! then is drawn.

use myriad_engine::params::Param;
use myriad_engine::view::{self, PartialView};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, Snapshot};
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

/// One control turned from left to right, with what else the patch says.
struct Row {
    title: &'static str,
    patch: &'static [(Param, f32)],
    turned: Param,
    values: [f32; 5],
    key: u8,
    /// Seconds after which the note is looked at; several when time is what is shown.
    seconds: [f32; 5],
}

const ROW: Row = Row {
    title: "",
    patch: &[],
    turned: Param::SourcePosition,
    values: [0.0, 0.25, 0.5, 0.75, 1.0],
    key: 45,
    seconds: [0.1; 5],
};

/// Numbers of the tables, in the order of their parameter.
const VOCAL: f32 = 4.0;
const BAR: f32 = 7.0;
const SAW: &[(Param, f32)] = &[(Param::SourcePosition, 1.0)];
const LOW_24: &[(Param, f32)] =
    &[(Param::SourcePosition, 1.0), (Param::FilterType, 2.0), (Param::FilterCutoff, 1_000.0)];
const STRONG: &[(Param, f32)] =
    &[(Param::SourcePosition, 1.0), (Param::FilterCutoff, 600.0), (Param::FilterResonance, 0.7)];
const FORMANT: &[(Param, f32)] = &[
    (Param::SourcePosition, 1.0),
    (Param::FilterType, 14.0),
    (Param::FilterCutoff, 1_000.0),
    (Param::FilterResonance, 0.3),
];
const PHASER: &[(Param, f32)] = &[
    (Param::SourcePosition, 1.0),
    (Param::FilterType, 13.0),
    (Param::FilterCutoff, 1_000.0),
    (Param::FilterResonance, 0.4),
];
const DRAWN: &[(Param, f32)] = &[
    (Param::SourcePosition, 1.0),
    (Param::FilterType, 15.0),
    (Param::Curve2, -30.0),
    (Param::Curve3, 0.0),
    (Param::Curve4, -20.0),
    (Param::Curve5, 9.0),
    (Param::Curve6, -40.0),
    (Param::Curve7, -48.0),
];
const BOTH: &[(Param, f32)] = &[
    (Param::SourcePosition, 1.0),
    (Param::FilterType, 2.0),
    (Param::FilterCutoff, 300.0),
    (Param::Filter2Type, 4.0),
    (Param::Filter2Resonance, 0.5),
    (Param::Filter2Routing, 1.0),
];
const MIX: f32 = 1.0;
const MORPH: f32 = 2.0;
const MULTIPLY: f32 = 3.0;
const TIMES: [f32; 5] = [0.05, 0.3, 0.7, 1.5, 3.0];

/// The pictures: a file's name and its rows.
const PICTURES: &[(&str, &[Row])] = &[
    (
        "source",
        &[
            Row { title: "Position, table saw", ..ROW },
            Row { title: "Position, table vocal", patch: &[(Param::SourceTable, VOCAL)], ..ROW },
            Row { title: "Position, table bar", patch: &[(Param::SourceTable, BAR)], ..ROW },
            Row {
                title: "Formant hold, an octave and a half up",
                patch: &[(Param::SourceTable, VOCAL)],
                turned: Param::SourceFormant,
                key: 63,
                ..ROW
            },
        ],
    ),
    (
        "layers",
        &[
            Row {
                title: "Blend, a saw mixed with a bar a fifth above",
                patch: &[
                    (Param::SourcePosition, 0.8),
                    (Param::LayerMode, MIX),
                    (Param::LayerTable, BAR),
                    (Param::LayerTune, 7.0),
                ],
                turned: Param::LayerBlend,
                ..ROW
            },
            Row {
                title: "Blend, a saw that morphs into a bar",
                patch: &[
                    (Param::SourcePosition, 0.8),
                    (Param::LayerMode, MORPH),
                    (Param::LayerTable, BAR),
                ],
                turned: Param::LayerBlend,
                ..ROW
            },
            Row {
                title: "Blend, a saw multiplied with a vowel",
                patch: &[
                    (Param::SourcePosition, 1.0),
                    (Param::LayerMode, MULTIPLY),
                    (Param::LayerTable, VOCAL),
                ],
                turned: Param::LayerBlend,
                ..ROW
            },
            Row {
                title: "Position of the second layer, multiplied",
                patch: &[
                    (Param::SourcePosition, 1.0),
                    (Param::LayerMode, MULTIPLY),
                    (Param::LayerTable, VOCAL),
                    (Param::LayerBlend, 1.0),
                ],
                turned: Param::LayerPosition,
                ..ROW
            },
        ],
    ),
    (
        "shape",
        &[
            Row {
                title: "Stretch",
                patch: SAW,
                turned: Param::ShapeStretch,
                values: [-0.3, -0.1, 0.0, 0.1, 0.3],
                ..ROW
            },
            Row {
                title: "Stiffness",
                patch: SAW,
                turned: Param::ShapeStiffness,
                values: [0.0, 0.0005, 0.002, 0.008, 0.03],
                ..ROW
            },
            Row {
                title: "Odd/even",
                patch: SAW,
                turned: Param::ShapeParity,
                values: [-1.0, -0.5, 0.0, 0.5, 1.0],
                ..ROW
            },
            Row {
                title: "Tilt",
                patch: SAW,
                turned: Param::ShapeTilt,
                values: [-12.0, -6.0, 0.0, 3.0, 6.0],
                ..ROW
            },
            Row {
                title: "Width: violet left, amber right",
                patch: SAW,
                turned: Param::ShapeWidth,
                ..ROW
            },
        ],
    ),
    (
        "filter",
        &[
            Row {
                title: "Cutoff, low-pass 24",
                patch: LOW_24,
                turned: Param::FilterCutoff,
                values: [150.0, 400.0, 1_000.0, 2_000.0, 4_000.0],
                ..ROW
            },
            Row {
                title: "Resonance, low-pass 24",
                patch: LOW_24,
                turned: Param::FilterResonance,
                ..ROW
            },
            Row {
                title: "Types",
                patch: LOW_24,
                turned: Param::FilterType,
                values: [2.0, 4.0, 6.0, 7.0, 8.0],
                ..ROW
            },
            Row {
                title: "More types",
                patch: STRONG,
                turned: Param::FilterType,
                values: [9.0, 10.0, 11.0, 12.0, 13.0],
                ..ROW
            },
            Row {
                title: "Morph, formant: oo, oh, ah, eh, ee",
                patch: FORMANT,
                turned: Param::FilterForm,
                ..ROW
            },
            Row { title: "Morph, phaser", patch: PHASER, turned: Param::FilterForm, ..ROW },
            Row {
                title: "Cutoff, drawn",
                patch: DRAWN,
                turned: Param::FilterCutoff,
                values: [250.0, 500.0, 1_000.0, 2_000.0, 4_000.0],
                ..ROW
            },
            Row {
                title: "Filter 2 high-pass 24, in parallel with low-pass 24: its cutoff",
                patch: BOTH,
                turned: Param::Filter2Cutoff,
                values: [600.0, 1_000.0, 2_000.0, 3_000.0, 5_000.0],
                ..ROW
            },
        ],
    ),
    (
        "dynamics",
        &[
            Row {
                title: "Contrast, table vocal",
                patch: &[(Param::SourceTable, VOCAL)],
                turned: Param::DynamicsContrast,
                values: [-1.0, -0.5, 0.0, 0.5, 1.0],
                ..ROW
            },
            Row {
                title: "Gate",
                patch: SAW,
                turned: Param::DynamicsGate,
                values: [-96.0, -48.0, -36.0, -24.0, -12.0],
                ..ROW
            },
            Row {
                title: "Partial detune",
                patch: SAW,
                turned: Param::PartialDetune,
                values: [0.0, 12.0, 25.0, 50.0, 100.0],
                ..ROW
            },
            Row {
                title: "Snap to a minor chord",
                patch: &[(Param::SourcePosition, 1.0), (Param::PartialScale, 3.0)],
                turned: Param::PartialSnap,
                ..ROW
            },
            Row {
                title: "Snap to octaves, fifths, the major chord, pentatonic, whole tone",
                patch: &[(Param::SourcePosition, 1.0), (Param::PartialSnap, 1.0)],
                turned: Param::PartialScale,
                values: [0.0, 1.0, 2.0, 9.0, 14.0],
                ..ROW
            },
        ],
    ),
    (
        "decay",
        &[
            Row {
                title: "In time: rate 12 dB/s, slope 0",
                patch: &[
                    (Param::SourcePosition, 1.0),
                    (Param::DecayRate, 12.0),
                    (Param::DecaySlope, 0.0),
                ],
                turned: Param::DecaySlope,
                values: [0.0; 5],
                seconds: TIMES,
                ..ROW
            },
            Row {
                title: "In time: rate 12 dB/s, slope 0.8",
                patch: &[
                    (Param::SourcePosition, 1.0),
                    (Param::DecayRate, 12.0),
                    (Param::DecaySlope, 0.8),
                ],
                turned: Param::DecaySlope,
                values: [0.8; 5],
                seconds: TIMES,
                ..ROW
            },
            Row {
                title: "Detune of five in unison, one key",
                patch: &[(Param::SourcePosition, 1.0), (Param::UnisonVoices, 5.0)],
                turned: Param::UnisonDetune,
                values: [0.0, 10.0, 25.0, 50.0, 100.0],
                key: 57,
                ..ROW
            },
        ],
    ),
];

const RATE: f32 = 48_000.0;
/// From where to where frequencies are drawn.
const HERTZ: [f32; 2] = [60.0, 9_000.0];
/// The lowest level drawn, against the loudest of its picture.
const FLOOR_DB: f32 = -66.0;

const WIDE: f32 = 148.0;
const TALL: f32 = 84.0;
const GAP: f32 = 8.0;
const TITLE: f32 = 22.0;
const CAPTION: f32 = 16.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    for (name, rows) in PICTURES {
        let file = PathBuf::from(&folder).join(format!("spectrum-{name}.svg"));
        std::fs::write(&file, picture(rows)?)?;
        println!("{}", file.display());
    }
    Ok(())
}

fn picture(rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let row_height = TITLE + TALL + CAPTION + GAP;
    let (width, height) = (5.0 * (WIDE + GAP) + GAP, rows.len() as f32 * row_height + GAP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#121022\"/>\n"
    );
    for (index, row) in rows.iter().enumerate() {
        let top = GAP + index as f32 * row_height;
        let (x, y) = (GAP + 4.0, top + 14.0);
        writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"#efebf8\">{}</text>", row.title)?;
        for column in 0..5 {
            let corner = [GAP + column as f32 * (WIDE + GAP), top + TITLE];
            cell(&mut svg, row, column, corner)?;
        }
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// One value of a row: its partials as lines, loud ones tall, high ones right.
fn cell(
    svg: &mut String,
    row: &Row,
    column: usize,
    [left, top]: [f32; 2],
) -> Result<(), Box<dyn Error>> {
    let partials = sounding(row, row.values[column], row.seconds[column])?;
    writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{WIDE}\" height=\"{TALL}\" rx=\"4\" fill=\"#0b0a17\"/>"
    )?;
    // What time takes away must not be made up for: rows of time share the level of their first.
    let first = match row.seconds[0] == row.seconds[4] {
        true => None,
        false => Some(sounding(row, row.values[0], row.seconds[0])?),
    };
    let loudest = first.as_ref().unwrap_or(&partials).iter();
    let top_level = loudest.fold(1e-9, |top: f32, partial| top.max(partial.level));
    // Lines that would lie on each other are one: the loudest.
    let mut columns = vec![None::<PartialView>; 2 * WIDE as usize];
    for partial in &partials {
        let x = (partial.hertz / HERTZ[0]).log2() / (HERTZ[1] / HERTZ[0]).log2();
        let at = (x * (columns.len() - 8) as f32) as usize + 4;
        if let Some(place) = columns.get_mut(at).filter(|_| (0.0..1.0).contains(&x))
            && place.is_none_or(|there| there.level < partial.level)
        {
            *place = Some(*partial);
        }
    }
    for (at, partial) in columns.iter().enumerate() {
        let Some(partial) = partial else { continue };
        let decibels = 20.0 * (partial.level / top_level).max(1e-9).log10();
        let height = (1.0 - decibels / FLOOR_DB).clamp(0.0, 1.0) * (TALL - 10.0);
        if height < 0.5 {
            continue;
        }
        let (x, y) = (left + at as f32 / 2.0, top + TALL - 3.0 - height);
        let colour = colour(partial.pan);
        writeln!(
            svg,
            "<path d=\"M{x:.1} {:.1}V{y:.0}\" stroke=\"{colour}\" stroke-width=\"1.1\"/>",
            top + TALL - 3.0
        )?;
    }
    let caption = match first.is_some() {
        true => format!("{} s", row.seconds[column]),
        false => row.turned.info().format(row.values[column]),
    };
    let (x, y) = (left + WIDE / 2.0, top + TALL + 12.0);
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" fill=\"#9d96bb\" text-anchor=\"middle\">{caption}</text>"
    )?;
    Ok(())
}

/// Violet on the left, rose in the middle, amber on the right.
fn colour(pan: f32) -> String {
    let [violet, rose, amber]: [[f32; 3]; 3] =
        [[134.0, 120.0, 255.0], [255.0, 102.0, 132.0], [255.0, 176.0, 102.0]];
    let side = if pan < 0.0 { violet } else { amber };
    let mix = |i: usize| (rose[i] + (side[i] - rose[i]) * pan.abs().sqrt()).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// The partials of a note of this row after some time.
fn sounding(row: &Row, value: f32, seconds: f32) -> Result<Vec<PartialView>, Box<dyn Error>> {
    let mut patch = Patch::new();
    // Few enough to be told apart.
    let plain =
        [(Param::SourcePartials, 48.0), (Param::Env1Attack, 0.0), (Param::Env1Sustain, 1.0)];
    let settings = plain.iter().chain(row.patch);
    for &(param, value) in settings.chain(&[(row.turned, value)]) {
        patch.values.set(param, value);
    }
    let config = EngineConfig { sample_rate: RATE, ..EngineConfig::default() };
    let mut engine = Engine::new(&config)?;
    engine.set_patch(0, &patch);
    let note = EventKind::NoteOn { key: row.key, velocity: 1.0 };
    let event = Event { frame: 0, part: 0, kind: note };
    let frames = (seconds * RATE) as usize;
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render(&[event], &mut left, &mut right);
    let mut snapshot = Snapshot::new();
    engine.snapshot(0, &mut snapshot);
    let mut partials = Vec::new();
    for cloud in &snapshot.clouds {
        view::partials(cloud, RATE, &mut partials);
    }
    Ok(partials)
}
