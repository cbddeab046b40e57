// Records what a node plays, and makes a WAV file of it.

/** Seconds between two readings of the audio thread's ring, and the most that can be recorded. */
const PERIOD_MS = 200;
const MOST_SECONDS = 3600;

export class Recorder {
  static async open(context, source) {
    await context.audioWorklet.addModule(new URL("recorder-worklet.js", import.meta.url));
    const node = new AudioWorkletNode(context, "myriad-recorder", { numberOfOutputs: 0, channelCount: 2 });
    source.connect(node);
    return new Recorder(context, node);
  }

  constructor(context, node) {
    this.rate = context.sampleRate;
    this.node = node;
    this.chunks = [];
    this.frames = 0;
    this.lost = 0;
    node.port.onmessage = ({ data }) => this.receive(data);
  }

  start() {
    this.chunks = [];
    this.frames = 0;
    this.lost = 0;
    this.node.port.postMessage("start");
    this.timer = setInterval(() => this.node.port.postMessage("read"), PERIOD_MS);
  }

  /** Ends the recording and returns it as a WAV file. */
  async stop() {
    clearInterval(this.timer);
    await new Promise((resolve) => {
      this.ended = resolve;
      this.node.port.postMessage("stop");
    });
    return new Blob([wavHeader(this.frames, this.rate), ...this.chunks.map(to24Bits)], { type: "audio/wav" });
  }

  /** Interleaved samples, as they were played. */
  samples() {
    const all = new Float32Array(2 * this.frames);
    let at = 0;
    for (const chunk of this.chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  receive({ samples, lost, last }) {
    if (this.frames < MOST_SECONDS * this.rate) {
      this.chunks.push(samples);
      this.frames += samples.length / 2;
    }
    this.lost += lost;
    if (last) this.ended();
  }
}

const BYTES = 3;

/** Samples as whole numbers of 24 bits, lowest byte first. */
function to24Bits(samples) {
  const out = new Uint8Array(BYTES * samples.length);
  for (let i = 0; i < samples.length; i++) {
    const value = Math.round(Math.min(Math.max(samples[i], -1), 1) * 0x7fffff);
    out[BYTES * i] = value;
    out[BYTES * i + 1] = value >> 8;
    out[BYTES * i + 2] = value >> 16;
  }
  return out;
}

function wavHeader(frames, rate) {
  const data = frames * 2 * BYTES;
  const view = new DataView(new ArrayBuffer(44));
  const text = (at, word) => [...word].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + data, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // Whole numbers.
  view.setUint16(22, 2, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2 * BYTES, true);
  view.setUint16(32, 2 * BYTES, true);
  view.setUint16(34, 8 * BYTES, true);
  text(36, "data");
  view.setUint32(40, data, true);
  return view.buffer;
}
