// Plays the packets of a seat: a buffer that adapts to the network, and no clicks where a packet is missing.

import { FADE, JitterBuffer, continueSound, fadeIn } from "./jitter-buffer.js";

/** Frames of the ring, and of the runs in which it is known whether they have arrived: packets begin and end with one. */
const FRAMES = 1 << 16;
const RUN = 8;
const HISTORY = 512;
const HEADER = 16;
const SILENT = 0;
const FLOAT = 1;
/** Frames around a jump in which a similar waveform is looked for, and over which it is compared. */
const SEARCH = 240;
const COMPARED = 192;
const REPORT_SECONDS = 0.5;

class StreamProcessor extends AudioWorkletProcessor {
  constructor() {
    super();
    this.ring = [new Float32Array(FRAMES), new Float32Array(FRAMES)];
    this.runs = new Float64Array(FRAMES / RUN).fill(-1);
    this.buffer = new JitterBuffer();
    this.history = [new Float32Array(HISTORY), new Float32Array(HISTORY)];
    this.prediction = [new Float32Array(FADE), new Float32Array(FADE)];
    this.quantum = [new Float32Array(FADE), new Float32Array(FADE)];
    this.other = [new Float32Array(FADE), new Float32Array(FADE)];
    /** Frames of the prediction that are over, and of the sound since it came back. */
    this.predicted = FADE;
    this.fadedIn = 0;
    this.isPlaying = false;
    this.concealed = 0;
    this.isClosed = false;
    this.reported = 0;
    this.port.onmessage = ({ data }) => {
      if (data.close) this.isClosed = true;
      if (data.port) {
        this.packets = data.port;
        this.packets.onmessage = ({ data }) => (data.rate ? this.setRate(data.rate) : this.receive(data));
      }
    };
  }

  setRate(rate) {
    this.rate = rate;
    this.ratio = rate / sampleRate;
  }

  /** Frames of the server's clock that this thread has played. */
  get now() {
    return currentFrame * this.ratio;
  }

  receive(packet) {
    if (!(packet instanceof ArrayBuffer) || packet.byteLength < HEADER || !this.rate) return;
    const head = new DataView(packet);
    const kind = head.getUint8(1);
    const frames = head.getUint16(2, true);
    const frame = Number(head.getBigUint64(8, true));
    const [left, right] = this.ring;
    const samples = kind === SILENT ? undefined
      : kind === FLOAT ? new Float32Array(packet, HEADER)
      : new Int16Array(packet, HEADER);
    const scale = kind === FLOAT ? 1 : 1 / 32767;
    for (let i = 0; i < frames; i++) {
      const at = (frame + i) & (FRAMES - 1);
      left[at] = samples ? samples[2 * i] * scale : 0;
      right[at] = samples ? samples[2 * i + 1] * scale : 0;
    }
    for (let run = frame / RUN; run < (frame + frames) / RUN; run++) this.runs[run % this.runs.length] = run;
    // What is played in one go must have arrived before, so a quantum is needed besides.
    const ms = 1e3 / this.rate;
    this.buffer.arrived(frame * ms, this.now * ms, (1e3 * 128) / sampleRate);
  }

  /** Whether all frames from `from` to `to` have arrived. */
  has(from, to) {
    for (let run = Math.floor(from / RUN); run <= Math.floor(to / RUN); run++) {
      if (this.runs[((run % this.runs.length) + this.runs.length) % this.runs.length] !== run) return false;
    }
    return true;
  }

  /** A frame between others (Hermite); at the server's rate it is one of them. */
  sample(side, position) {
    const ring = this.ring[side];
    const index = Math.floor(position);
    const t = position - index;
    const b = ring[index & (FRAMES - 1)];
    if (t === 0) return b;
    const a = ring[(index - 1) & (FRAMES - 1)];
    const c = ring[(index + 1) & (FRAMES - 1)];
    const d = ring[(index + 2) & (FRAMES - 1)];
    const c1 = (c - a) / 2;
    const c2 = a - 2.5 * b + 2 * c - d / 2;
    const c3 = (d - a) / 2 + 1.5 * (b - c);
    return ((c3 * t + c2) * t + c1) * t + b;
  }

  read(position, count, out) {
    for (let side = 0; side < 2; side++) {
      for (let i = 0; i < count; i++) out[side][i] = this.sample(side, position + i * this.ratio);
    }
  }

  /** The position near `wanted` from which the sound goes on most like from here. */
  similar(wanted, count) {
    let best = wanted;
    let bestMatch = -Infinity;
    for (let shift = -SEARCH; shift <= SEARCH; shift += 4) {
      const at = wanted + shift;
      if (!this.has(at - 1, at + count * this.ratio + COMPARED + 2)) continue;
      let product = 0;
      let power = 1e-12;
      for (let i = 0; i < COMPARED; i += 3) {
        const here = this.ring[0][(this.position + i) & (FRAMES - 1)] + this.ring[1][(this.position + i) & (FRAMES - 1)];
        const there = this.ring[0][(at + i) & (FRAMES - 1)] + this.ring[1][(at + i) & (FRAMES - 1)];
        product += here * there;
        power += there * there;
      }
      const match = product / Math.sqrt(power);
      if (match > bestMatch) {
        bestMatch = match;
        best = at;
      }
    }
    return best;
  }

  process(_, [output]) {
    if (this.isClosed) return false;
    if (this.buffer.delay === undefined) return true;
    const count = output[0].length;
    const wanted = Math.round(this.now - (this.buffer.delay * this.rate) / 1e3);
    if (this.position === undefined) this.position = wanted;
    const span = count * this.ratio;
    const isHere = this.has(this.position - 1, this.position + span + 2);
    const { quantum, other } = this;
    if (isHere) {
      this.read(this.position, count, quantum);
      // Clocks drift and networks change: when the delay is not what it should be, another place is faded to.
      if (Math.abs(wanted - this.position) > 0.003 * this.rate && this.predicted === FADE && this.fadedIn >= FADE) {
        const to = this.similar(wanted, count);
        if (this.has(to - 1, to + span + 2)) {
          this.read(to, count, other);
          for (let i = 0; i < count; i++) {
            const gain = (i + 1) / count;
            for (let side = 0; side < 2; side++) quantum[side][i] += gain * (other[side][i] - quantum[side][i]);
          }
          this.position = to;
        }
      }
    } else {
      if (this.isPlaying) this.predict();
      // Nothing is heard here, so the place may change at once.
      if (Math.abs(wanted - this.position) > 0.001 * this.rate) this.position = wanted;
    }
    this.isPlaying = isHere;
    for (let i = 0; i < count; i++) {
      const arriving = isHere ? fadeIn(this.fadedIn) : 0;
      const leaving = this.predicted < FADE ? 1 - fadeIn(this.predicted) : 0;
      for (let side = 0; side < 2; side++) {
        const predicted = leaving > 0 ? leaving * this.prediction[side][this.predicted] : 0;
        const sample = (isHere ? arriving * quantum[side][i] : 0) + predicted;
        if (output[side]) output[side][i] = sample;
        quantum[side][i] = sample;
      }
      if (isHere && this.fadedIn < FADE) this.fadedIn++;
      if (this.predicted < FADE) this.predicted++;
    }
    for (let side = 0; side < 2; side++) {
      this.history[side].copyWithin(0, count);
      this.history[side].set(quantum[side].subarray(0, count), HISTORY - count);
    }
    this.position += span;
    this.report();
    return true;
  }

  /** A packet is missing: what was heard goes on for some milliseconds, and fades out. */
  predict() {
    for (let side = 0; side < 2; side++) continueSound(this.history[side], this.prediction[side]);
    this.predicted = 0;
    this.fadedIn = 0;
    this.concealed++;
  }

  report() {
    if (currentTime - this.reported < REPORT_SECONDS) return;
    this.reported = currentTime;
    this.packets.postMessage({
      position: this.position,
      bufferMs: this.buffer.delay - Math.min(...this.buffer.smallest),
      late: this.buffer.late,
      concealed: this.concealed,
    });
  }
}

registerProcessor("myriad-stream", StreamProcessor);
