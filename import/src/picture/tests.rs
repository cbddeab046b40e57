//! Drawn pictures as sound, sounds as pictures, and damaged files.

use super::*;
use myriad_conformance::in_blocks;
use myriad_engine::factory;
use png::{BitDepth, ColorType};
use std::f64::consts::TAU;
use std::path::PathBuf;

const RATE: usize = 48_000;

/// Writes a PNG file; `more` sets what is special about it.
fn png_bytes(
    size: [usize; 2],
    (colours, depth): (ColorType, BitDepth),
    data: &[u8],
    more: impl Fn(&mut png::Encoder<'_, &mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size[0] as u32, size[1] as u32);
    encoder.set_color(colours);
    encoder.set_depth(depth);
    more(&mut encoder);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A picture of eight bits, by the pixels at x and y.
fn drawn(size: [usize; 2], pixel: impl Fn(usize, usize) -> [u8; 3]) -> Vec<u8> {
    let [width, height] = size;
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let data: Vec<u8> = rows.flat_map(|(x, y)| pixel(x, y)).collect();
    png_bytes(size, (ColorType::Rgb, BitDepth::Eight), &data, |_| {})
}

fn read_bytes(bytes: &[u8], ink: bool) -> Result<Picture, ImportError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read_picture(file.path(), ink, &Progress::default())
}

fn patch_of(bytes: &[u8], options: &PictureOptions) -> Patch {
    let picture = read_bytes(bytes, options.ink).unwrap();
    let imported = import_picture(&picture, options, "test", &Progress::default()).unwrap();
    Patch::parse(&imported.patch.to_toml(), "test.toml").unwrap()
}

/// What a key sounds like while it is held.
fn heard(patch: &Patch, key: u8, seconds: f64) -> [Vec<f32>; 2] {
    let mut engine = Engine::new(&EngineConfig::default()).unwrap();
    engine.set_patch(0, patch);
    let note = EventKind::NoteOn { key, velocity: VELOCITY };
    let frames = (seconds * RATE as f64) as usize;
    in_blocks(
        &[(0, note)],
        frames,
        |_| 256,
        |now, l, r| {
            engine.render(now, l, r);
        },
    )
}

/// Level in decibels near `hertz`, and how many cents it is off: from the phases of two Hann windows.
fn tone(samples: &[f32], hertz: f64) -> (f64, f64) {
    let length = samples.len() / 2;
    let moment = |start: usize| {
        let mut sum = myriad_measure::Complex::new(0.0, 0.0);
        for (n, &sample) in samples[start..start + length].iter().enumerate() {
            let window = 1.0 - (TAU * n as f64 / length as f64).cos();
            let turns = hertz * (start + n) as f64 / RATE as f64;
            let wave = myriad_measure::Complex::from_polar(window, -TAU * turns.fract());
            sum += wave * f64::from(sample);
        }
        2.0 * sum / length as f64
    };
    let apart = length / 16;
    let (first, second) = (moment(0), moment(apart));
    let off = (second * first.conj()).arg() / TAU * RATE as f64 / apart as f64;
    (20.0 * first.norm().max(1e-9).log10(), 1_200.0 * (1.0 + off / hertz).log2())
}

/// The pitch of a row's middle, with the default axes.
fn pitch_of(row: usize, rows: usize) -> f64 {
    Axes::default().hertz((row as f64 + 0.5) / rows as f64)
}

fn grey(value: u8) -> [u8; 3] {
    [value; 3]
}

/// The loudest moment has the level of a sine at the patch's level, wherever it is drawn; and a key an
/// octave higher plays an octave higher.
#[test]
fn a_bright_row_is_a_partial_at_its_pitch() {
    for (rows, row) in [(90, 61), (300, 100), (2_160, 777), (5_000, 3_001)] {
        let bytes = drawn([40, rows], |_, y| grey(if y == row { 255 } else { 0 }));
        let patch = patch_of(&bytes, &PictureOptions::default());
        // Rows of tall pictures are read two by two.
        let merged = rows.div_ceil(4_096);
        let middle = (row / merged * merged) as f64 + 0.5 * merged as f64;
        let hertz = Axes::default().hertz(middle / rows as f64);
        let mut levels = Vec::new();
        for (key, ratio) in [(60, 1.0), (72, 2.0), (55, 0.5_f64.powf(5.0 / 12.0))] {
            let [left, right] = heard(&patch, key, 1.5);
            assert_eq!(left, right, "grey is in the centre");
            let (level, cents) = tone(&left[12_000..], ratio * hertz);
            assert!(cents.abs() < 1.0, "{rows} rows, key {key}: {cents} cents");
            levels.push(level);
        }
        // Velocity 100: 0.6 of the level depends on its square.
        let velocity = 0.4 + 0.6 * f64::from(VELOCITY).powi(2);
        let expected = 20.0 * (0.25 * velocity * 0.5_f64.sqrt()).log10() - 6.0;
        for level in levels {
            assert!((level - expected).abs() < 0.3, "{level} dB, not {expected}");
        }
    }
}

/// Brightness is linear in decibels: a fifth of it is 12 dB. Sixteen bits are finer than eight.
#[test]
fn brightness_is_decibels() {
    let rows = 240;
    let steps = [255_u8, 204, 153, 102, 51];
    let bytes = drawn([8, rows], |_, y| match y % 40 == 20 && y / 40 < steps.len() {
        true => grey(steps[y / 40]),
        false => grey(0),
    });
    let [left, _] = heard(&patch_of(&bytes, &PictureOptions::default()), 60, 1.5);
    let level = |index: usize| tone(&left[12_000..], pitch_of(40 * index + 20, rows)).0;
    for index in 1..steps.len() {
        let below = level(0) - level(index);
        assert!((below - 12.0 * index as f64).abs() < 0.45, "step {index}: {below} dB");
    }
    let sixteen = [65_535_u16, 65_535 - 2_184];
    let data: Vec<u8> = (0..rows)
        .flat_map(|y| {
            if y == 60 {
                sixteen[0]
            } else if y == 180 {
                sixteen[1]
            } else {
                0
            }
            .to_be_bytes()
        })
        .collect();
    let bytes = png_bytes([1, rows], (ColorType::Grayscale, BitDepth::Sixteen), &data, |_| {});
    let [left, _] = heard(&patch_of(&bytes, &PictureOptions::default()), 60, 1.5);
    let level = |row: usize| tone(&left[12_000..], pitch_of(row, rows)).0;
    let below = level(60) - level(180);
    assert!((below - 2.0).abs() < 0.3, "{below} dB, not 2");
}

/// Red is left, blue is right, grey is the centre, and all are equally loud.
#[test]
fn colour_is_stereo_position() {
    let rows = 240;
    let colours = [[255, 0, 0], [255, 127, 127], [255; 3], [127, 127, 255], [0, 0, 255]];
    let bytes = drawn([8, rows], |_, y| match y % 40 == 20 && y / 40 < colours.len() {
        true => colours[y / 40],
        false => grey(0),
    });
    let sides = heard(&patch_of(&bytes, &PictureOptions::default()), 60, 1.5);
    let levels = |index: usize| {
        let hertz = pitch_of(40 * index + 20, rows);
        [0, 1].map(|side| tone(&sides[side][12_000..], hertz).0)
    };
    let power = |[left, right]: [f64; 2]| {
        10.0 * (10.0_f64.powf(left / 10.0) + 10.0_f64.powf(right / 10.0)).log10()
    };
    let centre = power(levels(2));
    for (index, position) in [-1.0, -0.5, 0.0, 0.5, 1.0].into_iter().enumerate() {
        let [left, right] = levels(index);
        let angle = (1.0_f64 + position) * std::f64::consts::FRAC_PI_4;
        let expected = (20.0 * angle.tan().max(1e-9).log10()).clamp(-50.0, 50.0);
        let found = (right - left).clamp(-50.0, 50.0);
        assert!((found - expected).abs() < 0.5, "{position}: {found} dB, not {expected}");
        assert!((power([left, right]) - centre).abs() < 0.5, "{position} is as loud as the centre");
    }
}

/// Columns come one after the other; after the last one it is silent, unless it repeats.
#[test]
fn columns_are_moments() {
    let bytes = drawn([50, 90], |x, y| grey(if y == 30 && x >= 25 { 255 } else { 0 }));
    let axes = GivenAxes { seconds: Some(2.0), ..GivenAxes::default() };
    let options = PictureOptions { axes, ..PictureOptions::default() };
    let rms = |samples: &[f32], from: f64, to: f64| {
        let [from, to] = [from, to].map(|time| (time * RATE as f64) as usize);
        let sum: f32 = samples[from..to].iter().map(|x| x * x).sum();
        (sum / (to - from) as f32).sqrt()
    };
    let [once, _] = heard(&patch_of(&bytes, &options), 60, 3.5);
    assert!(rms(&once, 0.0, 0.9) < 1e-5 && rms(&once, 2.2, 3.5) < 1e-5);
    assert!(rms(&once, 1.1, 1.9) > 0.02);
    let repeated = PictureOptions { repeat: true, ..options };
    let [again, _] = heard(&patch_of(&bytes, &repeated), 60, 4.1);
    assert!(rms(&again, 2.1, 2.9) < 1e-5 && rms(&again, 3.1, 3.9) > 0.02);
    // Half speed takes twice as long.
    let mut slow = patch_of(&bytes, &options);
    slow.values.set(Param::SourceSpeed, 0.5);
    let [slow, _] = heard(&slow, 60, 4.0);
    assert!(rms(&slow, 0.0, 1.9) < 1e-5 && rms(&slow, 2.2, 3.8) > 0.02);
}

/// The same picture in every format of PNG files sounds the same.
#[test]
fn every_kind_of_png_is_read() {
    let light = |index: usize| [0_u8, 85, 170, 255][index % 4];
    let cells = 12 * 10;
    let expected = read_bytes(&drawn([12, 10], |x, y| grey(light(y * 12 + x))), false).unwrap();
    let same = |bytes: &[u8], what: &str| {
        let read = read_bytes(bytes, false).unwrap();
        for (found, expected) in read.grid.powers.iter().zip(&expected.grid.powers) {
            let off = (found[0] - expected[0]).abs() + (found[1] - expected[1]).abs();
            assert!(off < 1e-3 * (expected[0] + 1e-6), "{what}: {found:?}, not {expected:?}");
        }
    };
    let values: Vec<u8> = (0..cells).map(light).collect();
    let size = [12, 10];
    same(&png_bytes(size, (ColorType::Grayscale, BitDepth::Eight), &values, |_| {}), "grey");
    let wide: Vec<u8> = values.iter().flat_map(|&x| [x, x]).collect();
    same(&png_bytes(size, (ColorType::Grayscale, BitDepth::Sixteen), &wide, |_| {}), "16 bits");
    let two: Vec<u8> = (0..cells / 4).map(|_| 0b00_01_10_11).collect();
    same(&png_bytes(size, (ColorType::Grayscale, BitDepth::Two), &two, |_| {}), "two bits");
    let palette = |encoder: &mut png::Encoder<'_, &mut Vec<u8>>| {
        encoder.set_palette(vec![0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255]);
    };
    same(&png_bytes(size, (ColorType::Indexed, BitDepth::Two), &two, palette), "palette");
    // What is seen through is black.
    let alpha: Vec<u8> = values.iter().flat_map(|&x| [255, x]).collect();
    same(&png_bytes(size, (ColorType::GrayscaleAlpha, BitDepth::Eight), &alpha, |_| {}), "alpha");
    let rgba: Vec<u8> = values.iter().flat_map(|&x| [x, x, x, 255]).collect();
    same(&png_bytes(size, (ColorType::Rgba, BitDepth::Eight), &rgba, |_| {}), "RGBA");
    let clear = png_bytes(
        size,
        (ColorType::Rgba, BitDepth::Eight),
        &[255, 255, 255, 0].repeat(cells),
        |_| {},
    );
    let clear = read_bytes(&clear, false).unwrap();
    let black = import_picture(&clear, &PictureOptions::default(), "", &Progress::default());
    assert_eq!(
        black.unwrap_err().to_string(),
        "the picture is black all over: nothing would sound"
    );
    let [plain, interlaced] = ["plain.png", "interlaced.png"]
        .map(|name| read_picture(&fixture(name), false, &Progress::default()).unwrap());
    assert_eq!(plain.grid.powers, interlaced.grid.powers);
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/")).join(name)
}

/// The bands of the drawing are where they were, whatever JPEG does to their edges: white in both halves,
/// red in the first half on the left, blue in the second half on the right.
#[test]
fn jpeg_pictures_are_read() {
    for name in ["drawing.jpg", "progressive.jpg", "grey.jpg"] {
        assert!(is_picture(&fixture(name)).unwrap());
        let picture = read_picture(&fixture(name), false, &Progress::default()).unwrap();
        assert_eq!(picture.size, [64, 96]);
        let cell = |x: usize, y: usize| picture.grid.row(y)[x];
        let [left, right] = cell(10, 20);
        assert!((left + right - 1.0).abs() < 0.2 && (left - right).abs() < 0.1, "{name}: white");
        let quiet = cell(10, 85);
        assert!(quiet[0] + quiet[1] < 1e-4, "{name}: black is {quiet:?}");
        if name != "grey.jpg" {
            assert!(cell(10, 44)[0] > 20.0 * cell(10, 44)[1], "{name}: red is left");
            assert!(cell(50, 68)[1] > 20.0 * cell(50, 68)[0], "{name}: blue is right");
        }
        let made = import_picture(&picture, &PictureOptions::default(), name, &Progress::default());
        assert!(made.unwrap().patch.tracks[0].is_some());
    }
}

/// Any size fits: one pixel, one row, more rows than partials, more columns than moments.
#[test]
fn any_size_fits() {
    for (size, partials) in
        [([1, 1], 1), ([1, 700], 700), ([3_000, 1], 1), ([700, 1_024], 1_024), ([30, 3_000], 1_000)]
    {
        let bytes = drawn(size, |x, y| grey(((x * 7 + y * 13) % 200) as u8 + 55));
        let patch = patch_of(&bytes, &PictureOptions::default());
        assert_eq!(patch.values[Param::SourcePartials], partials as f32, "{size:?}");
        let [left, _] = heard(&patch, 60, 0.3);
        let loudest = left.iter().fold(0.0_f32, |top, x| top.max(x.abs()));
        assert!((0.01..0.9).contains(&loudest), "{size:?}: {loudest}");
    }
    // Fewer partials leave room for more moments.
    let bytes = drawn([600, 1_000], |x, y| grey(((x * 7 + y * 13) % 200) as u8 + 55));
    let picture = read_bytes(&bytes, false).unwrap();
    let found = |partials| {
        let options = PictureOptions { partials, ..PictureOptions::default() };
        let imported = import_picture(&picture, &options, "", &Progress::default());
        imported.map(|imported| imported.findings[3].1.clone())
    };
    assert!(found(None).unwrap().starts_with("1000 in 159 columns"), "{:?}", found(None));
    assert!(found(Some(250)).unwrap().starts_with("250 in 511 columns"));
    assert!(matches!(found(Some(0)), Err(ImportError::Misuse(_))));
    assert!(matches!(found(Some(1_025)), Err(ImportError::Misuse(_))));
}

/// A picture that would need gigabytes is refused by its size alone.
#[test]
fn too_large_pictures_are_refused() {
    let mut bytes = drawn([1, 1], |_, _| grey(255));
    // Width and height in the header, and its checksum.
    bytes[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
    let error = read_bytes(&bytes, false).unwrap_err().to_string();
    assert!(error.contains("damaged"), "a header with a wrong checksum: {error}");
    let mut crc = u32::MAX;
    for &byte in &bytes[12..29] {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
    }
    bytes[29..33].copy_from_slice(&(!crc).to_be_bytes());
    let error = read_bytes(&bytes, false).unwrap_err().to_string();
    assert_eq!(error, "16384 × 16384 pixels; at most 64 million are read, so make it smaller");
}

/// Files with bytes changed, cut off or doubled: each is a picture or an error of one line, and none ends
/// the thread.
#[test]
fn damaged_pictures_are_errors() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let names = ["drawing.jpg", "progressive.jpg", "grey.jpg", "plain.png", "interlaced.png"];
    let originals = names.map(|name| std::fs::read(fixture(name)).unwrap());
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let (mut read_count, mut refused) = (0, 0);
    for round in 0..600 {
        for original in &originals {
            let mut bytes = original.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                match random(if round % 2 == 0 { 4 } else { 3 }) {
                    0 => bytes[at] = 0xFF,
                    1 => bytes[at] ^= 1 << random(8),
                    2 => bytes[at] = random(256) as u8,
                    _ => bytes.truncate(at + 1),
                }
            }
            std::fs::write(file.path(), &bytes).unwrap();
            let attempt = std::panic::catch_unwind(|| {
                let picture = read_picture(file.path(), false, &Progress::default())?;
                let options = PictureOptions::default();
                import_picture(&picture, &options, "", &Progress::default())
            });
            match attempt.expect("an error, not a panic") {
                Ok(_) => read_count += 1,
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().contains('\n'), "{error}");
                }
            }
        }
    }
    println!("{read_count} read, {refused} refused");
    assert!(read_count > 300 && refused > 300, "{read_count} read, {refused} refused");
    // Every prefix of a file is one that was cut short.
    for (name, original) in names.iter().zip(&originals) {
        for length in 4..original.len() - 2 {
            let error = read_bytes(&original[..length], false).unwrap_err().to_string();
            assert!(error.contains("cut short"), "{name}, {length} bytes: {error}");
        }
    }
}

#[test]
fn an_import_of_a_picture_can_be_cancelled() {
    let progress = Progress::default();
    progress.cancel();
    let read = read_picture(&fixture("plain.png"), false, &progress);
    assert!(matches!(read, Err(ImportError::Cancelled)));
    let picture = read_picture(&fixture("plain.png"), false, &Progress::default()).unwrap();
    let made = import_picture(&picture, &PictureOptions::default(), "", &progress);
    assert!(matches!(made, Err(ImportError::Cancelled)));
    let drawn = draw(&Patch::new(), &DrawOptions::default(), &progress);
    assert!(matches!(drawn, Err(ImportError::Cancelled)));
}

/// Powers in thirds of an octave from 50 Hz on, of the mix.
fn thirds([left, right]: &[Vec<f32>; 2], from: f64, to: f64) -> Vec<f64> {
    let [first, end] = [from, to].map(|time| (time * RATE as f64) as usize);
    let mut bands = [0.0; 24];
    for side in [left, right] {
        let frames = end - first;
        let window = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / frames as f64).cos();
        let samples = side[first..end].iter().enumerate();
        let mut input: Vec<f64> = samples.map(|(n, &x)| f64::from(x) * window(n)).collect();
        for (bin, value) in myriad_measure::forward(&mut input).iter().enumerate().skip(1) {
            let hertz = bin as f64 * RATE as f64 / frames as f64;
            let band = (3.0 * (hertz / 50.0).log2()).floor();
            if (0.0..bands.len() as f64).contains(&band) {
                bands[band as usize] += value.norm_sqr();
            }
        }
    }
    bands.iter().map(|power| 10.0 * (power + 1e-12).log10()).collect()
}

/// What a patch plays, saved as a picture and loaded again, has its spectrum and its level through time,
/// and its stereo positions.
#[test]
fn a_saved_picture_sounds_like_its_patch() {
    let mut plucked = Patch::new();
    for (param, value) in [
        (Param::SourcePartials, 60.0),
        (Param::DecayRate, 8.0),
        (Param::DecaySlope, 0.6),
        (Param::FilterCutoff, 3_000.0),
        (Param::AmpPan, -0.4),
    ] {
        plucked.values.set(param, value);
    }
    let mut spread = Patch::new();
    for (param, value) in [
        (Param::SourceTable, 5.0),
        (Param::ShapeWidth, 1.0),
        (Param::Env1Attack, 0.4),
        (Param::SourceSpeed, 0.3),
    ] {
        spread.values.set(param, value);
    }
    let mut tonewheel = factory::find("Tonewheel").unwrap();
    // Effects are not drawn.
    for param in Param::ALL.iter().filter(|param| param.info().id.ends_with(".on")) {
        tonewheel.values.set(*param, 0.0);
    }
    for (name, patch, key) in
        [("plucked", plucked, 48), ("spread", spread, 60), ("organ", tonewheel, 57)]
    {
        let axes = Axes { seconds: 2.0, key, ..Axes::default() };
        let options = DrawOptions { axes, ..DrawOptions::default() };
        let drawing = draw(&patch, &options, &Progress::default()).unwrap();
        let loaded = patch_of(&drawing.to_png().unwrap(), &PictureOptions::default());
        let (original, copy) = (heard(&patch, key, 2.0), heard(&loaded, key, 2.0));
        for (from, to) in [(0.1, 0.7), (0.7, 1.3), (1.3, 1.9)] {
            let (wanted, found) = (thirds(&original, from, to), thirds(&copy, from, to));
            let loudest = wanted.iter().copied().fold(f64::MIN, f64::max);
            let mut worst: f64 = 0.0;
            for (wanted, found) in wanted.iter().zip(&found) {
                if *wanted > loudest - 35.0 {
                    worst = worst.max((wanted - found).abs());
                }
            }
            let total = |bands: &[f64]| {
                10.0 * bands.iter().map(|db| 10.0_f64.powf(db / 10.0)).sum::<f64>().log10()
            };
            let level = total(&found) - total(&wanted);
            println!("{name}, {from} s: {worst:.2} dB in a band, {level:+.2} dB in all");
            assert!(worst < 1.0, "{name} at {from} s: a band is off by {worst} dB");
            assert!(level.abs() < 0.5, "{name} at {from} s: off by {level} dB");
        }
        let side = |sides: &[Vec<f32>; 2]| {
            let [left, right] =
                [0, 1].map(|side| sides[side].iter().map(|x| f64::from(x * x)).sum::<f64>());
            10.0 * (right / left).log10()
        };
        let off = side(&copy) - side(&original);
        assert!(off.abs() < 0.7, "{name}: {off} dB from left to right");
    }
}

/// Sizes and axes that are not possible, and silence, have a line each.
#[test]
fn what_cannot_be_drawn_is_said() {
    let said = |patch: &Patch, options: DrawOptions| {
        draw(patch, &options, &Progress::default()).unwrap_err().to_string()
    };
    let patch = Patch::new();
    let default = DrawOptions::default();
    let small = DrawOptions { size: [1, 100], ..default };
    assert_eq!(said(&patch, small), "a side has 2 to 8192 pixels, not 1 × 100");
    let axes = Axes { seconds: 0.0, ..Axes::default() };
    assert!(said(&patch, DrawOptions { axes, ..default }).contains("seconds"));
    let mut silent = Patch::new();
    silent.values.set(Param::SourcePartials, 1.0);
    // The only partial is below the picture.
    let axes = Axes { low: 2_000.0, high: 8_000.0, seconds: 0.1, ..Axes::default() };
    assert_eq!(said(&silent, DrawOptions { axes, ..default }), "nothing but silence");
}

/// A released key is heard to fade.
#[test]
fn a_key_is_released_in_the_picture() {
    let mut patch = Patch::new();
    patch.values.set(Param::Env1Release, 0.05);
    let axes = Axes { seconds: 1.0, ..Axes::default() };
    let options = DrawOptions { axes, hold: Some(0.5), size: [101, 400], ..DrawOptions::default() };
    let drawing = draw(&patch, &options, &Progress::default()).unwrap();
    let light = |column: usize| {
        let column = drawing.pixels.iter().skip(column).step_by(101);
        column.map(|pixel| pixel.iter().map(|&x| u32::from(x)).sum::<u32>()).sum::<u32>()
    };
    assert!(light(48) > 1_000 && light(90) == 0, "{} then {}", light(48), light(90));
}
