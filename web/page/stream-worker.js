// The connection to a seat of `myriad serve`: events go out with the server's time, packets of sound go on to the
// audio thread. They come through the WebSocket, or as datagrams where the browser and the network have them.

/** How often the clocks are compared, at first and later, and how often the server is told what was measured. */
const FIRST_PINGS = 8;
const PING_MS = 1000;
const KEPT_PINGS = 16;

const HEADER = 16;
const FLOAT = 1;
const OPUS = 3;

let socket, sound, welcome, outputMs, transport, decoder;
/** Headers of the packets that are being decoded, oldest first. */
const decoding = [];
let pings = []; // The newest: way there and back, and the server's frame minus ours at that time.
let playing = {};

const now = () => performance.timeOrigin + performance.now();

/** The server's clock, in frames, at a time of ours: by the quickest of the last pings. */
function serverFrame(at) {
  if (pings.length === 0) return undefined;
  const best = pings.reduce((a, b) => (b.way < a.way ? b : a));
  return best.frame + ((at - best.at) * welcome.rate) / 1e3;
}

function ping() {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "ping", id: now() }));
}

function pong({ id, frame }) {
  const arrived = now();
  pings.push({ way: arrived - id, at: (id + arrived) / 2, frame });
  if (pings.length > KEPT_PINGS) pings.shift();
}

/** What the player and the operator want to know. */
function report() {
  if (pings.length === 0 || playing.position === undefined) return;
  const ms = 1e3 / welcome.rate;
  const roundTripMs = Math.min(...pings.map(({ way }) => way));
  // An event waits for its way to the server and for a block; its sound for the engine and for the buffer.
  const behind = serverFrame(playing.at) - playing.position;
  const latencyMs = roundTripMs / 2 + (welcome.block + welcome.latency + behind) * ms + outputMs;
  const stats = {
    roundTripMs, latencyMs, bufferMs: playing.bufferMs, late: playing.late, concealed: playing.concealed,
  };
  socket.send(JSON.stringify({ type: "stats", ...stats }));
  postMessage({ stats });
}

/** Passes a packet on to the audio thread. What is encoded is decoded before. */
function play(packet) {
  if (new Uint8Array(packet)[1] !== OPUS) {
    sound.postMessage(packet, [packet]);
    return;
  }
  decoder ??= openDecoder();
  decoding.push(packet.slice(0, HEADER));
  const timestamp = Math.round((Number(new DataView(packet).getBigUint64(8, true)) * 1e6) / welcome.rate);
  decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, data: new Uint8Array(packet, HEADER) }));
}

function openDecoder() {
  const decoder = new AudioDecoder({
    output(decoded) {
      const frames = decoded.numberOfFrames;
      const packet = new ArrayBuffer(HEADER + 8 * frames);
      const header = new DataView(packet);
      new Uint8Array(packet).set(new Uint8Array(decoding.shift()));
      header.setUint8(1, FLOAT);
      header.setUint16(2, frames, true);
      const samples = new Float32Array(packet, HEADER);
      const plane = new Float32Array(frames);
      for (let side = 0; side < 2; side++) {
        decoded.copyTo(plane, { planeIndex: side, format: "f32-planar" });
        for (let i = 0; i < frames; i++) samples[2 * i + side] = plane[i];
      }
      decoded.close();
      sound.postMessage(packet, [packet]);
    },
    error({ message }) {
      postMessage({ error: `the sound cannot be decoded: ${message}` });
    },
  });
  decoder.configure({ codec: "opus", sampleRate: welcome.rate, numberOfChannels: 2 });
  return decoder;
}

/** Has the sound sent as datagrams: one that is lost is concealed, not waited for. The server sends it either way. */
async function receiveDatagrams({ port, ticket, certificate }) {
  if (typeof WebTransport === "undefined") return;
  try {
    transport = new WebTransport(`https://${new URL(socket.url).hostname}:${port}/sound/${ticket}`, {
      congestionControl: "low-latency",
      serverCertificateHashes: [{ algorithm: "sha-256", value: Uint8Array.from(certificate) }],
    });
    await transport.ready;
    postMessage({ stats: { transport: "datagrams" } });
    const reader = transport.datagrams.readable.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      // Memory of its own: a datagram may be a part of a larger one.
      play(value.slice().buffer);
    }
  } catch {
    // Not to be had here, or lost: the sound comes through the socket.
  }
  postMessage({ stats: { transport: "WebSocket" } });
}

function receive({ data }) {
  if (data instanceof ArrayBuffer) {
    const isMeters = new Uint8Array(data, 0, 1)[0] === 0x50;
    if (isMeters) postMessage({ meters: new Float32Array(data, 4) });
    else play(data);
    return;
  }
  const message = JSON.parse(data);
  if (message.type === "welcome") {
    welcome = message;
    sound.postMessage({ rate: welcome.rate });
    socket.send(JSON.stringify({ type: "watch", on: true }));
    for (let i = 0; i < FIRST_PINGS; i++) setTimeout(ping, 40 * i);
    setInterval(() => {
      ping();
      report();
    }, PING_MS);
    postMessage({ welcome, stats: { transport: "WebSocket" } });
    if (welcome.datagrams) receiveDatagrams(welcome.datagrams);
  } else if (message.type === "pong") {
    pong(message);
  } else if (message.type === "error") {
    postMessage({ error: message.message });
  } else if (message.type === "server") {
    postMessage({ stats: { load: message.load, seats: message.seats } });
  }
}

function connect({ url, token }) {
  socket = new WebSocket(url, token ? ["myriad.1", `token.${token}`] : ["myriad.1"]);
  socket.binaryType = "arraybuffer";
  socket.onmessage = receive;
  socket.onclose = ({ code, reason }) => {
    const why = welcome ? reason || `the connection ended (${code})` : "the server has no seat for us: full, or another token";
    postMessage({ closed: why });
    close();
  };
}

onmessage = ({ data }) => {
  if (data.url) {
    ({ port: sound, outputMs } = data);
    sound.onmessage = ({ data }) => {
      playing = { ...data, at: now() };
    };
    connect(data);
  } else if (data.close) {
    transport?.close();
    socket.close();
  } else if (data.event && socket.readyState === WebSocket.OPEN) {
    const time = serverFrame(data.at);
    socket.send(JSON.stringify(time === undefined ? data.event : { ...data.event, time }));
  }
};
