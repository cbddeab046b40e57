// The page in a real Chromium: keys are pressed, and the sound that comes out is measured.
//
//     web/tests/run           installs what it needs, then runs this

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { gainDb, isClean, peak, pitch, centroid } from "./measure.mjs";
import { serve } from "./serve.mjs";

const PICTURES = new URL("../../target/web-test/", import.meta.url).pathname;
const { chromium } = createRequire(PICTURES)("playwright-core");
const SINE = 'format = 3\nname = "Sine"\n[source]\npartials = 1\n[amp]\nvelocity = 0\n';
const DESKTOP = { width: 1372, height: 892 };
const PHONE = { width: 390, height: 844 };

const filter = process.argv[2] ?? "";
const tests = [];
const test = (name, run) => name.includes(filter) && tests.push([name, run]);

/** Everything that a test needs: a page that has loaded, and what went wrong on it. */
async function open(browser, server, { viewport = DESKTOP, touch = false, hash = "", context } = {}) {
  context ??= await browser.newContext({
    viewport, hasTouch: touch, isMobile: touch, deviceScaleFactor: touch ? 2 : 1, acceptDownloads: true,
  });
  const page = await context.newPage();
  page.failures = [];
  page.on("console", (message) => message.type() === "error" && page.failures.push(message.text()));
  page.on("pageerror", (error) => page.failures.push(String(error)));
  await page.goto(server.address + hash);
  await page.waitForFunction(() => document.body.dataset.state !== undefined);
  return page;
}

/** Opens a patch from its text, as if its file had been dropped on the page. */
async function drop(page, toml, name = "patch.toml") {
  await page.evaluate(([toml, name]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([toml], name));
    dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
  }, [toml, name]);
}

/** Starts the sound as a user does. */
async function start(page) {
  await page.click("#start");
  await page.waitForFunction(() => document.body.dataset.state === "playing");
}

/** What sounds while `act` runs, and some time after: left samples. */
async function capture(page, milliseconds, act = () => {}) {
  await page.evaluate(() => myriad.recorder.start());
  await act();
  const frames = (48 * milliseconds) | 0;
  await page.waitForFunction((frames) => myriad.recorder.frames >= frames, frames);
  const left = await page.evaluate(async () => {
    await myriad.recorder.stop();
    if (myriad.recorder.lost > 0) throw new Error("frames were lost");
    return [...myriad.recorder.samples().filter((_, i) => i % 2 === 0)];
  });
  return Float32Array.from(left);
}

/** Where a key of the piano is, near its lower edge. */
async function keyPlace(page, key) {
  return page.evaluate((key) => {
    const { left, width, bottom } = myriad.keyboard.keys.get(key).getBoundingClientRect();
    return [left + width / 2, bottom - 6];
  }, key);
}

for (const isolated of [true, false]) {
  const how = isolated ? "shared memory" : "messages";

  test(`a key that is clicked sounds, by ${how}`, async (browser, servers) => {
    const page = await open(browser, servers[isolated ? "isolated" : "plain"]);
    assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
    assert.equal(await page.evaluate(() => myriad.instrument.ring !== undefined), false, "not before it is open");
    await drop(page, SINE);
    await page.waitForFunction(() => document.getElementById("patch-name").textContent === "Sine");
    await start(page);
    assert.equal(await page.evaluate(() => myriad.instrument.ring !== undefined), isolated);
    const [x, y] = await keyPlace(page, 69);
    const sound = await capture(page, 1500, async () => {
      await page.mouse.move(x, y);
      await page.mouse.down();
    });
    const steady = sound.subarray(48_000, 67_200);
    assert.ok(Math.abs(pitch(steady, 48_000) - 440) < 0.05, `${pitch(steady, 48_000)} Hz`);
    // What the same engine makes of the note when it renders by itself.
    const expected = await page.evaluate(async ([toml, key]) => {
      const { engineModule } = await import("./engine.js");
      const { instance: { exports } } = await WebAssembly.instantiate((await engineModule()).bytes, {});
      const instrument = exports.instrument_new(48_000);
      const text = new TextEncoder().encode(toml);
      const memory = exports.reserve(text.length);
      new Uint8Array(exports.memory.buffer, memory, text.length).set(text);
      exports.instrument_patch(instrument, memory, text.length);
      const messages = new DataView(exports.memory.buffer, exports.instrument_messages(instrument));
      messages.setUint32(0, 1 | key << 16, true);
      messages.setFloat32(4, 0.9, true);
      let loudest = 0;
      for (let block = 0; block < 500; block++) {
        const at = exports.instrument_render(instrument, block === 0 ? 1 : 0, 128);
        if (block > 375) loudest = Math.max(loudest, ...new Float32Array(exports.memory.buffer, at, 128));
      }
      return loudest;
    }, [SINE, 69]);
    assert.ok(expected > 0.01);
    assert.ok(Math.abs(gainDb(peak(steady), expected)) < 0.1, `${peak(steady)} for ${expected}`);
    assert.ok(isClean(steady, 440, 48_000), "clicks");
    const end = await capture(page, 3000, () => page.mouse.up());
    assert.ok(peak(end.subarray(-4800)) < 1e-4, "the note ends");
    assert.deepEqual(page.failures, []);
    await page.context().close();
  });
}

test("both modules sound alike", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  const worst = await page.evaluate(async () => {
    const unpack = async (file) =>
      new Response((await fetch(file)).body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const files = ["engine.wasm.gz", "engine-relaxed.wasm.gz"];
    const modules = await Promise.all(files.map(async (file) => WebAssembly.compile(await unpack(file))));
    const chord = (module, toml) => {
      const { exports } = new WebAssembly.Instance(module, {});
      const instrument = exports.instrument_new(48_000);
      const text = new TextEncoder().encode(toml);
      const memory = exports.reserve(text.length);
      new Uint8Array(exports.memory.buffer, memory, text.length).set(text);
      exports.instrument_patch(instrument, memory, text.length);
      const messages = new DataView(exports.memory.buffer, exports.instrument_messages(instrument));
      [48, 55, 64].forEach((key, i) => {
        messages.setUint32(12 * i, 1 | key << 16, true);
        messages.setFloat32(12 * i + 4, 0.8, true);
        messages.setUint32(12 * i + 8, 0, true);
      });
      const out = [];
      for (let block = 0; block < 150; block++) {
        const at = exports.instrument_render(instrument, block === 0 ? 3 : 0, 128);
        out.push(...new Float32Array(exports.memory.buffer, at, 128));
      }
      return out;
    };
    return myriad.catalogue.patches.filter((_, i) => i % 17 === 0).map(({ name }) => {
      const [a, b] = modules.map((module) => chord(module, myriad.catalogue.patchText(name)));
      return [name, Math.max(...a.map((x, i) => Math.abs(x - b[i]))), Math.max(...a)];
    });
  });
  assert.ok(worst.length >= 12);
  for (const [name, difference, loudest] of worst) {
    assert.ok(loudest > 1e-3, `${name} is silent`);
    assert.ok(gainDb(difference, 1) < -110, `${name}: ${gainDb(difference, 1)} dBFS`);
  }
  console.log(`the worst difference is ${Math.max(...worst.map(([, difference]) => gainDb(difference, 1))).toFixed(1)} dBFS`);
  await page.context().close();
});

test("keys of the computer play, also after a change of octave", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  await drop(page, SINE);
  await start(page);
  await page.keyboard.press("x");
  const base = await page.evaluate(() => myriad.keys.base);
  const sound = await capture(page, 800, () => page.keyboard.down("a"));
  const hertz = 440 * 2 ** ((base - 69) / 12);
  assert.ok(Math.abs(pitch(sound.subarray(-19_200), 48_000) / hertz - 1) < 2e-4);
  await page.keyboard.press("z");
  await page.keyboard.up("a");
  const end = await capture(page, 2500);
  assert.ok(peak(end.subarray(-4800)) < 1e-4, "the note that was started ends");
  await page.context().close();
});

test("MIDI plays, with MPE", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  await drop(page, SINE);
  await start(page);
  const hear = (...messages) => page.evaluate((all) => all.forEach((bytes) => myriad.midi.hear(bytes)), messages);
  // 15 note channels; a note on channel 2 that its own channel bends by a semitone of 48, and the wheel of another.
  await hear([0xb0, 101, 0], [0xb0, 100, 6], [0xb0, 6, 15]);
  const bend = 8192 + Math.round(8191 / 48);
  const sound = await capture(page, 900, () =>
    hear([0x91, 69, 110], [0xe1, bend & 127, bend >> 7], [0xe2, 0, 0]),
  );
  const semitones = 12 * Math.log2(pitch(sound.subarray(-19_200), 48_000) / 440);
  assert.ok(Math.abs(semitones - 1) < 0.01, `${semitones} semitones`);
  await page.context().close();
});

test("patches are found and changed, and a macro changes the sound", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  const files = readdirSync(new URL("../../engine/assets/patches", import.meta.url)).filter((name) => name.endsWith(".toml"));
  assert.equal(await page.evaluate(() => myriad.instrument.patches().length), files.length);
  await page.click("#browse");
  await page.fill("#search", "northern lights");
  assert.equal(await page.locator("#patch-list li").count(), 1);
  await page.click("#patch-list li");
  assert.equal(await page.textContent("#patch-name"), "Aurora");
  await page.mouse.click(...(await keyPlace(page, 60)));
  await page.waitForFunction(() => document.body.dataset.state === "playing");
  await page.keyboard.down("a");
  const dark = await capture(page, 4000);
  await page.locator("#macros .knob").first().focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("#macros .knob").first().getAttribute("aria-valuetext"), "100%");
  const bright = await capture(page, 2000);
  const [low, high] = [dark, bright].map((sound) => centroid(sound.subarray(-16_384), 48_000));
  assert.ok(high > 1.2 * low, `${low} Hz, then ${high} Hz`);
  // The next patch; the old note fades and leaves nothing.
  const change = await capture(page, 1500, () => page.click("#next"));
  assert.notEqual(await page.textContent("#patch-name"), "Aurora");
  assert.ok(change.every(Number.isFinite) && peak(change) < 1);
  await page.keyboard.up("a");
  assert.deepEqual(page.failures, []);
  await page.context().close();
});

test("a recording is saved as it was played", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  await drop(page, SINE);
  await start(page);
  await page.keyboard.down("a");
  await page.click("#record");
  await page.waitForFunction(() => myriad.recorder.frames > 48_000);
  const downloading = page.waitForEvent("download");
  await page.click("#record");
  const wav = readFileSync(await (await downloading).path());
  const text = (from, to) => wav.toString("latin1", from, to);
  assert.deepEqual([text(0, 4), text(8, 16), text(36, 40)], ["RIFF", "WAVEfmt ", "data"]);
  assert.equal(wav.readUInt32LE(4), wav.length - 8);
  assert.equal(wav.readUInt32LE(40), wav.length - 44);
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)], [2, 48_000, 24]);
  const left = Float32Array.from({ length: (wav.length - 44) / 6 }, (_, i) => wav.readIntLE(44 + 6 * i, 3) / 0x7fffff);
  const base = await page.evaluate(() => myriad.keys.base);
  const hertz = 440 * 2 ** ((base - 69) / 12);
  const steady = left.subarray(-24_000);
  assert.ok(Math.abs(pitch(steady, 48_000) / hertz - 1) < 2e-4);
  assert.ok(isClean(steady, hertz, 48_000), "clicks");
  await page.context().close();
});

test("a sound is shared as a link", async (browser, { isolated }) => {
  const page = await open(browser, isolated, { hash: "#patch=Aurora" });
  await page.getByRole("tab", { name: "Filter" }).click();
  const knob = page.getByRole("slider", { name: "Cutoff" }).first();
  await knob.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowUp");
  const turned = await knob.getAttribute("aria-valuetext");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#sound="));
  const [hash, toml] = await page.evaluate(() => [location.hash, myriad.catalogue.toml()]);
  const other = await open(browser, isolated, { hash });
  assert.equal(await other.evaluate(() => myriad.catalogue.toml()), toml);
  await other.getByRole("tab", { name: "Filter" }).click();
  assert.equal(await other.getByRole("slider", { name: "Cutoff" }).first().getAttribute("aria-valuetext"), turned);
  // A damaged link says so, and the page works all the same.
  const damaged = await open(browser, isolated, { hash: hash.slice(0, 40) });
  assert.match(await damaged.textContent("#notice"), /damaged/);
  assert.equal(await damaged.textContent("#patch-name"), "Aurora");
  for (const opened of [page, other, damaged]) await opened.context().close();
});

test("a file that is no patch is refused in one line", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  await drop(page, "format = 3\n[source]\npartials = \"many\"\n");
  await page.waitForFunction(() => document.getElementById("notice").textContent !== "");
  assert.match(await page.textContent("#notice"), /3.*partials/s);
  assert.equal(await page.textContent("#patch-name"), "Aurora");
  await page.context().close();
});

test("the page works offline once it has been loaded", async (browser, { isolated }) => {
  const page = await open(browser, isolated);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForFunction(() => document.body.dataset.state !== undefined);
  await start(page);
  const sound = await capture(page, 1500, () => page.keyboard.down("a"));
  assert.ok(peak(sound) > 0.01);
  await page.context().close();
});

test("everything that can be used has a name, and fits on a phone", async (browser, { isolated }) => {
  const page = await open(browser, isolated, { viewport: PHONE, touch: true });
  await page.evaluate(() => document.querySelectorAll("[role=tab]").forEach((tab) => tab.click()));
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, [role=slider], [role=meter], canvas")]
      .filter((e) => !(e.ariaLabel || e.getAttribute("aria-label") || e.textContent.trim() || e.hidden))
      .map((e) => e.outerHTML),
  );
  assert.deepEqual(nameless, []);
  const [width, bottom] = await page.evaluate(() => [
    document.documentElement.scrollWidth, document.getElementById("keyboard").getBoundingClientRect().bottom,
  ]);
  assert.ok(width <= PHONE.width, `${width} pixels wide`);
  assert.ok(bottom <= PHONE.height, "the keys are on the screen");
  await page.touchscreen.tap(...(await keyPlace(page, 60)));
  await page.waitForFunction(() => document.body.dataset.state === "playing");
  await page.context().close();
});

test("pictures", async (browser, { isolated }) => {
  mkdirSync(PICTURES, { recursive: true });
  for (const [name, viewport, touch] of [["desktop", DESKTOP, false], ["phone", PHONE, true]]) {
    const page = await open(browser, isolated, { viewport, touch });
    await page.screenshot({ path: `${PICTURES}${name}-rest.png` });
    for (const key of ["a", "d", "g", "k"]) await page.keyboard.down(key);
    await page.waitForFunction(() => document.body.dataset.state === "playing");
    await page.waitForTimeout(3500);
    await page.screenshot({ path: `${PICTURES}${name}.png` });
    await page.click("#browse");
    await page.screenshot({ path: `${PICTURES}${name}-browser.png` });
    await page.context().close();
  }
});

const servers = { isolated: await serve(), plain: await serve({ isolated: false }) };
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let failed = 0;
for (const [name, run] of tests) {
  try {
    await run(browser, servers);
    console.log(`test ${name} ... ok`);
  } catch (error) {
    failed++;
    console.log(`test ${name} ... FAILED\n${error.stack}`);
  }
}
await browser.close();
Object.values(servers).forEach((server) => server.close());
console.log(failed === 0 ? `${tests.length} passed` : `${failed} of ${tests.length} failed`);
process.exitCode = failed === 0 && tests.length > 0 ? 0 : 1;
