//! Morphs between up to four patches, one at each corner of a square.

use myriad_engine::Patch;
use myriad_engine::modulation::{MAX_ROUTES, Route};
use myriad_engine::params::{Kind, Param};

/// How many corners the square has: top left, top right, bottom left, bottom right.
pub const CORNERS: usize = 4;

/// A patch and its weight.
type Weighted<'a> = (&'a Patch, f32);

/// The sound at a point of the square: `at` is x from left to right and y from top to bottom, 0 to 1. Numbers are
/// interpolated on the scale of their knobs, amounts of routes too; whole numbers, choices and everything else are
/// those of the nearest corner. A point at a corner is that corner. Corners without a patch have no weight; `None`
/// when all are empty.
pub fn morph(corners: &[Option<&Patch>; CORNERS], at: [f32; 2]) -> Option<Patch> {
    let weighted = weights(corners, at);
    let nearest = weighted.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?.0;
    let mut patch = nearest.clone();
    if weighted.len() == 1 {
        return Some(patch);
    }
    for &param in Param::ALL {
        let kind = param.info().kind;
        let differs =
            weighted.iter().any(|(other, _)| other.values[param] != nearest.values[param]);
        if differs && matches!(kind, Kind::Number { .. }) {
            let scales =
                weighted.iter().map(|(patch, weight)| weight * kind.to_scale(patch.values[param]));
            patch.values.set(param, kind.from_scale(scales.sum()));
        }
    }
    patch.routes = routes(nearest, &weighted);
    Some(patch)
}

/// The patches that are heard at a point, with weights that add up to 1.
fn weights<'a>(corners: &[Option<&'a Patch>; CORNERS], at: [f32; 2]) -> Vec<Weighted<'a>> {
    let [x, y] = at.map(|place| if place.is_nan() { 0.5 } else { place.clamp(0.0, 1.0) });
    let shares = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
    let stored = corners.iter().zip(shares).filter_map(|(corner, share)| Some(((*corner)?, share)));
    let stored: Vec<Weighted<'a>> = stored.collect();
    let mut heard: Vec<Weighted<'a>> =
        stored.iter().copied().filter(|(_, share)| *share > 0.0).collect();
    if heard.is_empty() {
        // The point is on corners that have no patch; those that have one are heard alike.
        heard = stored.into_iter().map(|(patch, _)| (patch, 1.0)).collect();
    }
    let whole: f32 = heard.iter().map(|(_, share)| share).sum();
    heard.iter_mut().for_each(|(_, share)| *share /= whole);
    heard
}

/// Whether two routes differ at most in their amounts.
pub(super) fn is_same_route(a: &Route, b: &Route) -> bool {
    (a.source, a.via, a.target, a.curve) == (b.source, b.via, b.target, b.curve)
}

/// All routes of all corners, those of the nearest one first; a corner without a route has it at zero.
fn routes(nearest: &Patch, weighted: &[Weighted<'_>]) -> Vec<Route> {
    let mut routes: Vec<Route> =
        nearest.routes.iter().map(|route| Route { amount: 0.0, ..*route }).collect();
    for (patch, weight) in weighted {
        // A patch can have the same route twice.
        let mut taken = vec![false; routes.len()];
        for route in &patch.routes {
            let mut places = routes.iter().zip(&taken);
            let place = places.position(|(other, taken)| !taken && is_same_route(other, route));
            let place = place.unwrap_or_else(|| {
                routes.push(Route { amount: 0.0, ..*route });
                taken.push(false);
                routes.len() - 1
            });
            taken[place] = true;
            routes[place].amount += weight * route.amount;
        }
    }
    routes.truncate(MAX_ROUTES);
    routes
}
