// Plays a chord with each patch that comes in, and writes what the built module makes of it as numbers: see
// web/engine/tests/web.rs, which does the same natively.

import { readFileSync, writeSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [BLOCK, BLOCKS, RELEASE, KEYS] = [128, 200, 140, [48, 55, 64]];
const MAX_FRAMES = 1024;

const module = new WebAssembly.Module(gunzipSync(readFileSync(process.argv[2])));
const patches = readFileSync(0, "utf8").split("\0");
for (const patch of patches) {
  const { exports } = new WebAssembly.Instance(module, {});
  const instrument = exports.instrument_new(48000);
  const text = new TextEncoder().encode(patch);
  const memory = exports.reserve(text.length);
  new Uint8Array(exports.memory.buffer, memory, text.length).set(text);
  if (!exports.instrument_patch(instrument, memory, text.length)) throw new Error("no patch");
  const out = new Float32Array(2 * BLOCK * BLOCKS);
  for (let block = 0; block < BLOCKS; block++) {
    const kind = { 0: 1, [RELEASE]: 2 }[block];
    const messages = new DataView(exports.memory.buffer, exports.instrument_messages(instrument));
    if (kind) {
      KEYS.forEach((key, i) => {
        messages.setUint32(12 * i, kind | key << 16, true);
        messages.setFloat32(12 * i + 4, kind === 1 ? 0.8 : 0.5, true);
        messages.setUint32(12 * i + 8, 0, true);
      });
    }
    const at = exports.instrument_render(instrument, kind ? KEYS.length : 0, BLOCK);
    for (const side of [0, 1]) {
      const samples = new Float32Array(exports.memory.buffer, at + 4 * side * MAX_FRAMES, BLOCK);
      out.set(samples, BLOCK * (2 * block + side));
    }
  }
  const bytes = new Uint8Array(out.buffer);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
