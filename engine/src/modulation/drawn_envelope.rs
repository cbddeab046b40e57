//! Envelopes of any number of points, which a patch may have in place of their stages.

use super::Bend;

/// A point of a drawn envelope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvelopePoint {
    /// The time from the point before it, or from the start of the note.
    pub seconds: f32,
    /// Its level, 0 to 1.
    pub level: f32,
    /// The curve from the point before it to this one, -1 to 1; zero is straight.
    pub curve: f32,
}

/// A drawn envelope: from zero through its points up to the one that is held, and after the release through the others
/// to zero.
#[derive(Clone, Copy, Debug)]
pub struct DrawnEnvelope {
    points: [EnvelopePoint; DrawnEnvelope::MOST],
    count: usize,
    held: usize,
}

impl DrawnEnvelope {
    /// The fewest points.
    pub const FEWEST: usize = 2;
    /// The most points.
    pub const MOST: usize = 32;
    /// The longest time from a point to the next.
    pub const LONGEST: f32 = 60.0;

    /// An envelope of these points that holds the one with index `held`. The last point is at zero, and is never held.
    /// Points that are missing are added.
    pub fn new(points: &[EnvelopePoint], held: usize) -> Self {
        let given = &points[..points.len().min(Self::MOST)];
        let count = given.len().max(Self::FEWEST);
        let mut points = [EnvelopePoint::default(); Self::MOST];
        let number = |x: f32, least: f32, most: f32| {
            if x.is_nan() { 0.0 } else { x.clamp(least, most) }
        };
        for (to, from) in points.iter_mut().zip(given) {
            *to = EnvelopePoint {
                seconds: number(from.seconds, 0.0, Self::LONGEST),
                level: number(from.level, 0.0, 1.0),
                curve: number(from.curve, -1.0, 1.0),
            };
        }
        points[count - 1].level = 0.0;
        Self { points, count, held: held.min(count - 2) }
    }

    /// Its points.
    pub fn points(&self) -> &[EnvelopePoint] {
        &self.points[..self.count]
    }

    /// The index of the point that is held.
    pub fn held(&self) -> usize {
        self.held
    }

    /// The time from the release to the end, at `speed`.
    pub(crate) fn release_seconds(&self, speed: f32) -> f32 {
        (self.held + 1..self.count).map(|segment| self.seconds(segment, speed)).sum()
    }

    /// The time of the segment that ends at a point, at `speed`. A jump would be a click.
    pub(super) fn seconds(&self, segment: usize, speed: f32) -> f32 {
        (self.points[segment].seconds / speed).max(super::envelope::SHORTEST_ATTACK)
    }

    /// The level on the segment that ends at a point, which began at `from`; `part` of it has passed.
    pub(super) fn along(&self, segment: usize, from: f32, part: f32) -> f32 {
        let EnvelopePoint { level, curve, .. } = self.points[segment];
        from + (level - from) * Bend::new(curve).at(part)
    }
}

impl PartialEq for DrawnEnvelope {
    fn eq(&self, other: &Self) -> bool {
        self.held == other.held && self.points() == other.points()
    }
}
