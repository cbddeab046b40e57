//! Draws pictures of the editor, with a real engine playing in it and no GPU:
//!
//!     cargo run -p myriad-editor --example screenshots -- FOLDER [NAME]

mod raster;
mod tutorial;

use egui::{Context, Event, PointerButton, Pos2, RawInput, Rect, Vec2, ViewportId, pos2};
use myriad_editor::{Editor, EditorHost, Library, LocalHost};
use myriad_engine::Patch;
use myriad_engine::patch::factory;
use myriad_library::PresetKind;
use raster::Raster;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What is to be seen.
struct Scene {
    name: &'static str,
    patch: &'static str,
    /// A page, or the browser.
    page: &'static str,
    /// The cloud, or another view in its place.
    view: &'static str,
    light: bool,
    keys: &'static [u8],
    /// Seconds of sound before the picture.
    seconds: f32,
    size: [f32; 2],
    scale: f32,
    /// What is clicked on before, one after the other.
    clicks: &'static [[f32; 2]],
    /// Where the mouse is: its way, pressed if it has more than one point.
    mouse: &'static [[f32; 2]],
}

const SCENE: Scene = Scene {
    name: "",
    patch: "Aurora",
    page: "Source",
    view: "Cloud",
    light: false,
    keys: &[],
    seconds: 1.6,
    size: Editor::SIZE,
    scale: 1.0,
    clicks: &[],
    mouse: &[],
};

/// Four snapshots of patches in a row, with two locked sections.
const EXPLORED: &[[f32; 2]] = &[
    [797.0, 543.0],
    [795.0, 26.0],
    [1120.0, 543.0],
    [795.0, 26.0],
    [797.0, 639.0],
    [795.0, 26.0],
    [1120.0, 639.0],
    [70.0, 550.0],
    [280.0, 600.0],
];

/// The sixth frame of a table, and a stroke across its bars.
const DRAWN: &[[f32; 2]] = &[[310.0, 651.0]];
const DRAWN_STROKE: &[[f32; 2]] =
    &[[40.0, 510.0], [120.0, 560.0], [240.0, 520.0], [420.0, 590.0], [600.0, 600.0]];

/// A drawn LFO on the whole page.
const ENLARGED_LFO: &[[f32; 2]] = &[[646.0, 496.0], [1165.0, 496.0]];

const SCENES: &[Scene] = &[
    Scene { name: "source", keys: &[45, 57, 64, 72], ..SCENE },
    Scene { name: "source-200", keys: &[45, 57, 64, 72], scale: 2.0, ..SCENE },
    Scene { name: "rest", patch: "Silk Strings", ..SCENE },
    Scene {
        name: "harmonics",
        page: "Harmonics",
        keys: &[45, 57],
        clicks: DRAWN,
        mouse: DRAWN_STROKE,
        ..SCENE
    },
    Scene {
        name: "harmonics-200",
        page: "Harmonics",
        keys: &[45],
        clicks: DRAWN,
        mouse: DRAWN_STROKE,
        scale: 2.0,
        ..SCENE
    },
    Scene {
        name: "harmonics-tuning",
        patch: "Cathedral Bell",
        page: "Harmonics",
        clicks: &[[233.0, 466.0]],
        mouse: &[[40.0, 600.0], [200.0, 520.0], [500.0, 560.0], [700.0, 500.0]],
        ..SCENE
    },
    Scene { name: "harmonics-small", page: "Harmonics", size: Editor::MIN_SIZE, ..SCENE },
    Scene {
        name: "layers",
        patch: "Quint Chapel",
        page: "Layers",
        keys: &[45, 57, 64, 72],
        ..SCENE
    },
    Scene {
        name: "layers-200",
        patch: "Two Rivers",
        page: "Layers",
        keys: &[45, 57, 64, 72],
        scale: 2.0,
        ..SCENE
    },
    Scene { name: "layers-off", page: "Layers", ..SCENE },
    Scene {
        name: "layers-multiplied",
        patch: "Speaking Saw",
        page: "Layers",
        keys: &[57],
        ..SCENE
    },
    Scene {
        name: "layers-refused",
        patch: "Sixteen Windows",
        page: "Layers",
        keys: &[45],
        // Copies have no tune of their own in a layer.
        mouse: &[[1034.0, 383.0], [1000.0, 440.0], [830.0, 505.0]],
        ..SCENE
    },
    Scene {
        name: "shape",
        patch: "Night Bass",
        page: "Shape",
        keys: &[36],
        seconds: 0.25,
        ..SCENE
    },
    Scene { name: "filter", patch: "Endless Stair", page: "Filter", keys: &[45, 52], ..SCENE },
    Scene { name: "movement", page: "Modulation", keys: &[48, 55, 63], ..SCENE },
    Scene {
        name: "movement-loop",
        patch: "Looping Lake",
        page: "Modulation",
        keys: &[48, 55],
        // The second envelope.
        clicks: &[[98.0, 466.0]],
        ..SCENE
    },
    Scene {
        name: "envelope-points",
        page: "Modulation",
        keys: &[48, 55],
        clicks: &[[558.0, 496.0]],
        ..SCENE
    },
    Scene {
        name: "envelope-small",
        page: "Modulation",
        size: Editor::MIN_SIZE,
        clicks: &[[448.0, 356.0]],
        ..SCENE
    },
    Scene { name: "lfo-points", page: "Modulation", clicks: &[[646.0, 496.0]], ..SCENE },
    Scene {
        name: "lfo-steps",
        patch: "Pentatonic Brook",
        page: "Modulation",
        keys: &[60],
        // The second LFO.
        clicks: &[[694.0, 466.0]],
        ..SCENE
    },
    Scene {
        name: "lfo-small",
        page: "Modulation",
        size: Editor::MIN_SIZE,
        clicks: &[[536.0, 356.0]],
        ..SCENE
    },
    Scene {
        name: "lfo-large",
        page: "Modulation",
        keys: &[48, 55, 63],
        clicks: ENLARGED_LFO,
        ..SCENE
    },
    Scene {
        name: "lfo-large-200",
        page: "Modulation",
        keys: &[48, 55, 63],
        clicks: ENLARGED_LFO,
        // On a point.
        mouse: &[[440.0, 520.0]],
        scale: 2.0,
        ..SCENE
    },
    Scene {
        name: "lfo-large-small",
        page: "Modulation",
        size: Editor::MIN_SIZE,
        clicks: &[[536.0, 356.0], [945.0, 356.0]],
        ..SCENE
    },
    Scene { name: "effects", patch: "Melodica Street", page: "Effects", keys: &[60, 64], ..SCENE },
    Scene { name: "arp", patch: "Night Drive Arp", page: "Arp", keys: &[48, 55, 60], ..SCENE },
    Scene { name: "kit", patch: "Acoustic Kit", page: "Kit", keys: &[38], seconds: 0.1, ..SCENE },
    Scene { name: "play", patch: "Chord Engine", page: "Play", keys: &[48], ..SCENE },
    Scene {
        name: "output",
        patch: "Cathedral Bell",
        page: "Output",
        keys: &[60],
        seconds: 0.4,
        ..SCENE
    },
    Scene { name: "matrix", page: "Matrix", keys: &[60], ..SCENE },
    Scene {
        name: "explore",
        page: "Explore",
        keys: &[45, 57, 64, 72],
        clicks: EXPLORED,
        mouse: &[[958.0, 569.0], [940.0, 555.0], [925.0, 545.0]],
        seconds: 2.0,
        ..SCENE
    },
    Scene { name: "explore-small", page: "Explore", size: Editor::MIN_SIZE, ..SCENE },
    Scene {
        name: "explore-200",
        page: "Explore",
        keys: &[45, 57, 64],
        clicks: EXPLORED,
        scale: 2.0,
        ..SCENE
    },
    Scene {
        name: "explore-history",
        page: "Explore",
        // The next patch, random changes, undo, the list.
        clicks: &[[795.0, 26.0], [386.0, 646.0], [795.0, 26.0], [160.0, 26.0], [216.0, 26.0]],
        ..SCENE
    },
    Scene {
        name: "browser",
        patch: "Velvet Tines",
        page: "browser",
        keys: &[60, 64, 67],
        seconds: 0.3,
        ..SCENE
    },
    Scene {
        name: "browser-folders",
        page: "browser",
        // The folder, then the menu of packs.
        clicks: &[[80.0, 478.0], [836.0, 446.0]],
        ..SCENE
    },
    Scene {
        name: "browser-folders-small",
        page: "browser",
        clicks: &[[80.0, 338.0]],
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene { name: "browser-folders-200", page: "browser", scale: 2.0, ..SCENE },
    Scene { name: "scope", view: "Scope", keys: &[45, 57], ..SCENE },
    Scene { name: "scope-small", view: "Scope", keys: &[45], size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "scope-200", view: "Scope", keys: &[45, 57], scale: 2.0, ..SCENE },
    Scene { name: "spectrogram", view: "Spectrogram", keys: &[45, 57], seconds: 9.0, ..SCENE },
    Scene {
        name: "spectrogram-small",
        view: "Spectrogram",
        patch: "Cathedral Bell",
        keys: &[60],
        seconds: 3.0,
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "spectrogram-200",
        view: "Spectrogram",
        keys: &[45, 57],
        seconds: 9.0,
        scale: 2.0,
        ..SCENE
    },
    Scene { name: "light", light: true, keys: &[45, 57, 64, 72], ..SCENE },
    Scene { name: "light-200", light: true, keys: &[45, 57, 64, 72], scale: 2.0, ..SCENE },
    Scene { name: "light-small", light: true, page: "Modulation", size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "light-effects", light: true, page: "Effects", keys: &[60], ..SCENE },
    Scene { name: "light-browser", light: true, page: "browser", ..SCENE },
    Scene { name: "light-scope", light: true, view: "Scope", keys: &[45, 57], ..SCENE },
    Scene { name: "light-spectrogram", light: true, view: "Spectrogram", keys: &[45], ..SCENE },
    Scene { name: "presets-rack", page: "Effects", clicks: &[[1172.0, 474.0]], ..SCENE },
    Scene {
        name: "presets-rack-small",
        page: "Effects",
        size: Editor::MIN_SIZE,
        clicks: &[[952.0, 334.0]],
        ..SCENE
    },
    Scene {
        name: "presets-lfo-200",
        page: "Modulation",
        scale: 2.0,
        clicks: &[[1046.0, 466.0]],
        ..SCENE
    },
    Scene { name: "presets-small-lfo", page: "Modulation", size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "presets-small-layers", page: "Layers", size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "presets-small-matrix", page: "Matrix", size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "import", page: "import", seconds: 4.0, ..SCENE },
    Scene { name: "import-small", page: "import", seconds: 4.0, size: Editor::MIN_SIZE, ..SCENE },
    Scene { name: "import-200", page: "import", seconds: 4.0, scale: 2.0, ..SCENE },
    Scene {
        name: "drag",
        page: "Source",
        keys: &[50, 57],
        mouse: &[[291.0, 383.0], [340.0, 450.0], [460.0, 592.0]],
        ..SCENE
    },
    Scene {
        name: "tooltip",
        patch: "Night Bass",
        page: "Shape",
        keys: &[36],
        mouse: &[[941.0, 612.0]],
        ..SCENE
    },
    Scene { name: "small", keys: &[45, 57, 64, 72], size: Editor::MIN_SIZE, ..SCENE },
    Scene {
        name: "small-layers",
        patch: "Blank Layers",
        page: "Layers",
        keys: &[45, 57, 64, 72],
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "small-layers-mixed",
        patch: "Quint Chapel",
        page: "Layers",
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "small-shape",
        patch: "Falling Lights",
        page: "Shape",
        keys: &[60],
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "small-filter",
        patch: "Yowl Bass",
        page: "Filter",
        keys: &[40],
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene { name: "small-movement", page: "Modulation", size: Editor::MIN_SIZE, ..SCENE },
    Scene {
        name: "small-effects",
        patch: "Dyno Eighty",
        page: "Effects",
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "small-play",
        patch: "Night Drive Arp",
        page: "Play",
        size: Editor::MIN_SIZE,
        ..SCENE
    },
    Scene {
        name: "effects-200",
        patch: "Dyno Eighty",
        page: "Effects",
        keys: &[48, 55, 64, 71],
        seconds: 0.3,
        scale: 2.0,
        ..SCENE
    },
    Scene {
        name: "play-200",
        patch: "Hocket Lanterns",
        page: "Play",
        keys: &[48, 55, 63],
        scale: 2.0,
        ..SCENE
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "screenshots".into()));
    let only = arguments.next();
    std::fs::create_dir_all(&folder)?;
    // A name, or the beginning of several.
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.starts_with(only));
    let picture = |name: &str, scene: &Scene, patch: Patch| -> Result<(), Box<dyn Error>> {
        let file = folder.join(format!("{name}.png"));
        save(&file, &draw(scene, patch)?)?;
        println!("{}", file.display());
        Ok(())
    };
    for scene in SCENES.iter().filter(|scene| wanted(scene.name)) {
        let patch = factory::find(scene.patch).ok_or("no such patch")?;
        picture(scene.name, scene, patch.clone())?;
    }
    for sound in tutorial::SOUNDS {
        for (index, step) in sound.steps.iter().enumerate() {
            let name = format!("tutorial-{}-{}", sound.name, index + 1);
            let (page, keys, seconds) = (step.page, sound.keys, sound.seconds);
            let clicks = step.click.as_slice();
            let scene = Scene { page, keys, seconds, clicks, scale: TUTORIAL_SCALE, ..SCENE };
            if wanted(&name) {
                picture(&name, &scene, sound.patch(index + 1)?)?;
            }
        }
    }
    Ok(())
}

/// The tutorial has many pictures, so they are small.
const TUTORIAL_SCALE: f32 = 0.75;

/// Frames a second that the editor sees.
const RATE: f32 = 30.0;

fn draw(scene: &Scene, patch: Patch) -> Result<Raster, Box<dyn Error>> {
    let mut host = LocalHost::new(patch)?;
    let folder = tempfile::tempdir()?;
    let mut editor = Editor::new(library(scene, &folder.path().join("patches"))?);
    editor.show_view(scene.view);
    match scene.page {
        "browser" => editor.show_browser(true),
        page => editor.show_page(page),
    }
    let ctx = Context::default();
    let size = Vec2::from(scene.size);
    let pixels = (size * scene.scale).round();
    let mut raster = Raster::new([pixels.x as usize, pixels.y as usize]);
    let frames = (scene.seconds * RATE) as usize + 3;
    for &key in scene.keys {
        host.note_on(key, 0.9);
    }
    for frame in 0..frames {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(f64::from(frame as f32 / RATE)),
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(scene.scale);
        }
        if scene.page == "import" {
            if frame == 1 {
                input.dropped_files.push(Arc::new(Recording));
            }
            // The import takes its time on a thread of its own.
            std::thread::sleep(Duration::from_millis(30));
        }
        // Long enough before the end for a tooltip.
        let steps = scene.mouse.len() + 22;
        input.events = mouse(scene, (frame + steps).checked_sub(frames));
        // Each click takes three frames: there, down, up.
        let click = frame.checked_sub(3).and_then(|frame| scene.clicks.get(frame / 3));
        if let Some(&[x, y]) = click {
            input.events = vec![Event::PointerMoved(pos2(x, y))];
            if !frame.is_multiple_of(3) {
                input.events.push(button(pos2(x, y), frame % 3 == 1));
            }
        }
        host.advance(1.0 / RATE);
        let output = ctx.run_ui(input, |ui| editor.ui(ui, &mut host));
        raster.update(output.textures_delta);
        if frame + 1 == frames {
            let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
            raster.draw(&primitives, output.pixels_per_point);
        }
    }
    Ok(raster)
}

/// The factory patches; where folders or presets are shown, some of a user's too.
fn library(scene: &Scene, folder: &Path) -> Result<Library, Box<dyn Error>> {
    if !scene.name.contains("folders") && !scene.name.contains("presets") && !scene.light {
        return Ok(Library::open(None));
    }
    let mut library = Library::open(Some(folder.to_owned()));
    library.set_light_theme(scene.light)?;
    for (name, folder) in [("Aurora", "Slow pads"), ("Tide", "Slow pads"), ("Night Bass", "Low")] {
        let mut patch = factory::find(name).ok_or("no such patch")?;
        for kind in [PresetKind::Rack, PresetKind::Lfo] {
            library.save_preset(kind, &format!("{name} {}", kind.name()), &patch, 0)?;
        }
        patch.name = format!("My {name}");
        library.save_new(&patch)?;
        let entry = library.own(&patch.name).ok_or("it was saved")?.clone();
        library.move_to(&entry, folder)?;
    }
    Ok(library)
}

/// The recording of the import page.
#[derive(Debug)]
struct Recording;

impl egui::DroppedFile for Recording {
    fn path(&self) -> &Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../import/fixtures/tone.flac"))
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(self.path()).map_err(|error| error.to_string())
    }
}

/// What the mouse does in step `step` of its way.
fn mouse(scene: &Scene, step: Option<usize>) -> Vec<Event> {
    let last = scene.mouse.len().saturating_sub(1);
    let Some(&[x, y]) = step.and_then(|step| scene.mouse.get(step.min(last))) else {
        return Vec::new();
    };
    // A mouse at rest says nothing, or there would be no tooltip.
    if step > Some(last) {
        return Vec::new();
    }
    let mut events = vec![Event::PointerMoved(pos2(x, y))];
    if step == Some(0) && scene.mouse.len() > 1 {
        events.push(button(pos2(x, y), true));
    }
    events
}

fn button(pos: Pos2, pressed: bool) -> Event {
    Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    }
}

fn save(file: &Path, raster: &Raster) -> Result<(), Box<dyn Error>> {
    let out = std::io::BufWriter::new(std::fs::File::create(file)?);
    let mut encoder = png::Encoder::new(out, raster.size[0] as u32, raster.size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&raster.rgb())?;
    Ok(())
}
