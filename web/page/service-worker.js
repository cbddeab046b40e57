// Keeps the page's files, so that it works without a network once it has been opened.

const CACHE = "myriad";
/** Every file that a visitor needs to play in the browser; a test compares it with what is served. */
const FILES = [
  "./", "style.css", "icon.svg", "manifest.webmanifest", "inter-regular.ttf", "inter-semibold.ttf",
  "main.js", "engine.js", "catalogue.js", "messages.js", "meters.js", "local.js", "local-worklet.js", "cloud.js",
  "keyboard.js", "computer-keys.js", "midi.js", "panels.js", "knob.js", "browser.js", "share.js", "recorder.js",
  "recorder-worklet.js", "remote.js", "stream-worker.js", "stream-worklet.js", "jitter-buffer.js", "engine.wasm.gz", "engine-relaxed.wasm.gz",
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// The network first, so that a new version is seen at once; what was kept when there is none.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const kept = FILES.some((file) => new URL(file, self.registration.scope).pathname === new URL(request.url).pathname);
  if (request.method === "GET" && kept) event.respondWith(fresh(request));
});

async function fresh(request) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(request, answer.clone());
    return answer;
  } catch {
    return (await cache.match(request, { ignoreSearch: true })) ?? Response.error();
  }
}
