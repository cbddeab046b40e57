//! LFO shapes, drawn by points and steps.

use super::*;
use myriad_engine::modulation::{Drawing, Point};

fn open_lfo<'a>(shape: &str) -> Window<'a> {
    let mut window = open(PLAIN, "Modulation");
    let shape = Param::Lfo1Shape.info().parse(shape).unwrap();
    window.state_mut().host.set(Param::Lfo1Shape, shape);
    window.run_steps(2);
    window
}

fn drawing(window: &Window<'_>) -> Drawing {
    window.state().host.patch().drawings[0]
}

fn points(window: &Window<'_>) -> Vec<Point> {
    drawing(window).points().to_vec()
}

fn shape(window: &Window<'_>) -> String {
    Param::Lfo1Shape.info().format(value(window, Param::Lfo1Shape))
}

fn undo(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
}

fn choose(window: &mut Window<'_>, list: &str, entry: &str) {
    window.get_by_label(list).click();
    window.run_steps(3);
    window.get_by_label(entry).click();
    window.run_steps(3);
}

fn right_click(window: &mut Window<'_>, at: Pos2) {
    window.hover_at(at);
    window.run_steps(1);
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.run_steps(1);
    }
    window.run_steps(2);
}

#[test]
fn points_are_added_moved_on_the_grid_bent_and_removed() {
    let mut window = open_lfo("drawn");
    let before = drawing(&window);
    let canvas = window.get_by_label("LFO 1 canvas").rect().shrink(6.0);
    let at =
        |x: f32, y: f32| canvas.min + vec2(x * canvas.width(), (0.5 - 0.5 * y) * canvas.height());
    // Near a line of the grid, where neither a point of the default is nor a handle of a curve.
    double_click(&mut window, at(0.63, -0.6));
    let added = points(&window);
    assert_eq!(added.len(), 5);
    assert_eq!(added[3], Point::new(0.625, -0.5));

    let handle = centre(&window, "LFO 1 point 4");
    drag(&mut window, handle, at(0.45, 0.02), Modifiers::NONE);
    let moved = points(&window)[3];
    assert_eq!((moved.x, moved.y), (0.5, 0.0), "on the grid, and no further than the point before");
    let handle = centre(&window, "LFO 1 point 4");
    drag(&mut window, handle, at(0.611, 0.333), Modifiers::ALT);
    let free = points(&window)[3];
    assert!((free.x - 0.611).abs() < 0.004 && (free.y - 0.333).abs() < 0.03, "{free:?}");
    assert!(free.x != 0.625, "not on the grid");

    let curve = centre(&window, "LFO 1 curve 1");
    drag(&mut window, curve, curve - vec2(0.0, 20.0), Modifiers::NONE);
    assert!(points(&window)[0].curve > 0.1, "a rising line goes up");
    let curve = centre(&window, "LFO 1 curve 1");
    double_click(&mut window, curve);
    assert_eq!(points(&window)[0].curve, 0.0);

    let handle = centre(&window, "LFO 1 point 4");
    right_click(&mut window, handle);
    assert_eq!(points(&window).len(), 4);
    let handle = centre(&window, "LFO 1 point 3");
    double_click(&mut window, handle);
    assert_eq!(points(&window).len(), 3);
    assert_eq!(window.state().host.open_gestures, 0);

    // Every gesture was one step.
    for left in [4, 5, 5, 5, 5, 5] {
        undo(&mut window);
        assert_eq!(points(&window).len(), left);
    }
    undo(&mut window);
    assert_eq!(drawing(&window), before);
}

/// A window that draws slowly sees the pointer only now and then: press and move in one frame, move and release in another.
#[test]
fn a_drag_in_a_slow_window_reaches_from_press_to_release() {
    let mut window = open_lfo("drawn steps");
    let before = drawing(&window);
    let bars = window.get_by_label("LFO 1 steps").rect().shrink2(vec2(0.0, 6.0));
    let (from, to) = (bars.left_bottom() + vec2(2.0, -1.0), bars.right_top() + vec2(-2.0, 1.0));
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.hover_at(from);
    window.run_steps(1);
    window.event(button(from, true));
    window.event(Event::PointerMoved(from + 0.4 * (to - from)));
    window.run_steps(1);
    window.event(Event::PointerMoved(to));
    window.event(button(to, false));
    window.run_steps(2);
    let heights: Vec<f32> = points(&window).iter().map(|point| point.y).collect();
    assert!(heights.is_sorted(), "{heights:?}");
    assert!(heights[0] < -0.7 && heights[heights.len() - 1] > 0.7, "{heights:?}");
    undo(&mut window);
    assert_eq!(drawing(&window), before, "one step of undo");
}

/// A drag across the bars draws a line of steps, and is heard while it is drawn: no note ends.
#[test]
fn steps_are_drawn_by_one_drag_while_a_note_sounds() {
    let mut window = open_lfo("drawn steps");
    choose(&mut window, "Grid columns", "16 steps");
    assert_eq!(points(&window).len(), 16);
    let (chip, knob) = (centre(&window, "LFO 1 source"), centre(&window, "Env 1 Attack"));
    drag(&mut window, chip, knob, Modifiers::NONE);
    window.state_mut().host.note_on(60, 1.0);
    window.run_steps(4);
    let before = drawing(&window);
    let bars = window.get_by_label("LFO 1 steps").rect().shrink2(vec2(0.0, 6.0));
    let (from, to) = (bars.left_bottom() + vec2(2.0, -1.0), bars.right_top() + vec2(-2.0, 1.0));
    window.hover_at(from);
    window.run_steps(1);
    window.drag_at(from);
    window.run_steps(1);
    window.hover_at(to);
    window.run_steps(1);
    // Still held.
    let heights: Vec<f32> = points(&window).iter().map(|point| point.y).collect();
    assert!(heights.is_sorted(), "{heights:?}");
    assert!(heights[0] < -0.7 && heights[15] > 0.7, "{heights:?}");
    let mut snapshot = Snapshot::new();
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 1 << 60, "the note sounds on");
    window.drop_at(to);
    window.run_steps(2);
    let at = bars.left_top() + vec2(2.0, 4.0);
    right_click(&mut window, at);
    assert_eq!(points(&window)[0].y, 0.0);
    undo(&mut window);
    undo(&mut window);
    assert_eq!(drawing(&window), before);
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 1 << 60, "undo does not end it");
}

/// The wave that an LFO has is the beginning of what is drawn, and what was drawn is not lost.
#[test]
fn a_wave_becomes_points_or_steps() {
    let mut window = open_lfo("sine");
    window.get_by_label("Points").click();
    window.run_steps(2);
    assert_eq!(shape(&window), "drawn");
    assert!((drawing(&window).at(0.25, false) - 1.0).abs() < 0.02);
    assert!((drawing(&window).at(0.6, false) + 0.588).abs() < 0.03);
    let sine = drawing(&window);
    window.get_by_label("Steps").click();
    window.run_steps(2);
    assert_eq!(shape(&window), "drawn steps");
    window.get_by_label("Points").click();
    window.run_steps(2);
    assert_eq!(drawing(&window), sine);
    for _ in 0..3 {
        undo(&mut window);
    }
    assert_eq!(shape(&window), "sine");
    assert_eq!(drawing(&window), Drawing::default());
    window.get_by_label("Steps").click();
    window.run_steps(2);
    assert_eq!(points(&window).len(), 8);
    assert_eq!(points(&window)[2].y, 1.0);
}

#[test]
fn shapes_of_the_library_are_chosen_turned_and_saved() {
    let mut window = open_lfo("sine");
    choose(&mut window, "Shapes", "Random steps");
    assert_eq!(shape(&window), "drawn steps");
    let first = drawing(&window);
    choose(&mut window, "Shapes", "Random steps");
    assert_ne!(drawing(&window), first, "another one");
    choose(&mut window, "Shapes", "Ramp up");
    assert_eq!(shape(&window), "drawn");
    window.get_by_label("Enlarge LFO").click();
    window.run_steps(2);
    assert!(window.query_by_label("Env 1 Attack").is_none(), "it has the whole page");
    window.get_by_label("Invert").click();
    window.run_steps(2);
    assert!(drawing(&window).at(0.0, false) > 0.99);
    let text = window.state().host.patch().to_toml();
    assert!(text.contains("lfo1_points = [0.0, 1.0, 0.0, 1.0, -1.0, 0.0]"), "{text}");
    assert_eq!(Patch::parse(&text, "saved").unwrap().drawings[0], drawing(&window));
    window.get_by_label("Reduce LFO").click();
    window.run_steps(2);
    assert!(window.query_by_label("Env 1 Attack").is_some());
}
