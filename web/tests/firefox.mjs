// The page in a real Firefox: the engine in the browser, and seats of `myriad serve`. Firefox makes no sound without a
// sound server, so it gets one without a sound card. web/tests/run installs what this needs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { isClean, peak, pitch } from "./measure.mjs";

const ROOT = new URL("../../", import.meta.url).pathname;
const puppeteer = createRequire(`${ROOT}target/web-test/`)("puppeteer-core");
const PROGRAM = process.env.MYRIAD ?? `${ROOT}target/debug/myriad`;
const SINE = 'format = 3\nname = "Sine"\n[source]\npartials = 1\n[amp]\nvelocity = 0\n';

const folder = mkdtempSync(`${tmpdir()}/myriad-firefox-`);
const socket = `${folder}/sound`;
const sound = spawn("pulseaudio", [
  "-n", "--daemonize=no", "--exit-idle-time=-1", `--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`,
  "--load=module-null-sink rate=48000",
], { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder }, stdio: "ignore" });
const server = spawn(PROGRAM, ["serve", "--port", "0", "--json", "--renderer", "cpu"], {
  stdio: ["ignore", "pipe", "inherit"],
});

/** Waits for something in the page. The page's policy forbids what puppeteer does for it. */
async function until(page, condition) {
  const end = Date.now() + 30_000;
  while (!(await page.evaluate(condition))) {
    assert.ok(Date.now() < end, `never: ${condition}`);
    await sleep(50);
  }
}

/** A note at `address`: its pitch, its level, no click. */
async function play(browser, address, instrument) {
  const page = await browser.newPage();
  const failures = [];
  page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
  page.on("pageerror", (error) => failures.push(String(error)));
  await page.goto(address);
  await until(page, () => document.body.dataset.state !== undefined);
  assert.equal(await page.evaluate(() => myriad.instrument.constructor.name), instrument);
  await page.evaluate((toml) => myriad.openText(toml), SINE);
  await page.click("#start");
  await until(page, () => document.body.dataset.state === "playing");
  if (instrument === "RemoteInstrument") await until(page, () => myriad.instrument.stats.transport === "datagrams");
  await page.evaluate(() => {
    myriad.recorder.start();
    myriad.instrument.send({ type: "noteOn", key: 69, velocity: 0.8, channel: 0 });
  });
  await until(page, () => myriad.recorder.frames >= 120_000);
  const samples = Float32Array.from(await page.evaluate(async () => {
    await myriad.recorder.stop();
    return [...myriad.recorder.samples().filter((_, i) => i % 2 === 0).slice(-48_000)];
  }));
  assert.ok(Math.abs(pitch(samples, 48_000) - 440) < 1, `${pitch(samples, 48_000)} Hz`);
  assert.ok(peak(samples) > 0.05 && peak(samples) < 1, `${peak(samples)}`);
  assert.ok(isClean(samples, 440, 48_000), "clicks");
  assert.deepEqual(failures, []);
  await page.screenshot({ path: `${ROOT}target/web-test/firefox.png` });
  await page.close();
}

let browser;
let failed = 0;
try {
  const [line] = await once(createInterface(server.stdout), "line");
  const address = (query) => JSON.parse(line).page.replace("play=server", query);
  for (let wait = 0; !existsSync(socket) && wait < 100; wait++) await sleep(50);
  browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    args: ["--width=1372", "--height=892"],
    defaultViewport: null,
    env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, PULSE_SERVER: `unix:${socket}` },
    extraPrefsFirefox: { "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0 },
  });
  for (const [name, query, instrument] of [
    ["the engine in Firefox", "play=browser", "LocalInstrument"],
    ["a seat in Firefox", "play=server", "RemoteInstrument"],
    ["a seat in Firefox, as Opus", "play=server&sound=opus", "RemoteInstrument"],
  ]) {
    try {
      await play(browser, address(query), instrument);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}: ${error.stack}`);
    }
  }
} finally {
  await browser?.close();
  server.kill();
  sound.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exit(failed === 0 ? 0 : 1);
