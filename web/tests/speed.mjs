// What the page costs in Chromium: size, time to load, partials that one core holds, and a chord of Aurora.
//
// Other work on the machine halves the speed at times. "Undisturbed" is the block that only one in a hundred beats.

import { createRequire } from "node:module";
import { readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { serve } from "./serve.mjs";

const { chromium } = createRequire(new URL("../../target/web-test/", import.meta.url).pathname)("playwright-core");
const here = (path) => new URL(path, import.meta.url).pathname;

for (const name of ["engine", "engine-relaxed"]) {
  const file = here(`../built/${name}.wasm.gz`);
  const size = gunzipSync(readFileSync(file)).length;
  console.log(`${name}: ${statSync(file).size.toLocaleString("en")} bytes packed, ${size.toLocaleString("en")} unpacked`);
}
const server = await serve();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
const began = performance.now();
await page.goto(server.address);
await page.waitForFunction(() => document.body.dataset.state !== undefined);
console.log(`page ready after ${(performance.now() - began).toFixed(0)} ms`);
const opening = await page.evaluate(async () => {
  const start = performance.now();
  await myriad.start();
  return performance.now() - start;
});
console.log(`sound ${opening.toFixed(0)} ms after the first key`);
await page.evaluate(() => myriad.context.suspend());

const results = await page.evaluate(async ([moving]) => {
  const aurora = myriad.catalogue.patchText("Aurora");
  const unpack = async (file) =>
    new Response((await fetch(file)).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const play = async (file, toml, keys) => {
    const { instance: { exports } } = await WebAssembly.instantiate(await unpack(file), {});
    const instrument = exports.instrument_new(48_000);
    const text = new TextEncoder().encode(toml);
    const memory = exports.reserve(text.length);
    new Uint8Array(exports.memory.buffer, memory, text.length).set(text);
    const start = performance.now();
    if (!exports.instrument_patch(instrument, memory, text.length)) throw new Error("no patch");
    const loading = performance.now() - start;
    const messages = new DataView(exports.memory.buffer, exports.instrument_messages(instrument));
    keys.forEach((key, i) => {
      messages.setUint32(12 * i, 1 | key << 16, true);
      messages.setFloat32(12 * i + 4, 0.8, true);
      messages.setUint32(12 * i + 8, 0, true);
    });
    exports.instrument_render(instrument, keys.length, 128);
    // Until the browser has compiled it well.
    for (let i = 0; i < 400; i++) exports.instrument_render(instrument, 0, 128);
    return { file, exports, instrument, loading, times: [] };
  };
  const low = Array.from({ length: 12 }, (_, i) => 4 + i);
  const loads = [
    await play("engine.wasm.gz", moving, low),
    await play("engine-relaxed.wasm.gz", moving, low),
    await play("engine.wasm.gz", aurora, [48, 64, 67, 72]),
    await play("engine-relaxed.wasm.gz", aurora, [48, 64, 67, 72]),
  ];
  for (let i = 0; i < 2000; i++) {
    for (const { exports, instrument, times } of loads) {
      const start = performance.now();
      exports.instrument_render(instrument, 0, 128);
      times.push(performance.now() - start);
    }
  }
  return loads.map(({ file, exports, instrument, loading, times }) => {
    times.sort((a, b) => a - b);
    const partials = new Float32Array(exports.memory.buffer, exports.instrument_meters(instrument), 4)[3];
    const period = 128 / 48;
    return { file, partials, loading, undisturbed: times[20] / period, median: times[1000] / period };
  });
}, [readFileSync(here("moving.toml"), "utf8")]);

const thousand = (number) => Math.round(number).toLocaleString("en");
for (const { file, partials, undisturbed, median } of results.slice(0, 2)) {
  console.log(`${file}: ${thousand(partials / undisturbed)} moving partials undisturbed, ${thousand(partials / median)} at the median`);
}
for (const { file, undisturbed, median, loading } of results.slice(2)) {
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  console.log(`${file}: four notes of Aurora take ${percent(undisturbed)} of a core undisturbed, ${percent(median)} at the median; its patch loads in ${loading.toFixed(1)} ms`);
}
await browser.close();
server.close();
