//! Envelopes drawn by points.

use super::*;
use myriad_engine::modulation::DrawnEnvelope;

fn drawn(window: &Window<'_>) -> Option<DrawnEnvelope> {
    window.state().host.patch().envelopes[0]
}

fn undo(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
}

#[test]
fn stages_become_points_that_are_moved_held_and_removed() {
    let mut window = open(PLAIN, "Modulation");
    let [attack, sustain] = [Param::Env1Attack, Param::Env1Sustain].map(|p| value(&window, p));
    window.get_by_label("Draw").click();
    window.run_steps(2);
    let stages = drawn(&window).unwrap();
    let held = stages.held();
    assert_eq!(stages.points()[held].level, sustain);
    assert!((stages.points()[0].seconds - attack).abs() < 1e-6);
    assert!(window.query_by_label("Env 1 Attack").is_none(), "the stages have no knobs now");

    let canvas = window.get_by_label("Env 1 canvas").rect().shrink(6.0);
    let last = centre(&window, &format!("Env 1 point {}", stages.points().len()));
    let from = centre(&window, &format!("Env 1 point {}", held + 1));
    let between = pos2_between(from, last, canvas.top() + 20.0);
    double_click(&mut window, between);
    let added = drawn(&window).unwrap();
    assert_eq!(added.points().len(), stages.points().len() + 1);
    let whole = |envelope: &DrawnEnvelope| -> f32 {
        envelope.points().iter().map(|point| point.seconds).sum()
    };
    assert!((whole(&added) - whole(&stages)).abs() < 0.01, "the segment was divided");

    let new = format!("Env 1 point {}", held + 2);
    let handle = centre(&window, &new);
    drag(&mut window, handle, handle + vec2(30.0, 20.0), Modifiers::NONE);
    let moved = drawn(&window).unwrap();
    assert!(moved.points()[held + 1].level < added.points()[held + 1].level);
    assert!(whole(&moved) > whole(&added), "the points after it move along");

    window.get_by_label(&format!("Env 1 hold {}", held + 2)).click();
    window.run_steps(2);
    assert_eq!(drawn(&window).unwrap().held(), held + 1);
    let handle = centre(&window, &new);
    double_click(&mut window, handle);
    assert_eq!(drawn(&window).unwrap().points().len(), stages.points().len());

    for _ in 0..4 {
        undo(&mut window);
    }
    assert_eq!(drawn(&window), Some(stages));
    window.get_by_label("Draw").click();
    window.run_steps(2);
    assert_eq!(drawn(&window), None);
    assert_eq!(value(&window, Param::Env1Attack), attack);
    assert!(window.query_by_label("Env 1 Attack").is_some());
}

/// A place between two, at a height.
fn pos2_between(a: Pos2, b: Pos2, y: f32) -> Pos2 {
    egui::pos2(0.5 * (a.x + b.x), y)
}
