//! Tests of random changes, children and morphs, over the factory patches.

use super::level::level_db;
use super::random::vary;
use super::*;
use myriad_engine::Patch;
use myriad_engine::modulation::MAX_ROUTES;
use myriad_engine::params::{Kind, Param};
use myriad_engine::patch::factory;

fn patch(name: &str) -> Patch {
    factory::find(name).unwrap()
}

/// A factory patch for each of `count` seeds, spread over all of them.
fn spread(count: usize) -> impl Iterator<Item = (u32, &'static Patch)> {
    let all = factory::patches();
    (0..count).map(move |index| (index as u32, &all[index * all.len() / count]))
}

/// Whether a section of two patches is the same, bit for bit.
fn is_same(section: Section, a: &Patch, b: &Patch) -> bool {
    let mut copied = a.clone();
    section.copy(b, &mut copied);
    copied == *a
}

/// A patch that can be saved, loaded and played: a file of it reads as the same patch.
fn check(patch: &Patch, what: &str) {
    let read = Patch::parse(&patch.to_toml(), what).unwrap();
    assert_eq!(read, *patch, "{what}");
    assert!(patch.routes.len() <= MAX_ROUTES, "{what}");
    for &param in Param::ALL {
        let value = patch.values[param];
        assert_eq!(param.info().clamp(value), value, "{what}: {}", param.info().id);
    }
}

#[test]
fn every_parameter_is_in_the_section_that_its_page_shows() {
    for (param, section) in [
        (Param::UnisonVoices, Section::Source),
        (Param::LayerBlend, Section::Layer),
        (Param::DecayRate, Section::Shape),
        (Param::Filter2Cutoff, Section::Filter),
        (Param::Env4Release, Section::Envelopes),
        (Param::Lfo6Rate, Section::Lfos),
        (Param::ConvolverMix, Section::Effects),
        (Param::Step16Tie, Section::Arp),
        (Param::Macro1, Section::Routes),
        (Param::OutputGain, Section::Play),
    ] {
        assert_eq!(Section::of(param), section, "{param:?}");
    }
    let count: usize = Section::ALL.iter().map(|section| section.params().count()).sum();
    assert_eq!(count, Param::ALL.len());
}

/// All sections together are the whole sound: what none of them copied would never be inherited.
#[test]
fn the_sections_of_a_patch_are_all_of_it() {
    for from in factory::patches() {
        let mut into = Patch::new();
        Section::ALL.into_iter().for_each(|section| section.copy(from, &mut into));
        into.describe_as(from);
        assert_eq!(into, *from);
    }
}

#[test]
fn at_amount_zero_nothing_changes() {
    for (seed, patch) in spread(20) {
        assert_eq!(randomise(patch, 0.0, &[], seed), *patch, "{}", patch.name);
    }
}

/// A musician who has locked the filter expects it to be the same afterwards.
#[test]
fn locked_sections_keep_every_bit() {
    for &section in Section::RANDOM {
        let mut changed = false;
        for (seed, patch) in spread(40) {
            let locked = vary(patch, 1.0, &[section], seed);
            assert!(is_same(section, patch, &locked), "{section:?} of {}", patch.name);
            assert!(is_same(Section::Play, patch, &locked), "{}", patch.name);
            changed |= !is_same(section, patch, &vary(patch, 1.0, &[], seed));
            // With everything locked there is nothing left to change.
            assert_eq!(vary(patch, 1.0, Section::RANDOM, seed), *patch);
        }
        assert!(changed, "{section:?} changes when it is not locked");
    }
}

/// Locks must not change what happens elsewhere, so that a good result can be kept and the rest tried again.
#[test]
fn a_lock_leaves_other_sections_to_their_seed() {
    let patch = patch("Aurora");
    let (free, locked) = (vary(&patch, 0.8, &[], 7), vary(&patch, 0.8, &[Section::Source], 7));
    assert!(!is_same(Section::Filter, &patch, &free));
    assert!(is_same(Section::Filter, &free, &locked));
}

#[test]
fn the_same_seed_gives_the_same_sound_and_another_seed_another() {
    let patch = patch("Aurora");
    assert_eq!(randomise(&patch, 0.5, &[], 3), randomise(&patch, 0.5, &[], 3));
    assert_ne!(randomise(&patch, 0.5, &[], 3), randomise(&patch, 0.5, &[], 4));
}

/// How far the knobs of numbers are from each other, all together.
fn distance(a: &Patch, b: &Patch) -> f32 {
    let params = Param::ALL.iter().filter(|param| matches!(param.info().kind, Kind::Number { .. }));
    let way = |param: &Param| {
        let scale = |patch: &Patch| param.info().kind.to_scale(patch.values[*param]);
        (scale(a) - scale(b)).abs()
    };
    params.map(way).sum()
}

#[test]
fn the_amount_says_how_far_and_choices_come_late() {
    for (seed, patch) in spread(40) {
        let [little, half, all] = [0.1, 0.5, 1.0].map(|amount| vary(patch, amount, &[], seed));
        assert!(distance(patch, &little) <= distance(patch, &half), "{}", patch.name);
        assert!(distance(patch, &half) <= distance(patch, &all), "{}", patch.name);
        let choices =
            Param::ALL.iter().filter(|param| matches!(param.info().kind, Kind::Choice(_)));
        for &param in choices {
            assert_eq!(little.values[param], patch.values[param], "{}", param.info().id);
        }
    }
    let chosen = |(seed, patch): (u32, &Patch)| {
        vary(patch, 1.0, &[], seed).values[Param::SourceTable] != patch.values[Param::SourceTable]
    };
    assert!(spread(40).any(chosen), "at full amount choices change");
}

#[test]
fn random_sounds_are_valid() {
    for (seed, patch) in spread(200) {
        let amount = [0.2, 0.5, 1.0][seed as usize % 3];
        let what = format!("{} at {amount} by {seed}", patch.name);
        check(&vary(patch, amount, &[], seed), &what);
    }
}

/// A result that is silent, or much louder than what was there, is no sound to go on from. Every result is rendered,
/// so there are fewer of them.
#[test]
fn random_sounds_are_heard_and_not_too_loud() {
    for (seed, patch) in spread(30) {
        let amount = [0.2, 0.5, 1.0][seed as usize % 3];
        let random = randomise(patch, amount, &[], seed);
        let what = format!("{} at {amount} by {seed}", patch.name);
        check(&random, &what);
        let Some(before) = level_db(patch) else {
            continue;
        };
        let after = level_db(&random).unwrap_or_else(|| panic!("{what} is silent"));
        assert!((after - before).abs() < 3.0, "{what}: {before} dB became {after} dB");
    }
}

#[test]
fn a_patch_and_itself_have_the_same_child() {
    for (seed, patch) in spread(20) {
        assert_eq!(breed(patch, patch, 0.0, seed), *patch, "{}", patch.name);
    }
}

/// Every number of a child is between those of its parents, every choice is one of theirs.
#[test]
fn children_take_after_their_parents() {
    let all = factory::patches();
    for (seed, first) in spread(20) {
        let second = &all[(seed as usize * 37 + 11) % all.len()];
        let child = breed(first, second, 0.0, seed);
        let what = format!("{} and {} by {seed}", first.name, second.name);
        check(&child, &what);
        for &param in Param::ALL.iter().filter(|&&param| param != Param::OutputGain) {
            let [a, b, c] = [first, second, &child].map(|patch| patch.values[param]);
            let slack = 1e-4 * (a.abs() + b.abs());
            let inside = (a.min(b) - slack..=a.max(b) + slack).contains(&c);
            assert!(inside, "{what}: {} is {c}, not {a} to {b}", param.info().id);
            if !matches!(param.info().kind, Kind::Number { .. }) {
                assert!(c == a || c == b, "{what}: {}", param.info().id);
            }
        }
        let is_theirs = |route: &myriad_engine::modulation::Route| {
            let mut theirs = first.routes.iter().chain(&second.routes);
            theirs.any(|other| morph::is_same_route(other, route))
        };
        assert!(child.routes.iter().all(is_theirs), "{what}");
        let levels: Vec<f32> = [first, second].into_iter().filter_map(level_db).collect();
        if let [a, b] = levels[..] {
            let level = level_db(&child).unwrap_or_else(|| panic!("{what} is silent"));
            assert!(level > a.min(b) - 3.0 && level < a.max(b) + 3.0, "{what}: {a} {b} {level}");
        }
    }
}

#[test]
fn children_have_both_names() {
    let child = breed(&patch("Aurora"), &patch("Felt Grand"), 0.0, 1);
    assert_eq!(child.name, "Aurora × Felt Grand");
    let grandchild = breed(&child, &breed(&patch("Tide"), &patch("Night Bass"), 0.0, 2), 0.3, 3);
    assert_eq!(grandchild.name, "Aurora × Tide");
    check(&grandchild, "grandchild");
}

#[test]
fn a_corner_is_its_patch_bit_for_bit() {
    let patches = ["Aurora", "Felt Grand", "Night Bass", "Acoustic Kit"].map(patch);
    let corners = patches.each_ref().map(Some);
    for (index, at) in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].into_iter().enumerate() {
        assert_eq!(morph(&corners, at).unwrap(), patches[index], "corner {index}");
    }
    // The same patch in all corners is itself everywhere.
    let same = [Some(&patches[0]); CORNERS];
    assert_eq!(morph(&same, [0.3, 0.6]).unwrap().values, patches[0].values);
    assert_eq!(morph(&[None; CORNERS], [0.5, 0.5]), None);
}

#[test]
fn between_corners_knobs_are_half_way_and_choices_the_nearest() {
    let (mut a, mut b) = (Patch::new(), Patch::new());
    a.values.set(Param::FilterCutoff, 100.0);
    b.values.set(Param::FilterCutoff, 10_000.0);
    b.values.set(Param::SourceTable, 5.0);
    let corners = [Some(&a), Some(&b), None, None];
    // Also below, where the corners are empty.
    for y in [0.0, 0.5, 1.0] {
        let half = morph(&corners, [0.5, y]).unwrap();
        let cutoff = half.values[Param::FilterCutoff];
        assert!((cutoff - 1_000.0).abs() < 1.0, "{cutoff}");
    }
    let table = |x: f32| morph(&corners, [x, 0.0]).unwrap().values[Param::SourceTable];
    assert_eq!([table(0.4), table(0.6)], [0.0, 5.0]);
}

#[test]
fn routes_fade_between_corners() {
    let (mut a, b) = (patch("Aurora"), Patch::new());
    a.routes.truncate(2);
    let corners = [Some(&a), Some(&b), None, None];
    let quarter = morph(&corners, [0.25, 0.0]).unwrap();
    assert_eq!(quarter.routes.len(), 2);
    for (route, whole) in quarter.routes.iter().zip(&a.routes) {
        assert!((route.amount - 0.75 * whole.amount).abs() < 1e-4 * whole.amount.abs());
    }
}

/// Any point between any patches can be saved and loaded.
#[test]
fn every_point_is_a_valid_patch() {
    let all = factory::patches();
    for (seed, first) in spread(60) {
        let other = |step: usize| Some(&all[(seed as usize * step + 5) % all.len()]);
        let corners = [Some(first), other(13), other(29), other(41)];
        let at = [seed as f32 / 60.0, (seed as f32 * 0.37).fract()];
        check(&morph(&corners, at).unwrap(), &first.name);
    }
}

#[test]
fn a_patch_is_loaded_into_the_second_layer_only() {
    let (bell, before) = (patch("Cathedral Bell"), patch("Aurora"));
    let mut after = before.clone();
    load_into_layer(&bell, &mut after);
    assert_eq!(after.values[Param::LayerTable], bell.values[Param::SourceTable]);
    assert!(after.values[Param::LayerMode] > 0.0);
    for section in Section::ALL.into_iter().filter(|&section| section != Section::Layer) {
        assert!(is_same(section, &before, &after), "{section:?}");
    }
}
