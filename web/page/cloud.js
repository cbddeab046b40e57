// The cloud: frequency, level and pan of every sounding partial, with trails, as in the editor.

const [LOW, HIGH] = [25, 20_000];
const [TOP_DB, BOTTOM_DB] = [-6, -88];
const VIOLET = [134, 120, 255];
const ROSE = [255, 102, 132];
const AMBER = [255, 176, 102];
/** Colours between left, middle and right. */
const HUES = 17;
/** What is left of the trails after a frame. */
const TRAIL = 0.86;
/** Bins of the glow behind the cloud, and what is left of it after a frame. */
const BINS = 160;
const AFTERGLOW = 0.95;

export class CloudView {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.trails = document.createElement("canvas");
    this.trail = this.trails.getContext("2d");
    this.glow = new Float32Array(BINS);
    this.sparks = Array.from({ length: HUES }, (_, i) => spark(hue((2 * i) / (HUES - 1) - 1)));
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  resize() {
    const ratio = Math.min(devicePixelRatio, 2);
    this.ratio = ratio;
    for (const canvas of [this.canvas, this.trails]) {
      canvas.width = Math.max(this.canvas.clientWidth * ratio, 1);
      canvas.height = Math.max(this.canvas.clientHeight * ratio, 1);
    }
    // On a narrow screen partials are closer together.
    this.scale = Math.min(Math.max(this.canvas.clientWidth / 1100, 0.5), 1.2);
    this.draw({ points: new Float32Array() });
  }

  /** Draws one frame; `points` has the pitch, level, unfiltered level and pan of each. */
  draw({ points }) {
    const { context, trail, ratio } = this;
    const { width, height } = this.canvas;
    const floor = height - 22 * ratio;
    this.place = { x: (hertz) => 14 * ratio + (Math.log(hertz / LOW) / Math.log(HIGH / LOW)) * (width - 28 * ratio),
      y: (level) => this.height(level, floor), floor };
    trail.globalCompositeOperation = "destination-in";
    trail.fillStyle = `rgb(0 0 0 / ${TRAIL})`;
    trail.fillRect(0, 0, width, height);
    trail.globalCompositeOperation = "lighter";

    this.backdrop();
    this.paintGlow(points);
    context.globalCompositeOperation = "lighter";
    this.paintStems(points);
    context.drawImage(this.trails, 0, 0);
    this.paintSparks(points);
    context.globalCompositeOperation = "source-over";
  }

  height(level, floor) {
    const decibels = 20 * Math.log10(level + 1e-9);
    const share = (decibels - BOTTOM_DB) / (TOP_DB - BOTTOM_DB);
    return floor - Math.min(Math.max(share, 0), 1) * (floor - 10 * this.ratio);
  }

  backdrop() {
    const { context, ratio, place } = this;
    const { width, height } = this.canvas;
    const sky = context.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, "#0a0915");
    sky.addColorStop(1, "#150e2a");
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    context.strokeStyle = "rgb(134 120 255 / .09)";
    context.fillStyle = "#6f6893";
    context.lineWidth = ratio;
    context.font = `${11 * ratio}px Inter, sans-serif`;
    context.textAlign = "center";
    context.beginPath();
    const narrow = width / ratio < 600;
    for (const [hertz, name] of [[50, "50"], [100, "100"], [200, "200"], [500, "500"], [1000, "1k"], [2000, "2k"], [5000, "5k"], [10000, "10k"]]) {
      if (narrow && /^[25]/.test(name)) continue;
      const x = place.x(hertz);
      context.moveTo(x, 0);
      context.lineTo(x, place.floor);
      context.fillText(name, x, height - 7 * ratio);
    }
    context.textAlign = "right";
    for (const decibels of [-24, -48, -72]) {
      const y = place.y(10 ** (decibels / 20));
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.fillText(`${decibels} dB`, width - 8 * ratio, y - 4 * ratio);
    }
    context.stroke();
  }

  /** A soft hill of light that follows the levels slowly. */
  paintGlow(points) {
    const { context, glow, place } = this;
    const { width } = this.canvas;
    for (let i = 0; i < BINS; i++) glow[i] *= AFTERGLOW;
    for (let i = 0; i < points.length; i += 4) {
      const x = place.x(points[i]) / width;
      const bin = Math.min(Math.max(Math.floor(x * BINS), 0), BINS - 1);
      const height = (place.floor - place.y(points[i + 1])) / place.floor;
      glow[bin] = Math.max(glow[bin], height * 0.82);
    }
    const smooth = smoothed(smoothed(glow));
    context.beginPath();
    context.moveTo(0, place.floor);
    for (let i = 0; i < BINS; i++) context.lineTo(((i + 0.5) / BINS) * width, place.floor * (1 - smooth[i]));
    context.lineTo(width, place.floor);
    const light = context.createLinearGradient(0, 0, 0, place.floor);
    light.addColorStop(0, "rgb(226 84 172 / .75)");
    light.addColorStop(1, "rgb(104 72 214 / .2)");
    context.fillStyle = light;
    context.fill();
  }

  paintStems(points) {
    const { context, place, ratio, scale } = this;
    for (let i = 0; i < points.length; i += 4) {
      const x = place.x(points[i]);
      const y = place.y(points[i + 1]);
      const open = place.y(points[i + 2]);
      if (open < y - 2 * ratio) {
        context.fillStyle = "rgb(157 150 187 / .16)"; // What the filter takes away.
        context.fillRect(x - 0.5 * ratio, open, ratio, y - open);
      }
      const strength = (place.floor - y) / place.floor;
      if (strength <= 0.01) continue;
      const [r, g, b] = hue(points[i + 3]);
      context.fillStyle = `rgb(${r} ${g} ${b} / ${(0.14 + 0.6 * strength) * scale})`;
      context.fillRect(x - ratio * scale, y, 2 * ratio * scale, place.floor - y);
      context.fillStyle = `rgb(${r} ${g} ${b} / ${0.1 * strength * scale ** 2})`;
      context.fillRect(x - 5 * ratio * scale, y, 10 * ratio * scale, place.floor - y);
    }
  }

  paintSparks(points) {
    const { context, trail, place, ratio, scale } = this;
    for (let i = 0; i < points.length; i += 4) {
      const y = place.y(points[i + 1]);
      const strength = (place.floor - y) / place.floor;
      if (strength <= 0.01) continue;
      const x = place.x(points[i]);
      const image = this.sparks[Math.round(((points[i + 3] + 1) / 2) * (HUES - 1))];
      const size = (8 + 30 * strength ** 1.5) * ratio * scale;
      context.drawImage(image, x - size / 2, y - size / 2, size, size);
      trail.globalAlpha = 0.22;
      trail.drawImage(image, x - size / 3, y - size / 3, size / 1.5, size / 1.5);
      trail.globalAlpha = 1;
    }
  }
}

/** Heights averaged with their neighbours, so that single partials become hills. */
function smoothed(heights) {
  const [reach, last] = [2, heights.length - 1];
  return heights.map((_, i) => {
    let sum = 0;
    for (let j = i - reach; j <= i + reach; j++) sum += heights[Math.min(Math.max(j, 0), last)];
    return sum / (2 * reach + 1);
  });
}

/** The colour of a pan, -1 left to 1 right. */
function hue(pan) {
  const side = pan < 0 ? VIOLET : AMBER;
  return ROSE.map((value, i) => Math.round(value + (side[i] - value) * Math.min(Math.abs(pan), 1)));
}

/** A point of light. */
function spark([r, g, b]) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
  const context = canvas.getContext("2d");
  const light = context.createRadialGradient(32, 32, 0, 32, 32, 32);
  light.addColorStop(0, "rgb(255 255 255 / 1)");
  light.addColorStop(0.16, `rgb(${Math.min(r + 60, 255)} ${Math.min(g + 60, 255)} ${Math.min(b + 60, 255)} / .85)`);
  light.addColorStop(0.4, `rgb(${r} ${g} ${b} / .28)`);
  light.addColorStop(1, `rgb(${r} ${g} ${b} / 0)`);
  context.fillStyle = light;
  context.fillRect(0, 0, 64, 64);
  return canvas;
}
