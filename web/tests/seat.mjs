// A seat of `myriad serve` in a real Chromium: keys are pressed in the page, and the sound that comes back from the
// server is measured. web/tests/run installs what this needs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { isClean, peak, pitch } from "./measure.mjs";

const ROOT = new URL("../../", import.meta.url).pathname;
const { chromium } = createRequire(`${ROOT}target/web-test/`)("playwright-core");
const PROGRAM = process.env.MYRIAD
  ?? [`${ROOT}target/release/myriad`, `${ROOT}target/debug/myriad`].find((path) => existsSync(path));
const SINE = 'format = 3\nname = "Sine"\n[source]\npartials = 1\n[amp]\nvelocity = 0\n';

const servers = [];

/** Starts a server; returns its addresses and a way to stop it. */
async function serve(...args) {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const child = spawn(PROGRAM, ["serve", ...port, "--json", "--renderer", "cpu", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  servers.push(child);
  const [line] = await once(createInterface(child.stdout), "line");
  const stop = async () => {
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    assert.equal(code, 0, "it stops by itself");
  };
  return { ...JSON.parse(line), stop };
}

async function open(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1372, height: 892 } });
  const page = await context.newPage();
  page.failures = [];
  page.on("console", (message) => message.type() === "error" && page.failures.push(message.text()));
  page.on("pageerror", (error) => page.failures.push(String(error)));
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.state !== undefined);
  assert.equal(await page.evaluate(() => myriad.instrument.constructor.name), "RemoteInstrument");
  return page;
}

async function start(page) {
  await page.click("#start");
  await page.waitForFunction(() => document.body.dataset.state === "playing");
}

const send = (page, event) => page.evaluate((event) => myriad.instrument.send(event), event);

/** What sounds while `act` runs and after it: left samples. */
async function capture(page, milliseconds, act = () => {}) {
  await page.evaluate(() => myriad.recorder.start());
  await act();
  await page.waitForFunction((frames) => myriad.recorder.frames >= frames, (48 * milliseconds) | 0);
  return Float32Array.from(await page.evaluate(async () => {
    await myriad.recorder.stop();
    return [...myriad.recorder.samples().filter((_, i) => i % 2 === 0)];
  }));
}

/** The level of a pitch (Goertzel): also where a busy machine needed the concealment. */
function level(samples, hertz) {
  let [re, im] = [0, 0];
  samples.forEach((x, i) => {
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / samples.length);
    re += hann * x * Math.cos((2 * Math.PI * hertz * i) / 48_000);
    im += hann * x * Math.sin((2 * Math.PI * hertz * i) / 48_000);
  });
  return (4 * Math.hypot(re, im)) / samples.length;
}

/** A key is clicked; its sound, which comes by `transport` in a format, is measured. */
async function playKey(browser, server, transport, format = "float") {
  const page = await open(browser, server.page.replace("play=server", `play=server&sound=${format}`));
  await page.evaluate((toml) => myriad.openText(toml), SINE);
  await start(page);
  await page.waitForFunction((transport) => myriad.instrument.stats.transport === transport, transport);
  const { left, bottom, width } = await page.evaluate(() => myriad.keyboard.keys.get(69).getBoundingClientRect().toJSON());
  const sound = await capture(page, 2500, async () => {
    await page.mouse.move(left + width / 2, bottom - 6);
    await page.mouse.down();
  });
  const steady = sound.subarray(-48_000);
  assert.ok(Math.abs(pitch(steady, 48_000) - 440) < 1, `${pitch(steady, 48_000)} Hz`);
  assert.ok(peak(steady) > 0.05 && peak(steady) < 1, `${peak(steady)}`);
  // No discontinuity at all: where a packet was late, it was concealed, which bends the wave but does not break it.
  assert.ok(isClean(steady, 440, 48_000), "clicks");
  const end = await capture(page, 3000, () => page.mouse.up());
  assert.ok(peak(end.subarray(-4800)) < 1e-4, "the note ends");
  await page.waitForFunction(() => myriad.instrument.stats.latencyMs > 0);
  const { latencyMs, bufferMs, roundTripMs, late, concealed } = await page.evaluate(() => myriad.instrument.stats);
  console.log(`        ${format} by ${transport}: latency ${latencyMs.toFixed(1)} ms, of which buffer ${bufferMs.toFixed(1)}, network ${roundTripMs.toFixed(1)} there and back; ${late} late, ${concealed} concealed`);
  assert.deepEqual(page.failures, []);
  await page.screenshot({ path: `${ROOT}target/web-test/seat.png` });
  const operator = await browser.newPage();
  await operator.goto(server.operator);
  await operator.waitForSelector("#seats tr");
  assert.match(await operator.textContent("#seats"), new RegExp(`Sine.*${transport}`));
  await operator.screenshot({ path: `${ROOT}target/web-test/operator.png` });
  await server.stop();
}

const tests = {
  async "a key that is clicked sounds, from the server, as datagrams"(browser) {
    await playKey(browser, await serve(), "datagrams");
  },
  async "where there are no datagrams, it sounds all the same"(browser) {
    // The port of the datagrams is taken.
    const other = createSocket("udp4");
    await new Promise((resolve) => other.bind(0, "127.0.0.1", resolve));
    await playKey(browser, await serve("--port", other.address().port), "WebSocket");
    other.close();
  },
  async "Opus sounds the same, for a twentieth of the bytes"(browser) {
    await playKey(browser, await serve(), "datagrams", "opus");
  },
  async "another format can be chosen in the page"(browser) {
    const server = await serve("--public", "--listen", "127.0.0.1");
    const page = await open(browser, server.page);
    await Promise.all([page.waitForNavigation(), page.getByLabel("Format of the sound").selectOption("Opus")]);
    await page.waitForFunction(() => document.body.dataset.state !== undefined);
    assert.equal(await page.evaluate(() => myriad.instrument.options.format), "opus");
    assert.equal(await page.getByLabel("Format of the sound").inputValue(), "opus");
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it fits on a phone");
    await page.setViewportSize({ width: 1372, height: 892 });
    await start(page);
    await server.stop();
  },
  async "patches and knobs reach the server"(browser) {
    const server = await serve();
    const page = await open(browser, server.page);
    await start(page);
    const level = async (db) => {
      await page.evaluate((toml) => myriad.openText(toml), SINE);
      await send(page, { type: "param", id: "amp.level", value: db });
      const sound = await capture(page, 1500, () => send(page, { type: "noteOn", key: 69, velocity: 0.8, channel: 0 }));
      await send(page, { type: "panic" });
      return peak(sound.subarray(-9600));
    };
    const [loud, quiet] = [await level(-6), await level(-26)];
    assert.ok(Math.abs(20 * Math.log10(loud / quiet) - 20) < 0.5, `${loud} ${quiet}`);
    await server.stop();
  },
  async "a public server asks for its token"(browser) {
    const server = await serve("--public", "--listen", "127.0.0.1");
    const page = await open(browser, server.page);
    await start(page);
    await page.context().close();
    const stranger = await open(browser, server.page.replace(/#.*/, ""));
    await stranger.click("#start");
    await stranger.waitForFunction(() => document.getElementById("notice").textContent.includes("token"));
    await server.stop();
  },
  async "a visitor can play in the browser instead, and come back"(browser) {
    const server = await serve("--public", "--listen", "127.0.0.1");
    const page = await open(browser, server.page);
    const instrument = () => page.evaluate(() => myriad.instrument.constructor.name);
    const change = async (label) => {
      await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: label }).click()]);
      await page.waitForFunction(() => document.body.dataset.state !== undefined);
    };
    await change("Play in this browser");
    assert.equal(await instrument(), "LocalInstrument");
    await change("Play on the server");
    assert.equal(await instrument(), "RemoteInstrument");
    // The token is still in the address.
    await start(page);
    assert.deepEqual(page.failures, []);
    await server.stop();
  },
  async "in a jam one page hears the other"(browser) {
    const server = await serve("--jam");
    const [one, other] = [await open(browser, server.page), await open(browser, server.page)];
    for (const page of [one, other]) {
      await page.evaluate((toml) => myriad.openText(toml), SINE);
      await start(page);
    }
    const sound = await capture(other, 2000, () => send(one, { type: "noteOn", key: 76, velocity: 0.8, channel: 0 }));
    const steady = sound.subarray(-24_000);
    const [below, at, above] = [622.25, 659.26, 698.46].map((hertz) => level(steady, hertz));
    assert.ok(at > 0.03 && at > 5 * Math.max(below, above), `${below} ${at} ${above}`);
    await server.stop();
  },
};

const filter = process.argv[2] ?? "";
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--autoplay-policy=no-user-gesture-required"],
});
let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  if (!name.includes(filter)) continue;
  try {
    await run(browser);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
}
await browser.close();
// Those of tests that failed.
servers.forEach((server) => server.kill());
process.exit(failed === 0 ? 0 : 1);
