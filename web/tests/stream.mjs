// The audio worklet of a seat without a browser: packets come as a network brings them, and what it plays is
// measured. Time is counted in quanta, so nothing depends on the machine.

import assert from "node:assert/strict";

const RATE = 48_000;
const QUANTUM = 128;
const BLOCK = 256;

globalThis.sampleRate = RATE;
globalThis.currentFrame = 0;
globalThis.currentTime = 0;
globalThis.AudioWorkletProcessor = class {
  port = { postMessage() {} };
};
let Processor;
globalThis.registerProcessor = (_, made) => (Processor = made);
await import("../page/stream-worklet.js");

const HERTZ = 440;
const tone = (frame) => 0.5 * Math.sin((2 * Math.PI * HERTZ * frame) / RATE);

function packet(frame, silent = false) {
  const bytes = new ArrayBuffer(16 + (silent ? 0 : BLOCK * 8));
  const head = new DataView(bytes);
  head.setUint8(0, 0x4d);
  head.setUint8(1, silent ? 0 : 1);
  head.setUint16(2, BLOCK, true);
  head.setBigUint64(8, BigInt(frame), true);
  for (let i = 0; !silent && i < BLOCK; i++) {
    head.setFloat32(16 + 8 * i, tone(frame + i), true);
    head.setFloat32(20 + 8 * i, tone(frame + i), true);
  }
  return bytes;
}

/**
 * Plays `seconds`. Packet `n` is made when the server's clock shows its first frame and arrives `delay(n)` seconds
 * later; never if that is undefined. The server's clock is `drift` faster and `ahead` frames ahead.
 */
function play({ seconds, delay, drift = 0, rate = RATE, ahead = 1_000_000 }) {
  globalThis.sampleRate = rate;
  const processor = new Processor();
  const reports = [];
  processor.packets = { postMessage: (report) => reports.push(report) };
  processor.setRate(RATE);
  const arrivals = [];
  for (let n = 0; n * BLOCK < seconds * RATE; n++) {
    const late = delay(n);
    const made = (n * BLOCK) / (RATE * (1 + drift));
    if (late !== undefined) arrivals.push({ at: made + late, frame: ahead + n * BLOCK });
  }
  arrivals.sort((a, b) => a.at - b.at);
  const heard = [];
  for (let quantum = 0; quantum * QUANTUM < seconds * rate; quantum++) {
    globalThis.currentFrame = quantum * QUANTUM;
    globalThis.currentTime = currentFrame / rate;
    while (arrivals.length > 0 && arrivals[0].at <= currentTime) processor.receive(packet(arrivals.shift().frame));
    const output = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
    processor.process([], [output]);
    heard.push(...output[0]);
  }
  return { heard, processor, reports };
}

/** The largest deviation from a sine of this pitch, of whatever phase and level, between three samples. */
function roughness(samples, rate = RATE) {
  const factor = 2 * Math.cos((2 * Math.PI * HERTZ) / rate);
  let worst = 0;
  for (let i = 2; i < samples.length; i++) {
    worst = Math.max(worst, Math.abs(samples[i] - factor * samples[i - 1] + samples[i - 2]));
  }
  return worst;
}

const even = () => 0.002;
const tests = {
  "an even network: every sample as it was rendered, after a few milliseconds"() {
    const { heard, processor } = play({ seconds: 2, delay: even });
    const start = heard.findIndex((x) => x !== 0);
    assert.ok(start < 0.03 * RATE, `${start} frames`);
    const first = Math.round(processor.position - heard.length);
    const wrong = heard.findIndex((x, i) => i > start + 300 && x !== Math.fround(tone(first + i)));
    assert.equal(wrong, -1);
    assert.equal(processor.concealed, 0);
    assert.ok(processor.buffer.delay < 12, `${processor.buffer.delay} ms`);
  },
  "packets that never come are concealed without a click"() {
    for (const missing of [[200], [200, 201], [200, 201, 202, 203, 204, 205], [200, 210, 220]]) {
      const { heard, processor } = play({ seconds: 2, delay: (n) => (missing.includes(n) ? undefined : 0.002) });
      assert.ok(processor.concealed >= 1);
      // A fade over 256 frames bends a sine by this much, a cut by a hundred times more.
      assert.ok(roughness(heard.slice(2000)) < 1.5e-3, `${missing}: ${roughness(heard.slice(2000))}`);
      assert.ok(roughness(heard.slice(-24_000)) < 1e-6, "and it is exact again");
    }
  },
  "the delay grows when packets come unevenly, and shrinks again"() {
    const uneven = (n) => (n > 400 && n < 1200 && n % 10 === 0 ? 0.025 : 0.002);
    const { heard, processor } = play({ seconds: 30, delay: uneven });
    assert.ok(processor.concealed <= 3, `${processor.concealed}`);
    assert.ok(processor.buffer.delay < 12, `${processor.buffer.delay} ms at the end`);
    assert.ok(roughness(heard.slice(2000)) < 3e-3, `${roughness(heard.slice(2000))}`);
  },
  "a clock that drifts is followed"() {
    for (const drift of [200e-6, -200e-6]) {
      const { heard, processor } = play({ seconds: 60, delay: even, drift });
      assert.ok(processor.concealed <= 1, `${processor.concealed}`);
      assert.ok(roughness(heard.slice(2000)) < 3e-3, `${roughness(heard.slice(2000))}`);
      const behind = processor.now - processor.position;
      assert.ok(Math.abs(behind / 48 - processor.buffer.delay) < 8, `${behind / 48} ms`);
    }
  },
  "another sample rate is converted"() {
    const { heard, processor } = play({ seconds: 2, delay: even, rate: 44_100 });
    assert.equal(processor.concealed, 0);
    assert.ok(roughness(heard.slice(4000), 44_100) < 1e-4, `${roughness(heard.slice(4000), 44_100)}`);
  },
  "after a pause of the network it goes on"() {
    const pause = (n) => (n >= 300 && n < 400 ? 0.002 + ((400 - n) * BLOCK) / RATE : 0.002);
    const { heard } = play({ seconds: 12, delay: pause });
    assert.ok(heard.slice(-4800).some((x) => Math.abs(x) > 0.4));
    assert.ok(roughness(heard.slice(2000)) < 3e-3, `${roughness(heard.slice(2000))}`);
  },
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    run();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
