//! Sources that reach only some parameters: only possible targets are offered.

use super::*;
use myriad_engine::modulation::Route;

/// Chooses an entry of a list of the matrix.
fn choose(window: &mut Window<'_>, list: &str, entry: &str) {
    window.get_by_label(list).click();
    window.run_steps(2);
    window.get_by_label(entry).click_accesskit();
    window.run_steps(3);
}

/// The targets that are offered for a new route: labels that appear once more when their list is
/// open.
fn offered(window: &mut Window<'_>) -> Vec<Param> {
    let seen = |window: &Window<'_>| {
        let count = |&param: &Param| window.query_all_by_label(&name_of(param)).count();
        Param::ALL.iter().map(count).collect::<Vec<_>>()
    };
    let closed = seen(window);
    window.get_by_label("Target of the new route").click();
    window.run_steps(2);
    let open = seen(window);
    window.key_press(Key::Escape);
    window.run_steps(2);
    let counts = Param::ALL.iter().zip(closed.iter().zip(&open));
    let more = counts.filter(|(_, (closed, open))| open > closed);
    more.map(|(&param, _)| param).collect()
}

#[test]
fn the_matrix_offers_only_what_a_source_can_move() {
    let mut window = open(PLAIN, "Matrix");
    assert_eq!(offered(&mut window), Param::modulated());
    for (source, name) in [(Source::Copy, "Copy"), (Source::Partial, "Partial")] {
        choose(&mut window, "Source of the new route", name);
        let route = Route {
            source,
            via: None,
            target: Param::DriveMix,
            amount: 0.0,
            curve: Default::default(),
        };
        let mut reached = route.targets().to_vec();
        reached.sort_by_key(|&param| param as u16);
        assert_eq!(offered(&mut window), reached);
        window.get_by_label("Add route").click();
        window.run_steps(2);
        let added = window.state().host.patch().routes.last().copied().unwrap();
        assert!(added.source == source && added.is_possible(), "{added:?}");
    }
}

#[test]
fn via_offers_only_possible_sources() {
    let mut window = open(PLAIN, "Matrix");
    window.get_by_label("Add route").click();
    window.run_steps(2);
    let route = window.state().host.patch().routes[0];
    assert_eq!(route.target, Param::FilterCutoff);
    window.get_by_label("Via of route 1").click();
    window.run_steps(2);
    assert!(window.query_by_label("via Velocity").is_some());
    assert!(window.query_by_label("via Partial").is_none());
    window.get_by_label("via Copy").click_accesskit();
    window.run_steps(2);
    let route = window.state().host.patch().routes[0];
    assert_eq!(route.via, Some(Source::Copy));
}

/// A source that is dropped on a parameter that it cannot reach changes nothing.
#[test]
fn a_source_dropped_on_an_unreachable_knob_changes_nothing() {
    // Wide enough for every chip.
    let mut window = open_sized(PLAIN, "Layers", vec2(2400.0, 900.0));
    let chip = centre(&window, "Copy source");
    for (knob, reached) in [("Layer Tune", false), ("Layer Table", false), ("Layer Blend", true)] {
        let knob = centre(&window, knob);
        drag(&mut window, chip, knob, Modifiers::NONE);
        let routes = &window.state().host.patch().routes;
        assert_eq!(routes.len(), usize::from(reached), "{routes:?}");
    }
}
