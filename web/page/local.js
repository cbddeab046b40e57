// The instrument in this browser: the engine in an AudioWorklet.
//
// Every instrument has the same interface, so that the page does not know where the sound is made:
//   async open(audioContext) -> AudioNode   starts it; the node is not connected yet
//   send(event)      {type: "noteOn" | "noteOff", key, velocity, channel}, {type: "bend", value, channel},
//                    {type: "pressure", value, channel}, {type: "keyPressure", key, value, channel},
//                    {type: "control", controller, value, channel}, {type: "param", id, value}, {type: "panic"},
//                    {type: "patch", name}, {type: "patchText", toml}
//                    Keys and controllers are MIDI's numbers, channels count from 0, values go from 0 to 1,
//                    bends from -1 to 1, values of parameters are in their own unit.
//   onmeters(callback)   called for each frame of the screen with what `readMeters` (meters.js) returns
//   parameters(), patches()   the table and the factory patches, as the catalogue has them
//   close()

import { engineModule } from "./engine.js";
import { MessageRing, WORDS, encode } from "./messages.js";
import { MOST, readMeters } from "./meters.js";

/** A block of the audio thread, and the engine's fade. */
const FADE_MS = 15;

export class LocalInstrument {
  constructor(catalogue) {
    this.catalogue = catalogue;
    this.words = new Uint32Array(WORDS);
    /** Events that wait until a patch is loaded or the ring has room, in order. */
    this.waiting = [];
    this.loading = 0;
    this.callback = () => {};
  }

  async open(context) {
    const { bytes } = await engineModule();
    await context.audioWorklet.addModule(new URL("local-worklet.js", import.meta.url));
    const shared = globalThis.crossOriginIsolated;
    if (shared) {
      this.ring = new MessageRing(new SharedArrayBuffer(MessageRing.BYTES));
      this.request = new Int32Array(new SharedArrayBuffer(4));
      this.numbers = new Float32Array(new SharedArrayBuffer(4 * MOST));
    }
    this.node = new AudioWorkletNode(context, "myriad-local", {
      numberOfInputs: 0,
      outputChannelCount: [2],
      processorOptions: {
        bytes,
        ring: this.ring?.words.buffer,
        request: this.request?.buffer,
        numbers: this.numbers?.buffer,
      },
    });
    await new Promise((resolve, reject) => {
      this.node.port.onmessage = ({ data }) => {
        if (data.ready) resolve();
        if (data.error) reject(new Error(data.error));
        if (data.loaded !== undefined) this.loaded();
        if (data.meters) this.callback(readMeters(data.meters));
      };
      this.node.onprocessorerror = () => reject(new Error("the audio engine stopped"));
    });
    this.isOpen = true;
    this.drain();
    this.frame = requestAnimationFrame(() => this.poll());
    return this.node;
  }

  send(event) {
    this.waiting.push(event);
    this.drain();
  }

  onmeters(callback) {
    this.callback = callback;
  }

  parameters() {
    return this.catalogue.parameters;
  }

  patches() {
    return this.catalogue.patches;
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.isOpen = false;
    this.node?.port.postMessage({ close: true });
    this.node?.disconnect();
  }

  /** Passes on what waits: a note after a change of the patch plays the new one. */
  drain() {
    while (this.isOpen && this.loading === 0 && this.waiting.length > 0) {
      const event = this.waiting[0];
      if (event.type === "patch" || event.type === "patchText") {
        this.load(event.toml ?? this.catalogue.patchText(event.name));
      } else if (!this.pass(event)) {
        return;
      }
      this.waiting.shift();
    }
  }

  /** Passes on one event; returns whether there was room. */
  pass(event) {
    if (!encode(event, (id) => this.catalogue.index(id), this.words)) return true;
    if (this.ring) return this.ring.push(this.words);
    this.node.port.postMessage(this.words);
    return true;
  }

  /** Notes fade first, because the audio thread has nothing to play while it loads a large patch. */
  load(toml) {
    this.loading++;
    this.pass({ type: "panic" });
    // An audio thread cannot encode text.
    const patch = new TextEncoder().encode(toml);
    setTimeout(() => this.node.port.postMessage({ patch }), FADE_MS);
  }

  loaded() {
    this.loading--;
    this.drain();
  }

  /** Asks for meters once a frame; the audio thread fills them in between. */
  poll() {
    this.frame = requestAnimationFrame(() => this.poll());
    this.drain();
    if (!this.request) {
      this.node.port.postMessage({ meters: true });
    } else if (Atomics.load(this.request, 0) === 0) {
      this.callback(readMeters(this.numbers));
      Atomics.store(this.request, 0, 1);
    }
  }
}
