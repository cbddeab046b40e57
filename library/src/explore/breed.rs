//! Children of two patches: every section comes from one parent, or lies between both.

use super::Section;
use super::dice::Dice;
use super::level::{level_db, match_level};
use super::morph::is_same_route;
use super::random::vary;
use myriad_engine::Patch;
use myriad_engine::modulation::{MAX_ROUTES, Route};
use myriad_engine::params::Kind;

/// The probability that a section lies between both parents.
const BLENDED: f32 = 0.4;
/// How many children are tried until one is heard.
const ATTEMPTS: u32 = 8;
/// Longer names of children are shortened.
const LONGEST_NAME: usize = 32;
/// Between the names of the parents.
const TIMES: &str = " × ";

/// What a section inherits.
#[derive(Clone, Copy)]
enum Share {
    First,
    Second,
    /// Numbers lie this far on the way from the first parent to the second.
    Between(f32),
}

/// A child of two patches. Every section is that of one parent, or its numbers are between those of both; pitch,
/// voices and arpeggiator come whole from one. Then random changes of the amount `mutation`, 0 to 1, follow. It is as
/// loud as its parents are on average. Patches that are equal have an equal child, unless it mutates.
pub fn breed(first: &Patch, second: &Patch, mutation: f32, seed: u32) -> Patch {
    let levels: Vec<f32> = [first, second].into_iter().filter_map(level_db).collect();
    let wanted = levels.iter().sum::<f32>() / levels.len().max(1) as f32;
    for attempt in 0..ATTEMPTS {
        let seed = seed.wrapping_add(attempt.wrapping_mul(0x0100_0193));
        let bred = mix(first, second, seed);
        let mut child = vary(&bred, mutation, &[], seed);
        let is_parent =
            |parent: &Patch| child.values == parent.values && child.routes == parent.routes;
        if levels.is_empty() || is_parent(first) || match_level(&mut child, wanted) {
            return child;
        }
    }
    let mut child = first.clone();
    describe(&mut child, first, second);
    child
}

/// The child without mutation.
fn mix(first: &Patch, second: &Patch, seed: u32) -> Patch {
    let mut child = first.clone();
    for section in Section::ALL {
        let mut dice = Dice::new(seed, section as u32);
        let whole = matches!(section, Section::Play | Section::Arp);
        let share = match (dice.chance(BLENDED) && !whole, dice.chance(0.5)) {
            (true, _) => Share::Between(0.2 + 0.6 * dice.unit()),
            (false, true) => Share::First,
            (false, false) => Share::Second,
        };
        inherit(&mut child, first, second, section, share, &mut dice);
    }
    describe(&mut child, first, second);
    child
}

fn inherit(
    child: &mut Patch,
    first: &Patch,
    second: &Patch,
    section: Section,
    share: Share,
    dice: &mut Dice,
) {
    let part = match share {
        Share::First => return section.copy(first, child),
        Share::Second => return section.copy(second, child),
        Share::Between(part) => part,
    };
    // Choices, whole numbers and what is no number at all suit each other when they have one origin.
    let chosen = if dice.chance(0.5) { first } else { second };
    section.copy(chosen, child);
    for param in section.params() {
        let kind = param.info().kind;
        let [from, to] = [first, second].map(|parent| parent.values[param]);
        if matches!(kind, Kind::Number { .. }) && from != to {
            let [from, to] = [from, to].map(|value| kind.to_scale(value));
            child.values.set(param, kind.from_scale(from + (to - from) * part));
        }
    }
    if section == Section::Routes {
        child.routes = routes(first, second, part, dice);
    }
}

/// Routes that both parents have, with amounts between, and some of those that only one has.
fn routes(first: &Patch, second: &Patch, part: f32, dice: &mut Dice) -> Vec<Route> {
    let mut others: Vec<Option<Route>> = second.routes.iter().copied().map(Some).collect();
    let mut routes = Vec::new();
    for route in &first.routes {
        let same = |other: &&mut Option<Route>| {
            other.as_ref().is_some_and(|other| is_same_route(other, route))
        };
        match others.iter_mut().find(same).and_then(Option::take) {
            Some(other) if other == *route => routes.push(other),
            Some(other) => {
                let amount = route.amount + (other.amount - route.amount) * part;
                routes.push(Route { amount, ..*route });
            }
            None if dice.chance(1.0 - part) => routes.push(*route),
            None => {}
        }
    }
    let rest: Vec<Route> = others.into_iter().flatten().collect();
    routes.extend(rest.into_iter().filter(|_| dice.chance(part)));
    routes.truncate(MAX_ROUTES);
    routes
}

/// The child's name and other metadata.
fn describe(child: &mut Patch, first: &Patch, second: &Patch) {
    let macro_names = child.macro_names.clone();
    child.describe_as(first);
    child.macro_names = macro_names;
    if first.name == second.name {
        return;
    }
    child.name = name(&first.name, &second.name);
    child.author.clear();
    child.description = format!("A child of {} and {}.", first.name, second.name);
    for tag in &second.tags {
        if !child.tags.contains(tag) {
            child.tags.push(tag.clone());
        }
    }
}

/// "Aurora × Felt Grand"; of parents that are children themselves only the first names where it would be too long.
fn name(first: &str, second: &str) -> String {
    let whole = format!("{first}{TIMES}{second}");
    if whole.chars().count() <= LONGEST_NAME {
        return whole;
    }
    let [first, second] = [first, second].map(|name| name.split(TIMES).next().unwrap_or(name));
    let short = format!("{first}{TIMES}{second}");
    short.chars().take(2 * LONGEST_NAME).collect()
}
