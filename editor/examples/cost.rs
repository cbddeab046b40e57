//! Measures the CPU time of a frame of the editor, without its GPU part:
//!
//!     cargo run --release -p myriad-editor --example cost

use egui::{Context, Pos2, RawInput, Rect, Vec2};
use myriad_editor::{Editor, EditorHost, Library, LocalHost};
use myriad_engine::patch::factory;
use std::time::{Duration, Instant};

const FRAMES: u32 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let chord: &[u8] = &[36, 48, 55, 60, 64, 67, 72, 76];
    for (what, keys) in [("nothing sounds", &[][..]), ("eight notes of Aurora", chord)] {
        let patch = factory::find("Aurora").ok_or("no such patch")?;
        let mut host = LocalHost::new(patch.clone())?;
        let mut editor = Editor::new(Library::open(None));
        let ctx = Context::default();
        keys.iter().for_each(|&key| host.note_on(key, 1.0));
        let mut spent = Vec::new();
        let mut triangles = 0;
        let mut pause = Duration::ZERO;
        for frame in 0..FRAMES {
            host.advance(1.0 / 30.0);
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, Vec2::from(Editor::SIZE))),
                time: Some(f64::from(frame) / 30.0),
                ..RawInput::default()
            };
            let start = Instant::now();
            let mut output = ctx.run_ui(input, |ui| editor.ui(ui, &mut host));
            let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
            spent.push(start.elapsed().as_secs_f64());
            output.textures_delta.clear();
            pause = output.viewport_output.values().map(|v| v.repaint_delay).min().unwrap_or(pause);
            triangles = primitives
                .iter()
                .map(|clipped| match &clipped.primitive {
                    egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
                    egui::epaint::Primitive::Callback(_) => 0,
                })
                .sum();
        }
        // The median, because other programs slow some frames down.
        spent.sort_by(f64::total_cmp);
        let frame = spent[spent.len() / 2];
        let share = frame / pause.as_secs_f64().max(frame);
        println!(
            "{what}: {:.2} ms and {triangles} triangles a frame, a frame each {} ms: {:.1}% of a core",
            1e3 * frame,
            pause.as_millis(),
            100.0 * share,
        );
    }
    Ok(())
}
