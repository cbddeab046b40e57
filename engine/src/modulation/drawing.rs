//! Drawn cycles of LFOs: heights at equal distances, or points anywhere with curves between them.

use super::Bend;

/// A point of a drawn cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Its place in the cycle, 0 to 1.
    pub x: f32,
    /// Its height, -1 to 1.
    pub y: f32,
    /// The curve from here to the next point, -1 to 1; zero is straight.
    pub curve: f32,
}

impl Point {
    /// A point with a straight line to the next one.
    pub fn new(x: f32, y: f32) -> Self {
        Self { x, y, curve: 0.0 }
    }
}

/// A drawn cycle. The line goes on from the last point to the first one of the next cycle.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// Ordered by their place. Two at the same place are a jump.
    points: [Point; Drawing::MOST_POINTS],
    count: usize,
    /// Whether it consists of heights at equal distances, so that places and curves are not used.
    even: bool,
}

impl Drawing {
    /// The most heights at equal distances.
    pub const MOST: usize = 32;
    /// The most points.
    pub const MOST_POINTS: usize = 64;

    /// A drawing of these heights, at most [`Drawing::MOST`]; a flat one when there are none.
    pub fn new(heights: &[f32]) -> Self {
        let heights = &heights[..heights.len().min(Self::MOST)];
        let count = heights.len().max(1);
        let mut drawing = Self { points: [Point::default(); Self::MOST_POINTS], count, even: true };
        for (index, (to, &from)) in drawing.points.iter_mut().zip(heights).enumerate() {
            *to = Point::new(index as f32 / count as f32, number(from, -1.0));
        }
        drawing
    }

    /// A drawing of these points in any order, at most [`Drawing::MOST_POINTS`]; a flat one when there are
    /// none.
    pub fn from_points(points: &[Point]) -> Self {
        let points = &points[..points.len().min(Self::MOST_POINTS)];
        let count = points.len().max(1);
        let mut drawing =
            Self { points: [Point::default(); Self::MOST_POINTS], count, even: false };
        for (to, from) in drawing.points.iter_mut().zip(points) {
            *to = Point {
                x: number(from.x, 0.0),
                y: number(from.y, -1.0),
                curve: number(from.curve, -1.0),
            };
        }
        // Points at the same place keep their order.
        drawing.points[..count].sort_by(|a, b| a.x.total_cmp(&b.x));
        drawing
    }

    /// Whether it consists of heights at equal distances.
    pub fn is_even(&self) -> bool {
        self.even
    }

    /// Its points, ordered by their place.
    pub fn points(&self) -> &[Point] {
        &self.points[..self.count]
    }

    /// Its height at `x` of the cycle, 0 to 1: on the line, or in steps.
    pub fn at(&self, x: f32, steps: bool) -> f32 {
        match self.even {
            true => self.at_even(x, steps),
            false => self.at_any(x, steps),
        }
    }

    fn at_even(&self, x: f32, steps: bool) -> f32 {
        let place = x * self.count as f32;
        let index = (place as usize).min(self.count - 1);
        let from = self.points[index].y;
        let to = self.points[(index + 1) % self.count].y;
        match steps {
            true => from,
            false => from + (to - from) * (place - index as f32),
        }
    }

    fn at_any(&self, x: f32, steps: bool) -> f32 {
        let points = self.points();
        let next = points.partition_point(|point| point.x <= x);
        // Before the first point it is on the line from the last one of the cycle before.
        let (from, start) = match next.checked_sub(1) {
            Some(index) => (points[index], points[index].x),
            None => (points[self.count - 1], points[self.count - 1].x - 1.0),
        };
        if steps {
            return from.y;
        }
        let (to, end) = match points.get(next) {
            Some(to) => (to.y, to.x),
            None => (points[0].y, points[0].x + 1.0),
        };
        match end > start {
            true => from.y + (to - from.y) * Bend::new(from.curve).at((x - start) / (end - start)),
            false => to,
        }
    }
}

/// A number up to 1, whatever it was.
fn number(x: f32, least: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x.clamp(least, 1.0) }
}

impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        self.even == other.even && self.points() == other.points()
    }
}

impl Default for Drawing {
    /// A ramp in four steps.
    fn default() -> Self {
        Self::new(&[-1.0, -0.33, 0.33, 1.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An editor turns heights into points when a point is moved; the others must stay where they were.
    #[test]
    fn points_at_equal_distances_are_the_line_through_heights() {
        let even = Drawing::new(&[0.0, 1.0, -0.5, 0.25, -1.0]);
        let points = Drawing::from_points(even.points());
        for i in 0..1_000 {
            let x = i as f32 / 1_000.0;
            assert!((even.at(x, false) - points.at(x, false)).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn jumps_curves_and_the_end_of_a_cycle() {
        let at = |x: f32, y: f32, curve: f32| Point { x, y, curve };
        let drawing =
            Drawing::from_points(&[at(0.75, 1.0, 0.0), at(0.25, -1.0, 0.8), at(0.75, 0.0, 0.0)]);
        assert_eq!(drawing.at(0.25, false), -1.0);
        assert_eq!(drawing.at(0.75, false), 0.0, "the later of two points at one place");
        assert!(drawing.at(0.5, false).abs() > 0.3, "the curve is not straight");
        assert_eq!(drawing.at(0.0, false), -0.5, "half way from the last point to the first");
        assert_eq!(drawing.at(0.1, true), 0.0);
        assert_eq!(drawing.at(0.7, true), -1.0);
        for x in [0.0, 0.5, 0.999_999_9, 1.0] {
            assert!(drawing.at(x, false).abs() <= 1.0);
        }
    }

    #[test]
    fn any_numbers_are_a_drawing() {
        let wild = [f32::NAN, f32::INFINITY, -3.0, 1e30];
        let points: Vec<Point> = (0..200)
            .map(|i| Point { x: wild[i % 4], y: wild[i / 2 % 4], curve: wild[i / 3 % 4] })
            .collect();
        for drawing in [Drawing::from_points(&points), Drawing::from_points(&[]), Drawing::new(&[])]
        {
            for i in 0..=100 {
                assert!(drawing.at(i as f32 / 100.0, false).abs() <= 1.0);
            }
        }
    }
}
