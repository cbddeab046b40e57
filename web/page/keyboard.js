// Piano keys for mouse and touch: several fingers, sliding from key to key, harder nearer to the edge.

const BLACK = new Set([1, 3, 6, 8, 10]);
/** The width of a white key that fingers can hit. */
const LEAST_WIDTH = 34;

export class Keyboard {
  constructor(place, play) {
    this.place = place;
    this.play = play;
    this.lowest = 48;
    this.keys = new Map();
    /** The key under each finger. */
    this.fingers = new Map();
    place.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      place.setPointerCapture(event.pointerId);
      this.touch(event);
    });
    place.addEventListener("pointermove", (event) => this.fingers.has(event.pointerId) && this.touch(event));
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) {
      place.addEventListener(type, (event) => this.lift(event.pointerId));
    }
    place.addEventListener("contextmenu", (event) => event.preventDefault());
    new ResizeObserver(() => this.build()).observe(place);
  }

  /** The key that the computer keyboard's first letter plays. */
  get computerBase() {
    return this.lowest + (this.octaves > 2 ? 12 : 0);
  }

  move(octaves) {
    this.lowest = Math.min(Math.max(this.lowest + 12 * octaves, 12), 96);
    this.build();
  }

  build() {
    const width = this.place.clientWidth;
    if (width === 0) return;
    this.octaves = Math.min(Math.max(Math.floor(width / (7 * LEAST_WIDTH)), 1), 5);
    const last = Math.min(this.lowest + 12 * this.octaves, 127);
    const keys = [];
    for (let key = this.lowest; key <= last; key++) keys.push(key);
    const whites = keys.filter((key) => !BLACK.has(key % 12)).length;
    const step = 100 / whites;
    let white = 0;
    this.keys.clear();
    this.place.replaceChildren(
      ...keys.map((key) => {
        const black = BLACK.has(key % 12);
        const div = document.createElement("div");
        div.className = black ? "black" : "white";
        div.style.left = `${black ? (white - 0.31) * step : white * step}%`;
        div.style.width = `${black ? 0.62 * step : step}%`;
        if (!black) white++;
        if (key % 12 === 0) {
          const name = document.createElement("span");
          name.textContent = `C${key / 12 - 1}`;
          div.append(name);
        }
        this.keys.set(key, div);
        return div;
      }),
    );
  }

  /** Shows which keys are down. */
  mark(isDown) {
    for (const [key, div] of this.keys) div.classList.toggle("down", isDown(key));
  }

  touch({ pointerId, clientX, clientY }) {
    const under = this.under(clientX, clientY);
    const before = this.fingers.get(pointerId);
    this.fingers.set(pointerId, under?.key);
    if (under?.key === before) return;
    if (before !== undefined) this.release(before, pointerId);
    if (under) this.play({ type: "noteOn", key: under.key, velocity: under.velocity, channel: 0 });
  }

  lift(finger) {
    const key = this.fingers.get(finger);
    this.fingers.delete(finger);
    if (key !== undefined) this.release(key, finger);
  }

  /** A key that another finger holds stays down. */
  release(key, finger) {
    const others = [...this.fingers].some(([other, down]) => other !== finger && down === key);
    if (!others) this.play({ type: "noteOff", key, velocity: 0.5, channel: 0 });
  }

  under(x, y) {
    const hit = (div) => {
      const { left, right, top, bottom } = div.getBoundingClientRect();
      return x >= left && x < right && y >= top && y < bottom && (y - top) / (bottom - top);
    };
    const all = [...this.keys].sort(([a], [b]) => BLACK.has(b % 12) - BLACK.has(a % 12));
    for (const [key, div] of all) {
      const depth = hit(div);
      if (depth !== false) return { key, velocity: 0.35 + 0.6 * depth };
    }
    return undefined;
  }
}
