// The page: connects the instrument with what is seen and touched.

import { Catalogue } from "./catalogue.js";
import { CloudView } from "./cloud.js";
import { ComputerKeys } from "./computer-keys.js";
import { Keyboard } from "./keyboard.js";
import { LocalInstrument } from "./local.js";
import { MidiInputs } from "./midi.js";
import { PatchBrowser } from "./browser.js";
import { Panels } from "./panels.js";
import { Recorder } from "./recorder.js";
import { linkTo, patchInLink } from "./share.js";

const element = (id) => document.getElementById(id);

/** Where the address says that the sound is made: "server" is a seat, "browser" or nothing is here. */
const place = new URLSearchParams(location.search).get("play");

async function instrumentFor(catalogue) {
  if (place !== "server") return new LocalInstrument(catalogue);
  const { FORMATS, RemoteInstrument, keptFormat } = await import("./remote.js");
  offerFormats(FORMATS, keptFormat());
  return new RemoteInstrument(catalogue);
}

class Page {
  constructor(catalogue, instrument) {
    this.catalogue = catalogue;
    this.instrument = instrument;
    /** Keys that are held down by mouse, fingers or letters. */
    this.held = new Set();
    this.cloud = new CloudView(element("cloud"));
    this.panels = new Panels(catalogue, (id, value) => this.turn(id, value));
    this.keyboard = new Keyboard(element("keyboard"), (event) => this.play(event));
    this.keys = new ComputerKeys((event) => this.play(event), (octaves) => this.moveOctave(octaves));
    this.midi = new MidiInputs((event) => this.send(event));
    this.browser = new PatchBrowser(catalogue.patches, (name) => this.openPatch(name));
    this.connect();
    instrument.onmeters((meters) => this.show(meters));
  }

  connect() {
    const on = (id, act) => element(id).addEventListener("click", () => this.attempt(act));
    on("start", () => this.start());
    on("previous", () => this.openPatch(this.browser.neighbour(this.patch.name, -1)));
    on("next", () => this.openPatch(this.browser.neighbour(this.patch.name, 1)));
    on("browse", () => this.browser.show(this.patch.name));
    on("record", () => this.record());
    on("share", () => this.share());
    on("open-file", () => element("file").click());
    on("octave-down", () => this.moveOctave(-1));
    on("octave-up", () => this.moveOctave(1));
    on("sustain", () => this.sustain());
    on("midi", () => this.openMidi());
    element("file").addEventListener("change", ({ target }) => this.attempt(() => this.openFile(target.files[0])));
    addEventListener("hashchange", () => this.attempt(() => this.openLink()));
    addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      const [file] = event.dataTransfer.files;
      if (file) this.attempt(() => this.openFile(file));
    });
    // A page that has lost the focus does not hear that keys are released.
    addEventListener("blur", () => this.releaseAll());
    this.moveOctave(0);
  }

  /** Starts the sound: browsers allow it only when somebody has touched the page. */
  start() {
    this.starting ??= this.open().catch((error) => {
      this.starting = undefined;
      throw error;
    });
    return this.starting;
  }

  async open() {
    this.context = new AudioContext({ latencyHint: "interactive", sampleRate: 48000 });
    const resumed = this.context.resume();
    this.node = await this.instrument.open(this.context);
    this.node.connect(this.context.destination);
    this.recorder = await Recorder.open(this.context, this.node);
    await resumed;
    element("start").hidden = true;
    document.body.dataset.state = "playing";
  }

  /** Passes on an event; the first one starts the sound. */
  send(event) {
    this.attempt(() => this.start());
    this.instrument.send(event);
  }

  /** The same for keys of this page, which end when it loses the focus. */
  play(event) {
    if (event.type === "noteOn") this.held.add(event.key);
    if (event.type === "noteOff") this.held.delete(event.key);
    this.keyboard.mark((key) => this.held.has(key));
    this.send(event);
  }

  releaseAll() {
    for (const key of [...this.held]) this.play({ type: "noteOff", key, velocity: 0, channel: 0 });
  }

  turn(id, value) {
    this.catalogue.set(id, value);
    this.changed = true;
    this.instrument.send({ type: "param", id, value });
  }

  openPatch(name) {
    this.display(this.catalogue.openPatch(name));
    this.instrument.send({ type: "patch", name });
    history.replaceState(null, "", `#patch=${encodeURIComponent(name)}`);
  }

  openText(toml) {
    this.display(this.catalogue.readPatch(toml));
    this.instrument.send({ type: "patchText", toml });
  }

  async openFile(file) {
    // A patch with an imported sound has a few hundred kilobytes.
    if (file.size > 8e6) throw new Error(`${file.name} is too large for a patch`);
    this.openText(await file.text());
    history.replaceState(null, "", location.pathname + location.search);
  }

  /** Opens the patch that the address names or contains. */
  async openLink() {
    const { name, toml } = await patchInLink(location.hash);
    if (toml !== undefined) this.openText(toml);
    else this.openPatch(name ?? "Aurora");
  }

  display(patch) {
    this.patch = patch;
    this.changed = false;
    element("patch-name").textContent = patch.name;
    element("patch-tags").textContent = [patch.category, ...patch.tags].join(" · ");
    document.title = `${patch.name} · Myriad`;
    this.panels.show(patch);
  }

  async share() {
    const factory = !this.changed && this.catalogue.patches.some(({ name }) => name === this.patch.name);
    const link = await linkTo(location.href, factory ? { name: this.patch.name } : { toml: this.catalogue.toml() });
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      this.notify("The link to this sound is on the clipboard");
    } catch {
      this.notify("The address of this page is now a link to this sound");
    }
  }

  async record() {
    await this.start();
    const button = element("record");
    const recording = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!recording));
    button.querySelector("span").textContent = recording ? "Record" : "Stop";
    if (!recording) return this.recorder.start();
    const wav = await this.recorder.stop();
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(wav),
      download: `${this.patch.name}.wav`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async openMidi() {
    const names = await this.midi.open();
    element("midi").setAttribute("aria-pressed", "true");
    this.notify(names.length > 0 ? `MIDI: ${names.join(", ")}` : "No MIDI device is connected yet");
  }

  sustain() {
    const button = element("sustain");
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    this.send({ type: "control", controller: 64, value: on ? 1 : 0, channel: 0 });
  }

  moveOctave(octaves) {
    this.keyboard.move(octaves);
    this.keys.base = this.keyboard.computerBase;
    element("octave").textContent = `C${this.keyboard.lowest / 12 - 1}`;
  }

  show(meters) {
    this.cloud.draw(meters);
    element("voices").textContent = meters.voices.toLocaleString("en");
    element("partials").textContent = meters.partials.toLocaleString("en");
    this.keyboard.mark((key) => this.held.has(key) || meters.isDown(key));
    this.showLevel(meters.peaks);
  }

  showLevel(peaks) {
    const level = element("level");
    this.levels ??= [-60, -60];
    peaks.forEach((peak, side) => {
      const decibels = Math.max(20 * Math.log10(peak + 1e-9), -60);
      this.levels[side] = Math.max(decibels, this.levels[side] - 0.6);
      level.children[side].style.setProperty("--at", this.levels[side] / 60 + 1);
    });
    const loudest = Math.round(Math.max(...this.levels));
    if (level.ariaValueNow !== String(loudest)) level.ariaValueNow = String(loudest);
  }

  /** Does it, and shows why it failed. */
  async attempt(act) {
    try {
      await act();
    } catch (error) {
      console.error(error);
      this.notify(error.message, true);
    }
  }

  notify(text, alarm = false) {
    const notice = element("notice");
    notice.textContent = text;
    notice.classList.toggle("alarm", alarm);
    clearTimeout(this.notified);
    this.notified = setTimeout(() => (notice.textContent = ""), alarm ? 12_000 : 5_000);
  }
}

/** A seat's sound can be sent in several formats; another one is another seat. */
function offerFormats(formats, chosen) {
  const select = element("format");
  for (const [format, name] of Object.entries(formats)) select.add(new Option(name, format, false, format === chosen));
  select.addEventListener("change", () => {
    location.search = `?play=server&sound=${select.value}`;
  });
  element("sound").hidden = false;
}

/** Visitors of a server can choose; pages from elsewhere have no server to play on. */
function offerOtherPlace() {
  const button = element("place");
  button.textContent = place === "server" ? "Play in this browser" : "Play on the server";
  button.hidden = place === null;
  button.addEventListener("click", () => {
    location.search = place === "server" ? "?play=browser" : "?play=server";
  });
}

async function main() {
  offerOtherPlace();
  const catalogue = await Catalogue.open();
  const page = new Page(catalogue, await instrumentFor(catalogue));
  await page.attempt(() => page.openLink());
  if (!page.patch) page.openPatch("Aurora");
  globalThis.myriad = page;
  document.body.dataset.state ??= "ready";
  if (navigator.serviceWorker && location.protocol !== "file:") {
    navigator.serviceWorker.register("service-worker.js").catch(() => {}); // Not offline then.
  }
}

main().catch((error) => {
  console.error(error);
  const notice = element("notice");
  notice.textContent = `Myriad cannot start: ${error.message}`;
  notice.classList.add("alarm");
});
