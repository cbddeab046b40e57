// How long sound waits, so that a network that delivers unevenly is not heard; and how a gap is concealed.
// The server's clients in Rust have the same algorithm: serve/src/jitter_buffer.rs.

const BINS = 250; // A millisecond each.
const IN_TIME = 0.995; // The share of packets that must be in time.
const MARGIN = 2;
const FORGET = 0.999;
const SLACK = 4;
const PATIENCE = 200;
const SMALLEST_PERIOD = 2000;

/** Adapts the delay of a stream. All times are milliseconds. */
export class JitterBuffer {
  constructor() {
    this.smallest = [Infinity, Infinity];
    this.packets = 0;
    this.bins = new Float64Array(BINS);
    /** Sound is played so much later than its time on the server's clock. */
    this.delay = undefined;
    this.tooLong = 0;
    this.late = 0;
  }

  /** A packet that the server made at `made` has arrived; `margin` is what playing it may need besides. */
  arrived(made, now, margin = 0) {
    const way = now - made;
    this.packets++;
    if (this.packets % SMALLEST_PERIOD === 0) this.smallest = [Infinity, this.smallest[0]];
    this.smallest[0] = Math.min(this.smallest[0], way);
    const smallest = Math.min(...this.smallest);
    for (let i = 0; i < BINS; i++) this.bins[i] *= FORGET;
    this.bins[Math.min(BINS - 1, Math.floor(way - smallest))]++;
    const needed = smallest + this.needed() + MARGIN + margin;
    if (this.delay === undefined) {
      this.delay = needed;
      return;
    }
    this.tooLong = this.delay > needed + SLACK ? this.tooLong + 1 : 0;
    if (way > this.delay) {
      this.late++;
      this.delay = Math.max(needed, way + MARGIN + margin);
    } else if (needed > this.delay || this.tooLong > PATIENCE) {
      this.delay = needed;
      this.tooLong = 0;
    }
  }

  /** Milliseconds after the quickest packet in which nearly all have arrived. */
  needed() {
    let wanted = 0;
    for (let i = 0; i < BINS; i++) wanted += this.bins[i];
    wanted *= IN_TIME;
    let sum = 0;
    for (let i = 0; i < BINS; i++) {
      sum += this.bins[i];
      if (sum >= wanted) return i + 1;
    }
    return BINS;
  }
}

const ORDER = 32;

/** Continues `past` into `future` by linear prediction (Burg 1975). The engine's is engine/src/dsp/predict.rs. */
export function continueSound(past, future) {
  const count = past.length;
  const forward = Float64Array.from(past);
  const backward = Float64Array.from(past);
  let a = new Float64Array(ORDER);
  for (let order = 0; order < Math.min(ORDER, count - 1); order++) {
    let product = 0;
    let power = 0;
    for (let i = order + 1; i < count; i++) {
      product += forward[i] * backward[i - 1];
      power += forward[i] * forward[i] + backward[i - 1] * backward[i - 1];
    }
    if (power < 1e-20) break;
    const reflection = (2 * product) / power;
    const before = a.slice();
    a[order] = reflection;
    for (let i = 0; i < order; i++) a[i] = before[i] - reflection * before[order - 1 - i];
    for (let i = count - 1; i > order; i--) {
      const f = forward[i];
      const b = backward[i - 1];
      forward[i] = f - reflection * b;
      backward[i] = b - reflection * f;
    }
  }
  const window = Float64Array.from({ length: ORDER }, (_, i) => past[count - 1 - i] ?? 0);
  for (let n = 0; n < future.length; n++) {
    let next = 0;
    for (let i = 0; i < ORDER; i++) next += a[i] * window[i];
    window.copyWithin(1, 0, ORDER - 1);
    window[0] = next;
    future[n] = next;
  }
}

/** Frames of a crossfade, and the gain of the incoming sound. */
export const FADE = 256;

export function fadeIn(frame) {
  const x = Math.min(1, (frame + 1) / FADE);
  return x * x * (3 - 2 * x);
}
