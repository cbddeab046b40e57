// The computer keyboard as piano keys: two rows of letters by their place, whatever is printed on them.

const PLACES = [
  "KeyA", "KeyW", "KeyS", "KeyE", "KeyD", "KeyF", "KeyT", "KeyG", "KeyY", "KeyH", "KeyU", "KeyJ", "KeyK", "KeyO",
  "KeyL", "KeyP", "Semicolon",
];
const VELOCITY = 0.8;

export class ComputerKeys {
  /** `move` is called with octaves. `base` is the key of the first letter. */
  constructor(play, move) {
    this.base = 60;
    /** The key that each letter started: it ends the same one, also after a change of octave. */
    this.down = new Map();
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.code === "KeyZ" && !event.repeat) move(-1);
      if (event.code === "KeyX" && !event.repeat) move(1);
      const place = PLACES.indexOf(event.code);
      const key = this.base + place;
      if (place < 0 || key > 127 || event.repeat || this.down.has(event.code)) return;
      event.preventDefault();
      this.down.set(event.code, key);
      play({ type: "noteOn", key, velocity: VELOCITY, channel: 0 });
    });
    addEventListener("keyup", ({ code }) => {
      const key = this.down.get(code);
      if (key === undefined) return;
      this.down.delete(code);
      play({ type: "noteOff", key, velocity: 0.5, channel: 0 });
    });
    addEventListener("blur", () => this.down.clear());
  }
}

/** Whether letters belong to a field that has the focus. */
function isTyping(target) {
  return target.matches?.("input:not([type=range]), textarea, select") || document.querySelector("dialog[open]") !== null;
}
