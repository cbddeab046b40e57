// Measures captured sound.

export const peak = (samples) => samples.reduce((loudest, x) => Math.max(loudest, Math.abs(x)), 0);

export const gainDb = (a, b) => 20 * Math.log10(a / b);

/** The pitch of a tone, from the first to the last upward zero crossing, each between two samples. */
export function pitch(samples, rate) {
  const crossings = [];
  for (let i = 1; i < samples.length; i++) {
    if (samples[i - 1] < 0 && samples[i] >= 0) crossings.push(i - samples[i] / (samples[i] - samples[i - 1]));
  }
  return ((crossings.length - 1) * rate) / (crossings.at(-1) - crossings[0]);
}

/**
 * Whether a sine has no discontinuity: x[n] - 2 cos(w) x[n-1] + x[n-2] is zero for a pure one. The bound is a
 * thousandth of full scale; rounding makes less than a millionth.
 */
export function isClean(samples, hertz, rate) {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  for (let i = 2; i < samples.length; i++) {
    if (Math.abs(samples[i] - factor * samples[i - 1] + samples[i - 2]) > 1e-3) return false;
  }
  return true;
}

/** The mean frequency, weighted by amplitude, of a power of two of samples. */
export function centroid(samples, rate) {
  const size = 2 ** Math.floor(Math.log2(samples.length));
  const re = Float64Array.from({ length: size }, (_, i) => samples[i] * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size)));
  const im = new Float64Array(size);
  transform(re, im);
  let [sum, weighted] = [0, 0];
  for (let i = 1; i < size / 2; i++) {
    const level = Math.hypot(re[i], im[i]);
    sum += level;
    weighted += level * i;
  }
  return ((weighted / sum) * rate) / size;
}

/** The fast Fourier transform, in place. */
function transform(re, im) {
  const size = re.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    for (let i = 0; i < size; i += length) {
      for (let k = 0; k < length / 2; k++) {
        const angle = (-2 * Math.PI * k) / length;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const [a, b] = [i + k, i + k + length / 2];
        const [x, y] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c];
        [re[b], im[b]] = [re[a] - x, im[a] - y];
        [re[a], im[a]] = [re[a] + x, im[a] + y];
      }
    }
  }
}
