// The audio thread of the instrument in this browser: the engine's module and its ring of messages.

import { MessageRing } from "./messages.js";
import { MOST } from "./meters.js";

const MAX_MESSAGES = 512;
const MAX_FRAMES = 1024;

class LocalProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions: { bytes, ring, request, numbers } }) {
    super();
    this.ring = new MessageRing(ring ?? new ArrayBuffer(MessageRing.BYTES));
    this.request = request && new Int32Array(request);
    this.numbers = numbers && new Float32Array(numbers);
    this.port.onmessage = ({ data }) => this.hear(data);
    try {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
      this.exports = instance.exports;
      this.instrument = this.exports.instrument_new(sampleRate);
      if (!this.instrument) throw new Error(`no engine at ${sampleRate} Hz`);
      this.look();
      this.port.postMessage({ ready: true });
    } catch (error) {
      this.port.postMessage({ error: String(error) });
    }
  }

  /** Views of the module's memory, which moves when it grows: after everything that allocates. */
  look() {
    const { memory, instrument_messages, instrument_render, instrument_meters } = this.exports;
    const messages = instrument_messages(this.instrument);
    this.messages = new Uint32Array(memory.buffer, messages, 3 * MAX_MESSAGES);
    const left = instrument_render(this.instrument, 0, 0);
    this.left = new Float32Array(memory.buffer, left, MAX_FRAMES);
    this.right = new Float32Array(memory.buffer, left + 4 * MAX_FRAMES, MAX_FRAMES);
    this.meters = new Float32Array(memory.buffer, instrument_meters(this.instrument), MOST);
  }

  /** Everything that allocates happens here, between two blocks. */
  hear(data) {
    if (data instanceof Uint32Array) {
      this.ring.push(data);
    } else if (data.patch) {
      const text = data.patch;
      const memory = this.exports.reserve(text.length);
      new Uint8Array(this.exports.memory.buffer, memory, text.length).set(text);
      const loaded = this.exports.instrument_patch(this.instrument, memory, text.length);
      this.look();
      this.port.postMessage({ loaded: loaded !== 0 });
    } else if (data.meters) {
      this.exports.instrument_meters(this.instrument);
      this.port.postMessage({ meters: this.meters.slice() });
    } else if (data.close) {
      this.closed = true;
    }
  }

  /** Renders a block. Never allocates. */
  process(_, outputs) {
    const left = outputs[0][0];
    const right = outputs[0][1];
    const count = this.ring.take(this.messages);
    this.exports.instrument_render(this.instrument, count, left.length);
    for (let i = 0; i < left.length; i++) {
      left[i] = this.left[i];
      right[i] = this.right[i];
    }
    if (this.request && Atomics.load(this.request, 0) === 1) {
      this.exports.instrument_meters(this.instrument);
      this.numbers.set(this.meters);
      Atomics.store(this.request, 0, 0);
    }
    return !this.closed;
  }
}

registerProcessor("myriad-local", LocalProcessor);
