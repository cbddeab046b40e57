// The parameter table, the factory patches, and the patch on display: from the engine's own code.

import { engineModule } from "./engine.js";

/** Answers from `web/engine/src/catalogue.rs`, in a module instance of its own. */
export class Catalogue {
  static async open() {
    const { bytes } = await engineModule();
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Catalogue(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
    this.handle = exports.catalogue_new();
    this.parameters = this.ask("parameters");
    this.patches = this.ask("patches");
    this.indices = new Map(this.parameters.map((parameter, index) => [parameter.id, index]));
  }

  /** The row of a parameter in the table. */
  index(id) {
    return this.indices.get(id);
  }

  /** Puts a factory patch on display and describes it. */
  openPatch(name) {
    return this.ask(`open ${name}`);
  }

  /** Puts the patch in a text on display and describes it. */
  readPatch(toml) {
    return this.ask(`read ${toml}`);
  }

  /** The text of a factory patch. */
  patchText(name) {
    return this.ask(`file ${name}`);
  }

  /** Moves a knob of the patch on display; returns the value as people read it. */
  set(id, value) {
    return this.ask(`set ${id} ${value}`);
  }

  /** A value as people read it. */
  text(id, value) {
    return this.ask(`text ${id} ${value}`);
  }

  /** The patch on display as a file. */
  toml() {
    return this.ask("toml");
  }

  ask(question) {
    const { exports } = this;
    const text = new TextEncoder().encode(question);
    const memory = exports.reserve(text.length);
    new Uint8Array(exports.memory.buffer, memory, text.length).set(text);
    const at = exports.catalogue_ask(this.handle, memory, text.length);
    const size = exports.catalogue_size(this.handle);
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, size)));
    if (answer.error) throw new Error(answer.error);
    return answer;
  }
}
