// The instrument on a server: a seat of `myriad serve`, heard as a stream. The interface is that of local.js.
//
// The connection is in a worker (stream-worker.js), so that drawing does not hold up the sound; the sound goes
// from there to the audio thread (stream-worklet.js) without passing the page.

import { readMeters } from "./meters.js";

/** What the server at `site` says about itself; nothing if it is none of ours, as for a page on a plain host. */
export async function about(site = location.origin) {
  try {
    const answer = await fetch(new URL("/about", site));
    const about = answer.ok ? await answer.json() : undefined;
    return about?.server === "myriad" ? about : undefined;
  } catch {
    return undefined;
  }
}

/** The token that the address came with (`#token=…`), also after the page has put something else there. */
function keptToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) sessionStorage.setItem("token", token);
  return token ?? sessionStorage.getItem("token") ?? undefined;
}

/** How sound can be sent: what was rendered, half of its bytes, a twentieth of them. */
export const FORMATS = { float: "Lossless", int16: "16 bit", opus: "Opus" };

/** The format that the address names (`sound=opus`), if this browser can play it. */
export function keptFormat() {
  const format = new URLSearchParams(location.search).get("sound");
  const isPlayable = format in FORMATS && (format !== "opus" || "AudioDecoder" in globalThis);
  return isPlayable ? format : "float";
}

export class RemoteInstrument {
  /** `token` is what a public server asks for; `format` is one of `FORMATS`. */
  constructor(catalogue, { site = location.origin, token = keptToken(), format = keptFormat() } = {}) {
    this.catalogue = catalogue;
    this.options = { site, token, format };
    /** Events that were sent before there was a connection. */
    this.waiting = [];
    this.callback = () => {};
    this.errorCallback = () => {};
    /** What is known of the stream: rate, jam, transport, latencyMs, bufferMs, roundTripMs, late, concealed, seats. */
    this.stats = {};
  }

  async open(context) {
    await context.audioWorklet.addModule(new URL("stream-worklet.js", import.meta.url));
    this.node = new AudioWorkletNode(context, "myriad-stream", { numberOfInputs: 0, outputChannelCount: [2] });
    this.worker = new Worker(new URL("stream-worker.js", import.meta.url), { type: "module" });
    const { port1, port2 } = new MessageChannel();
    this.node.port.postMessage({ port: port1 }, [port1]);
    const { site, token, format } = this.options;
    const url = new URL(`/seat?format=${format}`, site);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.worker.postMessage({ url: url.href, token, port: port2, outputMs: 1e3 * (context.outputLatency || 0) }, [port2]);
    await new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.welcome) {
          Object.assign(this.stats, data.welcome);
          this.isOpen = true;
          for (const event of this.waiting.splice(0)) this.send(event);
          resolve();
        }
        if (data.stats) Object.assign(this.stats, data.stats);
        if (data.meters) this.meters = data.meters;
        if (data.error) this.errorCallback(data.error);
        if (data.closed) {
          reject(new Error(data.closed));
          this.errorCallback(data.closed);
        }
      };
      this.worker.onerror = () => reject(new Error("the connection stopped"));
    });
    this.frame = requestAnimationFrame(() => this.show());
    return this.node;
  }

  /** Passes on what sounds once a frame, although the server sends it less often, and nothing in silence. */
  show() {
    this.frame = requestAnimationFrame(() => this.show());
    if (!this.meters) return;
    this.callback(readMeters(this.meters));
    // A peak is shown once; the display falls by itself.
    this.meters.fill(0, 0, 2);
  }

  send(event) {
    if (!this.isOpen) this.waiting.push(event);
    else this.worker?.postMessage({ event, at: performance.timeOrigin + performance.now() });
  }

  onmeters(callback) {
    this.callback = callback;
  }

  /** Called with a sentence when a message was refused or the connection has ended. */
  onerror(callback) {
    this.errorCallback = callback;
  }

  parameters() {
    return this.catalogue.parameters;
  }

  patches() {
    return this.catalogue.patches;
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.worker?.postMessage({ close: true });
    this.node?.port.postMessage({ close: true });
    this.node?.disconnect();
    this.worker = undefined;
  }
}
