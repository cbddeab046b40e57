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

/// The rows of the pictures, each a control that is turned from left to right: the picture's name, the
/// title, the patch, the control with its five values, and what else there is: the key, or the five
/// times in seconds at which the note is looked at.
const ROWS: &str = "
source|Position, table saw||source.position 0 .25 .5 .75 1
source|Position, table vocal|source.table=4|source.position 0 .25 .5 .75 1
source|Position, table bar|source.table=7|source.position 0 .25 .5 .75 1
source|Formant hold, an octave and a half up|source.table=4|source.formant 0 .25 .5 .75 1|key 63
layers|Blend, a saw mixed with a bar a fifth above|source.position=.8 layer.mode=1 layer.table=7 layer.tune=7|layer.blend 0 .25 .5 .75 1
layers|Blend, a saw that morphs into a bar|source.position=.8 layer.mode=2 layer.table=7|layer.blend 0 .25 .5 .75 1
layers|Blend, a saw multiplied with a vowel|source.position=1 layer.mode=3 layer.table=4|layer.blend 0 .25 .5 .75 1
layers|Position of the second layer, multiplied|source.position=1 layer.mode=3 layer.table=4 layer.blend=1|layer.position 0 .25 .5 .75 1
shape|Stretch|source.position=1|shape.stretch -.3 -.1 0 .1 .3
shape|Stiffness|source.position=1|shape.stiffness 0 .0005 .002 .008 .03
shape|Odd/even|source.position=1|shape.parity -1 -.5 0 .5 1
shape|Tilt|source.position=1|shape.tilt -12 -6 0 3 6
shape|Width: violet left, amber right|source.position=1|shape.width 0 .25 .5 .75 1
filter|Cutoff, low-pass 24|source.position=1 filter.type=2|filter.cutoff 150 400 1000 2000 4000
filter|Resonance, low-pass 24|source.position=1 filter.type=2 filter.cutoff=1000|filter.resonance 0 .25 .5 .75 1
filter|Types|source.position=1 filter.cutoff=1000|filter.type 2 4 6 7 8
filter|More types|source.position=1 filter.cutoff=600 filter.resonance=.7|filter.type 9 10 11 12 13
filter|Morph, formant: oo, oh, ah, eh, ee|source.position=1 filter.type=14 filter.cutoff=1000 filter.resonance=.3|filter.form 0 .25 .5 .75 1
filter|Morph, phaser|source.position=1 filter.type=13 filter.cutoff=1000 filter.resonance=.4|filter.form 0 .25 .5 .75 1
filter|Cutoff, drawn|source.position=1 filter.type=15 curve.2=-30 curve.4=-20 curve.5=9 curve.6=-40 curve.7=-48|filter.cutoff 250 500 1000 2000 4000
filter|Filter 2 high-pass 24, in parallel with low-pass 24: its cutoff|source.position=1 filter.type=2 filter.cutoff=300 filter2.type=4 filter2.resonance=.5 filter2.routing=1|filter2.cutoff 600 1000 2000 3000 5000
dynamics|Contrast, table vocal|source.table=4|dynamics.contrast -1 -.5 0 .5 1
dynamics|Gate|source.position=1|dynamics.gate -96 -48 -36 -24 -12
dynamics|Partial detune|source.position=1|partial.detune 0 12 25 50 100
dynamics|Snap to a minor chord|source.position=1 partial.scale=3|partial.snap 0 .25 .5 .75 1
dynamics|Snap to octaves, fifths, the major chord, pentatonic, whole tone|source.position=1 partial.snap=1|partial.scale 0 1 2 9 14
decay|In time: rate 12 dB/s, slope 0|source.position=1 decay.rate=12|decay.slope 0 0 0 0 0|at .05 .3 .7 1.5 3
decay|In time: rate 12 dB/s, slope 0.8|source.position=1 decay.rate=12|decay.slope .8 .8 .8 .8 .8|at .05 .3 .7 1.5 3
decay|Detune of five in unison, one key|source.position=1 unison.voices=5|unison.detune 0 10 25 50 100|key 57
";

/// A control that is turned.
struct Row {
    picture: &'static str,
    title: &'static str,
    patch: Vec<(Param, f32)>,
    turned: Param,
    values: Vec<f32>,
    key: u8,
    /// Seconds after which the note is looked at; several when time is what is shown.
    seconds: Vec<f32>,
}

impl Row {
    fn parse(line: &'static str) -> Option<Row> {
        let mut fields = line.split('|');
        let (picture, title, patch) = (fields.next()?, fields.next()?, fields.next()?);
        let numbers = |text: &str| -> Option<Vec<f32>> {
            text.split(' ').map(|number| number.parse().ok()).collect()
        };
        let (turned, values) = fields.next()?.split_once(' ')?;
        let mut row = Row {
            picture,
            title,
            patch: Vec::new(),
            turned: Param::by_id(turned)?,
            values: numbers(values)?,
            key: 45,
            seconds: vec![0.1; 5],
        };
        for setting in patch.split_whitespace() {
            let (param, value) = setting.split_once('=')?;
            row.patch.push((Param::by_id(param)?, value.parse().ok()?));
        }
        match fields.next().and_then(|extra| extra.split_once(' ')) {
            Some(("key", key)) => row.key = key.parse().ok()?,
            Some(("at", seconds)) => row.seconds = numbers(seconds)?,
            _ => {}
        }
        Some(row)
    }
}

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
    let rows = ROWS.lines().filter(|line| !line.is_empty());
    let rows: Option<Vec<Row>> = rows.map(Row::parse).collect();
    let rows = rows.ok_or("a row cannot be read")?;
    for rows in rows.chunk_by(|a, b| a.picture == b.picture) {
        let name = rows[0].picture;
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
    let settings = plain.iter().chain(&row.patch);
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
