//! The Fourier transform of real sound, for lengths that are a power of two.
//!
//! Real and imaginary parts are apart, as convolution needs them, and its loops are plain ones: whoever inlines them into
//! [`Work`](crate::simd::Work) has them in the best instructions. General transforms would take a third of the time
//! that the engine takes to compile.

use std::f64::consts::TAU;

/// A transform of one length, there and back.
#[derive(Clone, Debug)]
pub(crate) struct RealFft {
    /// Half of the length: sound is transformed as complex numbers of neighbouring samples.
    half: usize,
    /// e^(-i·2π·k / length) for every k below half of the length: real parts, imaginary parts.
    roots: [Vec<f32>; 2],
}

/// Memory that a transform needs: at least two samples for each one of sound.
pub(crate) type Scratch = [f32];

impl RealFft {
    /// A transform of `length` samples, a power of two from 4 on.
    pub(crate) fn new(length: usize) -> Self {
        assert!(length.is_power_of_two() && length >= 4, "not a power of two: {length}");
        let angle = |k: usize| TAU * k as f64 / length as f64;
        let half = length / 2;
        let roots = [
            (0..half).map(|k| angle(k).cos() as f32).collect(),
            (0..half).map(|k| -angle(k).sin() as f32).collect(),
        ];
        Self { half, roots }
    }

    /// The spectrum of `sound`: the real parts of its bins, then the imaginary ones. The lowest and the highest
    /// bin are real: the highest is in the place of the lowest one's imaginary part.
    #[inline(always)]
    pub(crate) fn forward(&self, sound: &[f32], spectrum: &mut [f32], scratch: &mut Scratch) {
        let half = self.half;
        let (numbers, other) = self.split(scratch);
        let (re, im) = numbers.split_at_mut(half);
        let neighbours = sound[..2 * half].as_chunks::<2>().0;
        for ((re, im), &[even, odd]) in re.iter_mut().zip(im).zip(neighbours) {
            (*re, *im) = (even, odd);
        }
        let (re, im) = self.transform(numbers, other).split_at(half);
        let (to_re, to_im) = spectrum[..2 * half].split_at_mut(half);
        let [cos, sin] = self.roots();
        for k in 1..half {
            let back = half - k;
            let (even_re, even_im) = (re[k] + re[back], im[k] - im[back]);
            let (odd_re, odd_im) = (im[k] + im[back], re[back] - re[k]);
            to_re[k] = 0.5 * (even_re + odd_re * cos[k] - odd_im * sin[k]);
            to_im[k] = 0.5 * (even_im + odd_re * sin[k] + odd_im * cos[k]);
        }
        (to_re[0], to_im[0]) = (re[0] + im[0], re[0] - im[0]);
    }

    /// The sound of a spectrum, multiplied by its length.
    #[inline(always)]
    pub(crate) fn back(&self, spectrum: &[f32], sound: &mut [f32], scratch: &mut Scratch) {
        let half = self.half;
        let (numbers, other) = self.split(scratch);
        // Real and imaginary parts in each other's place, which turns the transform around.
        let (im, re) = numbers.split_at_mut(half);
        let (from_re, from_im) = spectrum[..2 * half].split_at(half);
        let [cos, sin] = self.roots();
        for k in 1..half {
            let back = half - k;
            let (even_re, even_im) = (from_re[k] + from_re[back], from_im[k] - from_im[back]);
            let (turned_re, turned_im) = (from_re[k] - from_re[back], from_im[k] + from_im[back]);
            let odd_re = turned_re * cos[k] + turned_im * sin[k];
            let odd_im = turned_im * cos[k] - turned_re * sin[k];
            re[k] = even_re - odd_im;
            im[k] = even_im + odd_re;
        }
        (re[0], im[0]) = (from_re[0] + from_im[0], from_re[0] - from_im[0]);
        let (im, re) = self.transform(numbers, other).split_at(half);
        let neighbours = sound[..2 * half].as_chunks_mut::<2>().0;
        for ((neighbours, &even), &odd) in neighbours.iter_mut().zip(re).zip(im) {
            *neighbours = [even, odd];
        }
    }

    #[inline(always)]
    fn split<'a>(&self, scratch: &'a mut Scratch) -> (&'a mut [f32], &'a mut [f32]) {
        scratch[..4 * self.half].split_at_mut(2 * self.half)
    }

    #[inline(always)]
    fn roots(&self) -> [&[f32]; 2] {
        self.roots.each_ref().map(|parts| &parts[..self.half])
    }

    /// Transforms complex numbers, by Stockham's algorithm: four at a time, and at last two where that is
    /// left over. Both slices are used; the result is in the one that is returned.
    #[inline(always)]
    fn transform<'a>(&self, mut from: &'a mut [f32], mut to: &'a mut [f32]) -> &'a [f32] {
        let (mut length, mut stride) = (self.half, 1);
        while length >= 4 {
            self.pass_of_four(from, to, length, stride);
            std::mem::swap(&mut from, &mut to);
            (length, stride) = (length / 4, stride * 4);
        }
        if length == 2 {
            self.pass_of_two(from, to);
            std::mem::swap(&mut from, &mut to);
        }
        from
    }

    #[inline(always)]
    fn pass_of_four(&self, from: &[f32], to: &mut [f32], length: usize, stride: usize) {
        let half = self.half;
        let quarter = length / 4;
        let (re, im) = from[..2 * half].split_at(half);
        let (to_re, to_im) = to[..2 * half].split_at_mut(half);
        let row = |index: usize| index * stride..(index + 1) * stride;
        for p in 0..quarter {
            // Powers of e^(-i·2π·p / length), from the roots of twice the numbers' count.
            let root = |power: usize| {
                let index = 2 * stride * power * p;
                // The second half of the circle is the first one turned around.
                let (index, sign) = if index < half { (index, 1.0) } else { (index - half, -1.0) };
                [sign * self.roots[0][index], sign * self.roots[1][index]]
            };
            let [one, two, three] = [root(1), root(2), root(3)];
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| row(p + i * quarter));
            let ([ar, br, cr, dr], [ai, bi, ci, di]) = (
                [&re[a.clone()], &re[b.clone()], &re[c.clone()], &re[d.clone()]],
                [&im[a], &im[b], &im[c], &im[d]],
            );
            let (to_re, to_im) = (&mut to_re[4 * p * stride..], &mut to_im[4 * p * stride..]);
            let ([w, x, y, z], [wi, xi, yi, zi]) = (rows(to_re, stride), rows(to_im, stride));
            for q in 0..stride {
                let (sum_ac, sum_bd) =
                    ([ar[q] + cr[q], ai[q] + ci[q]], [br[q] + dr[q], bi[q] + di[q]]);
                let (diff_ac, diff_bd) =
                    ([ar[q] - cr[q], ai[q] - ci[q]], [br[q] - dr[q], bi[q] - di[q]]);
                (w[q], wi[q]) = (sum_ac[0] + sum_bd[0], sum_ac[1] + sum_bd[1]);
                let first = [diff_ac[0] + diff_bd[1], diff_ac[1] - diff_bd[0]];
                (x[q], xi[q]) = times(first, one);
                let second = [sum_ac[0] - sum_bd[0], sum_ac[1] - sum_bd[1]];
                (y[q], yi[q]) = times(second, two);
                let third = [diff_ac[0] - diff_bd[1], diff_ac[1] + diff_bd[0]];
                (z[q], zi[q]) = times(third, three);
            }
        }
    }

    /// The last pass, which needs no roots.
    #[inline(always)]
    fn pass_of_two(&self, from: &[f32], to: &mut [f32]) {
        for (from, to) in from.chunks_exact(self.half).zip(to.chunks_exact_mut(self.half)) {
            let ((a, b), (sum, difference)) =
                (from.split_at(self.half / 2), to.split_at_mut(self.half / 2));
            for (((sum, difference), a), b) in sum.iter_mut().zip(difference).zip(a).zip(b) {
                (*sum, *difference) = (a + b, a - b);
            }
        }
    }
}

/// The first four rows.
#[inline(always)]
fn rows(memory: &mut [f32], length: usize) -> [&mut [f32]; 4] {
    let (a, rest) = memory.split_at_mut(length);
    let (b, rest) = rest.split_at_mut(length);
    let (c, rest) = rest.split_at_mut(length);
    [a, b, c, &mut rest[..length]]
}

#[inline(always)]
fn times([re, im]: [f32; 2], [by_re, by_im]: [f32; 2]) -> (f32, f32) {
    (re * by_re - im * by_im, re * by_im + im * by_re)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::hash;

    fn noise(length: usize) -> Vec<f32> {
        (0..length as u32).map(|i| hash(i) as f32 / u32::MAX as f32 - 0.5).collect()
    }

    /// By its definition, with much more precision.
    fn spectrum_of(sound: &[f32]) -> Vec<f32> {
        let half = sound.len() / 2;
        let bin = |k: usize| {
            let angle = |n: usize| TAU * ((k * n) % sound.len()) as f64 / sound.len() as f64;
            let sound = || sound.iter().map(|&x| f64::from(x)).enumerate();
            let re: f64 = sound().map(|(n, x)| x * angle(n).cos()).sum();
            let im: f64 = sound().map(|(n, x)| -x * angle(n).sin()).sum();
            (re as f32, im as f32)
        };
        let (re, mut im): (Vec<f32>, Vec<f32>) = (0..half).map(bin).unzip();
        im[0] = bin(half).0;
        [re, im].concat()
    }

    #[test]
    fn spectra_are_right_and_sound_comes_back() {
        for length in [4, 8, 16, 64, 512, 4096] {
            let (fft, sound) = (RealFft::new(length), noise(length));
            let mut scratch = vec![f32::NAN; 2 * length];
            let mut spectrum = vec![f32::NAN; length];
            fft.forward(&sound, &mut spectrum, &mut scratch);
            let size = (length as f32).sqrt();
            for (bin, (found, right)) in spectrum.iter().zip(spectrum_of(&sound)).enumerate() {
                let off = (found - right).abs();
                assert!(off < 1e-6 * size, "{length}, {bin}: {found}, {right}");
            }
            let mut again = vec![f32::NAN; length];
            fft.back(&spectrum, &mut again, &mut scratch);
            for (frame, (found, right)) in again.iter().zip(&sound).enumerate() {
                let off = (found / length as f32 - right).abs();
                assert!(off < 1e-6, "{length}, {frame}: {found}, {right}");
            }
        }
    }
}
