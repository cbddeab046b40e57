// The audio thread of the recorder: a ring buffer of samples, which the page empties by messages.

/** Frames that the ring holds: the page may be busy for so long. */
const FRAMES = 1 << 19;

class RecorderProcessor extends AudioWorkletProcessor {
  constructor() {
    super();
    this.ring = new Float32Array(2 * FRAMES);
    this.written = 0;
    this.read = 0;
    this.lost = 0;
    this.recording = false;
    this.port.onmessage = ({ data }) => this.hear(data);
  }

  /** Everything that allocates happens here, between two blocks. */
  hear(word) {
    if (word === "start") {
      this.read = this.written;
      this.lost = 0;
      this.recording = true;
      return;
    }
    const last = word === "stop";
    if (last) this.recording = false;
    const samples = new Float32Array(2 * (this.written - this.read));
    for (let i = 0; i < samples.length; i++) samples[i] = this.ring[(2 * this.read + i) % this.ring.length];
    this.read = this.written;
    this.port.postMessage({ samples, lost: this.lost, last }, [samples.buffer]);
    this.lost = 0;
  }

  /** Never allocates. */
  process(inputs) {
    const left = inputs[0][0];
    const right = inputs[0][1] ?? left;
    if (!this.recording || !left) return true;
    if (this.written + left.length - this.read > FRAMES) {
      this.lost += left.length;
      return true;
    }
    for (let i = 0; i < left.length; i++) {
      const at = 2 * ((this.written + i) % FRAMES);
      this.ring[at] = left[i];
      this.ring[at + 1] = right[i];
    }
    this.written += left.length;
    return true;
  }
}

registerProcessor("myriad-recorder", RecorderProcessor);
