//! A cloud in two parts: what all unison copies of a voice share, and what each copy has of its own. A
//! voice is described once a tick, and renderers put its clouds together. Plain data, shared with CUDA.

use super::cloud::Cloud;

/// The values of a [`Cloud`] up to its widths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Description([u32; Description::WORDS]);

/// The values of a [`Cloud`] after its widths, and which description it has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct UnisonCopy {
    /// The index of its description in the tick, and [`UnisonCopy::MIRRORED`].
    pub description: u32,
    /// See [`Cloud::seed`].
    pub seed: u32,
    /// See [`Cloud::increment`].
    pub increment: f32,
    /// See [`Cloud::gain_from`].
    pub gain_from: [f32; 2],
    /// See [`Cloud::gain_to`].
    pub gain_to: [f32; 2],
    /// See [`Cloud::phase`].
    pub phase: u32,
    /// See [`Cloud::band_clock`].
    pub band_clock: u32,
}

const _: () = assert!(size_of::<UnisonCopy>() == 36);
const _: () = assert!(size_of::<Description>() == 96);

impl Description {
    const WORDS: usize = 24;

    /// That of `cloud`.
    #[inline(always)]
    pub fn of(cloud: &Cloud) -> Self {
        let words = cloud.to_words();
        let mut description = Self::default();
        description.0.copy_from_slice(&words[..Self::WORDS]);
        description
    }

    /// The cloud of a voice, without what its copies have of their own.
    #[inline(always)]
    pub fn cloud(&self) -> Cloud {
        let mut words = [0; Cloud::WORDS];
        words[..Self::WORDS].copy_from_slice(&self.0);
        Cloud::from_words(words)
    }
}

impl UnisonCopy {
    /// A bit of `description`: left and right of the partials are exchanged, that is, the signs of both
    /// widths.
    pub const MIRRORED: u32 = 1 << 31;

    /// The copy that is `cloud`, whose description has that index.
    #[inline(always)]
    pub fn of(cloud: &Cloud, description: u32) -> Self {
        let &Cloud { seed, increment, gain_from, gain_to, phase, band_clock, .. } = cloud;
        Self { description, seed, increment, gain_from, gain_to, phase, band_clock }
    }

    /// The index of its description.
    #[inline]
    pub fn index(&self) -> usize {
        (self.description & !Self::MIRRORED) as usize
    }

    /// Whether left and right of its partials are exchanged.
    #[inline]
    pub fn is_mirrored(&self) -> bool {
        self.description & Self::MIRRORED != 0
    }

    /// Its cloud.
    #[inline(always)]
    pub fn cloud(&self, description: &Description) -> Cloud {
        let mut cloud = description.cloud();
        let widths = [cloud.width_from, cloud.width_to];
        self.complete(&mut cloud, widths);
        cloud
    }

    /// Replaces the values of another copy in the cloud of a voice, whose widths are given.
    #[inline(always)]
    pub fn complete(&self, cloud: &mut Cloud, widths: [i16; 2]) {
        (cloud.seed, cloud.increment) = (self.seed, self.increment);
        (cloud.gain_from, cloud.gain_to) = (self.gain_from, self.gain_to);
        (cloud.phase, cloud.band_clock) = (self.phase, self.band_clock);
        [cloud.width_from, cloud.width_to] = match self.is_mirrored() {
            true => widths.map(i16::wrapping_neg),
            false => widths,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_make_the_cloud_again() {
        let words = std::array::from_fn(|word| 0x3f80_0000 + word as u32);
        let cloud = Cloud::from_words(words);
        let description = Description::of(&cloud);
        assert_eq!(UnisonCopy::of(&cloud, 7).cloud(&description), cloud);
        let mirrored = UnisonCopy::of(&cloud, 7 | UnisonCopy::MIRRORED);
        assert_eq!(mirrored.index(), 7);
        let (width_from, width_to) = (-cloud.width_from, -cloud.width_to);
        assert_eq!(mirrored.cloud(&description), Cloud { width_from, width_to, ..cloud });
    }
}
