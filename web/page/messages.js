// Messages to the engine as words, and the ring buffer that carries them to the audio thread.

/** Words of a message: kind, channel and number; value; frame. See `web/engine/src/message.rs`. */
export const WORDS = 3;

const KINDS = { noteOn: 1, noteOff: 2, bend: 3, pressure: 4, keyPressure: 5, control: 6, param: 7, panic: 8 };

const value = new Float32Array(1);
const bits = new Uint32Array(value.buffer);

/** Writes an event to `words`; returns whether it is one. `index` finds a parameter's row by its id. */
export function encode(event, index, words) {
  const kind = KINDS[event.type];
  if (!kind) return false;
  const number = event.type === "param" ? index(event.id) : (event.key ?? event.controller ?? 0);
  if (number === undefined) return false;
  value[0] = event.velocity ?? event.value ?? 0;
  words[0] = kind | ((event.channel ?? 0) & 15) << 8 | number << 16;
  words[1] = bits[0];
  words[2] = 0;
  return true;
}

/**
 * A ring buffer of messages for one writer and one reader. In shared memory the two are the page and the audio
 * thread; otherwise both are on the audio thread, which fills it from its port.
 */
export class MessageRing {
  static CAPACITY = 1024;
  static BYTES = 4 * (2 + MessageRing.CAPACITY * WORDS);

  constructor(buffer) {
    this.places = new Int32Array(buffer, 0, 2); // How many were written and read, wrapping.
    this.words = new Uint32Array(buffer, 8);
  }

  /** Adds a message; returns whether there was room. */
  push(words) {
    const written = Atomics.load(this.places, 0);
    if (((written - Atomics.load(this.places, 1)) | 0) >= MessageRing.CAPACITY) return false;
    const at = (written & (MessageRing.CAPACITY - 1)) * WORDS;
    for (let i = 0; i < WORDS; i++) this.words[at + i] = words[i];
    Atomics.store(this.places, 0, (written + 1) | 0);
    return true;
  }

  /** Moves the oldest messages, as many as fit, to `out`; returns how many. Never allocates. */
  take(out) {
    const written = Atomics.load(this.places, 0);
    let read = Atomics.load(this.places, 1);
    let count = 0;
    for (; read !== written && (count + 1) * WORDS <= out.length; count++, read = (read + 1) | 0) {
      const at = (read & (MessageRing.CAPACITY - 1)) * WORDS;
      for (let i = 0; i < WORDS; i++) out[count * WORDS + i] = this.words[at + i];
    }
    Atomics.store(this.places, 1, read);
    return count;
  }
}
