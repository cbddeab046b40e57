// A knob: dragged, turned by the wheel or the arrow keys, reset by a double click.

const SVG = "http://www.w3.org/2000/svg";
/** A full turn of the value in pixels of dragging; with Shift a tenth of that speed. */
const PIXELS = 190;
/** Angles of the ends, clockwise from below, in degrees. */
const [FROM, TO] = [40, 320];
const STOPS = [[104, 72, 214], [176, 62, 172], [248, 92, 122], [255, 176, 102], [255, 244, 207]];

/** The position of a value, 0 to 1, as `Kind::to_scale` has it. */
export function toScale({ min, max, curve }, value) {
  if (curve === "exponential") return Math.log(value / min) / Math.log(max / min);
  const share = (value - min) / (max - min);
  return curve.startsWith("power") ? share ** (1 / Number(curve.slice(6))) : share;
}

/** The value at a position. */
export function fromScale({ min, max, curve }, scale) {
  const share = Math.min(Math.max(scale, 0), 1);
  if (curve === "exponential") return min * (max / min) ** share;
  if (curve.startsWith("power")) return min + (max - min) * share ** Number(curve.slice(6));
  const value = min + (max - min) * share;
  return curve === "whole" ? Math.round(value) : value;
}

/** The gradient of the editor at a position, 0 to 1. */
export function dawn(position) {
  const at = Math.min(Math.max(position, 0), 1) * (STOPS.length - 1);
  const from = Math.min(Math.floor(at), STOPS.length - 2);
  const mix = (i) => Math.round(STOPS[from][i] + (STOPS[from + 1][i] - STOPS[from][i]) * (at - from));
  return `rgb(${mix(0)} ${mix(1)} ${mix(2)})`;
}

export class Knob {
  constructor(parameter, name, value, text, turned) {
    this.parameter = parameter;
    this.text = text;
    this.turned = turned;
    this.scale = toScale(parameter, value);
    // A knob with its zero in the middle shows how far it is from there.
    this.origin = parameter.min < 0 && parameter.max > 0 ? toScale(parameter, 0) : 0;
    this.element = document.createElement("div");
    Object.assign(this.element, { className: "knob", role: "slider", tabIndex: 0, ariaLabel: name });
    this.element.ariaValueMin = parameter.min;
    this.element.ariaValueMax = parameter.max;
    this.draw();
    this.show(value);
    this.listen();
  }

  draw() {
    const svg = this.element.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("viewBox", "0 0 56 56");
    const add = (tag, name, attributes = {}) => {
      const part = svg.appendChild(document.createElementNS(SVG, tag));
      part.setAttribute("class", name);
      for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
      return part;
    };
    add("circle", "disc", { cx: 28, cy: 28, r: 18 }).style.fill = "var(--disc)";
    add("circle", "shine", { cx: 28, cy: 26, r: 11 }).style.fill = "rgb(134 120 255 / .12)";
    add("path", "track", { d: arc(0, 1) });
    this.arc = add("path", "arc");
    this.hand = add("line", "hand");
  }

  show(value) {
    const { scale, origin } = this;
    this.arc.setAttribute("d", arc(Math.min(scale, origin), Math.max(scale, origin)));
    this.arc.style.stroke = dawn(0.25 + 0.6 * scale);
    this.arc.style.opacity = Math.abs(scale - origin) < 0.004 ? 0 : 1;
    const [x, y] = place(scale, 9);
    const [x2, y2] = place(scale, 15);
    for (const [key, number] of Object.entries({ x1: x, y1: y, x2, y2 })) this.hand.setAttribute(key, number);
    this.element.ariaValueNow = value;
    this.element.ariaValueText = this.text(value);
  }

  move(scale) {
    this.scale = Math.min(Math.max(scale, 0), 1);
    const value = fromScale(this.parameter, this.scale);
    this.show(value);
    this.turned(value);
  }

  listen() {
    const { element } = this;
    let last;
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      last = event;
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (!last) return;
      const pixels = last.clientY - event.clientY + (event.clientX - last.clientX);
      last = event;
      this.move(this.scale + pixels / PIXELS / (event.shiftKey ? 10 : 1));
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (last = undefined));
    element.addEventListener("dblclick", () => this.move(toScale(this.parameter, this.parameter.default)));
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.move(this.scale - Math.sign(event.deltaY) * (event.shiftKey ? 0.002 : 0.02));
    });
    element.addEventListener("keydown", (event) => {
      const whole = this.parameter.curve === "whole" ? 1 / (this.parameter.max - this.parameter.min) : 0.01;
      const step = event.shiftKey ? whole / 10 : whole;
      const to = {
        ArrowUp: this.scale + step, ArrowRight: this.scale + step,
        ArrowDown: this.scale - step, ArrowLeft: this.scale - step,
        PageUp: this.scale + 10 * step, PageDown: this.scale - 10 * step,
        Home: 0, End: 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.move(to);
    });
  }
}

/** The point at a position, at this distance from the middle. */
function place(scale, radius) {
  const angle = ((FROM + (TO - FROM) * scale) * Math.PI) / 180;
  return [28 - radius * Math.sin(angle), 28 + radius * Math.cos(angle)];
}

function arc(from, to) {
  const [x, y] = place(from, 24);
  const [x2, y2] = place(to, 24);
  const large = (to - from) * (TO - FROM) > 180 ? 1 : 0;
  return `M${x} ${y}A24 24 0 ${large} 1 ${x2} ${y2}`;
}
