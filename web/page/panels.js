// The knobs: macros and pages of groups, made from the parameter table.

import { Knob } from "./knob.js";

/** The pages, each with its groups of the table and their titles; `of` leaves some parameters out. */
const PAGES = [
  ["Source", [["source", "Source"], ["unison", "Unison"], ["pitch", "Pitch"]]],
  ["Layer", [["layer", "Layer 2"]]],
  ["Shape", [["shape", "Shape"], ["partial", "Partials"], ["dynamics", "Dynamics"], ["decay", "Decay"], ["strike", "Strike"]]],
  ["Filter", [["filter", "Filter"], ["filter2", "Filter 2"], ["env2", "Envelope 2"]]],
  ["Amp", [["amp", "Amp"], ["env1", "Envelope 1"], ["output", "Output"]]],
  ["LFO", [["lfo1", "LFO 1"], ["lfo2", "LFO 2"], ["lfo3", "LFO 3"]]],
  ["Play", [["voice", "Voice"], ["chord", "Chord"], ["arp", "Arpeggiator"]]],
  ["Space", [["delay", "Delay"], ["reverb", "Reverb"]]],
  ["Modulation", [["chorus", "Chorus"], ["phaser", "Phaser"], ["flanger", "Flanger"]]],
  ["Colour", [["drive", "Drive"], ["eq", "Equaliser"]]],
  ["Dynamics", [["compressor", "Compressor"], ["limiter", "Limiter"]]],
];

const element = (id) => document.getElementById(id);

export class Panels {
  /** `turn` is called with the id of a parameter and its new value. */
  constructor(catalogue, turn) {
    this.catalogue = catalogue;
    this.turn = turn;
    this.page = 0;
    this.values = catalogue.parameters.map(({ default: value }) => value);
    this.tabs = PAGES.map(([title], page) => this.tab(title, page));
    element("tabs").replaceChildren(...this.tabs);
    this.macros = catalogue.parameters.filter(({ id }) => id.startsWith("macro."));
  }

  /** Shows a patch as the catalogue describes it. */
  show(patch) {
    this.values = [...patch.values];
    const knobs = this.macros.map((parameter, i) => {
      const control = this.control(parameter, patch.macros[i] || `Macro ${i + 1}`);
      control.classList.toggle("unused", !patch.macros[i]);
      return control;
    });
    element("macros").replaceChildren(...knobs);
    this.open(this.page);
  }

  open(page) {
    this.page = page;
    this.tabs.forEach((tab, i) => {
      tab.ariaSelected = String(i === page);
      tab.tabIndex = i === page ? 0 : -1;
    });
    element("panel").setAttribute("aria-label", PAGES[page][0]);
    element("panel").replaceChildren(...PAGES[page][1].map(([group, title]) => this.group(group, title)));
  }

  tab(title, page) {
    const tab = document.createElement("button");
    tab.role = "tab";
    tab.textContent = title;
    tab.setAttribute("aria-controls", "panel");
    tab.addEventListener("click", () => this.open(page));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = (page + step + PAGES.length) % PAGES.length;
      this.open(next);
      this.tabs[next].focus();
    });
    return tab;
  }

  group(group, title) {
    const box = document.createElement("section");
    box.className = "box";
    const heading = document.createElement("h2");
    heading.textContent = title;
    const controls = document.createElement("div");
    controls.className = "controls";
    const rows = this.catalogue.parameters.filter(({ id }) => id.startsWith(`${group}.`));
    controls.append(...rows.map((parameter) => this.control(parameter, parameter.name)));
    box.append(heading, controls);
    return box;
  }

  control(parameter, name) {
    const index = this.catalogue.index(parameter.id);
    const set = (value) => {
      this.values[index] = value;
      this.turn(parameter.id, value);
    };
    const place = document.createElement("div");
    place.className = "control";
    place.title = parameter.help;
    const label = document.createElement("span");
    label.className = "name";
    label.textContent = name;
    if (parameter.curve === "choice") {
      place.append(choice(parameter, name, this.values[index], set), label);
      return place;
    }
    const value = document.createElement("span");
    value.className = "value";
    const text = (number) => this.catalogue.text(parameter.id, number);
    const knob = new Knob(parameter, name, this.values[index], text, (number) => {
      set(number);
      value.textContent = text(number);
    });
    value.textContent = text(this.values[index]);
    place.append(knob.element, label, value);
    return place;
  }
}

function choice(parameter, name, value, set) {
  const select = document.createElement("select");
  select.ariaLabel = name;
  select.append(...parameter.choices.map((text, i) => new Option(text, i, false, i === value)));
  select.addEventListener("change", () => set(Number(select.value)));
  return select;
}
